"""How often a page looks at its learners: by what all pages cost, and whether it is in sight."""

from __future__ import annotations

import weakref

import pytest

from otlab.inference import run
from otlab.ui import LearnerRow, RunPanel
from otlab.ui.refresh import HIDDEN_MS, SLOWEST_MS, TICK_MS, Refresh
from tests.ui.toy import Walk
from tests.ui.waiting import until


def a_class(pages, seconds):
    """Return pages of one server whose ticks take this long, after a while."""
    together = weakref.WeakSet()
    made = [Refresh(together) for _ in range(pages)]
    for _ in range(3):
        for page in made:
            page.start()
            page.took(seconds)
    return made


def test_one_page_looks_six_times_per_second():
    (page,) = a_class(1, 0.02)
    assert page.milliseconds == TICK_MS


@pytest.mark.parametrize("pages", [10, 20])
def test_many_pages_together_take_half_of_the_time(pages):
    made = a_class(pages, 0.015)
    busy = sum(15 / page.milliseconds for page in made)
    assert 0.35 <= busy <= 0.65


def test_no_page_waits_longer_than_a_second():
    assert {page.milliseconds for page in a_class(40, 0.1)} == {SLOWEST_MS}


def test_a_page_out_of_sight_looks_rarely_and_costs_the_others_nothing():
    made = a_class(20, 0.02)
    assert made[0].milliseconds > 2 * TICK_MS
    for page in made[1:]:
        page.hidden = True
        assert page.took(0.02)
    assert {page.milliseconds for page in made[1:]} == {HIDDEN_MS}
    assert made[0].took(0.02)
    assert made[0].milliseconds == TICK_MS
    made[1].hidden = False
    assert made[1].took(0.02)
    assert made[1].milliseconds == TICK_MS


def test_who_has_ended_costs_the_others_nothing():
    made = a_class(20, 0.02)
    for page in made[1:]:
        page.stop()
    made[0].took(0.02)
    assert made[0].milliseconds == TICK_MS


def test_a_page_seen_again_draws_at_once():
    drawn = []
    panel = RunPanel(
        [LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: run(Walk(), sweeps=10**9, seed=1))],
        on_ticks=drawn.append,
    )
    panel.seen(False)
    panel.run()
    drawn.clear()
    job = panel.runner.jobs["a"]
    shown = job.last  # perhaps by the look that Run itself takes
    until(lambda: job.last is not shown)
    panel.seen(True)
    assert drawn
    panel.close()
