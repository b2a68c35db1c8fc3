r"""Keep the draws of a Gibbs sampler over derivations in limited space, and summarise all chains.

The posterior of theta is a mixture over derivations,
:math:`p(\theta \mid S) = \mathrm{E}[\mathrm{Dir}(\theta \mid \alpha + c)]` with c the counts of a
drawn derivation of every sentence. Its means are averaged from
:math:`\mathrm{E}[\theta \mid c] = (\alpha + c) / \sum (\alpha + c)` (Rao-Blackwell), its intervals are
quantiles of drawn theta. A single Dirichlet with the mean counts would give neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab import __version__
from otlab.errors import counted
from otlab.inference.diagnostics import RHAT_NEEDED, Trust, assess
from otlab.inference.modes import peaks
from otlab.inference.posterior import Posterior

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.mg.lexicon import Lexicon

__all__ = ["WARMUP_SHARE", "DrawStore", "GibbsPosterior", "KeptDraws", "pool", "rows_for"]

WARMUP_SHARE = 0.1
_MOST_NUMBERS = 1_000_000
_FEWEST_KEPT, _MOST_KEPT = 128, 4096
_MOST_ITEMS_LOOKED_AT = 300
_MOST_NAMED = 4


@dataclass(frozen=True)
class KeptDraws:
    """The draws of one chain, warm-up included: a row for each block of `block` sweeps.

    Attributes
    ----------
    theta : ndarray of shape (kept, items)
        Probabilities drawn in the last sweep of each block.
    mean : ndarray of shape (kept, items)
        E[theta | counts], averaged over the block.
    counts : ndarray of shape (kept, items)
        Uses of each item, averaged over the block.
    block
        Sweeps in a block.
    """

    theta: np.ndarray
    mean: np.ndarray
    counts: np.ndarray
    block: int

    @property
    def warmup(self) -> int:
        """Number of rows left out of all summaries: the first tenth."""
        return int(WARMUP_SHARE * len(self.theta))


def rows_for(items: int) -> int:
    """Return the number of rows in which draws of some lexical items are kept: an even number."""
    rows = max(_FEWEST_KEPT, min(_MOST_KEPT, _MOST_NUMBERS // max(1, items)))
    return rows - rows % 2


class DrawStore:
    """Keeps draws in a fixed number of rows: when all are full, neighbouring blocks are merged.

    The average over blocks stays the exact average over sweeps. What is kept depends only on the number
    of sweeps. Rows that :meth:`kept` has returned are not written to again, so that views may share them.

    Parameters
    ----------
    items
        Number of lexical items.
    capacity
        Number of rows, an even number; if None, as many as :func:`rows_for` returns.
    """

    def __init__(self, items: int, capacity: int | None = None) -> None:
        self.capacity = rows_for(items) if capacity is None else capacity
        self.block = 1
        self._rows = np.zeros((3, self.capacity, items))
        self._full = 0  # finished blocks
        self._sweeps = 0  # of the block in progress

    def add(self, theta: np.ndarray, mean: np.ndarray, counts: np.ndarray) -> None:
        """Add one sweep.

        Parameters
        ----------
        theta, mean, counts : ndarray of shape (items,)
            Drawn probabilities; their mean given the counts; the counts.
        """
        if self._full == self.capacity:
            self._merge()
        row = self._rows[:, self._full]
        self._sweeps += 1
        row[0] = theta
        row[1] += (mean - row[1]) / self._sweeps
        row[2] += (counts - row[2]) / self._sweeps
        if self._sweeps == self.block:
            self._full, self._sweeps = self._full + 1, 0

    def _merge(self) -> None:
        old = self._rows
        self._rows = np.zeros_like(old)
        half = self.capacity // 2
        self._rows[0, :half] = old[0, 1::2]
        self._rows[1:, :half] = 0.5 * (old[1:, 0::2] + old[1:, 1::2])
        self._full, self.block = half, 2 * self.block

    def to_parts(self) -> list[Any]:
        """Return what the store is made of, for :meth:`of_parts`; of its rows those that are used."""
        used = self._full + (self._sweeps > 0)
        items = self._rows.shape[2]
        return [self.capacity, items, self.block, self._full, self._sweeps, self._rows[:, :used]]

    @classmethod
    def of_parts(
        cls, capacity: int, items: int, block: int, full: int, sweeps: int, rows: np.ndarray
    ) -> DrawStore:
        """Return the store that :meth:`to_parts` was called of.

        Raises
        ------
        ValueError
            If the numbers do not belong together.
        """
        used = full + (sweeps > 0)
        if not (capacity <= rows_for(items) and 0 <= full <= capacity and 0 <= sweeps < block):
            raise ValueError(f"{full} of {capacity} rows of draws, and {sweeps} of {block} sweeps")
        store = cls(items, capacity)
        store._rows[:, :used] = rows
        store.block, store._full, store._sweeps = block, full, sweeps
        return store

    def kept(self) -> KeptDraws:
        """Return the finished blocks."""
        theta, mean, counts = self._rows[:, : self._full]
        return KeptDraws(theta, mean, counts, self.block)


@dataclass(frozen=True, repr=False)
class GibbsPosterior:
    """The posterior of lexical probabilities, from all chains together.

    Attributes
    ----------
    draws : Posterior
        ``theta``, of shape (chains, draws, items), warm-up left out and thinned.
    mean, low, high : ndarray of shape (items,)
        Posterior means (Rao-Blackwell) and 95 % intervals (quantiles of the pooled draws).
    counts : ndarray of shape (items,)
        Posterior mean of each item's uses.
    trust : Trust
        R-hat and effective sample sizes of theta by item; NaN where unknown or constant.
    warnings
        Warnings of chains that disagree, and of posteriors with several peaks.
    """

    draws: Posterior
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    trust: Trust
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        chains, kept, items = self.draws.draws["theta"].shape
        size = f"{counted(items, 'item')}, {chains} × {counted(kept, 'draw')}"
        return f"<GibbsPosterior: {size}, {self.trust.verdict.lower()}>"


def pool(
    lexicon: Lexicon,
    chains: Sequence[KeptDraws],
    *,
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
) -> GibbsPosterior:
    """Return the posterior of all chains of :class:`~otlab.mg.learners.gibbs.Gibbs`, of equal length.

    Without draws the means are those of the prior and the intervals are NaN.
    """
    warmup = chains[0].warmup
    theta = np.stack([c.theta[warmup:] for c in chains])
    posterior = Posterior(
        {"theta": theta},
        {"item": lexicon.texts},
        {"theta": ("item",)},
        "gibbs",
        seed,
        {**(settings or {}), "thin": chains[0].block},
        {"otlab": __version__, "numpy": np.__version__},
    )
    trust = assess(theta)
    unknown = np.full(len(lexicon), np.nan)
    if not theta.size:
        return GibbsPosterior(posterior, lexicon.prior_mean(), unknown, unknown, unknown, trust, ())
    low, high = np.quantile(posterior.pooled("theta"), [0.025, 0.975], axis=0)
    mean, counts = (
        np.mean([part[warmup:].mean(axis=0) for part in parts], axis=0)
        for parts in ([c.mean for c in chains], [c.counts for c in chains])
    )
    warnings = tuple(_warnings(lexicon, posterior.pooled("theta"), trust))
    return GibbsPosterior(posterior, mean, low, high, counts, trust, warnings)


def _warnings(lexicon: Lexicon, theta: np.ndarray, trust: Trust) -> list[str]:
    """Return a warning if chains disagree, or if a posterior has several peaks."""
    if trust.largest_rhat > RHAT_NEEDED:
        worst = lexicon.texts[int(np.nanargmax(trust.rhat))]
        return [
            f"the chains disagree (R-hat {trust.largest_rhat:.2f} for {worst}): do not rely on means "
            "and intervals; use more sweeps"
        ]
    several = [
        lexicon.texts[i]
        for i in np.flatnonzero(np.isfinite(trust.ess))[:_MOST_ITEMS_LOOKED_AT]
        if len(peaks(theta[:, i], float(trust.ess[i]))) > 1
    ]
    if not several:
        return []
    more = len(several) - _MOST_NAMED
    shown = ", ".join(several[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return [f"several peaks in the posterior of {shown}: no single mean describes it; look at the draws"]
