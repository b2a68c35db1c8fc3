"""A run on a thread: every state it can be in, and what reaches the page."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass, field

import pytest

from otlab.errors import Interrupted
from otlab.inference import Job, Preparation, fit, job, run
from otlab.inference.job import TurnExecutor
from otlab.inference.pages import idle_page, page_first
from otlab.inference.replay import TickHistory
from otlab.inference.run import others_wait
from otlab.inference.turns import Turns
from tests.inference.toys import Broken, Slow, Walk

PATIENCE = 20.0


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            pytest.fail("waited in vain")
        time.sleep(0.002)


def test_a_job_gives_the_numbers_of_the_loop():
    made = Job(run(Walk(), sweeps=500, seed=4, chains=2)).start()
    assert made.join(PATIENCE)
    assert made.state == "done"
    assert made.last.views == fit(Walk(), steps=500, seed=4, chains=2).views


def test_the_mailbox_holds_only_the_newest_tick_and_gives_it_once():
    made = Job(run(Walk(), sweeps=30, seed=4, every=1)).start()
    made.join(PATIENCE)
    assert made.latest().sweep == 30
    assert made.latest() is None
    assert made.last.sweep == 30


def test_pause_step_and_resume_change_nothing():
    made = Job(run(Walk(), sweeps=200, seed=9), paused=True).start()
    until(lambda: made.state == "paused")
    made.step()
    until(lambda: made.last is not None and made.last.sweep == 1)
    made.step(3)
    until(lambda: made.last.sweep == 4)
    made.resume()
    made.join(PATIENCE)
    assert made.last.views == fit(Walk(), steps=200, seed=9).views


def test_a_running_job_pauses():
    made = Job(run(Walk(), sweeps=10**9, seed=9)).start()
    until(lambda: made.last is not None)
    made.pause()
    until(lambda: made.state == "paused")
    held = made.last.sweep
    time.sleep(0.2)
    assert made.last.sweep == held
    made.cancel()
    assert made.join(PATIENCE)
    assert made.state == "stopped"


def test_cancel_reaches_into_a_long_sweep():
    made = Job(run(Slow(), sweeps=1, seed=0)).start()
    until(lambda: made.state == "running")
    made.cancel()
    assert made.join(5.0), "a sweep of ten seconds was not interrupted"
    assert made.state == "stopped"


def test_a_failure_is_kept():
    made = Job(run(Broken(), sweeps=10, seed=0, every=1)).start()
    made.join(PATIENCE)
    assert made.state == "failed"
    assert isinstance(made.failure, ZeroDivisionError)
    assert made.last.sweep == 2


def test_a_long_run_does_not_keep_short_ones_waiting(monkeypatch):
    monkeypatch.setattr(job, "TURNS", Turns(1))
    long = [Job(run(Walk(), sweeps=10**9, seed=n)).start() for n in range(3)]
    until(lambda: all(one.last is not None for one in long))
    short = Job(run(Walk(), sweeps=500, seed=4, chains=2)).start()
    assert short.join(PATIENCE)
    assert short.last.views == fit(Walk(), steps=500, seed=4, chains=2).views
    assert [one.state for one in long] == ["running"] * 3
    for one in long:
        one.cancel()
    assert all(one.join(PATIENCE) for one in long)


@dataclass(frozen=True)
class Noting(Walk):
    """A walk that notes the thread of each step, and whether other runs waited then."""

    steps: list = field(default_factory=list)

    def step(self, rng, state, n):
        self.steps.append((others_wait(), threading.current_thread().name))
        return super().step(rng, state, n)


def test_a_run_uses_one_thread_while_others_wait(monkeypatch):
    monkeypatch.setattr(job, "TURNS", Turns(1))
    noting = Noting()
    watched = Job(run(noting, sweeps=10**9, seed=4, chains=2, threads=2)).start()
    until(lambda: any(not waited for waited, _ in noting.steps))
    other = Job(run(Walk(), sweeps=10**9, seed=4)).start()
    until(lambda: any(waited for waited, _ in noting.steps))
    for made in (watched, other):
        made.cancel()
        assert made.join(PATIENCE)
    assert {name for waited, name in noting.steps if waited} == {"job"}
    assert all(name != "job" for waited, name in noting.steps if not waited)


def test_a_waiting_job_can_be_stopped(monkeypatch):
    monkeypatch.setattr(job, "TURNS", Turns(0))
    first, second = (Job(run(Walk(), sweeps=5, seed=n)).start() for n in (1, 2))
    assert (first.state, first.jobs_ahead, second.jobs_ahead) == ("waiting", 0, 1)
    first.cancel()
    assert first.join(PATIENCE)
    assert (first.state, second.jobs_ahead) == ("stopped", 0)
    second.cancel()
    assert second.join(PATIENCE)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Waiting:
    """A job as its turns see it."""

    def __init__(self, group):
        self.group, self.has_turn = group, False

    def admit(self):
        self.has_turn = True


def turns_of(groups, rounds, places=2):
    """How often each job was found running, looked at every 60 ms, as many times as asked for."""
    clock = Clock()
    turns = Turns(places, clock)
    jobs = [Waiting(group) for group in groups]
    for one in jobs:
        turns.enter(one)
    seen = [0] * len(jobs)
    for _ in range(rounds):
        for i, one in enumerate(jobs):
            seen[i] += one.has_turn
        clock.now += 0.06
        for one in jobs:
            if one.has_turn:
                turns.make_way(one)
    return seen


def test_all_groups_run_equally_often_and_within_a_second():
    for groups in (3, 10, 30):
        seen = turns_of(range(groups), 600)
        assert sum(seen) == 2 * 600, "a place was left empty"
        assert max(seen) - min(seen) <= 5
    assert min(turns_of(range(30), 17)) >= 1, "a round of thirty took more than a second"


def test_groups_with_longer_ticks_have_as_many_turns():
    clock = Clock()
    turns = Turns(1, clock)
    jobs = [Waiting(group) for group in range(30)]
    for one in jobs:
        turns.enter(one)
    seen = [0] * len(jobs)
    for _ in range(900):
        (running,) = (one for one in jobs if one.has_turn)
        clock.now += 0.03 if running.group % 2 else 0.06
        seen[running.group] += turns.make_way(running)
    assert max(seen) - min(seen) <= 2


def test_ticks_are_shorter_where_many_wait():
    lengths = []
    for groups in (1, 5, 30):
        turns = Turns(2, Clock())
        for group in range(groups):
            turns.enter(Waiting(group))
        lengths.append(turns.tick_seconds())
    assert lengths == [0.06, 0.06, pytest.approx(0.4 / 30)]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux alone")
def test_a_run_has_a_lower_priority_than_the_thread_that_draws():
    seen = []

    class Looking(Walk):
        def step(self, rng, state, n):
            seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return super().step(rng, state, n)

    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert Job(run(Looking(), sweeps=4, seed=1, chains=2, every=2)).start().join(PATIENCE)
    assert set(seen) == {min(19, own + job.BEHIND_PAGES)}
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def test_who_has_not_run_yet_goes_first():
    clock = Clock()
    turns = Turns(1, clock)
    old, other, new = (Waiting(group) for group in range(3))
    turns.enter(old)
    turns.enter(other)
    clock.now += 0.3
    assert turns.make_way(old)  # now the other runs, and the old one has run least of those who did
    turns.enter(new)
    clock.now += 0.06  # a slice of two groups would be longer
    assert turns.make_way(other)
    assert new.has_turn


def test_every_turn_has_a_tick_however_late_its_thread_wakes_up(monkeypatch):
    """On a busy machine the slice may be over before the thread has run at all."""
    late = Clock()
    monkeypatch.setattr(job, "TURNS", Turns(1, lambda: time.monotonic() + late.now))
    admit = Job.admit

    def admit_late(self):
        late.now += 10.0
        admit(self)

    monkeypatch.setattr(Job, "admit", admit_late)
    made = [Job(run(Walk(), sweeps=10**9, seed=n, every=1)).start() for n in range(3)]
    until(lambda: all(one.last is not None and one.last.sweep > 3 for one in made))
    for one in made:
        one.cancel()
    assert all(one.join(PATIENCE) for one in made)


def test_nobody_makes_way_when_nobody_waits():
    assert turns_of(range(2), 50) == [50, 50]


def test_the_learners_of_a_page_share_its_turns_while_others_wait():
    *page, a, b, c = turns_of(["page", "page", "page", "a", "b", "c"], 600)
    assert max(page) - min(page) <= 5
    assert max(sum(page), a, b, c) - min(sum(page), a, b, c) <= 10


def test_the_learners_of_a_page_run_together_where_no_other_waits():
    assert turns_of(["page", "page", "page", "a"], 50) == [50] * 4
    turns = Turns(1)
    first, second, other = (Waiting(group) for group in ("page", "page", "other"))
    for one in (first, other, second):
        turns.enter(one)
    assert not second.has_turn
    turns.leave(other)
    assert second.has_turn


def test_a_share_says_how_much_longer_a_run_takes():
    turns = Turns(2)
    assert turns.share(0) == 1
    for group in range(8):
        turns.enter(Waiting(group))
    assert turns.share(0) == 0.25
    turns.enter(Waiting(7))
    assert turns.share(7) == 0.125


class TestTurnExecutor:
    def test_calls_give_their_results_and_errors(self):
        with TurnExecutor(2) as executor:
            assert list(executor.map(fitted, range(5))) == [fitted(seed) for seed in range(5)]
            broken = executor.submit(fit, Broken(), steps=10, seed=0)
            assert isinstance(broken.exception(PATIENCE), ZeroDivisionError)
        with pytest.raises(RuntimeError):
            executor.submit(fitted, 1)

    def test_its_calls_take_turns_with_other_jobs(self, monkeypatch):
        monkeypatch.setattr(job, "TURNS", Turns(1))
        other = Job(run(Walk(), sweeps=10**9, seed=1)).start()
        until(lambda: other.last is not None)
        executor = TurnExecutor(2)
        futures = [
            executor.submit(fit, Walk(), steps=10**9, seed=seed, watch=lambda _: None) for seed in (1, 2)
        ]
        until(lambda: len(executor.runs) == 2 and all(run.sweep for run in executor.runs))
        seen, sweep = other.last.sweep, executor.runs[0].sweep
        until(lambda: other.last.sweep > seen and executor.runs[0].sweep > sweep)
        executor.stop()
        assert all(isinstance(future.exception(PATIENCE), Interrupted) for future in futures)
        other.cancel()
        assert other.join(PATIENCE)

    def test_it_is_paused_between_two_ticks_and_goes_on(self):
        executor = TurnExecutor(1)
        first = executor.submit(fit, Walk(), steps=10**9, seed=1, watch=lambda _: None)
        until(lambda: executor.runs and executor.runs[0].sweep)
        executor.pause()
        until(lambda: next(iter(executor._futures)).state == "paused")
        sweep = executor.runs[0].sweep
        time.sleep(0.05)
        assert executor.runs[0].sweep == sweep
        executor.resume()
        until(lambda: executor.runs[0].sweep > sweep)
        second = executor.submit(fitted, 1)
        executor.stop()
        assert second.cancelled()
        assert isinstance(first.exception(PATIENCE), Interrupted)

    def test_its_calls_wait_while_their_page_is_drawn(self, monkeypatch):
        monkeypatch.setattr(sys.modules["otlab.inference.run"], "COURTESY_SECONDS", PATIENCE)
        page = idle_page()
        executor = TurnExecutor(1, page)
        with page_first(page):
            future = executor.submit(fitted, 3)
            time.sleep(0.05)
            assert not future.done()
        assert future.result(PATIENCE) == fitted(3)


def fitted(seed):
    return fit(Walk(), steps=50, seed=seed).views


def test_a_run_that_is_replayed_has_many_ticks_and_the_same_numbers():
    history = TickHistory()
    made = Job(run(Walk(), sweeps=400, seed=4), history=history).start()
    assert made.join(PATIENCE)
    assert len(history) >= 40
    assert history.at(1.0) is made.last
    assert repr(made.last.views) == repr(run(Walk(), sweeps=400, seed=4).finish().views)


def test_a_job_that_is_not_queued_waits_for_nobody():
    turns, one = Turns(0), Waiting("a")
    turns.enter(Waiting("b"))
    assert turns.ahead_of(one) == 0
    turns.enter(one)
    assert turns.ahead_of(one) == 1


def test_a_saved_run_that_never_began_waits_without_a_tick():
    made = Job.restored(run(Walk(), sweeps=5, seed=1))
    assert (made.state, made.last) == ("paused", None)
    made.resume()
    assert made.join(PATIENCE)
    assert made.last.sweep == 5


def test_a_run_that_is_being_made_is_not_there_yet_and_can_be_stopped():
    begun, go_on = threading.Event(), threading.Event()

    def make():
        begun.set()
        go_on.wait(PATIENCE)
        return run(Walk(), sweeps=10**9, seed=1)

    made = Job(Preparation(make)).start()
    assert begun.wait(PATIENCE)
    with pytest.raises(RuntimeError, match="not made yet"):
        _ = made.run
    made._cancelled = True  # between the last check of the preparation and its end
    go_on.set()
    assert made.join(PATIENCE)
    assert made.state == "stopped"
    assert made.run.sweep <= 1  # within the step that looks whether it is to stop
