"""Check a lexicon: one small function a code, whose docstring says what it finds.

==== ===================================================================
E101 a token that is no feature            (these come with reading)
E102 no category
E103 two categories
E104 a feature where it cannot stand
E105 a pseudo-count that is no positive number
E106 more than 500 features in an item
E107 a word that a file would not read as one
E201 the same entry twice
E202 a selector for, or an adjunct to, a category that no item has
E203 a licensor that no licensee answers
E204 a licensee that no licensor attracts
E205 a start category that no item has
W301 a first feature that is a licensor
W302 an item that no sentence can use
W303 a silent loop: infinitely many derivations
W304 selectors that look like the other convention, where none is named
W305 too many combinations of waiting movers to compile
W306 a clause of a Prolog file, or a list of a Python file, that is not an entry
W307 an item 'e' that looks as if it were silent
W308 selectors that look like Stabler's usual notation, where no convention is named
==== ===================================================================

E codes block the item they name, W codes block nothing.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from otlab.errors import InputError, did_you_mean
from otlab.mg.features import category_of
from otlab.mg.lexicon import SILENT
from otlab.mg.parsing.tables import compile_types
from otlab.mg.remarks import Remark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from otlab.mg.features import Feature
    from otlab.mg.lexicon import LexicalItem, Lexicon
    from otlab.mg.parsing.tables import TypeGraph

__all__ = ["lint"]

_FEWEST_SELECTING_ITEMS = 3


def lint(lexicon: Lexicon) -> list[Remark]:
    r"""Return all remarks on a lexicon, in the order of its lines.

    >>> from otlab.mg.io.read import loads
    >>> for remark in lint(loads("@start v\nsleep :: =d v\n")):
    ...     print(remark)
    2:10: E202 '=d' selects a category that no item has; add an item of category d
    2:10: W302 'sleep :: =d v' can never be used in a sentence; see its selectors and licensors
    """
    remarks = [*lexicon.remarks, *(r for check in _CHECKS for r in check(lexicon)), *_graph_remarks(lexicon)]
    return sorted(remarks, key=lambda r: (r.line is None, r.line or 0))


def unprovided(lexicon: Lexicon) -> Iterator[Remark]:
    """E202: a selector for, or an adjunct to, a category that no item has."""
    provided = _names(lexicon, "category")
    wrong = {f for f in _different(lexicon) if f.selects and f.name not in provided}
    for item, place, feature in _places(lexicon, wrong):
        verb = "adjoins to" if feature.adjoins else "selects"
        what = f"{feature.text(lexicon.convention)!r} {verb} a category that no item has"
        hint = _close(feature.name, provided) or f"add an item of category {feature.name}"
        yield _remark("E202", what, hint, lexicon, item, place)


def unanswered(lexicon: Lexicon) -> Iterator[Remark]:
    """E203: a licensor that no licensee answers."""
    for item, place, feature, hint in _unmatched(lexicon, "licensor", "licensee -"):
        what = f"no item has -{feature.name}, so {feature} is never checked"
        yield _remark("E203", what, hint, lexicon, item, place)


def unattracted(lexicon: Lexicon) -> Iterator[Remark]:
    """E204: a licensee that no licensor attracts."""
    for item, place, feature, hint in _unmatched(lexicon, "licensee", "licensor +"):
        what = f"no item has +{feature.name}, so this one could never move"
        yield _remark("E204", what, hint, lexicon, item, place)


def startless(lexicon: Lexicon) -> Iterator[Remark]:
    """E205: a start category that no item has."""
    provided = _names(lexicon, "category")
    for name in lexicon.start:
        if name not in provided:
            hint = did_you_mean(name, provided)
            yield Remark("E205", f"no item has the start category {name!r}", hint)


def licensor_first(lexicon: Lexicon) -> Iterator[Remark]:
    """W301: a first feature that is a licensor."""
    for item in lexicon.items:
        if item.features[0].kind == "licensor":
            what = (
                f"{item.text(lexicon.convention)!r} begins with a licensor but contains no phrase to attract"
            )
            yield _remark("W301", what, "put a selector in front", lexicon, item, 0)


def reversed_selectors(lexicon: Lexicon) -> Iterator[Remark]:
    """W304: selectors that look like the other convention, unless the file names its own."""
    if lexicon.convention_given:
        return
    first = {s: next((f.kind for f in s if f.selects and not f.adjoins), None) for s in lexicon.sequences}
    if set(first.values()) - {None} != {"left"}:
        return
    selecting = sum(first[i.features] is not None for i in lexicon.items)
    if selecting >= _FEWEST_SELECTING_ITEMS:
        other = "stabler2011" if lexicon.convention == "seed" else "seed"
        hint = f"if that is intended, add: @convention {lexicon.convention}; else: @convention {other}"
        yield Remark("W304", "all complements precede their heads", hint)


def one_sided(lexicon: Lexicon) -> Iterator[Remark]:
    """W308: selectors that look like Stabler's usual notation, where no convention is named."""
    if lexicon.convention_given or lexicon.convention != "seed":
        return
    kinds = {f.kind for f in _different(lexicon) if f.kind in ("right", "left")}
    if kinds == {"right"} and any(sum(f.selects and not f.adjoins for f in s) > 1 for s in lexicon.sequences):
        what = "every selector is written =x, so that all arguments follow their heads"
        usual = "if later ones precede, as in Stabler's usual notation, add: @convention nondirectional"
        yield Remark("W308", what, f"{usual}; else: @convention seed")


