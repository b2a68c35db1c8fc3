"""A result of the OT lab as one HTML page: tableaux, posterior, predictions, and a draggable ranking line.

The page computes exact probabilities in the browser, from the plan of :mod:`otlab.ot.probability_plan`,
and needs neither Python nor a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, counted
from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.ot.analysis.report import provenance
from otlab.ot.formatting import slashed
from otlab.ot.kernels import probability as kernels
from otlab.ot.learners import LEARNERS
from otlab.ot.mixed_fitted import MixedFit
from otlab.ot.orders import order_of
from otlab.ot.point import MEDIAN, Point, mean_of_runs
from otlab.ot.probability import predict
from otlab.ot.probability_plan import plan_of
from otlab.ot.settings import resolve_settings
from otlab.viz.base.layers_svg import Look, layers_svg
from otlab.viz.base.names import constraint_html, constraint_svg, name_parts
from otlab.viz.base.numbers import count_text, counted_text, sd_text, value_text
from otlab.viz.base.page import Section, live_part, page, provenance_sections, swatches
from otlab.viz.ot.answers import Answers
from otlab.viz.ot.heard import as_heard, parses_html, parses_of
from otlab.viz.ot.histograms import DrawHistogram
from otlab.viz.ot.leading import first_inputs, leading, left_out
from otlab.viz.ot.posterior import ridge_colors, ridge_data, ridge_span, ridge_text
from otlab.viz.ot.predicted import (
    BARS_CSS,
    PREDICTED_COLORS,
    PREDICTED_CSS,
    bars_html,
    comparison_html,
    predicted_data,
    predicted_span,
    predicted_text,
)
from otlab.viz.ot.speakers import (
    SPEAKERS_CSS,
    group_values,
    levels_of,
    new_html,
    panels_html,
    spreads_html,
)
from otlab.viz.ot.tableau import TABLEAU_CSS, order_html, tableau_html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau

__all__ = [
    "MOST_CANDIDATES",
    "line_section",
    "plan_data",
    "posterior_picture",
    "predicted_picture",
    "result_page",
]

MOST_NUMBERS = 100_000  # in a plan; with more, the page would be too large, and dragging slow
MOST_CANDIDATES = 60  # candidates whose tableaux and bars are drawn

_ROW = 58  # pixels

_RIDGE_LOOKS = {
    "baselines": Look(width=1.5),
    "bars": Look(opacity=0.82),
    "intervals": Look(width=2.6),
    "medians": Look(size=8.5, width=2.2),
    "runs": Look(width=1.0, opacity=0.6),
}
_PREDICTED_LOOKS = {
    "observed": Look(width=2.0),
    "gibbs interval": Look(width=3.0, opacity=0.5),
    "gibbs": Look(size=10.5, width=1.5),
    "gla": Look(size=2.6, shape="square"),
    "maxent": Look(size=10.0, shape="diamond"),
}


def result_page(fits: Sequence[Fit], *, link: str = "", title: str = "") -> str:
    """Return the fits of one or more learners to a tableau as one self-contained page of HTML.

    Parameters
    ----------
    fits
        Fits to the same tableau, one per learner, such as ``otlab.fit_gibbs`` and ``fit_gla`` return.
    link
        Path and query with which the OT lab opens the same data and settings; no link if empty.
    title
        Heading of the page; the table's title or name if empty.

    Raises
    ------
    InputError
        If there is no fit.

    Examples
    --------
    >>> import otlab
    >>> text = result_page([otlab.fit_maxent(otlab.load_sample("ilokano"))])
    >>> text.startswith("<!DOCTYPE html>"), len(text) < 1_500_000
    (True, True)
    """
    if not fits:
        raise InputError(Fault("Nothing has been learnt yet", "press Run"))
    by_name = {fit.learner.name: fit for fit in fits}
    tableau = fits[0].tableau
    point, where = _centre(by_name)
    values = point.values
    shown = first_inputs(tableau, MOST_CANDIDATES)
    used = next((fit.settings for fit in fits if fit.kind == "ranking value"), {})
    settings = resolve_settings(shown, used.get("noise"), used.get("bound"))
    sections = [
        _tableau_section(tableau, shown, values, where, point.caveat),
        _posterior_section(tableau, by_name),
        _predicted_section(tableau, by_name),
        _parses_section(by_name),
        *(section for fit in fits if isinstance(fit, MixedFit) for section in _groups_sections(fit)),
        line_section(tableau, values, where, noise=settings.noise, bound=settings.bound, mark=point.caveat),
        _parameter_section(tableau, by_name),
        *provenance_sections("OT lab", _provenance(by_name), link),
    ]
    seen = (
        counted_text(tableau.frequencies.sum(), "observation")
        if tableau.frequencies.any()
        else "no observations"
    )
    about = (
        f"{counted_text(len(tableau.inputs), 'input')}, {counted_text(tableau.n_rows, 'candidate')}, {seen}"
    )
    learnt = ", ".join(LEARNERS[name].label for name in by_name)
    return page(
        title or tableau.title or tableau.name or "A tableau",
        [section for section in sections if section is not None],
        subtitle=f"Learnt by {learnt} from {about}",
        styles=[TABLEAU_CSS, PREDICTED_CSS, BARS_CSS, SPEAKERS_CSS],
    )


def _groups_sections(fit: MixedFit) -> list[Section]:
    """Return how much speakers and items differ, new ones, and a picture of each; none if nobody is named."""
    levels = levels_of(fit)
    if not levels:
        return []
    by, mark = f"by {LEARNERS[fit.learner.name].label}", fit.point.caveat

    def card(title: str, inside: Markup, remark: str) -> Section:
        return Section(title, element("div", inside, class_="scroll"), remark, wide=True, mark=mark)

    spreads = f"{by}; medians and 95 % intervals"
    rates = f"{by}; mean probability and 95 % interval"
    pictures = [
        card(label, panels_html(group_values(fit, level)), f"{by}; {fit.kind}s, means and 95 % intervals")
        for level, label in levels.items()
    ]
    return [
        card("How much speakers and items differ", spreads_html(fit), spreads),
        card("New speakers and items", new_html(fit), rates),
        *pictures,
    ]


def plan_data(tableau: Tableau, most: int = MOST_NUMBERS) -> dict[str, Any]:
    """Return the data from which the script ``probability.js`` computes the candidates' probabilities.

    Raises
    ------
    InputError
        If an input is too large for exact probabilities in a page.
    """
    plan = plan_of(tableau)
    arrays = plan.arrays._asdict()
    if plan.sampled or sum(array.size for array in arrays.values()) > most:
        raise InputError("the tableau is too large for exact probabilities in a page")
    return {
        "entry": plan.entry.tolist(),
        "share": plan.share.tolist(),
        "active": plan.active.tolist(),
        **{name: array.tolist() for name, array in arrays.items()},
        "nodes": kernels.NODES.tolist(),
        "weights": kernels.WEIGHTS.tolist(),
        "from_left": kernels.FROM_LEFT.tolist(),
        "panel": kernels.PANEL,
        "tail": kernels.TAIL,
        "reach": kernels.REACH,
        "rare": kernels.RARE,
    }


def _centre(fits: Mapping[str, Fit]) -> tuple[Point, str]:
    """Return the initial ranking values of the page, and their source; all 0 if no learner has any."""
    for fit in fits.values():
        if fit.kind == "ranking value":
            return fit.point, fit.point.words(LEARNERS[fit.learner.name].label)
    return Point(np.zeros(next(iter(fits.values())).tableau.n_constraints), "zeros"), "all at 0"


def _tableau_section(tableau: Tableau, shown: Tableau, values: np.ndarray, where: str, mark: str) -> Section:
    order = order_of(values)
    heading = element(
        "p", Markup(f"Ranked by {escape(where)}: ") + Markup(order_html(tableau.constraints, order))
    )
    inside = heading + Markup(tableau_html(shown, order))
    return Section("Tableaux", inside, _left_out_inputs(tableau, shown), wide=True, mark=mark)


def _unsettled(fits: Mapping[str, Fit]) -> str:
    """Return which fits cannot be used yet, and why; empty if all can."""
    caveats = ((LEARNERS[name].label, fit.point.caveat) for name, fit in fits.items())
    return "; ".join(f"{label}: {caveat}" for label, caveat in caveats if caveat)


def _left_out_inputs(tableau: Tableau, shown: Tableau) -> str:
    """Return a text with the number of inputs shown; empty if all are shown."""
    kept, inputs = len(shown.inputs), len(tableau.inputs)
    return "" if kept == inputs else f"the first {kept:,} of {counted(inputs, 'input')}"


def _posterior_section(tableau: Tableau, fits: Mapping[str, Fit]) -> Section | None:
    fit = next((f for f in fits.values() if f.posterior is not None and f.kind == "ranking value"), None)
    if fit is None or fit.posterior is None:
        return None
    draws = DrawHistogram(tableau.n_constraints)
    draws.update(list(fit.posterior.draws["ranking_value"]))
    runs = np.array([view.values for view in fits["gla"].views]) if "gla" in fits else None
    if runs is not None and np.abs(runs).max() > 3 * max(
        1.0, float(np.abs(draws.quantiles([0.01, 0.99])).max())
    ):
        runs = None  # so far away that the posterior would not be visible on their scale
    picture = posterior_picture(tableau, draws, runs)
    legend = swatches(
        [
            ("gibbs", LEARNERS[fit.learner.name].label),
            *([("gla", "GLA, each run")] if runs is not None else []),
        ]
    )
    remark = f"{counted_text(draws.n, 'draw')}; medians, sd"
    inside = element("div", picture, class_="scroll")
    return Section("Posterior of the ranking values", inside, remark, legend, mark=fit.point.caveat)


def posterior_picture(tableau: Tableau, draws: DrawHistogram, runs: np.ndarray | None) -> Markup:
    """Return histograms of the ranking values, the highest median on top, with the values of GLA runs."""
    order = np.argsort(-draws.quantiles([0.5])[0], kind="stable").tolist()
    span = ridge_span(draws, runs)
    median, sd = draws.quantiles([0.5])[0], draws.sd
    labels = [
        element("tspan", constraint_svg(tableau.constraints[i]), class_="svg-c")
        + element(
            "tspan",
            f"{value_text(median[i])}  {sd_text(sd[i])}",
            x=0,
            dy="17",
            style="font-size:12px;fill:var(--ot-ink2)",
        )
        for i in order
    ]
    return layers_svg(
        ridge_data(draws, runs, span=span, order=order),
        ridge_colors("gibbs"),
        _RIDGE_LOOKS,
        labels,
        span=span,
        title="ranking value",
        longest=max(map(len, tableau.constraints)),
        row=int(np.clip(_ROW * tableau.n_rows / tableau.n_constraints, _ROW, 100)),
        description=ridge_text(tableau.constraints, draws),
    )


def _predicted_section(tableau: Tableau, fits: Mapping[str, Fit]) -> Section:
    tableau, answers = as_heard(tableau, _answers(tableau, fits))
    remark = left_out(tableau, MOST_CANDIDATES)
    tableau, answers = leading(tableau, answers, MOST_CANDIDATES)
    picture = predicted_picture(tableau, answers)
    numbers = element("div", comparison_html(tableau, answers), class_="scroll")
    legend = swatches(
        [
            *((name, LEARNERS[name].label) for name in ("gibbs", "gla", "maxent") if name in fits),
            ("ink", "observed"),
        ]
    )
    inside = element("div", picture, class_="scroll") + element(
        "details", element("summary", "As numbers, per cent") + numbers
    )
    return Section("Predicted against observed", inside, remark, legend, mark=_unsettled(fits))


def _parses_section(fits: Mapping[str, Fit]) -> Section | None:
    """Return a card with the parses of what was heard; None if no learner learnt from overt forms."""
    parses = parses_of(fits)
    if not parses:
        return None
    inside = element("div", parses_html(parses), class_="scroll")
    remark = "per cent, given what was heard"
    return Section("Parses of what was heard", inside, remark, mark=_unsettled(fits))


def predicted_picture(tableau: Tableau, answers: Answers) -> Markup:
    """Return a picture of each learner's predictions and the observed frequencies, one row per candidate."""
    span = predicted_span(answers)
    several = len(tableau.inputs) > 1
    labels = [
        element("tspan", name, class_="svg-form")
        + (
            element(
                "tspan",
                slashed(tableau.inputs[k]),
                x=0,
                dy="16",
                style="font-size:11px;fill:var(--ot-ink3)",
            )
            if several
            else ""
        )
        for name, k in zip(tableau.candidates, tableau.input_of_row, strict=True)
    ]
    return layers_svg(
        predicted_data(answers, span=span),
        PREDICTED_COLORS,
        _PREDICTED_LOOKS,
        labels,
        span=span,
        row=_ROW,
        unit="\u2009%",
        title="probability",
        longest=max(map(len, (*tableau.candidates, *(map(slashed, tableau.inputs) if several else ())))),
        description=predicted_text(tableau, answers),
    )


