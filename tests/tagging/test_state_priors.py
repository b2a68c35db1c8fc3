"""Variational Bayes with an emission prior for each state."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from otlab.errors import InputError
from otlab.inference.fit import fit
from otlab.tagging import Corpus, simulate_hmm
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.learners.fit import make_learner
from otlab.tagging.learners.state_priors import parse_state_priors

PRIOR = Prior(0.4, 0.7)


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(1500, 3, tags=5, types=120)


@pytest.fixture(scope="module")
def tiny():
    return Corpus.from_sentences([["a", "b", "a"], ["c", "b"]])


def learner(corpus, priors, states=4, **more):
    text = ",".join(map(repr, priors))
    return make_learner(
        "vb-state-priors", corpus, states=states, state_priors=text, **{"prior": PRIOR, **more}
    )


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_equal_priors_are_those_of_vb(corpus, precision):
    plain = fit(make_learner("vb", corpus, states=4, prior=PRIOR, precision=precision), steps=8, seed=2)
    for priors in ((), (0.4,), (0.4,) * 4):
        found = fit(learner(corpus, priors, precision=precision), steps=8, seed=2)
        np.testing.assert_allclose(found.view.objective, plain.view.objective, rtol=1e-12)
        np.testing.assert_array_equal(found.view.labels, plain.view.labels)


def test_two_groups_of_almost_equal_priors_are_those_of_vb(corpus):
    plain = fit(make_learner("vb", corpus, states=4, prior=PRIOR, precision="f64"), steps=8, seed=2)
    found = fit(learner(corpus, (0.4 + 1e-13, 0.4, 0.4 - 1e-13), precision="f64"), steps=8, seed=2)
    np.testing.assert_allclose(found.view.objective, plain.view.objective, rtol=1e-9)


def log_evidence(corpus, priors, transition):
    """Return ln P(text), all state sequences enumerated, parameters integrated out."""
    states = len(priors)
    terms = []
    for labels in product(range(states), repeat=corpus.tokens):
        moves, emitted = np.zeros((states + 1, states + 1)), np.zeros((states, corpus.types))
        for start, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
            path = [states, *labels[start:end], states]
            for a, b in pairwise(path):
                moves[a, b] += 1
        for word, state in zip(corpus.words, labels, strict=True):
            emitted[state, word] += 1
        term = sum(dirichlet_multinomial(row, transition) for row in moves)
        terms.append(
            term + sum(dirichlet_multinomial(row, a) for row, a in zip(emitted, priors, strict=True))
        )
    return float(logsumexp(terms))


def dirichlet_multinomial(counts, alpha):
    k, n = len(counts), counts.sum()
    return gammaln(k * alpha) - gammaln(k * alpha + n) + np.sum(gammaln(counts + alpha) - gammaln(alpha))


def test_the_free_energy_falls_and_bounds_the_evidence(tiny):
    priors = (0.05, 2.0)
    view = fit(learner(tiny, priors, states=2, precision="f64"), steps=60, seed=1).view
    assert (np.diff(view.objective) <= 1e-9).all()
    exact = -log_evidence(tiny, priors, PRIOR.transition)
    assert exact <= view.objective[-1] < exact + 6


def test_the_divergence_is_that_of_its_dirichlets(tiny):
    """With one state everything is known, and the free energy is the evidence itself."""
    for alpha in (0.05, 2.0):
        view = fit(learner(tiny, (alpha,), states=1, precision="f64"), steps=3, seed=1).view
        assert view.objective[-1] == pytest.approx(-log_evidence(tiny, (alpha,), PRIOR.transition), rel=1e-9)


def test_a_tag_dictionary_holds(corpus):
    allowed = np.zeros((corpus.types, 4), bool)
    allowed[np.arange(corpus.types), np.arange(corpus.types) % 4] = True
    allowed[::7] = True
    fitted = fit(learner(corpus, (1e-4, 1e-4), allowed=allowed), steps=6, seed=1)
    assert np.isfinite(fitted.view.objective).all()
    assert allowed[corpus.words, fitted.view.labels].all()


def test_states_with_small_priors_have_few_words():
    corpus = simulate_hmm(8000, 5, tags=6, types=400)
    view = fit(learner(corpus, (1e-6,) * 3, states=6, prior=Prior(1.0, 0.1)), steps=60, seed=1).view
    types = [len(set(corpus.words[view.labels == k].tolist())) for k in range(6)]
    per_token = [t / max(1, int((view.labels == k).sum())) for k, t in enumerate(types)]
    assert max(per_token[:3]) < np.mean(per_token[3:])


@pytest.mark.parametrize(("text", "states"), [("10%:3", 4), ("40%:3", 5), ("80%:0.001,20%:2", 50), ("", 3)])
def test_shares_are_of_the_states(text, states):
    expected = {"10%:3": [], "40%:3": [3.0, 3.0], "80%:0.001,20%:2": [0.001] * 40 + [2.0] * 10, "": []}
    assert parse_state_priors(text, states) == expected[text]


@pytest.mark.parametrize(
    "text", ["0", "-1", "x", "0:0.1", "2:", "a:0.1", "1.5:0.1", "inf", "-5%:1", "inf%:1"]
)
def test_what_is_no_prior_is_refused(text):
    with pytest.raises(InputError, match="N:PRIOR"):
        parse_state_priors(text, 5)


def test_more_priors_than_states_are_refused(tiny):
    with pytest.raises(InputError, match="priors of 3 states, and there are 2"):
        learner(tiny, (1.0, 1.0, 1.0), states=2)
