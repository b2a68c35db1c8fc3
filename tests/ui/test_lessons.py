"""Lessons: every step of every lesson can be shown, and shows what its file says."""

from __future__ import annotations

import pytest

from otlab.errors import InputError
from otlab.ui.fields import text_of
from otlab.ui.lessons.lesson import lesson_names, read_lesson, shipped_lesson
from otlab.ui.lessons.player import LessonBar
from otlab.ui.server import uploads, warm
from otlab.ui.server.registry import lab as lab_entry
from tests.ui.page import page, parts, send

TEXT = """# Three steps
> lab: ot_lab; goal: to test

## First
> example: ilokano_reduplication; learners: gibbs; sweeps: 200

Nothing has *run*.

## Second
> run; replay: 0.5

Half of it.

## Third
> sweeps: 300; clear

Gone again.
"""


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def opened(lesson):
    lab = lab_entry(lesson.lab).load()()
    lab.layout = lab.main()
    return lab, LessonBar(lab, lesson)


def ended(lab):
    assert lab.runner.wait(120)
    return lab.runner.phase


def test_a_step_says_what_changes():
    lesson = read_lesson(TEXT)
    assert (lesson.title, lesson.lab, lesson.goal) == ("Three steps", "ot_lab", "to test")
    assert lesson.steps[0].caption == "Nothing has *run*."
    assert [step.ran for step in lesson.steps] == [None, 1, None]
    assert [step.replay for step in lesson.steps] == [1.0, 0.5, 1.0]
    assert [dict(step.settings) for step in lesson.steps] == [
        {"sweeps": "200"},
        {"sweeps": "200"},
        {"sweeps": "300"},
    ]
    assert {step.example for step in lesson.steps} == {"ilokano_reduplication"}
    assert [step.line for step in lesson.steps] == [4, 9, 14]


def test_every_fault_of_a_lesson_is_told_with_its_line():
    with pytest.raises(InputError) as error:
        read_lesson("> goal: none\n\n## A\n> replay: often\n> nonsense\n", "mine")
    message = str(error.value)
    for words in ("no title", "names no lab", "mine:3: replay is often", "mine:5: nonsense has no value"):
        assert words in message
    with pytest.raises(InputError, match="the lesson has no step; begin each with a line"):
        read_lesson("# Nothing yet\n> lab: ot_lab\n", "mine")


def test_what_the_lab_does_not_have_is_told():
    lesson = read_lesson(TEXT.replace("gibbs", "gibs").replace("sweeps: 300", "swept: 3"))
    with pytest.raises(InputError, match=r"(?s)no learner gibs.*no setting swept"):
        opened(lesson)
    for word in ("postern", ""):
        with pytest.raises(InputError, match="no lesson"):
            shipped_lesson(word)


def test_a_lesson_is_found_by_its_number_or_a_word():
    assert {shipped_lesson(word).name for word in ("3", "posterior", "post", "3_posterior")} == {
        "3_posterior"
    }
    assert [shipped_lesson(word).name for word in ("1", "10")] == ["1_variation", "10_speakers"]
    assert lesson_names()[-2:] == ["9_hard", "10_speakers"]


def test_a_shipped_lesson_opens_above_its_lab_and_leaves_the_learners_that_it_does_not_name():
    lab = lab_entry("ot_lab").load()()
    lab.layout = page(lab, lesson="1")
    (bar,) = parts(lab.layout, "LessonBar")
    assert bar.lesson is shipped_lesson("1")
    lab.close()
    lab, bar = opened(read_lesson(TEXT.replace("learners: gibbs; ", "")))
    assert lab.state.learners == sorted(lab_entry("ot_lab").load()().state.learners)
    shown = dict(bar.shown)
    send(bar, {"kind": "anything else"})
    assert (bar.shown, bar.visible) == (shown, True)
    lab.close()


@pytest.mark.slow
def test_a_lesson_of_ones_own_is_opened_from_its_file_by_all_pages_of_its_address():
    address = uploads.address_of("mine.md", TEXT.encode())
    route, _, key = address.partition("?lesson=")
    assert route == "ot_lab"
    for _ in range(2):
        lab = lab_entry(route).load()()
        lab.layout = page(lab, lesson=key)
        (bar,) = parts(lab.layout, "LessonBar")
        assert bar.shown["lesson"] == "Three steps"
        assert bar.lesson.name == "mine"
        send(bar, {"kind": "go", "by": 1})
        assert bar.shown["title"] == "Second"
        lab.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("0.5", "x"), "mine.md:9: replay is x"),
        (TEXT.replace("ot_lab", "ot"), "a lesson of ot, which is not open here"),
        ("# Notes\n", "Nothing was loaded"),
    ],
)
def test_a_file_that_is_no_lesson_of_a_lab_here_says_why(text, words):
    with pytest.raises(InputError, match=words):
        uploads.address_of("mine.md", text.encode())


@pytest.mark.slow
def test_steps_go_forth_and_back():
    lab, bar = opened(read_lesson(TEXT))
    assert lab.runner.phase == "idle"
    send(bar, {"kind": "go", "by": 1})
    assert ended(lab) == "done"
    assert lab.runner.replayed == 0.5
    bar.show(1)  # the run that is there already
    assert lab.runner.phase == "done"
    posterior = lab.posterior
    send(bar, {"kind": "go", "by": 1})
    assert (lab.runner.phase, text_of(lab.settings, "sweeps")) == ("idle", "300")
    assert bar.shown["at"] == 2
    send(bar, {"kind": "go", "by": 1})
    assert bar.shown["at"] == 2
    bar.show(0)
    assert (lab.runner.phase, text_of(lab.settings, "sweeps")) == ("idle", "200")
    bar.show(1)
    assert ended(lab) == "done"
    assert (lab.posterior.draws["ranking_value"] == posterior.draws["ranking_value"]).all()
    send(bar, {"kind": "leave"})
    assert not bar.visible
    lab.close()


LONG = ("4_taggers", "6_words", "8_heard", "10_speakers")  # they learn for seconds


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in lesson_names()]
)
def test_every_lesson_runs(name):
    lesson = shipped_lesson(name)
    assert 4 <= len(lesson.steps) <= 10
    assert lesson.goal
    lab, bar = opened(lesson)
    for at, step in enumerate(lesson.steps):
        bar.show(at)
        assert bar.shown["title"] == step.title
        assert len(step.caption) > 40
        if step.ran is not None:
            assert ended(lab) == "done"
            assert lab.runner.report is None or lab.runner.report.badge.text
        else:
            assert lab.runner.phase == "idle"
        for setting, text in step.settings.items():
            assert text_of(lab.settings, setting) == text
        assert lab.example == step.example
    lab.close()
