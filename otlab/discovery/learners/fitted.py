"""The result of fitting a lexicon learner: segmentations, and the figures by which runs are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from otlab.discovery.learners.choose import Candidate, choose, description_length, with_agreement
from otlab.discovery.parsing.decode import minimum_risk, threshold
from otlab.discovery.scores import score
from otlab.inference.fit import Fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from otlab.discovery.learners.view import DiscoveryView, Entry

__all__ = ["Decoding", "LexiconFitted"]

Decoding = Literal["threshold", "minimum-risk"]


@dataclass(frozen=True, eq=False, repr=False)
class LexiconFitted(Fitted[Any, "DiscoveryView"]):
    """The result of fitting a lexicon learner, with all its chains.

    Attributes
    ----------
    threshold
        Posterior above which a place is a boundary.
    decoding
        ``"threshold"`` or ``"minimum-risk"``.
    """

    threshold: float = 0.5
    decoding: Decoding = "threshold"

    @cached_property
    def segmentations(self) -> tuple[np.ndarray, ...]:
        """Word ends of each chain: bool ndarrays of shape (phones,)."""
        return tuple(self._segmentation(chain) for chain in range(self.chains))

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Figures by which the rules choose, for each chain."""
        candidates = [self._candidate(chain) for chain in range(self.chains)]
        return with_agreement(candidates, self._learner.corpus, self.segmentations)

    def best(self, rule: str | Callable[[DiscoveryView], float] = "bigram") -> int:
        """Return the chain that a rule prefers; see :mod:`otlab.discovery.learners.choose`."""
        return choose(self.candidates, rule) if isinstance(rule, str) else super().best(rule)

    def lexicon(self, chain: int = 0) -> tuple[Entry, ...]:
        """Return the words of a chain, most used first; those of the lowest symbol if none are words."""
        return self.views[chain].words(self._learner.grammar.word)

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per chain: seed, steps, objective, code lengths and token F."""
        table = super().summary()
        table["objective"] = [c.bound for c in self.candidates]
        table["bigram"] = [c.bigram for c in self.candidates]
        table["unigram"] = [c.unigram for c in self.candidates]
        table["token_f"] = [c.scores.token.f if c.scores else np.nan for c in self.candidates]
        return table

    @property
    def _learner(self) -> Any:
        return self.learner

    def _segmentation(self, chain: int) -> np.ndarray:
        learner = self._learner
        if self.decoding == "minimum-risk":
            draws = learner.draw_segmentations(self.run.states[chain], self.seeds[chain])
            return minimum_risk(learner.corpus, draws)
        if learner.parser.held_out.size:
            return threshold(learner.corpus, self._everywhere[chain].ends, self.threshold)
        return threshold(learner.corpus, self.views[chain].ends, self.threshold)

    def _candidate(self, chain: int) -> Candidate:
        learner, ends = self._learner, self.segmentations[chain]
        spans = learner.parser.every_span
        return Candidate(
            start=str(learner.start),
            seed=self.seeds[chain],
            bigram=description_length(learner.corpus, spans, ends),
            unigram=description_length(learner.corpus, spans, ends, bigram=False),
            held_out=self._held_out(chain) if learner.parser.held_out.size else None,
            bound=self.views[chain].bound,
            scores=score(learner.corpus, ends),
        )

    @cached_property
    def _everywhere(self) -> list[Any]:
        """Expected counts of the whole text, held-out utterances included, in each chain."""
        learner = self._learner
        return [learner.expect_everywhere(state) for state in self.run.states]

    def _held_out(self, chain: int) -> float:
        """Return the log weight per phone of the utterances that were held out."""
        parser = self._learner.parser
        log_z = self._everywhere[chain].log_z[parser.held_out]
        return float(log_z.sum() / parser.corpus.lengths[parser.held_out].sum())
