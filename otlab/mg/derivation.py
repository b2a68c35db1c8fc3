"""Derivations: expressions, merge and move, and the evaluator of Polish sequences.

An expression ``[s : f | M]`` is a head chain and a set of mover chains. The rules of
Portelance et al. (2022, (1)), with sets and the shortest move constraint (SMC)::

    merge-r  [s : =x g | M], [t : x   | N]  ->  [st : g | M u N]
    merge-l  [s : x= g | M], [t : x   | N]  ->  [ts : g | M u N]
    merge-m  [s : =x g | M], [t : x d | N]  ->  [s  : g | M u N u {t : d}]   (x= alike)
    move-1   [s : +y g | M u {t : -y}]      ->  [ts : g | M]
    move-2   [s : +y g | M u {t : -y d}]    ->  [s  : g | M u {t : d}]

Head movement and affix hopping (Stabler 2001) divide the words of a head chain into specifier, head
and complement, (s, h, c), where ordinary merge to the right adds to c, merge to the left and move to s::

    =>x   [h : =>x g]  , [(s', h', c') : x]  ->  [(ε, h' h, s' c') : g]
    x<=   [h : x<= g]  , [(s', h', c') : x]  ->  [(ε, h h', s' c') : g]
    ==>x  [h : ==>x g] , [(s', h', c') : x]  ->  [(ε, ε, s' h' h c') : g]
    x<==  [h : x<== g] , [(s', h', c') : x]  ->  [(ε, ε, s' h h' c') : g]

If x has licensees, s' c' or all of s' h' h c' becomes a mover, as in merge-m. Such a node is a merge-r or
merge-m; the feature it checked tells it from others.

Adjunction (Frey & Gärtner 2002) leaves the features of the host as they are, its licensees d too; movement
out of adjuncts is not restricted beyond the SMC. Before a divided host it adds to s, behind it to c::

    adjoin  [s : ≈x | M], [t : x d | N]  ->  [st : x d | M u N]             (x≈: ts)

SMC: no expression holds two movers with the same first licensee; the paper does not
state it, and its ordered lists of chains would lose readings. A derivation is
determined by its Polish sequence: the head, then its selected subtrees in the order
of the head's features. The paper's own procedure (2) loops on ``what did see you``
and accepts sequences it should not; :func:`derivations` replaces it, reading the
sequence from the right with a stack of finished subtrees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from otlab.errors import counted
from otlab.mg.features import Convention, Feature, format_features
from otlab.mg.lexicon import NOTHING_SPELLED, SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.mg.spellout import SpellOut

__all__ = ["Chain", "Derivation", "Node", "Rule", "derivations", "is_wellformed"]

Words = tuple[str, ...]
Rule = Literal["lexical", "merge-r", "merge-l", "merge-m", "adjoin", "move-1", "move-2"]


@dataclass(frozen=True, slots=True)
class Chain:
    """Words with the features they still have to check."""

    words: tuple[str, ...]
    features: tuple[Feature, ...]

    def text(self, convention: Convention = "seed") -> str:
        """Return ``what:-wh``."""
        return f"{' '.join(self.words) or SILENT}:{format_features(self.features, convention)}"


@dataclass(frozen=True, slots=True)
class Node:
    """An expression and the operation that made it.

    Attributes
    ----------
    rule
        Which rule made it.
    head, movers
        Its chains; the movers in the order in which they were merged.
    children
        None, one (move) or two (merge: selecting, selected; adjoin: adjunct, host).
    item
        The lexical item of a leaf.
    checked
        The selector, feature of adjunction or licensor that was checked.
    mover
        The chain that moved, before it did.
    own
        Where the words of the head itself begin and end among those of its chain; the words before
        them are its specifiers', those after them its complements'.
    """

    rule: Rule
    head: Chain
    movers: tuple[Chain, ...] = ()
    children: tuple[Node, ...] = ()
    item: LexicalItem | None = None
    checked: Feature | None = None
    mover: Chain | None = None
    own: tuple[int, int] = (0, 0)

    @property
    def parts(self) -> tuple[Words, Words, Words]:
        """The words of its head chain: specifiers, head, complements."""
        begin, end = self.own
        words = self.head.words
        return words[:begin], words[begin:end], words[end:]

    def text(self, convention: Convention = "seed") -> str:
        """Return the expression: ``[did see:i, what:-wh]``."""
        return f"[{', '.join(chain.text(convention) for chain in (self.head, *self.movers))}]"

    def walk(self) -> Iterator[Node]:
        """Yield the nodes bottom-up: children before their parent, the selecting one first."""
        pending: list[tuple[Node, bool]] = [(self, False)]
        while pending:
            node, ready = pending.pop()
            if ready or not node.children:
                yield node
            else:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(node.children))


@dataclass(frozen=True, repr=False)
class Derivation:
    """One derivation of one sentence.

    Attributes
    ----------
    items
        Its Polish sequence.
    root
        Its derivation tree.
    convention
        How features are shown.
    spell_out
        How its words are pronounced.

    Examples
    --------
    >>> from otlab.mg import parse
    >>> from otlab.samples import load_sample
    >>> reading = parse(load_sample("figure1_wh"), "what did you see").best(1)[0].derivation
    >>> reading
    <Derivation of 'what did you see': 5 items>
    >>> reading.texts
    ('ε :: =i +wh c', 'did :: =v i', 'see :: d= =d v', 'you :: d', 'what :: d -wh')
    """

    items: tuple[LexicalItem, ...]
    root: Node
    convention: Convention = "seed"
    spell_out: SpellOut = field(default=NOTHING_SPELLED, compare=False)

    @property
    def words(self) -> tuple[str, ...]:
        """The sentence, as the words of its items."""
        return self.root.head.words

    @property
    def spelled(self) -> tuple[str, ...]:
        """The sentence as it is pronounced."""
        return self.spell_out.apply(self.words)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The Polish sequence, each item as the file writes it."""
        return tuple(item.text(self.convention) for item in self.items)

    @property
    def depth(self) -> int:
        """Number of expressions on the longest path."""
        below: dict[int, int] = {}
        for node in self.root.walk():
            below[id(node)] = 1 + max((below[id(child)] for child in node.children), default=0)
        return below[id(self.root)]

    def __str__(self) -> str:
        return " ".join(self.words) or SILENT

    def __repr__(self) -> str:
        return f"<Derivation of {str(self)!r}: {counted(len(self.items), 'item')}>"


