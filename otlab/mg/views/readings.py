"""Describe in a few words how each reading of a sentence differs from the others.

::

    *with* attaches to *telescope*
    *which book* is the complement of *read*
    *stone lion* is a constituent
    *le* is =n1 d

Each reading is described by facts about its derivation; a label names the facts that the fewest other
readings share. Words are enclosed in asterisks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from otlab.mg.features import format_features
from otlab.mg.views.derived import derive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.mg.derivation import Derivation, Node
    from otlab.mg.views.derived import Phrase

__all__ = ["reading_labels"]

_MOST_FACTS = 3
_MOST_WORDS = 4
_ATTACHMENT, _ARGUMENT, _CONSTITUENT, _ITEM, _PHRASE, _USES = range(6)
_ORDINALS = ("1st", "2nd", "3rd")


class _Fact(NamedTuple):
    """A fact about a reading; two readings share it if all fields but the text are equal."""

    kind: int
    place: tuple[int, ...]  # in the sentence: the earlier is named first
    key: tuple[object, ...]
    text: str

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.kind, self.place, self.key)


class _Part(NamedTuple):
    """An expression during the search for facts: its lexical head, and the head that modifiers attach to."""

    head: int
    core: int


def reading_labels(readings: Sequence[Derivation]) -> tuple[str, ...]:
    """Return for each of several derivations of one sentence what distinguishes it from the others.

    Parameters
    ----------
    readings
        Derivations of one sentence.

    Returns
    -------
    tuple of str
        One label per derivation, with words between asterisks; empty for a single one.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> from otlab.mg.parsing.parse import parse
    >>> found = parse(load_sample("english_pp_attachment"), "john saw the man with the telescope").best(2)
    >>> sorted(reading_labels([r.derivation for r in found]))
    ['*with* attaches to *man*', '*with* attaches to *saw*']
    """
    if len(readings) == 1:
        return ("",)
    facts = [{f.identity: f for f in _Facts(d).all()} for d in readings]
    labels = [_label(i, facts) for i in range(len(facts))]
    many = Counter(labels)
    seen: Counter[str] = Counter()
    for i, label in enumerate(labels):
        seen[label] += 1
        if many[label] > 1:
            labels[i] = f"{label} ({seen[label]})"
    return tuple(labels)


def _label(index: int, facts: list[dict[tuple[object, ...], _Fact]]) -> str:
    """Return a label that names facts until no other reading shares them all."""
    others = [f for i, f in enumerate(facts) if i != index]
    own = facts[index]
    texts = [{fact.text for fact in other.values()} for other in others]
    named: list[_Fact] = []
    while others and len(named) < _MOST_FACTS:
        # What would be said of another reading in the same words does not tell them apart.
        alike = {
            f: [f.identity in other or f.text in said for other, said in zip(others, texts, strict=True)]
            for f in own.values()
        }
        distinctive = [f for f in own.values() if not all(alike[f])]
        if not distinctive:
            break
        # Phrases, and then silent items, are named only if the readings differ in nothing else.
        best = min(
            distinctive,
            key=lambda f: (max(f.kind, _ITEM), sum(alike[f]), f.kind, f.place, f.text),
        )
        named.append(best)
        left = [i for i, is_alike in enumerate(alike[best]) if is_alike]
        others, texts = [others[i] for i in left], [texts[i] for i in left]
    if named:
        return ", ".join(f.text for f in named)
    said = {f.text for f in own.values()}
    beyond = {f.kind for other in facts for f in other.values() if f.text not in said}
    fewer = beyond == {_USES}
    return "without further silent items" if fewer else "the same structure in another order of steps"


class _Facts:
    """The facts of one derivation."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.items = derivation.items
        self.words = derivation.words
        self.at = _places(derive(derivation.root).root)
        self.silent: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def all(self) -> Iterator[_Fact]:
        """Yield attachments, arguments, constituents, and which items are used."""
        stack: list[_Part] = []
        leaves = 0
        for node in self.derivation.root.walk():
            if node.item is not None:
                stack.append(_Part(leaves, leaves))
                leaves += 1
            elif len(node.children) == 2:
                argument, head = stack.pop(), stack.pop()
                attaches = self._attaches(node, head)
                yield from self._merge(node, head, argument, attaches)
                top = argument.head if node.rule == "adjoin" else head.head
                stack.append(_Part(top, argument.core if attaches else head.core))
        yield from self._uses()

    def _attaches(self, node: Node, head: _Part) -> bool:
        """Return whether a phrase adjoins, or a spoken head selects its own category, as a modifier does."""
        if node.rule == "adjoin":
            return True
        item = self.items[head.head]
        return bool(item.words) and node.checked is not None and node.checked.name == item.category

    def _merge(self, node: Node, head: _Part, argument: _Part, attaches: bool) -> Iterator[_Fact]:
        words = node.children[1].head.words
        item = self.items[head.head]
        if not item.words and node.children[0].item is not None:
            self.silent[item.text(self.derivation.convention), words] += 1
        if attaches:
            here, host = self.at.get(head.head, len(self.words)), self.items[argument.core]
            modifier = self._name(head.head) if item.words else _phrase(node.children[0].head.words)
            name = self._name(argument.core) if host.words else _phrase(words)
            key = (self.at[argument.core] if host.words else words,)
            yield _Fact(_ATTACHMENT, (here,), key, f"{modifier} attaches to {name}")
        elif not words:
            return
        elif item.words:
            relation = "complement" if node.children[0].item is not None else "specifier"
            place = self.at.get(argument.head, len(self.words))
            text = f"{_phrase(words)} is the {relation} of {self._name(head.head)}"
            yield _Fact(_ARGUMENT, (place,), (relation, self.at[head.head]), text)
        elif len(words) > 1:
            yield _Fact(_CONSTITUENT, (), words, f"{_phrase(words)} is a constituent")
        whole = node.head.words
        if len(whole) > 1:
            yield _Fact(_PHRASE, (), whole, f"{_phrase(whole)} is a constituent")

    def _uses(self) -> Iterator[_Fact]:
        convention = self.derivation.convention
        for number, item in enumerate(self.items):
            if not item.words:
                if not any(f.selects for f in item.features):
                    self.silent[item.text(convention), ()] += 1
                continue
            features = format_features(item.features, convention)
            text = f"{self._name(number)} is {features}"
            yield _Fact(_ITEM, (self.at[number],), (features,), text)
        for (shown, words), times in self.silent.items():
            text = f"{times} × {shown}" if times > 1 else f"with {shown}"
            text += f" above {_phrase(words)}" if words else ""
            yield _Fact(_USES, (), (shown, words, times), text)

    def _name(self, number: int) -> str:
        """Return a spoken item's words, numbered if they occur more than once."""
        item, at = self.items[number], self.at[number]
        size = len(item.words)
        places = [i for i in range(len(self.words)) if self.words[i : i + size] == item.words]
        name = _phrase(item.words)
        if len(places) == 1 or at not in places:
            return name
        nth = places.index(at)
        return f"{name} ({_ORDINALS[nth] if nth < len(_ORDINALS) else f'{nth + 1}th'})"


def _places(root: Phrase) -> dict[int, int]:
    """Return the position in the sentence of each spoken item of the Polish sequence."""
    found: dict[int, int] = {}
    at = 0
    pending = [root]
    while pending:
        phrase = pending.pop()
        if phrase.item is not None and phrase.item.words:
            found[phrase.position] = at
            at += len(phrase.item.words)
        pending.extend(reversed(phrase.children))
    return found


def _phrase(words: tuple[str, ...]) -> str:
    if len(words) > _MOST_WORDS:
        words = (*words[:2], "…", words[-1])
    return f"*{' '.join(words)}*"
