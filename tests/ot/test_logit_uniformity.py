"""Differences of logits between inputs that differ in one constraint: by hand, and under each model."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr
from scipy.stats import chi2

from otlab.cli import main
from otlab.errors import InputError
from otlab.ot import Tableau, compare, logit_uniformity, predict, read
from otlab.ot.learners.maxent import MaxEnt

CONSTRAINTS = ["Mark", "Faith", "A", "B"]
CONTEXTS = list(product((0, 1), (0, 1)))
WEIGHTS = np.array([3.0, 2.0, 1.5, 1.0])


def of_d(differences, counts, constraints=CONSTRAINTS):
    """Return a tableau in which candidate "a" of each input saves d violations beside "b"."""
    rows = []
    for name, (d, n) in enumerate(zip(differences, counts, strict=True)):
        rows.append((str(name), f"a{name}", n[0], [max(0, -x) for x in d]))
        rows.append((str(name), f"b{name}", n[1], [max(0, x) for x in d]))
    return Tableau.from_rows(rows, constraints)


D = [(1, -1, -a, -b) for a, b in CONTEXTS]
COUNTS = [(70, 30), (55, 45), (40, 60), (10, 90)]


def expected(probability, n=1_000_000):
    return [(round(n * p), n - round(n * p)) for p in probability]


def test_a_small_case_by_hand():
    found = logit_uniformity(of_d(D, COUNTS))
    logits = [math.log(x + 0.5) - math.log(y + 0.5) for x, y in COUNTS]
    variances = [1 / (x + 0.5) + 1 / (y + 0.5) for x, y in COUNTS]
    # With A's violation saved the logit of "a" is higher: from (1, b) to (0, b), likewise B.
    pairs = {("A", (3, 1)), ("A", (2, 0)), ("B", (3, 2)), ("B", (1, 0))}
    assert {(c.constraint, tuple(int(names[0]) for names in c.inputs)) for c in found.contrasts} == pairs
    for c in found.contrasts:
        low, high = (int(names[0]) for names in c.inputs)
        assert c.saved == (-1, 0)
        assert c.candidates == ((f"a{low}", f"b{low}"), (f"a{high}", f"b{high}"))
        half = 1.959964 * math.sqrt(variances[low] + variances[high])
        assert c.observed.value == pytest.approx(logits[high] - logits[low])
        assert c.observed.high - c.observed.value == pytest.approx(half)
        assert c.observed.value - c.observed.low == pytest.approx(half)
    away = (logits[0] - logits[1]) - (logits[2] - logits[3])  # B's differences without and with A
    for test in found.uniform:
        assert test.chi_squared == pytest.approx(away**2 / sum(variances))
        assert test.chance == pytest.approx(chi2.sf(test.chi_squared, 1))


def test_neighbouring_differences_share_a_cell():
    # In one context a uniform difference is a straight line through the logits: weighted least squares.
    counts = [(90, 10), (60, 40), (45, 55), (10, 90)]
    found = logit_uniformity(of_d([(1, -n) for n in range(4)], counts, ["Mark", "Faith"]))
    logits = np.array([math.log((x + 0.5) / (y + 0.5)) for x, y in counts])
    weights = np.array([1 / (1 / (x + 0.5) + 1 / (y + 0.5)) for x, y in counts])
    slope, intercept = np.polyfit(-np.arange(4), logits, 1, w=np.sqrt(weights))
    residual = float(weights @ (logits - intercept + slope * np.arange(4)) ** 2)
    (faith,) = (one for one in found.uniform if one.constraint == "Faith")
    assert (faith.freedom, faith.common) == (2, pytest.approx(slope))
    assert faith.chi_squared == pytest.approx(residual)


def test_maxent_has_the_weight_in_every_context():
    differences = [(1, -1, -a, -b) for a, b in product(range(3), range(3))]
    rng = np.random.default_rng(5)
    counts = [(int(x), 40 - int(x)) for x in rng.integers(5, 35, len(differences))]
    found = logit_uniformity(of_d(differences, counts))
    weight = dict(zip(found.constraints, found.models[0].values, strict=True))
    assert len(found.contrasts) == 12
    for contrast in found.contrasts:
        assert contrast.predicted["maxent"].value == pytest.approx(weight[contrast.constraint], abs=1e-12)


def test_maxents_interval_is_that_of_its_weight():
    differences = [(1, -a) for a in range(4)]
    tableau = of_d(differences, [(90, 10), (60, 40), (45, 55), (10, 90)], ["Mark", "Faith"])
    found = logit_uniformity(tableau)
    sd = np.sqrt(np.linalg.inv(MaxEnt(tableau).curvature(found.models[0].values))[1, 1])
    for contrast in found.contrasts:
        estimate = contrast.predicted["maxent"]
        assert estimate.high - estimate.value == pytest.approx(1.959964 * sd, rel=1e-4)


@pytest.mark.parametrize(("model", "scale"), [("hg", None), ("normal", math.sqrt(2))])
def test_normal_noise_has_other_differences_in_other_contexts(model, scale):
    found = logit_uniformity(of_d(D, COUNTS), noise=1.5)
    (fitted,) = (one for one in found.models if one.model == model)
    by_hand = {}
    for c in found.contrasts:
        cells = [np.array(D[int(names[0])]) for names in c.inputs]
        p = [ndtr(fitted.values @ d / (1.5 * (scale or np.sqrt(d @ d)))) for d in cells]
        by_hand[c.constraint, c.inputs] = logit(p[1]) - logit(p[0])
        assert c.predicted[model].value == pytest.approx(by_hand[c.constraint, c.inputs])
    of_a = [value for (name, _), value in by_hand.items() if name == "A"]
    assert abs(of_a[0] - of_a[1]) > 0.05


def test_in_stochastic_ot_a_second_violation_changes_nothing():
    differences = [(1, -1, 0), (1, -2, 0), (1, -1, -1), (1, -2, -1)]
    found = logit_uniformity(of_d(differences, COUNTS, ["Mark", "Faith", "A"]))
    of_faith = [c.predicted["sot"].value for c in found.contrasts if c.constraint == "Faith"]
    assert of_faith == pytest.approx([0.0, 0.0], abs=1e-9)
    assert all(c.predicted["maxent"].value > 0.1 for c in found.contrasts if c.constraint == "Faith")


def test_each_model_is_preferred_for_its_own_data():
    d = np.array([(1, -1, -a, -b) for a, b in product(range(2), range(3))])
    values = np.array([1.5, 0.2, -0.3, -1.4])
    ranked = predict(of_d(d, [(1, 1)] * len(d)), values, 2.0).probability[::2]
    own = {
        "maxent": expit(d @ WEIGHTS),
        "hg": ndtr(d @ WEIGHTS / (2 * np.sqrt((d**2).sum(axis=1)))),
        "normal": ndtr(d @ WEIGHTS / (2 * math.sqrt(2))),
        "sot": ranked,
    }
    for name, probability in own.items():
        models = logit_uniformity(of_d(d, expected(probability))).models
        (best,) = (one for one in models if one.model == name)
        assert best.deviance < 0.01
        assert min(models, key=lambda one: one.aicc) is best
        assert all(one.deviance > 10 for one in models if one is not best)


def test_the_likelihoods_are_those_of_the_other_comparison():
    tableau = of_d(D, COUNTS)
    own = {one.model: one for one in logit_uniformity(tableau).models}
    other = compare(tableau, ["sot", "maxent"], posterior=False, seed=1)
    for name in ("sot", "maxent"):
        assert own[name].log_likelihood == pytest.approx(other[name].log_likelihood, abs=1e-6)


def test_inputs_with_one_difference_are_counted_together_and_others_left_out():
    more = of_d([*D, D[0]], [*COUNTS, (3, 4)])
    rows = [
        (more.inputs[k], more.candidates[r], float(more.frequencies[r]), more.violations[r].tolist())
        for k in range(5)
        for r in range(more.rows(k).start, more.rows(k).stop)
    ]
    three = [("x", c, 1.0, [n, 0, 0, 0]) for n, c in enumerate("pqr")]
    found = logit_uniformity(Tableau.from_rows([*rows, *three], CONSTRAINTS))
    assert (found.observations, found.left_out) == (407, 1)
    assert ("0", "4") in {names for c in found.contrasts for names in c.inputs}
    assert "1 input is left out" in found.words()


def test_an_observed_loser_has_no_ranking_and_no_interval():
    found = logit_uniformity(of_d([(1, 0), (1, 1), (0, 1)], [(9, 1), (9, 1), (5, 5)], ["A", "B"]))
    sot = found.models[-1]
    assert (sot.log_likelihood, sot.aicc) == (-math.inf, math.inf)
    assert "can never win" in sot.note
    assert all(math.isnan(c.predicted["sot"].low) for c in found.contrasts)


def test_weights_without_end_have_no_interval():
    found = logit_uniformity(of_d([(1, -1), (1, 0)], [(5, 5), (10, 0)], ["A", "B"]))
    assert "grow without end" in found.models[0].note
    assert math.isnan(found.contrasts[0].predicted["maxent"].low)
    assert found.contrasts[0].observed.low < found.contrasts[0].observed.high


def test_a_table_without_two_candidates_is_refused():
    three = Tableau.from_rows([("x", c, 1.0, [n]) for n, c in enumerate("pqr")], ["A"])
    with pytest.raises(InputError, match="no input has two candidates that differ"):
        logit_uniformity(three)


def test_the_command_prints_what_the_library_returns(tmp_path, capsys):
    tableau = of_d(D, COUNTS)
    file = tmp_path / "contexts.csv"
    tableau.to_pandas().to_csv(file, index=False)
    command = ["compare", str(file), "--models", "maxent", "--no-posterior", "--uniformity", "--seed", "1"]
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["uniformity"]
    found = logit_uniformity(tableau, seed=1)
    observed = [one["observed"]["value"] for one in printed["contrasts"]]
    assert observed == pytest.approx([one.observed.value for one in found.contrasts])
    assert printed["words"] == found.words()
    assert main(command) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Normal MaxEnt" in shown
    assert f"{found.contrasts[0].observed.value:.2f} ±" in shown


def test_differences_are_a_table_and_unknown_parses_are_refused():
    found = logit_uniformity(of_d(D, COUNTS), seed=1)
    frame = found.to_pandas()
    assert frame["constraint"].tolist() == [one.constraint for one in found.contrasts]
    assert frame["observed"].tolist() == [one.observed.value for one in found.contrasts]
    first = found.contrasts[0].predicted
    assert all(frame[f"{name}_low"][0] == pytest.approx(one.low, nan_ok=True) for name, one in first.items())
    with pytest.raises(InputError, match="parses are not known"):
        logit_uniformity(read("overt_stress"))
