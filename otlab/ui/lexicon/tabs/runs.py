"""The Runs tab: every restart, the choice of a rule without gold, and a comparison of any two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.discovery.learners import BASELINES, LEARNERS
from otlab.discovery.learners.choose import AGREEMENT
from otlab.html import Markup, element, escape, isolated, table, td, th, tr
from otlab.ui.background import Background
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down, narrow
from otlab.ui.lexicon.components import Pickers
from otlab.ui.lexicon.runs import baselines_of, compared
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.sweep import kept_sweep
from otlab.ui.sweep.download import SWEEP_WIDTH, sweep_button
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import DASH, count_text, counted_text, nats_text

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.choose import Candidate
    from otlab.discovery.learners.view import Entry
    from otlab.ui.lexicon.runs import Difference, FinishedRun

__all__ = ["RunsTab"]

RULES = {"bigram": "bigram code", "unigram": "unigram code", "bound": "objective"}
"""Rules the lab offers; held-out needs a run of its own and is on the command line."""

MOST_WORDS, MOST_UTTERANCES = 40, 30

_AGREEMENT = ", ".join(f"{rho:.2f} ({corpus})" for corpus, rho in AGREEMENT.items())
_RULE = element(
    "p",
    "The restart is chosen without gold. How well the bigram code ranks restarts as token F does, as a rank "
    f"correlation: {_AGREEMENT}.",
    class_="small",
)
_NO_RUN = element(
    "p",
    "Finished runs are listed here, each restart with what the rules look at. Baselines need no run: one "
    "pass over the text, without grammar or gold.",
    class_="small",
)
_ONE_RUN = element(
    "p",
    "After two runs, say with another grammar, start or learner: the words only one of them found, and the "
    "utterances they cut differently.",
    class_="small",
)
_CSS = """
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); padding: 2px 8px 4px; }
td { height: 27px; padding: 0 8px; border-bottom: 1px solid var(--ot-line); }
th.num, td.num { text-align: right; }
tr.first td { border-top: 1px solid var(--ot-line2); }
.small { margin-top: 8px; }
tr.baseline td { color: var(--ot-ink2); }
.pair { display: grid; grid-template-columns: 1fr 1fr 1.2fr; gap: 24px; }
.words { font: 400 15.5px/1.7 var(--ot-forms); margin: 2px 0 0; }
.words small { font: 400 11px/1 var(--ot-ui); color: var(--ot-ink3); }
.grammar { font: 400 12px/1.5 var(--ot-code); color: var(--ot-ink2); white-space: pre; margin: 4px 0 8px; }
.cuts { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; font: 400 15px/1.5 var(--ot-forms);
  margin-top: 4px; }
.cuts .label { padding-top: 3px; text-align: right; }
.cuts .other { color: var(--ot-ink2); }
"""
_PICKERS = narrow("height: auto !important; min-width: min(100%, 300px) !important;")
_HEADS = ("Run", "Restart", "Seed", "Choice", "Objective", "Bigram code", "Unigram code")
_SCORES = ("Token F", "Boundary F", "Lexicon F")


class RunsTab(Tab[LexiconState]):
    """Every finished run, its restarts, the rule's choice; and two of them side by side."""

    title = "Runs"
    depends = ("corpus", "settled")

    def build(self) -> Any:
        """Return the cards in their places."""
        self._table = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._difference = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._rule = Pickers(self._picked, sizing_mode="fixed", width=230, height=30)
        self._two = Pickers(self._picked, max_width=640, height=30, stylesheets=[_PICKERS])
        sweep = sweep_button(self.state, lambda: kept_sweep(self.state), self.lab.warn)
        chosen = across(
            self._rule,
            sweep,
            gap=8,
            width=238 + SWEEP_WIDTH,
            height=30,
            sizing_mode="fixed",
            align="center",
        )
        runs = Card("Restarts", self._table, action=chosen, remark="chosen without gold")
        self._baselines: dict[str, Candidate] = {}
        self._compared_with: Corpus | None = None  # the text of the baselines
        self._background = Background()
        compare = Card("Two runs side by side", self._difference, action=self._two)
        return down(runs, down(compare, height=372, sizing_mode="stretch_width"))

    def _show_baselines(self, found: dict[str, Candidate]) -> None:
        self._baselines = found
        self.draw()

    def draw(self) -> None:
        """Draw the table and the comparison; compute the baselines of another text."""
        state = self.state
        if self._compared_with is not state.corpus:
            self._compared_with, self._baselines = state.corpus, {}
            corpus, seed = state.corpus, state.settings.seed
            self._background.do(lambda: baselines_of(corpus, seed), self._show_baselines)
        self._rule.choices = [_choice("rule", "Choose by the", state.runs.rule, list(RULES.items()))]
        options = [(str(run.number), run.title) for run in state.runs.kept]
        pair = state.runs.pair
        self._two.choices = (
            [
                _choice(side, side.capitalize(), str(run.number), options)
                for side, run in zip(("left", "right"), pair, strict=True)
            ]
            if pair
            else []
        )
        self._two.visible = bool(pair)
        rows = [row for run in reversed(state.runs.kept) for row in _run_rows(run)]
        rows += _baseline_rows(self._baselines)
        self._table.show(_table(rows) + (_RULE if state.runs.kept else _NO_RUN))
        self._difference.show(_side_by_side(pair, compared(*pair, state.grammar.word)) if pair else _ONE_RUN)

    def _picked(self, data: dict[str, str]) -> None:
        if data["name"] == "rule":
            self.state.choose_by(str(data["value"]))
            return
        self.state.runs.compare(**{str(data["name"]): int(data["value"])})
        self.draw()