def derivations(
    sequence: Sequence[LexicalItem],
    start: Sequence[str],
    *,
    convention: Convention = "seed",
    smc: bool = True,
) -> list[Derivation]:
    """Return the derivations a Polish sequence stands for: at most one under the SMC.

    Parameters
    ----------
    sequence
        Lexical items, the root's head first.
    start
        Categories of complete sentences.
    convention
        How the derivation shows its features.
    smc
        Without it a licensor may attract any of several movers.
    """
    stack: list[list[Node]] = []
    for item in reversed(sequence):
        selectors = sum(f.selects for f in item.features)
        if selectors > len(stack):
            return []
        subtrees = [stack.pop() for _ in range(selectors)]
        stack.append(_project(item, subtrees, smc))
        if not stack[-1]:
            return []
    roots = stack[0] if len(stack) == 1 else []
    return [Derivation(tuple(sequence), r, convention) for r in roots if _complete(r, start)]


def is_wellformed(sequence: Sequence[LexicalItem], lexicon: Lexicon) -> bool:
    r"""Return whether a Polish sequence derives a sentence of the lexicon's start categories.

    Parameters
    ----------
    sequence
        Lexical items, each merge's selector before its selected.
    lexicon
        For its start categories.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> lexicon = loads("@start v\nMary :: d\nsleeps :: d= v")
    >>> mary, sleeps = lexicon.items
    >>> is_wellformed([sleeps, mary], lexicon), is_wellformed([sleeps], lexicon)
    (True, False)
    """
    return bool(derivations(sequence, lexicon.start))


