"""Draw trees, which show uncertainty and are the candidates of minimum-risk decoding.

The learner's weights define a PCFG with grammatons, from which a tree is drawn. For each string that
was looked up, a tree is then drawn with rules at its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.grammar import CLASSES
from otlab.discovery.kernels import chart as chart_kernels
from otlab.discovery.kernels import trees as tree_kernels
from otlab.discovery.kernels.layout import Entries, Item
from otlab.discovery.kernels.trees import BUILT, LOOKED_UP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.parsing.parser import Parser

__all__ = ["Node", "sample_tree", "segmentations"]


@dataclass(frozen=True)
class Node:
    """A node of a sampled tree.

    Attributes
    ----------
    symbol
        A nonterminal, or a phone.
    first, last
        The phones that the node covers: flat positions ``first..last - 1``.
    kind
        ``"looked up"`` or ``"built"`` for an adapted symbol, ``"rule"``, or ``"phone"``.
    children
        Children from left to right; empty for a phone.
    """

    symbol: str
    first: int
    last: int
    kind: str
    children: tuple[Node, ...] = ()

    @property
    def below(self) -> tuple[Node, ...]:
        """The children that are drawn: classes of phones are replaced by their phones."""
        return tuple(child.children[0] if child.symbol in CLASSES else child for child in self.children)

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
        Weights, from a learner's posterior.
    """

    def __init__(self, parser: Parser, weights: Weights) -> None:
        self.parser, self.weights = parser, weights
        adapted, strings = weights.mass.shape
        # Each string is one entry; the tree of a string is drawn after it was looked up.
        head = np.arange(adapted * strings).reshape(adapted, strings)
        self._entries = Entries(head, np.full(adapted * strings, -1), weights.mass.ravel())
        symbols = len(parser.chart.symbols)
        room = tree_kernels.most_steps(symbols, parser.longest)
        self._chart = chart_kernels.new_chart(symbols, adapted, parser.longest, False)
        self._steps = tree_kernels.new_steps(room)
        self._stack = np.zeros((room, 3), dtype=np.int64)

    def utterance(self, rng: np.random.Generator, u: int) -> Node:
        """Draw a tree of one utterance."""
        at, n = int(self.parser.corpus.offsets[u]), int(self.parser.corpus.lengths[u])
        return self._item(rng, at, n, self.parser.chart.start, bare=False)

    def _item(self, rng: np.random.Generator, at: int, n: int, root: int, *, bare: bool) -> Node:
        steps = iter(self._draw(rng, Item(at, n, root, bare)))
        return self._read(rng, at, steps, bare)

    def _draw(self, rng: np.random.Generator, item: Item) -> list[tuple[int, ...]]:
        """Return the steps of one drawn tree: (kind, value, symbol, left, right)."""
        parser = self.parser
        inputs = (parser.chart.tables, parser.text, item, self.weights, len(parser.corpus.symbols) / 3.0)
        chart_kernels.inside(*inputs, self._chart)
        size = tree_kernels.draw(rng, *inputs, self._chart, self._entries, self._stack, self._steps)
        return list(zip(*(column[:size].tolist() for column in self._steps), strict=True))

    def _read(self, rng: np.random.Generator, at: int, steps: Iterator[tuple[int, ...]], bare: bool) -> Node:
        """Return the node that the next steps describe."""
        kind, value, symbol, left, right = next(steps)
        name = self.parser.chart.symbols[symbol]
        if kind == LOOKED_UP:
            inner = self._item(rng, at + left, right - left, symbol, bare=True)
            return Node(name, at + left, at + right, "looked up", inner.children)
        origin = "rule"
        if kind == BUILT:
            origin = "built"
            kind, value, symbol, left, right = next(steps)
        arity = int(self.parser.chart.arity[value])
        if arity == 0:
            phone = self.parser.corpus.symbols[self.parser.corpus.phones[at + left]]
            children = [Node(phone, at + left, at + right, "phone")]
        else:
            children = [self._read(rng, at, steps, bare) for _ in range(arity)]
        return Node(name, at + left, at + right, origin, tuple(_spliced(children)))


def _spliced(children: list[Node]) -> Iterator[Node]:
    """Replace symbols that only divide rules, and those of ``X+``, by their children."""
    for child in children:
        if child.kind == "rule" and (
            "|" in child.symbol or child.symbol.endswith("+") or child.symbol.startswith("'")
        ):
            yield from child.children
        else:
            yield child


def sample_tree(parser: Parser, weights: Weights, u: int, rng: np.random.Generator) -> Node:
    """Draw a tree of one utterance.

    Parameters
    ----------
    parser, weights
        A learner's parser and weights: ``state.posterior.weights(learner.parser)``.
    u
        Number of the utterance; the grammar must be able to generate it.
    rng
        Random generator.

    Examples
    --------
    >>> import numpy as np
    >>> from otlab.discovery import BatchVB, ToyLanguage, generate, load_grammar
    >>> from otlab.inference import fit
    >>> learner = BatchVB(generate(ToyLanguage(words=5, utterances=30)), load_grammar("word"))
    >>> weights = fit(learner, steps=2, seed=1).view.weights
    >>> sample_tree(learner.parser, weights, 0, np.random.default_rng(1)).brackets()
    '(Utterance (Word (Phon g) (Phon u)) (Word (Phon g) (Phon u)) (Word (Phon w) (Phon e))...'
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
