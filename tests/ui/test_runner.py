"""Several learners of one page, without a page."""

from __future__ import annotations

import math
from threading import Event, Semaphore, current_thread

import pytest

from otlab.errors import InputError
from otlab.inference import Tick, check_interrupt, run
from otlab.inference.run import report_preparation
from otlab.ui.past_runs import PastRuns
from otlab.ui.run_messages import fault_words, progress_words
from otlab.ui.runner import LearnerRow, Pace, Runner
from otlab.ui.work_runner import WorkRunner
from tests.ui.toy import Walk
from tests.ui.waiting import until


def row(name, sweeps=40, **walk):
    return LearnerRow(
        name, name.upper(), "gibbs", plan=lambda: lambda: run(Walk(**walk), sweeps=sweeps, seed=1, every=4)
    )


@pytest.fixture
def runner():
    made = Runner([row("short", 8), row("long", 4000, pause=0.001)])
    yield made
    made.stop()


def drained(runner):
    seen = {}
    until(lambda: seen.update(runner.drain()) or not runner.alive)
    seen.update(runner.drain())
    return seen


def test_a_run_goes_from_idle_to_done_and_gives_the_last_tick():
    runner = Runner([row("a"), row("b", 80)])
    assert runner.phase == "idle"
    runner.start()
    seen = drained(runner)
    assert runner.phase == "done"
    assert {name: tick.sweep for name, tick in seen.items()} == {"a": 40, "b": 80}


def test_work_of_several_tasks_is_idle_before_it_starts_and_shown_as_one_run():
    def work(workers, report):
        for done in (1, 2, 3):
            report(done, f"{done} of 3")

    runner = WorkRunner(3, 10, work)
    runner.stop()
    assert (runner.phase, runner.alive, runner.drain()) == ("idle", False, {})
    runner = WorkRunner(3, 10, work)
    runner.start()
    until(lambda: not runner.alive)
    (tick,) = runner.drain().values()
    assert (tick.sweep, tick.total, tick.views) == (30, 30, ("3 of 3",))
    assert runner.phase == "done"


def test_work_that_fails_says_why():
    def work(workers, report):
        report(1, "one")
        raise InputError("the second task has no data")

    runner = WorkRunner(3, 10, work)
    runner.start()
    until(lambda: not runner.alive)
    (tick,) = runner.drain().values()
    assert (tick.sweep, tick.views) == (10, ("one",)), "what was done stays"
    assert runner.phase == "failed"
    assert "the second task has no data" in str(fault_words(runner))


@pytest.mark.parametrize("fail_at", [0, 8])
def test_a_run_is_found_again_unless_it_failed(fail_at):
    runner, past = Runner([row("a", fail_at=fail_at)]), PastRuns()
    past.wanted = lambda: [("a", "1"), ("b", "1")]
    runner.start()
    until(lambda: not runner.alive)
    past.keep({("a", "1"): runner.jobs["a"]}, {})
    found = past.find(("a", "1"))
    assert (found is None) == bool(fail_at)
    assert past.find(("b", "1")) is None
    past.wanted = tuple
    past.keep({}, {})
    assert past.find(("a", "1")) is None, "nothing leads back to it"


def test_only_ticked_learners_run():
    runner = Runner([row("a"), row("b")])
    runner.enabled = {"b"}
    runner.start()
    assert set(drained(runner)) == {"b"}
    assert runner.row_text("a") == "off"


def test_pause_holds_and_resume_goes_on(runner):
    runner.start()
    until(lambda: runner.jobs["long"].last)
    runner.pause()
    until(lambda: runner.jobs["long"].state == "paused")
    here = runner.jobs["long"].last.sweep
    assert runner.phase == "paused"
    runner.resume()
    until(lambda: runner.jobs["long"].last.sweep > here)
    assert runner.phase == "running"


def test_step_from_nothing_does_one_sweep_of_each(runner):
    runner.step()
    until(lambda: all(job.last for job in runner.jobs.values()))
    assert {job.last.sweep for job in runner.jobs.values()} == {1}
    runner.step()
    until(lambda: all(job.last.sweep == 2 for job in runner.jobs.values()))
    assert runner.phase == "paused"


