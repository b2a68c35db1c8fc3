"""Rankings, culprits and bases against brute force over all orders of the constraints."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab import ot, samples
from otlab.errors import InputError
from otlab.ot.analysis.rank import rank, tied_inputs, winner_ercs, winning_rows
from otlab.ot.analysis.reduction import bases, crucial_rankings, entails, fuse
from otlab.ot.analysis.strata import demote, demote_biased, demote_low_faithfulness
from otlab.ot.conditions import ERC, consistent
from otlab.ot.io.apriori import read_apriori, write_apriori
from otlab.viz.ot.ranking import needs_html
from tests.ot import naive
from tests.ot.strategies import tableaux

ALGORITHMS = ("rcd", "bcd", "lfcd")
WITHOUT_RANKING = ("inconsistent_demo", "td_deletion_impossible", "harmonic_bounding_demo")


def satisfied(erc, order):
    """Whether the highest constraint of an ERC under an order prefers its winner."""
    return next((c in erc.winners for c in order if c in erc.winners | erc.losers), not erc.losers)


def orders_of(ercs, k):
    return [order for order in permutations(range(k)) if all(satisfied(erc, order) for erc in ercs)]


@st.composite
def erc_lists(draw, k=5, most=6):
    """Return ERCs over k constraints, each with a constraint on both sides."""
    marks = st.lists(st.sampled_from("WLee"), min_size=k, max_size=k)
    rows = draw(st.lists(marks, max_size=most))
    ercs = [ERC(*(frozenset(i for i, m in enumerate(row) if m == side) for side in "WL")) for row in rows]
    return [erc for erc in ercs if erc.winners and erc.losers]


def wins_everywhere(tableau, order):
    """Whether each most frequent candidate (identical ones as one) wins alone under an order."""
    for k in range(len(tableau.inputs)):
        block = tableau.violations[tableau.rows(k)].tolist()
        counts = tableau.frequencies[tableau.rows(k)]
        pooled = [sum(n for v, n in zip(block, counts, strict=True) if v == own) for own in block]
        if max(pooled) and block[int(np.argmax(pooled))] != block[naive.winners(block, order)[0]]:
            return False
    return True


@pytest.mark.slow
@given(tableaux(max_constraints=5))
@settings(max_examples=150, deadline=None)
def test_every_algorithm_finds_a_ranking_exactly_if_there_is_one(tableau):
    orders = [
        order for order in permutations(range(tableau.n_constraints)) if wins_everywhere(tableau, order)
    ]
    for algorithm in ALGORITHMS:
        ranking = rank(tableau, algorithm, faithfulness=[0, tableau.n_constraints - 1])
        assert ranking.consistent == bool(orders)
        assert bool(ranking.culprit) == bool(ranking.words) == (not orders)
        if orders:
            names = [name for stratum in ranking.strata for name in stratum]
            order = tuple(map(tableau.constraints.index, names))
            assert order in orders
        else:
            assert ranking.strata == ()


@pytest.mark.slow
@given(tableaux(max_constraints=4, max_candidates=5))
@settings(max_examples=150, deadline=None)
def test_a_culprit_is_minimal(tableau):
    ranking, k = rank(tableau), tableau.n_constraints
    if not ranking.consistent:
        assert not orders_of(ranking.culprit, k)
        for erc in ranking.culprit:
            assert orders_of([other for other in ranking.culprit if other is not erc], k)


@given(tableaux(max_constraints=4, max_candidates=5))
@settings(max_examples=100, deadline=None)
def test_bounded_candidates_are_those_that_win_under_no_order(tableau):
    bounded = {row for relation in rank(tableau).bounded for row in relation.members}
    for k in range(len(tableau.inputs)):
        rows = range(tableau.n_rows)[tableau.rows(k)]
        block = tableau.violations[tableau.rows(k)].tolist()
        assert [row in bounded for row in rows] == [not naive.can_win(block, n) for n in range(len(block))]


@given(tableaux(max_constraints=4))
@settings(max_examples=100, deadline=None)
def test_unnecessary_constraints_are_those_that_can_be_removed(tableau):
    ranking = rank(tableau)

    def ranked_without(removed):
        left = [c for c in range(tableau.n_constraints) if c not in removed]
        return any(all(wins_alone(k, order) for k in ranking.winners) for order in permutations(left))

    def wins_alone(k, order):
        block = tableau.violations[tableau.rows(k)].tolist()
        own = block[ranking.winners[k] - tableau.offsets[k]]
        return all(block[row] == own for row in naive.winners(block, order))

    if ranking.consistent:
        alone = [name for c, name in enumerate(tableau.constraints) if ranked_without({c})]
        assert list(ranking.unnecessary) == alone
        together = {tableau.constraints.index(name) for name in alone}
        assert ranking.removable_together == ranked_without(together)


@pytest.mark.slow
@given(erc_lists())
@settings(max_examples=150, deadline=None)
def test_demotion_satisfies_the_ercs(ercs):
    low, violations = {1, 3, 4}, np.arange(40).reshape(8, 5) % 3
    possible = bool(orders_of(ercs, 5))
    for demotion in (
        demote(ercs, 5),
        demote_biased(ercs, 5, low),
        demote_low_faithfulness(ercs, 5, low, violations),
    ):
        assert (not demotion.unsatisfied) == possible == consistent(ercs)
        if possible:
            order = [c for stratum in demotion.strata for c in stratum]
            assert sorted(order) == list(range(5))
            assert all(satisfied(erc, order) for erc in ercs)


def test_bases_by_hand():
    """That 0 is above 2 need not be said again where one of 0 and 3 is above 1."""
    one, other = ERC(frozenset({0}), frozenset({2})), ERC(frozenset({0, 3}), frozenset({1, 2}))
    found = bases([one, other])
    assert set(found.most_informative) == {one, other}
    assert set(found.skeletal) == {one, ERC(frozenset({0, 3}), frozenset({1}))}


@pytest.mark.slow
@given(erc_lists())
@settings(max_examples=150, deadline=None)
def test_bases_say_what_the_ercs_say_and_nothing_twice(ercs):
    orders = orders_of(ercs, 5)
    if not orders:
        return
    found = bases(ercs)
    for basis in found:
        assert orders_of(basis, 5) == orders
        for erc in basis:
            assert len(orders_of([other for other in basis if other is not erc], 5)) > len(orders)
    for strong, weak in zip(*found, strict=True):
        assert strong.winners == weak.winners
        assert weak.losers <= strong.losers
    for erc in found.skeletal:  # no constraint of a skeletal ERC can be left out
        others = [other for other in found.skeletal if other is not erc]
        for loser in erc.losers:
            shorter = ERC(erc.winners, erc.losers - {loser})
            assert len(orders_of([*others, *([shorter] if shorter.losers else [])], 5)) > len(orders)
    for erc in found.most_informative:  # and none can be added to one of the other basis
        for c in set(range(5)) - erc.winners - erc.losers:
            assert not entails(ercs, ERC(erc.winners, erc.losers | {c}))


@pytest.mark.slow
@given(erc_lists())
@settings(max_examples=150, deadline=None)
def test_crucial_rankings_are_the_pairs_in_the_same_order_everywhere(ercs):
    orders = orders_of(ercs, 5)
    if not orders:
        return
    always = {
        (a, b)
        for a, b in permutations(range(5), 2)
        if all(order.index(a) < order.index(b) for order in orders)
    }
    drawn = set(crucial_rankings(ercs, 5))
    assert drawn <= always
    closure = set(drawn)
    for _ in range(5):
        closure |= {(a, d) for a, b in closure for c, d in closure if b == c}
    assert closure == always
    assert not any((a, c) in always and (c, b) in always for a, b in drawn for c in range(5))


@pytest.mark.slow
@given(erc_lists(most=4), erc_lists(most=1))
@settings(max_examples=100, deadline=None)
def test_entailment(ercs, one):
    if one and consistent(ercs):
        assert entails(ercs, one[0]) == all(satisfied(one[0], order) for order in orders_of(ercs, 5))
    if ercs:
        fused = fuse(ercs)
        assert all(satisfied(fused, order) for order in orders_of(ercs, 5))


def test_bcd_ranks_markedness_high_and_needs_less_faithfulness_than_rcd():
    # Final devoicing learnt from [pa] alone (Prince & Tesar 2004, section 3): RCD leaves Ident on top.
    rows = [("pa", "pa", 1, [0, 0, 0]), ("pa", "ba", 0, [0, 1, 1]), ("ba", "ba", 0, [0, 0, 1])]
    tableau = ot.Tableau.from_rows(rows, ["Max", "Ident", "*Voice"])
    assert rank(tableau).strata == (("Max", "Ident", "*Voice"),)
    assert rank(tableau, "bcd").strata == (("*Voice",), ("Max", "Ident"))
    assert rank(tableau, "lfcd").strata == (("*Voice",), ("Max", "Ident"))


def test_bcd_takes_the_smallest_set_of_faithfulness_that_frees_markedness():
    # M4 is freed by F0 alone, or by F1 and F2 together; F0 then leaves F1 and F2 at the bottom.
    ercs = [ERC(frozenset({0, 1}), frozenset({4})), ERC(frozenset({0, 2}), frozenset({4}))]
    assert demote_biased(ercs, 5, {0, 1, 2}).strata == ((3,), (0,), (4,), (1, 2))


def test_bcd_ranks_all_active_faithfulness_where_no_part_of_it_frees_markedness():
    ercs = [ERC(frozenset({0}), frozenset({2})), ERC(frozenset({1}), frozenset({2}))]
    assert demote_biased(ercs, 3, {0, 1}).strata == ((0, 1), (2,))


def test_lfcd_prefers_specific_and_autonomous_faithfulness():
    ercs = [ERC(frozenset({0, 1}), frozenset({2}))]
    violations = np.array([[1, 0, 0], [1, 1, 0]])
    assert demote_low_faithfulness(ercs, 3, {0, 1}, violations).strata == ((1,), (2,), (0,))
    # Constraint 1 alone rules out the first rival, constraint 0 has a helper wherever it matters.
    ercs = [ERC(frozenset({1}), frozenset({2})), ERC(frozenset({0, 1}), frozenset({2}))]
    unrelated = np.array([[1, 0, 0], [0, 1, 0]])
    assert demote_low_faithfulness(ercs, 3, {0, 1}, unrelated).strata == ((1,), (2,), (0,))


def test_lfcd_ranks_a_specific_faithfulness_constraint_before_a_general_one_without_helpers():
    ercs = [ERC(frozenset({1}), frozenset({0})), ERC(frozenset({2}), frozenset({0}))]
    violations = np.array([[0, 1, 0], [0, 1, 1]])
    assert demote_low_faithfulness(ercs, 3, {1, 2}, violations).strata == ((2,), (1,), (0,))


def test_lfcd_does_not_count_a_more_general_faithfulness_constraint_as_a_helper():
    # Dep(h) and Dep rule out one rival, Ident alone another. Were Dep a helper, Ident would come first.
    rows = [("x", "good", 1, [1, 0, 0, 0]), ("x", "h", 0, [0, 1, 1, 0]), ("x", "i", 0, [0, 0, 0, 1])]
    tableau = ot.Tableau.from_rows(rows, ["*M", "Dep", "Dep(h)", "Ident"])
    tableau = tableau.add_input("y").rename_candidate(3, "dep").add_candidate("y", "none")
    tableau = tableau.with_cell(3, "Dep", 1)
    assert rank(tableau, "lfcd").strata == (("Dep(h)", "Ident"), ("*M",), ("Dep",))


def test_lfcd_counts_markedness_and_unrelated_faithfulness_as_helpers():
    # Max has the helper Dep(h), which is violated elsewhere too; Ident has none.
    rows = [("x", "good", 1, [1, 0, 0, 0]), ("x", "h", 0, [0, 1, 1, 0]), ("x", "i", 0, [0, 0, 0, 1])]
    tableau = ot.Tableau.from_rows([*rows, ("x", "d", 0, [1, 0, 2, 0])], ["*M", "Max", "Dep(h)", "Ident"])
    tableau = tableau.with_cell(3, "Max", 1).with_cell(1, "Max", 3)
    assert rank(tableau, "lfcd").strata[0] == ("Ident",)


@pytest.mark.parametrize("name", [sample.name for sample in samples.samples("ot")])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_sample_is_ranked_or_has_a_culprit(name, algorithm):
    tableau = ot.read(name)
    ranking = rank(tableau, algorithm)
    assert ranking.consistent == (
        name not in ("inconsistent_demo", "td_deletion_impossible", "harmonic_bounding_demo")
    )
    assert str(ranking)
    assert ranking.to_dict()["consistent"] == ranking.consistent


def test_strata_of_samples():
    """Strata worked out by hand."""
    strata = {
        "lin2005_table2": (("C3", "C5"), ("C1",), ("C2", "C4")),
        "ilokano": (("AL",), ("*C-ONS",), ("I_BR",)),
        "spanish": (("A",), ("M", "B"), ("D",)),
        "cv": (("Onset", "NoCoda", "Fill-Nuc"), ("Parse",), ("Fill-Ons",)),
        "dutch": (("*VoicedCoda",), ("Ident-IO(voice)",), ("*VoicedObstruent",)),
    }
    assert {name: rank(ot.read(name)).strata for name in strata} == strata


def test_winners_are_the_most_frequent_the_first_on_a_tie_and_identical_rows_are_one():
    rows = [
        ("tie", "a", 5, [1, 0]),
        ("tie", "b", 5, [0, 1]),
        ("pooled", "c", 4, [0, 1]),
        ("pooled", "d", 3, [1, 0]),
        ("pooled", "e", 3, [1, 0]),
        ("silent", "f", 0, [1, 0]),
    ]
    tableau = ot.Tableau.from_rows(rows, ["A", "B"])
    assert winning_rows(tableau) == {0: 0, 1: 3}
    assert len(winner_ercs(tableau)) == 2
    assert rank(tableau).consistent


def test_rankings_given_beforehand(tmp_path):
    tableau = ot.read("spanish")
    path = tmp_path / "apriori.txt"
    path.write_text(write_apriori((("D", "M"),), tableau), encoding="utf-8")
    pairs = read_apriori(path, tableau)
    assert pairs == (("D", "M"),)
    assert rank(tableau, apriori=pairs).strata == (("A",), ("B",), ("D",), ("M",))
    refused = rank(tableau, apriori=[("M", "A")])
    assert not refused.consistent
    assert "given beforehand: M >> A" in refused.words
    with pytest.raises(InputError, match="go round in a circle: A >> B, B >> A"):
        rank(tableau, apriori=[("A", "B"), ("B", "A")])


def test_every_fault_of_an_apriori_file_is_told(tmp_path):
    path = tmp_path / "apriori.txt"
    path.write_text("x\tA\tQ\nA\tx\tx\nD\t\t\t1\n\tx\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_apriori(path, ot.read("spanish"))
    assert [fault.what for fault in error.value.faults] == [
        "'x' in the first cell",
        "no constraint is called 'Q'",
        "'A' is ranked above itself",
        "'x' has no constraint above it",
        "'1' has no constraint above it",
        "a row without a constraint",
    ]
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="is empty; write a row and a column for each constraint"):
        read_apriori(path, ot.read("spanish"))


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="no algorithm 'rdc'; did you mean rcd"):
        rank(ot.read("spanish"), "rdc")
    with pytest.raises(InputError, match="no constraint is called 'Z'"):
        rank(ot.read("spanish"), "bcd", faithfulness=["Z"])


def test_pairs_that_follow_from_others_are_not_crucial():
    pairs = [(0, 1), (0, 2), (1, 2)]
    ercs = [ERC(frozenset({a}), frozenset({b})) for a, b in pairs]
    assert crucial_rankings(ercs, 4) == ((0, 1), (1, 2))


def test_equally_frequent_candidates_are_told():
    assert tied_inputs(ot.read("ilokano")) == ("HRED-bwaja",)
    assert tied_inputs(ot.read("dutch")) == ()
    same = ot.Tableau.from_rows([("x", "a", 2, [0, 1]), ("x", "b", 2, [0, 1])], "AB")
    assert tied_inputs(same) == ()  # no ranking tells these two apart
    assert "/HRED-bwaja/</span>: the first one is taken as the winner" in needs_html(rank(ot.read("ilokano")))
    rows = [("x", "a", 2, [0, 1]), ("x", "b", 2, [1, 0]), ("y", "c", 2, [1, 0]), ("y", "d", 0, [0, 1])]
    contradiction = rank(ot.Tableau.from_rows(rows, "AB"))
    assert not contradiction.consistent
    assert "/x/</span>: the first one is taken as the winner" in needs_html(contradiction)


OTSOFTS_TABLE = """\
Input,Output,Frequency,*NoOns,*Coda,Max,Dep
a,ʔa,1,0,0,0,1
a,a,0,1,0,0,0
tat,ta,1,0,0,1,0
tat,tat,0,0,1,0,0
at,ʔa,1,0,0,1,1
at,ʔat,0,0,1,0,1
at,a,0,1,0,1,0
at,at,0,1,1,0,0
"""


def test_otsofts_illustrative_file_has_its_results():
    tableau = ot.read_text(OTSOFTS_TABLE)
    found = tableau.rank()
    assert found.strata == (("*NoOns", "*Coda"), ("Max", "Dep"))
    assert sorted(found.crucial_rankings) == [("*Coda", "Max"), ("*NoOns", "Dep")]
    assert found.removable_together
    assert set(found.unnecessary) == {"Max", "Dep"}
    languages = tableau.typology()
    patterns = {" ".join(languages.language(n).values()) for n in range(len(languages.winners))}
    assert patterns == {"ʔa ta ʔa", "ʔa tat ʔat", "a ta a", "a tat at"}