def silent_e(lexicon: Lexicon) -> Iterator[Remark]:
    """W307: an item 'e' that looks as if it were silent: a head with one selector, in no sentence."""
    if any(word == "e" for sentence in lexicon.sentences for word in sentence.words):
        return
    if any(i.silent for i in lexicon.items):
        return
    for item in lexicon.items:
        if item.words == ("e",) and sum(f.selects for f in item.features) == 1:
            yield _remark(
                "W307", "'e' is read as a word", f"if it is silent, write {SILENT}", lexicon, item, 0
            )
            return


_CHECKS: tuple[Callable[[Lexicon], Iterator[Remark]], ...] = (
    unprovided,
    unanswered,
    unattracted,
    startless,
    licensor_first,
    reversed_selectors,
    one_sided,
    silent_e,
)


def _graph_remarks(lexicon: Lexicon) -> list[Remark]:
    """Return what the string-free item graph shows."""
    try:
        graph = compile_types(lexicon.sequences, lexicon.start)
    except InputError as error:
        fault = error.faults[0]
        return [Remark("W305", fault.what, fault.hint)]
    return [*_useless(lexicon, graph), *_silent_loops(lexicon, graph)]


def _useless(lexicon: Lexicon, graph: TypeGraph) -> Iterator[Remark]:
    """W302: an item that no sentence can use."""
    useless = {s for s in lexicon.sequences if not graph.tables.useful[graph.lexical(s)]}
    reachable = _selected(lexicon)
    for item in lexicon.items if useless else ():
        if item.features in useless:
            hint = "see its selectors and licensors"
            if item.category not in reachable:
                hint = f"nothing on the way from {' or '.join(lexicon.start)} selects {item.category}"
            what = f"{item.text(lexicon.convention)!r} can never be used in a sentence"
            yield Remark("W302", what, hint, item.line, item.columns[0] if item.columns else None, str(item))


def _selected(lexicon: Lexicon) -> set[str]:
    """Return the categories that can be reached by selection from the start categories."""
    selects: dict[str, set[str]] = defaultdict(set)
    for features in lexicon.sequences:
        selects[category_of(features)].update(f.name for f in features if f.selects)
    reached: set[str] = set()
    pending = list(lexicon.start)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += selects[name]
    return reached