def test_stop_counts_at_once(runner):
    runner.start()
    until(lambda: runner.jobs["long"].last)
    runner.stop()
    assert runner.phase == "stopped"
    assert not runner.alive
    assert runner.jobs["long"].join(5.0)


def test_a_row_that_was_stopped_while_it_was_prepared_says_so():
    free = Event()

    def plan():
        return lambda: free.wait(5.0) and None

    runner = Runner([LearnerRow("slow", "Slow", "gla", plan)])
    runner.start()
    assert runner.row_text("slow") in ("waiting", "preparing")
    runner.stop()
    free.set()
    until(lambda: runner.row_text("slow") == "stopped")


def test_a_failing_learner_stops_the_others_and_is_told():
    runner = Runner([row("good", 10**6, pause=0.001), row("bad", 40, fail_at=6)])
    runner.start()
    until(lambda: runner.drain() is not None and runner.failures)
    assert runner.phase == "failed"
    assert isinstance(runner.failures["bad"], ZeroDivisionError)
    assert runner.row_text("bad") == "failed"
    assert runner.jobs["good"].join(5.0)


def refuse():
    raise InputError("no data", heading="No ranking can fit these data")


@pytest.mark.parametrize("plan", [refuse, lambda: refuse], ids=["at once", "while its run is made"])
def test_a_learner_that_refuses_the_data_lets_the_others_run(plan):
    runner = Runner([row("good"), LearnerRow("bad", "Bad", "gla", plan)])
    runner.start()
    seen = drained(runner)
    assert set(seen) == set(runner.jobs) == {"good"}
    assert runner.phase == "done"
    assert runner.row_text("bad") == "cannot learn"
    assert fault_words(runner)["title"] == "No ranking can fit these data"
    runner.enabled = {"bad"}
    runner.start()
    assert drained(runner) == {}
    assert runner.phase == "failed"
    assert runner.jobs == {}


def test_a_learner_that_refuses_the_data_while_others_are_looked_at_is_refused_too():
    """Its failure is there after its turn; the others, which refuse later, were shown as preparing."""

    class Late:
        made, last, alive, state, asked = False, None, False, "running", 0

        @property
        def failure(self):
            self.asked += 1
            return InputError("shares are no counts") if self.asked > 1 else None

    runner = Runner([row("gibbs"), row("gla")])
    runner.jobs = {"gibbs": Late(), "gla": Late()}
    runner.jobs["gibbs"].asked = 1
    runner.drain()
    assert runner.refused.keys() == {"gibbs"}
    assert not runner.failures
    runner.drain()
    assert [runner.row_text(name) for name in ("gibbs", "gla")] == ["cannot learn"] * 2
    assert runner.failures.keys() == {"gibbs", "gla"}


def test_a_learner_that_cannot_run_beside_others_is_named():
    def refuse():
        raise InputError("too large")

    runner = Runner([row("good"), LearnerRow("bad", "Bad", "gla", refuse)])
    runner.start()
    drained(runner)
    assert fault_words(runner)["title"] == "Bad cannot run"
    runner.enabled = {"bad"}
    runner.start()
    drained(runner)
    assert fault_words(runner)["title"] == "This run cannot start"


def test_a_run_that_cannot_be_planned_starts_nothing():
    def fail():
        raise ValueError("no data")

    runner = Runner([row("good"), LearnerRow("bad", "Bad", "gla", fail)])
    runner.start()
    assert runner.phase == "failed"
    assert runner.jobs == {}


def test_a_run_that_cannot_be_made_stops_the_others():
    runner = Runner([row("good", 10**6, pause=0.001), LearnerRow("bad", "Bad", "gla", lambda: lambda: 1 / 0)])
    runner.start()
    until(lambda: runner.drain() is not None and runner.failures)
    assert runner.phase == "failed"
    assert isinstance(runner.failures["bad"], ZeroDivisionError)
    assert runner.jobs["good"].join(5.0)


class SlowToMake:
    """A row whose run is made in as many parts as it is let, on the run's own thread."""

    def __init__(self):
        self.parts = Semaphore(0)
        self.threads, self.begun = [], []
        self.row = LearnerRow("a", "A", "gibbs", lambda: self.make, begun=self.begun.append)

    def make(self):
        self.threads.append(current_thread())
        for part in range(10):
            report_preparation("input", part, 10)
            while not self.parts.acquire(timeout=0.01):
                check_interrupt()
        return run(Walk(), sweeps=8, seed=1)


