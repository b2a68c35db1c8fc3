r"""Collapsed Gibbs sampling with Pitman-Yor emissions: many rare words, as Zipf's law asks for.

The words of a state are a Chinese restaurant with discount d and concentration :math:`m \alpha_x`
(:mod:`otlab.tagging.kernels.pitman_yor`; the process is that of Goldwater, Griffiths & Johnson 2006). With
d = 0 it is the Dirichlet prior of ``gibbs``. The number of different words of a state grows as a power of
its tokens, about d. Which tokens share a table is sampled with the states, so the objective is
ln P(words, states, tables).

With priors that are learnt, alpha_x is drawn under an exponential prior of mean 1, d under a uniform one,
given the tables:

.. math::
    p(\alpha_x, d \mid \cdot) \propto e^{-\alpha_x} \prod_k
    \frac{\Gamma(\theta_k)}{\Gamma(\theta_k + n_k)} \prod_{i < t_k} (\theta_k + d\,i)
    \prod_{tables} \frac{\Gamma(c - d)}{\Gamma(1 - d)}, \quad \theta_k = m \alpha_x.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import param
from scipy.special import gammaln

from otlab.errors import InputError
from otlab.inference.dirichlet import log_marginal
from otlab.inference.run import check_interrupt
from otlab.inference.slice import slice_sample
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.kernels.pitman_yor import sweep_seats
from otlab.tagging.learners.learnt_priors import drawn_prior
from otlab.tagging.learners.sampling import GibbsSampler, GibbsSettings, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.view import View

__all__ = ["PitmanYorGibbs", "PitmanYorSample", "PitmanYorSettings"]

_TOKENS = 100_000  # between two checks of the stop signal
_NEAR = 1e-6  # the least distance of a discount that is learnt from 0 and 1


class PitmanYorSettings(GibbsSettings):
    """The settings of the sampler with Pitman-Yor emissions."""

    discount = param.Number(
        0.5,
        bounds=(0, 1),
        inclusive_bounds=(True, False),
        doc="Discount of the words of a state: 0 is the Dirichlet prior, more asks for more rare words.",
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the discount included."""
        return {**super().arguments(corpus), "discount": self.discount}


@dataclass(kw_only=True)
class PitmanYorSample(Sample):
    """A sample with its tables.

    Attributes
    ----------
    places : ndarray of int32, shape (tokens,)
        The table of each token; tokens at one table have the same word and state.
    discounts
        The discount after each sweep; the first is the start's.
    """

    places: np.ndarray
    discounts: list[float] = field(default_factory=list)


class _Seats(NamedTuple):
    """Tables of a sample, numbered by word and state: sizes, and the word and state of each."""

    numbers: np.ndarray
    sizes: np.ndarray
    words: np.ndarray
    states: np.ndarray


