"""Ordering relations against enumeration of all rankings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from otlab.errors import InputError
from otlab.ot import ERC, Bounding, Gibbs, Tableau, check_learnable, format_relations, read
from otlab.ot.conditions import consistent, prune, relations
from otlab.ot.learners.sampler import lay_out
from tests.ot import naive
from tests.ot.strategies import tableaux


def erc(winners, losers, rival=-1):
    return ERC(frozenset(winners), frozenset(losers), rival)


def one_input(*violations, frequencies=None):
    counts = frequencies or [1] * len(violations)
    rows = [("x", f"y{n}", counts[n], v) for n, v in enumerate(violations)]
    return Tableau.from_rows(rows, [f"C{i + 1}" for i in range(len(violations[0]))])


def test_ilokano_is_pruned_as_published():
    c, a, i = 0, 1, 2
    every = relations(read("ilokano"))
    assert [set(r.conjuncts) for r in every] == [
        {erc([c], [i]), erc([a], [c, i])},
        {erc([i], [c]), erc([a], [c])},
        {erc([c], [a])},
    ]
    assert [r.count for r in every] == [33, 33, 33]


def test_table_3_is_printed_from_table_2():
    assert format_relations(read("lin2005_table2")).splitlines() == [
        "y11  C1 > max{C2, C4}               .4",
        "     max{C3, C5} > C4",
        "     C3 > max{C2, C4}",
        "y12  max{C2, C4} > C1               .3",
        "     max{C2, C3, C5} > C1",
        "     C3 > C1",
        "y21  max{C3, C4, C5} > max{C1, C2}  .3",
    ]


def test_formatting_of_conjuncts_with_an_empty_side():
    tableau = one_input([0, 1], [0, 1], [0, 2], [0, 0], frequencies=[1, 0, 0, 0])
    assert [
        line.split("  ")[1 if n == 0 else 2].strip()
        for n, line in enumerate(format_relations(tableau).splitlines())
    ] == [
        "tied with y1",
        "always: better than y2",
        "never: y3 is better",
    ]
    assert format_relations(one_input([0])) == "y0  always: no rival  1"


def test_identical_candidates_are_one_class_and_sum_their_counts():
    every = relations(one_input([1, 0], [0, 1], [1, 0], frequencies=[2, 3, 4]))
    assert [(r.row, r.members, r.count) for r in every] == [(0, (0, 2), 6), (1, (1,), 3)]
    assert every[0].conjuncts == (erc([1], [0]),)


def test_a_vacuous_conjunct_is_dropped_and_bounds_the_other():
    good, bad = relations(one_input([0, 1], [1, 1]))
    assert good.conjuncts == ()
    assert good.bounded is None
    assert bad.bounded == Bounding("simple", (0,))


def test_every_simple_bounder_is_named():
    every = relations(one_input([1, 1, 1], [0, 1, 1], [1, 0, 1], [2, 0, 0]))
    assert every[0].bounded == Bounding("simple", (1, 2))


def test_collective_bounding_names_a_set_that_cannot_be_spared():
    every = relations(one_input([1, 1], [0, 2], [2, 0], [3, 0]))
    assert every[0].bounded == Bounding("collective", (1, 2))
    assert every[0].conjuncts == ()


def test_pruning_keeps_the_stronger_conjunct():
    strong, weak = erc([0], [1, 2]), erc([0, 3], [1])
    assert prune([weak, strong, strong]) == (strong,)


@pytest.mark.parametrize("n_constraints", [3, 6, 70])
def test_pruning_is_by_its_definition(n_constraints):
    rng = np.random.default_rng(n_constraints)
    for _ in range(40):
        shares = [0.1, 0.8, 0.1] if n_constraints > 9 else None
        signs = rng.choice([-1, 0, 1], p=shares, size=(30, n_constraints))
        every = [erc(np.flatnonzero(s > 0).tolist(), np.flatnonzero(s < 0).tolist()) for s in signs]
        needed = {
            (one.winners, one.losers)
            for one in every
            if not any(other.implies(one) for other in every if other != one)
        }
        assert {(one.winners, one.losers) for one in prune(every)} == needed


def test_inconsistent_conjuncts():
    assert consistent([erc([0], [1]), erc([1], [2])])
    assert not consistent([erc([0], [1]), erc([1], [0])])
    assert consistent([])


@pytest.mark.slow
@given(tableaux())
def test_bounded_is_what_no_ranking_makes_win(tableau):
    for relation in relations(tableau):
        block = tableau.violations[tableau.rows(relation.input)].tolist()
        row = relation.row - tableau.offsets[relation.input]
        assert (relation.bounded is None) == naive.can_win(block, row)


def test_bounding_agrees_with_every_ranking_on_many_random_tableaux():
    rng = np.random.default_rng(11)
    kinds = {"simple": 0, "collective": 0, "can win": 0}
    for _ in range(300):
        n, k = rng.integers(2, 8), rng.integers(2, 6)
        block = rng.integers(0, 4, (n, k)).tolist()
        tableau = one_input(*block)
        for relation in relations(tableau):
            kinds[relation.bounded.kind if relation.bounded else "can win"] += 1
            assert (relation.bounded is None) == naive.can_win(block, relation.row)
            _check_bounders(block, relation)
    assert kinds["simple"] > 300
    assert kinds["collective"] >= 5
    assert kinds["can win"] > 300


def _check_bounders(block, relation):
    if relation.bounded is None:
        return
    by = list(relation.bounded.by)
    simple = naive.simple_bounders(block, relation.row)
    if simple:
        assert relation.bounded.kind == "simple"
        profiles = {tuple(block[r]) for r in simple}
        assert {tuple(block[r]) for r in by} == profiles
        assert len(by) == len(profiles)
    else:
        assert relation.bounded.kind == "collective"
        assert len(by) >= 2
        assert set(by) in naive.smallest_bounding_sets(block, relation.row, by)


@pytest.mark.slow
@given(tableaux())
def test_conjuncts_hold_exactly_when_the_candidate_wins(tableau):
    rng = np.random.default_rng(3)
    for relation in relations(tableau):
        if relation.bounded:
            continue
        block = tableau.violations[tableau.rows(relation.input)].tolist()
        for _ in range(5):
            y = rng.permutation(tableau.n_constraints)
            holds = all(max(y[list(e.winners)]) > max(y[list(e.losers)]) for e in relation.conjuncts)
            best = naive.winners(block, np.argsort(-y))
            assert holds == (relation.row - tableau.offsets[relation.input] in best)


def test_the_sampler_leaves_out_what_carries_no_information():
    tableau = Tableau.from_rows(
        [
            ("bounding", "good", 3, [0, 0, 1]),
            ("bounding", "bounded", 0, [0, 1, 1]),
            ("split", "a", 2, [1, 0, 0]),
            ("split", "b", 0, [0, 1, 1]),
            ("alone", "c", 9, [1, 1, 1]),
        ],
        ["C1", "C2", "C3"],
    )
    learner = Gibbs(tableau)
    assert learner.relations == (relations(tableau)[2],)
    layout = learner.layout
    assert layout.counts.tolist() == [2]
    assert layout.site_constraint.tolist() == [0, 1, 2]
    # max{C2, C3} > C1: the winners' side, the losers' side, each closed by an empty slot
    assert layout.slot_site.tolist() == [1, 2, -1, 0, -1]


@given(tableaux())
def test_the_layout_holds_the_conjuncts(tableau):
    informative = [relation for relation in relations(tableau) if relation.conjuncts]
    layout = lay_out(informative, [1] * len(informative))
    for r, relation in enumerate(informative):
        sites = layout.site_constraint[layout.site_start[r] : layout.site_start[r + 1]]
        slots = layout.slot_site[layout.slot_start[r] : layout.slot_start[r + 1]]
        ends = np.flatnonzero(slots < 0)
        sides = [sites[side[side >= 0]].tolist() for side in np.split(slots, ends)[:-1]]
        pairs = zip(sides[::2], sides[1::2], strict=True)
        assert tuple(erc(winners, losers) for winners, losers in pairs) == relation.conjuncts
        assert layout.counts[r] == relation.count


def test_an_observed_bounded_candidate_is_refused_with_its_bounder():
    tableau = read("harmonic_bounding_demo")
    with pytest.raises(InputError, match=r"'bounded' of 'x' .* win: 'good' bounds it"):
        check_learnable(tableau, relations(tableau))


def test_several_refusals_come_together():
    tableau = one_input([1, 1], [0, 2], [2, 0], [3, 3])
    with pytest.raises(InputError) as caught:
        check_learnable(tableau, relations(tableau))
    assert [fault.what.partition(" of ")[0] for fault in caught.value.faults] == ["'y0'", "'y3'"]
    assert "'y1' and 'y2' bound it together" in str(caught.value)


def test_all_bounding_rivals_are_listed():
    tableau = one_input([1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [3, 0, 0, 1])
    with pytest.raises(InputError, match=r"'y1', 'y2' and 'y3' bound it \(better wherever"):
        check_learnable(tableau, relations(tableau))


def test_an_unobserved_bounded_candidate_is_no_obstacle():
    tableau = read("lin2005_table2")
    assert check_learnable(tableau, relations(tableau)) is None


def test_relations_need_counts():
    with pytest.raises(InputError, match="--total"):
        relations(one_input([0, 1], [1, 0], frequencies=[0.5, 0.5]))
    assert [r.count for r in relations(one_input([0, 1], [1, 0], frequencies=[0.5, 0.5]), total=10)] == [5, 5]
