"""When each page is drawn: one after another, as often as the thread has time, and rarely out of sight."""

from __future__ import annotations

import heapq
from collections import Counter

import pytest

from otlab.inference import run
from otlab.ui import LearnerRow, RunPanel
from otlab.ui.refresh import HIDDEN_MS, TICK_MS, DrawingThread, Refresh
from tests.ui.toy import Walk
from tests.ui.waiting import until


class Class:
    """Pages that one thread draws, with a clock of its own.

    ``longest`` is the longest time for which the thread was not free, in seconds.
    """

    def __init__(self, pages, seconds, hidden=()):
        self.now = 100.0
        thread = DrawingThread(lambda: self.now)
        self.pages = [Refresh(thread) for _ in range(pages)]
        self.seconds = seconds
        self.drawn = Counter()
        self.busy = 0.0
        self.longest = 0.0
        for page in hidden:
            self.pages[page].hidden = True
        self.due = [(self.now, page) for page in range(pages)]

    def draw(self, for_seconds, stall=0.0):
        """Let the thread do what is due for a time, after it was kept from it for `stall` seconds."""
        self.now += stall
        end, free_since, begin = self.now + for_seconds, self.now, self.now
        while self.due[0][0] < end:
            at, page = heapq.heappop(self.due)
            if at > self.now:
                self.now = free_since = at
            delay = self.pages[page].delay()
            if delay:
                heapq.heappush(self.due, (self.now + delay / 1000, page))
                continue
            self.now += self.seconds
            self.busy += self.seconds
            self.drawn[page] += 1
            self.longest = max(self.longest, self.now - free_since)
            milliseconds = self.pages[page].took(self.seconds)
            heapq.heappush(self.due, (self.now + milliseconds / 1000, page))
        self.share = self.busy / (end - begin)


def test_one_page_is_drawn_six_times_per_second():
    alone = Class(1, 0.02)
    alone.draw(10)
    assert alone.drawn[0] == pytest.approx(10 / (TICK_MS / 1000), abs=1)


def test_a_page_that_is_drawn_slowly_takes_half_of_the_time_at_most():
    alone = Class(1, 0.3)
    alone.draw(10)
    assert alone.share == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("pages", [10, 30])
def test_many_pages_leave_a_fifth_of_the_time_to_clicks(pages):
    many = Class(pages, 0.025)
    many.draw(20)
    assert 0.7 <= many.share <= 0.82


def test_thirty_pages_come_round_equally_often_and_about_once_a_second():
    thirty = Class(30, 0.02)
    thirty.draw(30)
    counts = [thirty.drawn[page] for page in range(30)]
    assert min(counts) >= 25
    assert max(counts) - min(counts) <= 2


def test_a_click_waits_for_few_pictures():
    thirty = Class(30, 0.03)
    thirty.draw(20)
    assert thirty.longest <= 0.07


def test_after_a_stall_pages_that_are_due_come_one_after_another():
    thirty = Class(30, 0.02)
    thirty.draw(5)
    thirty.longest = 0.0
    thirty.draw(5, stall=4.0)
    assert thirty.longest <= 0.05


def test_a_page_out_of_sight_is_drawn_rarely_and_costs_the_others_nothing():
    two = Class(20, 0.02, hidden=range(1, 20))
    two.draw(30)
    assert two.drawn[1] == pytest.approx(30 / (HIDDEN_MS / 1000), abs=1)
    assert two.drawn[0] == pytest.approx(30 / (TICK_MS / 1000), rel=0.1)


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
