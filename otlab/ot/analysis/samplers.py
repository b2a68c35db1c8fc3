r"""Choose a sampler of the posterior by its cost, and check whether two samplers agree.

The cost of n effective draws is n times tau, the sweeps per effective draw, times the time of a sweep:

* Gibbs draws a disharmony for each relevant constraint of each observation, in about 45 ns. tau is
  about 6 if the data determine all differences; if they push constraints against the bound K, it is
  about :math:`M K^2 / 2 \sigma^2` for M observations: Spanish with M = 30, K = 6 needs 500 sweeps per
  effective draw.
* Hamiltonian Monte Carlo with exact probabilities evaluates the density about five times per sweep, in
  1 us plus 1.5 us for each transition of the recursion, for any M; tau is about 1, and 3 if constraints
  are pushed against the bound. Its warm-up of 500 sweeps is included.

These times are for one core of an ordinary computer and accurate to a factor of about 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from otlab.errors import InputError
from otlab.ot.conditions import check_learnable, relations
from otlab.ot.learners.mle import MLE
from otlab.ot.probability_plan import plan_of
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.tableau import Tableau

__all__ = ["Advice", "Agreement", "agreement", "recommend"]

EFFECTIVE = 1000
_SITE, _DENSITY, _TRANSITION = 45e-9, 1e-6, 1.5e-6  # seconds
_LEAPS, _WARMUP = 5, 500
_APART = 4.5  # standard errors


@dataclass(frozen=True)
class Advice:
    """A recommended sampler, and the reason.

    Attributes
    ----------
    learner
        ``"gibbs"`` or ``"exact"``.
    sweeps
        Sweeps of each of four chains, for 1,000 effective draws in total.
    seconds : dict
        Expected time of these draws on one core, by learner.
    observations
        Number of observations of all inputs, M.
    at_bound
        Whether the data push constraints against the bound.
    words
        The advice in sentences.
    """

    learner: Literal["gibbs", "exact"]
    sweeps: int
    seconds: dict[str, float]
    observations: int
    at_bound: bool
    words: str


def recommend(
    tableau: Tableau,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    apriori: tuple[tuple[str, str], ...] = (),
) -> Advice:
    """Return a recommendation of the sampler of the posterior, with the expected cost of both.

    Parameters
    ----------
    tableau, noise, bound, total, prior, apriori
        As in :class:`~otlab.ot.learners.gibbs.Gibbs`.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting is not valid.

    Examples
    --------
    >>> from otlab.ot import read
    >>> recommend(read("ilokano"), total=3).learner, recommend(read("spanish")).learner
    ('gibbs', 'exact')
    """
    tableau = with_total(tableau, total)
    settings = resolve_settings(tableau, noise, bound)
    every = relations(tableau)
    check_learnable(tableau, every)
    observed = [relation for relation in every if relation.count and relation.conjuncts]
    n = sum(relation.count for relation in observed)
    sites = sum(relation.count * len(relation.sites) for relation in observed)
    try:
        most = MLE(tableau, settings.noise, starts=2, apriori=apriori)
        at_bound = len(most.init(np.random.default_rng(0)).maximum.groups) > 1
    except InputError:  # too large for exact probabilities
        seconds = {"gibbs": EFFECTIVE * 6 * sites * _SITE}
        why = "candidates differ in too many ways for exact probabilities"
        words = f"Use Gibbs: {why}. 1,000 effective draws take {_time(seconds['gibbs'])} or more."
        return Advice("gibbs", int(EFFECTIVE * 6 / 4), seconds, n, False, words)
    width = settings.bound if prior is None else float(np.max(prior.sd))
    tau = {
        "gibbs": max(6.0, 0.5 * n * (width / settings.noise) ** 2) if at_bound else 6.0,
        "exact": 3.0 if at_bound else 1.0,
    }
    transitions = plan_of(tableau).arrays.constraint.size
    seconds = {
        "gibbs": EFFECTIVE * tau["gibbs"] * (1e-6 + sites * _SITE),
        "exact": (EFFECTIVE * tau["exact"] + 4 * _WARMUP) * _LEAPS * (_DENSITY + _TRANSITION * transitions),
    }
    learner: Literal["gibbs", "exact"] = "gibbs" if seconds["gibbs"] <= seconds["exact"] else "exact"
    return Advice(
        learner,
        max(1000, int(np.ceil(EFFECTIVE * tau[learner] / 4)) + (_WARMUP if learner == "exact" else 0)),
        seconds,
        n,
        at_bound,
        _words(learner, seconds, n, at_bound),
    )


def _words(learner: str, seconds: dict[str, float], n: int, at_bound: bool) -> str:
    """Return the advice in sentences."""
    label = {"gibbs": "Gibbs", "exact": "the exact sampler"}
    other = "exact" if learner == "gibbs" else "gibbs"
    took, needs = _time(seconds[learner]), _time(seconds[other])
    compared = f", as with {label[other]}" if took == needs else f"; {label[other]} needs {needs}"
    costs = f"Use {label[learner]}: 1,000 effective draws take {took}{compared}."
    if n == 0:
        return f"{costs} The data say nothing about the ranking, so all draws are those of the prior."
    observations = f"{n:,} observations" if n != 1 else "the one observation"
    why = f"Gibbs draws for each of {observations} in every sweep" if n > 1 else "There is little to draw"
    if learner == "gibbs":
        why = f"With {observations} a sweep of Gibbs is cheap"
    if at_bound:
        why += ", and the data push constraints against the bound, where it moves slowly"
        if learner == "gibbs":
            why += " but fast enough"
    return f"{costs} {why}."


def _time(seconds: float) -> str:
    """Return an estimated duration in words, rounded."""
    if seconds < 1:
        return "less than a second"
    sizes = (("hour", 3600.0), ("minute", 60.0), ("second", 1.0))
    unit, size = next((unit, size) for unit, size in sizes if seconds >= 1.5 * size or size == 1)
    number = float(f"{seconds / size:.1g}")
    return f"about {number:,.0f} {unit}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Agreement:
    """Means and standard deviations of two samplers of the same posterior.

    Attributes
    ----------
    constraints
        Names of the constraints.
    means, sds : ndarray of shape (2, constraints)
        Means and standard deviations of each sampler.
    apart : ndarray of shape (2, constraints)
        Differences of the means, and of the sds, in Monte Carlo standard errors; NaN if nothing varies, as
        with a single constraint.
    """

    constraints: tuple[str, ...]
    means: np.ndarray
    sds: np.ndarray
    apart: np.ndarray

    @property
    def agree(self) -> bool:
        """Whether no difference is larger than 4.5 standard errors."""
        return bool((np.abs(self.apart[~np.isnan(self.apart)]) < _APART).all())

    def words(self) -> str:
        """Return the result in a sentence."""
        if np.isnan(self.apart).all():
            return "There is nothing to compare: no ranking value or weight varies."
        what, worst = np.unravel_index(np.nanargmax(np.abs(self.apart)), self.apart.shape)
        pair = (self.means, self.sds)[int(what)][:, worst]
        verdict = "The samplers agree" if self.agree else "The samplers do not agree"
        return (
            f"{verdict}: the largest difference is that of the {('mean', 'sd')[int(what)]} of"
            f" {self.constraints[int(worst)]}, {pair[0]:.3f} and {pair[1]:.3f},"
            f" {abs(self.apart[what, worst]):.1f} standard errors."
        )


def agreement(first: Fit, second: Fit) -> Agreement:
    """Return the differences of two fits of the same posterior, in Monte Carlo standard errors.

    Raises
    ------
    InputError
        If they have no draws, or their constraints differ.

    Examples
    --------
    >>> from otlab.ot import fit_exact, fit_gibbs, read
    >>> ilokano = read("ilokano")
    >>> found = agreement(fit_gibbs(ilokano, sweeps=2000, seed=1), fit_exact(ilokano, sweeps=1000, seed=1))
    >>> bool((abs(found.apart) < 4.5).all())  # in standard errors
    True
    """
    if first.posterior is None or second.posterior is None:
        raise InputError("both fits must be those of samplers; choose gibbs, exact or maxent-bayes")
    if first.tableau.constraints != second.tableau.constraints or first.kind != second.kind:
        raise InputError("the fits are of different constraints or kinds; compare fits of the same data")
    fits = (first, second)
    means, sds = np.array([f.mean for f in fits]), np.array([f.sd for f in fits])
    of_mean = np.hypot(*(f.sd / np.sqrt(f.trust.ess) for f in fits))
    of_sd = np.hypot(*(f.sd / np.sqrt(2 * f.trust.ess_squares) for f in fits))
    with np.errstate(divide="ignore", invalid="ignore"):  # constants have no standard error
        apart = np.array([(means[0] - means[1]) / of_mean, (sds[0] - sds[1]) / of_sd])
    return Agreement(first.tableau.constraints, means, sds, apart)
