"""Base class of a lab's material for a class: numbers to compare, guesses, cards of a lesson's page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.viz.base.page import Section

__all__ = ["Classwork", "Guessing", "Report", "distance_words"]

S = TypeVar("S")
_CLOSE = 0.02  # a share, or a number from 0 to 1, that differs by less counts as right


@dataclass(frozen=True)
class Report:
    """The numbers of one page's run.

    Attributes
    ----------
    title, label
        What is compared, such as "Ranking values", and whose numbers they are: "GLA, each run".
    values
        Row, such as a constraint, to numbers: one for each run of the page.
    beside
        Row to further numbers that they are compared with, such as draws of the posterior; may be empty.
    beside_label
        What those are.
    hue
        The colour of the learner.
    """

    title: str
    label: str
    values: Mapping[str, Sequence[float]]
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)
    beside_label: str = ""
    hue: str = "gla"


@dataclass(frozen=True)
class Guessing:
    """What is guessed: shares that add up to one in each group, or single numbers from 0 to 1.

    Attributes
    ----------
    question
        "How often will each candidate win?"
    groups
        Name of each group, such as an input, and of what is in it, such as its candidates.
    shares
        Whether the numbers of a group add up to 1.
    of, what
        What a share is counted in, and what it is of: "words", "candidate".
    """

    question: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    shares: bool = True
    of: str = "words"
    what: str = "candidate"


class Classwork(Generic[S]):
    """A lab's material for a class; the base class has none.

    Attributes
    ----------
    with_view
        Whether what the state's contents hold under "view" belongs to the data that are locked.
    """

    with_view: ClassVar[bool] = False

    def report(self, state: S) -> Report | None:
        """Return the numbers of the run that has ended, for a class to compare; None without any."""
        return None

    def guessing(self, state: S) -> Guessing | None:
        """Return what can be guessed before learning from the open data; None if nothing can."""
        return None

    def outcome(self, state: S) -> Sequence[Sequence[float]] | None:
        """Return the result of the last run for :meth:`guessing`; None before a run has ended."""
        return None

    def sections(self, state: S) -> list[Section]:
        """Return the results shown now as cards of an HTML page."""
        return []


def distance_words(
    guessing: Guessing, guess: Sequence[Sequence[float]], truth: Sequence[Sequence[float]]
) -> str:
    """Return how far a guess is from the result, in plain words.

    >>> candidates = Guessing("How often?", (("/a/", ("b", "c")),))
    >>> distance_words(candidates, [[0.5, 0.5]], [[0.75, 0.25]])
    'Of 100 words, your guess puts 25 on another candidate than the result does.'
    >>> accuracy = Guessing("How much is right?", (("EM", ("1-to-1",)),), shares=False)
    >>> distance_words(accuracy, [[0.6]], [[0.4]])
    'Your guess for EM is 20 points too high.'
    """
    if guessing.shares:
        parts = [
            sum(abs(a - b) for a, b in zip(mine, true, strict=True)) / 2
            for mine, true in zip(guess, truth, strict=True)
        ]
        off = sum(parts) / max(len(parts), 1)
        if off < _CLOSE:
            return "Your guess is as good as right."
        where = f"another {guessing.what} than the result does"
        return f"Of 100 {guessing.of}, your guess puts {100 * off:.0f} on {where}."
    distances = []
    for (name, _), mine, true in zip(guessing.groups, guess, truth, strict=True):
        off = mine[0] - true[0]
        too = f"{abs(100 * off):.0f} points too {'high' if off > 0 else 'low'}"
        distances.append(f"{name} is {'right' if abs(off) < _CLOSE else too}")
    return f"Your guess for {', for '.join(distances)}."
