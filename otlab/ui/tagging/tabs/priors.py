"""The Priors tab: VB's weights of counts, and the strength of a prior on this corpus."""

from __future__ import annotations

from typing import Any, ClassVar

from otlab.html import table, td, tr
from otlab.ui.components.cards import Card, Html, dashed, stroke
from otlab.ui.components.layout import across, down
from otlab.ui.components.row_plot import figure_pane
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.settings import PriorTrialSettings
from otlab.ui.tagging.state import TaggingState
from otlab.viz.tagging.prior import PRIOR_COLORS, mass_share, prior_advice, prior_data, prior_element

__all__ = ["PriorsTab"]

_PRIORS = (1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


class PriorsTab(Tab[TaggingState]):
    """The Priors tab."""

    title = "Priors"
    repeats: ClassVar = {"": ("Watch: Tokens per state",)}
    depends = ("corpus",)
    at_opening = ("settled",)  # the number of states may be another

    def build(self) -> Any:
        """Return the cards in their places."""
        self._live = self.lab.palette.live(prior_element(), PRIOR_COLORS)
        self.tried = PriorTrialSettings(alpha=self.state.settings.emission_prior)
        self.tried.param.watch(lambda _: self.draw(), "alpha")
        self._advice = Html("", PAGE_CSS, sizing_mode="stretch_width")
        self._table = Html("", PAGE_CSS, sizing_mode="stretch_width")
        legend = [
            stroke("vb-edge", "f(v) = exp ψ(v)"),
            stroke("em-edge", "v, as EM"),
            dashed("ink3", "v − ½"),
        ]
        curve = Card(
            "How VB discounts counts",
            figure_pane(self._live),
            legend=legend,
        )
        text = Html(_EXPLANATION, PAGE_CSS, sizing_mode="stretch_width")
        form = SettingsForm(self.tried)
        sandbox = Card("How strong is the prior here?", form, self._advice, self._table, text)
        return across(down(curve, styles={"flex": "1.2 1 0"}), down(sandbox, styles={"flex": "1 1 0"}))

    def draw(self) -> None:
        """Draw the trial prior."""
        alpha, corpus, states = self.tried.alpha, self.state.corpus, self.state.settings.states
        for label, columns in prior_data(alpha).items():
            self._live.push(label, **columns)
        advice = prior_advice(corpus.types, corpus.tokens, states, alpha)
        self._advice.show(f'<div class="hint">{advice}</div>')
        rows = []
        for prior in _PRIORS:
            share = mass_share(corpus.types, corpus.tokens, states, prior)
            rows.append(tr([td(f"{prior:g}"), td(f"{prior * corpus.types:,.1f}"), td(f"{share:.3f}")]))
        heads = ["α", "prior mass per state", "of the tokens per state"]
        self._table.show(table(heads, rows, kind="scores"))


_EXPLANATION = (
    '<p class="small">Dots: a word with expected count 0 and 1. '
    "VB passes every expected count plus α through f, which takes about ½ from large "
    "counts and nearly everything from small ones: a state with only a small share of a word loses it, and "
    "big states grow. "
    "The Penn Treebank with α 0.1 and 50 states has a ratio of 0.21.</p>"
)
