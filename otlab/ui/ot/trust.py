"""Convergence of each learner of the OT lab, and the setting that may help."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.inference.diagnostics import RHAT_NEEDED
from otlab.ot.conditions import uncounted_relations
from otlab.ot.indistinct import alike_words, unseen_words
from otlab.ot.learners import LEARNERS
from otlab.ui.components.badge import Badge, Remedy, Stat, TrustReport, badge, from_chains
from otlab.ui.ot.results import FitResult
from otlab.ui.ot.tabs.parameters import NOT_SETTLED
from otlab.viz.base.numbers import count_text, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from otlab.inference import Tick
    from otlab.inference.diagnostics import Trust
    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.results import GibbsResult, GLAResult, MaxEntResult
    from otlab.ui.ot.state import OTState

__all__ = ["USUAL_WEIGHT_SD", "report_of_run", "trust_report", "unranked", "usual_prior_sd"]

USUAL_WEIGHT_SD = 10.0
_MOST_NAMES = 4
_LEARN_WEIGHTS = {
    *("maxent", "maxent-bayes", "maxent-online", "maxent-overt", "maxent-mixed"),
    *("hg", "hg-overt", "hg-mixed"),
}


def usual_prior_sd(noise: float) -> float:
    """Return the sd of the normal prior that is offered: three times the evaluation noise."""
    return 3.0 * noise


def trust_report(*args: Any) -> TrustReport | None:
    """Return :func:`report_of_run`, marked if the table was edited since: it is about the old one then."""
    report = report_of_run(*args)
    if report is None or not args[0].document.changed_since_run:
        return report
    return replace(report, heading="of the old table", badge=replace(report.badge, kind="plain"))


def report_of_run(
    state: OTState,
    ran: Collection[str],
    ended: bool,
    normal_prior: Callable[[], None],
    weight_prior: Callable[[], None],
) -> TrustReport | None:
    """Return the trust report of the run, and in it the constraints that the data cannot tell apart.

    It is the sampler's, else the GLA's, else MaxEnt's.

    Parameters
    ----------
    state
        With the results of the run.
    ran, ended
        The learners of the run, by name, and whether it is over.
    normal_prior, weight_prior
        Run again with a normal prior of the ranking values, or of the weights.
    """
    report = _report(state, ran, ended, normal_prior, weight_prior)
    if report is None:
        return None
    tableau = state.shown_tableau
    alike = alike_words(tableau, weights=_LEARN_WEIGHTS.issuperset(ran))
    more = _sentences((*unseen_words(tableau), *alike))
    return replace(report, meaning=f"{report.meaning} {more}".strip())


def _report(
    state: OTState,
    ran: Collection[str],
    ended: bool,
    normal_prior: Callable[[], None],
    weight_prior: Callable[[], None],
) -> TrustReport | None:
    if "gibbs" in ran and state.gibbs is not None:
        flat = state.gibbs.learner.prior is None
        return _of_gibbs(
            state.gibbs, ended, Remedy("Run with a normal prior", normal_prior) if flat else None
        )
    if "gla" in ran and state.gla is not None and state.gla.values is not None:
        return _of_gla(state.gla)
    if "maxent" in ran and state.maxent is not None and state.maxent.tick is not None:
        return _of_maxent(
            state.maxent, state.maxent.tick, Remedy("Run with a prior on the weights", weight_prior)
        )
    for name in LEARNERS:
        result = state.results.get(name)
        if name in ran and isinstance(result, FitResult):
            fit = result.latest
            if fit is not None and fit.posterior is not None:
                return _of_draws(fit)
    return None


def _of_draws(fit: Fit) -> TrustReport:
    gained = fit.trust.smallest_ess / fit.seconds if fit.seconds else None
    return from_chains(
        fit.trust, two_modes=fit.multimodal, draws_per_second=gained, why=_sentences(fit.remarks)
    )


def _sentences(remarks: Sequence[str]) -> str:
    """Return remarks as sentences, except the verdict, which the badge shows."""
    others = [words for words in remarks if not words.startswith("not converged")]
    return " ".join(f"{words[0].upper()}{words[1:]}." for words in others)


def _of_gibbs(gibbs: GibbsResult, ended: bool, remedy: Remedy | None) -> TrustReport:
    trust = gibbs.assess(at_once=ended)
    gained = None
    if trust is not None and gibbs.tick is not None and gibbs.tick.seconds:
        gained = trust.smallest_ess / gibbs.tick.seconds
    return from_chains(
        trust,
        two_modes=gibbs.two_modes,
        draws_per_second=gained,
        why=_why(gibbs, trust) if trust is not None else "",
        remedies=(remedy,) if remedy is not None and ended else (),
    )


def _why(gibbs: GibbsResult, trust: Trust) -> str:
    """Return sentences on why the chains mix slowly and what helps."""
    sentences = []
    if gibbs.two_modes:
        sentences.append("Several grammars fit, and chains seldom move from one to another.")
    free = unranked(gibbs.tableau)
    if free:
        sentences.append(f"No datum ranks {_listed(free)}.")
    names = gibbs.tableau.constraints
    slow = [name for name, rhat in zip(names, trust.rhat, strict=True) if rhat > RHAT_NEEDED]
    slow = [name for name in slow if name not in free]
    sentences += [f"Slowest: {_listed(slow)}."] if slow and len(slow) < len(names) else []
    if gibbs.learner.prior is None:
        sentences.append(
            "Under the flat prior, values that the data leave open wander as far as the bound. "
            "A normal prior helps, or fewer constraints."
        )
    return " ".join(sentences)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (
        f" and {len(names) - _MOST_NAMES} more" if names[_MOST_NAMES:] else ""
    )


def unranked(tableau: Tableau) -> list[str]:
    """Return the constraints that are in no ranking condition of an observed form."""
    ranked = set[int]()
    for relation in uncounted_relations(tableau):
        if tableau.frequencies[list(relation.members)].sum() > 0:
            for erc in relation.conjuncts:
                ranked |= erc.winners | erc.losers
    return [name for k, name in enumerate(tableau.constraints) if k not in ranked]


def _of_gla(gla: GLAResult) -> TrustReport:
    runs = gla.predicted
    spread = np.nan if runs is None or len(runs) < 2 else 100 * float(runs.std(axis=0, ddof=1).max())
    stats = (
        Stat("Runs", count_text(gla.run.chains), term="runs"),
        Stat("Largest spread", value_text(spread, 1), "%", term="largest spread"),
    )
    if gla.drifting:
        return TrustReport(
            Badge("Does not settle", "warn"),
            stats,
            meaning=f"{NOT_SETTLED} Read its predictions, not its values.",
        )
    meaning = "The GLA has no test of convergence: compare its runs."
    return TrustReport(Badge("Compare the runs", "plain"), stats, meaning=meaning)


def _of_maxent(maxent: MaxEntResult, tick: Tick[Any], remedy: Remedy) -> TrustReport:
    view = tick.view
    stats = (
        Stat("Log likelihood", value_text(view.log_likelihood), term="log likelihood"),
        Stat("Observations", count_text(float(maxent.learner.counts.sum()))),
    )
    if not view.finite_optimum:
        meaning = "Some weights grow without end: no finite weights fit best. Set a prior on the weights."
        return TrustReport(Badge("No finite optimum", "warn"), stats, meaning=meaning, remedies=(remedy,))
    if not tick.finished:
        return TrustReport(badge("Too early to say"), stats)
    meaning = "MaxEnt has one optimum, and this is it."
    return TrustReport(Badge("Optimum found", "good"), stats, meaning=meaning)
