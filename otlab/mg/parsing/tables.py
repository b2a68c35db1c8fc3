"""Compile a lexicon to tables of integers, the item graph without strings.

A *type* is an expression without its words: the head's remaining features and the set of its movers'
remaining features. Under the shortest move constraint there are finitely many types. Merge and move
become rules over types, the nonterminals and rules of an equivalent multiple context-free grammar
(Michaelis 2001). They are built once per lexicon, bottom-up from the lexical items, and those that no
start category can use are marked; the chart is then driven by tables alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from otlab.errors import Fault, InputError, counted, quoted
from otlab.mg.features import ADJOINING, HEAD_KINDS, Feature, category_of, format_features

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from otlab.mg.lexicon import LexicalItem

__all__ = ["Features", "Tables", "TooManyRules", "Type", "TypeGraph", "compile_types"]

Features = tuple[Feature, ...]
Type = tuple[Features, tuple[Features, ...]]
_Key = tuple[int, tuple[int, ...]]

FINAL, MOVING, RIGHT, LEFT, LICENSOR = range(5)
MERGE_R, MERGE_L, MERGE_M, MOVE_1, MOVE_2, HEAD_LEFT, HEAD_RIGHT, HOP_RIGHT, HOP_LEFT = range(9)
MOVING_ON = 4  # added to the last four if the selected phrase will move
ADJOIN_R, ADJOIN_L = 13, 14  # the host to the right, to the left; merge-r and merge-l without head movement
_PLAIN = {ADJOIN_R: MERGE_R, ADJOIN_L: MERGE_L}
_HEAD_OPS = {"head-left": HEAD_LEFT, "head-right": HEAD_RIGHT, "hop-right": HOP_RIGHT, "hop-left": HOP_LEFT}

MOST_RULES = 60_000
MOST_MOVERS_WITHOUT_SMC = 3


# Columns of the table of types, and of the table of rules.
KIND, NAME, MOVERS, UNARY_PTR, BINARY_PTR = range(5)
OP, RESULT, MOVER, FIRST_SOURCE = range(4)


class Tables(NamedTuple):
    """Tables for the chart kernels, with T types, R rules, and at most K movers.

    Attributes
    ----------
    types : ndarray of shape (T + 1, 5)
        KIND: kind of the head's first feature (FINAL or MOVING category, RIGHT or LEFT for a selector or
        an adjunct, LICENSOR); NAME: number of its category; MOVERS: number of movers; UNARY_PTR, BINARY_PTR:
        beginnings of its move and merge rules, which end at those of the next row.
    rules : ndarray of shape (R, 3 + K)
        OP: operation; RESULT: resulting type; MOVER: index of the mover that a move rule moves; then the
        source of each mover of the result: v < K is mover v of the selecting item, K <= v < 2K one
        of the selected item, 2K the head of the selected item, and -1 none.
    unary : ndarray of shape (move rules,)
        Move rules, sorted by type.
    binary : ndarray of shape (merge rules, 2)
        Selected type and rule of each merge rule, sorted by selecting type, then by selected type.
    useful : ndarray of shape (T,)
        1 if the type is used in some sentence of a start category.
    """

    types: np.ndarray
    rules: np.ndarray
    unary: np.ndarray
    binary: np.ndarray
    useful: np.ndarray

    @property
    def most_movers(self) -> int:
        """Largest number of movers of an item."""
        return int(self.rules.shape[1]) - FIRST_SOURCE


class _Rule(NamedTuple):
    op: int
    result: int
    first: int
    second: int  # -1 for move
    mover: int
    source: tuple[int, ...]  # positions in [first's movers, second's movers, second's head]


class TooManyRules(InputError):
    """A lexicon needs more rules than are compiled.

    Parameters
    ----------
    checking
        The remaining features whose first one most of the rules check.
    number
        How many do.
    waiting
        How many kinds of phrases can wait to move.
    items
        The lexical items that have these features, if they are known; the first one is the fault's place.
    """

    def __init__(
        self, checking: Features, number: int, waiting: int, items: Sequence[LexicalItem] = ()
    ) -> None:
        self.checking, self.number, self.waiting, self.items = checking, number, waiting, items
        where, line, column = f"remains {quoted(format_features(checking))}", None, None
        if items:
            item, others = items[0], len(items) - 1
            where = f"{checking[0]} of {quoted(item.text())} is checked"
            where += f", or of {counted(others, 'more item')}" if others else ""
            line = item.line
            column = item.columns[-len(checking)] if item.columns else None
        what = (
            f"the lexicon needs more than {MOST_RULES:,} rules, {number:,} of them where {where}: "
            f"{waiting:,} kinds of phrases can wait to move"
        )
        hint = "use fewer licensees, or fewer items that select moving phrases"
        super().__init__(Fault(what, hint, line=line, column=column))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.checking, self.number, self.waiting, self.items)


class _Suffixes:
    """Numbers of feature sequences, with which types are tuples of small integers."""

    def __init__(self) -> None:
        self.features: list[Features] = []
        self.rest: list[int] = []  # without the first feature; -1: nothing is left
        self._number: dict[Features, int] = {}

    def number(self, features: Features) -> int:
        """Return the number of a sequence, and number its suffixes too; -1 for the empty one."""
        known = next((i for i in range(len(features)) if features[i:] in self._number), len(features))
        number = self._number[features[known:]] if known < len(features) else -1
        for i in reversed(range(known)):
            self.rest.append(number)
            number = self._number[features[i:]] = len(self.features)
            self.features.append(features[i:])
        return number


@dataclass
class TypeGraph:
    """All types that a lexicon can build, and the rules between them.

    Attributes
    ----------
    suffixes
        Numbers of all feature sequences that can remain.
    keys
        Types by number, as numbers of suffixes.
    number
        Number of each type.
    rules
        Rules, in the order in which they were found.
    goals
        Numbers of the types of complete sentences.
    tables
        Types and rules as arrays.
    split : ndarray of shape (types,), or None
        1 for types whose head can move or be an affix's host; None without head movement.
    """

    start: tuple[str, ...]
    smc: bool
    suffixes: _Suffixes = field(default_factory=_Suffixes)
    keys: list[_Key] = field(default_factory=list)
    number: dict[_Key, int] = field(default_factory=dict)
    rules: list[_Rule] = field(default_factory=list)
    goals: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    tables: Tables = field(init=False)
    split: np.ndarray | None = None

    @cached_property
    def names(self) -> int:
        """Number of category names."""
        return int(self.tables.types[:, NAME].max(initial=0)) + 1

    @cached_property
    def types(self) -> list[Type]:
        """Types by number, as features."""
        features = self.suffixes.features
        return [(features[head], tuple(features[m] for m in movers)) for head, movers in self.keys]

    def first(self, number: int) -> Feature:
        """Return the first feature of a type's head."""
        return self.suffixes.features[self.keys[number][0]][0]

    def lexical(self, features: Features) -> int:
        """Return the type of a lexical item."""
        return self.number[self.suffixes.number(features), ()]


