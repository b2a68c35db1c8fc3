"""What a run has found so far: estimates, predictions, and whether to trust them.

Ranking values come from a Gibbs sampler's draws or the ends of many GLA runs, weights
from the top of MaxEnt's climb; all are returned as one :class:`~otlab.ot.result.Fit`.
A run may be looked at in the middle: what is missing is among the warnings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.inference import Posterior
from otlab.inference.diagnostics import Trust, assess
from otlab.inference.modes import multimodal
from otlab.ot.learners.gla import drifting
from otlab.ot.predict import LEVEL, Predicted, log_likelihood, predict_from_draws, spread_out
from otlab.ot.result import Fit, versions
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    from otlab.inference import Run, Tick
    from otlab.ot.learners.gibbs import Gibbs, GibbsState, GibbsView
    from otlab.ot.learners.gla import GLA, GLAState, GLAView
    from otlab.ot.learners.maxent import MaxEnt, MaxEntState, MaxEntView
    from otlab.ot.tableau import Tableau

__all__ = [
    "gibbs_fit",
    "gibbs_posterior",
    "gla_fit",
    "kept_draws",
    "kept_every",
    "maxent_fit",
    "trust_and_peaks",
    "usual_thin",
    "usual_warmup",
]

_MOST_WARMUP = 1000
_DRAWS_KEPT = 50_000
_RHAT_APART = 2.0
_LAPLACE_DRAWS = 1000


def usual_warmup(sweeps: int) -> int:
    """Return how many of the sweeps are left out at the start: a tenth, at most 1,000."""
    return min(_MOST_WARMUP, sweeps // 10)


def usual_thin(sweeps: int) -> int:
    """Return every how many sweeps a draw is kept: a power of 2 that leaves 50,000 to 100,000 of more.

    A run that is made longer then keeps draws that it would have kept from its beginning.

    >>> usual_thin(99_999), usual_thin(100_000), usual_thin(1_000_000)
    (1, 2, 16)
    """
    return 1 << max(0, (sweeps // _DRAWS_KEPT).bit_length() - 1)


def gibbs_fit(
    learner: Gibbs,
    going: Run[GibbsState, GibbsView],
    warmup: int | None = None,
    tick: Tick[GibbsView] | None = None,
) -> Fit:
    """Return what a run of :class:`~otlab.ot.learners.gibbs.Gibbs` has found so far.

    Parameters
    ----------
    learner, going
        The run of this learner.
    warmup
        Sweeps at the start that do not count; :func:`usual_warmup` if None.
    tick
        Where the run is; asked of it if None, which only its own thread may do while it goes.
    """
    posterior = gibbs_posterior(learner, going, warmup, tick)
    tableau, settings = learner.tableau, learner.settings
    trust, peaked = trust_and_peaks(posterior.draws["ranking_value"], tableau.constraints)
    pooled = posterior.pooled("ranking_value")
    median = np.median(pooled, axis=0)
    predicted = predict_from_draws(tableau, spread_out(pooled, tableau), settings.noise, settings.total)
    at_median = log_likelihood(tableau, median, settings.noise, settings.total)
    fitting = trust.largest_rhat > _RHAT_APART or at_median >= predicted.typical_log_likelihood
    return Fit(
        learner=learner.name,
        tableau=tableau,
        kind="ranking value",
        mean=pooled.mean(axis=0),
        sd=pooled.std(axis=0, ddof=1) if len(pooled) > 1 else np.full(tableau.n_constraints, np.nan),
        median=median,
        predicted=predicted,
        trust=trust,
        multimodal=bool(peaked) or not fitting,
        peaked=tuple(peaked),
        warnings=tuple(_gibbs_warnings(learner, trust, peaked, fitting)),
        converged=trust.verdict in ("Converged", "Keep running"),
        posterior=posterior,
        seed=going.seed,
        settings=dict(posterior.settings),
        seconds=going.seconds,
    )


def trust_and_peaks(draws: np.ndarray, names: tuple[str, ...]) -> tuple[Trust, list[str]]:
    """Return R-hat and ESS of draws (chains, n, K), and which quantities have several peaks.

    None is reported beyond R-hat 2: the chains are then in places of their own, and peaks of
    chains that never met are no modes.
    """
    trust = assess(draws)
    if trust.largest_rhat > _RHAT_APART:
        return trust, []
    return trust, multimodal(draws.reshape(-1, draws.shape[2]), names, trust.smallest_ess)


def gibbs_posterior(
    learner: Gibbs,
    going: Run[GibbsState, GibbsView],
    warmup: int | None = None,
    tick: Tick[GibbsView] | None = None,
) -> Posterior:
    """Return the draws that count of a run; parameters as for :func:`gibbs_fit`."""
    skipped = usual_warmup(going.total) if warmup is None else warmup
    draws = _counted_draws(learner, going.total, going.tick() if tick is None else tick, skipped)
    return Posterior(
        draws={"ranking_value": draws},
        coords={"constraint": learner.tableau.constraints},
        dims={"ranking_value": ("constraint",)},
        learner=learner.name,
        seed=going.seed,
        settings=_gibbs_settings(learner, going, skipped),
        versions=versions(),
    )


def kept_draws(learner: Gibbs, sweeps: int, tick: Tick[GibbsView]) -> list[np.ndarray]:
    """Return each chain's draws, warm-up included, as thin as a run of so many sweeps keeps them.

    The sweeps may have been raised since the run began.
    """
    step = kept_every(learner, sweeps) // learner.thin
    return [view.draws[step - 1 :: step] for view in tick.views]


def kept_every(learner: Gibbs, sweeps: int) -> int:
    """Return every how many sweeps a draw of such a run is kept: usually, or as the learner has it.

    The learner's own number holds where it does not divide :func:`usual_thin`.
    """
    usual = usual_thin(sweeps)
    return learner.thin if usual % learner.thin else usual


def _counted_draws(learner: Gibbs, sweeps: int, tick: Tick[GibbsView], warmup: int) -> np.ndarray:
    """Return the draws after the warm-up; of a run stopped earlier, the later half."""
    chains = kept_draws(learner, sweeps, tick)
    length = min(map(len, chains))
    if length == 0:
        return np.stack([view.values[None] for view in tick.views])
    skipped = warmup // kept_every(learner, sweeps)
    first = skipped if skipped < length else length // 2
    return np.stack([draws[first:length] for draws in chains])


def _gibbs_settings(learner: Gibbs, going: Run[Any, Any], warmup: int) -> dict[str, Any]:
    prior = learner.prior
    return {
        "noise": learner.settings.noise,
        "bound": learner.settings.bound if prior is None else None,
        "total": learner.settings.total,
        "variant": learner.variant,
        "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
        "sweeps": going.total,
        "warmup": warmup,
        "chains": going.chains,
        "thin": kept_every(learner, going.total),
    }


def _gibbs_warnings(learner: Gibbs, trust: Trust, peaked: list[str], fitting: bool) -> list[str]:
    said = []
    if trust.verdict in ("Not converged", "Too early to say"):
        found = f"R-hat {trust.largest_rhat:.3g}, ESS {trust.smallest_ess:.3g}"
        said.append(f"not converged ({found}): run more sweeps before using these numbers")
    if peaked:
        said.append(f"more than one peak: {', '.join(peaked)}")
    if peaked or not fitting:
        said.append("several grammars fit, and the medians are none of them: use the best draw")
    if learner.variant == "published":
        said.append("as published: relations are drawn anew each sweep, intervals come out too wide")
    return said


def gla_fit(learner: GLA, going: Run[GLAState, GLAView], tick: Tick[GLAView] | None = None) -> Fit:
    """Return where the runs of :class:`~otlab.ot.learners.gla.GLA` are; see :func:`gibbs_fit`."""
    tick = going.tick() if tick is None else tick
    tableau, settings = learner.tableau, resolve_settings(learner.tableau, learner.noise)
    values = np.array([view.values for view in tick.views])
    gone = drifting(tableau, values, settings.noise)
    said = []
    if gone:
        said.append(
            f"{', '.join(gone)} do not settle: no ranking values fit these data exactly, so they drift for as"
            " long as the GLA runs; only the predictions settle"
        )
    if not tick.finished:
        said.append(f"stopped after {tick.sweep} of {tick.total} trials")
    return Fit(
        learner=learner.name,
        tableau=tableau,
        kind="ranking value",
        mean=values.mean(axis=0),
        sd=values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1], np.nan),
        median=np.median(values, axis=0),
        predicted=predict_from_draws(tableau, values, settings.noise, settings.total),
        trust=_no_trust(tableau),
        multimodal=False,
        warnings=tuple(said),
        converged=tick.finished,
        posterior=None,
        seed=going.seed,
        settings=_gla_settings(learner, going, settings.noise),
        seconds=going.seconds,
    )


def _gla_settings(learner: GLA, going: Run[Any, Any], noise: float) -> dict[str, Any]:
    chosen = learner.schedule
    return {
        "noise": noise,
        "total": learner.tableau.total,
        "rule": "symmetric-all",
        "schedule": "otsoft" if chosen is None else chosen.name,
        "stages": [] if chosen is None else [vars(stage) for stage in chosen.stages],
        "spread": 0.0 if chosen is None else chosen.spread,
        "initial": learner.initial,
        "plasticity": learner.plasticity,
        "sweeps": going.total,
        "runs": going.chains,
    }


def maxent_fit(
    learner: MaxEnt, going: Run[MaxEntState, MaxEntView], tick: Tick[MaxEntView] | None = None
) -> Fit:
    """Return where a run of :class:`~otlab.ot.learners.maxent.MaxEnt` is; see :func:`gibbs_fit`."""
    tick = going.tick() if tick is None else tick
    view = tick.view
    covariance = learner.covariance(view.weights)
    low, high = _laplace_interval(learner, view.weights, covariance, going.seed)
    at_fit = learner.probabilities(view.weights)
    said = []
    if not view.finite_optimum:
        said.append("no finite optimum: some weights grow without end; give a prior")
    if not tick.finished:
        said.append(f"stopped after {view.iteration} iterations")
    return Fit(
        learner=learner.name,
        tableau=learner.tableau,
        kind="weight",
        mean=view.weights,
        sd=np.sqrt(np.diag(covariance)),
        median=view.weights,
        predicted=Predicted(
            at_fit, low, high, at_fit, view.weights, view.log_likelihood, view.log_likelihood
        ),
        trust=_no_trust(learner.tableau),
        multimodal=False,
        warnings=tuple(said),
        converged=bool(tick.finished and view.finite_optimum),
        posterior=None,
        seed=going.seed,
        settings=_maxent_settings(learner, going),
        seconds=going.seconds,
    )


def _maxent_settings(learner: MaxEnt, going: Run[Any, Any]) -> dict[str, Any]:
    prior = learner.prior
    return {
        "weights": learner.weights,
        "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
        "total": resolve_settings(learner.tableau, total=learner.total).total,
        "sweeps": going.total,
    }


def _laplace_interval(
    learner: MaxEnt, weights: np.ndarray, covariance: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95 % interval of each candidate's probability; NaN without a prior.

    Weights are drawn from Laplace's normal; one that its bound holds stays there, and
    draws below a bound are put on it.
    """
    rows = learner.tableau.n_rows
    if learner.prior is None:
        return np.full(rows, np.nan), np.full(rows, np.nan)
    rng = np.random.default_rng(seed)
    draws = rng.multivariate_normal(weights, np.nan_to_num(covariance), size=_LAPLACE_DRAWS)
    if learner.weights == "nonnegative":
        draws = np.maximum(draws, 0.0)
    probability = np.array([learner.probabilities(draw) for draw in draws])
    low, high = np.quantile(probability, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def _no_trust(tableau: Tableau) -> Trust:
    unknown = np.full(tableau.n_constraints, np.nan)
    return Trust(unknown, unknown, unknown)
