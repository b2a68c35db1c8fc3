"""Errors of input, each with its place, what is wrong, and what to do.

A :class:`Fault` is one thing wrong at one place. Readers gather every fault of a
file and raise them together in one :class:`InputError`; nothing is half-loaded.

>>> str(Fault("'1,5' is not a whole number", "write 1 or 2", file="spanish.csv", line=3, column=5))
"spanish.csv:3:5: '1,5' is not a whole number; write 1 or 2"

A file with thousands of equal faults is reported in a few lines by :func:`condensed`.
"""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = [
    "MOST_FAULTS",
    "DataWarning",
    "Fault",
    "InputError",
    "Interrupted",
    "OtlabError",
    "all_results",
    "check_data",
    "check_options",
    "collected_warnings",
    "condensed",
    "counted",
    "did_you_mean",
    "not_a_preset",
    "quoted",
    "sentence_case",
]


MOST_FAULTS = 1000
"""A reader whose file has more than these faults may stop: it is another kind of file."""


class OtlabError(Exception):
    """Anything otlab raises on purpose."""


class DataWarning(UserWarning):
    """Warning of legal input that is probably a mistake."""


class Interrupted(OtlabError):
    """The run was stopped in the middle of a sweep; that sweep is dropped."""


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect warnings about data as text while something is read, for a page to show."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield notes
        finally:
            notes += [str(w.message) for w in caught if issubclass(w.category, DataWarning)]


@dataclass(frozen=True)
class Fault:
    """One thing wrong at one place.

    Parameters
    ----------
    what
        What is wrong, naming the offending text.
    hint
        What to do about it, in the imperative, without a full stop.
    file
        Name of the file, or of the sample or option.
    line, column
        Counted from 1; None where there is no such place (a binary file).
    spot
        Where it is in what has no lines: ``cell B4``, ``row 3, column 'A'``.
    cell
        Row, and head of the column, in a table that is text: ``row 3, Freq``. Pages write it in place of
        line and column; a message does so where there are none (a pasted table).
    kind
        What many such faults are called, after their number: ``cells are not whole
        numbers``. Faults of one kind are reported together by :func:`condensed`.
    """

    what: str
    hint: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    spot: str = ""
    kind: str = ""
    cell: str = ""

    @property
    def place(self) -> str:
        """``file:line:column`` with the parts that are known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part not in ("", None))

    @property
    def message(self) -> str:
        """What is wrong and what to do about it, without the place."""
        return f"{self.what}; {self.hint}" if self.hint else self.what

    def __str__(self) -> str:
        spot = self.spot or (self.cell if self.line is None else "")
        message = f"{spot}: {self.message}" if spot else self.message
        return f"{self.place}: {message}" if self.place else message


class InputError(OtlabError, ValueError):
    """The user's data or options are wrong; carries every fault found.

    Attributes
    ----------
    faults : tuple of Fault
        At least one, in the order of the file.
    heading
        What a page writes above them; empty for its usual words.
    """

    def __init__(self, faults: Fault | str | Iterable[Fault], heading: str = "") -> None:
        if isinstance(faults, str):
            faults = Fault(faults)
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        self.heading = heading
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.faults, self.heading))


def all_results(*steps: Callable[[], Any]) -> list[Any]:
    """Return what each of some independent steps returns; if any fails, all are tried first.

    Raises
    ------
    InputError
        With the faults of all steps that failed, in their order, so that a user who names two
        files that are missing hears of both.

    Examples
    --------
    >>> all_results(lambda: 1, lambda: "a")
    [1, 'a']
    """
    results: list[Any] = []
    faults: list[Fault] = []
    for step in steps:
        try:
            results.append(step())
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(dict.fromkeys(faults))  # two steps may have read the same file
    return results


def condensed(faults: Iterable[Fault], most: int = 5) -> tuple[Fault, ...]:
    """Return the faults, those of one kind as a single one where there are more than `most` of them.

    Faults without a kind belong together if they differ in quoted names and numbers only.

    >>> cells = [Fault("'x' is no number", line=n, kind="cells are no numbers") for n in (2, 5, 9)]
    >>> print(*condensed(cells, most=2))
    2: 3 cells are no numbers, first in line 2: 'x' is no number
    """
    groups: dict[str, list[Fault]] = {}
    for fault in (faults := tuple(faults)):
        groups.setdefault(_kind(fault), []).append(fault)
    shown: list[Fault] = []
    for fault in faults:
        group = groups[_kind(fault)]
        if len(group) <= most:
            shown.append(fault)
        elif fault is group[0]:
            shown.append(_together(group))
    return tuple(shown)


def _kind(fault: Fault) -> str:
    return fault.kind or _VARYING.sub("", fault.what)


_VARYING = re.compile(r"'[^']*'|“[^”]*”|[0-9][0-9,.]*")


def _together(group: Sequence[Fault]) -> Fault:
    first, n = group[0], len(group)
    if not first.kind:
        return replace(first, what=f"{first.what} (and {n - 1:,} more like this)")
    where = f"line {first.line}" if first.line is not None else first.spot or first.cell
    return replace(first, what=f"{n:,} {first.kind}, first in {where}: {first.what}", spot="", cell="")


def quoted(text: str) -> str:
    r"""Return a name between quotes as the file has it: unlike ``repr``, nothing is escaped.

    >>> print(quoted(r"k\a'.loi.den"))
    'k\a'.loi.den'
    """
    return f"'{text}'"


def counted(n: float, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or the plural, which is the noun and an s if not given.

    >>> counted(1, "input"), counted(1200, "input"), counted(1, "entry", "entries")
    ('1 input', '1,200 inputs', '1 entry')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def sentence_case(text: str) -> str:
    """Return a message or hint with a capital letter, as where it stands on a line of its own.

    >>> sentence_case("write 1 or 2")
    'Write 1 or 2'
    """
    return text[:1].upper() + text[1:]


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return a hint naming the closest known word, or those known.

    >>> did_you_mean("ilocano", ["ilokano", "spanish"])
    'did you mean ilokano?'
    >>> did_you_mean("zulu", ["ilokano", "spanish"])
    'choose from ilokano, spanish'
    """
    close = get_close_matches(word, known, n=1)
    if close:
        return f"did you mean {close[0]}?"
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return f"choose from {shown}" if known else "there are none to choose from"


