"""Definitions of terms, one sentence each, for the labs' tooltips and the documentation's glossary."""

from __future__ import annotations

from dataclasses import dataclass

from otlab.html import Markup, escape

__all__ = ["GLOSSARY", "Entry", "define", "term"]


@dataclass(frozen=True)
class Entry:
    """A term with its meaning, and its threshold if it has one."""

    name: str
    meaning: str
    threshold: str = ""


_ENTRIES = {
    "sweep": Entry(
        "Sweep", "One pass of the sampler over all data, after which every unknown has been drawn once."
    ),
    "iteration": Entry(
        "Iteration",
        "One round of EM or VB: expected counts under the present parameters, then new parameters.",
    ),
    "trial": Entry("Trial", "One form observed by the learner, and the adjustment it makes."),
    "run": Entry("Run", "One learner started from one seed."),
    "chain": Entry(
        "Chain", "One of several samplers started apart; if they agree, where they started no longer matters."
    ),
    "seed": Entry("Seed", "The number all random draws follow from; the same seed gives the same result."),
    "draw": Entry("Draw", "One set of values taken from the posterior."),
    "posterior": Entry(
        "Posterior", "What the data leave open: how plausible each set of values is, given data and prior."
    ),
    "prior": Entry("Prior", "How plausible values are held to be before any data are seen."),
    "interval": Entry("Interval", "The middle 95 % of the draws."),
    "rhat": Entry(
        "R-hat",
        "Compares the spread between chains with the spread within them.",
        "Above 1.05 the chains disagree.",
    ),
    "ess": Entry(
        "Effective sample size",
        "How many independent draws your correlated draws are worth.",
        "Below 100, intervals are unreliable.",
    ),
    "elbo": Entry(
        "ELBO",
        "A lower bound on the log probability of the data, which variational Bayes raises.",
        "It should never fall.",
    ),
    "free energy": Entry("Free energy", "Minus the ELBO: what variational Bayes lowers at each iteration."),
    "ranking value": Entry(
        "Ranking value", "A constraint's place on the ranking scale, before noise is added."
    ),
    "noise": Entry(
        "Evaluation noise",
        "The standard deviation of the normal noise added to every ranking value at each use.",
    ),
    "bound": Entry(
        "Bound",
        "Ranking values are kept between minus K and K, so that values the data leave open stay finite.",
    ),
    "sample size": Entry("Sample size M", "How many observations the percentages stand for."),
    "constraint": Entry(
        "Constraint", "A requirement on forms; each candidate satisfies it or violates it one or more times."
    ),
    "candidate": Entry("Candidate", "One of the forms that compete to realise an input."),
    "violation": Entry("Violation", "One failure of a candidate to do what a constraint demands."),
    "plasticity": Entry("Plasticity", "How far one datum moves a ranking value in the GLA."),
    "weight": Entry(
        "Weight", "What one violation costs in MaxEnt; higher weights lower a candidate's probability."
    ),
    "many-to-1": Entry("Many-to-1", "Accuracy when each state is named after the tag it most often meets."),
    "1-to-1": Entry("1-to-1", "Accuracy when each state is named after one tag and no tag is used twice."),
    "vi": Entry(
        "Variation of information",
        "How many bits states and tags leave unknown about each other; 0 is perfect.",
    ),
    "gold": Entry("Gold", "The annotation made by people. It is used to score, never to learn."),
    "state": Entry(
        "Hidden state", "One of the classes an HMM sorts words into; it has no name until you give it one."
    ),
}

GLOSSARY: dict[str, Entry] = dict(_ENTRIES)


def define(key: str, name: str, meaning: str, threshold: str = "") -> None:
    """Add a term; labs do this when they are imported.

    Raises
    ------
    ValueError
        If another lab has defined the key otherwise; one server shows all labs.
    """
    entry = Entry(name, meaning, threshold)
    if GLOSSARY.setdefault(key, entry) != entry:
        raise ValueError(f"the glossary already explains {key!r}; give this term a key of its own")


def term(key: str, shown: str | None = None) -> Markup:
    """Return HTML for a term with its tooltip; use it inside :func:`otlab.ui.components.cards.Html`.

    Opens on hover after 300 ms, and on focus.
    """
    entry = GLOSSARY[key]
    end = f" {escape(entry.threshold)}" if entry.threshold else ""
    return Markup(
        f'<span class="term" tabindex="0">{escape(shown or entry.name)}'
        f'<span class="tip" role="tooltip"><b>{escape(entry.name)}</b>'
        f"{escape(entry.meaning)}{end}</span></span>"
    )
