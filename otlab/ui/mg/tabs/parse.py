"""The Parse tab: the surprisal of each word of the selected sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from otlab.errors import InputError
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.mg.parsing.prefix import surprisals
from otlab.ui.components.cards import Card, html
from otlab.ui.mg.tabs import TABLE_STYLE
from otlab.ui.mg.tabs.induce import BesideDerivation
from otlab.viz.base.numbers import value_text

__all__ = ["ParseTab"]

_STYLE = (
    TABLE_STYLE
    + """
.track { background: var(--ot-shade); height: 8px; border-radius: 3px; min-width: 120px; }
.track i { display: block; height: 8px; border-radius: 3px; background: var(--ot-other);
  box-shadow: inset 0 0 0 .8px var(--ot-other-edge); }
"""
)
_LONGEST = 14  # words


class ParseTab(BesideDerivation):
    """Surprisal of each word of the sentence, normalised by the well-formed mass."""

    title = "Parse"

    def card(self) -> Any:
        """Return the table of words."""
        self.table = html("", _STYLE, sizing_mode="stretch_both", styles={"overflow": "auto"})
        return Card("Surprisal word by word", self.table, remark="in nats")

    def draw(self) -> None:
        """Compute the surprisals of the selected sentence."""
        words = self.state.sentence
        if len(words) > _LONGEST:
            self.table.show(f'<p class="small">Shown for sentences of up to {_LONGEST} words.</p>')
            return
        try:
            steps = surprisals(self.state.grammar, words, self.state.theta)
        except InputError as error:
            self.table.show(f'<p class="bad">{escape(str(error))}</p>')
            return
        self.table.show(_surprisal_table([*words, "(end)"], steps) + self._remark(steps))

    def _remark(self, steps: np.ndarray) -> Markup:
        """Return how the sum follows from the sentence's probability, which the corpus shows."""
        total = float(steps.sum())
        if not np.isfinite(total):
            return Markup("")
        mass = float(np.log(self.state.well_formed_mass()))
        text = f"{value_text(total - mass, 2)}, less −log P(well-formed) {value_text(-mass, 2)}."
        return element("p", f"Among well-formed sequences: −log P of the sentence {text}", class_="small")


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