def not_a_preset(kind: str, name: str, known: Sequence[str]) -> Fault:
    """Return the fault of a name that is neither one of those known nor a file.

    >>> print(not_a_preset("schedule", "prat", ["praat", "otsoft"]).message)
    there is no schedule 'prat'; did you mean praat?
    >>> print(not_a_preset("schedule", "mine.txt", ["praat", "otsoft"]).message)
    there is no file mine.txt; check the path, or name a schedule: choose from praat, otsoft
    """
    hint = did_you_mean(name, known)
    if Path(name).suffix or "/" in name or "\\" in name:
        return Fault(f"there is no file {name}", f"check the path, or name a {kind}: {hint}")
    return Fault(f"there is no {kind} {name!r}", hint)


def check_data(function: str, data: object, kind: type, how: str) -> None:
    """Refuse data that are no object of the type that a function takes, and say how to make one.

    Examples
    --------
    >>> check_data("fit_vb", "my.txt", Fault, "read a file with otlab.tagging.read")
    Traceback (most recent call last):
    ...
    otlab.errors.InputError: fit_vb takes a Fault, but was given a str; read a file with otlab.tagging.read
    """
    if not isinstance(data, kind):
        given = type(data).__name__
        raise InputError(Fault(f"{function} takes a {kind.__name__}, but was given a {given}", how))


# What the length of a run and the number of runs are called in one function or another.
_SAME = (
    {"sweeps", "iterations", "steps", "trials", "updates", "epochs", "max_iter", "n_iter"},
    {"chains", "restarts", "runs", "seeds", "replicates"},
    {"seed", "rng", "random_state"},
    {"states", "n_states", "n_components", "tags"},
)


def check_options(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse options that a function does not have.

    Parameters
    ----------
    function
        What the user called.
    given, known
        The names of the options given, and of those that it has.

    Raises
    ------
    InputError
        Naming the option, and the one that was probably meant.

    Examples
    --------
    >>> check_options("fit_gibbs", ["sweeps"], ["states", "iterations"])
    Traceback (most recent call last):
    ...
    otlab.errors.InputError: fit_gibbs has no option 'sweeps'; write iterations
    """
    for name in given:
        if name not in known:
            same = [other for kind in _SAME if name in kind for other in known if other in kind]
            hint = f"write {same[0]}" if same else did_you_mean(name, known)
            raise InputError(f"{function} has no option {name!r}; {hint}")
