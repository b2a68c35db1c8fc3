"""Fit a grammar in one call: each learner run to its end.

::

    fit_gibbs  fit_gla  fit_maxent  -->  run to the end  -->  Fit

What a run has found at any tick is worked out in :mod:`otlab.ot.fitted`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.inference import run
from otlab.ot.fitted import gibbs_fit, gla_fit, maxent_fit, usual_thin
from otlab.ot.learners.gibbs import Gibbs, NormalPrior, Variant
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.maxent import MaxEnt, Weights
from otlab.ot.learners.schedules import Schedule, schedule

if TYPE_CHECKING:
    from otlab.ot.result import Fit
    from otlab.ot.tableau import Tableau

__all__ = ["check_warmup", "fit_gibbs", "fit_gla", "fit_maxent"]

GIBBS_SWEEPS = 20_000
GLA_TRIALS = 1_000_000
MAXENT_ITERATIONS = 10_000
CHAINS = 4
RUNS = 10


def check_warmup(warmup: int | None, sweeps: int) -> None:
    """Refuse a warm-up that leaves no sweep to count.

    Raises
    ------
    InputError
        Saying what would do.
    """
    if warmup is not None and not 0 <= warmup < sweeps:
        raise InputError(
            f"a warm-up of {warmup} sweeps out of {sweeps}: choose 0 or more, and fewer than all"
        )


def fit_gibbs(
    tableau: Tableau,
    *,
    sweeps: int = GIBBS_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    variant: Variant = "fixed",
    threads: int | None = None,
) -> Fit:
    """Sample the posterior of the ranking values (Lin 2005).

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    sweeps, warmup
        Sweeps a chain, of which the first `warmup` are left out (a tenth, at most 1,000).
    chains, threads
        Independent chains, and threads to run them on; the numbers do not depend on threads.
    seed
        A fresh one if None; kept in the fit.
    noise, bound, total
        As for :func:`~otlab.ot.settings.resolve_settings`.
    prior, variant
        As for :class:`~otlab.ot.learners.gibbs.Gibbs`.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_gibbs(read("ilokano"), sweeps=2000, seed=1).parameters["median"].round(1)
    constraint
    *C-ONS   -0.1
    AL        0.5
    I_BR     -0.4
    Name: median, dtype: float64
    """
    check_warmup(warmup, sweeps)
    learner = Gibbs(tableau, noise, bound, total, prior, variant, thin=usual_thin(sweeps))
    going = run(learner, sweeps=sweeps, seed=seed, chains=chains, threads=threads)
    going.finish()
    return gibbs_fit(learner, going, warmup)


def fit_gla(
    tableau: Tableau,
    *,
    trials: int = GLA_TRIALS,
    runs: int = RUNS,
    seed: int | None = None,
    noise: float | None = None,
    plan: Schedule | str = "otsoft",
    initial: float = 100.0,
    plasticity: tuple[float, ...] | None = None,
    threads: int | None = None,
) -> Fit:
    """Learn by the Gradual Learning Algorithm, in many independent runs (Boersma & Hayes 2001).

    Parameters
    ----------
    tableau
        Its frequencies are the chances of hearing each form.
    trials, runs
        Forms heard in each run, and runs.
    seed, noise, threads
        As for :func:`fit_gibbs`.
    plan
        How plasticity falls: a preset's name, or a schedule.
    initial, plasticity
        As for :class:`~otlab.ot.learners.gla.GLA`.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.
    """
    chosen = schedule(plan, trials) if isinstance(plan, str) else plan
    learner = GLA(tableau, noise, chosen, initial, plasticity)
    going = run(learner, sweeps=trials, seed=seed, chains=runs, threads=threads)
    going.finish()
    return gla_fit(learner, going)


def fit_maxent(
    tableau: Tableau,
    *,
    weights: Weights = "nonnegative",
    prior: NormalPrior | None = None,
    total: int | None = None,
    iterations: int = MAXENT_ITERATIONS,
    seed: int | None = None,
) -> Fit:
    """Fit a maximum entropy grammar (Goldwater & Johnson 2003).

    Parameters
    ----------
    tableau, total
        Its frequencies are the observations.
    weights
        ``"nonnegative"`` penalties, or ``"free"`` in sign.
    prior
        Gaussian, one mean and sd a constraint; none if None.
    iterations
        At most so many of L-BFGS.
    seed
        Of the draws behind the intervals.
    """
    learner = MaxEnt(tableau, total, prior, weights)
    going = run(learner, sweeps=iterations, seed=seed)
    going.finish()
    return maxent_fit(learner, going)
