"""Learners of overt forms: the GLA where parses are unique, sums over parses, languages they learn."""

import numpy as np
import pytest

from otlab import load_sample
from otlab.errors import InputError
from otlab.ot import Tableau, read_text
from otlab.ot.analysis.report import fit_report
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.interpretive import InterpretiveGLA
from otlab.ot.overt import heard_tableau, overt_forms_of, overt_frame, parse_frame, reproduced
from otlab.ot.probability import predict_many

SMALL = """Input,Output,Overt,Count,C1,C2,C3
LL,(L1 L),L1 L,5,0,1,0
LL,(L1) L,L1 L,5,1,0,0
LL,(L L1),L L1,2,1,1,0
LH,(L H1),L H1,3,0,0,1
LH,(L1 H),L1 H,1,0,1,0
"""


def learnt(name, tableau, **settings):
    entry = LEARNERS[name]
    return entry.fit(tableau, entry.settings(**settings), seed=1)


@pytest.mark.parametrize("rule", ["symmetric-all", "edcd", "weighted-uncancelled", "magri"])
@pytest.mark.parametrize("name", ["spanish_diminutive", "td_deletion_chicano", "dutch_final_devoicing"])
def test_rip_with_unique_parses_is_the_gla(name, rule):
    tableau = load_sample(name)
    ours, gla = (learnt(one, tableau, sweeps=2000, runs=2, rule=rule) for one in ("rip", "gla"))
    assert np.array_equal(ours.mean, gla.mean)


def test_overt_forms_add_up_and_parses_share():
    tableau = read_text(SMALL)
    forms = overt_forms_of(tableau)
    assert forms.of_row.tolist() == [0, 0, 1, 2, 3]
    probability = predict_many(tableau, np.array([[1.0, 0.0, -1.0], [0.0, 0.5, 0.0]]), 2, seed=0)
    frame = overt_frame(tableau, probability[0])
    assert frame.probability.tolist() == pytest.approx(
        [probability[0, :2].sum(), *probability[0, 2:].tolist()]
    )
    assert frame.observed.tolist() == pytest.approx([5 / 7, 2 / 7, 0.75, 0.25])
    parses = parse_frame(tableau, probability)
    shares = probability[:, 0] / probability[:, :2].sum(axis=1)
    assert parses.probability[0] == pytest.approx(shares.mean())
    assert parses.low[0] <= parses.probability[0] <= parses.high[0]


def test_the_likelihood_is_that_of_the_overt_forms():
    tableau = read_text(SMALL.replace("L L1,2,1", "L L1,0,1"))
    fit = learnt("rip", tableau, sweeps=2000, runs=1)
    probability = predict_many(tableau, fit.predicted.best[None], 2, seed=0)[0]
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    heard = counts > 0
    expected = (counts[heard] * np.log(forms.sums(probability)[heard])).sum()
    assert fit.predicted.log_likelihood == pytest.approx(expected)


def test_an_overt_form_without_a_parse_that_can_win_is_told():
    fit = learnt("rip", read_text(SMALL), sweeps=1000, runs=1)
    assert "'L L1' of 'LL' has no parse that can win" in fit.warnings[0]
    assert np.isfinite(fit.predicted.log_likelihood)


def test_reproduced_counts_inputs_with_data():
    tableau = read_text(SMALL)
    assert reproduced(tableau, np.array([0, 3])) == 1.0
    assert reproduced(tableau, np.array([1, 4])) == 0.5


def stress(names=("Parse", "FtBin", "Trochaic", "Iambic", "AFL", "AFR")):
    from otlab.forms.feet import FOOT_CONSTRAINTS
    from otlab.forms.gen import footings

    rows, overt = [], []
    order = [names.index(name) for name in ("FtBin", "Trochaic", "AFL", "Parse", "AFR", "Iambic")]
    for size in (2, 3, 4):
        block = [*footings([False] * size)]
        marks = [[FOOT_CONSTRAINTS[name](form) for name in names] for form in block]
        best = min(range(len(block)), key=lambda n: [marks[n][c] for c in order])
        for form, row in zip(block, marks, strict=True):
            count = 10.0 * (form.overt == block[best].overt)
            rows.append(("L " * size, str(form), count, row))
            overt.append(form.overt)
    seen, once = set(), []
    for (source, form, count, row), heard in zip(rows, overt, strict=True):
        key = source, heard
        once.append((source.strip(), form, 0.0 if key in seen else count, row))
        seen.add(key)
    return Tableau.from_rows(once, list(names), overt=tuple(overt))


@pytest.mark.parametrize("name", ["rip", "rrip", "eip"])
def test_a_trochaic_language_is_learnt_from_stress_alone(name):
    fit = learnt(name, stress(), sweeps=5000, runs=4)
    assert max(fit.reproduced) == 1.0
    assert set(fit.to_dict()) >= {"overt", "parses", "reproduced"}
    assert fit.parses.groupby(["input", "overt"]).probability.sum().round(9).eq(1).all()


def test_another_way_of_parsing_is_refused():
    with pytest.raises(InputError, match="choose rip, rrip or eip"):
        InterpretiveGLA(read_text(SMALL), how="best")


def test_what_was_heard_is_observed_and_not_a_parse_of_it():
    tableau = read_text(SMALL)
    heard = heard_tableau(tableau)
    assert heard.candidates == ("L1 L", "L L1", "L H1", "L1 H")
    assert heard.offsets.tolist() == [0, 2, 4]
    assert heard.frequencies.tolist() == [5, 2, 3, 1]
    fit = learnt("rip", tableau, sweeps=500, runs=1)
    observed = fit.predictions.observed
    assert np.isnan(observed[:2]).all()
    assert observed[2:].tolist() == pytest.approx([2 / 7, 0.75, 0.25])
    assert "Parses of what was heard" in fit_report(fit)