def _choice(name: str, label: str, value: str, options: list[tuple[str, str]]) -> dict[str, object]:
    return {"name": name, "label": label, "value": value, "options": [list(option) for option in options]}


def _table(rows: list[Markup]) -> Markup:
    heads = [th(name, "num" if k > 3 else "") for k, name in enumerate((*_HEADS, *_SCORES))]
    return table(heads, rows, label="Restarts")


def _figures(c: Candidate) -> list[str]:
    scores = [c.scores.token.f, c.scores.boundary.f, c.scores.lexicon.f] if c.scores else []
    return [count_text(c.bigram), count_text(c.unigram), *([f"{x:.3f}" for x in scores] or [DASH] * 3)]


def _baseline_rows(found: dict[str, Candidate]) -> list[Markup]:
    rows = []
    for k, (label, c) in enumerate(found.items()):
        seed = c.seed if label == BASELINES["random"].label else ""
        cells = [td(label), td(""), td(seed), td("baseline"), td(DASH, "num")]
        cells += [td(x, "num") for x in _figures(c)]
        rows.append(tr(cells, "baseline first" if k == 0 else "baseline"))
    return rows


def _run_rows(run: FinishedRun) -> list[Markup]:
    rows = []
    for r, c in enumerate(run.candidates):
        figures = [nats_text(c.bound), *_figures(c)]
        swatch = element("i", class_="sw", style=f"background:var(--ot-{LEARNERS[run.learner].hue})")
        label = swatch + f" {run.title}" if r == 0 else ""
        several = len(run.candidates) > 1
        chosen = element("span", "chosen", class_="badge good") if several and r == run.chosen else ""
        cells = [td(label), td(r + 1), td(c.seed), td(chosen), *(td(x, "num") for x in figures)]
        rows.append(tr(cells, "first" if r == 0 else ""))
    return rows


def _side_by_side(pair: tuple[FinishedRun, FinishedRun], found: Difference) -> str:
    columns = [_column(run, only) for run, only in zip(pair, found.only, strict=True)]
    return f'<div class="pair">{"".join(columns)}<div>{_cuts(pair, found)}</div></div>'


def _column(run: FinishedRun, only: tuple[Entry, ...]) -> str:
    scores = run.candidates[run.chosen].scores
    remark = f"token F {scores.token.f:.3f}, lexicon F {scores.lexicon.f:.3f}" if scores else "no gold"
    words = " · ".join(
        f"{isolated(e.string)} <small>{count_text(e.expected_count)}</small>" for e in only[:MOST_WORDS]
    )
    own = f"only here: {counted_text(len(only), 'word')}, with counts" if only else "only here: none"
    return (
        f'<div><b>{escape(run.title)}</b><br><span class="remark">{remark}</span>'
        f'<p class="grammar">{escape(run.grammar.strip())}</p>'
        f'<span class="label">{own}</span><p class="words">{words}</p></div>'
    )


def _cuts(pair: tuple[FinishedRun, FinishedRun], found: Difference) -> str:
    shared = counted_text(found.common, "shared word")
    if found.utterances is None:
        return f'<b>{shared}</b><p class="small">The two learnt from different texts.</p>'
    lines = "".join(_cut_both_ways(pair, u) for u in found.utterances[:MOST_UTTERANCES])
    size = len(pair[0].corpus)
    remark = f"{count_text(len(found.utterances))} of {counted_text(size, 'utterance')} cut differently"
    return (
        f'<b>{shared}</b><br><span class="remark">{remark}: left above, right below</span>'
        f'<div class="cuts">{lines}</div>'
    )


def _cut_both_ways(pair: tuple[FinishedRun, FinishedRun], u: int) -> str:
    one, other = (isolated(" ".join(run.corpus.words(u, run.cut))) for run in pair)
    return (
        f'<span class="label">{count_text(u + 1)}</span>'
        f'<span>{one}<br><span class="other">{other}</span></span>'
    )
