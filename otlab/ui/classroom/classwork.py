"""Base class of a lab's material for a class: numbers to compare, guesses, cards of a lesson's page."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from otlab.errors import Fault, InputError, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.ui.classroom.exercise import Exercise
    from otlab.viz.base.page import Section

__all__ = ["RANKING", "Classwork", "Guessing", "Report", "distance_words"]

RANKING = "ranking"
"""The kind of guess that is a ranking drawn by dragging."""

S = TypeVar("S")
_CLOSE = 0.02  # a guess that differs by less is counted as right


@dataclass(frozen=True)
class Report:
    """The numbers of one page's run.

    Attributes
    ----------
    title, label
        The quantity, such as "Ranking values", and the source of the numbers: "GLA, each run".
    values
        Row, such as a constraint, to numbers: one for each run of the page.
    beside
        Row to further numbers that they are compared with, such as draws of the posterior; may be empty.
    beside_label
        What those are.
    hue
        The colour of the learner.
    constraints
        Whether the rows are constraints, whose names are set as such.
    """

    title: str
    label: str
    values: Mapping[str, Sequence[float]]
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)
    beside_label: str = ""
    hue: str = "gla"
    constraints: bool = False


@dataclass(frozen=True)
class Guessing:
    """The quantities of a guess: shares that add up to 1 in each group, or single numbers from 0 to 1.

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
    kind, label
        What tells it from the other guesses of a lab, and what the teacher chooses it by; empty for the
        usual one.
    noise, bound
        Of a ranking only, whose numbers are ranking values: the evaluation noise, and the largest value.
    """

    question: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    shares: bool = True
    of: str = "words"
    what: str = "candidate"
    kind: str = ""
    label: str = "the result"
    noise: float = field(default=0.0, compare=False)
    bound: float = field(default=0.0, compare=False)

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest number that can be guessed."""
        return (-self.bound, self.bound) if self.kind == RANKING else (0.0, 1.0)


class Classwork(Generic[S]):
    """A lab's material for a class; the base class has none.

    Attributes
    ----------
    with_view
        Whether what the state's contents hold under "view" belongs to the data that are locked.
    has_page
        Whether an exercise can be a page that needs no server, see :meth:`page`.
    """

    with_view: ClassVar[bool] = False
    has_page: ClassVar[bool] = False

    def report(self, state: S) -> Report | None:
        """Return the numbers of the run that has ended, for a class to compare; None without any."""
        return None

    def guessings(self, state: S) -> Sequence[Guessing]:
        """Return what can be guessed before the open data are learnt from, the usual guess first."""
        return ()

    def guessing(self, state: S, kind: str = "") -> Guessing | None:
        """Return the guess of a kind, the usual one if that is empty; None if nothing can be guessed."""
        offered = [each for each in self.guessings(state) if kind in ("", each.kind)]
        return offered[0] if offered else None

    def outcome(self, state: S, kind: str = "") -> Sequence[Sequence[float]] | None:
        """Return the result of the last run in the form of a guess; None before one has ended."""
        return None

    def sections(self, state: S) -> list[Section]:
        """Return the results shown now as cards of an HTML page."""
        return []

    def page(self, state: S, identity: str, exercise: Exercise, language: str | None = None) -> str:
        """Return an exercise about the open data as one page that needs no server, in a language.

        Raises
        ------
        InputError
            If the lab has no such page.
        """
        raise InputError(Fault("this lab has no page that works without a server", "hand out the link"))


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
    if guessing.kind == RANKING:
        return _order_words([x for (x,) in guess], [x for (x,) in truth])
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
        too = f"{counted(round(abs(100 * off)), 'point')} too {'high' if off > 0 else 'low'}"
        distances.append(f"{name} is {'right' if abs(off) < _CLOSE else too}")
    return f"Your guess for {', for '.join(distances)}."


def _order_words(guess: Sequence[float], truth: Sequence[float]) -> str:
    """Return how many pairs of constraints a guess ranks otherwise than the result.

    >>> _order_words([1.0, 0.0, -1.0], [0.5, -1.0, 0.0])
    'Your guess ranks 1 of 3 pairs of constraints the other way round.'
    """
    pairs = list(combinations(range(len(truth)), 2))
    other = sum((guess[i] - guess[j]) * (truth[i] - truth[j]) <= 0 for i, j in pairs)
    if not other:
        return "Your guess ranks the constraints as the result does."
    return f"Your guess ranks {other} of {counted(len(pairs), 'pair')} of constraints the other way round."
