"""Sampled trees, to look at uncertainty and to decode by minimum risk.

The learner's weights make a PCFG with grammatons; a tree is drawn from it, and what was
looked up is drawn in turn from its own string's trees, rules alone at the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels.chart import BUILT, LOOKED_UP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.discovery.parsing.parser import Parser, Weights

__all__ = ["Node", "sample_tree", "segmentations"]


@dataclass(frozen=True)
class Node:
    """A node of a sampled tree.

    Attributes
    ----------
    symbol
        A nonterminal, or a phone.
    first, last
        The phones covered: flat positions ``first..last - 1``.
    kind
        ``"looked up"`` or ``"built"`` for an adapted symbol, ``"rule"``, or ``"phone"``.
    children
        From left to right; empty for a phone.
    """

    symbol: str
    first: int
    last: int
    kind: str
    children: tuple[Node, ...] = ()

    def brackets(self) -> str:
        """Return the tree as labelled brackets."""
        if not self.children:
            return self.symbol
        return f"({self.symbol} {' '.join(child.brackets() for child in self.children)})"


class TreeSampler:
    """Draws trees of one corpus at fixed weights.

    Parameters
    ----------
    parser
        Corpus and grammar.
    weights
        From a learner's posterior.
    """

    def __init__(self, parser: Parser, weights: Weights) -> None:
        self.parser, self.weights = parser, weights
        adapted, strings = weights.mass.shape
        self._head = np.arange(adapted * strings).reshape(adapted, strings)
        self._after = np.full(adapted * strings, -1)
        n, symbols = parser.longest, len(parser.chart.symbols)
        self._room = 2 * n * (2 * symbols + 1) + 16
        self._chart = np.zeros((n + 1, n + 1, symbols))
        self._base = np.zeros((n + 1, n + 1, adapted))
        self._stack = np.zeros((self._room, 3), dtype=np.int64)

    def utterance(self, rng: np.random.Generator, u: int) -> Node:
        """Draw one utterance's tree."""
        at, n = int(self.parser.corpus.offsets[u]), int(self.parser.corpus.lengths[u])
        return self._item(rng, at, n, self.parser.chart.start, bare=False)

    def _item(self, rng: np.random.Generator, at: int, n: int, root: int, *, bare: bool) -> Node:
        steps = iter(self._steps(rng, at, n, root, bare))
        return self._read(rng, at, steps, bare)

    def _steps(
        self, rng: np.random.Generator, at: int, n: int, root: int, bare: bool
    ) -> list[tuple[int, ...]]:
        parser, weights = self.parser, self.weights
        tables, spans = parser.chart.tables, parser.spans
        grammar = (tables, parser.corpus.phones, at, n)
        strings = (spans.row, spans.ids, weights.rule, weights.mass, weights.scale, weights.fresh)
        unit = float(len(parser.corpus.symbols)) / 3.0
        chart_kernels.inside(*grammar, *strings, unit, self._chart, self._base)
        out = np.zeros((5, self._room), dtype=np.int64)
        size = chart_kernels.draw(
            rng, *grammar, root, bare, *strings, unit, self._chart, self._base,
            self._head, self._after, weights.mass.ravel(), self._stack, *out,
        )  # fmt: skip
        return [tuple(column) for column in out[:, :size].T.tolist()]

    def _read(self, rng: np.random.Generator, at: int, steps: Iterator[tuple[int, ...]], bare: bool) -> Node:
        """Read one node from the steps (kind, value, symbol, left, right)."""
        kind, value, symbol, left, right = next(steps)
        name = self.parser.chart.symbols[symbol]
        if kind == LOOKED_UP:
            inner = self._item(rng, at + left, right - left, symbol, bare=True)
            return Node(name, at + left, at + right, "looked up", inner.children)
        how = "rule"
        if kind == BUILT:
            how = "built"
            kind, value, symbol, left, right = next(steps)
        arity = int(self.parser.chart.arity[value])
        if arity == 0:
            phone = self.parser.corpus.symbols[self.parser.corpus.phones[at + left]]
            children = [Node(phone, at + left, at + right, "phone")]
        else:
            children = [self._read(rng, at, steps, bare) for _ in range(arity)]
        return Node(name, at + left, at + right, how, tuple(_spliced(children)))


def _spliced(children: list[Node]) -> Iterator[Node]:
    """Leave out the symbols that only cut rules in two, and the links of ``X+``."""
    for child in children:
        if child.kind == "rule" and (
            "|" in child.symbol or child.symbol.endswith("+") or child.symbol.startswith("'")
        ):
            yield from child.children
        else:
            yield child


def sample_tree(parser: Parser, weights: Weights, u: int, rng: np.random.Generator) -> Node:
    """Draw one utterance's tree.

    Parameters
    ----------
    parser, weights
        Of a learner: ``state.posterior.weights(learner.parser)``.
    u
        Number of the utterance; the grammar must be able to generate it.
    rng
        Where the draw comes from.
    """
    return TreeSampler(parser, weights).utterance(rng, u)


def segmentations(parser: Parser, weights: Weights, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw segmentations of the whole corpus.

    Returns
    -------
    bool ndarray of shape (samples, phones)
        Whether a word ends after each phone.
    """
    sampler = TreeSampler(parser, weights)
    out = np.zeros((samples, parser.corpus.phones.size), dtype=bool)
    for u in parser.items:
        for s in range(samples):
            _mark(sampler.utterance(rng, int(u)), parser.grammar.word, out[s])
    return out


def _mark(node: Node, word: str, ends: np.ndarray) -> None:
    if node.symbol == word:
        ends[node.last - 1] = True
        return
    for child in node.children:
        _mark(child, word, ends)
