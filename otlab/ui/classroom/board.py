"""The pages of one exercise: students, progress, answers and results; shared by all pages of a server.

A student's page writes here when something happens on it; a teacher's page checks once per second whether
:attr:`Board.version` has changed. Results computed for one teacher's page are reused for the others.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from otlab.ui.classroom.classwork import RANKING, Report
from otlab.ui.classroom.codes import new_code, typed_code, wrong_codes
from otlab.ui.documents.writer import writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from otlab.ui.documents.store import DocumentStore

__all__ = ["STATES", "Board", "Entry", "board_of", "link_of_code"]

STATES = {
    "reading": "Reading",
    "editing": "Editing",
    "running": "Running",
    "done": "Done",
    "answered": "Answered",
}
"""What a page does, and its label."""
_PART = "board"
_SAVE_SECONDS = 2.0


@dataclass
class Entry:
    """One page of the class.

    Attributes
    ----------
    number, name
        "page 3", and what the student typed in its place.
    state, doing
        One of :data:`STATES`; the learners that were run.
    answer, why
        The student's, and the reason given beside an answer that was chosen; empty before there is one.
    guessing, guess, truth, guess_text
        The names of what is guessed, the guess, what came out, as :class:`~.classwork.Guessing` has them,
        and how far they are apart, in words.
    report
        The numbers of its run; None before there are any, or if its data are others.
    here
        Whether the page is open.
    """

    number: int
    name: str = ""
    state: str = "reading"
    doing: str = ""
    answer: str = ""
    why: str = ""
    guessing: Sequence[str] = ()
    guess: Sequence[Sequence[float]] | None = None
    truth: Sequence[Sequence[float]] | None = None
    guess_text: str = ""
    report: Report | None = None
    here: bool = True

    @property
    def called(self) -> str:
        """The student's name, or else "page 3"."""
        return self.name or f"page {self.number}"


