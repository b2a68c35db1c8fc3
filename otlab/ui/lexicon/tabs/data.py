"""The Data tab: load a text, download results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import panel as pn

from otlab.discovery.corpus import Corpus
from otlab.errors import InputError
from otlab.ui.components.cards import Card
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across
from otlab.ui.components.placeholders import faults
from otlab.ui.lexicon.components import PasteBox
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.texts import collected_warnings, corpus_of
from otlab.ui.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.lexicon.runs import FinishedRun

__all__ = ["DataTab"]


class DataTab(Tab[LexiconState]):
    """Load a text, download results."""

    title = "Data"

    def build(self) -> Any:
        """Return the cards in their places."""
        self._refused = pn.Column(sizing_mode="stretch_width", margin=0)
        drop = FileZone(
            self._dropped,
            lambda name: self._show(
                InputError(f"{name} is over 10 MB; use the command line: otlab discover"), name
            ),
            label="Drop a phonemic text here, or choose one",
            hint="One utterance a line; blanks are gold word edges and are not used to learn",
            accept=".txt,.tsv",
        )
        paste = PasteBox(self._pasted, sizing_mode="stretch_width")
        bring = Card("Load a text", drop, paste, self._refused)
        files = [
            ["segmented", "Segmented text"],
            ["posteriors", "Boundary posteriors"],
            ["lexicon", "Lexicon with counts"],
            ["runs", "Restarts and scores"],
        ]
        take = Card("Download", Downloads(self._file, files))
        return across(bring, take)

    def _pasted(self, text: str) -> None:
        self._read(lambda: Corpus.from_text(text, "pasted text"), "pasted text")

    def _dropped(self, name: str, data: bytes) -> None:
        self._read(lambda: corpus_of(name, data), name)

    def _read(self, read: Callable[[], Corpus], name: str) -> None:
        try:
            with collected_warnings() as notes:
                corpus = read()
        except InputError as error:
            self._show(error, name)
            return
        self._refused.clear()
        self.lab.open_own(corpus.name, lambda: self.state.load(corpus, notes))
        self.lab.go("Segment")

    def _show(self, error: InputError, name: str) -> None:
        self._refused[:] = [faults(error, name, ("Close", self._refused.clear))]

    def _file(self, key: str) -> tuple[str, bytes]:
        state = self.state
        stem = Path(state.corpus.name).stem or "text"
        if key == "segmented":
            cut = state.cut
            lines = [" ".join(state.corpus.words(u, cut)) for u in range(len(state.corpus))]
            return f"{stem}_segmented.txt", ("\n".join(lines) + "\n").encode()
        said = "".join(f"# {name}: {value}\n" for name, value in state.provenance(key).items())
        return f"{stem}_{key}.csv", (said + self._frame(key).to_csv(index=False)).encode()

    def _frame(self, key: str) -> pd.DataFrame:
        state = self.state
        if key == "lexicon":
            rows = [(e.string, e.expected_count, e.weight, e.sd) for e in state.entries]
            found = pd.DataFrame(rows, columns=["string", "expected_count", "weight", "sd"])
            if state.trying:
                found["trial_count"] = [word.count for word in state.words(len(rows))]
            return found
        if key == "runs":
            return pd.DataFrame([row for run in state.runs.kept for row in _restarts(run)])
        corpus = state.corpus
        utterance = np.repeat(np.arange(len(corpus)), corpus.lengths)
        return pd.DataFrame(
            {
                "utterance": utterance + 1,
                "phone": [corpus.symbols[p] for p in corpus.phones],
                "p_word_ends": state.ends,
            }
        )


def _restarts(run: FinishedRun) -> list[dict[str, object]]:
    """Return a run's restarts as table rows."""
    return [
        {
            "run": run.number,
            "text": run.corpus.name,
            "learner": run.lane,
            "grammar": run.grammar_name,
            "start": c.start,
            "restart": r + 1,
            "seed": c.seed,
            "chosen": r == run.chosen,
            "objective": c.bound,
            "bigram": c.bigram,
            "unigram": c.unigram,
        }
        | (c.scores.as_dict() if c.scores else {})
        for r, c in enumerate(run.candidates)
    ]
