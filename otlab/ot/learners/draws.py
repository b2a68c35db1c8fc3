"""Draws of a sampler: storage, warm-up and thinning, the posterior made of them, convergence.

Draws are added row by row and never changed, so that a read-only view of the first rows is a
snapshot: another thread may read it while later rows are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError, counted
from otlab.inference import Posterior
from otlab.inference.diagnostics import Trust, assess
from otlab.inference.fit import versions
from otlab.inference.modes import multimodal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.inference import Run, Tick

__all__ = [
    "DRAWS_KEPT",
    "RHAT_APART",
    "check_warmup",
    "convergence_warnings",
    "counted_draws",
    "ensure_capacity",
    "kept_draws",
    "kept_every",
    "posterior_of",
    "resolve_warmup",
    "snapshot",
    "trust_and_peaks",
    "usual_thin",
    "usual_warmup",
]

_MOST_WARMUP = 1000
DRAWS_KEPT = 50_000
"""The fewest draws that a long run keeps of each chain."""
RHAT_APART = 2.0
_FEWEST_ROWS = 1024


def ensure_capacity(rows: np.ndarray, used: int, needed: int) -> np.ndarray:
    """Return an array with room for `needed` rows that begins with the `used` ones.

    It is `rows` itself if there is room, else a copy at least twice as long.

    >>> ensure_capacity(np.ones((2, 3)), used=2, needed=3).shape
    (1024, 3)
    """
    if needed <= len(rows):
        return rows
    longer = np.empty((max(needed, 2 * len(rows), _FEWEST_ROWS), rows.shape[1]))
    longer[:used] = rows[:used]
    return longer


def snapshot(rows: np.ndarray, used: int) -> np.ndarray:
    """Return the first `used` rows, read-only."""
    view = rows[:used]
    view.flags.writeable = False
    return view


def usual_warmup(sweeps: int) -> int:
    """Return the default warm-up, the sweeps left out at the start: a tenth, at most 1,000."""
    return min(_MOST_WARMUP, sweeps // 10)


def check_warmup(warmup: int | None, sweeps: int) -> None:
    """Raise an error for a warm-up that leaves no sweep.

    Raises
    ------
    InputError
        If it is negative, or not less than `sweeps`.
    """
    if warmup is not None and not 0 <= warmup < sweeps:
        raise InputError(
            f"a warm-up of {counted(warmup, 'sweep')} out of {sweeps}: choose 0 or more, and fewer than all"
        )


def resolve_warmup(warmup: int | None, sweeps: int) -> int:
    """Return the warm-up, :func:`usual_warmup` if None; one that leaves no sweep is an error."""
    check_warmup(warmup, sweeps)
    return usual_warmup(sweeps) if warmup is None else warmup


def usual_thin(sweeps: int) -> int:
    """Return the number of sweeps per kept draw: a power of 2 that leaves 50,000 to 100,000 draws.

    A run that is extended then keeps draws that the longer run keeps too.

    >>> usual_thin(99_999), usual_thin(100_000), usual_thin(1_000_000)
    (1, 2, 16)
    """
    return 1 << max(0, (sweeps // DRAWS_KEPT).bit_length() - 1)


def kept_every(thin: int, sweeps: int) -> int:
    """Return the number of sweeps per kept draw of a run that may have been extended.

    It is :func:`usual_thin`, or the learner's own `thin` if `usual_thin` is no multiple of it.
    """
    usual = usual_thin(sweeps)
    return thin if usual % thin else usual


def kept_draws(draws: Sequence[np.ndarray], thin: int, sweeps: int) -> list[np.ndarray]:
    """Return each chain's draws, warm-up included, thinned as a run of `sweeps` thins them.

    Parameters
    ----------
    draws
        Of each chain, shape (n, constraints): every `thin`-th sweep.
    thin, sweeps
        As for :func:`kept_every`.
    """
    step = kept_every(thin, sweeps) // thin
    return [chain[step - 1 :: step] for chain in draws]


def counted_draws(draws: Sequence[np.ndarray], thin: int, sweeps: int, warmup: int) -> np.ndarray | None:
    """Return the draws after the warm-up, shape (chains, n, constraints); None if none is kept yet.

    If a run was stopped within its warm-up, the later half of its draws counts.
    """
    chains = kept_draws(draws, thin, sweeps)
    length = min(map(len, chains))
    if length == 0:
        return None
    skipped = warmup // kept_every(thin, sweeps)
    first = skipped if skipped < length else length // 2
    return np.stack([chain[first:length] for chain in chains])


def posterior_of(
    run: Run[Any, Any], tick: Tick[Any], quantity: str, warmup: int, settings: dict[str, Any]
) -> Posterior:
    """Return the draws of a run so far, those of the warm-up left out.

    Parameters
    ----------
    run, tick
        A run of a sampler with `name`, `tableau` and `thin`, and its last tick.
    quantity
        What was drawn for each constraint: ``"ranking_value"`` or ``"weight"``.
    warmup
        Sweeps left out at the start.
    settings
        Of the sampler, for the result.
    """
    learner: Any = run.learner
    draws = counted_draws([view.draws for view in tick.views], learner.thin, run.total, warmup)
    if draws is None:
        draws = np.stack([view.values[None] for view in tick.views])
    return Posterior(
        draws={quantity: draws},
        coords={"constraint": learner.tableau.constraints},
        dims={quantity: ("constraint",)},
        learner=learner.name,
        seed=run.seed,
        settings=settings,
        versions=versions(),
    )


def convergence_warnings(trust: Trust) -> list[str]:
    """Return a warning if the chains have not converged."""
    if trust.verdict not in ("Not converged", "Too early to say"):
        return []
    figures = f"R-hat {trust.largest_rhat:.3g}, ESS {trust.smallest_ess:.3g}"
    return [f"not converged ({figures}): run more sweeps before using these numbers"]


def trust_and_peaks(draws: np.ndarray, names: tuple[str, ...]) -> tuple[Trust, list[str]]:
    """Return R-hat and ESS of draws (chains, n, K), and which quantities have several peaks.

    No peak is reported if R-hat is above 2: the chains are then in different places, and their
    peaks are not modes of one distribution.
    """
    trust = assess(draws)
    if trust.largest_rhat > RHAT_APART:
        return trust, []
    return trust, multimodal(draws.reshape(-1, draws.shape[2]), names, trust.smallest_ess)
