"""The GLA's update rules against Praat's own updates, recorded and called."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy import stats

from otlab.errors import InputError
from otlab.inference import fit
from otlab.ot import GLA, Tableau, read
from otlab.ot.kernels.update_rules import RULES, update
from otlab.ot.learners.gla import GLASettings, fit_gla, make_gla
from otlab.ot.learners.schedules import schedule
from tests.ot.praat_updates import DRAWN_CASES, RECORD, REPEATS, STEP, cases, praat

EVERY = json.loads(RECORD.read_text(encoding="utf-8"))["cases"]
PRAATS = [rule for rule in RULES if rule != "magri"]
CERTAIN = [rule for rule in PRAATS if rule != "symmetric-one"]


def moved(case, rule, rng=None):
    """Return by how much the kernel moves each value after the error of a case."""
    marks, before = np.array(case["violations"]), np.array(case["values"], float)
    values = before.copy()
    step = STEP * np.array(case["plasticities"])
    rng = rng or np.random.default_rng(0)
    update(rng, RULES.index(rule), marks[case["produced"]], marks[case["heard"]], before, step, values)
    return values - before


def learner(case, rule="symmetric-all", **more):
    """Return the GLA with the case's candidate as its only datum, and almost no noise."""
    rows = [("x", f"c{c}", int(c == case["heard"]), marks) for c, marks in enumerate(case["violations"])]
    tableau = Tableau.from_rows(rows, [f"C{i}" for i in range(len(case["values"]))])
    settings = {"initial": tuple(case["values"]), "plasticity": tuple(case["plasticities"])}
    return GLA(tableau, 1e-9, schedule("constant", 1, STEP), rule=rule, **settings, **more)


def after_one(learner):
    view = fit(learner, steps=1, seed=1).view
    return view.values + view.level


@pytest.mark.parametrize("rule", CERTAIN)
def test_one_update_is_praat_s(rule):
    for case in EVERY:
        np.testing.assert_allclose(moved(case, rule), case["moves"][rule], atol=1e-8)


def test_the_cases_tell_all_rules_apart():
    assert len(EVERY) == 200
    by_rule = [json.dumps([case["moves"][rule] for case in EVERY]) for rule in CERTAIN]
    assert len(set(by_rule)) == len(CERTAIN)


@pytest.mark.parametrize("rule", CERTAIN)
def test_a_trial_of_the_learner_is_praat_s_too(rule):
    for case in EVERY[:12]:
        moves = after_one(learner(case, rule)) - case["values"]
        np.testing.assert_allclose(moves, case["moves"][rule], atol=1e-6)


def test_symmetric_one_moves_each_constraint_as_often_as_in_praat():
    rng = np.random.default_rng(4)
    for case in EVERY[:DRAWN_CASES]:
        moves = np.array([moved(case, "symmetric-one", rng) for _ in range(REPEATS)])
        ours, theirs = np.count_nonzero(moves, axis=0), np.array(case["moved"])
        np.testing.assert_array_equal(ours > 0, theirs > 0)
        seen = np.array([[*part, REPEATS - part.sum()] for part in (ours, theirs)])
        assert stats.chi2_contingency(seen[:, seen.sum(axis=0) > 0]).pvalue > 1e-6
        direction = np.sign(case["moves"]["symmetric-all"])
        np.testing.assert_array_equal(np.sign(moves).sum(axis=0), ours * direction)


@pytest.mark.slow
def test_the_record_is_what_praat_does():
    pytest.importorskip("parselmouth")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, recorded in zip(cases(), EVERY, strict=True):
            assert {key: recorded[key] for key in case} == case
            for rule in CERTAIN:
                np.testing.assert_allclose(praat(case, rule)[0], recorded["moves"][rule], atol=1e-8)


