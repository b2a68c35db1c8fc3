"""The document of the grammar lab: rows of a lexicon as typed, its corpus, and the selected sentence.

Rows are kept as typed in the grid. Rows without a fault make the lexicon. While a row is faulty, or no
row has the start category, the last valid lexicon stays in use, unless all rows were deleted. Undo
takes back edits, and also the opening of another lexicon.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import param

from otlab.errors import InputError
from otlab.mg.features import format_features
from otlab.mg.io.rows import Row, check_rows
from otlab.mg.io.write import dumps
from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus
from otlab.mg.lexicon import SILENT, Lexicon
from otlab.mg.linting import lint
from otlab.mg.parsing.grammar import Grammar
from otlab.samples import load_sample
from otlab.ui.mg.comparison import Theories
from otlab.ui.mg.grammar_state import GrammarState
from otlab.ui.mg.pool import Pool
from otlab.ui.mg.presets import presets
from otlab.ui.mg.reading import NO_INPUTS, ReadingInputs, ReadingTimes
from otlab.ui.mg.settings import MGSettings
from otlab.ui.mg.written import read_back, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    from otlab.mg.features import Convention
    from otlab.mg.lexicon import LexicalItem
    from otlab.mg.remarks import Remark

__all__ = ["Entry", "GrammarDocument", "Words"]

Words = tuple[str, ...]
MOST_LINKED_ROWS = 5_000


@dataclass
class Entry:
    """One row of the grid.

    Attributes
    ----------
    phon, features, alpha
        As typed.
    remark
        Why it is not part of the grammar; None if it is.
    """

    phon: str = ""
    features: str = ""
    alpha: str = ""
    remark: Remark | None = None


@dataclass(frozen=True)
class Document:
    """The editable parts of the document, which Undo restores.

    Attributes
    ----------
    base
        The lexicon that the rows began with: its start categories, convention and titles
        are in force.
    entries, counts
        The rows, and how often each sentence occurs.
    sentence
        The selected one.
    alpha
        The pseudo-count that overrides the lexicon's; None for the lexicon's own.
    opening
        Which lexicon it is, of all that were opened or pasted: alpha belongs to it.
    reading
        Reading times, and the lexicon that is compared on them.
    """

    base: Lexicon
    entries: tuple[Entry, ...]
    counts: Counter[Words]
    sentence: Words
    alpha: float | None
    opening: int
    reading: ReadingInputs = NO_INPUTS


class GrammarDocument(GrammarState):
    """A lexicon as rows, a corpus, and the selected sentence."""

    noun = "lexicon"

    entries: list[Entry] = param.List(item_type=Entry, doc="The rows of the grid.")
    sentence: Words = param.ClassSelector(class_=tuple, default=(), doc="The selected sentence.")
    reading: int = param.Integer(0, doc="Number of its selected reading.")
    preferred_view = param.String("movement", doc="View of the derivation that suits the lexicon.")
    smc = param.Boolean(default=True, doc="Whether the shortest move constraint holds.")
    remarks: list[Remark] = param.List(doc="Remarks of the linter on the rows.")
    fault = param.String(doc="Why the rows make no grammar; empty if they do.")
    edits: int = param.Integer(0, doc="Counts edits that were made by hand.")
    selection_changes: int = param.Integer(0, doc="Counts changes of the selected sentence and reading.")
    version: int = param.Integer(0, doc="Changes with rows, grammar or probabilities.")

    def __init__(self) -> None:
        super().__init__(MGSettings())
        self.theories = Theories(self)
        self.pool = Pool(self)
        self.reading_times = ReadingTimes(self)
        self.showing_alpha = False  # whether the field of alpha is being set from the lexicon
        self._base = Lexicon((), ())
        self.grammar = Grammar(self._base)
        self._corpus: ParsedCorpus | None = None
        self._opening = 0  # counts lexicons that were opened or pasted

    # Hooks for the lab's state.

    def forget(self) -> None:
        """Delete the results, because the document has changed."""

    def document_edited(self) -> None:
        """Delete the results, or learn again: rows or corpus have changed."""

    # The document.

    @property
    def lexicon_in_use(self) -> Lexicon:
        """The last valid lexicon with its pseudo-counts, or those of the settings if they were changed."""
        return self.lexicon if self.alpha is None else self.lexicon.with_alpha(self.alpha)

    @property
    def base(self) -> Lexicon:
        """The lexicon that start categories, convention, titles and priors are taken from."""
        return self._base

    def load(self, lexicon: Lexicon, corpus: Iterable[Words] | None = None) -> None:
        """Load another lexicon; results are deleted."""
        self._opening += 1
        self._base = lexicon
        self.entries = self._entries_of(lexicon.items)
        self.counts = Counter(lexicon.corpus if corpus is None else corpus)
        for expected in lexicon.sentences if corpus is None else ():
            if not expected.derivations and len(self.counts) < 60:
                self.counts.setdefault(expected.words, 0)
        self.alpha = None
        self.forget()
        self.sentence, self.reading = next(iter(self.counts), ()), 0
        self.rebuild(afresh=True)
        self.show_alpha()

    def new(self) -> None:
        """Begin an empty lexicon, with one empty row and *c* as its start category."""
        self.load(Lexicon((), ("c",), title="New lexicon"))
        self.entries = [Entry()]
        self.version += 1

    def replace_lexicon(self, lexicon: Lexicon) -> None:
        """Load a lexicon written as text, title included; its sentences, if it has any, are the corpus."""
        self.history.record("lexicon edited as text")
        self._opening += 1
        self.alpha = None
        known = self._base
        self._base = replace(
            lexicon,
            name=known.name if lexicon.title == known.title else "",
            sentences=lexicon.sentences or known.sentences,
        )
        self.entries = self._entries_of(lexicon.items)
        if lexicon.sentences:
            self.counts = Counter(lexicon.corpus)
            for expected in lexicon.sentences:
                self.counts.setdefault(expected.words, 0)
            self._corpus = None
        self.rebuild(afresh=True)

    def set_start(self, categories: Iterable[str]) -> None:
        """Choose the categories of complete sentences."""
        self._rewrite("start category", start=tuple(dict.fromkeys(categories)))

    def set_convention(self, convention: Convention) -> None:
        """Choose the notation in which the rows are read; the rows stay as they are."""
        self._rewrite("convention", convention=convention, convention_given=True)

    def _rewrite(self, edit: str, **changes: Any) -> None:
        self.history.record(edit)
        self._base = replace(self._base, **changes)
        self.rebuild()

    def examples(self) -> Mapping[str, str]:
        """Return the teaching presets and every shipped lexicon."""
        return {value: preset.label for value, preset in presets().items()}

    def load_example(self, example: str) -> None:
        """Load a preset with its sentence, view and settings."""
        preset = presets()[example]
        settings = {"start": "prior", "restarts": 1, "iterations": 50, "smc": True, **preset.settings}
        alpha = settings.pop("alpha", None)
        self.settings.param.update(**settings)
        self.preferred_view, self.smc = preset.view, settings["smc"]
        self.load(load_sample(preset.sample), preset.corpus)
        # The field shows the lexicon's own pseudo-count; anything else overrides all items.
        if alpha not in (None, self._base.alpha):
            self.set_alpha(float(alpha))
            self.show_alpha()
        self.sentence = tuple(preset.sentence.split()) or self.sentence

    def contents(self) -> Mapping[str, Any]:
        """Return the lexicon as it was opened, the rows as typed, and the corpus.

        Under "view" are the typed sentence, the theories, reading times, and the settings of the tabs.
        """
        rows = _cells(self.entries)
        counts = tuple(self.counts.items())
        tabs = {**self.theories.contents(), **self.pool.contents(), **self.reading_times.contents()}
        view = {"sentence": self.sentence, **tabs}
        return {"lexicon": self._base, "rows": rows, "counts": counts, "view": view}

    def learning_data(self) -> tuple[Any, ...]:
        """Return items, start categories and notation, the sentences that are counted, and spell-out."""
        counts = tuple(sorted((words, n) for words, n in self.counts.items() if n > 0))
        spelled = (str(self.lexicon.spell_out),) if self.lexicon.spell_out else ()
        return self.lexicon.texts, self.lexicon.start, self.lexicon.convention, counts, *spelled

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Load a lexicon with its edited rows and corpus."""
        self.load(contents["lexicon"], Counter(dict(contents["counts"])))
        self.entries = [Entry(*row) for row in contents["rows"]]
        view = contents["view"]
        self.sentence = view["sentence"]
        self.theories.open_contents(view)
        self.pool.open_contents(view)
        self.reading_times.open_contents(view)
        self.rebuild(afresh=True)

    def mark_opened(self) -> None:
        """Mark what is open now as unedited; theories and reading times are always kept."""
        contents, kept = self.contents(), {"theories": (), "reading": NO_INPUTS}
        self.opened = {**contents, "view": {**contents["view"], **kept}}

    def too_large(self, contents: Mapping[str, Any]) -> bool:
        """Return whether there are more than 5,000 rows."""
        return len(contents["rows"]) > MOST_LINKED_ROWS

    def written(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return lexicon, rows, corpus, sentence, and what tabs compare, as text."""
        return written(contents)

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return what :meth:`written` was given."""
        return read_back(written)

    def show_alpha(self) -> None:
        """Show the pseudo-count in force in its field."""
        self.showing_alpha = True
        try:
            with suppress(ValueError):  # beyond what the field can show
                self.settings.param.update(alpha=self.common_alpha)
        finally:
            self.showing_alpha = False

    def text(self) -> str:
        """Return the lexicon as ``.mg`` text: the rows as typed, with or without faults.

        The pseudo-counts are those in force: one alpha for all items replaces the lexicon's own.
        """
        base, entries = self._base, self.entries
        if self.alpha is not None:
            base, entries = base.with_alpha(self.alpha), [replace(e, alpha="") for e in entries]
        head = dumps(replace(base, items=(), sentences=())).rstrip("\n")
        if not base.convention_given:  # a text that is pasted below may use another one, and is asked about
            head = head.replace("@convention seed\n", "")
        rows = [_as_typed(entry) for entry in entries if _typed(entry)]
        return "\n".join([head, "", *rows, ""])

    def rebuild(self, *, afresh: bool = False) -> None:
        """Make the grammar of the good rows; keep the last one if that is impossible.

        Parameters
        ----------
        afresh
            Whether the rows are of another lexicon, so that the last grammar must not be used any longer.
        """
        self.version += 1
        rows = [Row(e.phon, e.features, e.alpha, line) for line, e in enumerate(self.entries, 1) if _typed(e)]
        items, faults = check_rows(rows, self._base.convention)
        draft = replace(self._base, items=tuple(items), remarks=())
        semantic = lint(draft) if items else []
        blocked = {r.line for r in semantic if r.blocks and r.line}
        by_line = {r.line: r for r in [*semantic, *faults] if r.blocks and r.line}
        for line, entry in enumerate(self.entries, 1):
            entry.remark = by_line.get(line)
        left_out = [remark.of_the_file() for remark in self._base.remarks]
        self.remarks = [*left_out, *sorted([*faults, *semantic], key=lambda r: (r.line is None, r.line or 0))]
        good = draft.with_items(i for i in items if i.line not in blocked) if blocked else draft
        self._adopt(good, afresh=afresh)

    def _adopt(self, lexicon: Lexicon, *, afresh: bool = False) -> None:
        self.fault = "" if _has_start(lexicon) else self._without_start(lexicon)
        if self.fault and lexicon.items and _has_start(self.lexicon) and not afresh:
            self.fault += " The previous lexicon still parses."
            return
        old = self.lexicon
        if lexicon == old and self.smc == self.grammar.smc:
            return
        made = Grammar(lexicon, smc=self.smc, cache=self.grammar.cache)
        try:
            made.graph  # noqa: B018 - compiled here, where a refusal can be shown
        except InputError as error:
            self.fault = str(error)
            return
        self.grammar, self._corpus = made, None
        if (lexicon.texts, lexicon.spell_out) != (old.texts, old.spell_out):
            self.document_edited()

    @staticmethod
    def _without_start(lexicon: Lexicon) -> str:
        if not lexicon.items:
            return "The lexicon is empty: nothing can be parsed yet."
        if not lexicon.start:
            return "There is no start category."
        marked = next((c for c in lexicon.start if c.startswith(("=", "+", "-")) or c.endswith("=")), "")
        if marked:
            return f"'{marked}' is not a category; write the name of one, such as c, without =, + or -."
        noun = "categories" if len(lexicon.start) > 1 else "category"
        return f"No item has category {' or '.join(lexicon.start)}, the start {noun}."

    def edit(self, index: int, field_name: str, text: str) -> None:
        """Change one cell."""
        self.history.record("cell edited")
        setattr(self.entries[index], field_name, text)
        self.rebuild()

    def add_entry(self) -> None:
        """Append an empty row."""
        self.history.record("row added")
        self.version += 1
        self.entries.append(Entry())

    def add_item(self, text: str) -> None:
        """Append an item written as in a file, such as the diagnosis proposes."""
        self.history.record("item added")
        phon, _, features = text.partition("::")
        self.entries.append(Entry(phon.strip(), features.strip()))
        self.rebuild()

    def make_silent(self, word: str) -> None:
        """Make all items silent that consist of one word, such as *e*."""
        self.history.record(f"{word} made silent")
        self.entries = [replace(e, phon=SILENT) if e.phon.strip() == word else e for e in self.entries]
        self.rebuild()

    def remove_entry(self, index: int) -> None:
        """Remove a row."""
        self.history.record("row removed")
        del self.entries[index]
        self.rebuild()

    def replace_items(self, items: Iterable[LexicalItem]) -> None:
        """Replace the items of the grid; an edit that can be undone."""
        self.history.record("items replaced")
        self.entries = self._entries_of(items)
        self.rebuild()

    def _entries_of(self, items: Iterable[LexicalItem]) -> list[Entry]:
        convention = self._base.convention
        return [
            Entry(i.phon, format_features(i.features, convention), "" if i.alpha is None else f"{i.alpha:g}")
            for i in items
        ]

    def set_count(self, words: Words, count: int) -> None:
        """Set the count of a sentence; 0 keeps it for looking at, below 0 removes it."""
        self.history.record("count of a sentence")
        self._count(Counter({each: n for each, n in {**self.counts, words: count}.items() if n >= 0}))

    def replace_corpus(self, counts: Mapping[Words, int]) -> None:
        """Replace the corpus by another one, given the count of each sentence."""
        self.history.record("corpus edited as text")
        self._count(Counter(counts))

    def _count(self, counts: Counter[Words]) -> None:
        """Set the sentences; results stay if those that are counted are the same."""
        before, self.counts = self.learning_data(), counts
        if self.learning_data() != before:
            self._corpus = None
            self.document_edited()

    def set_smc(self, on: bool) -> None:
        """Switch the shortest move constraint; without it nothing is learnt."""
        self.version += 1
        self.smc = on
        self._adopt(self.lexicon)

    def copy_document(self) -> Document:
        """Return a copy of the document for Undo."""
        entries = tuple(replace(e) for e in self.entries)
        counts, reading = Counter(self.counts), self.reading_times.inputs
        return Document(self._base, entries, counts, self.sentence, self.alpha, self._opening, reading)

    def put_document(self, document: Document) -> None:
        """Restore a document; the alpha of the field stays unless the lexicon is another."""
        afresh = document.base.name != self._base.name
        respelled = document.base.spell_out != self._base.spell_out
        before, texts = self.learning_data(), self.lexicon.texts
        now, then = (replace(base, items=()) for base in (self._base, document.base))
        unchanged = now == then and _cells(self.entries) == _cells(document.entries)
        self._base, self.counts = document.base, document.counts
        self.reading_times.put(document.reading)
        if afresh or respelled:
            self.sentence, self.reading = document.sentence, 0
        if document.opening != self._opening:
            self.alpha, self._opening = document.alpha, document.opening
        self._corpus, self.version = None, self.version + 1
        if not unchanged:  # otherwise the rows are those of the document, and have their remarks
            self.entries = list(document.entries)
            self.rebuild(afresh=afresh)
        if self.lexicon.texts == texts and self.learning_data() != before:
            self.document_edited()
        self.show_alpha()

    @property
    def corpus(self) -> ParsedCorpus:
        """The parsed corpus; sentences of count 0 left out.

        Raises
        ------
        InputError
            If there is none.
        """
        if self._corpus is None:
            self._corpus = parse_corpus(self.grammar, self.counts)
        return self._corpus

    @property
    def common_alpha(self) -> float:
        """The pseudo-count that the field shows: the one for all items, else the lexicon's own."""
        return self._base.alpha if self.alpha is None else self.alpha

    def alphas(self) -> np.ndarray:
        """Return the pseudo-counts in force."""
        return self.lexicon_in_use.alphas()

    def set_alpha(self, alpha: float) -> None:
        """Set the same pseudo-count for every item."""
        self.alpha = alpha
        self.version += 1


def _cells(entries: Iterable[Entry]) -> tuple[tuple[str, str, str], ...]:
    return tuple((e.phon, e.features, e.alpha) for e in entries)


def _typed(entry: Entry) -> bool:
    return bool(entry.phon.strip() or entry.features.strip())


def _as_typed(entry: Entry) -> str:
    alpha = f" | {entry.alpha.strip()}" if entry.alpha.strip() else ""
    return f"{entry.phon.strip() or SILENT} :: {entry.features.strip()}{alpha}"


def _has_start(lexicon: Lexicon) -> bool:
    return any(i.category in lexicon.start for i in lexicon.items)
