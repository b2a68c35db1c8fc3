"""Short forms of ``python -m benchmarks calibration``, and that it finds samplers that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import SAMPLERS, main
from benchmarks.calibration.ranks import DRAWS, Sampler, bins_of, calibrate, p_values
from otlab.discovery.learners import MODELS
from otlab.mg.learners import LEARNERS as OF_ITEMS
from otlab.ot.learners import LEARNERS as OF_RANKINGS
from otlab.tagging.learners import LEARNERS as OF_TAGS

pytestmark = pytest.mark.slow

BINS, LEAST_P = 4, 6.8e-6  # 4.5 standard errors
MOST_SETS = 48
SETS = {"maxent-mixed": 24, "sot-mixed": 24, "hg-mixed": 32, "ihmm-beam": 32, "ihmm-beam-sticky": 32}
CALIBRATED = {
    "OT": {
        "exact": {"exact-hmc", "exact-walk"},
        **{name: {name} for name in ("gibbs", "latent-gibbs", "unknown-noise", "mixtures", "maxent-bayes")},
        **{name: {name} for name in ("maxent-mixed", "hg-mixed", "sot-mixed")},
    },
    "tags": {
        "gibbs": {"hmm-collapsed", "hmm-learnt-priors"},
        "gibbs-explicit": {"hmm-explicit"},
        "gibbs-blocked": {"hmm-blocked"},
        "gibbs-collapsed-blocked": {"hmm-collapsed-blocked"},
        "gibbs-trigram": {"hmm-trigram"},
        "pitman-yor": {"pitman-yor"},
        "ihmm": {"ihmm", "ihmm-sticky"},
        "ihmm-beam": {"ihmm-beam", "ihmm-beam-sticky"},
    },
    "items": {"gibbs": {"mg-gibbs"}},
    "words": {"mcmc": {"adaptor-grammar"}},
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_what_is_planted_has_uniform_ranks_among_the_draws(name):
    ranks = calibrate(SAMPLERS[name], SETS.get(name, MOST_SETS), seed=3)
    found = p_values(ranks, BINS)
    assert min(found) > LEAST_P, [bins_of(column, BINS) for column in ranks.T]


def test_every_learner_that_makes_sweeps_is_calibrated():
    registries = {"OT": OF_RANKINGS, "tags": OF_TAGS, "items": OF_ITEMS, "words": MODELS}
    found = {
        system: {entry.name for entry in learners.values() if entry.unit == "sweep"}
        for system, learners in registries.items()
    }
    assert found == {system: set(names) for system, names in CALIBRATED.items()}
    assert set(SAMPLERS) == {
        name for names in CALIBRATED.values() for some in names.values() for name in some
    }


def normal(scale, shift=0.0):
    """A sampler of one value with one noisy observation, with a wrong spread or place."""

    def one_set(rng):
        value = rng.standard_normal()
        seen = value + rng.standard_normal()
        draws = shift + seen / 2 + scale * np.sqrt(0.5) * rng.standard_normal((DRAWS, 1))
        return [value], draws

    return Sampler("normal", ("value",), one_set)


def test_a_sampler_that_is_right_passes_and_one_that_is_wrong_does_not():
    assert p_values(calibrate(normal(1.0), 500, 1), BINS)[0] > LEAST_P
    for wrong in (normal(0.6), normal(1.6), normal(1.0, 0.4)):
        assert p_values(calibrate(wrong, 500, 1), BINS)[0] < LEAST_P


def test_equal_values_have_random_ranks():
    coin = Sampler("coin", ("side",), lambda rng: ([rng.integers(2)], rng.integers(0, 2, (DRAWS, 1))))
    assert p_values(calibrate(coin, 2000, 1))[0] > LEAST_P


def test_the_command_prints_a_histogram_and_a_verdict(capsys):
    assert main(["--sampler", "mg-gibbs", "--sets", "32"]) == 0
    out = capsys.readouterr().out
    assert "mg-gibbs: 32 sets" in out
    assert out.count("p = ") == 5
    assert "  uniform: least p" in out
