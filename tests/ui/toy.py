"""A whole lab in one file: data that can be edited, one learner in three rows, one tab.

It is the example of "Add a lab" in CONTRIBUTING.md, and what the tests of the house run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import holoviews as hv
import numpy as np
import param

from otlab.errors import Fault, InputError
from otlab.inference import check_interrupt, run
from otlab.inference.diagnostics import assess
from otlab.ui import Card, Lab, LearnerRow, RunPanel, State, Tab, from_chains, swatch
from otlab.ui.components.row_plot import figure_pane
from otlab.ui.fields import Field, Fold, Seed, label_of
from otlab.viz.base.style import chrome


@dataclass(frozen=True)
class Walk:
    """The learner: draws from a normal, at a leisurely pace."""

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


class ToySettings(param.Parameterized):
    """The settings of the run panel."""

    sweeps = param.Integer(20_000, bounds=(1, 10_000_000))
    seed = Seed()
    chains = param.Integer(4, bounds=(1, 64))
    noise = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, False), label="Noise σ")
    bound = param.Number(6.0, bounds=(0, None), inclusive_bounds=(False, False), label="Bound K")
    prior = param.Selector(default="flat", objects={"Flat, centred": "flat", "Normal": "normal"})

    fields: ClassVar = {"sweeps": Field("sweep"), "prior": Field(wide=True)}
    folds: ClassVar = (Fold("Priors", ("prior",), lambda settings: label_of(settings, "prior")),)


class ToyState(State):
    """What the lab knows: a label that can be edited, and the newest tick of each row."""

    label = param.String("draws")
    results = param.Dict({})

    def examples(self):
        return {"first": "Ilokano reduplication", "second": "Spanish diminutives"}

    def load_example(self, example):
        self.param.update(label="draws", results={})

    def contents(self):
        return {"label": self.label}

    def open_contents(self, contents):
        self.label = contents["label"]

    def rows_shown(self):
        return self.results

    def rename(self, label):
        self.history.record("renamed")
        self.label = label


class DrawsTab(Tab[ToyState]):
    """A histogram that follows the run."""

    title = "Draws"
    depends = ("results", "label")

    def build(self):
        bars = hv.Rectangles([(0, 0, 1, 1)], label="bars").opts(line_color=None)
        element = chrome(bars, xlim=(-4, 4), ylim=(0, 0.5))
        self.live = self.lab.palette.live(element, {"bars": {"fill_color": "gibbs"}})
        self.card = Card("Posterior", figure_pane(self.live), legend=[swatch("gibbs", "Gibbs")])
        return self.card

    def draw(self):
        tick = self.state.results.get("gibbs")
        draws = tick.view[:, 0] if tick is not None else np.zeros(0)
        height, edges = np.histogram(draws, 40, (-4, 4))
        height = height / max(draws.size * 0.2, 1)
        self.live.push("bars", left=edges[:-1], right=edges[1:], bottom=0 * height, top=height)
        self.card.remark = f"{draws.size:,} {self.state.label}"


class ToyLab(Lab):
    title, route = "Toy", "toy_lab"
    tabs = (DrawsTab,)

    def __init__(self, pause=0.0005, fail_at=0):
        super().__init__(ToyState(ToySettings(), example="first"))
        learner, settings = Walk(pause=pause, fail_at=fail_at), self.settings

        def plan(learner, sweeps=lambda: settings.sweeps):
            return lambda: partial(run, learner, sweeps=sweeps(), seed=settings.seed, chains=settings.chains)

        short = plan(Walk(pause=pause), lambda: max(1, settings.sweeps // 4))
        rows = [
            LearnerRow("gibbs", "Gibbs", "gibbs", plan(learner), detail=lambda: f"{settings.chains} chains"),
            LearnerRow("gla", "GLA", "gla", short, detail=lambda: "40 runs", unit="trial"),
            LearnerRow(
                "maxent", "MaxEnt", "maxent", plan(Walk(), lambda: 1), state_text=lambda _: "Done in 4 ms"
            ),
        ]
        take = lambda ticks: self.state.param.update(results={**self.state.results, **ticks})  # noqa: E731
        forget = lambda: self.state.param.update(results={})  # noqa: E731
        self.connect(RunPanel(rows, settings, on_ticks=take, on_reset=forget, trust=self.trust))

    def trust(self):
        tick = self.state.results.get("gibbs")
        return from_chains(assess(np.array(tick.views)) if tick is not None else None)

    def read(self, source, progress):
        faults = [("one fault", "mend it", 1), ("another", "mend that", 2)]
        raise InputError([Fault(what, hint, source.name, line) for what, hint, line in faults])
