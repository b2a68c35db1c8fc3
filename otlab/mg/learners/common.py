"""Settings, starts and results that VB, EM, MAP and Gibbs over a parsed corpus share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import param

from otlab.errors import InputError
from otlab.mg.kernels.learn import em
from otlab.mg.learners.induction import Induction
from otlab.mg.learners.snapshot import State
from otlab.mg.lexicon import normalise
from otlab.mg.parsing.forest import too_heavy

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from otlab.inference import Run, Tick
    from otlab.mg.learners.corpus import ParsedCorpus
    from otlab.mg.learners.snapshot import Snapshot

__all__ = ["INITS", "CorpusLearner", "Init", "SamplerSettings", "StartSettings", "advance"]

Init = Literal["prior", "jitter", "counts"]
INITS: tuple[Init, ...] = get_args(Init)
# Enough to leave a saddle point, too little to fall into a far basin: on the gender
# sample 200 of 200 starts find the classes with 0.1, 196 with 1.
JITTER = 0.1


class SamplerSettings(param.Parameterized):
    """Settings of every learner; Gibbs has no others."""

    alpha = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, True),
        allow_None=True,
        doc="Pseudo-count of every item; unless given, those of the lexicon.",
    )
    iterations = param.Integer(2000, bounds=(0, None), doc="Iterations; of Gibbs, sweeps.")
    init = param.Selector(default="prior", objects=list(INITS), doc="Where to start.")
    restarts = param.Integer(
        4, bounds=(1, None), doc="Independent starts, of which the best is kept; of Gibbs, chains."
    )


class StartSettings(SamplerSettings):
    """Settings of VB, EM and MAP."""

    iterations = param.Integer(50)
    restarts = param.Integer(1)
    tol = param.Number(0.0, bounds=(0, None), doc="Stop when the objective rises by no more; 0 for never.")


@dataclass(frozen=True)
class CorpusLearner:
    """Data and hyperparameters.

    Parameters
    ----------
    corpus
        The parsed sentences.
    alpha : ndarray of shape (items,)
        Dirichlet pseudo-counts.
    start_at : {"prior", "jitter", "counts"}
        Start at alpha; at alpha plus randomly shared counts, a tenth of one an item;
        at alpha plus the expected counts at the prior mean.
    tol
        Finished when an iteration raises the objective by no more than this; 0: never.

    Raises
    ------
    InputError
        If no sentence has a derivation, a pseudo-count is not above 0, or the start is not known.
    """

    corpus: ParsedCorpus
    alpha: np.ndarray
    start_at: Init = "prior"
    tol: float = 0.0

    @classmethod
    def make(cls, corpus: ParsedCorpus, settings: Any) -> Self:
        """Return the learner of a corpus.

        Parameters
        ----------
        corpus
            The parsed sentences.
        settings
            :class:`StartSettings`, :class:`SamplerSettings`, or anything with their attributes;
            `alpha` may be one pseudo-count for each item.
        """
        alphas = corpus.grammar.lexicon.alphas()
        if settings.alpha is not None:
            alphas[:] = settings.alpha
        return cls(corpus, alphas, settings.init, getattr(settings, "tol", 0.0))

    def __post_init__(self) -> None:
        if not ((self.alpha > 0) & (self.alpha < np.inf)).all():
            raise InputError(f"alpha = {self.alpha.min():g}: a pseudo-count is above 0; try 0.5")
        if self.start_at not in INITS:
            raise InputError(f"the start {self.start_at!r} is not known; choose from {', '.join(INITS)}")
        if not self.corpus.sentences:
            raise InputError(
                "no sentence of the corpus has a derivation, so nothing can be learnt; see 'otlab parse'"
            )

    def conclude(self, run: Run[State, Snapshot], tick: Tick[Snapshot], *, stopped: bool) -> Induction:
        """Return the result of a run of this learner so far."""
        return Induction(
            run, tick, stopped, corpus=self.corpus, alpha=self.alpha, start_at=self.start_at, tol=self.tol
        )

    def finished(self, state: State) -> bool:
        """Return whether the objective has settled within `tol`."""
        return state.settled

    def start_omega(self, rng: np.random.Generator) -> np.ndarray:
        """Return the Dirichlet parameters of the chosen start."""
        category = self.corpus.packed.category
        if self.start_at == "jitter":
            noise = normalise(rng.standard_exponential(len(self.alpha)), category)
            jittered: np.ndarray = self.alpha + JITTER * np.bincount(category)[category] * noise
            return jittered
        if self.start_at == "counts":
            counted: np.ndarray = self.alpha + self._counts_at_prior_mean()
            return counted
        return self.alpha.copy()

    def _counts_at_prior_mean(self) -> np.ndarray:
        state = blank(self.corpus, normalise(self.alpha, self.corpus.packed.category))
        return advance(em, self.corpus, np.zeros_like(self.alpha), state, 0, 0.0).count


def blank(corpus: ParsedCorpus, parameter: np.ndarray) -> State:
    """Return a state that has not been evaluated."""
    return State(parameter, np.zeros_like(parameter), np.zeros(len(corpus.sentences)), np.zeros((0, 3)))


def advance(
    kernel: Callable[..., int], corpus: ParsedCorpus, prior: np.ndarray, state: State, n: int, tol: float
) -> State:
    """Do `n` iterations of the VB or EM kernel; a blank state is evaluated first.

    Raises
    ------
    InputError
        If the sums over a silent loop do not settle.
    """
    start = not len(state.trace)
    rows = np.empty((n + 1, 3))
    if not start:
        rows[0] = state.trace[-1]
    work = working_space(corpus, len(prior))
    did = kernel(corpus.packed, prior, state.parameter, state.count, state.log_z, work, rows, n, start, tol)
    if did < 0:
        raise too_heavy()
    state.settled = tol > 0 and did > 0 and bool(rows[did, 0] - rows[did - 1, 0] <= tol)
    state.trace = np.concatenate([state.trace, rows[0 if start else 1 : did + 1]])
    return state


def working_space(corpus: ParsedCorpus, items: int) -> tuple[np.ndarray, ...]:
    """Return the working arrays of a kernel: score, mass, slot weights and counts, sums, ln theta."""
    packed = corpus.packed
    nodes, widest = int(packed.node_ptr[-1]), packed.widest
    sizes = (nodes, nodes, widest, widest, int(packed.category.max()) + 1, items)
    return tuple(np.empty(n) for n in sizes)
