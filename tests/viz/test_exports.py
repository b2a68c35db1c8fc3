"""Tableaux in LaTeX, as HTML for word processors, as SVG and PNG, and the formats by name."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from otlab import __version__
from otlab.errors import InputError
from otlab.ot import Tableau, rank, read
from otlab.ot.io.read import read_bytes
from otlab.samples import samples
from otlab.viz.ot.exports import FORMATS, format_of, order_of_values, write_tableau
from otlab.viz.ot.printed import Strata, tableau_latex, tableau_svg, tableau_word_html
from tests.viz.markup import HOSTILE

TABLES = ("csv", "otsoft", "xlsx", "maxent.ot", "praat-collection")


@pytest.fixture
def cv():
    return read("cv_syllable_typology")


def test_a_plain_tabular_has_hand_fatal_violation_shade_and_dashed_rules(cv):
    text = tableau_latex(cv, style="tabular")
    assert r"\begin{tabular}{|r@{\ }l||c:c:c|c|c|}" in text
    assert r"\multicolumn{2}{|l||}{/V/} & \textsc{Onset} & \textsc{NoCoda}" in text
    assert r"\ding{43} & \textbf{.cV.} &  &  &  &  & * \\" in text
    shade = r"\cellcolor[gray]{.87}"
    assert rf" & .V. & *! &  &  & {shade} & {shade} \\" in text
    assert r" & $<$V$>$ &  &  &  & *! & \cellcolor[gray]{.87} \\" in text


def test_each_row_of_a_tabular_has_its_cells(cv):
    for block in re.findall(
        r"\\hline\\hline\n(.*?)\\end\{tabular\}", tableau_latex(cv, style="tabular"), re.S
    ):
        rows = [line for line in block.splitlines() if "&" in line]
        assert rows
        assert all(line.count("&") == 1 + cv.n_constraints for line in rows)


def test_ot_tableau_has_its_commands(cv):
    text = tableau_latex(cv)
    assert r"\begin{tableau}{c:c:c|c|c}" in text
    assert text.count(r"\cand[\Optimal]") == 2
    assert text.count(r"\vio{") == cv.n_rows * cv.n_constraints
    assert text.count("{") == text.count("}")


def test_the_ranking_orders_the_columns(cv):
    strata = Strata.of_order([4, 3, 2, 1, 0])
    text = tableau_latex(cv, strata)
    assert r"\begin{tableau}{c|c|c|c|c}" in text
    assert text.index("Fill-Ons") < text.index("Onset")
    inconsistent = read("inconsistent_demo")
    assert Strata.of_ranking(rank(inconsistent)) == Strata((0, 1), (1, 1))


def test_what_latex_would_read_as_commands_is_printed():
    tableau = Tableau.from_rows([("a&b", "50%_x#", 1, [0]), ("a&b", "{~^}\\", 0, [9])], ["C_BR$"])
    text = tableau_latex(tableau, style="tabular")
    assert r"/a\&b/" in text
    assert r"50\%\_x\#" in text
    assert r"\{\textasciitilde{}\textasciicircum{}\}\textbackslash{}" in text
    assert r"\textsc{C}\textsubscript{BR\$}" in text
    assert "& 9!" in text


def test_html_for_word_needs_no_stylesheet(cv):
    page = tableau_word_html(cv, about="made so\nand so")
    assert page.count("<table ") == 2
    assert page.count("<td ") == page.count('<td style="border:1px solid') == 6 * 6
    assert page.count("background:#DDDDDD") == 7
    assert "☞ .cV." in page
    assert "&lt;V&gt;" in page
    assert page.count("border-right-style:dashed") == 2 * 4 * 2
    assert ">made so</p>" in page


@pytest.mark.parametrize("draw", [tableau_word_html, tableau_svg])
def test_names_are_escaped(draw):
    tableau = Tableau.from_rows([(HOSTILE, HOSTILE, 1, [1])], [HOSTILE], title=HOSTILE)
    assert HOSTILE not in draw(tableau, about=HOSTILE)


def test_svg_holds_every_name_and_mark(cv):
    svg = tableau_svg(cv, about="otlab so")
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    assert texts.count("∗!") == 4
    assert texts.count("☞") == 2
    assert {"/V/", ".CV.Cv.", "Onset", "Fill-Ons"} <= set(texts)
    assert "<desc>otlab so</desc>" in svg
    assert svg.count("<rect") == 7


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["ilokano", "inconsistent_demo", "finnish"])
def test_every_format_of_a_sample(name, form):
    tableau = read(name)
    data = write_tableau(tableau, form)
    if form in TABLES:
        again = read_bytes(data, f"again{FORMATS[form].ending}").tableau
        assert again.to_pandas().equals(tableau.to_pandas())
    elif form not in ("praat", "praat-pairs", "png"):
        assert f"otlab {__version__}" in data.decode()
    assert data.startswith(b"\x89PNG") or form != "png"


def test_what_is_printed_says_how_it_was_ranked(cv):
    assert (
        "strata by BCD"
        in write_tableau(cv, "html", Strata.of_ranking(rank(cv, "bcd")), "the strata by BCD").decode()
    )
    assert "the file, for no ranking fits" in write_tableau(read("inconsistent_demo"), "svg").decode()


TIED = Tableau.from_rows(
    [("bad", "bad", 50, [1, 0]), ("bad", "pat", 50, [0, 1]), ("ta", "ta", 0, [0, 0])], ["*Vcd", "Ident"]
)


@pytest.mark.parametrize("form", ["ot-tableau", "tabular", "html", "svg"])
def test_a_tie_of_the_data_is_told(form):
    told = "equally frequent candidates of /bad/: the first is taken as the winner"
    assert told in write_tableau(TIED, form).decode()
    assert told not in write_tableau(TIED, form, Strata.of_order([0, 1]), "a language").decode()


def test_tableaux_as_learnt_have_observed_and_predicted():
    predicted = np.array([0.375, 0.625, 1.0])
    strata = order_of_values(np.array([0.25, 1.5]))
    assert strata == Strata((1, 0), (1, 1))
    latex = write_tableau(TIED, "ot-tableau", strata, "the ranking values", predicted).decode()
    assert r"\begin{tableau}{c|c|c|c}" in latex
    assert r"\const{Ident} \const{*Vcd} \const*{observed, \%} \const*{predicted, \%}" in latex
    assert r"\cand[\Optimal]{bad} \vio{} \vio{*} & 50.0 & 37.5" in latex
    assert r"\cand[\Optimal]{ta} \vio{} \vio{} &  & 100.0" in latex
    tabular = write_tableau(TIED, "tabular", strata, "", predicted).decode()
    assert r"{|r@{\ }l||c|c||r|r|}" in tabular
    assert all(line.count("&") == 5 for line in tabular.splitlines() if line.endswith("62.5 \\\\"))
    assert "62.5" in tabular
    for form in ("html", "svg"):
        text = write_tableau(TIED, form, strata, "", predicted).decode()
        assert all(word in text for word in ("observed, %", "predicted, %", "37.5", "62.5"))


def test_equal_values_are_a_stratum():
    assert order_of_values(np.array([1.0, 2.0, 1.0])) == Strata((1, 0, 2), (1, 2))


def test_every_sample_is_written_for_maxent_ot_without_comments():
    for sample in samples("ot"):
        assert b"#" not in write_tableau(read(sample.name), "maxent.ot").splitlines()[0]


def test_an_ending_stands_for_a_format():
    assert format_of(Path("a.OTGRAMMAR")) == "praat"
    assert format_of(Path("a.tex")) == "ot-tableau"
    with pytest.raises(InputError, match="belongs to no format of tableaux"):
        format_of(Path("a.docx"))
