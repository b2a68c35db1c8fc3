"""Several runs of one learner, one of them chosen without gold, decoded and scored."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.choose import Candidate, check_rule, choose, description_length
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.online import OnlineVB
from otlab.discovery.learners.starts import Geometric, Peaks, Start
from otlab.discovery.parsing.decode import minimum_risk, threshold
from otlab.discovery.parsing.estep import expect
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.parsing.trees import segmentations
from otlab.discovery.scores import Scores, score
from otlab.errors import Fault, InputError
from otlab.inference import run
from otlab.inference.random import run_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.learners.view import DiscoveryView, Entry
    from otlab.discovery.parsing.estep import Expectations

__all__ = ["LEARNERS", "Outcome", "Plan"]

LEARNERS = ("batch", "online", "mcmc")

HELD_OUT = 10
"""Every so manieth utterance is held out for the rule of that name."""

DRAWN = 10
"""Trees drawn of each utterance to decode VB by minimum risk."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What a plan found.

    Attributes
    ----------
    candidates
        Every restart, in order.
    chosen, rule
        Which one, and by what.
    view
        Its last snapshot.
    ends : bool ndarray of shape (phones,)
        Its segmentation.
    scores
        Against gold, where there is gold.
    stopped
        Whether the user interrupted; the restarts done so far are here.
    """

    candidates: tuple[Candidate, ...]
    chosen: int
    rule: str
    view: DiscoveryView
    ends: np.ndarray
    scores: Scores | None
    lexicon: tuple[Entry, ...]
    stopped: bool

    def __repr__(self) -> str:
        runs = len(self.candidates)
        token = f", token F {self.scores.token.f:.3f}" if self.scores is not None else ""
        return f"<Outcome: {len(self.lexicon)} words, run {self.chosen + 1} of {runs} by {self.rule}{token}>"


@dataclass(frozen=True)
class Plan:
    """Runs to be made and a rule to choose among them.

    Parameters
    ----------
    corpus, grammar
        What is learnt from, and in which terms.
    learner
        One of :data:`LEARNERS`.
    iterations
        Iterations (batch), passes over the text (online), sweeps (sampler).
    starts
        Where each restart begins; they take turns.
    restarts
        How many runs.
    rule
        See :mod:`otlab.discovery.learners.choose`. With ``"held-out"`` every tenth utterance is
        left out of learning (batch only).
    least
        Threshold of a boundary's posterior.
    decoding
        ``"threshold"`` or ``"minimum-risk"``.
    threads
        One a core if None.
    """

    corpus: Corpus
    grammar: Grammar
    learner: str = "batch"
    iterations: int = 40
    starts: tuple[Start, ...] = (Peaks(),)
    restarts: int = 1
    rule: str = "bigram"
    least: float = 0.5
    decoding: str = "threshold"
    threads: int | None = None

    def __post_init__(self) -> None:
        check_rule(self.rule)
        if self.rule == "held-out" and self.learner != "batch":
            what = f"the rule held-out needs the batch learner, not {self.learner}"
            raise InputError(Fault(what, "choose another rule, such as bigram"))

    @cached_property
    def parser(self) -> Parser:
        """Corpus and grammar, ready for parsing; shared by all restarts."""
        return Parser(self.corpus, self.grammar)

    @cached_property
    def _learnt_from(self) -> Parser:
        if self.rule != "held-out":
            return self.parser
        fewer = copy(self.parser)
        fewer.items = self.parser.items[np.arange(self.parser.items.size) % HELD_OUT != 0]
        return fewer

    def make(self, restart: int) -> Any:
        """Return the learner of one restart."""
        start = self.starts[restart % len(self.starts)]
        learner: Any
        if self.learner == "batch":
            learner = BatchVB(self.corpus, self.grammar, start, threads=self.threads)
        elif self.learner == "online":
            learner = OnlineVB(self.corpus, self.grammar, start)
        else:
            learner = MCMC(
                self.corpus, self.grammar, start if isinstance(start, Geometric) else Geometric(0.5)
            )
        vars(learner)["parser"] = self._learnt_from
        return learner

    def run(self, seed: int, progress: Callable[[int], None] = lambda done: None) -> Outcome:
        """Make all runs and choose.

        Parameters
        ----------
        seed
            Restart r has the seed :func:`~otlab.inference.random.run_seed` derives from it.
        progress
            Called with the iterations done so far, all restarts together.
        """
        done: list[tuple[Candidate, DiscoveryView, np.ndarray]] = []
        stopped = False
        for r in range(self.restarts):
            finished = self._one(r, run_seed(seed, r), progress)
            if finished is not None:
                done.append(finished[:3])
            if finished is None or finished[3]:
                stopped = True
                break
        if not done:
            raise KeyboardInterrupt
        candidates = tuple(d[0] for d in done)
        chosen = choose(candidates, self.rule)
        candidate, view, ends = done[chosen]
        word = self.grammar.word if self.grammar.word in view.entries else next(iter(view.entries), "")
        return Outcome(
            candidates, chosen, self.rule, view, ends, candidate.scores, view.entries.get(word, ()), stopped
        )

    def _one(
        self, r: int, seed: int, progress: Callable[[int], None]
    ) -> tuple[Candidate, DiscoveryView, np.ndarray, bool] | None:
        learner = self.make(r)
        steps = self.iterations * (learner.batches_a_pass if self.learner == "online" else 1)
        going = run(learner, sweeps=steps, seed=seed, threads=self.threads)
        stopped = False
        try:
            for tick in going:
                progress(int(self.iterations * (r + tick.sweep / steps)))
        except KeyboardInterrupt:
            stopped = True
            if not going.sweep:
                return None
        state, view = going.states[0], going.tick().view
        ends = self.decoded(learner, state, view, seed)
        return self.candidate(learner, state, view, ends, r, seed), view, ends, stopped

    def decoded(self, learner: Any, state: Any, view: DiscoveryView, seed: int) -> np.ndarray:
        """Return the segmentation a finished run stands for."""
        if self.decoding != "minimum-risk":
            ends = self._everywhere(state).ends if self.rule == "held-out" else view.ends
            return threshold(self.corpus, ends, self.least)
        if isinstance(learner, MCMC):
            samples = learner.samples(state)
        elif isinstance(learner, BatchVB):
            rng = np.random.default_rng(seed)
            samples = segmentations(self.parser, state.posterior.weights(learner.parser), DRAWN, rng)
        else:
            raise InputError(Fault("minimum-risk decoding needs batch or mcmc", "decode by threshold"))
        return minimum_risk(self.corpus, samples)

    def candidate(
        self, learner: Any, state: Any, view: DiscoveryView, ends: np.ndarray, restart: int, seed: int
    ) -> Candidate:
        """Return what the rules look at."""
        spans = self.parser.every_span
        start = learner.start
        return Candidate(
            start=str(start),
            seed=seed,
            bigram=description_length(self.corpus, spans, ends),
            unigram=description_length(self.corpus, spans, ends, bigram=False),
            held_out=self._held_out(state) if self.rule == "held-out" else None,
            bound=view.bound,
            scores=score(self.corpus, ends),
        )

    def _held_out(self, state: Any) -> float:
        """Return the log weight a phone of the utterances that were left out."""
        left_out = np.setdiff1d(self.parser.items, self._learnt_from.items)
        log_z = self._everywhere(state).log_z[left_out]
        return float(log_z.sum() / self.corpus.lengths[left_out].sum())

    def _everywhere(self, state: Any) -> Expectations:
        """Parse the whole text, held-out utterances too."""
        weights = state.posterior.weights(self.parser)
        unit = float(len(self.corpus.symbols)) / 3.0
        return expect(self.parser, weights, state.posterior.active, unit, self.threads)