def _complete(root: Node, start: Sequence[str]) -> bool:
    features = root.head.features
    return not root.movers and len(features) == 1 and features[0].name in start


def _project(item: LexicalItem, subtrees: list[list[Node]], smc: bool) -> list[Node]:
    """Check the item's features up to its category, or all of an adjunct's; every way of doing so."""
    own = (0, len(item.words))
    ways = [Node("lexical", Chain(item.words, item.features), item=item, own=own)]
    arguments = iter(subtrees)
    for feature in item.features:
        if feature.kind == "category":
            break
        if feature.kind == "licensor":
            ways = [moved for way in ways for moved in _moves(way, smc)]
        else:
            argument = next(arguments)
            ways = [m for way in ways for a in argument for m in _merge(way, a, smc)]
    return ways


def _merge(head: Node, argument: Node, smc: bool) -> list[Node]:
    selector, *rest = head.head.features
    category, *licensees = argument.head.features
    if category.name != selector.name:
        return []
    movers = head.movers + argument.movers
    if selector.adjoins:
        return [] if smc and _clash(movers) else [_attach(head, argument, movers)]
    words, selected, own = head.head.words, argument.head.words, head.own
    if selector.moves_head:
        words, selected = _adjoin(selector, words, argument)
        own = (0, len(words))
    if licensees:
        rule: Rule = "merge-m"
        movers += (Chain(selected, tuple(licensees)),)
    elif selector.kind == "left":
        rule, words = "merge-l", selected + words
        own = (own[0] + len(selected), own[1] + len(selected))
    else:
        rule, words = "merge-r", words + selected
    if smc and _clash(movers):
        return []
    return [Node(rule, Chain(words, tuple(rest)), movers, (head, argument), checked=selector, own=own)]


def _attach(adjunct: Node, host: Node, movers: tuple[Chain, ...]) -> Node:
    """Adjoin a phrase to another, whose features and head stay as they are."""
    feature, own = adjunct.head.features[0], adjunct.head.words
    after = feature.kind == "adjoin-left"
    words = host.head.words + own if after else own + host.head.words
    shift = 0 if after else len(own)
    place = (host.own[0] + shift, host.own[1] + shift)
    chain = Chain(words, host.head.features)
    return Node("adjoin", chain, movers, (adjunct, host), checked=feature, own=place)


def _adjoin(selector: Feature, own: Words, argument: Node) -> tuple[Words, Words]:
    """Return the words of the selecting head, and of what it selected, after head movement or hopping."""
    before, head, after = argument.parts
    if selector.kind == "head-left":
        return head + own, before + after
    if selector.kind == "head-right":
        return own + head, before + after
    adjoined = head + own if selector.kind == "hop-right" else own + head
    return (), before + adjoined + after


def _moves(head: Node, smc: bool) -> list[Node]:
    licensor = head.head.features[0]
    moved = (_move(head, i) for i, m in enumerate(head.movers) if m.features[0].name == licensor.name)
    return [node for node in moved if not (smc and _clash(node.movers))]


def _move(head: Node, position: int) -> Node:
    licensor, *rest = head.head.features
    mover = head.movers[position]
    before, after = head.movers[:position], head.movers[position + 1 :]
    if len(mover.features) == 1:
        chain = Chain(mover.words + head.head.words, tuple(rest))
        own = (head.own[0] + len(mover.words), head.own[1] + len(mover.words))
        return Node("move-1", chain, before + after, (head,), checked=licensor, mover=mover, own=own)
    onward = (*before, Chain(mover.words, mover.features[1:]), *after)
    chain = Chain(head.head.words, tuple(rest))
    return Node("move-2", chain, onward, (head,), checked=licensor, mover=mover, own=head.own)


def _clash(movers: tuple[Chain, ...]) -> bool:
    return len({m.features[0].name for m in movers}) < len(movers)
