r"""The noisy channel, which turns one string of phones into another by edits.

Top :math:`x_1..x_n` becomes bottom :math:`y_1..y_m` by four operations, o = (none,
substitute, insert, delete) ~ Dir(20, 1, 1, 1); inserted phones I ~ Dir(1); substitutes
:math:`\zeta_p` ~ Dir(0.1) over the k - 1 other phones. In state (i, j, r), i top and j bottom phones are
read, and r is the length of the current run of insertions (r > 0) or deletions (r < 0):

.. math::
    (i, j, r) &\to (i+1, j+1, 0) && \tilde o_\text{none}\ [x = y], \quad
        \tilde o_\text{sub}\, \tilde\zeta[x, y]\ [x \ne y] \\
    &\to (i, j+1, r+1) && \tilde o_\text{ins}\, \tilde I[y], \quad 0 \le r < L_I \\
    &\to (i+1, j, r-1) && \tilde o_\text{del}, \quad -L_D < r \le 0

with weights :math:`\exp E\ln`. An end marker closes both strings, and only *none* can
read it. Without the marker the probabilities of all y sum to more than 1; with it, to
:math:`o_\text{none} / (1 - o_\text{ins})`, less the probability beyond the run limits. Words end in another
way (:mod:`~otlab.discovery.channel.word_ends`). An insertion next to a deletion would be a substitution
and is not allowed, so runs are bounded, and some pairs are unreachable.

See Stengel-Eskin (2017), sections 2.3 (model) and 3.2 (updates). Unlike the thesis, this channel has
"no edit" as an explicit fourth operation, excludes the phone itself from its substitutes, and has an
end marker. :func:`corrupt` makes known edits in a text, to test whether a learner recovers them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.kernels import channel as channel_kernels
from otlab.discovery.kernels.layout import EditArrays, Limits
from otlab.inference.dirichlet import expected_log, kl_divergence
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.channel.pairs import Pairs
    from otlab.discovery.corpus import Corpus

__all__ = ["OPERATIONS", "Channel", "ChannelState", "ChannelView", "Corruption", "Edits", "corrupt"]

OPERATIONS = ("none", "substitute", "insert", "delete")


@dataclass(frozen=True, eq=False)
class Edits:
    """Dirichlet parameters of a channel, or its expected counts, which have the same shapes.

    Attributes
    ----------
    operation : float64 ndarray of shape (4,)
        For none, substitute, insert and delete.
    insertion : float64 ndarray of shape (phones,)
        For each inserted phone.
    substitution : float64 ndarray of shape (phones, phones)
        Rows are top phones, columns bottom phones; the diagonal is not used.
    """

    operation: np.ndarray
    insertion: np.ndarray
    substitution: np.ndarray

    @staticmethod
    def prior(
        phones: int,
        operation: Sequence[float] = (20.0, 1.0, 1.0, 1.0),
        insertion: float = 1.0,
        substitution: float = 0.1,
    ) -> Edits:
        """Return the prior, which by default strongly prefers no edit."""
        return Edits(
            np.array(operation, dtype=float),
            np.full(phones, insertion),
            np.full((phones, phones), substitution),
        )

    def plus(self, counts: Edits) -> Edits:
        """Return the posterior given these expected counts."""
        return Edits(
            self.operation + counts.operation,
            self.insertion + counts.insertion,
            self.substitution + counts.substitution,
        )

    @property
    def arrays(self) -> EditArrays:
        """The parameters as a named tuple for the kernels."""
        return EditArrays(self.operation, self.insertion, self.substitution)

    def weights(self) -> EditArrays:
        """Return exp E ln of operations, insertions and substitutions (0 on the diagonal)."""
        substitution = np.zeros_like(self.substitution)
        rows = self._off_diagonal
        if rows.shape[1]:
            substitution[~np.eye(len(self.insertion), dtype=bool)] = np.exp(expected_log(rows)).ravel()
        return EditArrays(
            np.exp(expected_log(self.operation)), np.exp(expected_log(self.insertion)), substitution
        )

    def means(self) -> EditArrays:
        """Return the means of operations, insertions and substitutions (0 on the diagonal)."""
        substitution = np.where(np.eye(len(self.insertion), dtype=bool), 0.0, self.substitution)
        totals = np.maximum(substitution.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return EditArrays(
            self.operation / self.operation.sum(),
            self.insertion / self.insertion.sum(),
            substitution / totals,
        )

    def to_dict(self, symbols: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the means of operations and substitutions by name, as values for JSON."""
        operation, _, substitution = self.means()
        return {
            "operations": dict(zip(OPERATIONS, operation.tolist(), strict=True)),
            "substitutions": {
                top: {bottom: float(substitution[i, j]) for j, bottom in enumerate(symbols) if i != j}
                for i, top in enumerate(symbols)
            },
        }

    def kl(self, prior: Edits) -> float:
        """Return KL(posterior || prior), summed over all Dirichlets."""
        total = kl_divergence(self.operation, prior.operation) + kl_divergence(
            self.insertion, prior.insertion
        )
        if self._off_diagonal.shape[1]:
            total += kl_divergence(self._off_diagonal, prior._off_diagonal)
        return total

    @property
    def _off_diagonal(self) -> np.ndarray:
        size = len(self.insertion)
        return self.substitution[~np.eye(size, dtype=bool)].reshape(size, size - 1)


