"""A small lab that learns nothing, to develop and test the house with."""

from __future__ import annotations

import time
from dataclasses import dataclass

import holoviews as hv
import numpy as np
import panel as pn
import param

from otlab.errors import Fault, InputError
from otlab.inference import check_interrupt, run
from otlab.inference.diagnostics import assess
from otlab.ui import (
    Card,
    Choice,
    Fold,
    Integer,
    Lab,
    Lane,
    Real,
    RunPanel,
    Seed,
    Settings,
    from_chains,
    swatch,
)
from otlab.ui.buttons import button, icon_button, segmented, tabs
from otlab.ui.glossary import term
from otlab.ui.placeholders import banner, empty, faults, impossible, no_result_yet
from otlab.ui.state import State
from otlab.viz.base.live import Live, Pages
from otlab.viz.base.style import chrome


@dataclass(frozen=True)
class Walk:
    """Draws from a normal, at a leisurely pace."""

    size: int = 3
    pause: float = 0.0
    fail_at: int = 0
    name: str = "walk"

    def init(self, rng):
        return []

    def step(self, rng, state, n):
        for _ in range(n):
            check_interrupt()
            if self.pause:
                time.sleep(self.pause)
            state.append(rng.normal(size=self.size))
            if len(state) == self.fail_at:
                raise ZeroDivisionError("the toy was asked to fail")
        return state

    def view(self, state):
        return np.array(state[-4000:]).reshape(-1, self.size)

    def finished(self, state):
        return False


def _bars():
    layer = hv.Rectangles([(0, 0, 1, 1)], label="bars").opts(line_color=None)
    return Live(
        chrome(layer, xlim=(-4, 4), ylim=(0, 0.5)), {"bars": {"fill_color": "gibbs"}}, {"gibbs": "#0072B2"}
    )


class ToyState(State):
    label = param.String("draws")
    results = param.Dict({})

    def examples(self):
        return {"first": "Ilokano reduplication", "second": "Spanish diminutives"}

    def contents(self):
        return {"label": self.label}

    def open_contents(self, contents):
        self.label = contents["label"]

    def rename(self, label):
        self.history.record("renamed")
        self.label = label


