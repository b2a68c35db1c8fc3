"""Reports in words: how constraints were ranked, and what was learnt."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from otlab import __version__
from otlab.ot import fit_gla, fit_report, rank, ranking_report, read
from otlab.ot.analysis.rank import erc_text
from otlab.samples import samples


@pytest.mark.parametrize("algorithm", ["rcd", "bcd", "lfcd"])
@pytest.mark.parametrize("name", [sample.name for sample in samples("ot")])
def test_every_comparison_is_explained_in_the_stratum_of_its_highest_constraint(name, algorithm):
    ranking = rank(read(name), algorithm)
    report = ranking_report(ranking)
    assert f"otlab {__version__}" in report
    if not ranking.consistent:
        assert ranking.words in report
        return
    blocks = re.split(r"\nStratum \d+: ", report)[1:]
    assert [block.splitlines()[0] for block in blocks] == [", ".join(names) for names in ranking.strata]
    level = {c: n for n, stratum in enumerate(ranking.demotion.strata) for c in stratum}
    for erc in ranking.ercs:
        text = f"({erc_text(erc, ranking.tableau.constraints)})"
        assert any(text in block for block in [blocks[min(level[c] for c in erc.winners)]])


def test_why_a_constraint_waits():
    report = ranking_report(rank(read("cv_syllable_typology"), apriori=[("Fill-Ons", "Onset")]))
    assert "Given beforehand: Fill-Ons >> Onset" in report
    assert "No ranking does" in report
    assert "must wait Parse: /CVC/: .CV.<C> beats .CVC." in report


def test_a_fit_says_schedule_seed_and_versions():
    fit = fit_gla(read("ilokano"), plan="praat", trials=400, runs=2, seed=3)
    report = fit_report(fit, "the GLA")
    assert report.startswith("What was learnt by the GLA from Ilokano reduplication\n  seed: 3\n")
    assert "schedule: praat" in report
    assert f"otlab {__version__}" in report
    assert f"{fit.mean[0]:.4f}" in report
    assert all(name in report for name in (*fit.tableau.constraints, *fit.tableau.candidates))


def test_a_fit_of_a_table_typed_by_hand_says_so():
    fit = fit_gla(replace(read("ilokano"), name="", title=""), trials=40, runs=2, seed=3)
    assert fit_report(fit).startswith("What was learnt by gla from a table without a name\n")
