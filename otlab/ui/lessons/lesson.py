"""A lesson as a file of Markdown: what the lab shows at each step, and the text beside it.

::

    # What a posterior is
    > lab: ot_lab; goal: to read a histogram of draws

    ## One input, three outputs
    > example: ilokano_reduplication; learners: gibbs; sweeps: 2000

    Each output was heard 33 times.

    ## The first draws
    > run; replay: 0.01

    After *one* sweep nothing is known.

Lines that begin with ``>`` say what is shown: an example, learners, a tab, a sentence, any setting of the
lab, ``run``, ``clear``, ``predict`` (a guess is asked for, until ``clear``; in the OT lab
``predict: ranking`` asks for the ranking), and after a run the share of it that is replayed. What a step
does not say stays as it was in the step before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Lesson", "Step", "is_lesson", "lesson_names", "read_lesson", "shipped_lesson"]

_OWN = ("example", "learners", "tab", "sentence", "replay")  # any other name is a setting
_WORDS = ("run", "clear", "predict")


@dataclass(frozen=True)
class Step:
    """What the lab shows at one step, settings of earlier steps included.

    Attributes
    ----------
    title, caption
        Heading and text; the caption is plain text, words between asterisks are stressed.
    example
        The example that is open.
    learners
        The learners that are ticked; those of the lab if empty.
    tab
        The tab that is open; the one that was if empty.
    sentence
        The sentence looked at.
    settings
        Settings by name, as typed into their fields.
    ran
        The number of the step whose run is shown, from 0; None for none.
    replay
        The share of the run that is shown.
    predict, guess
        Whether the reader guesses what a run will show, and the kind of that guess.
    line
        Where it begins in the file.
    """

    title: str
    caption: str
    example: str = ""
    learners: tuple[str, ...] = ()
    tab: str = ""
    sentence: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    ran: int | None = None
    replay: float = 1.0
    predict: bool = False
    guess: str = ""
    line: int = 0


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    name
        Of its file, without the ending; links name it.
    title, goal
        What it is called, and what a student can do after it.
    lab
        The address of its lab, such as ``ot_lab``.
    steps
        In their order.
    """

    name: str
    title: str
    goal: str
    lab: str
    steps: tuple[Step, ...]


def lesson_names() -> list[str]:
    """Return the names of the shipped lessons, in order."""
    texts = files(__package__).joinpath("texts").iterdir()
    names = [path.name.removesuffix(".md") for path in texts if path.name.endswith(".md")]
    return sorted(names, key=lambda name: int(name.partition("_")[0]))


@cache
def shipped_lesson(word: str) -> Lesson:
    """Return the only shipped lesson whose name begins with `word`, with or without its number.

    Raises
    ------
    InputError
        If there is none, or several.
    """
    known = lesson_names()
    names = [name for name in known if _is_called(name, word)]
    if len(names) != 1 or not word:
        raise InputError(Fault(f"there is no lesson {word!r}", did_you_mean(word, known)))
    (name,) = names
    return read_lesson(files(__package__).joinpath("texts", f"{name}.md").read_text(encoding="utf-8"), name)


def _is_called(name: str, word: str) -> bool:
    """Return whether a word is a lesson's number, or begins its name with or without the number."""
    number, _, title = name.partition("_")
    return word == number if word.isdecimal() else name.startswith(word) or title.startswith(word)


def is_lesson(name: str, data: bytes) -> bool:
    r"""Return whether a file is meant as a lesson: Markdown with a line that names a lab.

    >>> is_lesson("mine.md", b"# Mine\n> goal: to see; lab: ot_lab\n")
    True
    >>> is_lesson("notes.md", b"# Notes\n")
    False
    """
    return name.lower().endswith(".md") and re.search(rb"^>.*\blab\s*:", data, re.MULTILINE) is not None


def read_lesson(text: str, name: str = "lesson") -> Lesson:
    """Parse and return a lesson.

    Raises
    ------
    InputError
        With every line that cannot be read.
    """
    faults: list[Fault] = []
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    about = _settings_of(head, 1, faults, name)
    title = re.search(r"^# (.+)$", head, re.MULTILINE)
    if title is None:
        faults.append(Fault("the lesson has no title", 'begin with a line like "# Title"', file=name, line=1))
    if "lab" not in about:
        faults.append(
            Fault("the lesson names no lab", 'write "> lab: ot_lab" below the title', file=name, line=1)
        )
    if not parts:
        faults.append(Fault("the lesson has no step", 'begin each with a line like "## Title"', file=name))
    steps: list[Step] = []
    line = head.count("\n") + 1
    for part in parts:
        before = steps[-1] if steps else Step("", "")
        steps.append(_step(part, line, before, len(steps), faults, name))
        line += part.count("\n")
    if faults:
        raise InputError(faults)
    return Lesson(name, title[1].strip() if title else "", about.get("goal", ""), about["lab"], tuple(steps))


def _step(part: str, line: int, before: Step, number: int, faults: list[Fault], name: str) -> Step:
    """Return a step: its own settings, and those of the step before where it has none."""
    given = _settings_of(part, line, faults, name)
    ran = number if "run" in given else None if "clear" in given else before.ran
    replay = before.replay if ran == before.ran else 1.0
    if "replay" in given:
        try:
            replay = float(given["replay"])
        except ValueError:
            faults.append(
                Fault(f"replay is {given['replay']}", "give a share from 0 to 1", file=name, line=line)
            )
    settings = {key: value for key, value in given.items() if key not in (*_OWN, *_WORDS)}
    words = [row for row in part.splitlines()[1:] if not row.startswith(">")]
    return Step(
        title=part.splitlines()[0].removeprefix("## ").strip(),
        caption=" ".join(" ".join(words).split()),
        example=given.get("example", before.example),
        learners=tuple(given["learners"].split()) if "learners" in given else before.learners,
        tab=given.get("tab", before.tab),
        sentence=given.get("sentence", before.sentence),
        settings={**before.settings, **settings},
        ran=ran,
        replay=replay,
        predict="predict" in given or (before.predict and "clear" not in given),
        guess=given.get("predict", before.guess),
        line=line,
    )


def _settings_of(part: str, line: int, faults: list[Fault], name: str) -> dict[str, str]:
    """Return the names and values of the lines that begin with ">"."""
    given: dict[str, str] = {}
    for at, row in enumerate(part.splitlines(), start=line):
        if not row.startswith(">"):
            continue
        for entry in filter(None, (piece.strip() for piece in row.removeprefix(">").split(";"))):
            key, colon, value = entry.partition(":")
            if not colon and key not in _WORDS:
                hint = f'write "name: value", or one of {", ".join(_WORDS)}'
                faults.append(Fault(f"{key} has no value", hint, file=name, line=at))
            given[key.strip()] = value.strip()
    return given