@dataclass
class Board:
    """All pages of an exercise.

    Attributes
    ----------
    id
        Of the exercise.
    entries
        By the id of the student's document.
    revealed
        Whether what is hidden has been revealed.
    starts
        How often the exercise was started over.
    version
        Changes with everything that a teacher's page shows.
    code
        Of the students' link, see :mod:`~otlab.ui.classroom.codes`; it counts while a teacher's page is open.
    lab
        The route of the exercise's lab.
    """

    id: str
    store: DocumentStore | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    revealed: bool = False
    starts: int = 0
    version: int = 0
    code: str = ""
    lab: str = ""

    def __post_init__(self) -> None:
        self._listeners: dict[object, tuple[str, Callable[[], None]]] = {}
        self._kept: dict[str, tuple[int, Any]] = {}
        self._teachers: WeakSet[object] = WeakSet()

    def enter(self, page: str) -> Entry:
        """Return the entry of a page; create it if there is none."""
        if page not in self.entries:
            number = max((entry.number for entry in self.entries.values()), default=0) + 1
            self.entries[page] = Entry(number)
            self._changed()
        self.update(page, here=True)
        return self.entries[page]

    def update(self, page: str, **values: Any) -> None:
        """Update the entry of a page."""
        entry = self.entries.get(page)
        if entry is None or all(getattr(entry, name) == value for name, value in values.items()):
            return
        for name, value in values.items():
            setattr(entry, name, value)
        self._changed()

    def listen(self, who: object, page: str, callback: Callable[[], None]) -> None:
        """Register a function to call when the answer is revealed or hidden, or the exercise started over."""
        self._listeners[who] = page, callback

    def open_code(self, teacher: object, lab: str) -> str:
        """Return the short code of the students' link, which counts until this teacher's page is closed."""
        self.lab = lab
        if not self.code:
            self.code = new_code({board.code for board in list(_boards.values())})
            self._changed()
        self._teachers.add(teacher)
        return self.code

    def close_code(self, teacher: object) -> None:
        """Let the code end with the last teacher's page."""
        self._teachers.discard(teacher)

    @property
    def open_to_code(self) -> bool:
        """Whether the code counts."""
        return bool(self.code) and bool(self._teachers)

    def leave(self, who: object, page: str) -> None:
        """Remove the callback of a page that is closed; it may be open a second time, as after a reload."""
        self._listeners.pop(who, None)
        self.update(page, here=page in {open_page for open_page, _ in self._listeners.values()})

    def reveal(self, revealed: bool) -> None:
        """Reveal the hidden parts on all pages, or hide them again."""
        self.revealed = revealed
        self._notify_pages()

    def start_over(self) -> None:
        """Delete answers, guesses and runs. Every open page starts over; closed pages are removed."""
        self.entries = {
            page: Entry(entry.number, entry.name) for page, entry in self.entries.items() if entry.here
        }
        self.revealed = False
        self.starts += 1
        self._notify_pages()

    def once(self, what: str, make: Callable[[], Any]) -> Any:
        """Return what `make` returns for the present version; all teacher's pages share it."""
        version, made = self._kept.get(what, (-1, None))
        if version != self.version:
            made = make()
            self._kept[what] = self.version, made
        return made

    def reports(self) -> list[Report]:
        """Return the numbers of all comparable runs: those of the kind that most pages have."""
        reports = [entry.report for entry in self.entries.values() if entry.report is not None]
        kinds = [(report.title, report.label, tuple(report.values)) for report in reports]
        most = max(kinds, key=kinds.count, default=None)
        return [report for report, kind in zip(reports, kinds, strict=True) if kind == most]

    def guesses(self, kind: str = "") -> list[Report]:
        """Return the guesses of all pages, of this kind, and the results, as numbers to compare."""
        return [
            replace(_compared(entry.guessing, entry.guess, entry.truth), constraints=kind == RANKING)
            for entry in self.entries.values()
            if entry.guess is not None
        ]

    def answers(self) -> list[tuple[str, list[str]]]:
        """Return each answer with the pages that gave it, the most frequent first."""
        found: dict[str, tuple[str, list[str]]] = {}
        for entry in self.entries.values():
            if entry.answer:
                same = " ".join(entry.answer.casefold().split())
                found.setdefault(same, (entry.answer, []))[1].append(entry.called)
        return sorted(found.values(), key=lambda answer: -len(answer[1]))

    def _notify_pages(self) -> None:
        self._changed()
        for _, callback in list(self._listeners.values()):
            callback()

    def _changed(self) -> None:
        self.version += 1
        if self.store is not None:
            writer.put(f"{self.id} board", partial(self._save, self.store), _SAVE_SECONDS)

    def _save(self, store: DocumentStore) -> None:
        values = {
            "revealed": self.revealed,
            "starts": self.starts,
            "code": self.code,
            "entries": {page: asdict(entry) for page, entry in list(self.entries.items())},
        }
        store.put_parts(self.id, {_PART: json.dumps(values, separators=(",", ":")).encode()})

    def _load(self) -> None:
        saved = None if self.store is None else self.store.load(self.id)
        if saved is None or _PART not in saved.parts:
            return
        values = json.loads(saved.parts[_PART])
        self.revealed, self.starts = bool(values["revealed"]), int(values["starts"])
        self.code = str(values.get("code", ""))
        self.entries = {page: _entry(entry) for page, entry in values["entries"].items()}


def _compared(
    names: Sequence[str], guess: Sequence[Sequence[float]], truth: Sequence[Sequence[float]] | None
) -> Report:
    """Return a guess as numbers that can be compared with others, beside the result."""
    flat = [number for group in guess for number in group]
    true = [] if truth is None else [number for group in truth for number in group]
    values = {name: [number] for name, number in zip(names, flat, strict=False)}
    beside = {name: [number] for name, number in zip(names, true, strict=False)}
    return Report("Guesses", "guess of each page", values, beside, "result", "gla")


def _entry(values: Mapping[str, Any]) -> Entry:
    """Return an entry that was saved; its page counts as closed until it is opened again."""
    report = None if values["report"] is None else Report(**values["report"])
    state = "done" if values["state"] == "running" else values["state"]
    return Entry(**{**values, "report": report, "state": state, "here": False})


# A board ends when no page shows it and its last change is saved; it is read again when one opens.
_boards: WeakValueDictionary[tuple[str, str], Board] = WeakValueDictionary()


def board_of(exercise: str, store: DocumentStore) -> Board:
    """Return the board of an exercise, with its saved entries; all pages of this server share it."""
    key = str(store.path), exercise
    board = _boards.get(key)
    if board is None:
        board = _boards[key] = Board(exercise, store)
        board._load()
    return board


def link_of_code(typed: str) -> str:
    """Return the students' link of a short code that was typed; empty if no open board has it.

    After many wrong codes within a minute, none counts until that is over.
    """
    code = typed_code(typed)
    if wrong_codes.too_many():
        return ""
    for board in list(_boards.values()):
        if code and board.open_to_code and board.code == code:
            return f"{board.lab}?exercise={board.id}"
    wrong_codes.add()
    return ""
