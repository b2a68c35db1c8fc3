"""What every tagger does with known tags: check them, hold tokens to them, and score the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, counted
from otlab.tagging.hmm.known import Clamped
from otlab.tagging.scores import Scorer

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.hmm.known import KnownTags

__all__ = ["LearnsTags", "without_known"]


def without_known(corpus: Corpus, known: np.ndarray | None) -> Corpus:
    """Return a corpus without the tags of tokens whose state is known (not -1)."""
    if known is None or corpus.tags is None:
        return corpus
    tags = np.where(known >= 0, -1, corpus.tags).astype(np.int32)
    return replace(corpus, tags=tags if (tags >= 0).any() else None)


class LearnsTags:
    """A learner that may know the tags of some tokens."""

    corpus: Corpus
    states: int
    allowed: np.ndarray | None
    known: KnownTags

    def known_states(self) -> np.ndarray | None:
        """Return the known state of each token, -1 where there is none; None if no token has one."""
        return self.known.states(self.corpus)

    def check_known(self) -> None:
        """Raise InputError if a known tag has no state, or the tag dictionary excludes it."""
        known = self.known_states()
        if known is None:
            return
        tags = self.corpus.tagset
        if len(tags) > self.states:
            few = f"{counted(self.states, 'state')} {'is' if self.states == 1 else 'are'} too few"
            what = f"{few} for the {counted(len(tags), 'tag')} of the text"
            raise InputError(Fault(what, f"use --states {len(tags)} or more", file=self.corpus.name))
        if self.allowed is None:
            return
        fixed = np.flatnonzero(known >= 0)
        barred = fixed[~self.allowed[self.corpus.words[fixed], known[fixed]]]
        cells = {(int(self.corpus.words[i]), int(known[i])) for i in barred}
        if cells:
            hint = "add the tag to the word's line in the dictionary"
            raise InputError(
                [
                    Fault(f"{self.corpus.vocabulary[w]!r} is tagged {tags[k]}, which it may not have", hint)
                    for w, k in sorted(cells)
                ]
            )

    def state_names(self) -> tuple[str, ...]:
        """Return the name of each state: the tag that it stands for if tags are known, else its number."""
        tags = () if self.known_states() is None else self.corpus.tagset
        return (*tags, *(f"state {k}" for k in range(len(tags), self.states)))

    def scored_corpus(self) -> Corpus:
        """Return the corpus with only those tags that are not known to the learner."""
        return without_known(self.corpus, self.known_states())

    def new_scorer(self) -> Scorer:
        """Return the scorer of tags that are not known."""
        return Scorer(self.scored_corpus(), self.states)

    def new_clamped(self) -> Clamped | None:
        """Return the text whose tokens of known state are words of their own; None if there are none."""
        known = self.known_states()
        return None if known is None else Clamped.of(self.corpus, known)
