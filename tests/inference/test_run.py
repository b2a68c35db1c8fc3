"""The loop: the same numbers however it is cut, watched, stopped and gone on with."""

from __future__ import annotations

import importlib
import pickle
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.inference.pages import idle_page, page_first
from otlab.inference.run import check_interrupt
from tests.inference.toys import Countdown, Walk

# `otlab.inference.run` is the function; this is its module.
run_module = importlib.import_module("otlab.inference.run")


@pytest.mark.slow
@given(every=st.integers(1, 60), threads=st.integers(1, 4))
def test_numbers_do_not_depend_on_ticks_or_threads(every, threads):
    whole = run(Walk(), sweeps=50, seed=7, chains=3, every=50, threads=1).finish()
    cut = run(Walk(), sweeps=50, seed=7, chains=3, every=every, threads=threads).finish()
    assert cut.views == whole.views


def test_ticks_chosen_by_time_give_the_same_numbers():
    assert (
        fit(Walk(), steps=3000, seed=1).views == run(Walk(), sweeps=3000, seed=1, every=3000).finish().views
    )


def test_waiting_for_a_core_makes_no_tick_shorter(monkeypatch):
    now = [0.0]

    class Busy:
        """Cores that are had after a second, and a step that takes 10 ms."""

        def __enter__(self):
            now[0] += 1.0

        def __exit__(self, *error):
            pass

    class Slow(Walk):
        def step(self, rng, state, n):
            now[0] += 0.01 * n
            return super().step(rng, state, n)

    monkeypatch.setattr(run_module, "_cores", Busy())
    monkeypatch.setattr(run_module.time, "perf_counter", lambda: now[0])
    going = run(Slow(), sweeps=1000, seed=1, threads=1)
    done = [next(going).sweep for _ in range(4)]
    assert done[-1] - done[-2] == pytest.approx(run_module.TICK_SECONDS / 0.01, abs=1)


def test_more_chains_leave_the_first_ones_alone():
    two, five = (fit(Walk(), steps=9, seed=3, chains=n).views for n in (2, 5))
    assert five[:2] == two
    assert len(set(five)) == 5


@given(cut=st.integers(0, 40))
def test_a_record_goes_on_as_if_never_stopped(cut):
    whole = fit(Walk(), steps=40, seed=5, chains=2)
    first = run(Walk(), sweeps=40, seed=5, chains=2)
    first.advance(cut)
    second = first.record().run()
    assert second.seed == 5
    assert second.finish().views == whole.views


def test_a_record_survives_its_file():
    first = run(Walk(), sweeps=10, seed=5)
    first.advance(4)
    saved = pickle.dumps(first.record())
    first.finish()
    second = pickle.loads(saved).run()
    assert second.sweep == 4
    assert second.finish().views == fit(Walk(), steps=10, seed=5).views


def test_a_run_can_be_made_longer_while_it_is_going():
    run_ = run(Walk(), sweeps=10, seed=2)
    run_.finish()
    run_.total = 25
    assert run_.finish().views == fit(Walk(), steps=25, seed=2).views


def test_a_run_ends_when_every_chain_is_at_its_optimum():
    tick = run(Countdown(12), sweeps=1000, seed=0, every=5).finish()
    assert (tick.sweep, tick.finished, tick.view) == (15, True, 0)


def test_a_seed_nobody_chose_is_kept():
    first = run(Walk(), sweeps=5)
    assert fit(Walk(), steps=5, seed=first.seed).views == first.finish().views


def test_no_sweeps_give_the_start():
    tick = run(Walk(), sweeps=0, seed=1).finish()
    assert tick.sweep == 0
    assert tick.finished


@pytest.mark.parametrize(
    "wrong",
    [{"sweeps": -1}, {"sweeps": 3, "chains": 0}, {"sweeps": 3, "threads": 0}, {"sweeps": 3, "seed": -1}],
)
def test_impossible_settings_are_named(wrong):
    with pytest.raises(InputError, match="must be"):
        run(Walk(), **wrong)


def stepping(page_idle):
    """Start a run of one long step on a thread; return the event that tells that it is over."""
    started, looked = threading.Event(), threading.Event()

    class Looking(Walk):
        def step(self, rng, state, n):
            started.set()
            check_interrupt()
            looked.set()
            return super().step(rng, state, n)

    run_ = run(Looking(), sweeps=1, seed=1)
    run_.page_idle = page_idle
    threading.Thread(target=run_.finish, daemon=True).start()
    assert started.wait(10.0)
    return looked


def test_learners_wait_while_their_page_is_drawn(monkeypatch):
    monkeypatch.setattr(run_module, "COURTESY_SECONDS", 30.0)
    page = idle_page()
    with page_first(page):
        with page_first(page):
            looked = stepping(page)
        assert not looked.wait(0.1)
    assert looked.wait(10.0)


def test_drawing_one_page_does_not_hold_back_the_runs_of_another(monkeypatch):
    monkeypatch.setattr(run_module, "COURTESY_SECONDS", 30.0)
    with page_first(idle_page()):
        assert stepping(idle_page()).wait(10.0)


def test_a_page_that_takes_long_does_not_stop_learners(monkeypatch):
    monkeypatch.setattr(run_module, "COURTESY_SECONDS", 0.001)
    page = idle_page()
    with page_first(page):
        assert stepping(page).wait(10.0)