class ToyLab(Lab):
    title, route = "Toy", "toy_lab"

    def __init__(self, pause=0.0005, fail_at=0):
        settings = Settings(
            [
                Integer("sweeps", "Sweeps", 20_000, low=1, high=10_000_000, term="sweep"),
                Seed(),
                Integer("chains", "Chains", 4, low=1, high=64, term="chain"),
                Integer("total", "Sample size M", 99, low=1, term="sample size"),
                Real("noise", "Noise σ", 1.0, above=0.0, term="noise"),
                Real("bound", "Bound K", 6.0, above=0.0, term="bound"),
                Fold(
                    "Priors",
                    [
                        Choice(
                            "prior", "Prior", "flat", {"flat": "Flat, centred", "normal": "Normal"}, wide=True
                        )
                    ],
                    summary=lambda s: s.label("prior"),
                ),
            ]
        )
        super().__init__(ToyState(settings))
        self.pause, self.fail_at, self.drawn = pause, fail_at, []
        self.runner = self.connect(
            RunPanel(
                [
                    Lane(
                        "gibbs",
                        "Gibbs",
                        "gibbs",
                        make=self._make,
                        detail=lambda: f"{self.settings['chains']} chains",
                    ),
                    Lane("gla", "GLA", "gla", make=self._make_short, detail=lambda: "40 runs", unit="trial"),
                    Lane(
                        "maxent",
                        "MaxEnt",
                        "maxent",
                        make=self._make_one,
                        detail=lambda: "L-BFGS",
                        state_text=lambda t: "Done in 4 ms",
                    ),
                ],
                self.settings,
                on_ticks=self._draw,
                on_reset=self._clear,
                trust=self._trust,
            )
        )
        self.plots = Pages(_bars)
        self.card = Card(
            "Posterior of the ranking values", legend=[swatch("gibbs", "Gibbs"), swatch("gla", "GLA")]
        )
        self.choose("first")

    def open_file(self, name, data):
        raise InputError([Fault("one fault", "mend it", name, 1), Fault("another", "mend that", name, 2)])

    def recolor(self, tokens):
        self.plots.recolor(tokens)

    def main(self):
        plot = pn.pane.Bokeh(self.plots.new().figure, sizing_mode="stretch_both", margin=0)
        self.card = Card(
            "Posterior", plot, remark="no draws", legend=[swatch("gibbs", "Gibbs"), swatch("gla", "GLA")]
        )
        row = {"styles": {"gap": "14px"}, "margin": 0, "sizing_mode": "stretch_both"}
        return pn.Column(
            self._tools(),
            pn.Row(self._empty_card(), self._waiting_card(), **row),
            pn.Row(self.card, self._faults_card(), **row),
            pn.Row(self._impossible_card(), **row),
            sizing_mode="stretch_both",
            margin=0,
            styles={"gap": "14px", "padding": "8px 20px 16px"},
        )

    def _tools(self):
        return pn.Row(
            tabs(["Learn", "Compare", "Rank"]),
            pn.HSpacer(),
            icon_button("Undo", "undo"),
            icon_button("Redo", "redo", disabled=True),
            button("Step view", icon="eye"),
            button("Export", icon="download"),
            height=38,
            margin=0,
            sizing_mode="stretch_width",
            styles={"gap": "8px", "align-items": "center"},
        )

    def _empty_card(self):
        words = "Type one, paste from a spreadsheet, drop a file, or start from an example."
        actions = ("Start from Ilokano", lambda: None), ("Empty tableau", lambda: None)
        return Card(
            "Violations",
            empty("No tableau yet", words, *actions),
            action=button("Draw again", icon="dice", plain=True),
        )

    def _waiting_card(self):
        return Card("Nothing yet", no_result_yet(), action=segmented("View", ["By state", "By tag"]))

    def _faults_card(self):
        wrong = InputError(
            [
                Fault("“1,5” is not a whole number", "write 1 or 2", "spanish.csv", 3, 5),
                Fault("6 values for 5 constraints", "remove the last value", "spanish.csv", 7),
            ]
        )
        said = faults(wrong, "spanish.csv", ("Mend in the grid", lambda: None))
        return Card("Faults", said, banner("Not converged.", "Smallest ESS is 46."))

    def _impossible_card(self):
        title = '<span class="form">bounded</span> can never win'
        reason = f"It has every violation that good has. See {term('candidate')}."
        return Card("Impossible", impossible(title, reason), remark="a remark")

    def _make(self):
        return run(
            Walk(pause=self.pause, fail_at=self.fail_at),
            sweeps=self.settings["sweeps"],
            seed=self.settings["seed"],
            chains=self.settings["chains"],
        )

    def _make_short(self):
        return run(Walk(pause=self.pause), sweeps=max(1, self.settings["sweeps"] // 4), seed=1, chains=1)

    def _make_one(self):
        return run(Walk(), sweeps=1, seed=1)

    def _draw(self, ticks):
        self.drawn.append({name: tick.sweep for name, tick in ticks.items()})
        self.state.results = {**self.state.results, **ticks}
        if "gibbs" not in ticks:
            return
        draws = ticks["gibbs"].view[:, 0]
        height, edges = np.histogram(draws, 40, (-4, 4), density=True)
        self.plots.push("bars", left=edges[:-1], right=edges[1:], bottom=0 * height, top=height)
        self.card.remark = f"{ticks['gibbs'].sweep:,} draws"

    def _clear(self):
        self.plots.push("bars", left=[], right=[], bottom=[], top=[])
        self.card.remark = "no draws"
        self.state.results = {}

    def _trust(self):
        tick = self.runner.runner.jobs["gibbs"].last if "gibbs" in self.runner.runner.jobs else None
        return from_chains(assess(np.array(tick.views)) if tick is not None else None)
