"""Factorial typologies and T-orders against all rankings, one by one."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab import ot, samples
from otlab.errors import InputError
from otlab.ot.analysis.typology import typology
from otlab.ot.orders import evaluate
from tests.ot.strategies import tableaux


def first_winners(tableau, order):
    """Return the winning row of each input under an order; the first where rows are identical."""
    blocks = [tableau.rows(k) for k in range(len(tableau.inputs))]
    return tuple(rows.start + evaluate(tableau.violations[rows], order).winners[0] for rows in blocks)


def all_languages(tableau, keeps=lambda order: True):
    return {
        first_winners(tableau, order) for order in permutations(range(tableau.n_constraints)) if keeps(order)
    }


def random_tableau(seed, constraints, inputs, candidates):
    violations = np.random.default_rng(seed).integers(0, 3, (inputs * candidates, constraints))
    rows = [(f"x{n // candidates}", f"y{n}", 0, v) for n, v in enumerate(violations)]
    return ot.Tableau.from_rows(rows, [f"C{c}" for c in range(constraints)])


def check(tableau, languages, **options):
    found = typology(tableau, **options)
    assert found.complete
    assert not found.stopped
    assert len(found) == len({tuple(row) for row in found.winners.tolist()})
    assert {tuple(row) for row in found.winners.tolist()} == languages
    for winners, order in zip(found.winners.tolist(), found.rankings.tolist(), strict=True):
        assert sorted(order) == list(range(tableau.n_constraints))
        assert first_winners(tableau, order) == tuple(winners)
    return found


def check_t_orders(tableau, found, languages):
    expected = {
        (a, b)
        for j in range(len(tableau.inputs))
        for k in range(len(tableau.inputs))
        for a in {language[j] for language in languages}
        for b in {language[k] for language in languages}
        if j != k and all(language[k] == b for language in languages if language[j] == a)
    }
    assert set(found.t_orders) == expected
    assert len(found.t_orders) == len(expected)


@pytest.mark.slow
@given(tableaux(max_inputs=4, max_candidates=4, max_constraints=5))
@settings(max_examples=100, deadline=None)
def test_languages_and_t_orders_are_those_of_all_rankings(tableau):
    languages = all_languages(tableau)
    check_t_orders(tableau, check(tableau, languages), languages)


@given(tableaux(max_inputs=3, max_constraints=4), st.data())
@settings(max_examples=60, deadline=None)
def test_rankings_given_beforehand_are_kept(tableau, data):
    k = tableau.n_constraints
    order = data.draw(st.permutations(range(k)))
    pairs = [(a, b) for a, b in pairwise(order) if data.draw(st.booleans())]
    languages = all_languages(tableau, lambda o: all(o.index(a) < o.index(b) for a, b in pairs))
    check_t_orders(tableau, check(tableau, languages, apriori=pairs), languages)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_seven_constraints(seed):
    tableau = random_tableau(seed, 7, inputs=5, candidates=4)
    languages = all_languages(tableau)
    check_t_orders(tableau, check(tableau, languages), languages)


# Counted by going through all rankings: 6 constraints or fewer, so 720 of them at most; and the
# nine syllable types of Prince & Smolensky (1993, chapter 6).
SIZES = {
    "lin2005_table1": 2,
    "lin2005_table2": 6,
    "ilokano_reduplication": 3,
    "spanish_diminutive": 6,
    "finnish_genitive_plural_motifs": 6,
    "td_deletion_chicano": 5,
    "td_deletion_impossible": 5,
    "tagalog_nasal_substitution": 3,
    "japanese_loanword_devoicing": 4,
    "nasal_place_assimilation": 4,
    "cv_syllable_typology": 9,
    "dutch_final_devoicing": 3,
    "final_devoicing_forms": 4,
    "inconsistent_demo": 2,
    "harmonic_bounding_demo": 2,
    "overt_stress": 129,
    "speakers_and_words": 3,
}


def test_sizes_of_the_samples():
    assert {sample.name: len(typology(ot.read(sample.name))) for sample in samples.samples("ot")} == SIZES


def test_no_more_languages_than_asked_for():
    tableau = random_tableau(1, 6, inputs=4, candidates=4)
    every = typology(tableau)
    some = typology(tableau, max_languages=len(every) - 1)
    assert len(some) == len(every) - 1
    assert not some.complete
    assert not some.stopped
    assert some.t_orders == every.t_orders
    assert typology(tableau, max_languages=len(every)).complete
    with pytest.raises(InputError, match="choose 1 or more"):
        typology(tableau, max_languages=0)


def test_the_search_can_be_watched_and_stopped():
    tableau = random_tableau(2, 10, inputs=30, candidates=6)
    shares = []
    whole = typology(tableau, watch=shares.append)
    assert whole.complete
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    part = typology(tableau, watch=lambda share: True)
    assert part.stopped
    assert not part.complete
    assert 0 < len(part) < len(whole)

    def interrupt(share):
        raise KeyboardInterrupt

    assert typology(tableau, watch=interrupt).stopped


def test_too_many_constraints_for_bits():
    rows = [("x", "a", 1, [1] * 63), ("x", "b", 0, [0] * 63)]
    with pytest.raises(InputError, match="63 constraints: a typology can have 62"):
        typology(ot.Tableau.from_rows(rows, [f"C{c}" for c in range(63)]))
    rows = [("x", "a", 1, [*[0] * 61, 1]), ("x", "b", 0, [1, *[0] * 61])]
    found = typology(ot.Tableau.from_rows(rows, [f"C{c}" for c in range(62)]))
    assert len(found) == 2
    assert found.rankings[1].tolist() == [*range(1, 62), 0] or sorted(found.rankings[1].tolist()) == [
        *range(62)
    ]


def test_languages_by_name():
    found = typology(ot.read("nasal_place_assimilation"))
    assert found.language(0) == {"at+ma": "atma", "an+pa": "anpa"}
    assert found.ranking(0) == ("*REPLACE(n,m)", "*REPLACE(t,p)", "*GESTURE")
    assert repr(found) == "<Typology of nasal_place_assimilation: 4 languages>"
    assert found.to_dict()["typology"]["rankings_total"] == 6


@pytest.mark.parametrize("seed", range(6))
def test_the_number_of_rankings_of_each_language(seed):
    tableau = random_tableau(seed, 5, 3, 4)
    found = typology(tableau)
    orders = [first_winners(tableau, order) for order in permutations(range(5))]
    assert found.counts.tolist() == [orders.count(tuple(winners)) for winners in found.winners.tolist()]


def test_rankings_that_keep_to_others_are_counted():
    tableau = ot.read("cv_syllable_typology")
    found = typology(tableau, apriori=[("Onset", "Parse"), ("Parse", "Fill-Nuc")])
    assert found.counts.sum() == 120 / 6
    assert typology(tableau).counts.sum() == 120
    many = random_tableau(0, 21, 1, 2)
    assert typology(many).counts is None
