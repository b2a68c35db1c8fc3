"""The Trees tab of the lexicon lab, and the files of its trees."""

from __future__ import annotations

import base64
import shutil
import subprocess

import pytest

from tests.ui.lexicon.helpers import finished
from tests.ui.page import send, sent, shown_text


@pytest.fixture
def trees(lab):
    """The Trees tab after a run."""
    finished(lab)
    (view,) = lab.showings
    view.go("Trees")
    return view.tab("Trees")


def saved(trees, key):
    """Return name and text of a file of the card's menu."""
    messages = sent(trees.card.menu, "CardMenu")
    before = len(messages)
    send(trees.card.menu, {"key": key}, "CardMenu")
    (message,) = messages[before:]
    return message["name"], base64.b64decode(message["data"]).decode()


def test_the_files_hold_the_trees_in_sight(trees):
    drawn = shown_text(trees).count("<figure>")
    assert drawn > 0
    name, brackets = saved(trees, "brackets")
    assert name == "toy_phones_trees_of_utterance_1_brackets.txt"
    lines = brackets.splitlines()
    assert len(lines) == drawn
    assert all(line.startswith("(Utterance (Word (Phon ") for line in lines)
    for key in ("forest", "qtree"):
        name, text = saved(trees, key)
        assert name == f"toy_phones_trees_of_utterance_1_{key}.tex"
        assert "% learner: Batch VB\n" in text
        counts = [int(line.split()[2]) for line in text.splitlines() if line.startswith("% drawn ")]
        assert len(counts) == drawn
        assert sum(counts) == 12
        assert r"\scriptsize $\times$" in text, "how often a stored word is used"
        assert "Phon" not in text.split("% drawn")[1], "as in the picture"


def test_no_file_holds_the_trees_of_an_earlier_utterance(lab, trees):
    first = saved(trees, "brackets")[1]
    lab.state.utterance = 1
    name, second = saved(trees, "brackets")
    assert "utterance_2" in name
    assert second != first
    lab.runner.reset()
    assert saved(trees, "brackets")[1] == ""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize(("key", "package"), [("forest", "[linguistics]{forest}"), ("qtree", "{tikz-qtree}")])
def test_latex_reads_them(trees, tmp_path, key, package):
    text = saved(trees, key)[1]
    assert rf"\usepackage{package}" in text
    whole = (
        rf"\documentclass{{article}}\usepackage{package}\begin{{document}}"
        + f"\n{text}\n"
        + r"\end{document}"
    )
    (tmp_path / "trees.tex").write_text(whole, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    if "not found" in done.stdout:
        pytest.skip("the package is not installed")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "trees.pdf").exists()
