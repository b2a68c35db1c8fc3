"""Compile the kernels of minimalist grammars: parse and learn a tiny lexicon."""

from __future__ import annotations

from otlab.mg.learners import LEARNERS
from otlab.mg.learners.fit import induce
from otlab.mg.lexicon import Lexicon, item
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse

__all__ = ["warm"]


def warm() -> None:
    """Compile every kernel by running it once."""
    grammar = Grammar(Lexicon((item("a :: c"), item("ε :: =c c")), ("c",)))
    parsed = parse(grammar, "a")
    parsed.best(2)
    parsed.sample(1, seed=0)
    parse(grammar, "a a").diagnosis()
    for learner in LEARNERS:
        induce(grammar, [["a"]], learner=learner, iterations=1, init="jitter", seed=0)
