"""LaTeX of every sample: the shape of each row, and compiled where TeX and the packages are installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from otlab.ot import Tableau, read
from otlab.samples import samples
from otlab.viz.ot.printed import tableau_latex

STYLES = ("ot-tableau", "tabular")
AWKWARD = Tableau.from_rows(
    [("a&b", "50%_x#", 1, [0, 1]), ("a&b", "{~^}\\", 0, [9, -2]), ("ŋ̩ːʃ", "t͡ʃ|ə", 3, [0, 0])],
    ["C_BR$", "*[ŋ"],
)


def tableaux():
    return [read(sample.name) for sample in samples("ot")] + [AWKWARD]


def environments(text, style):
    """Return the column specification and the rows of each environment."""
    name = "tableau" if style == "ot-tableau" else "tabular"
    for spec, body in re.findall(rf"\\begin{{{name}}}{{([^\n]*)}}\n(.*?)\\end{{{name}}}", text, re.S):
        yield spec, body.strip().splitlines()


def arguments(line, command):
    """Return how often a command stands in a line, after the check that all its braces close."""
    bare = re.sub(r"\\[{}]", "", line)
    assert bare.count("{") == bare.count("}")
    return len(re.findall(re.escape(command) + r"(?:\[[^]]*\])?{", line))


@pytest.mark.parametrize("style", STYLES)
def test_every_row_has_as_many_cells_as_there_are_columns(style):
    for tableau in tableaux():
        found = list(environments(tableau_latex(tableau, style=style), style))
        assert len(found) == len(tableau.inputs)
        for k, (spec, lines) in enumerate(found):
            if style == "ot-tableau":
                assert re.sub("[^c]", "", spec) == "c" * tableau.n_constraints
                assert arguments(lines[0], r"\inp") == 1
                assert arguments(lines[0], r"\const") == tableau.n_constraints
                rows = lines[1:]
                assert all(arguments(row, r"\cand") == 1 for row in rows)
                assert all(arguments(row, r"\vio") == tableau.n_constraints for row in rows)
            else:
                rows = [line for line in lines if line.endswith(r"\\") and "multicolumn" not in line]
                cells = [len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows]
                assert cells == [tableau.n_constraints + 2] * len(rows)
            assert len(rows) == len(tableau.violations[tableau.rows(k)])


@pytest.mark.parametrize("style", STYLES)
def test_letters_beyond_ascii_are_said_to_need_a_font(style):
    plain, ipa = (
        tableau_latex(Tableau.from_rows([(form, form, 1, (0,))], ["Max"]), style=style)
        for form in ("bed", "bɛd")
    )
    note = r"% For its letters: lualatex or xelatex, \usepackage{fontspec}, \setmainfont{Charis SIL}"
    assert note in ipa.splitlines()
    assert note not in plain


def installed(style):
    """Return whether XeLaTeX and the packages of a style are there."""
    packages = {"ot-tableau": ["ot-tableau", "bbding"], "tabular": ["xcolor", "pifont", "arydshln"]}[style]
    if not (shutil.which("xelatex") and shutil.which("kpsewhich")):
        return False
    found = [subprocess.run(["kpsewhich", f"{p}.sty"], capture_output=True).stdout for p in packages]
    font = subprocess.run(["kpsewhich", "pzdr.tfm"], capture_output=True).stdout  # the hand of pifont
    return all([*found, font])


@pytest.mark.peer
@pytest.mark.parametrize("style", STYLES)
def test_xelatex_prints_every_sample(style, tmp_path):
    """All samples in one document, without an error or a character that the font lacks."""
    if not installed(style):
        pytest.skip("XeLaTeX or a package is not installed")
    texts = [tableau_latex(tableau, style=style) for tableau in tableaux()]
    mark = "% In the preamble: "
    preamble = [line.removeprefix(mark) for line in texts[0].splitlines() if line.startswith(mark)]
    fonts = [r"\documentclass{article}", r"\usepackage{fontspec}\setmainfont{DejaVu Serif}"]
    body = [r"\begin{document}\tiny", *texts, r"\end{document}"]
    (tmp_path / "all.tex").write_text("\n\n".join([*fonts, *preamble, *body]), encoding="utf-8")
    ran = subprocess.run(
        ["xelatex", "-interaction=nonstopmode", "all.tex"], cwd=tmp_path, capture_output=True, timeout=120
    )
    log = (tmp_path / "all.log").read_text(errors="replace")
    assert ran.returncode == 0, re.findall(r"^!.*", log, re.M)
    assert "Missing character" not in log
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
