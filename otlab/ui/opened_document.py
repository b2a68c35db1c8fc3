"""Open a file that a lab saved (``.otlab``) in Python: its data, settings and runs, without the lab.

The command line and scripts take the data from it; a finished run gives its result with all draws, one that
was paused goes on with the numbers that the lab would have drawn.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import DataWarning, Fault, InputError
from otlab.files import file_bytes
from otlab.inference import conclude
from otlab.ui.documents.archive import ENDING, read_archive
from otlab.ui.documents.encoding import loads
from otlab.ui.documents.runs import RUN, SIGHT, part_name
from otlab.ui.server.registry import labs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.inference import Run
    from otlab.ui.documents.store import Saved
    from otlab.ui.state import State

__all__ = ["OpenedDocument", "empty_state", "open_document", "readable_runs", "state_of"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class OpenedDocument:
    """What a lab saved as a file.

    Attributes
    ----------
    system
        The package of its lab: ``"ot"``, ``"tagging"``, ``"mg"`` or ``"discovery"``.
    name
        As the user named the document; else what its data are called.
    data
        The data as edited: a :class:`~otlab.ot.Tableau`, a :class:`~otlab.tagging.Corpus`, a
        :class:`~otlab.mg.Lexicon` or a :class:`~otlab.discovery.Corpus`.
    sentences
        Of a lexicon, how often each sentence of its corpus occurs.
    grammar
        Of a text to segment, the adaptor grammar as typed.
    settings
        The fields of the lab by name, as texts, among them ``seed``.

    Examples
    --------
    >>> import otlab
    >>> otlab.open_document("a tableau.xlsx")
    Traceback (most recent call last):
        ...
    otlab.errors.InputError: a tableau.xlsx: is no document of a lab; give a file that ends in .otlab
    """

    system: str
    name: str
    data: Any
    sentences: Mapping[tuple[str, ...], int]
    grammar: str
    settings: Mapping[str, str]
    saved: Saved

    def __repr__(self) -> str:
        return f"<OpenedDocument of {self.system}: {self.name}>"

    @cached_property
    def runs(self) -> Mapping[str, Run[Any, Any]]:
        """The runs in sight that had begun, by learner or row; ``finish()`` completes one that was paused.

        Runs that cannot be read are left out with a warning, such as those on sound, which need recordings.

        Warns
        -----
        DataWarning
            With the names of those left out.
        """
        runs, unreadable = readable_runs(self.saved)
        if unreadable:
            what = f"{self.name}: the results of {', '.join(unreadable)} are left out"
            warnings.warn(f"{what}; open the document in its lab to see them", DataWarning, stacklevel=3)
        return runs

    def results(self) -> dict[str, Any]:
        """Return the result of each run so far, by learner or row."""
        return {name: conclude(run, stopped=not run.finished) for name, run in self.runs.items()}


def open_document(path: str | Path, system: str = "") -> OpenedDocument:
    """Return what a lab saved as a file.

    Parameters
    ----------
    path
        The file, which ends in ``.otlab``.
    system
        Whose lab it must be a document of, such as ``"ot"``; empty for any.

    Raises
    ------
    InputError
        If it is no document, is damaged, was saved by a later version of otlab, or is one of another lab; or
        if the rows of its lexicon make no grammar.

    Warns
    -----
    DataWarning
        With each row of a lexicon that has a fault, and is left out.
    """
    saved, found, state = _restored(path, system)
    return OpenedDocument(
        found,
        saved.summary.name or saved.summary.title,
        _data(state, found, Path(path).name),
        Counter(getattr(state, "counts", {})),
        getattr(state, "grammar_text", ""),
        dict(saved.values["settings"]),
        saved,
    )


def readable_runs(saved: Saved) -> tuple[dict[str, Run[Any, Any]], list[str]]:
    """Return the runs in sight of a document that had begun, and the rows whose runs cannot be read."""
    runs: dict[str, Run[Any, Any]] = {}
    unreadable: list[str] = []
    for name, part in _parts_in_sight(saved).items():
        try:
            record = loads(part)
            if getattr(record, "sweep", 0):  # otherwise it waited for its turn, as settings alone
                runs[name] = record.run()
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            _log.info("the run of %s in a document cannot be read: %s", name, error)
            unreadable.append(name)
    return runs, unreadable


def _parts_in_sight(saved: Saved) -> dict[str, bytes]:
    """Return the bytes of the runs in sight by row; documents of format 1 have no others."""
    if SIGHT not in saved.parts:
        return {n.removeprefix(RUN): part for n, part in saved.parts.items() if n.startswith(RUN) and part}
    try:
        keys = dict(loads(saved.parts[SIGHT])[0]).items()
    except (LookupError, ValueError, TypeError) as error:
        _log.info("the runs of a document cannot be read: %s", error)
        return {}
    found = {key[0]: saved.parts.get(part_name(RUN, key), b"") for key in keys}
    return {name: part for name, part in found.items() if part}


def _restored(path: str | Path, wanted: str) -> tuple[Saved, str, State]:
    """Return a document, the system of its lab, and the lab's state with its data and settings."""
    path = Path(path)
    if path.suffix.lower() != ENDING:
        raise InputError(Fault("is no document of a lab", f"give a file that ends in {ENDING}", path.name))
    try:
        saved = read_archive(file_bytes(path))
        return saved, *state_of(saved, wanted)
    except InputError as error:
        raise InputError([replace(fault, file=fault.file or path.name) for fault in error.faults]) from None


def state_of(saved: Saved, wanted: str = "") -> tuple[str, State]:
    """Return the system of a document's lab, and the lab's state with its data and settings, without runs.

    Parameters
    ----------
    saved
        The document.
    wanted
        Whose lab it must be a document of; empty for any.

    Raises
    ------
    InputError
        If it is a document of another lab, or damaged.
    """
    entries = {entry.route: entry for entry in labs()}
    titles = {entry.system: entry.title for entry in entries.values()}
    entry = entries.get(saved.summary.lab)
    if entry is None:
        raise InputError(Fault("is a document of a lab that is not here", "update otlab"))
    if wanted not in ("", entry.system):
        what, hint = f"is a document of the {entry.title} lab", f"give one of the {titles[wanted]} lab"
        raise InputError(Fault(what, hint))
    state = empty_state(entry.system)
    state.from_dict(saved.values)
    return entry.system, state


def empty_state(system: str) -> State:
    """Return the state of a system's lab in which next to nothing is open."""
    if system == "ot":
        from otlab.ui.ot.document import empty_tableau
        from otlab.ui.ot.state import OTState

        return OTState(empty_tableau())
    if system == "mg":
        from otlab.ui.mg.state import MGState

        return MGState()
    if system == "tagging":
        from otlab.tagging import Corpus
        from otlab.ui.tagging.state import TaggingState

        return TaggingState(Corpus.from_sentences([["a"]]))
    from otlab.discovery import Corpus as Text
    from otlab.ui.lexicon.state import LexiconState

    return LexiconState(Text.from_text("a"))


def _data(state: Any, system: str, name: str) -> Any:
    """Return what the learners of a lab learn from; a lexicon without the rows that have faults, as there."""
    if system != "mg":
        return state.tableau if system == "ot" else state.corpus
    if state.fault:
        raise InputError(Fault(state.fault, "mend the lexicon in its lab, and save it again", name))
    for line, entry in enumerate(state.entries, 1):
        if entry.remark is not None:
            fault = Fault(f"row {line} is left out, as in the lab: {entry.remark.message}", file=name)
            warnings.warn(str(fault), DataWarning, stacklevel=3)
    return state.lexicon_in_use