def _answers(tableau: Tableau, fits: Mapping[str, Fit]) -> Answers:
    """Return the predictions of each learner."""
    own: dict[str, Any] = {}
    further = {}
    for name, fit in fits.items():
        predicted = fit.predicted
        if name == "gibbs":
            own[name] = np.stack([predicted.mean, predicted.low, predicted.high])
        elif name == "gla":
            own[name] = predicted.mean[None] if len(fit.views) == 1 else _each_run(fit)
        elif name == "maxent":
            own[name] = predicted.mean
        else:
            further[name] = predicted.mean
    return Answers(tableau.observed(), **own, further=further)


def _each_run(fit: Fit) -> np.ndarray:
    """Return the predictions of every run of the GLA."""
    noise = resolve_settings(fit.tableau, fit.settings.get("noise")).noise
    return np.array([predict(fit.tableau, view.values, noise, seed=0).probability for view in fit.views])


def _parameter_section(tableau: Tableau, fits: Mapping[str, Fit]) -> Section:
    """Return a card with a table of each learner's ranking values or weights."""
    rows = []
    for i, name in enumerate(tableau.constraints):
        full = tableau.full_names[i]
        spelled = element("small", full) if full != name else ""
        cells = [th(constraint_html(name) + spelled, scope="row")]
        for fit in fits.values():
            centre = _table_point(fit).values
            spread = element("small", sd_text(fit.sd[i])) if np.isfinite(fit.sd[i]) else ""
            cells.append(td(escape(value_text(centre[i])) + spread))
        rows.append(tr(cells))
    heads = [
        "Constraint",
        *(
            th(f"{LEARNERS[name].label}, {fit.kind}, {_table_point(fit).name}", f"ot-{name}")
            for name, fit in fits.items()
        ),
    ]
    numbers = element(
        "div", table(heads, rows, label="Ranking values and weights", kind="ot-compare"), class_="scroll"
    )
    notes = [
        element("li", f"{LEARNERS[name].label}: {remark}")
        for name, fit in fits.items()
        for remark in _trusted(fit)
    ]
    inside = numbers + (element("ul", joined(notes)) if notes else "")
    return Section("Ranking values and weights", inside, wide=True, mark=_unsettled(fits))


