r"""Posteriors of rule weights and sticks: the global variables of variational learning.

Mean field :math:`q = \prod \mathrm{Beta}(\gamma) \prod \mathrm{Dir}(\tau) \prod q(z)`.
Parsers use the geometric means

.. math::
    w(A \to \beta) &= \exp\{\psi(\tau_{A\beta}) - \psi(\textstyle\sum\tau_A)\}
        \quad (\times\ \text{leftover}_A \text{ if } A \text{ is adapted}) \\
    w(A \Rightarrow s_{A,i}) &= \exp E\ln\pi_{A,i}

and the bound is

.. math::
    \sum_u \ln Z_u + \sum_\text{active} \ln Z(s) - \sum \mathrm{KL(Beta)}
    - \sum \mathrm{KL(Dir)} + \sum_A \ln p(a_A)

with an active grammaton's own string expanded at its root by rules alone, without the
leftover and not through itself. Updates: :mod:`~otlab.discovery.learners.sticks`, and
:math:`\tau = \alpha + ` rule counts, the prior included (the paper forgets it), in data
sentences always (the paper counts them only below an adapted start symbol) and in each
active grammaton's own tree once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma, gammaln

from otlab.discovery.learners.sticks import Sticks, hyper_log_prior, learn_hyperparameters
from otlab.discovery.learners.view import DiscoveryView, Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.learners.view import Mark
    from otlab.discovery.parsing.estep import Expectations
    from otlab.discovery.parsing.parser import Parser

__all__ = [
    "Globals",
    "choose_active",
    "entries",
    "fitted",
    "moved_in",
    "prune",
    "snapshot",
    "start_weights",
]

FEWEST_USES = 0.5
"""Grammatons with fewer expected uses are dropped."""


@dataclass(frozen=True, eq=False)
class Globals:
    """Posteriors of rule weights and sticks.

    Attributes
    ----------
    tau : float64 ndarray of shape (rules,)
        Dirichlet parameters.
    sticks
        Of each adapted symbol, bottom up.
    """

    tau: np.ndarray
    sticks: tuple[Sticks, ...]

    @property
    def active(self) -> list[np.ndarray]:
        """The strings that are grammatons, by adapted symbol."""
        return [s.strings for s in self.sticks]

    def weights(self, parser: Parser) -> Weights:
        """Return the weights with which the parser works."""
        weights = parser.no_strings(rule_weights(parser, self.tau))
        for a, sticks in enumerate(self.sticks):
            weights.mass[a, sticks.strings] = sticks.weights
            weights.fresh[a] = sticks.leftover
        return weights

    def penalty(self, parser: Parser) -> float:
        """Return log Z less the bound: all KLs, less the log prior of the concentrations."""
        sticks = sum(s.kl() - hyper_log_prior(s.concentration) for s in self.sticks)
        return dirichlet_kl(parser, self.tau) + sticks


def rule_weights(parser: Parser, tau: np.ndarray) -> np.ndarray:
    """Return exp E ln theta of each rule."""
    left = parser.chart.rule_left
    totals = np.bincount(left, tau, minlength=len(parser.chart.symbols))
    out: np.ndarray = np.exp(digamma(tau) - digamma(totals[left]))
    return out


def dirichlet_kl(parser: Parser, tau: np.ndarray) -> float:
    """Return KL(Dir(tau) || Dir(alpha)), all left sides together."""
    left, prior = parser.chart.rule_left, parser.chart.prior
    size = len(parser.chart.symbols)
    here = np.unique(left)
    total, before = (np.bincount(left, x, minlength=size) for x in (tau, prior))
    expected_log = digamma(tau) - digamma(total[left])
    terms = gammaln(prior) - gammaln(tau) + (tau - prior) * expected_log
    return float(terms.sum() + (gammaln(total[here]) - gammaln(before[here])).sum())


def fitted(
    parser: Parser,
    expected: Expectations,
    active: list[np.ndarray],
    hyper: list[tuple[float, float]],
    *,
    learn: bool,
) -> Globals:
    """Do the M-step: return the best global posteriors for these expected counts.

    Parameters
    ----------
    parser
        Corpus and grammar.
    expected
        The E-step's counts.
    active
        Which strings are grammatons; uses of others count as built from rules.
    hyper
        (concentration, discount) of each adapted symbol.
    learn
        Whether to refit them afterwards.
    """
    sticks = []
    for a, (strings, (concentration, discount)) in enumerate(zip(active, hyper, strict=True)):
        uses = expected.used[a, strings]
        new = max(0.0, expected.new[a] + expected.used[a].sum() - uses.sum())
        made = Sticks.fitted(strings, uses, float(new), concentration, discount)
        sticks.append(learn_hyperparameters(made) if learn else made)
    return Globals(parser.chart.prior + expected.rule, tuple(sticks))


def choose_active(parser: Parser, expected: Expectations) -> list[np.ndarray]:
    """Return each adapted symbol's strings worth storing: the most used, at most T.

    What was built from rules counts as well as what was looked up, so that new strings enter.
    """
    chosen = []
    for a, name in enumerate(parser.adapted):
        total = expected.used[a] + expected.built[a]
        best = np.flatnonzero(total >= FEWEST_USES)
        truncation = parser.grammar.adapted[name].truncation
        order = np.argsort(-total[best], kind="stable")[:truncation]
        chosen.append(np.sort(best[order]))
    return chosen


def prune(expected: Expectations, active: list[np.ndarray], fewest: float = FEWEST_USES) -> list[np.ndarray]:
    """Return the grammatons whose expected uses are at least `fewest`."""
    return [strings[expected.used[a, strings] >= fewest] for a, strings in enumerate(active)]


def moved_in(expected: Expectations, active: list[np.ndarray]) -> Expectations:
    """Return the counts with the fresh builds of active strings counted as look-ups."""
    used, built, new = expected.used.copy(), expected.built.copy(), expected.new.copy()
    for a, strings in enumerate(active):
        used[a, strings] += built[a, strings]
        new[a] -= built[a, strings].sum()
        built[a, strings] = 0.0
    return replace(expected, used=used, built=built, new=new)


def start_weights(parser: Parser, boundary: float) -> Weights:
    """Return weights under which each place between phones is a boundary with this probability.

    ``X+`` over phones continues with 1 - p, any other ``X+`` with p; other rules are uniform
    within their left side.
    """
    rules = parser.grammar.rules
    lexical = {rule.left for rule in rules if not isinstance(rule.right[0], str)}
    weight = np.array([1.0 / len(parser.grammar.by_left[rule.left]) for rule in rules])
    for k, rule in enumerate(rules):
        if rule.left.endswith("+"):
            of_phones = rule.left[:-1] in lexical or rule.left.startswith("'")
            weight[k] = 1.0 if len(rule.right) == 1 else (1.0 - boundary if of_phones else boundary)
    return parser.no_strings(weight)


def entries(parser: Parser, sticks: Sticks, uses: np.ndarray) -> tuple[Entry, ...]:
    """Return the lexicon of some sticks, most used first."""
    uses, mean, sd = uses[sticks.strings], sticks.mean, sticks.sd
    order = np.argsort(-uses, kind="stable")
    return tuple(
        Entry(parser.spell(sticks.strings[i]), float(uses[i]), float(mean[i]), float(sd[i])) for i in order
    )


def snapshot(
    parser: Parser,
    posterior: Globals,
    expected: Expectations,
    trace: tuple[Sequence[float], Sequence[float]],
    marks: Sequence[Mark],
) -> DiscoveryView:
    """Return a snapshot of batch learning.

    Parameters
    ----------
    parser
        Corpus and grammar.
    posterior, expected
        The posterior, and the expected counts given it.
    trace
        Log likelihood and penalty after each iteration.
    marks
        Iterations at which the lexicon changed.
    """
    likelihood, penalty = map(np.array, trace)
    named = dict(zip(parser.adapted, posterior.sticks, strict=True))
    return DiscoveryView(
        iteration=likelihood.size - 1,
        objective=likelihood - penalty,
        likelihood=likelihood,
        penalty=penalty,
        marks=tuple(marks),
        ends=expected.ends.astype(np.float32),
        entries={
            name: entries(parser, sticks, expected.used[a]) for a, (name, sticks) in enumerate(named.items())
        },
        sticks=named,
        hyperparameters={name: (s.concentration, s.discount) for name, s in named.items()},
        weights=posterior.weights(parser),
    )
