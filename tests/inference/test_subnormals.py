"""Every thread that computes counts numbers too small for full precision as 0, and no other does."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from otlab.discovery.estep import in_order
from otlab.inference import run
from otlab.inference.job import Job
from otlab.inference.subnormals import FLUSH_BITS, float_mode, no_subnormals, without_subnormals
from otlab.tagging.threads import each
from tests.inference.toys import Walk

NUMBERS = np.array([1e-30, 1e-30], np.float32)
FLUSHED = FLUSH_BITS != 0


def flushes(_: object = None) -> bool:
    """Whether the calling thread is in the mode, by what it computes and by its register."""
    product = NUMBERS * np.float32(1e-10)
    assert (product == 0).all() == bool(float_mode() & FLUSH_BITS)
    return bool((product == 0).all())


def test_products_below_the_smallest_normal_number_are_0_and_the_mode_ends():
    before = float_mode() & FLUSH_BITS
    with no_subnormals():
        with no_subnormals():
            assert flushes() == FLUSHED
        assert flushes() == FLUSHED
        assert not (NUMBERS[0] * np.float32(1e-10) > 0) or not FLUSHED
    assert not flushes()
    assert float_mode() & FLUSH_BITS == before


def test_an_error_ends_the_mode():
    with pytest.raises(ZeroDivisionError), no_subnormals():
        raise ZeroDivisionError
    assert not flushes()


def test_who_had_the_mode_on_before_keeps_it():
    with no_subnormals():
        without_subnormals(flushes)
        assert flushes() == FLUSHED


@dataclass(frozen=True)
class Watching(Walk):
    """A learner that notes the mode at its start and at each step."""

    def init(self, rng: np.random.Generator):
        object.__setattr__(self, "seen", [*getattr(self, "seen", []), flushes()])
        return super().init(rng)

    def step(self, rng: np.random.Generator, state, n: int):
        self.seen.append(flushes())
        return super().step(rng, state, n)

    def view(self, state):
        assert not flushes()
        return super().view(state)


@pytest.mark.parametrize("chains", [1, 3])
def test_every_chain_of_a_run_is_in_the_mode_and_who_called_is_not(chains):
    learner = Watching()
    going = run(learner, sweeps=4, seed=1, every=2, chains=chains, threads=2)
    for _ in going:
        assert not flushes()
    assert learner.seen == [FLUSHED] * (3 * chains)


def test_the_mode_is_off_after_a_step_that_fails():
    class Failing(Watching):
        def step(self, rng, state, n):
            assert flushes() == FLUSHED
            raise ZeroDivisionError

    going = run(Failing(), sweeps=4, seed=1)
    with pytest.raises(ZeroDivisionError):
        going.advance(1)
    assert not flushes()


def test_a_job_s_thread_is_in_the_mode():
    learner = Watching()
    job = Job(run(learner, sweeps=4, seed=1)).start()
    assert job.join(30)
    assert set(learner.seen) == {FLUSHED}


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_that_share_a_tagger_s_work_are_in_the_mode_for_as_long_as_they_work(threads):
    assert each(flushes, range(4), threads) == [FLUSHED] * 4
    assert not flushes()


def test_threads_that_share_a_lexicon_learner_s_work_are_in_the_mode():
    with ThreadPoolExecutor(2) as pool:
        assert in_order(pool, [flushes] * 4) == [FLUSHED] * 4
        assert not any(pool.map(flushes, range(4)))


def test_a_thread_started_in_the_mode_may_leave_it_alone():
    seen = []
    with no_subnormals():
        thread = threading.Thread(target=lambda: seen.append(without_subnormals(flushes)))
        thread.start()
        thread.join()
    assert seen == [FLUSHED]
