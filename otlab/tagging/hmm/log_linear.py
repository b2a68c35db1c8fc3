r"""Log-linear rows: words have features, and a state prefers some features (Berg-Kirkpatrick et al. 2010).

.. math::
    \phi_{x|k} = \frac{\exp w_k \cdot f(x)}{\sum_{x'} \exp w_k \cdot f(x')}, \qquad
    \theta_{k'|k} = \frac{\exp u_{kk'}}{\sum_{k''} \exp u_{kk''}},

with :math:`f(x)` the word itself, its last one, two and three letters, and whether it has a capital, a digit,
a hyphen. The weights have a normal prior. With expected counts e of words and c of transitions, the gradient
of the log likelihood is :math:`\sum_x f(x) (e_{xk} - e_k \phi_{x|k})` and :math:`c_{kk'} - c_k \theta_{k'|k}`
(their equation 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import log_softmax

from otlab.tagging.hmm.mstep import LEAST_SHARE
from otlab.tagging.hmm.parameters import Counts, Precision, Weights, float_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["LONGEST_SUFFIX", "LogLinearRows", "word_features"]

LONGEST_SUFFIX = 3
_START_ITERATIONS = 50


def _features(word: str) -> Iterator[str]:
    for letters in range(1, min(LONGEST_SUFFIX, len(word) - 1) + 1):
        yield f"-{word[-letters:]}"
    if any(letter.isupper() for letter in word):
        yield "capital"
    if any(letter.isdigit() for letter in word):
        yield "digit"
    if "-" in word[1:-1]:
        yield "hyphen"


def word_features(vocabulary: Sequence[str]) -> tuple[csr_matrix, tuple[str, ...]]:
    """Return which word has which feature, and the features' names.

    Parameters
    ----------
    vocabulary
        The words; each is a feature of its own, the first so many columns.

    Returns
    -------
    csr_matrix of float64, shape (words, features)
        1 where a word has a feature.
    tuple of str
        The word itself, ``-ing`` for its last letters, ``capital``, ``digit``, ``hyphen``. Suffixes
        leave at least one letter. A feature that a single word has says no more than the word and is
        left out, as is one that all words have.

    Examples
    --------
    >>> matrix, names = word_features(["walking", "talking", "B-52", "2-D"])
    >>> names[4:]
    ('-g', '-ng', '-ing', 'capital', 'digit', 'hyphen')
    >>> matrix.toarray()[2, 4:].tolist()
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    """
    words_of: dict[str, list[int]] = {}
    for number, word in enumerate(vocabulary):
        for name in _features(word):
            words_of.setdefault(name, []).append(number)
    shared = {name: words for name, words in words_of.items() if 1 < len(words) < len(vocabulary)}
    columns = [[number] for number in range(len(vocabulary))] + list(shared.values())
    rows = np.concatenate([np.array(column) for column in columns])
    which = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
    matrix = csr_matrix((np.ones(rows.size), (rows, which)), shape=(len(vocabulary), len(columns)))
    return matrix, (*vocabulary, *shared)


@dataclass(frozen=True, eq=False)
class LogLinearRows:
    """The rows of a tagger as functions of one vector: weights of features, then of transitions.

    Attributes
    ----------
    features : csr_matrix of shape (types, features)
        See :func:`word_features`.
    states
        Number of states.
    sd
        Standard deviation of the normal prior of each weight, whose mean is 0.
    allowed : ndarray of bool, shape (types, states), optional
        The states that each word may have; others are left out of the sums.
    """

    features: csr_matrix
    states: int
    sd: float
    allowed: np.ndarray | None = None

    @property
    def size(self) -> int:
        """Number of weights."""
        return int(self.features.shape[1]) * self.states + (self.states + 1) ** 2

    def _parts(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights by feature and state, and by state and next state."""
        at = int(self.features.shape[1]) * self.states
        return vector[:at].reshape(-1, self.states), vector[at:].reshape(self.states + 1, -1)

    def log_rows(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ln theta, of shape (states + 1, states + 1), and ln phi, of shape (types, states)."""
        of_words, of_states = self._parts(vector)
        theta = of_states.copy()
        theta[-1, -1] = -np.inf  # no sentence is empty
        phi = np.asarray(self.features @ of_words)
        if self.allowed is not None:
            phi = np.where(self.allowed, phi, -1e300)  # finite: a state may be barred from all words
        phi = log_softmax(phi, axis=0)
        if self.allowed is not None:
            phi[~self.allowed] = -np.inf
        return log_softmax(theta, axis=1), phi

    def weights(self, vector: np.ndarray, precision: Precision) -> Weights:
        """Return the weights of the E-step."""
        log_theta, log_phi = self.log_rows(vector)
        top = log_phi.max(1)
        theta = np.maximum(np.exp(log_theta), LEAST_SHARE)
        theta[-1, -1] = 0.0
        emission = np.maximum(np.exp(log_phi - top[:, None]), LEAST_SHARE)
        if self.allowed is not None:
            emission[~self.allowed] = 0.0
        return Weights(theta, emission.astype(float_type(precision)), top)

    def log_prior(self, vector: np.ndarray) -> float:
        """Return the logarithm of the prior's density, up to a constant."""
        return -0.5 * float(vector @ vector) / self.sd**2

    def gradient(self, vector: np.ndarray, counts: Counts) -> np.ndarray:
        """Return the gradient of the log likelihood whose expected counts these are."""
        log_theta, log_phi = self.log_rows(vector)
        emissions = counts.emissions.astype(np.float64)
        transitions = counts.transitions - counts.transitions.sum(1, keepdims=True) * np.exp(log_theta)
        emissions -= emissions.sum(0) * np.exp(log_phi)
        return np.concatenate([np.asarray(self.features.T @ emissions).ravel(), transitions.ravel()])

    def fitted(self, counts: Counts) -> np.ndarray:
        """Return the weights that maximise the probability of counts times the prior, by SciPy's L-BFGS.

        They start a run; fifty iterations bring them near enough.
        """

        def loss(vector: np.ndarray) -> tuple[float, np.ndarray]:
            log_theta, log_phi = self.log_rows(vector)
            used = counts.transitions > 0, counts.emissions > 0
            fit = float(counts.transitions[used[0]] @ log_theta[used[0]])
            fit += float(counts.emissions[used[1]] @ log_phi[used[1]])
            slope = self.gradient(vector, counts) - vector / self.sd**2
            return -fit - self.log_prior(vector), -slope

        found: np.ndarray = minimize(
            loss, np.zeros(self.size), jac=True, method="L-BFGS-B", options={"maxiter": _START_ITERATIONS}
        ).x
        return found
