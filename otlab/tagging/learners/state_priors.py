r"""Variational Bayes whose states have emission priors of their own, such as small ones of closed classes.

State k has the Dirichlet prior :math:`\alpha_{x,k}` of its emissions. A state with a small one prefers few
words, many tokens each, as articles and prepositions have; one with a large one takes many words. With the
same number for all states this is :class:`~otlab.tagging.learners.vb.VB`, with the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import param

from otlab.errors import Fault, InputError, counted
from otlab.tagging.hmm.mstep import bayes_emissions, bayes_transitions, posterior_mean
from otlab.tagging.hmm.parameters import Weights, float_type
from otlab.tagging.learners.expectation import DecodeSettings
from otlab.tagging.learners.settings import PriorSettings
from otlab.tagging.learners.vb import VB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.parameters import Counts
    from otlab.tagging.learners.expectation import FitState

__all__ = ["StatePriorSettings", "StatePriorVB", "parse_state_priors"]

_USUAL = "80%:0.001"


class StatePriorSettings(DecodeSettings, PriorSettings):
    """The settings of Variational Bayes with a prior for each state."""

    state_priors = param.String(
        _USUAL,
        doc="Emission priors of the first states: PRIOR, N:PRIOR or N%:PRIOR, separated by commas. 80%:0.001 "
        "makes four fifths of them closed classes, of few words. The others have the emission prior.",
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the priors of the states included."""
        return {**super().arguments(corpus), "state_priors": self.state_priors}


def parse_state_priors(text: str, states: int) -> list[float]:
    """Return the emission priors of the first states, of so many.

    Raises
    ------
    InputError
        If a part is none of ``PRIOR``, ``N:PRIOR`` and ``N%:PRIOR``, or there are too many.

    Examples
    --------
    >>> parse_state_priors("50%:0.001, 0.5", states=4)
    [0.001, 0.001, 0.5]
    """
    priors: list[float] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        count, _, value = part.rpartition(":")
        try:
            share = float(count[:-1]) / 100 if count.endswith("%") else None
            times = int(count or 1) if share is None else round(share * states) if share >= 0 else -1
            prior = float(value)
        except (ValueError, OverflowError):
            times, prior = -1, 0.0
        if times < 0 or not 0 < prior < np.inf or (times == 0 and "%" not in count):
            what = f"--state-priors: {part!r} is no prior of states"
            hint = "write a number above 0, N:PRIOR for N states, or N%:PRIOR for a share of them: 80%:0.001"
            raise InputError(Fault(what, hint))
        if len(priors) + times > states:
            what = (
                f"--state-priors: priors of {counted(len(priors) + times, 'state')}, and there are {states}"
            )
            raise InputError(Fault(what, "write fewer priors, or --states with more"))
        priors += [prior] * times
    return priors


@dataclass(frozen=True, eq=False)
class StatePriorVB(VB):
    """Mean-field posterior under a prior for each state; the objective is the free energy in nats.

    Attributes
    ----------
    state_priors
        Emission priors of the first states, as :func:`parse_state_priors` reads them; the others have
        ``prior.emission``.
    """

    name: ClassVar[str] = "vb-state-priors"

    learn_priors: bool = field(default=False, init=False)  # they are given
    state_priors: str = _USUAL

    def __post_init__(self) -> None:
        super().__post_init__()
        self.emission_priors()

    def emission_priors(self) -> np.ndarray:
        """Return the emission prior of each state, float64 (states,)."""
        first = parse_state_priors(self.state_priors, self.states)
        return np.array([*first, *[self.prior.emission] * (self.states - len(first))])

    def maximize(self, counts: Counts) -> tuple[Weights, float]:
        """Return exp(E[log theta]) under Dirichlet(counts + prior), and the KL divergence."""
        theta, divergence = bayes_transitions(counts, np.array(self.prior.transition), self.precision)
        types, states = counts.emissions.shape
        emission = np.empty((types, states), float_type(self.precision))
        scales = np.full((types, states), -np.inf)
        for prior, members in self._groups().items():
            allowed = None if self.allowed is None else np.ascontiguousarray(self.allowed[:, members])
            own = np.ascontiguousarray(counts.emissions[:, members])
            part, log_scale, divergence = bayes_emissions(
                own, prior, self.precision, allowed, self.threads, divergence
            )
            emission[:, members], scales[:, members] = part, log_scale[:, None]
        if self.allowed is not None:  # a word that no state of a group may have
            scales[~self.allowed], emission[~self.allowed] = -np.inf, 0.0
        largest = scales.max(1)
        emission *= np.exp(scales - largest[:, None]).astype(emission.dtype)
        return Weights(theta, emission, largest), divergence

    def _groups(self) -> Mapping[float, list[int]]:
        """Return the states with each prior."""
        groups: dict[float, list[int]] = {}
        for state, prior in enumerate(self.emission_priors().tolist()):
            groups.setdefault(prior, []).append(state)
        return groups

    def probabilities(self, state: FitState) -> Weights:
        """Return the means of the posterior given the last expected counts."""
        counts, priors = state.expected.counts, self.emission_priors()
        return posterior_mean(counts, self.prior, "f64", self.allowed, emission_prior=priors)
