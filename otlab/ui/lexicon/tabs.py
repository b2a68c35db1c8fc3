"""The further tabs: trees, edits, runs, data."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import panel as pn

from otlab.discovery.corpus import Corpus, decoded
from otlab.discovery.trees import sample_tree
from otlab.errors import InputError
from otlab.ui.boxes import across, down
from otlab.ui.buttons import button, icon_button
from otlab.ui.cards import Card, html, swatch
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.take_home import TakeHome
from otlab.ui.lexicon.components import PasteBox
from otlab.ui.lexicon.state import LANES
from otlab.ui.states import faults
from otlab.viz.discovery import EDITS_CSS, edits_html
from otlab.viz.discovery_tree import TREE_CSS, tree_svg
from otlab.viz.numbers import DASH, count_text, value_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.view import DiscoveryView
    from otlab.ui.lexicon.state import FinishedRun, LexiconState

__all__ = ["DataTab", "EditsTab", "RunsTab", "TreesTab"]

DRAWN = 12
"""Trees drawn of an utterance."""

_TREES_CSS = (
    TREE_CSS
    + """
.trees { display: flex; flex-wrap: wrap; gap: 22px 34px; align-items: flex-start; padding-top: 6px; }
.trees figcaption { font-size: 12px; color: var(--ot-ink3); padding-left: 30px; }
"""
)


class TreesTab:
    """Sampled trees of the utterance looked at: the different ones, with how often each was drawn."""

    def __init__(self, state: LexiconState) -> None:
        self._state = state
        self._round = 0
        self._picture = html("", _TREES_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        pager = pn.Row(
            icon_button("Earlier utterance", "undo", lambda: self._move(-1), align="center"),
            icon_button("Later utterance", "redo", lambda: self._move(1), align="center"),
            button("Draw again", self._again, plain=True, align="center"),
            margin=0,
            styles={"gap": "6px"},
        )
        legend = [swatch("vb", "looked up"), swatch("gla", "built anew")]
        self.card = Card("Trees", self._picture, legend=legend, action=pager)

    def refresh(self) -> None:
        """Draw trees from the learner looked at."""
        state = self._state
        self.card.remark = f"utterance {count_text(state.utterance + 1)} of {count_text(len(state.corpus))}"
        if state.view is None:
            self._picture.show(
                '<p class="small">Press Run: then trees can be drawn from what was learnt.</p>'
            )
        elif state.utterance not in state.parser.items:
            self._picture.show('<p class="small">The grammar cannot generate this utterance.</p>')
        else:
            self._picture.show(f'<div class="trees">{"".join(self._figures(state.view))}</div>')

    def _figures(self, view: DiscoveryView) -> list[str]:
        state = self._state
        rng = np.random.default_rng([state.utterance, self._round])
        drawn = [sample_tree(state.parser, view.weights, state.utterance, rng) for _ in range(DRAWN)]
        times = Counter(drawn)
        uses = {(name, e.string): e.expected_count for name, found in view.entries.items() for e in found}
        spelled = _Spelled(state.corpus)
        return [
            f"<figure>{tree_svg(tree, spelled, uses)}<figcaption>drawn {n} of {DRAWN} times</figcaption>"
            "</figure>"
            for tree, n in times.most_common()
        ]

    def _again(self) -> None:
        self._round += 1
        self.refresh()

    def _move(self, by: int) -> None:
        self._state.utterance = (self._state.utterance + by) % len(self._state.corpus)
        self.refresh()


class _Spelled(dict):  # type: ignore[type-arg]  # filled as it is asked
    """What each span spells, computed when asked for."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__()
        self._corpus = corpus

    def __missing__(self, span: tuple[int, int]) -> str:
        return self._corpus.spell(range(*span))


