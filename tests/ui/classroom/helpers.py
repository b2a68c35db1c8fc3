"""A class without browsers: the page a teacher makes an exercise of, and pages of students."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import one, parts, send

ASKED = {
    "title": "Which constraint?",
    "question": "Which one must be ranked highest?",
    "choices": "",
    "locked": ["data"],
    "hidden": [],
    "predict": False,
    "own_seed": True,
}


def made(lab, **asked):
    """Make an exercise of a lab's document; return the ids of its two links."""
    send(lab.bar, {"kind": "exercise", "asked": {**ASKED, **asked}})
    links = lab.sent[-1]["exercise"]
    student, teacher = (parse_qs(urlsplit(links[who]).query) for who in ("student", "teacher"))
    return student["exercise"][0], teacher["board"][0]


def pupil(case, exercise, **query):
    """Return a lab with a student's page, its short run set."""
    lab = paged(CASES[case], exercise=exercise, **query)
    lab.asked = one(lab.layout, "ExerciseBar")
    lab.guess = next(iter(parts(lab.layout, "GuessCard")), None)
    return lab


def type_in(lab, **texts):
    """Type a name or an answer on a student's page."""
    for kind, text in texts.items():
        send(lab.asked, {"kind": kind, "text": text})


def runs(lab):
    """Press Run, and wait for the end."""
    send(lab.runner, {"kind": "toggle", "label": "Run"}, "RunHead")
    assert lab.runner.wait(300)
