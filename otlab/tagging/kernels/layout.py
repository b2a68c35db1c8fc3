"""Named tuples of arrays that the kernels take: batches, weights, passes, sums, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Active",
    "Backward",
    "Batch",
    "BlockedCounts",
    "Forward",
    "HmmWeights",
    "PaddedCounts",
    "Priors",
    "SparseSpace",
    "Sums",
]


class Batch(NamedTuple):
    """Some sentences, time-major.

    Attributes
    ----------
    words : ndarray of int32, shape (tokens,)
        The words at time 0 of all sentences, then those at time 1, ...
    order : ndarray of int64, shape (tokens,)
        Where each of them stands in the corpus.
    starts : ndarray of int64, shape (longest + 1,)
        Where each time begins in `words`; the last is the number of tokens.
    """

    words: np.ndarray
    order: np.ndarray
    starts: np.ndarray

    @property
    def tokens(self) -> int:
        """Words in the batch."""
        return int(self.words.size)

    @property
    def sentences(self) -> int:
        """Sentences in the batch."""
        return int(self.starts[1])


class HmmWeights(NamedTuple):
    """The weights of a model, in the precision of the computation.

    Attributes
    ----------
    initial, final : ndarray of shape (states,)
        Transitions from the boundary and to it.
    transition, transposed : ndarray of shape (states, states)
        Transitions between states: row before, column after; and the other way round.
    emission : ndarray of shape (types, states)
        By word, then state.
    """

    initial: np.ndarray
    final: np.ndarray
    transition: np.ndarray
    transposed: np.ndarray
    emission: np.ndarray


class Forward(NamedTuple):
    """Arrays that the forward pass of a batch fills.

    Attributes
    ----------
    alpha : ndarray of shape (tokens + 3, states)
        Forward weights of each token; the sparse kernel reads up to three beyond the last.
    inverse, ends : ndarray of shape (tokens,)
        1 / z, and at last tokens 1 / (alpha . final).
    """

    alpha: np.ndarray
    inverse: np.ndarray
    ends: np.ndarray


class Backward(NamedTuple):
    """Work space of the backward pass of a batch.

    Attributes
    ----------
    later : ndarray of shape (tokens, states)
        W, the weight of what follows a token.
    beta : ndarray of shape (sentences, states)
        Backward weights at one time, then their products with alpha.
    bits : integer ndarray of the shape of `beta`
        The same memory, seen as integers of its size.
    """

    later: np.ndarray
    beta: np.ndarray
    bits: np.ndarray


class Sums(NamedTuple):
    """Expected counts, to which kernels add.

    Attributes
    ----------
    emissions : ndarray of shape (types, states), or (active states,)
        Of words and states, or of each word's :class:`Active` states.
    between : ndarray of float64, shape (states, states)
        Transitions without their factor A.
    first, last : ndarray of float64, shape (states,)
        From the boundary and to it.
    """

    emissions: np.ndarray
    between: np.ndarray
    first: np.ndarray
    last: np.ndarray


class Active(NamedTuple):
    """Each word's likely states, word after word.

    Attributes
    ----------
    begins : ndarray of uint64, shape (types + 1,)
        Those of word w are ``begins[w]:begins[w + 1]``.
    chosen : ndarray of int16, shape (active states,)
        The states.
    values : ndarray of shape (active states,)
        Their emission weights.
    transition : ndarray of shape (states * states,)
        As in :class:`HmmWeights`, row after row.
    """

    begins: np.ndarray
    chosen: np.ndarray
    values: np.ndarray
    transition: np.ndarray


class SparseSpace(NamedTuple):
    """Work space of the passes over active states.

    `padded` is the number of states and a few more, since the kernel reads some states at a time.

    Attributes
    ----------
    later : ndarray of shape (2, padded)
        Backward weights of a token, and W of the token after it.
    between : ndarray of shape (states * states,)
        Sums of transitions without their factor A, row after row.
    across : ndarray of shape (states * states,)
        More of these sums, column after column.
    columns, rows : ndarray of uint64, shape (padded,)
        A token's active states, and where the rows of those of the token before begin.
    """

    later: np.ndarray
    between: np.ndarray
    across: np.ndarray
    columns: np.ndarray
    rows: np.ndarray


class Priors(NamedTuple):
    """Priors of a collapsed sampler.

    Attributes
    ----------
    alpha : ndarray of shape (2,)
        alpha_x of emissions and alpha_y of transitions, in the counts' type.
    emission_mass : ndarray of float64, shape (states,)
        m alpha_x of each state.
    transition_mass : float
        K alpha_y.
    scale : float
        Factor of all reciprocals: keeps products near 1 in float32.
    """

    alpha: np.ndarray
    emission_mass: np.ndarray
    transition_mass: float
    scale: float


class PaddedCounts(NamedTuple):
    """Counts of a labelling, states padded to a multiple of the vector width; padded states have none.

    Attributes
    ----------
    rows : ndarray of shape (types, padded)
        By word. Forbidden cells hold minus the prior.
    out_of, into : ndarray of shape (states + 1, padded)
        By the state before, and by the state after.
    occurrences : ndarray of float64, shape (padded,)
        By state.
    inverse, inverse_without : ndarray of shape (padded,)
        Reciprocals of :func:`~otlab.tagging.kernels.gibbs.place`.
    """

    rows: np.ndarray
    out_of: np.ndarray
    into: np.ndarray
    occurrences: np.ndarray
    inverse: np.ndarray
    inverse_without: np.ndarray


class BlockedCounts(NamedTuple):
    """Counts of a labelling.

    Attributes
    ----------
    emissions : ndarray of shape (types, states)
        By word and state.
    transitions : ndarray of shape (states + 1, states + 1)
        By the state before and the state after; the last is the boundary.
    per_state : ndarray of shape (states,)
        Tokens of each state.
    leaving : ndarray of shape (states + 1,)
        Transitions out of each state and the boundary.
    """

    emissions: np.ndarray
    transitions: np.ndarray
    per_state: np.ndarray
    leaving: np.ndarray
