"""The document of the lexicon lab: a text, a grammar as typed, and sound."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from otlab.discovery.channel.channel import corrupt
from otlab.discovery.corpus import Corpus, read
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.io.text import TextFormat
from otlab.discovery.joint.learners import LEARNERS as SOUND_LEARNERS
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import PRESETS
from otlab.errors import Fault, InputError, collected_warnings
from otlab.inference.digest import digest
from otlab.samples import samples
from otlab.ui.lexicon.settings import LexiconLabSettings
from otlab.ui.lexicon.sound import SoundState
from otlab.ui.lexicon.texts import corpus_text
from otlab.ui.shared_corpora import shared
from otlab.ui.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from otlab.discovery.grammar import Grammar
    from otlab.ui.lexicon.open_sound import OpenSound
    from otlab.ui.state import DocumentFile

__all__ = ["TextDocument", "edits_of"]

MOST_LINKED_PHONES = 300_000
TYPING_SECONDS = 2.0
GRAMMAR_EDITED = "grammar edited"
_NO_EDITS = "phones are edited only in a text with blanks between its words"


@dataclass(frozen=True)
class Document:
    """The editable parts of the document, which Undo restores.

    Attributes
    ----------
    clean, notes
        The text, and what was left out of it.
    grammar_text
        As typed.
    symbol, locked, banned
        Words of the trial parse, and the symbol they are strings of.
    sound
        The key of the sound that is open; empty for the first shipped one.
    """

    clean: Corpus
    notes: tuple[str, ...]
    grammar_text: str
    symbol: str
    locked: frozenset[str]
    banned: frozenset[str]
    sound: str = ""


class TextDocument(State):
    """A text with a grammar, the words of a trial parse, and sound.

    Parameters
    ----------
    clean
        The text to begin with.

    Attributes
    ----------
    parsed
        The last grammar without faults that was written.
    sound
        The sound, its units and words.
    """

    noun = "text"

    clean: Corpus = param.ClassSelector(class_=Corpus, doc="The text as it was loaded.")
    corpus: Corpus = param.ClassSelector(
        class_=Corpus, doc="What learners see: the text, or a copy with edits."
    )
    notes: tuple[str, ...] = param.ClassSelector(
        class_=tuple, default=(), doc="What was left out of the text when it was read."
    )
    grammar_text: str = param.String(PRESETS["word"], doc="The grammar as typed.")
    fault: InputError | None = param.ClassSelector(class_=InputError, doc="The fault of the grammar text.")
    symbol: str = param.String(doc="The adapted symbol whose strings are looked at; empty for the word.")
    utterance: int = param.Integer(0, doc="The utterance looked at.")
    locked: frozenset[str] = param.ClassSelector(
        class_=frozenset, default=frozenset(), doc="Words of the trial parse; nothing is learnt with them."
    )
    banned: frozenset[str] = param.ClassSelector(
        class_=frozenset, default=frozenset(), doc="Strings that may not be words."
    )
    sound_changed: int = param.Integer(0, doc="Counts changes of the sound, its units and the selection.")

    settings: LexiconLabSettings

    def __init__(self, clean: Corpus) -> None:
        clean = _shared(clean)
        super().__init__(LexiconLabSettings(), clean=clean, corpus=clean)
        self.parsed: Grammar = parse_grammar(self.grammar_text)
        self.grammar_notes: tuple[str, ...] = ()  # what a reader should know of the grammar that is written
        self._parser: Parser | None = None
        self._edited: tuple[float, int] = (0.0, 0)
        self._typed: tuple[float, Mapping[str, str]] = (0.0, {})  # last keystroke in the grammar: time, runs
        self.sound = SoundState()
        self.sound.param.watch(
            self._sound_changed, ["opened", "view", "utterance", "selected", "settled", "missing"]
        )
        self.sound.spoken.param.watch(self._sound_changed, ["view", "pipeline", "joint"])

    def _sound_changed(self, *_: Any) -> None:
        self.sound_changed += 1

    @property
    def name_shown(self) -> str:
        """The name of the user's own sound beside an example's text as it is shipped, else of the text."""
        opened = self.sound.opened
        own = opened is not None and opened.folder is not None
        as_shipped = bool(self.example) and not self.own_name and not self.edited
        return opened.title if own and opened is not None and as_shipped else self.clean.name

    @property
    def source_name(self) -> str:
        """The name of the open data: of the user's own sound if the text is only an example."""
        shown = self.name_shown
        return shown if shown != self.clean.name else super().source_name

    # Hooks for the lab's state.

    def forget(self) -> None:
        """Delete the results, because the text has changed."""

    def parse_again(self) -> None:
        """Repeat the trial parse with the present words."""

    # The document.

    def examples(self) -> Mapping[str, str]:
        """Return the shipped texts."""
        return {s.name: s.title for s in samples("discovery") if s.path.suffix == ".txt"}

    def load_example(self, example: str) -> None:
        """Load a shipped text."""
        self.load(read(example))

    def contents(self) -> Mapping[str, Any]:
        """Return the text; under "view" the grammar as typed and the sound, which stay with another text."""
        return {"corpus": self.clean, "view": (self.grammar_text, self.sound.key)}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Load a text with a grammar."""
        if contents["corpus"] is not None:
            self.load(contents["corpus"])
        grammar, sound = contents["view"]
        self.read_grammar(grammar)
        self.sound.show(sound)

    def learning_data(self) -> tuple[Any, ...]:
        """Return text, grammar and sound."""
        return self.clean, self.grammar_text, self.sound.key

    def too_large(self, contents: Mapping[str, Any]) -> bool:
        """Return whether the text has more than 300,000 phones."""
        return bool(contents["corpus"].phones.size > MOST_LINKED_PHONES)

    def written(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return the text (of an example its name), the grammar, and the sound's key if there is one."""
        corpus, opened = contents["corpus"], self.opened
        example = self.example if opened is not None and corpus is opened["corpus"] else ""
        text = "" if example else corpus.text or corpus_text(corpus)
        grammar, sound = contents["view"]
        form = {"form": asdict(corpus.form)} if text and corpus.text else {}
        beside = {"sound": sound} if sound else {}
        return {"example": example, "text": text, "grammar": grammar, **form, **beside}

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return text and grammar; no text for an example, which is loaded by name."""
        form = TextFormat(**written["form"]) if "form" in written else None
        with collected_warnings():  # they were shown when the text was first read
            corpus = None if written["example"] else Corpus.from_text(str(written["text"]), name, form=form)
        return {"corpus": corpus, "view": (str(written["grammar"]), str(written.get("sound", "")))}

    def copy_document(self) -> Document:
        """Return a copy of the document for Undo."""
        return Document(
            self.clean, self.notes, self.grammar_text, self.symbol, self.locked, self.banned, self.sound.key
        )

    def put_document(self, document: Document) -> None:
        """Restore a document; results stay if the text is the same."""
        self._typed = (0.0, {})  # what is typed next is another edit than the one undone
        with self.batch():
            if document.clean is not self.clean:
                self._take(document.clean, document.notes)  # the same object as when it was opened
            if document.grammar_text != self.grammar_text:
                self.read_grammar(document.grammar_text)
            self.symbol, self.locked, self.banned = document.symbol, document.locked, document.banned
            self.sound.show(document.sound)
            self.parse_again()

    def load(self, corpus: Corpus, notes: Sequence[str] = ()) -> None:
        """Show another text, with notes on what was left out; results and runs are deleted."""
        self._take(_shared(corpus), notes)

    def _take(self, corpus: Corpus, notes: Sequence[str]) -> None:
        with self.batch():
            self.corpus = self.clean = corpus
            self.notes = tuple(notes)
            self._parser, self._edited = None, (0.0, 0)
            self.utterance = 0
            self.locked = self.banned = frozenset()
            self.forget()

    # The sound.

    def open_sound(self, opened: OpenSound) -> None:
        """Open a sound; Undo goes back to the one before."""
        self.history.record(f"{opened.title} opened")
        self.sound.missing = ""
        self.sound.open(opened)

    def files(self) -> list[DocumentFile]:
        """Return the sounds of the user's own that are open, or can be undone or redone."""
        edits = self.history.edits()
        versions = [*reversed(edits.past), *reversed(edits.future)]
        keys = [self.sound.key, *(version.document.sound for _, version in versions)]
        return self.sound.files(dict.fromkeys(keys))

    def put_files(self, files: Mapping[str, bytes]) -> None:
        """Take the sounds of a document."""
        self.sound.put_files(files)

    def run_data(self) -> Mapping[str, Any]:
        """Return the frames of the open sound: its recordings are saved as files."""
        opened = self.sound.opened
        return {} if opened is None else {opened.frames_name: opened.speech}

    def when_ready(self, rows: Collection[str], then: Callable[[], None]) -> None:
        """Call a function once the sound is open, if there is a saved run of sound; not for another text."""
        if SOUND_LEARNERS.keys().isdisjoint(rows):
            then()
            return
        clean = self.clean
        self.sound.when_open(lambda: then() if self.clean is clean else None)

    # The grammar.

    def write_grammar(self, text: str) -> None:
        """Set the grammar text for the next run, as an edit."""
        if text == self.grammar_text:
            return
        # Keystrokes in quick succession are one edit, unless other runs came in sight between them.
        now, runs = time.monotonic(), dict(self.runs_in_sight())
        before, beside = self._typed
        if now - before > TYPING_SECONDS or runs != beside or self.history.last != GRAMMAR_EDITED:
            self.history.record(GRAMMAR_EDITED)
        self._typed = now, runs
        self.read_grammar(text)

    def read_grammar(self, text: str) -> None:
        """Parse a grammar text; if it is faulty, the last valid grammar stays in use."""
        with self.batch():
            self.grammar_text = text
            try:
                with collected_warnings() as notes:
                    self.parsed = parse_grammar(text)
            except InputError as error:
                self.fault, self.grammar_notes = error, ()
                return
            self.fault, self._parser, self.grammar_notes = None, None, tuple(notes)

    @property
    def grammar_name(self) -> str:
        """The preset whose text is written, or "own rules"."""
        text = self.grammar_text.strip()
        return next((name for name, rules in PRESETS.items() if rules.strip() == text), "own rules")

    def _next_parser(self) -> Parser:
        if self._parser is None:
            self._parser = Parser(self.corpus, self.parsed)
        return self._parser

    def text_to_learn(self, settings: Mapping[str, Any]) -> Corpus:
        """Return the text that a run with these settings learns from: the clean text, or a copy with edits.

        Raises
        ------
        InputError
            If edits are asked of a text without gold.
        """
        wanted = share, seed = edits_of(settings)
        if wanted == self._edited:
            return self.corpus
        if not share:
            return self.clean
        if self.clean.gold is None:
            raise InputError(Fault(_NO_EDITS, "set Edited phones, under Noisy text, to 0"))
        return corrupt(self.clean, share, np.random.default_rng(seed)).corpus


def _shared(corpus: Corpus) -> Corpus:
    """Return the corpus that a page already shows, if it was read from the same text in the same way."""
    return shared(corpus, f"{corpus.form}\n{digest(corpus.text)}")


def edits_of(settings: Mapping[str, Any]) -> tuple[float, int]:
    """Return the share of phones to edit, and the seed of the edits."""
    return settings["edited"] / 100, settings["seed"] if settings["edited"] else 0
