"""An exercise as one page that needs no server, or as a package for a course."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.ui.classroom.guess import guess_asked, guess_names
from otlab.ui.components import styles
from otlab.web.page import PageExercise
from otlab.web.scorm import VERSIONS, scorm_package

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ui.classroom.classwork import Guessing
    from otlab.ui.classroom.exercise import Exercise
    from otlab.ui.tab import Host

__all__ = ["FORMS", "exercise_file", "page_exercise"]

_HERE = Path(__file__).resolve().parent
PAGE = "page"
FORMS = {PAGE: "One page", **{f"scorm-{version}": f"SCORM {version}" for version in VERSIONS}}
"""What an exercise is saved as, and its label."""
_COMPONENTS = {"exercise": "exerciseBar", "guess": "guessCard"}


def page_exercise(
    identity: str, exercise: Exercise, guessing: Guessing | None, rows: Sequence[Sequence[int]] = ()
) -> PageExercise:
    """Return an exercise for a page.

    Parameters
    ----------
    identity
        Its id in the store, by which the board knows its answers; empty if it is in none.
    exercise
        What is asked.
    guessing, rows
        What is guessed, and the rows of the table for each of its groups; None if nothing is.
    """
    asked: dict[str, Any] = {
        "id": identity,
        "title": exercise.title,
        "question": exercise.question,
        "choices": list(exercise.choices),
        "locked": list(exercise.locked),
        "hides": bool(exercise.hidden),
        "guessing": None,
    }
    if guessing is not None:
        names, of_rows = guess_names(guessing), [list(group) for group in rows]
        asked["guessing"] = {**guess_asked(guessing), "rows": of_rows, "names": names}
    wanted = [name for name in _COMPONENTS if name == "exercise" or guessing is not None]
    scripts = {_COMPONENTS[name]: (_HERE / f"{name}.js").read_text(encoding="utf-8") for name in wanted}
    return PageExercise(asked, scripts, {name: "\n".join(styles(name, _HERE)) for name in wanted})


def exercise_file(lab: Host, identity: str, exercise: Exercise, form: str) -> tuple[str, bytes]:
    """Return name and content of an exercise as a file: a page, or a package for a course.

    Raises
    ------
    InputError
        If the lab has no page, or there is no such form.
    """
    if form not in FORMS:
        raise InputError(Fault(f"an exercise is not saved as {form}", f"choose from {', '.join(FORMS)}"))
    page = lab.classwork.page(lab.state, identity, exercise)
    stem = "_".join(re.findall(r"[\w.-]+", exercise.title)) or "exercise"
    if form == PAGE:
        return f"{stem}.html", page.encode()
    version = form.removeprefix("scorm-")
    return f"{stem}_scorm_{version}.zip", scorm_package(page, exercise.title, version)
