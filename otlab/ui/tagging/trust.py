"""Text of the run panel about the selected learner: its scores, and how far they can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.inference.rest import STILL_CLIMBING, STILL_IMPROVING, TOO_EARLY, WINDOW, climbed, moved, unrest
from otlab.ui.components.badge import Badge, Stat, TrustReport
from otlab.ui.tagging.matching import runs_agreement
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from otlab.ui.tagging.results import Result

__all__ = ["stats", "trust_report"]

_AGREE, _PARTLY = 0.9, 0.6  # share of tokens in matching states of two runs
_OPTIMA = {
    "em": "EM stops at a local optimum, and which one depends on the start",
    "vb": "VB stops at a local optimum, and which one depends on the start",
    "gibbs": "A sampler this slow stays near where it started",
}
_MONOTONE = {
    "em": "A log likelihood that never fell shows that EM works, not that its states are the tags.",
    "vb": "An ELBO that never fell shows that VB works, not that its states are the tags.",
    "gibbs": "These are the last samples, not means over samples.",
}
_OBJECTIVES = {"em": ("log likelihood", 1), "vb": ("ELBO", -1), "gibbs": ("log joint", 1)}


def trust_report(result: Result) -> TrustReport:
    """Return the badge and the scores of one learner's runs, with their basis."""
    runs = len(result.views)
    heading = f"{result.label}, mean of {runs} runs" if runs > 1 else f"{result.label}, 1 run"
    alarm = next((view.alarm for view in result.views if view.alarm), "")
    if alarm:
        return TrustReport(Badge("Wrong direction", "bad"), stats(result), alarm, heading=heading)
    badge, meaning = _verdict(result)
    return TrustReport(badge, stats(result), heading=heading, meaning=meaning)


def _verdict(result: Result) -> tuple[Badge, str]:
    """Return the badge, and its basis in words."""
    if result.settings["estimator"] == "supervised":
        return Badge("Counted", "good"), (
            "Relative frequencies of known tags, smoothed by the priors: nothing is random. Scores and "
            "accuracy are those of tokens whose tags were not known."
        )
    objective, sign = _OBJECTIVES.get(result.hue, ("objective", 1))
    traces, tokens = result.objectives, result.corpus.tokens
    if not np.isfinite(traces[:, -1]).all():  # it is not known while it is annealed
        return Badge("Still annealed"), (
            "The last iteration is still annealed: its temperature is above 1. Run more iterations than "
            "annealing takes, or cool faster."
        )
    unsettled = unrest(traces, tokens, sampler=result.hue == "gibbs")
    if unsettled == TOO_EARLY:
        return Badge("Too early to say"), ""
    if unsettled == STILL_IMPROVING:
        change = moved(traces, tokens) * tokens
        return (
            Badge("Still improving"),
            f"The {objective} changed by {change:,.0f} nats in the last {WINDOW} iterations. "
            "Run more iterations before you compare scores.",
        )
    if unsettled == STILL_CLIMBING:
        return (
            Badge("Still climbing"),
            f"The {objective} is {climbed(traces, tokens) * tokens:,.0f} nats higher in the last quarter of "
            "the sweeps than in the quarter before. Run more sweeps before you compare scores.",
        )
    if len(result.views) == 1:
        return Badge("One run only", "warn"), f"{_optimum(result)}. Set Runs to 3 or more to see how much."
    share = runs_agreement(result.views)
    badge = (
        Badge("Runs agree", "good")
        if share >= _AGREE
        else Badge("Runs agree in part" if share >= _PARTLY else "Runs disagree", "warn")
    )
    last = sign * result.objectives[:, -1]
    mean = f"{last.mean():,.0f}".replace("-", "−")
    return badge, (
        f"Two runs put {percent_text(share, 0)} of tokens into matching states. {_optimum(result)}: "
        f"{objective} {mean} ±\u00a0{last.std(ddof=1):,.0f} nats. {_MONOTONE.get(result.hue, '')}"
    )


def _optimum(result: Result) -> str:
    return _OPTIMA.get(result.hue, "The result may depend on the start")


def stats(result: Result | None) -> tuple[Stat, ...]:
    """Return four figures: means over runs, with their standard deviation."""
    if result is None or result.corpus.tags is None:
        used = Stat("States used", "–", term="state") if result is None else _states(result)
        return (Stat("1-to-1", "–", term="1-to-1"), used)
    figures, right = [], result.accuracy
    named = (("1-to-1", "one_to_one"), ("Many-to-1", "many_to_one"))
    if right is not None:
        note = f"±\u00a0{100 * right.std(ddof=1):.1f}" if right.size > 1 else ""
        figures.append(Stat("Accuracy", f"{100 * right.mean():.1f}\u00a0%", note, "accuracy"))
    for label, name in named[right is not None :]:
        mean, sd = result.score(name)
        note = "" if np.isnan(sd) else f"±\u00a0{100 * sd:.1f}"
        if result.max_marginal is not None:
            note = f"by\u00a0marginals {100 * getattr(result.max_marginal, name):.1f}"
        figures.append(Stat(label, f"{100 * mean:.1f}\u00a0%", note, label.lower()))
    vi = Stat("VI", f"{result.score('vi')[0]:.2f}", "bits", "vi")
    return (*figures, vi, _states(result))


def _states(result: Result) -> Stat:
    """Return the states in use; of an infinite HMM the median and where 95 % of the draws are."""
    if result.view.state_counts is None:
        note = "" if result.corpus.tags is None else f"of {result.states}"
        return Stat("States used", str(result.view.states_used), note, "state")
    draws = np.concatenate([view.state_draws for view in result.views])
    if not result.view.sampled:
        return Stat("States", str(draws[0]), f"of {result.states}", "state")
    low, median, high = np.quantile(draws, (0.025, 0.5, 0.975), method="inverted_cdf")
    return Stat("States", f"{median:.0f}", f"95\u00a0% {low:.0f}–{high:.0f}", "state")