def test_magri_s_promotion_is_calibrated():
    # Two demoted, one promoted: it goes up by 2/(1 + 1) of the plasticity.
    case = {"values": [3, 2, 1], "plasticities": [1, 1, 1], "violations": [[0, 0, 1], [1, 1, 0]]}
    np.testing.assert_allclose(moved(case | {"produced": 0, "heard": 1}, "magri"), [-0.1, -0.1, 0.1])
    # One demoted, two promoted: 1/(2 + 1).
    case["violations"] = [[0, 1, 1], [1, 0, 0]]
    np.testing.assert_allclose(moved(case | {"produced": 0, "heard": 1}, "magri"), [-0.1, 0.1 / 3, 0.1 / 3])


def test_rankings_a_priori_are_kept_as_in_praat():
    # Praat lowers the lower constraint in whole steps of the plasticity until it is below.
    case = {"values": [100.0, 99.95, 98.0], "plasticities": [1, 0.25, 1], "produced": 0, "heard": 1}
    case["violations"] = [[0, 1, 0], [1, 0, 1]]
    kept = after_one(learner(case, apriori=(("C0", "C1"),)))
    np.testing.assert_allclose(kept, [99.9, 99.875, 97.9], atol=1e-9)
    chain = after_one(learner(case | {"plasticities": [1, 1, 1]}, apriori=(("C0", "C1"), ("C1", "C2"))))
    np.testing.assert_allclose(chain, [99.9, 99.85, 97.9], atol=1e-9)
    # As in OTSoft, 20 apart from the start.
    apart = fit(learner(case, apriori=(("C0", "C1"), ("C1", "C2")), gap=20.0), steps=50, seed=1).view
    assert (np.diff(apart.values) < -20 + 1e-9).all()


def test_rankings_a_priori_in_a_circle_are_refused():
    with pytest.raises(InputError, match="circle"):
        learner(EVERY[0], apriori=(("C0", "C1"), ("C1", "C0")))


@pytest.mark.slow
def test_rankings_a_priori_against_praat():
    pytest.importorskip("parselmouth")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in EVERY[:60]:
            high, low = np.argsort(case["values"])[[-1, 0]].tolist()
            theirs = praat(case, "symmetric-all", fixed=((high, low),))[0]
            ours = after_one(learner(case, apriori=((f"C{high}", f"C{low}"),))) - case["values"]
            np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("rule", ["symmetric-one", "weighted-uncancelled"])
def test_other_rules_learn_ilokano_too(rule):
    fitted = fit_gla(read("ilokano"), trials=60_000, runs=8, seed=3, rule=rule)
    spread = 4.5 * 0.02 / np.sqrt(8) + 0.01
    np.testing.assert_allclose(fitted.predicted.mean, 1 / 3, atol=spread)
    assert fitted.settings["rule"] == rule


def test_settings_of_single_constraints(tmp_path):
    path = tmp_path / "apriori.txt"
    path.write_text("\tA\tM\tD\tB\nA\t\t\tx\t\n")
    chosen = GLASettings(
        initial=50.0,
        initial_values="M=20, B=-1",
        plasticities="D=0.5",
        faithfulness_plasticity=0.0,
        apriori=path,
        gap=20.0,
    )
    made = make_gla(read("spanish"), chosen)
    assert made.initial == (50.0, 20.0, 50.0, -1.0)
    assert made.plasticity == (1.0, 1.0, 0.5, 1.0)
    assert made.apriori == (("A", "D"),)
    assert made.init(np.random.default_rng(0)).values.tolist() == [50.0, 20.0, 30.0, -1.0]
    plain = make_gla(read("spanish"), GLASettings())
    assert (plain.initial, plain.plasticity) == (100.0, None)
    dutch = make_gla(read("dutch_final_devoicing"), GLASettings(faithfulness_plasticity=0.1))
    assert dutch.plasticity == (1.0, 0.1, 1.0)
    with pytest.raises(InputError, match="--plasticities: no constraint is called 'X'"):
        make_gla(read("spanish"), GLASettings(plasticities="X=1"))
    with pytest.raises(InputError, match="no update rule 'edc'"):
        GLA(read("spanish"), rule="edc")
