r"""The bitag hidden Markov model, and the counts from which it is estimated.

States 0 ... s - 1 emit words. A boundary state ⋄, which emits no words, comes before and after every
sentence. Each of the s + 1 rows of transitions is a distribution over K = s + 1 outcomes, the states and
⋄; the transition from ⋄ to ⋄ would be an empty sentence. Row and column s are those of ⋄. "50 states"
means 50 states and ⋄.

Johnson (2007) writes s for K in (4) and does not say whether ⋄ is one of his 50 states; exact
tests fail with K = s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from otlab.errors import InputError
from otlab.tagging.kernels.layout import HmmWeights

__all__ = ["Counts", "Precision", "Weights", "float_type"]

Precision = Literal["f32", "f64"]


def float_type(precision: Precision) -> type[np.floating]:
    """Return the NumPy type of a precision."""
    if precision not in ("f32", "f64"):
        raise InputError(f"there is no precision {precision!r}; choose f32 or f64")
    return np.float32 if precision == "f32" else np.float64


@dataclass(frozen=True, eq=False)
class Counts:
    """Expected or sampled counts of transitions and emissions.

    Attributes
    ----------
    transitions : ndarray of float64, shape (states + 1, states + 1)
        Rows are states before, columns states after; the last of each is the boundary. Of a trigram model
        (:mod:`otlab.tagging.hmm.trigrams`), counts of three states in a row, in as many axes.
    emissions : ndarray of shape (types, states)
        Counts by word and state.
    """

    transitions: np.ndarray
    emissions: np.ndarray

    @property
    def states(self) -> int:
        """Number of states, without the boundary."""
        return int(self.emissions.shape[1])

    @property
    def per_state(self) -> np.ndarray:
        """Number of tokens of each state, shape (states,)."""
        out: np.ndarray = self.emissions.sum(axis=0, dtype=np.float64)
        return out

    @property
    def transition_shares(self) -> np.ndarray:
        """Transitions from one state to the next, with rows that sum to 1; rows without counts are 0."""
        pairs = self.transitions if self.transitions.ndim == 2 else self.transitions.sum(0)
        totals = pairs.sum(1, keepdims=True)
        out: np.ndarray = np.divide(pairs, totals, out=np.zeros_like(pairs), where=totals > 0)
        return out

    @staticmethod
    def of_labels(
        words: np.ndarray, labels: np.ndarray, offsets: np.ndarray, types: int, states: int
    ) -> Counts:
        """Count a labelled corpus; see :class:`~otlab.tagging.Corpus` for the arrays."""
        emissions = np.bincount(words.astype(np.int64) * states + labels, minlength=types * states)
        padded = np.full(labels.size + offsets.size, states, dtype=np.int64)
        inside = np.arange(labels.size) + np.repeat(np.arange(1, offsets.size), np.diff(offsets))
        padded[inside] = labels
        pairs = np.bincount(padded[:-1] * (states + 1) + padded[1:], minlength=(states + 1) ** 2)
        return Counts(
            pairs.reshape(states + 1, states + 1).astype(np.float64),
            emissions.reshape(types, states).astype(np.float64),
        )


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the forward-backward algorithm, whose rows need not sum to 1 (in VB).

    Attributes
    ----------
    transitions : ndarray of shape (states + 1, states + 1)
        As in :class:`Counts`; of a trigram model, with three axes.
    emission : ndarray of shape (types, states)
        Row of each word, divided by its largest entry so that no word underflows.
    log_scale : ndarray of float64, shape (types,)
        Logarithm of the divisor of each row.
    arrays : HmmWeights
        The weights as a named tuple for the kernels; of a trigram model, the transitions after the boundary.
    """

    transitions: np.ndarray
    emission: np.ndarray
    log_scale: np.ndarray
    arrays: HmmWeights = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "emission", np.ascontiguousarray(self.emission))
        pairs = self.transitions if self.order == 1 else self.transitions[-1]
        theta = pairs.astype(self.emission.dtype)
        inner = np.ascontiguousarray(theta[:-1, :-1])
        arrays = HmmWeights(
            initial=np.ascontiguousarray(theta[-1, :-1]),
            final=np.ascontiguousarray(theta[:-1, -1]),
            transition=inner,
            transposed=np.ascontiguousarray(inner.T),
            emission=self.emission,
        )
        object.__setattr__(self, "arrays", arrays)

    @property
    def states(self) -> int:
        """Number of states, without the boundary."""
        return int(self.emission.shape[1])

    @property
    def order(self) -> int:
        """Number of states on which the next one depends: 1, or 2 in a trigram model."""
        return self.transitions.ndim - 1

    @staticmethod
    def of_probabilities(
        transitions: np.ndarray, emissions: np.ndarray, precision: Precision = "f64"
    ) -> Weights:
        """Return the weights of a model.

        Parameters
        ----------
        transitions : ndarray of shape (states + 1, states + 1)
            As in :class:`Counts`.
        emissions : ndarray of shape (types, states)
            P(word given state). A row of zeros, for a word that the model does not know, is treated as
            equal for all states.
        precision
            ``"f64"`` or ``"f32"``.
        """
        emissions = np.asarray(emissions, dtype=np.float64)
        top = emissions.max(axis=1)
        known = top > 0
        scaled = np.where(known[:, None], emissions / np.where(known, top, 1)[:, None], 1.0)
        log_scale = np.log(np.where(known, top, 1.0))
        return Weights(np.asarray(transitions, np.float64), scaled.astype(float_type(precision)), log_scale)

    @property
    def emissions(self) -> np.ndarray:
        """The weights of each word by state, including the scale, in float64."""
        with np.errstate(under="ignore"):
            out: np.ndarray = self.emission.astype(np.float64) * np.exp(self.log_scale)[:, None]
        return out

    def tempered(self, temperature: float, *, normalize: bool) -> Weights:
        """Return the weights to the power 1/T, with rows that sum to 1 if `normalize`."""
        if temperature == 1:
            return self
        theta = self.transitions ** (1 / temperature)
        emission = self.emission ** np.asarray(1 / temperature, self.emission.dtype)
        log_scale = self.log_scale / temperature
        if not normalize:
            return Weights(theta, emission, log_scale)
        scaled = emission * np.exp(log_scale)[:, None]
        return Weights.of_probabilities(
            theta / theta.sum(-1, keepdims=True),
            scaled / scaled.sum(0),
            "f64" if emission.itemsize == 8 else "f32",
        )