def compile_types(sequences: Iterable[Features], start: tuple[str, ...], *, smc: bool = True) -> TypeGraph:
    """Return the types and rules of a set of feature sequences; the most recent ones are cached.

    Raises
    ------
    TooManyRules
        If the grammar needs more than 60,000.
    """
    graph = _compiled(tuple(dict.fromkeys(sequences)), start, smc)
    if isinstance(graph, InputError):
        raise graph
    return graph


@lru_cache(maxsize=8)
def _compiled(sequences: tuple[Features, ...], start: tuple[str, ...], smc: bool) -> TypeGraph | InputError:
    """Return the graph, or the error if it has too many rules; both are cached."""
    graph = TypeGraph(start, smc)
    hosts = {f.name for features in sequences for f in features if f.moves_head}
    try:
        _close(graph, sequences)
    except TooManyRules as error:
        return TooManyRules(error.checking, error.number, error.waiting)
    graph.goals = np.array([n for n, t in enumerate(graph.types) if _is_goal(t, start)], dtype=np.int32)
    if hosts:
        graph.split = np.array([category_of(head) in hosts for head, _ in graph.types], dtype=np.int8)
    graph.tables = _tabulate(graph)
    return graph


def _is_goal(kind: Type, start: tuple[str, ...]) -> bool:
    (first, *rest), movers = kind
    return not rest and not movers and first.kind == "category" and first.name in start


def _close(graph: TypeGraph, sequences: Iterable[Features]) -> None:
    """Add every type that can be built, combining each pair of types exactly once."""
    agenda: deque[int] = deque()
    partners: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for features in sequences:
        _number(graph, (graph.suffixes.number(features), ()), agenda)
    while agenda:
        new = agenda.popleft()
        first = graph.first(new)
        if first.kind == "licensor":
            for rule in _move_rules(graph, new, agenda):
                _add(graph, rule)
            continue
        partners[first.selects, first.name].append(new)
        for other in partners[not first.selects, first.name]:
            pair = (new, other) if first.selects else (other, new)
            made = _merge_rule(graph, *pair, agenda)
            if made is not None:
                _add(graph, made)


def _add(graph: TypeGraph, rule: _Rule) -> None:
    graph.rules.append(rule)
    if len(graph.rules) > MOST_RULES:
        waiting = len({m for _, movers in graph.types for m in movers})
        ((head, number),) = Counter(graph.keys[r.first][0] for r in graph.rules).most_common(1)
        raise TooManyRules(graph.suffixes.features[head], number, waiting)


def _number(graph: TypeGraph, key: _Key, agenda: deque[int]) -> int:
    number = graph.number.get(key)
    if number is None:
        number = graph.number[key] = len(graph.keys)
        graph.keys.append(key)
        agenda.append(number)
    return number