def test_a_run_is_made_beside_the_page_which_says_how_far_that_is():
    slow = SlowToMake()
    runner = Runner([slow.row])
    runner.start()
    slow.parts.release(4)
    until(lambda: runner.preparation == ("input", 4, 10))
    assert runner.phase == "preparing"
    assert slow.threads != [current_thread()]
    words = progress_words(runner.phase, runner.progress, 0, by_hand=False, preparation=runner.preparation)
    assert (words["title"], words["rest"], words["share"]) == ("Preparing", "input 4 of 10", 0.4)
    assert slow.begun == []
    slow.parts.release(6)
    assert drained(runner)["a"].sweep == 8
    assert slow.begun == [runner.jobs["a"].run]


def test_progress_is_that_of_the_runs_that_are_made():
    slow = SlowToMake()
    both = Runner([slow.row, row("long", 4000, pause=0.001)])
    both.start()
    until(lambda: both.drain() is not None and both.phase == "running")
    assert both.progress.total == 4000
    assert both.row_text("a") == "preparing"
    both.stop()


def test_stop_ends_the_making_of_a_run():
    slow = SlowToMake()
    runner = Runner([slow.row])
    runner.start()
    until(lambda: slow.threads)
    runner.stop()
    assert runner.jobs["a"].join(5.0)
    assert runner.drain() == {}
    assert runner.phase == "stopped"
    assert slow.begun == []


def planned(runner):
    """No phase: Stop is pressed before anything has begun."""


def running(runner):
    until(lambda: runner.jobs["long"].last)


def paused(runner):
    running(runner)
    runner.pause()
    until(lambda: runner.jobs["long"].state == "paused")


def one_has_ended(runner):
    until(lambda: runner.jobs["short"].state == "done")


def stopped_before(runner):
    running(runner)
    runner.stop()


@pytest.mark.parametrize("phase", [planned, running, paused, one_has_ended, stopped_before])
def test_stop_in_each_phase_keeps_the_results_and_lets_one_begin_again(runner, phase):
    runner.start()
    phase(runner)
    last = {name: job.last.sweep for name, job in runner.jobs.items() if job.last}
    runner.stop()
    assert (runner.phase, runner.alive) == ("stopped", False)
    assert all(job.join(5.0) for job in runner.jobs.values())
    assert all(runner.jobs[name].last.sweep >= sweep for name, sweep in last.items())
    runner.enabled = {"short"}
    runner.start()
    assert drained(runner)["short"].sweep == 8
    assert runner.phase == "done"


def test_extend_equals_asking_for_more_at_once():
    short, long = Runner([row("a", 10)]), Runner([row("a", 25)])
    for runner in (short, long):
        runner.start()
        drained(runner)
    short.extend({"a": 15})
    last = drained(short)["a"]
    assert last.sweep == 25
    assert (last.view == long.jobs["a"].last.view).all()


def test_extend_needs_an_end(runner):
    runner.start()
    with pytest.raises(InputError, match="press Run"):
        runner.extend({"short": 5})


def test_progress_follows_the_longest(runner):
    runner.start()
    until(lambda: runner.drain() is not None and not runner.jobs["short"].alive)
    assert runner.progress.total == 4000


def test_after_the_end_progress_is_of_the_first_learner_not_of_the_slowest():
    runner = Runner([row("short", 8), row("long", 80, pause=0.001)])
    runner.start()
    drained(runner)
    assert runner.progress.total == 8


def test_clear_forgets_everything(runner):
    runner.start()
    runner.clear()
    assert (runner.phase, runner.jobs, runner.drain()) == ("idle", {}, {})


def test_the_rate_is_that_of_the_last_seconds():
    pace = Pace()
    assert math.isnan(pace.rate)
    for k in range(100):
        pace.mark(Tick(10 * k, 10**6, (), 0.1 * k, False))
    for k in range(40):
        pace.mark(Tick(990 + 50 * k, 10**6, (), 9.9 + 0.1 * k, False))
    assert pace.rate == pytest.approx(500.0)
