"""Frozen snapshot of a tagger during a run, for plots and tables."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from otlab.errors import InputError, counted, did_you_mean
from otlab.tagging.scores import SCORES, Scores

__all__ = ["Trace", "View"]


@dataclass
class Trace:
    """Objective and scores after each update; row 0 is the start. Never thinned."""

    objective: list[float] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)
    priors: list[tuple[float, float]] = field(default_factory=list)  # of learners that learn them

    @property
    def learnt_priors(self) -> np.ndarray | None:
        """Emission and transition prior in each row, or None if they are not learnt."""
        return np.array(self.priors) if self.priors else None

    def add(self, objective: float, scores: np.ndarray) -> None:
        """Append a row."""
        self.objective.append(objective)
        self.scores.append(scores)


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """Snapshot of a run.

    Attributes
    ----------
    learner
        Its name.
    objective : ndarray of shape (iterations + 1,)
        Log likelihood (EM), free energy (VB) or log joint (Gibbs), in nats; NaN where
        it is not defined (VB while annealing).
    scores : ndarray of shape (iterations + 1, 8)
        In the order of :data:`~otlab.tagging.scores.SCORES`; NaN if untagged.
    labels : ndarray of int16, shape (tokens,)
        The decoded states, or the sample.
    transitions : ndarray of shape (states + 1, states + 1)
        Rows summing to 1; the last row and column are the boundary's.
    table : ndarray of int, shape (states, tags)
        Tokens by state and gold tag; no columns if untagged.
    tokens_per_state : ndarray of int, shape (states,)
        By state number.
    alarm
        What must not happen, if it did (a free energy that rose); else empty.
    priors : ndarray of shape (iterations + 1, 2), or None
        Emission and transition prior in each iteration, if they are learnt; an infinite HMM has its alpha
        in place of the latter.
    state_counts : ndarray of int, shape (iterations + 1,), or None
        States that label tokens in each iteration of an infinite HMM; of truncated VB, those of one
        expected token or more.
    concentrations : ndarray of shape (iterations + 1, 3), or None
        Its gamma, alpha and rho; see :mod:`otlab.tagging.hmm.hdp`.
    discounts : ndarray of shape (iterations + 1,), or None
        The discount of Pitman-Yor emissions in each iteration.
    sampled
        Whether `state_counts` are draws. If not, the last one is the result.
    """

    learner: str
    objective: np.ndarray
    scores: np.ndarray
    labels: np.ndarray
    transitions: np.ndarray
    table: np.ndarray
    tokens_per_state: np.ndarray
    alarm: str = ""
    priors: np.ndarray | None = None
    state_counts: np.ndarray | None = None
    concentrations: np.ndarray | None = None
    sampled: bool = True
    discounts: np.ndarray | None = None

    def __repr__(self) -> str:
        used = f"{self.states_used} of {counted(self.tokens_per_state.size, 'state')} used"
        return f"<View of {self.learner}: iteration {self.iteration}, {used}>"

    @property
    def iteration(self) -> int:
        """Updates done."""
        return int(self.objective.size - 1)

    @property
    def final(self) -> Scores:
        """The last row of scores."""
        return Scores(*map(float, self.scores[-1]))

    @property
    def states_used(self) -> int:
        """States that label at least one token."""
        return int(np.count_nonzero(self.tokens_per_state))

    @property
    def state_draws(self) -> np.ndarray:
        """Draws of the number of states, the second half of :attr:`state_counts`; none without these.

        Of a learner that does not sample, the last number alone.
        """
        counts = self.state_counts
        if counts is None:
            return np.empty(0, np.int64)
        return counts[counts.size // 2 :] if self.sampled else counts[-1:]

    def states_interval(self) -> tuple[float, float, float]:
        """Return the median of :attr:`state_draws`, and the bounds of the 95 % in their middle."""
        low, median, high = np.quantile(self.state_draws, (0.025, 0.5, 0.975), method="inverted_cdf")
        return float(median), float(low), float(high)

    def share_of_biggest(self, count: int = 6) -> float:
        """Return the share of tokens in the biggest states: the paper's measure of skew."""
        largest = np.sort(self.tokens_per_state)[::-1][:count]
        return float(largest.sum() / self.tokens_per_state.sum())

    def trace(self, name: str) -> np.ndarray:
        """Return one score after each update, by its name; refuse a name that is none."""
        if name not in SCORES:
            raise InputError(f"no score is called {name!r}; {did_you_mean(name, SCORES)}")
        out: np.ndarray = self.scores[:, SCORES.index(name)]
        return out