@dataclass
class ChannelState:
    """State of a run: the posterior, and the expected edits given it."""

    posterior: Edits
    expected: Edits
    log_z: np.ndarray
    objective: list[float] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class ChannelView:
    """A snapshot of a run.

    Attributes
    ----------
    iteration
        Number of updates done.
    objective : float64 ndarray
        The bound; entry i is its value after i updates.
    edits
        Dirichlet parameters of the posterior.
    counts
        Expected edits given this posterior.
    reachable : bool ndarray of shape (pairs,)
        Whether the channel can turn the top string of each pair into the bottom string.
    """

    iteration: int
    objective: np.ndarray
    edits: Edits
    counts: Edits
    reachable: np.ndarray


@dataclass(frozen=True)
class Channel:
    """Variational Bayes of the channel, given pairs of strings.

    Parameters
    ----------
    pairs
        Top and bottom strings.
    most_inserted, most_deleted
        Longest runs of insertions and deletions, L_I and L_D.
    operation, insertion, substitution
        Pseudo-counts of the priors.
    """

    pairs: Pairs
    most_inserted: int = 2
    most_deleted: int = 2
    operation: tuple[float, float, float, float] = (20.0, 1.0, 1.0, 1.0)
    insertion: float = 1.0
    substitution: float = 0.1

    @property
    def name(self) -> str:
        """``"channel"``."""
        return "channel"

    @cached_property
    def prior(self) -> Edits:
        """The prior's parameters."""
        return Edits.prior(len(self.pairs.symbols), self.operation, self.insertion, self.substitution)

    def init(self, rng: np.random.Generator) -> ChannelState:
        """Start with every posterior at its prior."""
        return self._evaluated(self.prior, [])

    def step(self, rng: np.random.Generator, state: ChannelState, n: int) -> ChannelState:
        """Do `n` iterations."""
        for _ in range(n):
            check_interrupt()
            state = self._evaluated(self.prior.plus(state.expected), state.objective)
        return state

    def expected(self, edits: Edits) -> tuple[Edits, np.ndarray]:
        """Return the expected edits of all pairs, and each pair's log Z (-inf if unreachable)."""
        size = len(self.pairs.symbols)
        expected = Edits(np.zeros(4), np.zeros(size), np.zeros((size, size)))
        log_z = np.zeros(len(self.pairs))
        limits = Limits(most_inserted=self.most_inserted, most_deleted=self.most_deleted)
        times = np.ones(len(self.pairs))
        channel_kernels.expected_edits(
            self.pairs.arrays, times, edits.weights(), limits, expected.arrays, log_z
        )
        return expected, log_z

    def _evaluated(self, posterior: Edits, objective: list[float]) -> ChannelState:
        expected, log_z = self.expected(posterior)
        bound = float(log_z[np.isfinite(log_z)].sum()) - posterior.kl(self.prior)
        return ChannelState(posterior, expected, log_z, [*objective, bound])

    def view(self, state: ChannelState) -> ChannelView:
        """Return a snapshot."""
        return ChannelView(
            len(state.objective) - 1,
            np.array(state.objective),
            state.posterior,
            state.expected,
            np.isfinite(state.log_z),
        )

    def finished(self, state: ChannelState) -> bool:
        """Return False: every iteration may still improve the bound."""
        return False


