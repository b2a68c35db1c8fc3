"""Inputs typed between slashes, and candidates between brackets, are printed between one pair of them."""

from __future__ import annotations

import pytest

from otlab.cli import main
from otlab.ot import Tableau, compare, fit_maxent, fit_report, rank, ranking_report
from otlab.viz.ot.page import result_page
from otlab.viz.ot.printed import tableau_latex, tableau_svg, tableau_word_html
from otlab.viz.ot.tableau import tableau_html

ROWS = [("[bad]", 1, [1, 0]), ("[bat]", 3, [0, 1]), ("[pad]", 0, [1, 1])]


def typed(form):
    return Tableau.from_rows([(form, *row) for row in ROWS], ["*Vcd", "Ident"], name="t")


SHOWN = {
    "latex": tableau_latex,
    "tabular": lambda t: tableau_latex(t, style="tabular"),
    "svg": tableau_svg,
    "word": tableau_word_html,
    "html": lambda t: tableau_html(t, [0, 1]),
    "text": repr,
    "notebook": Tableau._repr_html_,
    "ranked": lambda t: ranking_report(rank(t)),
    "learnt": lambda t: fit_report(fit_maxent(t, seed=1)).split("Predictions")[1],
    "page": lambda t: result_page([fit_maxent(t, seed=1)]).split('class="ot-one"')[1],
    "compared": lambda t: compare(t, ["maxent"], posterior=False, seed=1)["maxent"].words(),
}


@pytest.mark.parametrize("show", SHOWN)
def test_slashes_and_brackets_stand_once(show):
    with_slashes, without = (SHOWN[show](typed(form)) for form in ("/bad/", "bad"))
    assert with_slashes.split("</table>")[0] == without.split("</table>")[0]
    assert "bad" in with_slashes or show == "compared"
    assert "[[" not in with_slashes.split("</table>")[0]


def test_latex_adds_the_slashes_itself():
    assert r"\inp{\ips{bad}}" in tableau_latex(typed("/bad/"))


def test_the_command_line_says_which_input_a_candidate_is_of(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A,B\n/bad/,x,1,0,0\n/bad/,y,0,1,1\n", encoding="utf-8")
    assert main(["rank", str(path), "--typology"]) == 0
    assert "y of /bad/ can never win" in capsys.readouterr().out
