"""Compare VB's posterior with the one that Gibbs samples, item by item.

Where names can be exchanged without changing the lexicon (two genders with the same words),
the exact posterior is a mixture of copies under different names, and VB describes one of them.
So each draw is relabelled to be as near to VB's means as possible (Stephens 2000, with VB's
means as the fixed reference).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.mg.learners.fit import induce
from otlab.mg.learners.symmetry import item_permutations

if TYPE_CHECKING:
    import pandas as pd

    from otlab.mg.learners.induction import Induction

__all__ = ["SWEEPS", "comparison_table", "cross_check"]

SWEEPS = 2000
CHAINS = 4


def cross_check(
    induction: Induction, *, sweeps: int = SWEEPS, chains: int = CHAINS, threads: int | None = None
) -> tuple[Induction, pd.DataFrame]:
    r"""Run Gibbs on the data of an induction by VB, with its seed; return it and the comparison.

    Parameters
    ----------
    induction
        Result of :func:`~otlab.mg.learners.fit.induce` by ``vb``.
    sweeps, chains, threads
        Settings of the sampler.

    Examples
    --------
    >>> from otlab.mg.io.read import loads
    >>> lexicon = loads("@start p\nx y :: p\nx :: =p p\ny :: p\n@sentence 2 | x y")
    >>> _, table = cross_check(induce(lexicon, seed=1))
    >>> sorted(table.columns)[:3]
    ['category', 'difference', 'gibbs']
    >>> bool(abs(table.gibbs["x y :: p"] - 0.47) < 0.2)
    True
    """
    sampled = induce(
        induction.grammar,
        induction.corpus,
        learner="gibbs",
        alpha=induction.alpha,
        iterations=sweeps,
        init="jitter",
        restarts=chains,
        seed=induction.seed,
        threads=threads,
    )
    return sampled, comparison_table(induction, sampled)


def comparison_table(vb: Induction, gibbs: Induction) -> pd.DataFrame:
    """Return the means and 95 % intervals of VB and of Gibbs, one row per item.

    Parameters
    ----------
    vb, gibbs
        Results from the same corpus; `gibbs` has at least one draw.

    Returns
    -------
    DataFrame
        ``category``, ``vb``, ``vb_low``, ``vb_high``, ``gibbs``, ``gibbs_low``, ``gibbs_high``, and
        ``difference`` = gibbs - vb.
    """
    import pandas as pd

    drawn, theta, lexicon = gibbs.posterior, vb.snapshot.theta, vb.grammar.lexicon
    if drawn is None:
        raise TypeError(f"{gibbs.learner.name} draws no sample; compare with gibbs")
    mean, low, high = drawn.mean, drawn.low, drawn.high
    permutations = item_permutations(lexicon, vb.alpha)
    if len(permutations) > 1:
        draws = _relabelled(drawn.draws.pooled("theta"), theta, permutations)
        mean, (low, high) = draws.mean(axis=0), np.quantile(draws, [0.025, 0.975], axis=0)
    vb_low, vb_high = vb.intervals()
    columns = {
        "category": [item.category for item in lexicon.items],
        "vb": theta,
        "vb_low": vb_low,
        "vb_high": vb_high,
        "gibbs": mean,
        "gibbs_low": low,
        "gibbs_high": high,
        "difference": mean - theta,
    }
    return pd.DataFrame(columns, index=pd.Index(lexicon.texts, name="item"))


def _relabelled(draws: np.ndarray, reference: np.ndarray, permutations: list[np.ndarray]) -> np.ndarray:
    """Return each draw under the permutation of items that brings it nearest to the reference."""
    distances = np.array([((draws[:, p] - reference) ** 2).sum(axis=1) for p in permutations])
    nearest = distances.argmin(axis=0)
    chosen: np.ndarray = draws[np.arange(len(draws))[:, None], np.array(permutations)[nearest]]
    return chosen
