"""What the step view shows of a walk, as HTML."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.ui.components.badge import Badge
from otlab.viz.base.names import constraint_html, form_html, input_html
from otlab.viz.base.numbers import count_text, value_text
from otlab.viz.ot.steps import draw_svg, draws_html, relations_html
from otlab.viz.ot.tableau import tableau_html
from otlab.viz.ot.trials import Shift, shifts_svg

if TYPE_CHECKING:
    from otlab.ot.steps import SiteDraw, TrialTrace
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.walks import GibbsWalk, GLAWalk

__all__ = ["StepPage", "gibbs_page", "gla_page"]


@dataclass(frozen=True)
class StepPage:
    """One moment of a walk; every field is HTML or plain text."""

    phases: str
    title: str
    remark: str
    picture: str
    why_title: str
    why: str
    table_title: str
    table: str
    so_far: str
    where: str


def gibbs_page(tableau: Tableau, walk: GibbsWalk) -> StepPage:
    """Return the present draw: its bounds, its reasons, and the draws before it."""
    names = tableau.constraints
    relation, total = walk.relation, len(walk.observations)
    current = max(walk.made - 1, 0)
    shown = [draw if k < walk.made else replace(draw, value=None) for k, draw in enumerate(walk.draws)]
    draw = shown[current]
    conjuncts = [(e.winners, e.losers, tableau.candidates[e.rival]) for e in relation.conjuncts]
    where = f"Observation <b>{walk.observation + 1}</b> of {total} &nbsp;&nbsp; Sweep <b>{walk.sweep}</b>"
    return StepPage(
        phases=_phases(_GIBBS_PHASES, _gibbs_phase(walk), total),
        title=f"<span>{constraint_html(names[draw.constraint])}{_CUT_OFF}</span>",
        remark="hollow dashed: its value before",
        picture=draw_svg(names, draw, _others(walk, current)),
        why_title="Why there is a bound",
        why=relations_html(names, tableau.candidates[relation.row], conjuncts),
        table_title="Draws for this observation",
        table=draws_html(names, shown, current),
        so_far=_gibbs_so_far(tableau, walk, draw),
        where=where,
    )


def gla_page(tableau: Tableau, walk: GLAWalk) -> StepPage:
    """Return the present trial: what was heard and said, and which ranking values moved."""
    trial = walk.trial
    if trial is None:
        return _before_gla()
    before, after = trial.before - trial.before.mean(), trial.after - trial.before.mean()
    shifts = [Shift(k, float(a), float(b)) for k, (a, b) in enumerate(zip(before, after, strict=True))]
    return StepPage(
        phases=_phases(_GLA_PHASES, 3 if trial.error else 2),
        title="Ranking values before and after this trial",
        remark="centred; hollow dashed: before",
        picture=shifts_svg(tableau.constraints, shifts),
        why_title="What happened",
        why=_heard(tableau, trial),
        table_title="The learner's own tableau, in this trial's order",
        table=tableau_html(tableau, _full_order(tableau, trial), trial.input),
        so_far=f"<p>{count_text(walk.errors)} of {count_text(walk.at)} trials moved ranking values.</p>"
        f"<p>Plasticity decides how far; it falls by the schedule of the run panel.</p>",
        where=f"Trial <b>{count_text(walk.at)}</b>",
    )


_CUT_OFF = ", drawn from a normal cut off at its bound"
_GIBBS_PHASES = (
    "Take one observation",
    "Draw a ranking that fits it",
    "Repeat for all {n}",
    "Draw the ranking values",
)
_GLA_PHASES = ("Hear a form", "Draw a ranking", "Produce a form", "Adjust the constraints that disagree")


def _phases(phases: tuple[str, ...], current: int, n: int = 0) -> str:
    marks = [" aria-current=step" if k == current else "" for k in range(len(phases))]
    rows = [
        f"<li{mark}><span>{k}</span>{phase.format(n=count_text(n))}</li>"
        for k, (phase, mark) in enumerate(zip(phases, marks, strict=True), start=1)
    ]
    return f"<ol>{''.join(rows)}</ol>"


def _gibbs_phase(walk: GibbsWalk) -> int:
    if walk.made == 0:
        return 0
    last = walk.observation + 1 == len(walk.observations)
    return (3 if last else 2) if walk.done else 1


def _others(walk: GibbsWalk, current: int) -> list[tuple[int, float]]:
    """Return the other constraints' values as they are at this draw: new before it, old after."""
    new = {draw.constraint: draw.value for draw in walk.draws[:current] if draw.value is not None}
    others = [draw for k, draw in enumerate(walk.draws) if k != current]
    return [(draw.constraint, new.get(draw.constraint, draw.before)) for draw in others]


def _gibbs_so_far(tableau: Tableau, walk: GibbsWalk, draw: SiteDraw) -> str:
    m, sd = walk.sample_size, value_text(draw.noise / math.sqrt(walk.sample_size))
    name = constraint_html(tableau.constraints[draw.constraint])
    done = walk.observation + walk.done
    badge = Badge(f"{count_text(done)} of {count_text(len(walk.observations))} drawn").html()
    return (
        f"<p>The mean of all {count_text(m)} draws for {name} will be the centre of its next "
        f"ranking value, with standard deviation {draw.noise:g}\u2009/\u2009√{m} = {sd}.</p>{badge}"
    )


def _heard(tableau: Tableau, trial: TrialTrace) -> str:
    heard, produced = (form_html(tableau.candidates[row]) for row in (trial.observed, trial.produced))
    said = f"<p>For {input_html(tableau.inputs[trial.input])} the learner heard {heard}."
    if not trial.error:
        return f"{said} Its own ranking gives the same form, so nothing moves.</p>"
    return (
        f"{said} Its own ranking gives {produced}.</p><p>Constraints that {heard} violates more go down, "
        f"those that {produced} violates more go up.</p>"
    )


def _full_order(tableau: Tableau, trial: TrialTrace) -> tuple[int, ...]:
    """Return the order drawn; constraints that say nothing about this input follow."""
    rest = [k for k in np.argsort(-trial.before, kind="stable").tolist() if k not in trial.order]
    return (*trial.order, *rest)


def _before_gla() -> StepPage:
    return StepPage(
        phases=_phases(_GLA_PHASES, 0),
        title="Ranking values before and after each trial",
        remark="",
        picture="<p class='small'>Press Next trial: the learner hears its first form.</p>",
        why_title="What happened",
        why="<p>Nothing yet.</p>",
        table_title="The learner's own tableau",
        table="",
        so_far="<p>All constraints start from one ranking value.</p>",
        where="Trial <b>0</b>",
    )
