"""Plain twins: every derivation of a short sentence, by trying all Polish sequences.

Written apart from the library, from the rules alone: recursive where the library
uses a stack, dictionaries of movers where it uses tuples.
"""

from __future__ import annotations

from collections import Counter


class IllFormed(Exception):
    pass


def evaluate(sequence, start):
    """Return the yield of a Polish sequence; IllFormed if it derives no sentence."""
    end, features, words, movers = _build(sequence, 0)
    if end != len(sequence) or len(features) != 1 or features[0].name not in start or movers:
        raise IllFormed
    return sum(words, ())


def _build(sequence, at):
    item = sequence[at]
    words, movers = ((), item.words, ()), {}  # specifiers, head, complements
    at += 1
    for k, feature in enumerate(item.features):
        if feature.kind == "category":
            return at, item.features[k:], words, movers
        if feature.kind == "licensor":
            words, movers = _move(feature.name, words, movers)
            continue
        if at >= len(sequence):
            raise IllFormed
        at, category, other, waiting = _build(sequence, at)
        if category[0].name != feature.name or set(waiting) & set(movers):
            raise IllFormed
        movers = movers | waiting
        if feature.kind in ("adjoin-right", "adjoin-left"):  # the host stays what it is
            spec, head, comp = other
            adjunct = sum(words, ())
            if feature.kind == "adjoin-right":
                return at, category, (adjunct + spec, head, comp), movers
            return at, category, (spec, head, comp + adjunct), movers
        if feature.kind in ("head-left", "head-right", "hop-left", "hop-right"):
            words, other = adjoin(feature.kind, words[1], *other)
        else:
            other = sum(other, ())
        if len(category) > 1:
            if category[1].name in movers:
                raise IllFormed
            movers[category[1].name] = (other, category[2:])
        else:
            spec, head, comp = words
            words = (other + spec, head, comp) if feature.kind == "left" else (spec, head, comp + other)
    raise IllFormed


def adjoin(kind, own, spec, head, comp):
    """Return the selecting expression's three parts and the words of the selected one (Stabler 2001)."""
    none = own[:0]  # a tuple, or a list
    if kind == "head-left":
        return (none, head + own, none), spec + comp
    if kind == "head-right":
        return (none, own + head, none), spec + comp
    return (none, none, none), spec + (head + own if kind == "hop-right" else own + head) + comp


def _move(name, words, movers):
    if name not in movers:
        raise IllFormed
    movers = dict(movers)
    moved, rest = movers.pop(name)
    if not rest:
        spec, head, comp = words
        return (moved + spec, head, comp), movers
    if rest[0].name in movers:
        raise IllFormed
    movers[rest[0].name] = (moved, rest[1:])
    return words, movers


def sequences(lexicon, sentence, most_items):
    """Yield the Polish sequences that use no word more often than the sentence does."""
    by_category = {}
    for item in lexicon.items:
        by_category.setdefault(item.category, []).append(item)
    available = Counter(sentence)

    def extend(done, wanted, used):
        if not wanted:
            if used == available:
                yield tuple(done)
            return
        if len(done) + len(wanted) > most_items:
            return
        for item in by_category.get(wanted[0], ()):
            now = used + Counter(item.words)
            if now <= available:
                arguments = [f.name for f in item.features if f.selects]
                yield from extend([*done, item], arguments + wanted[1:], now)

    for start in lexicon.start:
        yield from extend([], [start], Counter())


def derivations(lexicon, sentence, most_items):
    """Return every well-formed Polish sequence of a sentence, up to a number of items."""
    found = []
    for sequence in sequences(lexicon, sentence, most_items):
        try:
            if evaluate(sequence, lexicon.start) == tuple(sentence):
                found.append(sequence)
        except IllFormed:
            pass
    return found
