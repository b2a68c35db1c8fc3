"""The recommended sampler against measured costs, and the agreement of two samplers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import Tableau, agreement, fit_exact, fit_gibbs, fit_maxent, fit_mle, read, recommend
from otlab.ot.learners.priors import equal_prior

SPANISH, ILOKANO = read("spanish"), read("ilokano")


@pytest.mark.slow
def test_the_recommendation_follows_m_bound_and_data():
    # Measured: Gibbs wins on Ilokano with 3 observations, the exact sampler by far with 9,999.
    assert recommend(ILOKANO, total=3).learner == "gibbs"
    large = recommend(ILOKANO, total=9999)
    assert large.learner == "exact"
    assert not large.at_bound
    assert large.seconds["gibbs"] / large.seconds["exact"] > 30
    # Spanish is categorical in part: 500 sweeps of Gibbs for one effective draw at K = 6.
    spanish = recommend(SPANISH)
    assert (spanish.learner, spanish.at_bound) == ("exact", True)
    more = recommend(replace(SPANISH, frequencies=10 * SPANISH.frequencies))
    assert more.seconds["gibbs"] > 50 * spanish.seconds["gibbs"]
    assert more.seconds["exact"] == spanish.seconds["exact"]
    wider = recommend(SPANISH, bound=24.0)
    assert wider.seconds["gibbs"] > 2 * spanish.seconds["gibbs"]
    ranked = recommend(SPANISH, apriori=(("D", "A"), ("B", "A"), ("D", "M"), ("B", "M")))
    assert not ranked.at_bound  # what the data push apart is held together
    assert recommend(SPANISH, prior=equal_prior(SPANISH, 2.0)).seconds["gibbs"] < spanish.seconds["gibbs"]


def test_it_is_said_in_words():
    words = recommend(ILOKANO, total=9999).words
    assert words.startswith("Use the exact sampler: 1,000 effective draws take")
    assert "Gibbs draws for each of 9,999 observations in every sweep" in words
    assert "push constraints against the bound" in recommend(SPANISH).words
    assert recommend(ILOKANO, total=3).words.startswith("Use Gibbs: ")


def test_what_cannot_be_sampled_is_refused():
    with pytest.raises(InputError, match="'bounded' of 'x'"):
        recommend(read("harmonic_bounding_demo"))


SILENT = [
    [("x", "a", 5, [0, 1])],
    [("x", "a", 5, [0, 1]), ("x", "b", 2, [0, 1])],
    [("x", "a", 0, [0, 1]), ("x", "b", 0, [1, 0])],
]


@pytest.mark.parametrize("rows", SILENT, ids=["one candidate", "identical candidates", "no counts"])
def test_data_that_say_nothing_push_nothing_against_the_bound(rows):
    tableau = Tableau.from_rows(rows, ["A", "B"])
    advice = recommend(tableau)
    assert not advice.at_bound
    assert "The data say nothing about the ranking" in advice.words
    assert any("other ranking values fit as well" in words for words in fit_mle(tableau, seed=1).warnings)


def test_a_single_constraint_leaves_nothing_to_compare():
    single = Tableau.from_rows([("x", "a", 5, [0]), ("x", "b", 0, [1])], ["A"])
    compared = agreement(
        fit_gibbs(single, sweeps=100, chains=2, seed=1), fit_exact(single, sweeps=100, chains=2, seed=1)
    )
    assert compared.agree
    assert compared.words() == "There is nothing to compare: no ranking value or weight varies."
    with pytest.raises(InputError, match="both fits must be those of samplers"):
        agreement(fit_gibbs(single, sweeps=100, seed=1), fit_maxent(single))
    with pytest.raises(InputError, match="different constraints"):
        agreement(*(fit_gibbs(one, sweeps=100, seed=1) for one in (single, ILOKANO)))


def test_the_largest_difference_of_two_samplers_is_said():
    fits = [fit_gibbs(ILOKANO, sweeps=200, seed=seed) for seed in (1, 2)]
    compared = agreement(*fits)
    _, worst = np.unravel_index(np.argmax(np.abs(compared.apart)), compared.apart.shape)
    assert f" of {ILOKANO.constraints[worst]}, " in compared.words()
    assert f"{np.abs(compared.apart).max():.1f} standard errors" in compared.words()
    assert compared.words().startswith(
        "The samplers agree" if compared.agree else "The samplers do not agree"
    )


CASES = {
    "Ilokano, M = 99": (ILOKANO, 8_000, 3_000),
    "Lin's Table 1, two modes": (read("lin2005_table1"), 20_000, 4_000),
    "two constraints, 7 and 3": (
        Tableau.from_rows([("x", "a", 7, [0, 1]), ("x", "b", 3, [1, 0])], ["A", "B"], noise=1.0),
        8_000,
        3_000,
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_gibbs_and_the_exact_sampler_agree(case):
    tableau, gibbs, exact = CASES[case]
    compared = agreement(fit_gibbs(tableau, sweeps=gibbs, seed=6), fit_exact(tableau, sweeps=exact, seed=7))
    assert compared.agree, compared.words()
    assert compared.words().startswith("The samplers agree: the largest difference is")


@pytest.mark.slow
def test_gibbs_and_the_exact_sampler_agree_under_rankings_a_priori():
    ranked = (("I_BR", "AL"), ("*C-ONS", "AL"))
    compared = agreement(
        fit_gibbs(ILOKANO, sweeps=8_000, seed=6, apriori=ranked),
        fit_exact(ILOKANO, sweeps=4_000, seed=7, apriori=ranked),
    )
    assert compared.agree, compared.words()


@pytest.mark.slow
def test_fits_of_different_posteriors_do_not_agree():
    fits = [fit_exact(ILOKANO, sweeps=2000, seed=1, total=total) for total in (99, 30)]
    compared = agreement(*fits)
    assert not compared.agree
    assert np.abs(compared.apart[1]).max() > 10
    with pytest.raises(InputError, match="both fits must be those of samplers"):
        agreement(fits[0], fit_maxent(ILOKANO))
    with pytest.raises(InputError, match="different constraints"):
        agreement(fits[0], fit_exact(SPANISH, sweeps=100, seed=1))
