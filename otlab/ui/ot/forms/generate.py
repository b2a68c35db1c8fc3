"""Candidates that generate themselves, for the OT lab: operations ticked, and the work beside the page.

Panel is not used.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import InputError, Interrupted, counted
from otlab.forms.gen import MOST
from otlab.ot.analysis.candidates import by_ranking, by_weights, forgotten, with_candidates
from otlab.ot.analysis.rank import rank
from otlab.ot.learners import LEARNERS
from otlab.ot.orders import order_of
from otlab.ui.work_runner import WorkRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from otlab.forms.features import FeatureTable
    from otlab.inference.executors import Workers
    from otlab.ot.analysis.candidates import Forgotten
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.forms.operations import GenSettings
    from otlab.ui.ot.state import OTState

    Penalty = Callable[[NDArray[np.int64]], tuple[float, ...]]

__all__ = ["Added", "Found", "added_words", "adding", "judged_by", "searching"]


class Added(NamedTuple):
    """What was generated so far.

    Attributes
    ----------
    before, tableau
        The tableau that was asked about, and it with the new candidates.
    new
        How many are new.
    capped
        Inputs with more candidates than the cap.
    """

    before: Tableau
    tableau: Tableau
    new: int
    capped: tuple[str, ...]


class Found(NamedTuple):
    """Candidates that were forgotten, so far.

    Attributes
    ----------
    before
        The tableau that was asked about.
    judged
        What they were judged by, in words.
    found
        Number of the input, and a candidate that beats its winner.
    looked
        How many candidates were looked at.
    """

    before: Tableau
    judged: str
    found: tuple[tuple[int, Forgotten], ...]
    looked: int


def _checked(tableau: Tableau) -> FeatureTable:
    """Return the feature table of a tableau whose columns all have formulas."""
    formulas = tableau.formulas
    missing = [
        name for k, name in enumerate(tableau.constraints) if formulas is None or not formulas.texts[k]
    ]
    if formulas is None or missing:
        names = ", ".join(missing[:3]) + (" and others" if len(missing) > 3 else "")
        raise InputError(
            f"new candidates cannot be counted: {names} {'has' if len(missing) == 1 else 'have'} no formula; "
            "write one under Constraints, and press Count it"
        )
    return formulas.table


def _runner(work: Callable[[int, Callable[[], None]], object], inputs: Sequence[int]) -> WorkRunner:
    """Return a runner of one task per input; each is given a function that ends it after a Cancel."""

    def all_of_them(workers: Workers, report: Callable[[int, object], None]) -> None:
        def go_on() -> None:
            if not runner.alive:
                raise Interrupted

        for done, k in enumerate(inputs):
            go_on()
            shown = workers.executor.submit(work, k, go_on).result()
            report(done + 1, shown)

    runner = WorkRunner(len(inputs), 1, all_of_them, "input")
    return runner


def adding(
    tableau: Tableau, inputs: Sequence[int], settings: GenSettings, *, undominated: bool
) -> WorkRunner:
    """Return a runner that adds generated candidates of some inputs; its ticks are :class:`Added`.

    Raises
    ------
    InputError
        If a column has no formula, or an operation is wrong.
    """
    gen = settings.gen(_checked(tableau))
    so_far = [Added(tableau, tableau, 0, ())]

    def work(k: int, go_on: Callable[[], None]) -> Added:
        before, now, count, capped = so_far[0]
        longer, new, over = with_candidates(now, k, gen, undominated=undominated, go_on=go_on)
        more = (*capped, tableau.inputs[k]) if over else capped
        so_far[0] = Added(before, longer, count + new, more)
        return so_far[0]

    return _runner(work, inputs)


def searching(
    tableau: Tableau, inputs: Sequence[int], settings: GenSettings, judged: tuple[str, Penalty]
) -> WorkRunner:
    """Return a runner that searches candidates that beat the winner; its ticks are :class:`Found`.

    Raises
    ------
    InputError
        If a column has no formula, or an operation is wrong.
    """
    gen = settings.gen(_checked(tableau))
    words, penalty = judged
    so_far = [Found(tableau, words, (), 0)]

    def work(k: int, go_on: Callable[[], None]) -> Found:
        def weighed(violations: NDArray[np.int64]) -> tuple[float, ...]:
            go_on()
            return penalty(violations)

        better, looked = forgotten(tableau, k, gen, weighed)
        before, _, found, earlier = so_far[0]
        so_far[0] = Found(before, words, (*found, *((k, one) for one in better)), earlier + looked)
        return so_far[0]

    return _runner(work, inputs)


def judged_by(state: OTState) -> tuple[str, Penalty]:
    """Return what candidates are judged by, in words, and their penalty under it.

    The values as dragged; else those of the learner chosen on the Data tab, the first that ran; else the
    strata of the Rank tab.

    Raises
    ------
    InputError
        If nothing was learnt and no ranking fits.
    """
    tableau = state.tableau
    others = state.shown_tableau.constraints != tableau.constraints
    name = "" if state.document.changed_since_run and others else state.printed_learner
    fit = state.fits.get(name) if name and not state.own_values else None
    if fit is not None and fit.kind == "weight":
        return f"the weights of {LEARNERS[name].label}", by_weights([float(w) for w in fit.mean])
    if fit is not None:
        order = order_of(np.asarray(fit.mean, np.float64))
        return f"the ranking values of {LEARNERS[name].label}", by_ranking(order)
    if state.own_values:
        return "the ranking values as dragged", by_ranking(order_of(state.values))
    strata = state.own_strata
    words = "your strata"
    if not strata:
        ranking = rank(tableau, state.algorithm, apriori=state.apriori)
        if not ranking.consistent:
            raise InputError("no ranking fits the table; run a learner, and its values are used")
        strata, words = ranking.demotion.strata, f"the strata of {state.algorithm.upper()}"
    return words, partial(_by_strata, strata)


def _by_strata(strata: Sequence[Sequence[int]], violations: NDArray[np.int64]) -> tuple[float, ...]:
    """Return the violations of each stratum, added."""
    return tuple(float(violations[list(stratum)].sum()) for stratum in strata)


def added_words(added: Added) -> str:
    """Return how many candidates were added, and where the cap was reached."""
    words = f"{counted(added.new, 'candidate')} added" if added.new else ""
    if added.capped:
        names = ", ".join(added.capped[:3]) + (" and others" if len(added.capped) > 3 else "")
        words += f"{'; ' if words else ''}{names}: more than the first {MOST:,}, which were looked at"
    return words or "No candidate is new"
