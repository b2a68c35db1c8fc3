"""The corpus as a table of sentences with their readings, and as text that is read whole or not at all."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.errors import InputError, collected_warnings, counted
from otlab.mg.io.spell_out import read_spell_out
from otlab.mg.sentences import corpus_text, read_corpus_text
from otlab.mg.spellout import SpellOut
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card
from otlab.ui.mg.tabs.text_box import TextBoxComponent
from otlab.ui.mg.tabs.wording import with_minus
from otlab.viz.base.numbers import DASH

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.parsing.parse import Parse
    from otlab.ui.mg.state import MGState

__all__ = ["CorpusCard"]

_MOST_ROWS, _MOST_REFUSED = 100, 3
# The card is as high as its sentences need, and leaves the lexicon the rest.
_HIGHEST = ":host { max-height: 300px; } @media (max-height: 840px) { :host { max-height: 248px; } }"
# What the box says of the text in it.
_ABOUT = {
    "corpus": {
        "label": "Corpus as text",
        "placeholder": "john slept | 3\nmary slept",
        "hint": "One sentence a line; after a bar how often, if not once.",
    },
    "spell-out": {
        "label": "Spell-out",
        "placeholder": "see -s -> sees\ngo -ed -> went",
        "hint": "How words are pronounced together, a line each.",
    },
}
_UNKNOWN = {"readings": DASH, "kind": "bad", "entropy": DASH, "surprisal": DASH}


class CorpusTable(TextBoxComponent):
    """The table of sentences in the browser; sends choices and edits."""

    rows = param.String("[]", doc="What each row shows, as JSON: hundreds of rows are compared at once.")

    script = "corpus"
    parts = ("long_text", "text_box")


class CorpusCard:
    """One showing of the corpus.

    Its box for text holds the corpus, or the table of spell-out.

    Parameters
    ----------
    state
        What is shown and edited.
    choose
        Called with the sentence clicked.
    changed
        Called after an edit.
    """

    def __init__(
        self, state: MGState, choose: Callable[[tuple[str, ...]], None], changed: Callable[[], None]
    ) -> None:
        self._state, self._choose, self._changed = state, choose, changed
        shrinks = {"flex": "0 1 auto", "min-height": "0"}
        self.box = CorpusTable(self._on_message, sizing_mode="stretch_width", margin=0, styles=shrinks)
        self.rows: list[dict[str, Any]] = []
        self._notes: dict[tuple[str, ...], str] = {}
        self._said = ""  # how the text that was applied last was read, if not as usual
        self._known: dict[tuple[str, ...], dict[str, Any]] = {}
        self._version, self._refused = -1, 0
        self._grammar = state.grammar
        self._boxes = {
            "corpus": button(
                "Edit as text",
                lambda: self._turn_to_text("corpus"),
                plain=True,
                description="Edit the corpus as text",
            ),
            "spell-out": button(
                "Spell-out",
                lambda: self._turn_to_text("spell-out"),
                plain=True,
                description="Say how words are pronounced together",
            ),
        }
        self._edited = "corpus"  # what the box for text holds
        adds = button(
            "Sentence", self._add, plain=True, icon="plus", description="Add the sentence at the right"
        )
        tools = [*self._boxes.values(), adds]
        self.card = Card(
            "Corpus",
            self.box,
            action=pn.Row(*tools, margin=0, styles={"gap": "0"}),
            sizing_mode="stretch_width",
            styles={**shrinks, "flex": "0 0 auto"},
            stylesheets=[_HIGHEST],
        )

    def refresh(self) -> None:
        """Draw the rows as they are now."""
        if self._grammar is not self._state.grammar:  # a diagnosis belongs to its grammar
            self._grammar = self._state.grammar
            self._notes.clear()
        if self._version != self._state.version:
            self._version = self._state.version
            self._known.clear()
        self._refused = 0
        sentences = list(self._state.counts)[:_MOST_ROWS]
        self.rows = [self._row(words) for words in sentences]
        self.box.rows = json.dumps(self.rows)
        total = sum(self._state.counts.values())
        self.card.remark = f"{counted(total, 'sentence')}{self._said}"
        self._allow()

    def _row(self, words: tuple[str, ...]) -> dict[str, Any]:
        """Return a row; what its parse says is kept until probabilities or grammar change."""
        if words not in self._known and self._refused < _MOST_REFUSED:
            self._known[words] = self._parsed(words)
        known = self._known.get(words, {**_UNKNOWN, "note": "not tried: other charts were too large"})
        self._refused += known["readings"] == DASH
        row = {"sentence": " ".join(words) or "ε", "count": self._state.counts[words]}
        return {**row, "chosen": words == self._state.sentence, **known}

    def _parsed(self, words: tuple[str, ...]) -> dict[str, Any]:
        try:
            parsed = self._state.parsed(words)
        except InputError as error:
            return {**_UNKNOWN, "note": str(error)}
        n = parsed.derivations
        kind = "bad" if n == 0 else ("warn" if n > 1 else "plain")
        shown = "∞" if n == math.inf else f"{n:,}" if n < 10**6 else f"{float(n):.1e}"
        possible = parsed.log_probability > -math.inf
        surprisal = f"{-parsed.log_probability:.1f}" if possible else "∞" if n else DASH
        note = self._note(words, parsed) if n == 0 else ""
        entropy = f"{parsed.reading_entropy():.2f}" if n > 1 and possible else DASH
        return {"readings": shown, "kind": kind, "entropy": entropy, "surprisal": surprisal, "note": note}

    def _note(self, words: tuple[str, ...], parsed: Parse) -> str:
        """Return the first line of the diagnosis, which probabilities do not change."""
        if words not in self._notes:
            diagnosis = parsed.diagnosis()
            line = diagnosis.lines[0] if diagnosis else ""
            self._notes[words] = with_minus(line[:1].upper() + line[1:], self._state.lexicon)
        return self._notes[words]

    def _on_message(self, data: dict[str, Any]) -> None:
        if data["kind"] == "apply":
            self._apply(str(data["text"]))
            return
        if data["kind"] == "cancel":
            self.close_text()
            return
        words = list(self._state.counts)[int(data["index"])]
        if data["kind"] == "choose":
            self._choose(words)
            return
        text = str(data["text"])
        if re.fullmatch(r"-?\d{1,7}", text) and abs(int(text)) <= 10**6:
            self._state.set_count(words, int(text))
            self._said = ""
        self._changed()

    def _add(self) -> None:
        words = self._state.sentence
        if words:
            self._state.set_count(words, self._state.counts.get(words, 0) + 1)
            self._changed()

    def _turn_to_text(self, what: str) -> None:
        if self.box.opened:
            self.box.text = {}
        else:
            self._edited = what
            text = str(self._state.base.spell_out) if what == "spell-out" else corpus_text(self._state.counts)
            self.box.open(text, about=_ABOUT[what])
        self._allow()

    def _allow(self) -> None:
        """Let nobody open one text while another is edited in the box, which would be forgotten."""
        busy = self.box.opened or self.box.draft is not None
        for what, opens in self._boxes.items():
            opens.disabled = busy and what != self._edited

    def close_text(self, *, unless_typed: bool = False) -> None:
        """Show the table again and forget what was typed, as :meth:`TextBoxComponent.close` does."""
        self.box.close(unless_typed=unless_typed)
        self._allow()

    def _apply(self, text: str) -> None:
        """Replace the corpus, or the table of spell-out, by a text, unless it has faults."""
        try:
            if self._edited == "spell-out":
                self._state.set_spell_out(read_spell_out(text) if text.strip() else SpellOut())
            else:
                with collected_warnings() as notes:
                    counts = read_corpus_text(text, self._state.grammar.vocabulary)
                self._said = "".join(f" · {note}" for note in notes)
                self._state.replace_corpus(counts)
        except InputError as error:
            self.box.show_faults(text, error.faults, about=_ABOUT[self._edited])
            return
        self.close_text()
        self._changed()
