"""BLAS has one thread during a run, and its own number again afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from otlab.inference import run
from otlab.inference.blas import one_blas_thread
from tests.inference.toys import Walk


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def three_threads():
    with threadpool_limits(3, user_api="blas"):
        yield


@pytest.mark.usefixtures("three_threads")
def test_the_last_one_to_leave_restores_the_number():
    with one_blas_thread():
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_an_error_restores_the_number():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == {3}


@dataclass(frozen=True)
class Watching(Walk):
    """A learner that notes BLAS's threads at its start and at each step."""

    def init(self, rng: np.random.Generator):
        object.__setattr__(self, "seen", [blas_threads()])
        return super().init(rng)

    def step(self, rng: np.random.Generator, state, n: int):
        self.seen.append(blas_threads())
        return super().step(rng, state, n)


@pytest.mark.usefixtures("three_threads")
def test_a_run_computes_with_one_thread():
    learner = Watching()
    run(learner, sweeps=4, seed=1, every=2).advance(2)
    assert learner.seen == [{1}, {1}]
    assert blas_threads() == {3}
