r"""Footed forms: syllables with weight and stress, grouped in feet, and the constraints on them.

::

    (L1 L) H2           syllables as letters: L light, H heavy, 1 main stress, 2 secondary stress
    (ˈta.ta)(ˌtaː)      a transcription: heavy with a long vowel, two vowels or a coda
    [L1 L H2] -> /(L1 L) (H2)/     Praat's way: what is heard, and the parse; the parse counts

The twelve constraints are those of Tesar & Smolensky (2000, Learnability in Optimality Theory, ch. 4), with
Trochaic, \*Clash and \*Lapse beside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, quoted
from otlab.forms.notation import EDGE, MARKS, Alphabet

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FOOT_CONSTRAINTS", "Foot", "Footed", "count_feet", "read_footed"]

NONE, MAIN, SECONDARY = range(3)


@dataclass(frozen=True)
class Foot:
    """A foot: its first syllable, the one behind its last, and its stressed one, counted from 0."""

    start: int
    end: int
    head: int


@dataclass(frozen=True)
class Footed:
    """A form as syllables and feet.

    Attributes
    ----------
    heavy
        Whether each syllable is heavy.
    stress
        0 none, 1 main, 2 secondary, of each syllable.
    feet
        From left to right.
    """

    heavy: tuple[bool, ...]
    stress: tuple[int, ...]
    feet: tuple[Foot, ...]

    @property
    def main(self) -> Foot | None:
        """The foot with main stress; None if there is none."""
        return next((foot for foot in self.feet if self.stress[foot.head] == MAIN), None)

    @property
    def letters(self) -> tuple[str, ...]:
        """Each syllable as a letter with its stress: ``L1``."""
        pairs = zip(self.heavy, self.stress, strict=True)
        return tuple(("H" if heavy else "L") + ("", "1", "2")[stress] for heavy, stress in pairs)

    @property
    def overt(self) -> str:
        """What is heard, without the feet: ``L1 L H2``."""
        return " ".join(self.letters)

    def __str__(self) -> str:
        parts, starts = [*self.letters], {foot.start for foot in self.feet}
        for foot in self.feet:
            parts[foot.end - 1] += ")"
        return " ".join(("(" if n in starts else "") + part for n, part in enumerate(parts))


def _distance_left(form: Footed, foot: Foot | None) -> int:
    return foot.start if foot else len(form.heavy)


def _distance_right(form: Footed, foot: Foot | None) -> int:
    return len(form.heavy) - foot.end if foot else len(form.heavy)


def _runs(form: Footed, stressed: bool) -> int:
    return sum((a > 0) == (b > 0) == stressed for a, b in pairwise(form.stress))


FOOT_CONSTRAINTS: dict[str, Callable[[Footed], int]] = {
    "Parse": lambda form: len(form.heavy) - sum(foot.end - foot.start for foot in form.feet),
    "MainRight": lambda form: _distance_right(form, form.main),
    "MainLeft": lambda form: _distance_left(form, form.main),
    "AFR": lambda form: sum(_distance_right(form, foot) for foot in form.feet),
    "AFL": lambda form: sum(foot.start for foot in form.feet),
    "WFR": lambda form: int(not any(foot.end == len(form.heavy) for foot in form.feet)),
    "WFL": lambda form: int(not any(foot.start == 0 for foot in form.feet)),
    "Iambic": lambda form: sum(foot.head != foot.end - 1 for foot in form.feet),
    "Trochaic": lambda form: sum(foot.head != foot.start for foot in form.feet),
    "FootNonfinal": lambda form: sum(foot.head == foot.end - 1 for foot in form.feet),
    "Nonfinal": lambda form: int(any(foot.end == len(form.heavy) for foot in form.feet)),
    "FtBin": lambda form: sum(
        foot.end - foot.start == 1 and not form.heavy[foot.start] for foot in form.feet
    ),
    "WSP": lambda form: sum(
        heavy and not stress for heavy, stress in zip(form.heavy, form.stress, strict=True)
    ),
    "*Clash": lambda form: _runs(form, stressed=True),
    "*Lapse": lambda form: _runs(form, stressed=False),
}
"""Violations of each constraint by a footed form."""


def count_feet(name: str, form: str) -> int:
    """Return the violations of a constraint on feet by a form as written.

    Raises
    ------
    InputError
        If the form has no stress or feet that could be read.

    Examples
    --------
    >>> [count_feet(name, "(L1 L) H") for name in ("Parse", "WSP", "AFR", "Iambic")]
    [1, 1, 1, 1]
    """
    return FOOT_CONSTRAINTS[name](read_footed(form))


@lru_cache(maxsize=100_000)
def read_footed(form: str) -> Footed:
    """Return a form as syllables and feet.

    Raises
    ------
    InputError
        If it is no footed form, with the reason.

    Examples
    --------
    >>> str(read_footed("(ˈta.ta)(ˌtaː)ku"))
    '(L1 L) (H2) L'
    """
    text = re.split(r"\\?->|→", form)[-1].strip().strip("/[]").strip()
    syllables = _letters(text) if re.fullmatch(r"[LH012()\s]+", text) else _transcribed(text)
    if not syllables:
        raise _fault(form, "has no syllables", "write L and H, or a transcription with ˈ and ( )")
    heavy, stress, feet, start = [], [], [], -1
    for n, (is_heavy, its_stress, opens, closes) in enumerate(syllables):
        heavy.append(is_heavy)
        stress.append(its_stress)
        if opens:
            if start >= 0:
                raise _fault(form, "opens a foot in a foot", "close the first one")
            start = n
        if closes:
            if start < 0:
                raise _fault(form, "closes a foot that is not open", "write ( before its first syllable")
            heads = [k for k in range(start, n + 1) if stress[k]]
            if len(heads) != 1:
                what = "has a foot without stress" if not heads else "has a foot with two stresses"
                raise _fault(form, what, "mark the stress of one syllable of each foot")
            feet.append(Foot(start, n + 1, heads[0]))
            start = -1
    if start >= 0:
        raise _fault(form, "has a foot that is not closed", "write ) behind its last syllable")
    return Footed(tuple(heavy), tuple(stress), tuple(feet))


def _fault(form: str, what: str, hint: str) -> InputError:
    return InputError(Fault(f"{quoted(form)} {what}", hint, kind="forms are not footed as they should be"))


def _letters(text: str) -> list[tuple[bool, int, bool, bool]]:
    """Return weight, stress, and whether a foot opens and closes, of each syllable as a letter."""
    found = []
    for opens, letter, stress, closes in re.findall(r"(\(?)\s*([LH])([012]?)\s*(\)?)", text):
        found.append((letter == "H", int(stress or 0), bool(opens), bool(closes)))
    return found


def _transcribed(text: str) -> list[tuple[bool, int, bool, bool]]:
    """Return the same of the syllables of a transcription."""
    alphabet = _alphabet()
    marks = {code: mark for mark, code in MARKS.items()}
    syllabic = alphabet.table.feature("syllabic")
    long = alphabet.table.feature("long")
    found: list[list[int]] = []
    fresh, opens, stress, vowels = True, False, NONE, 0
    for code in alphabet.encode(text).codes:
        mark = "#" if code == EDGE else marks.get(code)
        if mark is None:
            if fresh:
                found.append([0, stress, int(opens), 0])
                fresh, opens, stress, vowels = False, False, NONE, 0
            values = alphabet.values_of(code)
            if vowels:
                found[-1][0] = 1
            elif values[syllabic] == 1:
                vowels = 1
                found[-1][0] = int(values[long] == 1)
            continue
        if mark == ")" and found:
            found[-1][3] = 1
        opens = opens or mark == "("
        stress = {"ˈ": MAIN, "ˌ": SECONDARY}.get(mark, stress)
        fresh = fresh or mark not in "-+"
    return [(bool(heavy), stress, bool(first), bool(last)) for heavy, stress, first, last in found]


@cache
def _alphabet() -> Alphabet:
    """Return the alphabet by which transcriptions are cut into syllables; weight needs no other table."""
    return Alphabet()
