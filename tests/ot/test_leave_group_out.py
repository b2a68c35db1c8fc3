"""Leave-one-group-out of grammars with speakers, against quadrature."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from otlab.errors import InputError
from otlab.ot import read_text
from otlab.ot.analysis.leave_group_out import (
    _log_likelihoods,
    _tokens_of,
    compare_levels,
    leave_one_group_out,
    levels_compared,
    levels_words,
)
from otlab.ot.kernels.mixed import likelihoods
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
from otlab.ot.learners.mixed_tokens import LEVELS

KEPT = (9, 8, 2, 5, 7, 3, 6, 10, 1, 6)
NAMES = [f"S{k}" for k in range(len(KEPT))]


def table(kept, names=NAMES):
    """Return tokens of two candidates; *Zero alone tells them apart."""
    rows = "".join(f"{who},t,t,{n},0\n{who},t,0,{10 - n},1\n" for who, n in zip(names, kept, strict=True))
    return read_text("Speaker,Input,Output,n,*Zero\n" + rows)


def densities(m, tau, n):
    """Return log p of n of 10 tokens for arrays of m and tau, the effect integrated by 80 nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    w = m[..., None] + tau[..., None] * nodes
    log_likelihood = n * np.log(expit(w)) + (10 - n) * np.log(expit(-w))
    return logsumexp(log_likelihood, axis=-1, b=weights / weights.sum())


def exact(kept):
    """Return the log predictive density of each speaker, by a grid over m and tau."""
    m, tau = np.meshgrid(np.linspace(-6, 8, 281), np.linspace(0.005, 5, 251), indexing="ij")
    prior = -0.5 * (m / 10) ** 2 - 0.5 * tau**2  # of m sd 10, of tau half-normal with scale 1
    each = np.array([densities(m, tau, n) for n in kept])
    rest = prior + each.sum(axis=0) - each
    return logsumexp(rest + each, axis=(1, 2)) - logsumexp(rest, axis=(1, 2))


def fitted(levels, seed):
    return fit_maxent_mixed(table(KEPT), sweeps=1500, chains=2, seed=seed, weights="free", levels=levels)


def agrees(truth, levels):
    """The mean of twelve estimates is the truth, but for chance and for what Pareto smoothing leaves out."""
    each = np.array([leave_one_group_out(fitted(levels, seed)).elpd for seed in range(12)])
    error = each.std(axis=0, ddof=1) / np.sqrt(len(each))
    np.testing.assert_array_less(np.abs(each.mean(axis=0) - truth), 4.5 * error + 0.03)


@pytest.mark.slow
def test_the_densities_of_speakers_are_those_of_quadrature():
    found = leave_one_group_out(fitted("both", 1))
    assert found.names == tuple(NAMES)
    assert found.tokens.tolist() == [10] * len(KEPT)
    assert found.unreliable == 0
    agrees(exact(KEPT), "both")
    grid = np.linspace(-6, 8, 2001)
    each = np.array([densities(grid, 0 * grid, n) for n in KEPT])
    rest = each.sum(axis=0) - each - 0.5 * (grid / 10) ** 2
    alike = logsumexp(rest + each, axis=1) - logsumexp(rest, axis=1)
    agrees(alike, "none")
    without = leave_one_group_out(fitted("none", 1))
    assert found.total > without.total + 2


@pytest.mark.parametrize(("which", "level"), [(0, "speaker"), (1, "item")])
def test_the_tokens_of_all_groups_are_all_tokens(which, level):
    rows = "".join(
        f"{who},{word},t,t,{n},1,0\n{who},{word},t,0,{9 - n},0,1\n"
        for who, word, n in (("A", "x", 3), ("A", "y", 8), ("B", "y", 2), ("C", "x", 9), ("C", "z", 4))
    )
    fit = fit_maxent_mixed(
        read_text(f"Speaker,Item,Input,Output,n,*T,Max\n{rows}"), sweeps=100, chains=1, seed=1
    )
    draws, tokens = fit.draws, fit.learner.tokens
    whole = np.empty(len(draws["m"]))
    likelihoods(tokens, draws["m"], draws["speaker"], draws["item"], whole)
    total = np.zeros_like(whole)
    for group in range(3):
        part, others = _tokens_of(tokens, np.flatnonzero(tokens.member[which] == group), which)
        v = draws[LEVELS[1 - which]][:, others]
        total += _log_likelihoods(part, draws["m"] + draws[level][:, group], v)
    np.testing.assert_allclose(total, whole, rtol=1e-12)


def test_levels_are_compared_in_words():
    compared = compare_levels(table(KEPT), seed=1, sweeps=300, chains=2)
    assert [one.levels for one in compared] == ["speakers", "none"]
    words = levels_words(compared)
    first, other = words.split("; elpd is ")
    assert first == "Each speaker is predicted best from the others by grammars with speakers"
    assert re.match(r"\d+\.\d lower \(se \d+\.\d\) with neither speakers nor items\.", other)
    unsure = levels_words([replace(one, pareto_k=np.full_like(one.pareto_k, 0.9)) for one in compared])
    n = f"{len(KEPT)} speakers"
    assert unsure.endswith(
        f"Not reliable (Pareto k above 0.7): with speakers {n}, with neither speakers nor items {n}."
    )
    saved = compared[0].to_dict()
    assert saved["elpd"] == pytest.approx(sum(group["elpd"] for group in saved["groups"]))
    assert compared[0].standard_error > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("item",), "no two items"),
        (("speakers",), "no level"),
        (("speaker", "maxent"), "has no speakers"),
    ],
)
def test_what_cannot_be_left_out_is_refused(arguments, words):
    level, *learner = arguments
    with pytest.raises(InputError, match=words):
        compare_levels(table(KEPT), level, **({"learner": learner[0]} if learner else {}))


def test_a_prior_and_the_learner_s_own_settings_are_used():
    rows = "".join(
        f"{who},t,t,{n},1,0\n{who},t,0,{10 - n},0,1\n" for who, n in zip("ABC", (9, 8, 10), strict=True)
    )
    tableau = read_text(f"Speaker,Input,Output,n,*T,Max\n{rows}")
    usual, narrow = (
        levels_compared(tableau, "speaker", seed=1, sweeps=100, learner="sot-mixed", noise=2.0, prior_sd=sd)
        for sd in (None, 0.01)
    )
    assert usual.learner == narrow.learner == "sot-mixed"
    none = [one.models[1].total for one in (usual, narrow)]  # without levels: one grammar for all
    assert none[0] > none[1]  # which stays at half and half


def test_one_speaker_cannot_be_left_out():
    fit = fit_maxent_mixed(table(KEPT[:1], NAMES[:1]), sweeps=60, chains=1, seed=1)
    with pytest.raises(InputError, match="no two speakers"):
        leave_one_group_out(fit)
