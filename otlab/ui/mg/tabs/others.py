"""Further tabs: surprisal word by word, random sentences, and the linter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from otlab.errors import InputError
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.prefix import surprisals
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, html
from otlab.ui.glossary import term
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs.induce import BesideDerivation
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Set

__all__ = ["CheckTab", "GenerateTab", "ParseTab"]

_CSS = """
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--ot-line); text-align: left; }
td { vertical-align: middle; }
th { font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); }
.num { text-align: right; white-space: nowrap; }
.track { background: var(--ot-shade); height: 8px; border-radius: 3px; min-width: 120px; }
.track i { display: block; height: 8px; border-radius: 3px; background: var(--ot-other);
  box-shadow: inset 0 0 0 .8px var(--ot-other-edge); }
.code { white-space: nowrap; }
.bad { color: var(--ot-bad); } .warn { color: var(--ot-warn); }
"""
_DRAWN = 12
_LONGEST = 14


class ParseTab(BesideDerivation):
    """Surprisal of each word of the sentence, normalised by the well-formed mass."""

    title = "Parse"

    def card(self) -> Any:
        """Return the table of words."""
        self._html = html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        return Card(
            "Surprisal word by word", self._html, remark="in nats", width=430, sizing_mode="stretch_height"
        )

    def draw(self) -> None:
        """Compute the surprisals of the selected sentence."""
        words = self.state.sentence
        if len(words) > _LONGEST:
            self._html.show(f'<p class="small">Shown for sentences of up to {_LONGEST} words.</p>')
            return
        try:
            steps = surprisals(self.state.grammar, words, self.state.theta)
        except InputError as error:
            self._html.show(f'<p class="bad">{escape(str(error))}</p>')
            return
        self._html.show(_surprisal_table([*words, "(end)"], steps))


def _surprisal_table(words: list[str], steps: np.ndarray) -> Markup:
    finite = steps[np.isfinite(steps)]
    most = max(1e-9, float(finite.max(initial=0.0)))
    rows = [_surprisal_row(w, float(s), most) for w, s in zip(words, steps, strict=True)]
    if len(finite) == len(steps):
        rows.append(tr([td("Sum"), td(), td(f"{float(steps.sum()):.2f}", "num")]))
    return table(["Word", "", th("Surprisal", "num")], rows)


def _surprisal_row(word: str, value: float, most: float) -> Markup:
    known = np.isfinite(value)
    bar = element("i", style=f"width:{100 * value / most:.1f}%")
    shown = f"{value:.2f}" if known else ("∞" if value > 0 else "–")
    cells = [td(word, "form"), td(element("div", bar, class_="track") if known else ""), td(shown, "num")]
    return tr(cells)


class GenerateTab(BesideDerivation):
    """Random sentences of the grammar, and how many attempts they took."""

    title = "Generate"

    def card(self) -> Any:
        """Return the list of sentences."""
        self._seed = 0
        self._drawn_for: object = None
        self._list = pn.Column(
            sizing_mode="stretch_both", margin=0, styles={"overflow": "auto", "gap": "2px"}
        )
        again = button("Draw again", self._again, icon="dice", plain=True)
        return Card("Random sentences", self._list, action=again, width=430, sizing_mode="stretch_height")

    def draw(self) -> None:
        """Sample from the present grammar, if not done yet."""
        key = (self.state.lexicon.texts, self._seed)
        if key != self._drawn_for:
            self._drawn_for = key
            self._generate()

    def _again(self) -> None:
        self._seed += 1
        self.draw()

    def _generate(self) -> None:
        if not self.state.lexicon.items:
            self._list[:] = [html('<p class="small">The lexicon has no item yet.</p>')]
            return
        made = generate(
            self.state.lexicon,
            _DRAWN,
            theta=self.state.theta,
            seed=self._seed,
            most_attempts=5000,
            most_words=_LONGEST,
        )
        mass = percent_text(self.state.well_formed_mass(), 0)
        accepted = percent_text(made.acceptance_rate, 0)
        named = term("well-formed", "expected")
        sentence = f'<p class="small">{accepted} of sampled sequences were well-formed; {named} {mass}.</p>'
        self._list[:] = [html(sentence, sizing_mode="stretch_width"), *map(self._button, made.sentences)]

    def _button(self, words: tuple[str, ...]) -> Any:
        look = {"justifyContent": "flex-start", "textAlign": "left", "fontWeight": 400, "height": "auto"}
        return button(
            " ".join(words) or "ε", lambda: self.induce.choose(words), plain=True, sx=look, align="start"
        )


class CheckTab(Tab[MGState]):
    """All remarks of the linter."""

    title = "Lexicon check"
    depends = ("settled",)

    def build(self) -> Any:
        """Return the table of remarks."""
        self._html = html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._card = Card("Lexicon check", self._html)
        return self._card

    def redraw(self, changed: Set[str]) -> None:
        """List the remarks by row."""
        remarks = self.state.remarks
        self._card.remark = (
            f"{len(remarks)} remark{'s' if len(remarks) != 1 else ''}" if remarks else "no remarks"
        )
        rows = [
            tr(
                [
                    td(r.code, "code bad" if r.blocks else "code warn"),
                    td(r.line or "", "num"),
                    td(r.item, "form"),
                    td(r.what),
                    td(r.hint),
                ]
            )
            for r in remarks
        ]
        heads = ["Code", "Row", "Item", "Problem", "Remedy"]
        self._html.show(table(heads, rows) if rows else f"<p>{self._fine()}</p>")

    def _fine(self) -> str:
        return "Every item can be used." if self.state.lexicon.items else "The lexicon has no item yet."