def _table_point(fit: Fit) -> Point:
    """Return what the table shows of a fit: the posterior median, or the mean of its runs."""
    if fit.posterior is not None:
        return Point(fit.median, MEDIAN)
    return mean_of_runs(fit.mean, len(fit.views))


def _trusted(fit: Fit) -> list[str]:
    """Return the diagnostics and warnings of a fit."""
    notes = []
    if np.isfinite(fit.trust.largest_rhat):
        notes.append(
            f"largest R-hat {fit.trust.largest_rhat:.3f}, smallest ESS {count_text(fit.trust.smallest_ess)}"
        )
    return [*notes, *fit.warnings]


def line_section(
    tableau: Tableau,
    values: np.ndarray,
    where: str,
    *,
    noise: float,
    bound: float,
    most: int = MOST_NUMBERS,
    mark: str = "",
) -> Section:
    """Return a card with a draggable ranking line and the probabilities of the candidates.

    Parameters
    ----------
    tableau
        The tableau; its first candidates are shown, see :data:`MOST_CANDIDATES`.
    values, where
        The initial ranking values, and their source, such as "the posterior median of Gibbs".
    noise, bound
        Evaluation noise, and bound of the ranking values.
    most
        Largest size of the plan from which the page computes probabilities. If a tableau needs more, the
        card says that it is too large.
    mark
        Why the values may not be used yet.
    """
    shown = first_inputs(tableau, MOST_CANDIDATES)
    remark = _left_out_inputs(tableau, shown)
    try:
        plan = plan_data(shown, most)
    except InputError:
        words = (
            "This tableau is too large for probabilities to be computed in a page; the OT lab samples them."
        )
        return Section("Ranking values", element("p", words), wide=True)
    names = [dict(zip(("stem", "below"), name_parts(name), strict=True)) for name in shown.constraints]
    reach = max(bound, float(np.abs(values).max()))
    data = {"plan": plan, "names": names, "values": values.tolist(), "noise": noise, "bound": reach}
    probability = predict(shown, values, noise).probability
    bars = element("div", Markup(bars_html(shown, probability)), class_="live-bars scroll")
    home = element("button", f"Back to {where}", type="button", class_="live-home")
    announced = element("p", "", class_="live-announced hidden", aria_live="polite")
    inside = element("div", element("div", live_part("line") + home) + bars + announced, class_="two")
    hint = "drag a constraint, or move it with the arrow keys, to see what changes"
    remark = f"{hint}; {remark}" if remark else hint
    return Section("Ranking values", inside, remark, wide=True, live=(("line", data),), mark=mark)


def _provenance(fits: Mapping[str, Fit]) -> dict[str, dict[str, str]]:
    """Return seed, settings and versions of each learner, as text."""
    return {
        LEARNERS[name].label: {
            **provenance(fit.settings, fit.seed),
            "versions": ", ".join(f"{package} {version}" for package, version in fit.versions.items()),
        }
        for name, fit in fits.items()
    }
