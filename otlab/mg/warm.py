"""Compile the kernels of minimalist grammars: parse and learn a tiny lexicon."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from otlab.mg.learners import LEARNERS
from otlab.mg.learners.fit import induce
from otlab.mg.lexicon import Lexicon, item
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STEPS"]


def _grammar() -> Grammar:
    return Grammar(Lexicon((item("a :: c"), item("ε :: =c c")), ("c",)))


def _page() -> None:
    """Parse, in every way the page shows."""
    parsed = parse(_grammar(), "a")
    parsed.best(2)
    parsed.sample(1, seed=0)
    parsed.reading_entropy()
    parse(_grammar(), "a a").diagnosis()


def _heads() -> None:
    """Parse with a head that moves, which has a chart of its own."""
    parse(Grammar(Lexicon((item("a :: v"), item("b :: =>v c")), ("c",))), "a b")


def _learn(learner: str) -> None:
    induce(_grammar(), [["a"]], learner=learner, iterations=1, init="jitter", seed=0)


STEPS: Mapping[str, Callable[[], None]] = {
    "page": _page,
    **{name: partial(_learn, name) for name in LEARNERS},
    "heads": _heads,
}
"""What compiles the kernels of the page, of each learner and of head movement."""