@dataclass(frozen=True, eq=False)
class PitmanYorGibbs(GibbsSampler[PitmanYorSample]):
    """Collapsed Gibbs, a token at a time, with Pitman-Yor emissions.

    Attributes
    ----------
    discount
        d; the first value if the priors are learnt.

    Raises
    ------
    InputError
        Unless the discount is at least 0 and below 1.

    Examples
    --------
    >>> from otlab.inference import fit
    >>> from otlab.tagging import simulate_hmm
    >>> fit(PitmanYorGibbs(simulate_hmm(400, 1, tags=3, types=20), states=3), steps=5, seed=1).view
    <View of pitman-yor: iteration 5, 3 of 3 states used>
    """

    name: ClassVar[str] = "pitman-yor"

    discount: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.discount < 1:
            raise InputError(f"--discount {self.discount:g}: write a number from 0 to below 1, such as 0.5")

    @property
    def _outcomes(self) -> np.ndarray:
        return np.full(self.states, self.corpus.types) if self.allowed is None else self.allowed.sum(0)

    def begin(self, rng: np.random.Generator, labels: np.ndarray) -> PitmanYorSample:
        """Return a state in which all tokens of a word and a state share a table."""
        cells = self.corpus.words.astype(np.int64) * self.states + labels
        places = np.unique(cells, return_inverse=True)[1].astype(np.int32)
        return PitmanYorSample(labels=labels, places=places, discounts=[self.discount])

    def _seats(self, state: PitmanYorSample) -> _Seats:
        """Return the tables in the order of their words, states and numbers."""
        tokens = np.arange(state.places.size)
        anyone = np.zeros(tokens.size, np.int64)
        anyone[state.places] = tokens
        taken = np.flatnonzero(np.bincount(state.places))
        words, states = self.corpus.words[anyone[taken]], state.labels[anyone[taken]]
        order = np.lexsort((taken, states, words))
        numbers = np.zeros(tokens.size, np.int32)
        numbers[taken[order]] = np.arange(taken.size)
        sizes = np.bincount(numbers[state.places], minlength=taken.size)
        return _Seats(numbers[state.places], sizes, words[order], states[order])

    def sweep(self, rng: np.random.Generator, state: PitmanYorSample, power: float) -> None:
        """Redraw state and table of every token in the order of the text.

        Tables are numbered anew before, so that a saved sample goes on with the same numbers.
        """
        corpus, seats = self.corpus, self._seats(state)
        state.places = seats.numbers
        known, usable = self.known_states(), self.allowed
        fixed = np.zeros(corpus.tokens, bool) if known is None else known >= 0
        usable = np.ones((corpus.types, self.states), bool) if usable is None else usable
        text = corpus.words, corpus.offsets, fixed, usable
        counts, lists, unused = self._tables(state, seats)
        outcomes = np.maximum(self._outcomes, 1)
        masses = outcomes * self.prior.emission
        priors = self.prior.transition, state.discounts[-1], masses, outcomes, power
        weights = np.empty(self.states)
        for low in range(0, corpus.tokens, _TOKENS):
            check_interrupt()
            high = min(low + _TOKENS, corpus.tokens)
            sweep_seats(
                rng, text, low, high, state.labels, state.places, counts, lists, unused, priors, weights
            )
        if not self.learn_priors:
            state.discounts.append(state.discounts[-1])

    def _tables(self, state: PitmanYorSample, seats: _Seats) -> tuple[Any, Any, np.ndarray]:
        """Return the counts, the lists of tables and the stack of unused ones, for the kernel."""
        counts, shape = self.counts(state), (self.corpus.types, self.states)
        tables, tokens, size = np.zeros(shape, np.int32), state.places.size, seats.sizes.size
        np.add.at(tables, (seats.words, seats.states), 1)
        sizes, after, before = np.zeros(tokens, np.int32), *np.full((2, tokens), -1, np.int32)
        sizes[:size] = seats.sizes
        same = (np.diff(seats.words) == 0) & (np.diff(seats.states) == 0)
        after[: size - 1][same] = np.flatnonzero(same) + 1
        before[1:size][same] = np.flatnonzero(same)
        first = np.full(shape, -1, np.int32)
        heads = np.flatnonzero(before[:size] < 0)
        first[seats.words[heads], seats.states[heads]] = heads
        unused = np.zeros(tokens + 1, np.int64)
        unused[: tokens - size] = np.arange(size, tokens)
        unused[-1] = tokens - size
        opened = np.bincount(seats.states, minlength=self.states)
        cells = counts.emissions.astype(np.int32)
        by_state = cells, tables, counts.per_state, opened, counts.transitions
        return by_state, (sizes, first, after, before), unused

    def log_words(self, state: PitmanYorSample, seats: _Seats, alpha: float, discount: float) -> float:
        """Return ln P(words, tables | states) for an emission prior and a discount."""
        per_state = np.bincount(state.labels, minlength=self.states)
        opened = np.bincount(seats.states, minlength=self.states)
        outcomes = np.maximum(self._outcomes, 1)
        masses = outcomes * alpha
        total = (gammaln(masses) - gammaln(masses + per_state) - opened * np.log(outcomes)).sum()
        total += np.log(np.repeat(masses, opened) + discount * _ranks(opened)).sum()
        sizes = np.bincount(seats.sizes)
        large = np.flatnonzero(sizes)
        return float(total + sizes[large] @ (gammaln(large - discount) - gammaln(1 - discount)))

    def _draw_priors(self, rng: np.random.Generator, state: PitmanYorSample, power: float) -> None:
        """Draw the priors and the discount given the tables; they stay as they are while annealing."""
        now, discount = self.present(state).prior, state.discounts[-1]
        if power == 1:
            seats, rows = self._seats(state), self.counts(state).transitions
            emission = drawn_prior(
                rng, now.emission, lambda alpha: self.log_words(state, seats, alpha, discount)
            )

            def of_discount(d: float) -> float:
                inside = _NEAR < d < 1 - _NEAR
                return self.log_words(state, seats, emission, d) if inside else -np.inf

            start = float(np.clip(discount, 2 * _NEAR, 1 - 2 * _NEAR))
            discount = slice_sample(rng, of_discount, start, width=0.2)
            transition = drawn_prior(rng, now.transition, lambda alpha: log_marginal(rows, np.array(alpha)))
            now = Prior(emission, transition)
        state.trace.priors.append((now.emission, now.transition))
        state.discounts.append(discount)

    def draws(self, views: Sequence[View]) -> dict[str, np.ndarray]:
        """Return the traces of every sampler, and the discount if it is learnt."""
        found = super().draws(views)
        if self.learn_priors:
            found["discount"] = np.array([view.discounts[1:] for view in views if view.discounts is not None])
        return found

    def view(self, state: PitmanYorSample) -> View:
        """Return a snapshot."""
        return replace(super().view(state), discounts=np.array(state.discounts))

    def weights(self, state: PitmanYorSample) -> Weights:
        """Return the predictive probabilities given the sample."""
        prior, seats, counts = self.present(state).prior, self._seats(state), self.counts(state)
        (cells, tables, per_state, opened, _), _, _ = self._tables(state, seats)
        discount, outcomes = state.discounts[-1], np.maximum(self._outcomes, 1)
        masses = outcomes * prior.emission
        shares = cells - discount * tables + (masses + discount * opened) / outcomes
        shares /= per_state + masses
        if self.allowed is not None:
            shares[~self.allowed] = 0
        transitions = counts.transitions + prior.transition
        transitions /= transitions.sum(1, keepdims=True)
        return Weights.of_probabilities(transitions, shares, self.precision)

    def _note(self, state: PitmanYorSample) -> None:
        state.scorer = state.scorer or self.new_scorer()
        prior, seats = self.present(state).prior, self._seats(state)
        joint = self.log_words(state, seats, prior.emission, state.discounts[-1])
        joint += log_marginal(self.counts(state).transitions, np.array(prior.transition))
        state.trace.add(joint, state.scorer.row(state.labels))


def _ranks(sizes: np.ndarray) -> np.ndarray:
    """Return 0, 1, ... for each size, one after the other."""
    begins = np.cumsum(sizes) - sizes
    ranks: np.ndarray = np.arange(int(sizes.sum())) - np.repeat(begins, sizes)
    return ranks