def _merge_rule(graph: TypeGraph, first: int, second: int, agenda: deque[int]) -> _Rule | None:
    head, movers = graph.keys[first]
    argument, argument_movers = graph.keys[second]
    waiting = movers + argument_movers
    licensees = graph.suffixes.rest[argument]
    kind = graph.first(first).kind
    if kind in ADJOINING:  # the host's features remain, its licensees too
        op = ADJOIN_R if kind == "adjoin-right" else ADJOIN_L
        return _rule(graph, op, argument, waiting, (first, second, -1), agenda)
    if licensees >= 0:
        waiting = (*waiting, licensees)
    if kind in HEAD_KINDS:
        op = _HEAD_OPS[kind] + (MOVING_ON if licensees >= 0 else 0)
    elif licensees >= 0:
        op = MERGE_M
    else:
        op = MERGE_R if kind == "right" else MERGE_L
    return _rule(graph, op, graph.suffixes.rest[head], waiting, (first, second, -1), agenda)


def _move_rules(graph: TypeGraph, number: int, agenda: deque[int]) -> Iterator[_Rule]:
    head, movers = graph.keys[number]
    licensor, rest = graph.first(number), graph.suffixes.rest
    for position, mover in enumerate(movers):
        if graph.suffixes.features[mover][0].name == licensor.name:
            # -1 marks a mover that does not move again.
            op = MOVE_2 if rest[mover] >= 0 else MOVE_1
            waiting = (*movers[:position], rest[mover], *movers[position + 1 :])
            rule = _rule(graph, op, rest[head], waiting, (number, -1, position), agenda)
            if rule is not None:
                yield rule


def _rule(
    graph: TypeGraph,
    op: int,
    rest: int,
    waiting: tuple[int, ...],
    parts: tuple[int, int, int],
    agenda: deque[int],
) -> _Rule | None:
    """Return the rule, with movers in the order of their numbers; None if the SMC forbids it."""
    order = sorted((i for i, m in enumerate(waiting) if m >= 0), key=waiting.__getitem__)
    movers = tuple(waiting[i] for i in order)
    first, second, moved = parts
    if graph.smc and len({graph.suffixes.features[m][0].name for m in movers}) < len(movers):
        return None
    if not graph.smc and len(movers) > MOST_MOVERS_WITHOUT_SMC:
        return None
    return _Rule(op, _number(graph, (rest, movers), agenda), first, second, moved, tuple(order))


def _tabulate(graph: TypeGraph) -> Tables:
    unary = sorted((r.first, i) for i, r in enumerate(graph.rules) if r.second < 0)
    binary = sorted((r.first, r.second, i) for i, r in enumerate(graph.rules) if r.second >= 0)
    size = len(graph.keys)
    names: dict[str, int] = {}
    types = np.zeros((size + 1, 5), dtype=np.int32)
    for number, (head, movers) in enumerate(graph.keys):
        features = graph.suffixes.features[head]
        types[number, :3] = _kind(features), names.setdefault(features[0].name, len(names)), len(movers)
    types[:, UNARY_PTR] = _pointers([u[0] for u in unary], size)
    types[:, BINARY_PTR] = _pointers([b[0] for b in binary], size)
    return Tables(
        types,
        _rule_table(graph, max(1, int(types[:, MOVERS].max(initial=0)))),
        np.array([u[1] for u in unary], dtype=np.int32),
        np.array([b[1:] for b in binary], dtype=np.int32).reshape(-1, 2),
        _useful(graph),
    )


def _rule_table(graph: TypeGraph, most: int) -> np.ndarray:
    table = np.full((len(graph.rules), FIRST_SOURCE + most), -1, dtype=np.int32)
    for row, rule in zip(table, graph.rules, strict=True):
        sources = _sources(graph, rule, most)
        op = _PLAIN.get(rule.op, rule.op) if graph.split is None else rule.op
        row[:FIRST_SOURCE] = op, rule.result, rule.mover
        row[FIRST_SOURCE : FIRST_SOURCE + len(sources)] = sources
    return table


def _kind(head: Features) -> int:
    if head[0].kind == "category":
        return MOVING if len(head) > 1 else FINAL
    return LICENSOR if head[0].kind == "licensor" else LEFT if head[0].side == "left" else RIGHT


def _sources(graph: TypeGraph, rule: _Rule, most: int) -> list[int]:
    """Convert positions among all waiting movers to the sources of :attr:`Tables.rules`."""
    own = len(graph.keys[rule.first][1])
    other = len(graph.keys[rule.second][1]) if rule.second >= 0 else 0
    return [p if p < own else (most + p - own if p < own + other else 2 * most) for p in rule.source]


def _pointers(keys: list[int], size: int) -> np.ndarray:
    """Return the beginning of each key's rows in the sorted list, and the end."""
    counts = np.bincount(np.array(keys, dtype=np.int64), minlength=size)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _useful(graph: TypeGraph) -> np.ndarray:
    """Return which types a complete sentence can contain, from the goals down."""
    makers: dict[int, list[_Rule]] = defaultdict(list)
    for rule in graph.rules:
        makers[rule.result].append(rule)
    useful = np.zeros(len(graph.keys), dtype=np.int8)
    pending = [int(g) for g in graph.goals]
    while pending:
        number = pending.pop()
        if not useful[number]:
            useful[number] = 1
            pending += [part for r in makers[number] for part in (r.first, r.second) if part >= 0]
    return useful