@dataclass(frozen=True, eq=False)
class Corruption:
    """A text that has passed through a channel.

    Attributes
    ----------
    corpus
        The output, with the same words; each word keeps at least one phone.
    confusion : int64 ndarray of shape (phones,)
        The phone by which each phone is substituted.
    operations : int64 ndarray of shape (4,)
        Numbers of unedited phones, substitutions, insertions and deletions.
    """

    corpus: Corpus
    confusion: np.ndarray
    operations: np.ndarray

    @property
    def rates(self) -> np.ndarray:
        """Shares, of shape (4,), as a channel behind words has them.

        Phones unedited, substituted and deleted as shares of all phones; insertions as a share of all places,
        which are before each phone and at the end of each word.
        """
        phones = int(self.operations.sum())
        words = int(np.array(self.corpus.gold, dtype=bool).sum())
        out: np.ndarray = self.operations / np.array([phones, phones, phones + words, phones])
        out[0] = 1.0 - out[1:].sum()
        return out


def corrupt(
    corpus: Corpus, rate: float, rng: np.random.Generator, mix: tuple[float, float, float] = (0.6, 0.2, 0.2)
) -> Corruption:
    """Edit each phone with probability `rate`.

    Parameters
    ----------
    corpus
        Text with gold boundaries.
    rate
        Edits per phone, in [0, 1).
    rng
        Random generator.
    mix
        Shares of substitutions (of each phone always by the same other phone), insertions (of
        a random phone before it), and deletions (never of a word's only phone).
    """
    size = len(corpus.symbols)
    shuffled = rng.permutation(size)
    confusion = np.empty(size, dtype=np.int64)
    confusion[shuffled] = np.roll(shuffled, 1)
    ends = np.array(corpus.gold, dtype=bool)
    alone = ends & np.concatenate([[True], ends[:-1]])
    kind = np.where(rng.random(ends.size) < rate, rng.choice([1, 2, 3], size=ends.size, p=mix), 0)
    kind[alone & (kind == 3)] = 1
    # The second of two adjacent deletions is not made, so that no word loses all its phones.
    kind[1:][(kind[1:] == 3) & (kind[:-1] == 3)] = 0
    new = np.where(kind == 1, confusion[corpus.phones], corpus.phones)
    keep, added = kind != 3, kind == 2
    width = keep.astype(np.int64) + added
    place = np.cumsum(width) - width
    phones = np.zeros(int(width.sum()), dtype=np.int32)
    phones[(place + added)[keep]] = new[keep]
    phones[place[added]] = rng.integers(size, size=int(added.sum()))
    last = np.cumsum(width)[ends] - 1
    gold = np.zeros(phones.size, dtype=bool)
    gold[last] = True
    offsets = np.concatenate([[0], np.cumsum(width)])[corpus.offsets]
    edited = replace(
        corpus, phones=phones, offsets=offsets, gold=gold, name=f"{corpus.name} ({rate:.0%} edited)"
    )
    return Corruption(edited, confusion, np.bincount(kind, minlength=4))
