r"""Find stored words that are better explained as edited forms of other words.

If an edit is frequent, an edited word is frequent too, and variational Bayes keeps it as a separate
word: a token is divided between looking up the variant and looking up its source with an
edit, in proportion to counts that result from earlier divisions. Edits are then counted as words, and
their estimated rates are too low, and lower with more text. Here all uses of a variant are therefore
considered together: moving all :math:`n_v` uses of v to a source w changes the log probability of a
seating (Pitman-Yor, concentration a, discount b, T words), with the edits integrated out, by

.. math::
    \ln\frac{\Gamma(n_w + n_v - b)\,\Gamma(1 - b)}{\Gamma(n_w - b)\,\Gamma(n_v - b)}
    - \ln(a + b(T - 1)) - \ln P_0(v) + \Delta \ln \mathrm{DM}(\text{edits})

with :math:`P_0(v)` the weight of building v and DM the Dirichlet-multinomial probability of all
edits so far, in which each move makes another one of its kind more probable. Rare variants are
considered first. The moves are a proposal, which the learner keeps only if its bound is higher some
iterations later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from otlab.discovery.channel.channel import Edits
from otlab.discovery.kernels.channel import INSERT, NONE, SUBSTITUTE
from otlab.discovery.kernels.layout import Limits, new_arcs
from otlab.discovery.kernels.noisy import source_arcs
from otlab.inference.run import check_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.kernels.layout import Trie

__all__ = ["Seating", "moved"]

PASSES = 10
_ARCS = 50_000


@dataclass(eq=False)
class Seating:
    """Uses of stored words and of edits, which moves update.

    Attributes
    ----------
    uses : float64 ndarray of shape (words,)
        Expected uses of each word.
    built : float64 ndarray of shape (words,)
        Log weight of building each word.
    edits
        Expected edits.
    prior
        Prior of the edits.
    concentration, discount
        Concentration and discount of the words.
    """

    uses: np.ndarray
    built: np.ndarray
    edits: Edits
    prior: Edits
    concentration: float
    discount: float

    def gain(self, word: int, source: int, change: Edits) -> float:
        """Return the change in log probability if all uses of a word become edited uses of another."""
        n, b = self.uses, self.discount
        tables = np.count_nonzero(n) - 1
        used = max(n[word], 1.0)
        seats = gammaln(n[source] + used - b) + gammaln(1 - b) - gammaln(max(n[source], 1.0) - b)
        seats -= gammaln(used - b) + np.log(self.concentration + b * tables) + self.built[word]
        return float(seats) + self._edit_gain(change)

    def _edit_gain(self, change: Edits) -> float:
        """Return the change in the Dirichlet-multinomial log probability of the edits."""
        before = self.prior.plus(self.edits)
        total = _dirichlet_gain(before.operation, change.operation)
        if change.insertion.any():
            total += _dirichlet_gain(before.insertion, change.insertion)
        for x in np.flatnonzero(change.substitution.any(axis=1)):
            others = np.arange(before.insertion.size) != x
            total += _dirichlet_gain(before.substitution[x, others], change.substitution[x, others])
        return total

    def move(self, word: int, source: int, change: Edits) -> None:
        """Move all uses of a word to edited uses of another."""
        self.uses[source] += self.uses[word]
        self.uses[word] = 0.0
        self.edits = self.edits.plus(change)
        np.maximum(self.edits.operation, 0.0, out=self.edits.operation)


def _dirichlet_gain(before: np.ndarray, change: np.ndarray) -> float:
    """Return the log probability of further counts given the parameters of a Dirichlet posterior."""
    after = np.maximum(before + change, 1e-3)
    gains = gammaln(after).sum() - gammaln(before).sum()
    return float(gains + gammaln(before.sum()) - gammaln(after.sum()))


def moved(seating: Seating, words: Sequence[np.ndarray], trie: Trie, limits: Limits) -> np.ndarray:
    """Move the uses of each word that is better explained as an edited one; return which words remain.

    Parameters
    ----------
    seating
        Changed in place.
    words
        Codes of the phones of each word.
    trie
        Trie of the same words.
    limits
        Limits of the edits in one word.
    """
    sources = [_sources(k, word, trie, limits, seating.prior) for k, word in enumerate(words)]
    for _ in range(PASSES):
        before = np.count_nonzero(seating.uses)
        for k in np.argsort(seating.uses, kind="stable"):
            check_interrupt()
            if seating.uses[k] == 0.0:
                continue
            options = [
                (seating.gain(k, w, change), w, change)
                for w, edits in sources[k]
                if seating.uses[w] > seating.uses[k]
                for change in [_edit_counts(edits, seating.uses[k], seating.prior)]
            ]
            gain, source, change = max(options, key=lambda option: option[0], default=(0.0, 0, None))
            if change is not None and gain > 0.0:
                seating.move(k, source, change)
        if np.count_nonzero(seating.uses) == before:
            break
    remaining: np.ndarray = seating.uses > 0.0
    return remaining


def _sources(
    number: int, word: np.ndarray, trie: Trie, limits: Limits, prior: Edits
) -> list[tuple[int, tuple[int, np.ndarray]]]:
    """Return the possible sources of a word: number, how many fewer phones are unedited, and the edits."""
    check_interrupt()
    arcs = new_arcs(_ARCS, limits)
    size = source_arcs(np.asarray(word, dtype=np.int32), trie, prior.means(), limits, arcs)
    rows = arcs.rows[:size]
    rows = rows[(rows[:, 2] == len(word)) & (rows[:, 0] != number)]
    return [
        (int(row[0]), (len(word) - int(row[3]), row[5:].reshape(-1, 4)[row[5::4] != NONE, :3]))
        for row in rows
    ]


def _edit_counts(change: tuple[int, np.ndarray], uses: float, prior: Edits) -> Edits:
    """Return the change in the counts of edits if all uses of a variant are moved to a source."""
    fewer, edits = change
    out = Edits(np.zeros(4), np.zeros(prior.insertion.size), np.zeros(prior.substitution.shape))
    out.operation[NONE] = -fewer * uses
    for kind, x, y in edits.tolist():
        out.operation[kind] += uses
        if kind == INSERT:
            out.insertion[y] += uses
        elif kind == SUBSTITUTE:
            out.substitution[x, y] += uses
    return out
