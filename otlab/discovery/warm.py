"""Compile every kernel of lexicon discovery once, on a corpus of a few words."""

from __future__ import annotations

from otlab.discovery.channel.channel import Channel
from otlab.discovery.channel.pairs import Pairs
from otlab.discovery.fit import discover
from otlab.discovery.learners import MODELS
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit

__all__ = ["warm"]


def warm() -> None:
    """Take one step of each learner, with and without the lattice."""
    corpus = generate(ToyLanguage(words=8, utterances=20))
    for learner in MODELS:
        for grammar in ("word", "collocation") if learner != "noisy" else ("word",):
            discover(corpus, grammar, learner, iterations=1, seed=1)
    fit(Channel(Pairs.of([("ab", "ac")])), steps=1, seed=1)
