"""Bootstrap intervals: how far a learner's estimates and predictions vary with the sample.

For each replicate, as many observations of each input as in the data are drawn from its observed
frequencies, and a grammar is learnt from them (Efron & Tibshirani 1993, section 6). The result is the
variation over samples, not over the grammars that fit one sample. A candidate that was not observed is
never drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from otlab.errors import InputError, check_options, counted, did_you_mean
from otlab.inference import check_interrupt
from otlab.inference.random import fresh_seed, run_seed
from otlab.ot.given import check_tableau
from otlab.ot.learners import LEARNERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from otlab.inference.registry import LearnerEntry
    from otlab.ot.tableau import Tableau

__all__ = ["Bootstrap", "bootstrap", "resampled"]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Estimates and predictions from resampled data.

    Attributes
    ----------
    tableau, learner, seed, level
        The arguments of :func:`bootstrap`.
    values : float64 (replicates, constraints)
        Ranking values or weights.
    probability : float64 (replicates, rows)
        Probability of each candidate within its input.
    """

    tableau: Tableau
    learner: str
    seed: int
    level: float
    values: NDArray[np.float64]
    probability: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Bootstrap of {self.learner}: {counted(len(self.values), 'sample')}, seed {self.seed}>"

    @property
    def parameters(self) -> pd.DataFrame:
        """Mean, sd and interval of each constraint."""
        return self._summary(self.values, pd.Index(self.tableau.constraints, name="constraint"))

    @property
    def predictions(self) -> pd.DataFrame:
        """Mean, sd and interval of each candidate's probability."""
        names = [self.tableau.inputs[k] for k in self.tableau.input_of_row]
        index = pd.MultiIndex.from_arrays([names, self.tableau.candidates], names=["input", "candidate"])
        return self._summary(self.probability, index)

    def _summary(self, draws: NDArray[np.float64], index: pd.Index[Any]) -> pd.DataFrame:
        low, high = np.quantile(draws, [(1 - self.level) / 2, (1 + self.level) / 2], axis=0)
        columns = {"mean": draws.mean(axis=0), "sd": draws.std(axis=0, ddof=1), "low": low, "high": high}
        return pd.DataFrame(columns, index=index)


def resampled(tableau: Tableau, rng: np.random.Generator) -> Tableau:
    """Return the tableau with as many observations of each input, drawn from its frequencies."""
    check_tableau(tableau)
    counts = tableau.counts()
    drawn = np.zeros(tableau.n_rows)
    for k in range(len(tableau.inputs)):
        rows = tableau.rows(k)
        n = int(counts[rows].sum())
        if n:
            drawn[rows] = rng.multinomial(n, counts[rows] / n)
    return replace(tableau, frequencies=drawn, total=None, groups=None)


def bootstrap(
    tableau: Tableau,
    learner: str = "maxent",
    *,
    replicates: int = 200,
    level: float = 0.95,
    seed: int | None = None,
    watch: Callable[[float], object] | None = None,
    **settings: Any,
) -> Bootstrap:
    """Return how a learner's estimates and predictions vary with the sample.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    learner, **settings
        One of :data:`~otlab.ot.learners.LEARNERS`, with its settings.
    replicates
        Number of samples, 2 or more.
    level
        Probability mass of the intervals.
    seed
        Root seed of the samples, and of the learner on each.
    watch
        Called after each sample with the share that is done.

    Raises
    ------
    InputError
        If there is no such learner or setting, or fewer than two samples are asked for.

    Examples
    --------
    Of 77 and 23 forms the share varies by sqrt(.77 x .23 / 100) = .042:

    >>> from otlab.ot import read
    >>> found = bootstrap(read("lin2005_table1"), "maxent", seed=1)
    >>> found.predictions["sd"].round(2).tolist()
    [0.04, 0.04]
    """
    entry = _entry(learner, settings)
    if replicates < 2:
        raise InputError(f"{counted(replicates, 'sample')}; draw 2 or more")
    seed = fresh_seed() if seed is None else seed
    chosen, rng = entry.settings(**settings), np.random.default_rng(seed)
    values, probability = [], []
    for replicate in range(replicates):
        check_interrupt()
        fit: Any = entry.fit(resampled(tableau, rng), chosen, seed=run_seed(seed, replicate), threads=1)
        values.append(fit.mean)
        probability.append(fit.predicted.mean)
        if watch is not None:
            watch((replicate + 1) / replicates)
    return Bootstrap(tableau, learner, seed, level, np.array(values), np.array(probability))


def _entry(learner: str, settings: dict[str, Any]) -> LearnerEntry:
    """Return the learner of this name; refuse settings that it does not have."""
    if learner not in LEARNERS:
        raise InputError(f"no learner is called {learner!r}; {did_you_mean(learner, list(LEARNERS))}")
    known = [name for name in LEARNERS[learner].settings.param if name != "name"]
    check_options(f"bootstrap of {learner}", settings, [*known, "replicates", "seed"])
    return LEARNERS[learner]
