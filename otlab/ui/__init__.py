"""The labs: pages for a server, widgets for a notebook.

How to build a lab
------------------
::

    from otlab.ui import Card, Integer, Lab, Lane, RunPanel, Seed, Settings, from_chains, swatch
    from otlab.ui.buttons import button, icon_button, segmented, tabs
    from otlab.ui.cards import html
    from otlab.viz.base.live import Live, Pages

    class ToyLab(Lab):
        title, route = "Toy", "toy_lab"

        def __init__(self, data="first"):
            super().__init__()
            self.settings = Settings([Integer("sweeps", "Sweeps", 20_000, low=1), Seed()])
            self.runner = RunPanel(
                [Lane("gibbs", "Gibbs", "gibbs", make=self._make, detail=lambda: "4 chains")],
                self.settings, on_ticks=self._draw, on_reset=self._clear, trust=self._trust)
            self.plots = Pages(lambda: Live(histogram(...), {"bars": {"fill_color": "gibbs"}}, self.tokens))
            self.choose(data)

        def examples(self):  return {"first": "First example", "second": "Second example"}
        def load(self, example):  ...; self.runner.reset()
        def main(self):                                   # called for each page or cell: fresh figures
            plot = pn.pane.Bokeh(self.plots.new().figure, sizing_mode="stretch_both")
            return pn.Column(Card("Posterior", plot, legend=[swatch("gibbs", "Gibbs")]), ...)
        def recolor(self, tokens):  self.plots.recolor(tokens)

        def _make(self):
            return run(learner, sweeps=self.settings["sweeps"], seed=self.settings["seed"], chains=4)
        def _draw(self, ticks):  self.plots.push("bars", left=..., right=..., top=..., bottom=...)
        def _trust(self):  return from_chains(assess(draws))

- Register it in :mod:`otlab.ui.registry`; ``apps/toy_lab.py`` serves it. It appears
  as soon as its module (``otlab.ui.toy.lab``) can be found.
- Callbacks of the run panel run on the page's thread inside ``pn.io.hold()``; a
  learner's ``make`` is called when Run is pressed and may raise ``InputError``.
- Update texts only when they change (:meth:`otlab.ui.cards.Html.show` does that);
  colours come from :mod:`otlab.viz.base.tokens` by name, in CSS as ``var(--ot-name)``.
- A component of your own in the browser: ``_esm = esm("my_file", Path(__file__).parent)``
  (:func:`otlab.ui.components.esm`), with the shared helpers in front.
- A system's kernels are compiled at server start if it has ``otlab.<system>.warm``
  with a function ``warm()``.

``OTLab`` and the other labs are fetched when first used: importing ``otlab.ui`` costs
Panel, no system.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from otlab.ui.badge import Badge, Stat, TrustReport, badge, from_chains
from otlab.ui.cards import Card, dashed, html, observed, stroke, swatch
from otlab.ui.fields import Choice, Fold, Integer, Real, Seed, Settings, Switch, Text
from otlab.ui.lab import Lab
from otlab.ui.run_panel import RunPanel
from otlab.ui.runner import Lane

__all__ = [
    "Badge",
    "Card",
    "Choice",
    "Fold",
    "Integer",
    "Lab",
    "Lane",
    "Real",
    "RunPanel",
    "Seed",
    "Settings",
    "Stat",
    "Switch",
    "Text",
    "TrustReport",
    "badge",
    "dashed",
    "from_chains",
    "html",
    "observed",
    "stroke",
    "swatch",
]

_LABS = {
    "OTLab": "otlab.ui.ot.lab",
    "TaggingLab": "otlab.ui.tagging.lab",
    "MGLab": "otlab.ui.mg.lab",
    "LexiconLab": "otlab.ui.lexicon.lab",
}


def __getattr__(name: str) -> Any:
    """Fetch a lab from its own package when it is first asked for."""
    if name in _LABS:
        return getattr(import_module(_LABS[name]), name)
    raise AttributeError(f"module 'otlab.ui' has no attribute {name!r}")
