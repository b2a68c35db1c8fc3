"""The Spoken words tab: words learnt from sound by the pipeline and by the joint model, side by side."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from otlab.discovery.joint.learners import LEARNERS
from otlab.discovery.sound.audio import wav_bytes
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.ui.components.cards import Card, Html, stroke
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.glossary import define, term
from otlab.ui.lexicon.components import SpokenRows
from otlab.ui.lexicon.spoken import JOINT, lexicon_rows
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import DASH, count_text, counted_text, nats_text
from otlab.viz.discovery.sound import PHASE_COLORS, phase_element, show_phase, split_phases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.sound.tiers import Interval
    from otlab.ui.lexicon.open_sound import OpenSound
    from otlab.ui.lexicon.spoken import SpokenState, SpokenType, SpokenWords

__all__ = ["SpokenTab"]

PIPELINE = "pipeline"
PAGE = 12
MOST_WORDS = 60
TINTS = 6

_CSS = """
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); padding: 2px 8px 4px; }
td { height: 26px; padding: 0 8px; border-bottom: 1px solid var(--ot-line); font-feature-settings: "tnum"; }
th.num, td.num { text-align: right; }
td.better { font-weight: 650; }
td.forms { font: 400 15px/1 var(--ot-forms); }
.small { margin: 6px 0 0; }
"""
_WORDS_BY_PHASE = "units first, then words from their strings, then both together"
_NOTHING = "Its pipeline comes first and stays beside it."
_LEARNER = LEARNERS[JOINT].label
_RIGHT = "<span><i></i>exactly a gold word</span><span>a word keeps its colour</span>"
_NOT_BEGUN = {
    "Units": f"Tick {_LEARNER} and press Run: units are learnt first, and how well they fit is drawn here.",
    "Joint model": "Words and units are then learnt together, and how well both fit is drawn here.",
}
_SAME = "<span>a word keeps its colour</span>"


class SpokenTab(Tab[LexiconState]):
    """Words in sound: pipeline and joint model beside gold, with their scores and objectives."""

    title = "Spoken words"
    depends = ("sound_changed",)

    def build(self) -> Any:
        """Return the cards in their places; the first shipped sound is opened if none is."""
        sound = self.state.sound
        if sound.opened is None:
            sound.open_example(next(iter(sound.examples())))
        self._first = 0
        self._drawn: OpenSound | None = None
        self._rows = SpokenRows(self._on_message, shown=_no_rows())
        self._nothing = no_result_yet("the words", _NOTHING, learner=_LEARNER)
        self._scores = Html("", _CSS, sizing_mode="stretch_width")
        self._lexicon = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._words = Card("Words in sound", self._rows, self._nothing)
        self._beside = Card("Pipeline and joint model", self._scores)
        self._types = Card("Lexicon", self._lexicon)
        palette = self.lab.palette
        self._lives = [palette.live(phase_element(step), PHASE_COLORS) for step in ("iteration", "round")]
        self._traces = []
        self._plots = []
        for live, title in zip(self._lives, ("Units", "Joint model"), strict=True):
            live.clear()
            plot = pn.pane.Bokeh(live.figure, sizing_mode="stretch_both", margin=0)
            not_begun = Html(f'<p class="small">{escape(_NOT_BEGUN[title])}</p>', sizing_mode="stretch_width")
            self._plots.append((plot, not_begun))
            self._traces.append(Card(title, plot, not_begun))
        side = down(
            down(self._beside, height=312, sizing_mode="stretch_width"),
            self._types,
            width=400,
            sizing_mode="stretch_height",
        )
        below = across(*self._traces, height=210, sizing_mode="stretch_width")
        return down(across(self._words, side), below)

    def draw(self) -> None:
        """Draw words, scores, lexicon and the two objectives."""
        sound = self.state.sound
        spoken = sound.spoken
        if self._drawn is not sound.opened:
            self._drawn, self._first = sound.opened, 0
        self._rows.visible, self._nothing.visible = spoken.pipeline is not None, spoken.pipeline is None
        self._words.remark = sound.shown.title
        self._show_rows()
        self._scores.show(_scores_table(spoken))
        self._types.remark = _types_remark(spoken)
        known = [] if spoken.pipeline is None else lexicon_rows(sound.speech, spoken.pipeline, spoken.joint)
        self._lexicon.show(_lexicon_table(known))
        self._show_traces(spoken)

    def _show_rows(self) -> None:
        sound = self.state.sound
        spoken, speech = sound.spoken, sound.speech
        if spoken.pipeline is None:
            self._rows.shown = _no_rows()
            return
        self._first = max(0, min(self._first, (len(speech) - 1) // PAGE * PAGE))
        shown = range(self._first, min(len(speech), self._first + PAGE))
        seconds = [float((speech.lengths[u] - 1) * speech.hop + speech.window) for u in shown]
        kinds = [units for units, _ in (spoken.joint or spoken.pipeline).uses.most_common()]
        tints = {units: min(k, TINTS * 4) % TINTS for k, units in enumerate(kinds)}
        self._rows.shown = {
            "rows": [
                self._row(u, length, length / max(seconds), tints)
                for u, length in zip(shown, seconds, strict=True)
            ],
            "place": f"{count_text(shown[0] + 1)}–{count_text(shown[-1] + 1)} of {count_text(len(speech))}",
            "more": len(speech) > PAGE,
            "legend": _SAME if spoken.pipeline.right is None else _RIGHT,
        }

    def _row(self, u: int, seconds: float, share: float, tints: dict[str, int]) -> dict[str, Any]:
        sound = self.state.sound
        speech, spoken = sound.speech, sound.spoken
        tiers: list[dict[str, Any]] = []
        if speech.words is not None:
            gold = [[i.start, i.end, i.label, -1, None] for i in speech.words[u]]
            tiers.append({"name": "gold", "hue": "", "words": gold})
        for name, words in ((PIPELINE, spoken.pipeline), (JOINT, spoken.joint)):
            if words is not None:
                blocks = _blocks(words.intervals[u], None if words.right is None else words.right[u], tints)
                tiers.append({"name": name, "hue": LEARNERS[name].hue, "words": blocks})
        return {"u": u, "name": speech.names[u], "seconds": seconds, "share": share, "tiers": tiers}

    def _show_traces(self, spoken: SpokenState) -> None:
        view = spoken.view
        nothing = np.zeros(0)
        units, joint = (nothing, nothing) if view is None else split_phases(view)
        for live, card, plots, name, objective in zip(
            self._lives, self._traces, self._plots, PHASE_COLORS, (units, joint), strict=True
        ):
            show_phase(live, name, objective)
            begun = bool(objective.size)
            plots[0].visible, plots[1].visible = begun, not begun
            card.remark = nats_text(objective[-1]) if begun else "not begun"
            words = "ELBO" if name == "units" else "objective J"
            card.legend = [stroke(f"{PHASE_COLORS[name]['line_color']}", words)]

    # Callbacks.

    def _on_message(self, message: dict[str, Any]) -> None:
        if message["kind"] == "turn":
            self._first += int(message["by"]) * PAGE
            self._show_rows()
            return
        sound = self.state.sound
        part = sound.samples(int(message["u"]), float(message["start"]), float(message["end"]))
        if part is not None:
            self._rows._send_msg({"wav": base64.b64encode(wav_bytes(*part)).decode()})


def _no_rows() -> dict[str, Any]:
    return {"rows": [], "place": "", "more": False, "legend": ""}


def _blocks(
    intervals: Sequence[Interval], right: Sequence[bool] | None, tints: dict[str, int]
) -> list[list[Any]]:
    """Return start, end, units, tint and whether it is right for each word that has any frames."""
    marks: Sequence[bool | None] = [None] * len(intervals) if right is None else right
    return [
        [i.start, i.end, i.label.replace("-", " "), tints.get(i.label, TINTS), mark]
        for i, mark in zip(intervals, marks, strict=True)
        if i.end > i.start
    ]


def _figures(words: SpokenWords | None) -> list[float | None]:
    scores = None if words is None else words.scores
    if scores is None or scores.token is None or scores.type is None or scores.boundary is None:
        return [None] * 4
    return [scores.token.f, scores.type.f, scores.boundary.f, scores.ned]


_MEASURES = ("token f", "lexicon f", "boundary f", "ned")
"""Their terms in the glossary."""


def _scores_table(spoken: SpokenState) -> Markup:
    """Return the scores of both models, the better one bold, and their numbers of words."""
    both = [spoken.pipeline, spoken.joint]
    columns = [_figures(words) for words in both]
    rows = []
    for k, measure in enumerate(_MEASURES):
        values = [column[k] for column in columns]
        known = [value for value in values if value is not None]
        best = (min if k == 3 else max)(known) if len(set(known)) > 1 else None
        cells = [
            td(
                DASH if value is None else f"{value:.3f}",
                "num better" if value is not None and value == best else "num",
            )
            for value in values
        ]
        rows.append(tr([td(term(measure)), *cells]))
    sizes = [DASH if words is None else count_text(len(words.uses)) for words in both]
    rows.append(tr([td("Different words"), *(td(size, "num") for size in sizes)]))
    bounds = _bounds(spoken)
    if bounds:
        rows.append(tr([td("Objective J"), *(td(nats_text(bound), "num") for bound in bounds)]))
    heads = [th(""), *(th(_named(name), "num") for name in (PIPELINE, JOINT))]
    gold = spoken.pipeline is None or spoken.pipeline.scores is not None
    without = element("p", "Without gold phones and words there are no scores.", class_="small")
    note = "" if gold else without
    return table(heads, rows, label="Scores of both models") + note + _preference(bounds)


def _bounds(spoken: SpokenState) -> tuple[float, float] | None:
    """Return J at the words of the pipeline, where the joint phase began, and now; None before."""
    view = spoken.view
    return (
        None
        if view is None or view.pipeline_objective is None
        else (view.pipeline_objective, float(view.objective[-1]))
    )


def _preference(bounds: tuple[float, float] | None) -> Markup:
    """Return a line that says which words J prefers, and that scores may differ."""
    if bounds is None:
        return Markup("")
    start, now = bounds
    which = LEARNERS[JOINT if now > start else PIPELINE].label
    gain = f"{nats_text(abs(now - start))} nats"
    words = (
        f"J prefers {which}, by {gain}. It knows no gold, and its words may score lower. "
        "The pipeline's J is that of its words with the edits first assumed."
    )
    return element("p", words, class_="small")


def _named(name: str) -> Markup:
    swatch = element("i", class_="sw", style=f"background:var(--ot-{LEARNERS[name].hue})")
    return swatch + f" {LEARNERS[name].label}"


def _types_remark(spoken: SpokenState) -> str:
    if spoken.pipeline is None:
        return ""
    now = spoken.joint or spoken.pipeline
    return f"{counted_text(len(now.uses), 'word')}, as units"


def _lexicon_table(rows: Sequence[SpokenType]) -> str:
    """Return the most used words: units, uses in each model, and the gold word they most often are."""
    if not rows:
        return f'<p class="small">Phases: {_WORDS_BY_PHASE}.</p>'
    heads = [th("Units"), th("Mostly"), th("Pipeline", "num"), th("Joint", "num")]
    lines = [
        tr(
            [
                td(row.units.replace("-", " ")),
                td(row.gold, "forms"),
                td(count_text(row.pipeline), "num"),
                td(count_text(row.joint), "num"),
            ]
        )
        for row in rows[:MOST_WORDS]
    ]
    return table(heads, lines, label="Spoken lexicon")


define(
    "ned",
    "NED (0 is best)",
    "Normalised edit distance: of any two stretches found to be the same word, the share of gold phones "
    "that differ, on average. Not used to learn.",
)
