"""The E-step's numbers are the same for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.parsing import estep
from otlab.discovery.presets import preset
from otlab.inference.random import chain_generators


@pytest.mark.parametrize("shape", [(4,), (1, 50), (2, 70_001)])
def test_shards_are_added_in_their_order(shape):
    """Bit for bit what adding one after another gives, however many threads do it."""
    sums = np.random.default_rng(1).lognormal(sigma=8.0, size=(estep.SHARDS, *shape))
    one_by_one = sum(sums[1:], start=sums[0])
    for threads in (1, 3):
        assert (estep.added(sums, threads) == one_by_one).all()


@pytest.mark.parametrize("grammar", ["word", "collocation"])
def test_expectations_do_not_depend_on_threads(toy, grammar, monkeypatch):
    """Also if every sum is cut into blocks."""
    monkeypatch.setattr(estep, "WORTH_A_TASK", 100)
    learner = BatchVB(toy, preset(grammar))
    (rng,) = chain_generators(1, 1)
    posterior = learner.step(rng, learner.init(rng), 2).posterior
    weights = posterior.weights(learner.parser)
    one, *others = (
        estep.expect(learner.parser, weights, posterior.active, 10.0, threads) for threads in (1, 2, 5)
    )
    for other in others:
        for name in ("rule", "used", "built", "new", "ends", "log_z"):
            assert (getattr(one, name) == getattr(other, name)).all()


@pytest.mark.parametrize("grammar", ["word", "collocation"])
def test_builds_can_be_counted_together(toy, grammar):
    learner = BatchVB(toy, preset(grammar))
    (rng,) = chain_generators(1, 1)
    posterior = learner.step(rng, learner.init(rng), 2).posterior
    weights = posterior.weights(learner.parser)
    apart, together = (
        estep.expect(learner.parser, weights, posterior.active, 10.0, by_string=x) for x in (True, False)
    )
    assert together.new == pytest.approx(apart.new, rel=1e-12)
    assert together.built.shape == (len(learner.parser.adapted), 0)
    for name in ("rule", "used", "ends", "log_z"):
        assert (getattr(together, name) == getattr(apart, name)).all()


def test_shards_have_about_equal_work():
    work = np.random.default_rng(2).integers(1, 400, size=5_000)
    blocks = estep.shards(work)
    assert len(blocks) == estep.SHARDS
    assert (np.concatenate(blocks) == np.arange(work.size)).all()
    shares = np.array([work[block].sum() for block in blocks])
    assert np.ptp(shares) <= 2 * work.max()
    assert all(block.size == 0 for block in estep.shards(np.zeros(0)))


def test_one_expectation_is_not_changed_by_the_next(toy):
    learner = BatchVB(toy, preset("word"))
    (rng,) = chain_generators(1, 1)
    first = learner.init(rng).expected
    kept = first.used.copy(), first.built.copy(), first.rule.copy()
    learner.step(rng, learner.init(rng), 2)
    assert all((a == b).all() for a, b in zip(kept, (first.used, first.built, first.rule), strict=True))
