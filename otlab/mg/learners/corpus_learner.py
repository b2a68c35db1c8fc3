"""What VB, EM, MAP and Gibbs share: settings, data, starts, and steps by a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import param

from otlab.errors import Fault, InputError
from otlab.mg.kernels.learn import em
from otlab.mg.learners.induction import Induction
from otlab.mg.learners.snapshot import State
from otlab.mg.lexicon import normalise
from otlab.mg.parsing.forest import too_heavy
from otlab.mg.sentences import unknown_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from otlab.inference import Run, Tick
    from otlab.mg.learners.corpus import ParsedCorpus
    from otlab.mg.learners.snapshot import Snapshot

__all__ = ["INITS", "CorpusLearner", "Init", "LearnerSettings", "OptimiserSettings", "advance"]

Init = Literal["prior", "jitter", "counts"]
INITS: tuple[Init, ...] = get_args(Init)
# Pseudo-counts per item that a jittered start adds: enough to leave a saddle point, but not so many that
# the start is nearer to a worse optimum. On the gender sample 200 of 200 starts find the classes with 0.1,
# 196 with 1.
JITTER = 0.1


class LearnerSettings(param.Parameterized):
    """Settings that every learner has; their defaults are those of Gibbs."""

    alpha = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, True),
        allow_None=True,
        doc="Pseudo-count of every item; if not given, each item has the lexicon's.",
    )
    iterations = param.Integer(2000, bounds=(0, None), doc="Number of sweeps.")
    init = param.Selector(default="prior", objects=list(INITS), doc="Where to start.")
    restarts = param.Integer(4, bounds=(1, None), doc="Number of independent chains, which are pooled.")


class OptimiserSettings(LearnerSettings):
    """Settings of VB, EM and MAP, which end at an optimum."""

    iterations = param.Integer(50, doc="Number of iterations.")
    restarts = param.Integer(1, doc="Number of independent starts, of which the best is kept.")
    tol = param.Number(
        0.0,
        bounds=(0, None),
        doc="Stop when an iteration raises the objective by no more than this; 0: never.",
    )


@dataclass(frozen=True)
class CorpusLearner:
    """Data, hyperparameters and start of a learner: the base class of all of them.

    Parameters
    ----------
    corpus
        The parsed sentences.
    alpha : ndarray of shape (items,)
        Dirichlet pseudo-counts.
    start_at : {"prior", "jitter", "counts"}
        The first Dirichlet parameters: alpha; alpha plus random counts, 0.1 per item on average; alpha
        plus the expected counts at the prior mean.
    tol
        The run ends when an iteration raises the objective by no more than this; 0: never.

    Raises
    ------
    InputError
        If no sentence has a derivation, a pseudo-count is not above 0, or there is no such start.
    """

    corpus: ParsedCorpus
    alpha: np.ndarray
    start_at: Init = "prior"
    tol: float = 0.0

    @classmethod
    def make(cls, corpus: ParsedCorpus, settings: Any) -> Self:
        """Return a learner of this class, from a corpus and settings.

        Parameters
        ----------
        corpus
            The parsed sentences.
        settings
            :class:`OptimiserSettings`, :class:`LearnerSettings`, or any object with their attributes;
            `alpha` may be an array, one pseudo-count per item.
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
            unknown = unknown_words(tuple(chain(*self.corpus.unparsed)), self.corpus.grammar.vocabulary)
            what = "no sentence of the corpus has a derivation, so nothing can be learnt"
            raise InputError(Fault(what, unknown or "parse one to see why"))

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
    """Return a state at these parameters; its counts and objective are still to be computed."""
    return State(parameter, np.zeros_like(parameter), np.zeros(len(corpus.sentences)), np.zeros((0, 3)))


def advance(
    kernel: Callable[..., int], corpus: ParsedCorpus, prior: np.ndarray, state: State, n: int, tol: float
) -> State:
    """Do `n` iterations of the VB or EM kernel; the objective of a blank state is computed first.

    Raises
    ------
    InputError
        If the sums over a loop of silent items do not converge.
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
