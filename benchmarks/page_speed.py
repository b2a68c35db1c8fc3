"""What the kernels cost in the tab, against the same kernels natively and against Praat, side by side.

The GLA and Gibbs do as many trials and sweeps in the page as in this process, with the page's own functions,
and both compute exact probabilities of the same draws. Pieces of a few milliseconds take turns; the
fastest piece of each side counts, since whatever else runs on the machine only makes a piece slower. Praat
is left out where it is not installed.

    python -m benchmarks page_speed
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.gla_praat import FIRST, LAST, NOISE, TRIALS, Praat
from benchmarks.measure import Row, at_least, at_most, cpu_seconds
from otlab.inference.random import chain_generators
from otlab.ot import read
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.schedules import schedule
from otlab.ot.probability import predict_many
from otlab.web.page import lab_page, tableau_data
from tests.ui.browser import Visit, launched

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from otlab.ot import Tableau

PIECES = 200
STEPS = {"gla": 50_000, "gibbs": 2000}
DRAWS = 100
HALF = 0.5
NAMES = {"gla": ("GLA, trials", "ilokano"), "gibbs": ("Gibbs, sweeps", "spanish")}

# Prepare a learner, or exact probabilities, in the page; `piece()` does some of it and returns its seconds.
_PREPARE = """async ([learner, job, steps, draws]) => {
  const module = await WebAssembly.compile(Uint8Array.from(atob(DATA.wasm), c => c.charCodeAt(0)))
  const kernels = await kernelsOf(module, DATA.signatures)
  const chain = learner in CHAINS ? CHAINS[learner](kernels, job, 0) : null
  const plan = planOf(job.tableau, relationsOf(job.tableau))
  const { noise } = job.tableau
  const work = chain ? () => chain.step(steps) : () => probabilitiesOf(kernels, plan, draws, noise)
  window.piece = () => { const began = performance.now(); work(); return (performance.now() - began) / 1000 }
}"""


def run() -> dict[str, Row]:
    """Return the rate in the tab against native code, and against Praat where it is installed."""
    with TemporaryDirectory() as folder, launched() as browser:
        visit = Visit(browser)
        path = Path(folder) / "otlab.html"
        path.write_text(lab_page(read("ilokano"), 1), encoding="utf-8")
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        rows = _learners(visit.page) | _probabilities(visit.page)
        visit.close()
    return rows


def _learners(page: Page) -> dict[str, Row]:
    """Return the rows of the GLA and of Gibbs."""
    rows = {}
    for learner, (label, name) in NAMES.items():
        tableau, steps = read(name), STEPS[learner]
        page.evaluate(_PREPARE, [learner, _job(page, learner, tableau), steps, []])
        there, here = _fastest(page, _native(learner, tableau, steps))
        reached, native = steps / there, steps / here
        against = f"native on {name}"
        rows[f"page: {label}"] = at_least(
            reached, "a second in the tab", against, native, reached / native, HALF
        )
        if learner == "gla" and find_spec("parselmouth"):
            praat = Praat(tableau)
            theirs = TRIALS / min(cpu_seconds(praat.learn) for _ in range(3))
            against = f"Praat on {name}"
            rows["page: GLA against Praat"] = at_least(
                reached, "a second in the tab", against, theirs, reached / theirs, 3
            )
    return rows


def _probabilities(page: Page) -> dict[str, Row]:
    """Return the row of exact probabilities."""
    tableau = read("spanish")
    draws = np.random.default_rng(1).normal(size=(DRAWS, tableau.n_constraints))
    page.evaluate(_PREPARE, ["probabilities", _job(page, "gibbs", tableau), 0, draws.tolist()])
    noise = tableau_data(tableau)["noise"]
    there, here = (1e6 * s / DRAWS for s in _fastest(page, lambda: predict_many(tableau, draws, noise)))
    row = at_most(there, "us in the tab", "native on spanish", here, there / here, 3)
    return {"page: exact probabilities of a draw": row}


def _job(page: Page, learner: str, tableau: Tableau) -> dict[str, Any]:
    """Return a run of the page with more steps than are done."""
    data = tableau_data(tableau)
    if learner == "gla":
        stages = page.evaluate("DATA.schedules.constant")
        settings = {"trials": 10**8, "noise": NOISE, "initial": 100, "rule": 0, **stages}
    else:
        settings = {"sweeps": 10**6, "noise": data["noise"], "bound": data["bound"]}
    return {"learner": learner, "tableau": data, "settings": settings, "seed": 1, "chains": [0]}


def _native(learner: str, tableau: Tableau, steps: int) -> Callable[[], object]:
    """Return what does some steps of the learner in this process at each call."""
    one = GLA(tableau, NOISE, schedule("otsoft", 10**8, FIRST, LAST)) if learner == "gla" else Gibbs(tableau)
    (rng,) = chain_generators(1, 1)
    state = one.init(rng)

    def piece() -> None:
        nonlocal state
        state = one.step(rng, state, steps)

    return piece


def _fastest(page: Page, native: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of the fastest piece in the page and in this process, which take turns."""
    pairs = [(page.evaluate("piece()"), cpu_seconds(native)) for _ in range(PIECES)]
    there, here = zip(*pairs, strict=True)
    return min(there), min(here)
