"""A run on a thread: every state it can be in, and what reaches the page."""

from __future__ import annotations

import time

import pytest

from otlab.inference import Job, fit, job, run
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


def test_jobs_beyond_the_cores_wait_their_turn(monkeypatch):
    monkeypatch.setattr(job, "_turns", job._Turns(1))
    first = Job(run(Walk(), sweeps=10**9, seed=0)).start()
    second, third = (Job(run(Walk(), sweeps=5, seed=n)).start() for n in (1, 2))
    until(lambda: first.state == "running")
    assert (second.state, second.jobs_ahead, third.jobs_ahead) == ("waiting", 0, 1)
    second.cancel()
    assert second.join(PATIENCE)
    assert second.state == "stopped"
    first.cancel()
    assert third.join(PATIENCE)
    assert third.state == "done"