def _silent_loops(lexicon: Lexicon, graph: TypeGraph) -> Iterator[Remark]:
    """W303: a silent loop: infinitely many derivations."""
    silent = _silent_types(lexicon, graph)
    useful = graph.tables.useful
    above: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for rule in graph.rules:
        if not useful[rule.result]:
            continue
        if rule.second < 0 or rule.second in silent:
            above[rule.first].append((rule.result, rule.second))
        if rule.second >= 0 and rule.first in silent:
            above[rule.second].append((rule.result, rule.first))
    loop = _cycle(above)
    heads = {graph.types[t][0] for t in loop if t >= 0}
    items = [i for i in lexicon.items if i.silent and any(i.features[-len(h) :] == h for h in heads)]
    if items:
        named = ", ".join(i.text(lexicon.convention) for i in items)
        many = "sentences through it have infinitely many derivations"
        hint = f"{many}; remove or change one item if that is not intended"
        yield _remark("W303", f"silent loop through: {named}", hint, lexicon, items[0], 0)


def _silent_types(lexicon: Lexicon, graph: TypeGraph) -> set[int]:
    """Return the types that can be derived without a word."""
    using: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # first, second, result
    for rule in graph.rules:
        for part in {rule.first, rule.second} - {-1}:
            using[part].append((rule.first, rule.second, rule.result))
    pending = list({graph.lexical(i.features) for i in lexicon.items if i.silent})
    silent = {*pending}
    while pending:
        for first, second, result in using[pending.pop()]:
            if result not in silent and first in silent and (second < 0 or second in silent):
                silent.add(result)
                pending.append(result)
    return silent


def _cycle(above: dict[int, list[tuple[int, int]]]) -> list[int]:
    """Return the silent partners met on one cycle; empty if there is none."""
    done: set[int] = set()
    for root in list(above):
        path: list[tuple[int, int, int]] = [(root, -1, 0)]  # node, partner on the way here, next edge
        on_path = {root}
        while path:
            node, partner, at = path.pop()
            if at == len(above.get(node, ())):
                on_path.discard(node)
                done.add(node)
                continue
            path.append((node, partner, at + 1))
            upper, silent = above[node][at]
            if upper in on_path:
                start = next(i for i, (n, _, _) in enumerate(path) if n == upper)
                return [p for _, p, _ in path[start + 1 :]] + [silent]
            if upper not in done:
                path.append((upper, silent, 0))
                on_path.add(upper)
    return []


def _different(lexicon: Lexicon) -> dict[Feature, None]:
    """Return the different features of a lexicon, in the order of their first item."""
    return dict.fromkeys(f for features in lexicon.sequences for f in features)


def _places(lexicon: Lexicon, wanted: Collection[Feature]) -> Iterator[tuple[LexicalItem, int, Feature]]:
    """Yield where the wanted features occur."""
    for item in lexicon.items if wanted else ():
        for place, feature in enumerate(item.features):
            if feature in wanted:
                yield item, place, feature


def _unmatched(lexicon: Lexicon, kind: str, wanted: str) -> Iterator[tuple[LexicalItem, int, Feature, str]]:
    """Yield each feature of a kind that no feature of the wanted kind matches, with a hint.

    `wanted` is the other kind with its sign, ``"licensee -"`` or ``"licensor +"``.
    """
    names = _names(lexicon, wanted.split()[0])
    wrong = {f for f in _different(lexicon) if f.kind == kind and f.name not in names}
    for item, place, feature in _places(lexicon, wrong):
        hint = _close(feature.name, names, "-") or f"give an item the {wanted}{feature.name}"
        yield item, place, feature, hint


def _names(lexicon: Lexicon, kind: str) -> tuple[str, ...]:
    return tuple(f.name for f in _different(lexicon) if f.kind == kind)


def _close(name: str, known: tuple[str, ...], mark: str = "") -> str:
    hint = did_you_mean(name, known)
    if hint.startswith("did you mean"):
        return hint.replace("did you mean ", f"did you mean {mark}")
    return f"did you mean {mark}{known[0]}?" if len(known) == 1 and mark else ""


def _remark(code: str, what: str, hint: str, lexicon: Lexicon, item: LexicalItem, place: int) -> Remark:
    column = item.columns[place] if place < len(item.columns) else None
    return Remark(code, what, hint, item.line, column, item.text(lexicon.convention))
