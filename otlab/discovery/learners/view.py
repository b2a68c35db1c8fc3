"""Snapshot of a lexicon learner during a run, the same for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.learners.sticks import Sticks

__all__ = ["DiscoveryView", "Entry", "Mark"]


@dataclass(frozen=True)
class Mark:
    """An event that may lower the objective: grammatons added or removed, a refit.

    Attributes
    ----------
    iteration
        Before which iteration's objective it happened.
    what
        A short text for the trace.
    """

    iteration: int
    what: str


@dataclass(frozen=True)
class Entry:
    """One grammaton of the lexicon.

    Attributes
    ----------
    string
        Its string.
    expected_count
        Expected uses, in utterances and in other grammatons.
    weight, sd
        E[pi] and its standard deviation; for the sampler the share of its customers,
        and 0.
    """

    string: str
    expected_count: float
    weight: float
    sd: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class DiscoveryView:
    """A snapshot of a run.

    Attributes
    ----------
    iteration
        Iterations, minibatches or sweeps done.
    objective : float64 ndarray
        The bound (batch), the running estimate of it (online), or the log joint
        probability of trees and tables (sampler); entry i after i updates.
    likelihood, penalty : float64 ndarray
        The bound's two parts: log Z, and the KL terms with hyperpriors; log Z minus
        `penalty` is the objective. For the sampler both are empty.
    marks
        What may have lowered the objective.
    ends : float32 ndarray of shape (phones,)
        Probability that a word ends after this phone.
    entries
        The lexicon of each adapted symbol, by its name; most used first.
    sticks
        Sticks of each adapted symbol, by name; empty for the sampler.
    hyperparameters
        (concentration, discount) of each adapted symbol.
    weights
        What the parser works with now: trees can be drawn from it.
    edits
        The channel's Dirichlet parameters; None without a channel.
    source_string : int64 ndarray of shape (phones,)
        With a channel, the most probable source string of the word that ends after this
        phone, -1 for a word without edits; None without a channel.
    """

    iteration: int
    objective: np.ndarray
    likelihood: np.ndarray
    penalty: np.ndarray
    marks: tuple[Mark, ...]
    ends: np.ndarray
    entries: dict[str, tuple[Entry, ...]]
    sticks: dict[str, Sticks]
    hyperparameters: dict[str, tuple[float, float]]
    weights: Weights
    edits: Edits | None = None
    source_string: np.ndarray | None = None

    def __repr__(self) -> str:
        words = ", ".join(f"{len(found):,} of {name}" for name, found in self.entries.items())
        return f"<DiscoveryView: iteration {self.iteration}, {words}>"

    def words(self, symbol: str) -> tuple[Entry, ...]:
        """Return the lexicon of an adapted symbol; of the lowest one if that symbol is not adapted."""
        return self.entries[symbol] if symbol in self.entries else next(iter(self.entries.values()), ())

    @property
    def bound(self) -> float:
        """The last objective."""
        return float(self.objective[-1])
