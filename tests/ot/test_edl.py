"""Expectation-driven learning: rankings and expectations by enumeration, and known answers."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import Tableau, read, read_text
from otlab.ot.analysis.ranked_above import ranked_above
from otlab.ot.kernels.evaluation import winner_of
from otlab.ot.learners.edl import EDL, EDLOnline, Heard, fit_edl
from otlab.ot.learners.interpretive import lay_out_states
from otlab.ot.orders import evaluate
from otlab.ot.overt import overt_forms_of
from tests.ot.test_interpretive import SMALL, learnt
from tests.ot.test_latent import CASES

PAIRS = np.array([[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]])
TWO = "Input,Output,Overt,Count,C1,C2\nx,a,a,7,1,0\nx,b,b,3,0,1\n"


def closed(above):
    """Return ordered pairs of constraints with all that follow by transitivity."""
    while True:
        more = above | {(a, d) for a, b in above for c, d in above if b == c}
        if more == above:
            return above
        above = more


def rankings(p, first=None):
    """Return the probability of each ranking of three constraints, drawn pair by pair, by enumeration."""
    found = dict.fromkeys(permutations(range(3)), 0.0)
    for order in permutations([(0, 1), (0, 2), (1, 2)]):
        for heads in product([True, False], repeat=3):
            above, chance = closed({first} if first else set()), 1 / 6
            for (i, j), head in zip(order, heads, strict=True):
                if (i, j) in above or (j, i) in above:
                    chance /= 2  # the draw that is not made stands in the enumeration twice
                else:
                    chance *= p[i, j] if head else p[j, i]
                    above = closed(above | {(i, j) if head else (j, i)})
            ranking = tuple(sorted(range(3), key=lambda i: -sum(a == i for a, _ in above)))
            found[ranking] += chance
    return found


def heard(tableau, p, form, first=None):
    """Return the probability of an overt form of the only input."""
    of_row = overt_forms_of(tableau).of_row
    every = rankings(p, first).items()
    return sum(q for order, q in every if of_row[evaluate(tableau.violations, order).winners[0]] == form)


def test_the_enumeration_is_a_distribution():
    assert sum(rankings(PAIRS).values()) == pytest.approx(1)
    assert sum(q for r, q in rankings(PAIRS, (1, 0)).items() if r.index(1) < r.index(0)) == pytest.approx(1)


def test_rankings_are_drawn_as_enumerated():
    tableau = read_text(CASES["both sides"])
    probability, ranked = EDL(tableau).predicted(PAIRS)
    exact, n = rankings(PAIRS), 10_000
    for a, b in permutations(range(3), 2):
        p = sum(q for r, q in exact.items() if r.index(a) < r.index(b))
        assert abs(ranked[a, b] - p) < 4.5 * np.sqrt(p * (1 - p) / n)
    for row in range(4):
        p = sum(q for r, q in exact.items() if evaluate(tableau.violations, r).winners[0] == row)
        assert abs(probability[row] - p) < 4.5 * np.sqrt(p * (1 - p) / n) + 1e-12


@pytest.mark.parametrize("form", [0, 1])
def test_expectations_are_those_of_enumeration(form):
    tableau, samples = read_text(CASES["both sides"]), 20_000
    found = EDL(tableau, samples=samples).expected(
        np.random.default_rng(1), PAIRS, Heard(np.zeros(1, int), np.array([form]), np.ones(1))
    )
    for a, b in ((0, 1), (0, 2), (1, 2)):
        one, other = heard(tableau, PAIRS, form, (a, b)), heard(tableau, PAIRS, form, (b, a))
        p = PAIRS[a, b]
        whole = one * p + other * (1 - p)
        exact = one * p / whole
        # the ratio varies with both counts (delta method)
        slopes = p * (1 - p) / whole**2 * np.array([other, one])
        error = np.sqrt(slopes**2 @ (np.array([one * (1 - one), other * (1 - other)]) / samples))
        assert abs(found[a, b] - exact) < 4.5 * error + 1e-12
        assert found[b, a] == pytest.approx(1 - found[a, b])


def test_two_constraints_learn_the_frequencies_in_one_iteration():
    tableau = read_text(TWO)  # a wins where C2 is above C1
    fit = fit_edl(tableau, iterations=1, runs=1, seed=1)
    assert fit.views[0].pairs[1, 0] == pytest.approx(0.7)
    assert ranked_above(fit).constraints == ("C2", "C1")
    z = fit.mean[1] - fit.mean[0]
    assert z == pytest.approx(0.524401 * 2 * np.sqrt(2), abs=1e-5)  # .7 of a normal distribution
    assert abs(fit.overt.probability[0] - 0.7) < 4.5 * np.sqrt(0.21 / 10_000)


def test_a_trial_moves_by_the_rate():
    learner = EDLOnline(read_text(TWO.replace(",3,", ",0,")), rate=0.1)
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 2)
    assert state.pairs[1, 0] == pytest.approx(0.5 + 0.05 + 0.045)


def test_what_every_ranking_gives_teaches_nothing():
    text = "Input,Output,Overt,Count,C1,C2\nx,a1,a,7,1,0\nx,a2,a,0,0,1\n"
    fit = fit_edl(read_text(text), iterations=3, runs=1, seed=1, samples=2000)
    assert fit.views[0].pairs[0, 1] == pytest.approx(0.5)
    assert fit.overt.probability.tolist() == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more"), [("edl", {"sweeps": 20}), ("edl-online", {"sweeps": 150})])
def test_stress_is_learnt_from_what_is_heard(name, more):
    fit = learnt(name, read("overt_stress"), runs=1, **more)
    assert fit.reproduced == (1.0,)
    assert fit.parses.groupby(["input", "overt"]).probability.sum().round(9).eq(1).all()
    above = ranked_above(fit).to_pandas().set_index(["higher", "lower"])["mean"]
    assert above["FtBin", "Parse"] > 0.9
    assert above["Trochaic", "Iambic"] > 0.95


@pytest.mark.parametrize("make", [EDL, EDLOnline])
def test_an_overt_form_without_a_parse_that_can_win_is_refused(make):
    with pytest.raises(InputError, match="none of its parses can win"):
        make(read_text(SMALL))


@pytest.mark.parametrize(
    ("setting", "match"), [({"samples": 0}, "give 1 or more"), ({"rate": 0.0}, "a number above 0")]
)
def test_settings_that_make_no_sense_are_refused(setting, match):
    with pytest.raises(InputError, match=match):
        EDLOnline(read_text(TWO), **setting)


def test_stored_states_give_the_winners_of_all_rivals():
    tableau = read("overt_stress")
    data, rng = EDL(tableau)._trials.data, np.random.default_rng(4)
    few, every = lay_out_states(data, 3), lay_out_states(data)
    assert (few.after < 0).any(axis=1).sum() > len(tableau.inputs)  # most sets are not stored
    left = np.empty(len(tableau.candidates), np.int64)
    for _ in range(50):
        order = rng.permutation(tableau.n_constraints)
        for x in range(len(tableau.inputs)):
            rivals = data.rivals[data.rival_start[x] : data.rival_start[x + 1]].tolist()
            best = min(rivals, key=lambda row: data.marks[row][order].tolist())
            for states in (few, every):
                assert winner_of(data, states, x, order, left) == best


def test_what_is_reproduced_is_judged_by_rankings_drawn_from_the_pairs():

    tableau = read_text(CASES["both sides"])
    learner = EDL(tableau)
    probability = np.array([0.4, 0.2, 0.3, 0.1])  # of a: .6
    assert learner.reproduced(probability) == 1.0
    assert learner.reproduced(probability[::-1]) == 0.0


def test_more_than_one_word_of_constraints_is_ranked():
    k, rng = 40, np.random.default_rng(2)
    rows = [("x", f"c{n}", 1.0, (np.arange(k) != n).astype(int).tolist()) for n in range(k)]
    tableau = Tableau.from_rows(rows, [f"C{n}" for n in range(k)])
    learner = EDL(tableau, samples=1)
    pairs = np.full((k, k), 0.5)
    pairs[np.triu_indices(k, 1)], pairs[np.tril_indices(k, -1)] = 1.0, 0.0
    probability, ranked = learner.predicted(pairs)
    assert probability.argmax() == 0
    assert probability.max() == 1.0
    assert np.array_equal(ranked, np.triu(np.ones((k, k)), 1))
    once = learner.expected(rng, np.full((k, k), 0.5), learner._heard)
    assert np.allclose(once + once.T, 1.0)