class EditsTab:
    """What the channel does, for the learner that has one."""

    def __init__(self, state: LexiconState) -> None:
        self._state = state
        self._body = html("", EDITS_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.card = Card("Edits", self._body, remark="top phone by bottom phone, and 95 % intervals")

    def refresh(self) -> None:
        """Draw the channel."""
        views = self._state.results.get("noisy", ())
        if not views or views[0].edits is None:
            words = "Tick VB + channel and press Run. To see edits found again, set Edited phones to 10."
            self._body.show(f'<p class="small">{words}</p>')
            return
        self._body.show(edits_html(views[0].edits, self._state.corpus.symbols))


_ONE_RUN = '<p class="small">After two runs: which words each found, and their scores.</p>'


class RunsTab:
    """Every finished run, its restarts, the rule's choice; and two of them side by side."""

    def __init__(self, state: LexiconState) -> None:
        self._state = state
        self._table = html("", _RUNS_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._difference = html("", _RUNS_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        runs = Card("Restarts", self._table, remark="chosen by the bigram code; gold is not used to choose")
        compare = Card("Last two runs side by side", self._difference)
        self.card = down(runs, pn.Column(compare, height=300, sizing_mode="stretch_width", margin=0))

    def refresh(self) -> None:
        """Draw the table and the comparison."""
        kept = self._state.kept
        if not kept:
            self._table.show('<p class="small">Finished runs are listed here.</p>')
            self._difference.show(_ONE_RUN)
            return
        rows = "".join(row for run in reversed(kept) for row in _run_rows(run))
        heads = "".join(
            f"<th{' class=num' if k > 2 else ''}>{name}</th>"
            for k, name in enumerate(
                (
                    "Learner",
                    "Restart",
                    "Choice",
                    "Objective",
                    "Bigram code",
                    "Token F",
                    "Boundary F",
                    "Lexicon F",
                )
            )
        )
        self._table.show(
            f'<table aria-label="Restarts"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        )
        self._difference.show(_side_by_side(self._state, kept[-2], kept[-1]) if len(kept) > 1 else _ONE_RUN)


_RUNS_CSS = """
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); padding: 2px 8px 4px; }
td { height: 27px; padding: 0 8px; border-bottom: 1px solid var(--ot-line); }
th.num, td.num { text-align: right; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
.words { font: 400 15.5px/1.9 var(--ot-forms); }
.grammar { font: 400 12px/1.5 var(--ot-code); color: var(--ot-ink2); white-space: pre; margin: 4px 0 8px; }
"""


def _run_rows(run: FinishedRun) -> list[str]:
    rows = []
    for r, c in enumerate(run.candidates):
        figures = [value_text(c.bound, 1), count_text(c.bigram)]
        scores = [c.scores.token.f, c.scores.boundary.f, c.scores.lexicon.f] if c.scores else []
        figures += [f"{x:.3f}" for x in scores] or [DASH] * 3
        label = (
            f'<i class="sw" style="background:var(--ot-{LANES[run.lane].hue})"></i> {escape(run.label)}'
            if r == 0
            else ""
        )
        chosen = '<span class="badge good">chosen</span>' if r == run.chosen else ""
        cells = "".join(f'<td class="num">{x}</td>' for x in figures)
        rows.append(f"<tr><td>{label}</td><td>{r + 1}</td><td>{chosen}</td>{cells}</tr>")
    return rows


def _side_by_side(state: LexiconState, one: FinishedRun, other: FinishedRun) -> str:
    word = state.grammar.word
    lists = [[e.string for e in run.view.entries.get(word, ())] for run in (one, other)]
    columns = []
    for run, own, others in ((one, lists[0], set(lists[1])), (other, lists[1], set(lists[0]))):
        only = [escape(w) for w in own if w not in others][:40]
        scores = run.candidates[run.chosen].scores
        said = f"token F {scores.token.f:.3f}, " if scores else ""
        head = f"<b>{escape(run.label)}</b> <span class=remark>{said}{count_text(len(own))} words</span>"
        grammar = f'<p class="grammar">{escape(run.grammar.strip())}</p>'
        columns.append(
            f'<div>{head}{grammar}<span class="label">only here</span>'
            f'<p class="words">{" · ".join(only) or DASH}</p></div>'
        )
    return f'<div class="pair">{"".join(columns)}</div>'


class DataTab:
    """Bring a text, and take results home.

    Parameters
    ----------
    state
        What is exported.
    opened
        Called with another text.
    """

    def __init__(self, state: LexiconState, opened: Callable[[Corpus], None]) -> None:
        self._state, self._opened = state, opened
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
        bring = Card("Bring a text", drop, paste, self._refused)
        files = [
            ["segmented", "Segmented text"],
            ["posteriors", "Boundary posteriors"],
            ["lexicon", "Lexicon with counts"],
            ["runs", "Restarts and scores"],
        ]
        take = Card("Take home", TakeHome(self._file, files))
        self.card = across(bring, take)

    def refresh(self) -> None:
        """Show nothing new: files are made when asked for."""

    def _pasted(self, text: str) -> None:
        self._read(lambda: Corpus.from_text(text, "pasted text"), "pasted text")

    def _dropped(self, name: str, data: bytes) -> None:
        self._read(lambda: corpus_of(name, data), name)

    def _read(self, read: Callable[[], Corpus], name: str) -> None:
        try:
            corpus = read()
        except InputError as error:
            self._show(error, name)
            return
        self._refused.clear()
        self._opened(corpus)

    def _show(self, error: InputError, name: str) -> None:
        self._refused[:] = [faults(error, name, ("Go on", self._refused.clear))]

    def _file(self, key: str) -> tuple[str, bytes]:
        state = self._state
        if key == "segmented":
            cut = state.cut
            lines = [" ".join(state.corpus.words(u, cut)) for u in range(len(state.corpus))]
            return "segmented.txt", ("\n".join(lines) + "\n").encode()
        return f"{key}.csv", self._frame(key).to_csv(index=False).encode()

    def _frame(self, key: str) -> pd.DataFrame:
        state = self._state
        if key == "lexicon":
            return pd.DataFrame(
                [(e.string, e.expected_count, e.weight, e.sd) for e in state.entries],
                columns=["string", "expected_count", "weight", "sd"],
            )
        if key == "runs":
            return pd.DataFrame(
                [
                    {
                        "run": run.label,
                        "restart": r + 1,
                        "chosen": r == run.chosen,
                        "objective": c.bound,
                        "bigram": c.bigram,
                    }
                    | (c.scores.as_dict() if c.scores else {})
                    for run in state.kept
                    for r, c in enumerate(run.candidates)
                ]
            )
        corpus = state.corpus
        utterance = np.repeat(np.arange(len(corpus)), corpus.lengths)
        return pd.DataFrame(
            {
                "utterance": utterance + 1,
                "phone": [corpus.symbols[p] for p in corpus.phones],
                "p_word_ends": state.ends,
            }
        )


def corpus_of(name: str, data: bytes) -> Corpus:
    """Return the text of an uploaded file.

    Raises
    ------
    InputError
        If it is no UTF-8 text, or holds no utterance.
    """
    return Corpus.from_text(decoded(data, name), name)
