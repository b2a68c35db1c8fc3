r"""Choose among runs without gold segmentation.

Restarts find different segmentations. The learner's own bound is no judge: with unigram
grammars longer, fewer words win it. Rules that do not look at gold:

bigram
    Description length of the segmented text in an adaptive hierarchical bigram code: a
    word after the one before it, :math:`p(w \mid v) = \frac{\max(c_{vw} - d, 0) +
    (\alpha + d t_v) p(w)}{c_v + \alpha}`, backing off to words alone, then to phone
    bigrams learnt from the word types. It knows that words depend on each other, which
    is what misleads the unigram model into gluing them together (Goldwater, Griffiths &
    Johnson 2009). The shortest wins.
unigram
    The same code without the word before. Prefers undersegmentation; for comparison.
held-out
    Log weight a phone of utterances held out from learning, under the learner's own
    model. The highest wins.
bound
    The learner's objective; for comparison.
agreement
    Mean token F of a run's segmentation against those of all other runs: the run most like the
    others wins. Needs three runs or more to tell them apart. Over 11 starts it ranks runs nearly as
    token F does where the bigram code does not (``benchmarks/results/rules.md``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels.segmentations import code_length
from otlab.discovery.scores import score, word_edges
from otlab.errors import Fault, InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.parsing.spans import Spans
    from otlab.discovery.scores import Scores

__all__ = ["AGREEMENT", "RULES", "Candidate", "check_rule", "choose", "description_length", "with_agreement"]

CONCENTRATION, DISCOUNT, SHARED = 1.0, 0.7, 1_000.0

RULES = ("bigram", "unigram", "held-out", "bound", "agreement")

AGREEMENT = {"Brent": 0.30, "German": 0.89}
"""Spearman's rank correlation of the bigram rule with token F, over 11 starts of batch VB with
the word grammar (``benchmarks/results/discovery.md``)."""


@dataclass(frozen=True)
class Candidate:
    """One finished run.

    Attributes
    ----------
    start, seed
        How it was begun.
    bigram, unigram
        Description lengths in nats; the shorter the better.
    held_out
        Log weight a phone of held-out utterances; None if none were held out.
    bound
        The learner's objective.
    scores
        Against gold, where there is gold; no rule looks at them.
    agreement
        Mean token F against the other runs; None where there is no other.
    """

    start: str
    seed: int
    bigram: float
    unigram: float
    held_out: float | None
    bound: float
    scores: Scores | None
    agreement: float | None = None

    def merit(self, rule: str) -> float:
        """Return the figure that the rule maximises; minus infinity if it is unknown."""
        check_rule(rule)
        values = {
            "bigram": -self.bigram,
            "unigram": -self.unigram,
            "bound": self.bound,
            "held-out": self.held_out,
            "agreement": self.agreement,
        }
        value = values[rule]
        return -np.inf if value is None else value


def check_rule(rule: str) -> None:
    """Refuse an unknown rule.

    Raises
    ------
    InputError
        Naming the rules there are.
    """
    if rule not in RULES:
        raise InputError(Fault(f"no rule is called {rule!r}", did_you_mean(rule, RULES)))


def choose(candidates: Sequence[Candidate], rule: str = "bigram") -> int:
    """Return the number of the candidate a rule prefers; the first on a tie."""
    return int(np.argmax([c.merit(rule) for c in candidates]))


def with_agreement(
    candidates: Sequence[Candidate], corpus: Corpus, segmentations: Sequence[np.ndarray]
) -> tuple[Candidate, ...]:
    """Return the candidates with their agreement; a single one is returned unchanged.

    Parameters
    ----------
    candidates
        Runs on one corpus.
    corpus
        The text.
    segmentations : sequence of bool ndarray of shape (phones,)
        Where words end in each run.
    """
    if len(candidates) < 2:
        return tuple(candidates)
    agreed = np.zeros((len(candidates), len(candidates)))
    for i, one in enumerate(segmentations):
        against = replace(corpus, gold=one)
        for j in range(i + 1, len(candidates)):
            scores = score(against, segmentations[j])
            agreed[i, j] = agreed[j, i] = scores.token.f if scores else 0.0
    means = agreed.sum(axis=1) / (len(candidates) - 1)
    return tuple(replace(c, agreement=float(mean)) for c, mean in zip(candidates, means, strict=True))


def description_length(corpus: Corpus, spans: Spans, ends: np.ndarray, *, bigram: bool = True) -> float:
    """Return the nats of a segmented text.

    Parameters
    ----------
    corpus, spans
        The text and all its strings.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    bigram
        Whether a word may depend on the one before it.
    """
    begins, stops = map(np.array, word_edges(corpus, ends))
    strings = spans.ids[spans.row[begins] + stops - begins - 1]
    known, word = np.unique(strings, return_inverse=True)
    first = np.isin(begins, corpus.offsets[:-1])
    context = np.where(first, known.size, np.concatenate([[0], word[:-1]]))
    pairs, pair = np.unique(context * known.size + word, return_inverse=True)
    sizes = np.array([known.size, known.size + 1, pairs.size, len(corpus.symbols)])
    last = np.isin(stops, corpus.offsets[1:])
    concentration = CONCENTRATION if bigram else np.inf
    return float(
        code_length(
            corpus.phones, begins, stops, word, context, pair, last, sizes, concentration, DISCOUNT, SHARED
        )
    )
