"""Every thread that computes counts numbers too small for full precision as 0, and no other does."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import pytest

from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import parallel, run
from otlab.inference.kernels.subnormals import FLUSH_BITS, float_mode, no_subnormals, without_subnormals
from otlab.tagging.experiments.simulate import simulate_hmm
from otlab.tagging.hmm.threads import each
from otlab.tagging.learners.em import EM
from otlab.tagging.learners.expectation import FitState

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


def test_a_tagger_steps_in_the_mode_and_its_caller_does_not(monkeypatch):
    seen = []
    monkeypatch.setattr(EM, "expect", lambda *_: seen.append(flushes()) or FitState.__new__(FitState))
    learner = EM(simulate_hmm(200, 1), states=3)
    learner.init(np.random.default_rng(1))
    assert seen == [FLUSHED]
    assert not flushes()


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_that_share_a_tagger_s_work_are_in_the_mode_for_as_long_as_they_work(threads):
    assert each(flushes, range(4), threads) == [FLUSHED] * 4
    assert not flushes()


def test_the_bound_of_a_lexicon_learner_stays_finite_where_weights_are_very_small():
    toy = generate(ToyLanguage(words=12, utterances=120))
    learner = BatchVB(toy, preset("collocation"), births=0, prune_every=1_000)
    assert np.isfinite(run(learner, sweeps=25, seed=3).finish().view.objective).all()


def test_a_thread_started_in_the_mode_may_leave_it_alone():
    seen = []
    with no_subnormals():
        thread = threading.Thread(target=lambda: seen.append(without_subnormals(flushes)))
        thread.start()
        thread.join()
    assert seen == [FLUSHED]


def test_threads_that_were_started_in_the_mode_do_not_stay_in_it(monkeypatch):
    monkeypatch.setattr(parallel, "_pool", cache(parallel._pool.__wrapped__))
    with no_subnormals():
        assert parallel.in_order([float_mode] * 3, threads=3)
    assert parallel.in_order([flushes] * 3, threads=3) == [False] * 3
