"""A lesson as one page of HTML, from Python, the command line and its bar; a step that asks for a guess."""

from __future__ import annotations

import json
import re

import pytest

from otlab import load_sample
from otlab.cli.main import main
from otlab.errors import InputError
from otlab.mg import parse
from otlab.ui.lessons import page as lessons_page
from otlab.ui.lessons.lesson import lesson_names, read_lesson
from otlab.ui.lessons.page import lesson_page
from otlab.ui.lessons.player import LessonBar
from otlab.ui.server import warm
from otlab.ui.server.registry import lab as lab_entry
from otlab.viz.base.page import MOST_BYTES
from otlab.viz.mg.page import readings_section
from tests.ui.page import send, sent

LESSON = """# Guess first
> lab: ot_lab; goal: to test

## Before
> example: ilokano_reduplication; learners: gibbs; sweeps: 200; predict

What will *happen*?

## After
> run

This.

## Replayed
> replay: 0.5
"""


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def test_a_lesson_is_one_page_with_what_each_step_shows(tmp_path, capsys):
    path, page = tmp_path / "mine.md", tmp_path / "mine.html"
    path.write_text(LESSON, encoding="utf-8")
    assert main(["lesson", str(path), "--html", str(page), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    text = page.read_text(encoding="utf-8")
    assert result["lessons"][0]["bytes"] == len(text.encode()) < MOST_BYTES
    assert result["lessons"][0]["steps"] == ["Before", "After", "Replayed"]
    assert "What will <em>happen</em>?" in text
    assert "after 50 % of the run" in text
    assert text.count("Posterior of the ranking values") == 2
    assert text.count('<div data-part="line">') == 2, "a ranking line to drag at each step with a result"
    assert "ot_lab?lesson=mine" in text
    assert not re.search(r"https?://|src=|url\(", text), "it asks for nothing"
    assert main(["lesson", str(path), "--html", str(page)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"mine ot_lab 3 {len(text.encode()) / 1000:,.0f} Guess first" in printed
    assert "saved: " in printed
    assert main(["lesson"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in lesson_names())
    assert "saved" not in printed


def test_what_cannot_be_saved_says_why(tmp_path, capsys):
    (tmp_path / "x.html").write_text("a file")
    assert main(["lesson", "--html", str(tmp_path / "x.html")]) == 2
    assert "give a folder for the pages of all lessons" in capsys.readouterr().err
    assert main(["lesson", "postern"]) == 2
    assert "no lesson 'postern'" in capsys.readouterr().err
    with pytest.raises(InputError, match="no learner gibs"):
        lesson_page(read_lesson(LESSON.replace("gibbs", "gibs")))


def test_a_page_whose_run_takes_too_long_or_that_is_too_large_is_not_made(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(lessons_page, "_PATIENCE", 0.0)
        with pytest.raises(InputError, match="the run of step 2 did not end; try it in the lab"):
            lesson_page(read_lesson(LESSON.replace("sweeps: 200", "sweeps: 1000000")))
    monkeypatch.setattr(lessons_page, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"larger than 1\.5 MB; give the lesson smaller data"):
        lesson_page(read_lesson(LESSON.partition("## After")[0]))


@pytest.mark.slow
def test_the_pages_of_all_lessons_are_small(tmp_path, capsys):
    assert main(["lesson", "--html", str(tmp_path / "pages")]) == 0
    printed = capsys.readouterr().out
    pages = sorted((tmp_path / "pages").iterdir(), key=lambda page: int(page.stem.split("_")[0]))
    assert [page.stem for page in pages] == lesson_names()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert len(text.encode()) < MOST_BYTES
        assert f"{page.stat().st_size / 1000:,.0f}" in printed
        assert not re.search(r"https?://(?!www\.w3\.org/)|src=|url\(", text), "it asks for nothing"


def test_a_step_asks_for_a_guess_and_shows_it_beside_the_result():
    lesson = read_lesson(LESSON)
    lab = lab_entry(lesson.lab).load()()
    lab.layout = lab.main()
    bar = LessonBar(lab, lesson, lambda one: f"page of {one.name}")
    assert "guess" in lab.runner.held
    send(bar.guess, {"kind": "guess", "guess": [[0.6, 0.3, 0.1]]})
    assert lab.runner.held == ""
    bar.show(1)
    assert lab.runner.wait(300)
    assert bar.guess.shown["text"].startswith("Of 100 words, your guess puts ")
    messages = sent(bar)
    send(bar, {"kind": "save"})
    assert messages == [{"name": "lesson.html", "text": "page of lesson"}]
    send(bar, {"kind": "leave"})
    assert not bar.view[1].visible
    lab.close()


def test_derivations_are_drawn_in_a_page():
    section = readings_section(parse(load_sample("figure1_wh"), "what did you see"))
    ((name, shown),) = section.live
    assert name == "player"
    assert all("<svg" in step["svg"] for step in shown["sentences"][0]["readings"][0]["steps"])
    assert "&lt;svg" not in section.body
