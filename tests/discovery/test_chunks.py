"""A run stops within moments: no kernel call gets more than one chunk of the work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.discovery.channel import noisy_estep
from otlab.discovery.learners import mcmc
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.parsing import estep
from otlab.discovery.parsing.chunks import chunks
from otlab.discovery.presets import preset
from otlab.errors import Interrupted
from otlab.inference import run


@given(st.lists(st.integers(0, 50)), st.integers(1, 60))
def test_chunks_cover_everything_once_and_none_is_too_long(work, most):
    cut = chunks(np.array(work, dtype=np.int64), most)
    assert [k for part in cut for k in range(part.start, part.stop)] == list(range(len(work)))
    for part in cut:
        assert sum(work[part]) <= most or part.stop - part.start == 1
    for part in cut[:-1]:
        assert sum(work[part.start : part.stop + 1]) > most


def learnt(learner, sweeps=2):
    run_ = run(learner, sweeps=sweeps, seed=4)
    for _ in run_:
        pass
    return run_.tick().view


@pytest.mark.parametrize("grammar", ["word", "collocation"])
def test_the_sampler_does_not_depend_on_chunks(toy, grammar, monkeypatch):
    whole = learnt(MCMC(toy, preset(grammar)))
    monkeypatch.setattr(mcmc, "CHART", 20_000)
    monkeypatch.setattr(mcmc, "SPANS", 2_000)
    cut = learnt(MCMC(toy, preset(grammar)))
    assert (cut.objective == whole.objective).all()
    assert (cut.ends == whole.ends).all()


@pytest.mark.parametrize("make", [BatchVB, NoisyVB])
def test_expectations_do_not_depend_on_chunks(toy, make, monkeypatch):
    whole = learnt(make(toy, preset("word")))
    for module, name in ((estep, "CHART"), (estep, "SPANS"), (noisy_estep, "PHONES")):
        monkeypatch.setattr(module, name, 100)
    cut = learnt(make(toy, preset("word")))
    assert cut.objective == pytest.approx(whole.objective, rel=1e-12)


@pytest.mark.parametrize(
    ("module", "make"), [(mcmc, MCMC), (estep, BatchVB)], ids=["sampler", "expected counts"]
)
def test_a_stop_is_noticed_between_two_chunks(toy, module, make, monkeypatch):
    """After the third chunk of a sweep of many chunks, no more work is done."""
    monkeypatch.setattr(module, "CHART", 5_000)
    run_ = run(make(toy, preset("collocation")), sweeps=100, seed=4)
    run_.advance(1)
    asked = []
    original = module.check_interrupt

    def counted():
        asked.append(1)
        if len(asked) == 3:
            run_.interrupt()
        original()

    monkeypatch.setattr(module, "check_interrupt", counted)
    with pytest.raises(Interrupted):
        run_.advance(1)
    assert len(asked) < 3 + 2 * estep.SHARDS
