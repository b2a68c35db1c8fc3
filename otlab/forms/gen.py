"""GEN: candidates of an input by operations that the user chooses.

::

    delete         a segment is left out
    insert:ʔi      one of these segments is put in
    change:voice   a segment becomes the one that differs in the feature (and in as little else as possible)
    swap           two neighbours change places
    syllabify      every division into syllables, each with one vowel
    foot           every footing with one main stress, feet of one or two syllables (Tesar & Smolensky 2000)

The first four are applied up to a depth each, fewest operations first; syllabify and foot then to all forms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.errors import MOST_FAULTS, InputError, did_you_mean, quoted
from otlab.forms.features import hayes, parse_values
from otlab.forms.feet import Foot, Footed
from otlab.forms.notation import Alphabet, segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otlab.forms.features import FeatureTable

__all__ = ["MOST", "OPERATIONS", "Gen", "Generated", "footings", "parse_operations"]

MOST = 5_000
"""Most candidates of an input."""

MOST_DIFFERENCES = 4
"""Features in which a segment and what it is changed to may differ."""

OPERATIONS = {
    "delete": "leave out a segment",
    "insert": "put in a segment of a set: insert:ʔi",
    "change": "change a feature: change:voice",
    "swap": "let two neighbours change places",
    "syllabify": "divide into syllables, in every way",
    "foot": "group syllables in feet, in every way, with one main stress",
}
"""Name -> what the operation does."""

Form = tuple[str, ...]


class Generated(NamedTuple):
    """The candidates of an input.

    Attributes
    ----------
    candidates
        As written, the faithful one first.
    capped
        Whether there are more than :data:`MOST`.
    """

    candidates: tuple[str, ...]
    capped: bool


@dataclass(frozen=True)
class Gen:
    """Operations that make candidates.

    Attributes
    ----------
    operations
        Names of :data:`OPERATIONS`.
    inserted
        Segments that ``insert`` puts in.
    changed
        Numbers of the features that ``change`` changes.
    depth
        How often each of the first four operations is applied, at most.
    table
        The feature table.
    """

    operations: tuple[str, ...]
    inserted: Form = ()
    changed: tuple[int, ...] = ()
    depth: int = 1
    table: FeatureTable | None = None
    _changed: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def candidates(
        self, source: str, most: int = MOST, go_on: Callable[[], None] = lambda: None
    ) -> Generated:
        """Return the candidates of an input.

        Parameters
        ----------
        source
            The input.
        most
            How many are generated at most.
        go_on
            Called for each candidate; what it raises ends the work.

        Examples
        --------
        >>> parse_operations("delete,change:voice").candidates("ad").candidates
        ('ad', 'd', 'a', 'at', 't')
        """
        parts: Iterator[Iterator[str]]
        if not ("foot" in self.operations and _is_letters(source)):
            forms = self._forms(segments(source, self.table))
            parts = (self._structures(form) for form in forms)
        else:
            parts = iter([map(str, footings([letter == "H" for letter in source if letter in "LH"]))])
        found: dict[str, None] = {}
        for structures in parts:
            for candidate in structures:
                go_on()
                if len(found) == most:
                    return Generated(tuple(found), capped=True)
                found.setdefault(candidate)
        return Generated(tuple(found), capped=False)

    def neighbours(self, form: Form) -> Iterator[tuple[int, Form]]:
        """Yield the forms one operation away, each with the number of the operation."""
        for n, segment in enumerate(form):
            if "delete" in self.operations:
                yield 0, form[:n] + form[n + 1 :]
            if "change" in self.operations:
                for other in self._changes(segment):
                    yield 2, (*form[:n], other, *form[n + 1 :])
            if "swap" in self.operations and n + 1 < len(form) and segment != form[n + 1]:
                yield 3, (*form[:n], form[n + 1], segment, *form[n + 2 :])
        if "insert" in self.operations:
            for n in range(len(form) + 1):
                for other in self.inserted:
                    yield 1, (*form[:n], other, *form[n:])

    def structures(self, form: Form) -> list[str]:
        """Return a form as written, with every division into syllables and feet that was asked for."""
        return [*self._structures(form)]

    def _forms(self, source: Form) -> Iterator[Form]:
        """Yield the input and what the first four operations make of it, fewest operations first."""
        seen = {source}
        front: list[tuple[Form, tuple[int, ...]]] = [(source, (0, 0, 0, 0))]
        yield source
        while front:
            deeper = []
            for form, used in front:
                for operation, other in self.neighbours(form):
                    if used[operation] < self.depth and other not in seen:
                        seen.add(other)
                        deeper.append((other, tuple(n + (k == operation) for k, n in enumerate(used))))
                        yield other
            front = deeper

    def _changes(self, segment: str) -> list[str]:
        if segment not in self._changed:
            self._changed[segment] = self._differing(segment)
        return self._changed[segment]

    def _differing(self, segment: str) -> list[str]:
        """Return the segments that differ in one of the features, and in as little else as possible.

        None if they would differ in more than three others, or a vowel would become a consonant.
        """
        table = self.table or hayes()
        own = Alphabet(table)
        values = own.values_of(own.code(segment))
        kinds = [n for n, name in enumerate(table.features) if name in ("syllabic", "consonantal")]
        found: list[str] = []
        for feature in self.changed:
            if not values[feature]:
                continue
            of_one_kind = np.ones(len(table.segments), bool)
            for kind in kinds:
                of_one_kind &= (table.values[:, kind] == values[kind]) | (kind == feature)
            opposite = np.flatnonzero(of_one_kind & (table.values[:, feature] == -values[feature]))
            if not opposite.size:
                continue
            others = (table.values[opposite] != values).sum(axis=1)
            if others.min() <= MOST_DIFFERENCES:
                found += [table.segments[n] for n in opposite[others == others.min()].tolist()]
        return found

    def _structures(self, form: Form) -> Iterator[str]:
        if not {"syllabify", "foot"} & {*self.operations}:
            yield written(form, self.table)
            return
        for syllables in self._syllables(form):
            if "foot" not in self.operations:
                yield ".".join(written(one, self.table) for one in syllables) or "∅"
                continue
            heavy = [len(one) > 1 and not self._is_vowel(one[-1]) for one in syllables]
            for footed in footings(heavy):
                yield _with_feet([written(one, self.table) for one in syllables], footed)

    def _syllables(self, form: Form) -> Iterator[list[Form]]:
        """Yield every division into syllables with one vowel each; the form alone if it has no vowel."""
        vowels = [n for n, segment in enumerate(form) if self._is_vowel(segment)]
        if not vowels:
            yield [form] if form else []
            return
        if "syllabify" in self.operations:
            places = [range(a + 1, b + 1) for a, b in pairwise(vowels)]
        else:  # one consonant belongs to the next syllable
            places = [range(max(b - 1, a + 1), max(b - 1, a + 1) + 1) for a, b in pairwise(vowels)]
        for edges in product(*places):
            bounds = [0, *edges, len(form)]
            yield [form[a:b] for a, b in pairwise(bounds)]

    def _is_vowel(self, segment: str) -> bool:
        table = self.table or hayes()
        n = table.index.get(segment)
        return n is not None and table.values[n, table.feature("syllabic")] == 1


def _is_letters(source: str) -> bool:
    return bool(source.strip()) and not set(source) - set("LH ")


def written(form: Form, table: FeatureTable | None = None) -> str:
    """Return segments as a form, with blanks between them if they could not be told apart otherwise."""
    joined = "".join(form)
    if segments(joined, table) != form:
        return " ".join(form)
    return joined or "∅"


def footings(heavy: Sequence[bool]) -> Iterator[Footed]:
    """Yield every footing of some syllables: feet of one or two, one of them with main stress.

    >>> [str(one) for one in footings([False, True])]
    ['(L1) H', '(L1) (H2)', '(L2) (H1)', '(L1 H)', '(L H1)', 'L (H1)']
    """
    size = len(heavy)
    for feet in _feet(0, size):
        for main in range(len(feet)):
            stress = [0] * size
            for n, foot in enumerate(feet):
                stress[foot.head] = 1 if n == main else 2
            yield Footed(tuple(map(bool, heavy)), tuple(stress), feet)


def _feet(start: int, size: int) -> Iterator[tuple[Foot, ...]]:
    """Yield the non-empty groups of feet from a syllable on."""
    for first in range(start, size):
        heads = [Foot(first, first + 1, first)]
        if first + 1 < size:
            heads += [Foot(first, first + 2, first), Foot(first, first + 2, first + 1)]
        for foot in heads:
            yield (foot,)
            for rest in _feet(foot.end, size):
                yield (foot, *rest)


def _with_feet(syllables: list[str], footed: Footed) -> str:
    """Return syllables with the marks of their feet and stress."""
    parts = [
        ("ˈ" if s == 1 else "ˌ" if s else "") + text for text, s in zip(syllables, footed.stress, strict=True)
    ]
    starts, ends = {foot.start for foot in footed.feet}, {foot.end - 1 for foot in footed.feet}
    for n in range(len(parts)):
        parts[n] = ("(" if n in starts else "") + parts[n] + (")" if n in ends else "")
    text = parts[0] if parts else "∅"
    for before, after in pairwise(parts):
        text += ("" if before.endswith(")") or after.startswith("(") else ".") + after
    return text


def parse_operations(text: str, depth: int = 1, table: FeatureTable | None = None) -> Gen:
    """Return the operations of a text such as ``delete,insert:ʔ,change:voice/nasal``.

    Raises
    ------
    InputError
        With every part that is no operation, or lacks its segments or features.
    """
    names: list[str] = []
    inserted: Form = ()
    changed: tuple[int, ...] = ()
    faults: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        name, _, what = part.partition(":")
        if len(faults) > MOST_FAULTS:
            break
        if not part:
            continue
        if name not in OPERATIONS:
            faults.append(f"{quoted(part)} is no operation; {did_you_mean(name, list(OPERATIONS))}")
            continue
        names.append(name)
        try:
            if name == "insert":
                inserted += segments(what.replace("/", " "), table)
                if not inserted:
                    faults.append("insert needs segments; write them behind a colon, as insert:ʔi")
            elif name == "change":
                features = [one for one in what.replace("+", "/").split("/") if one.strip()]
                changed += tuple(parse_values(f"+{one}", table or hayes())[0][0] for one in features)
                if not changed:
                    faults.append("change needs features; write them behind a colon, as change:voice")
        except InputError as error:
            faults += [fault.message for fault in error.faults]
    if not names and not faults:
        faults.append("no operation is chosen; write some, as delete,insert:ʔ")
    if depth < 1:
        faults.append(f"the depth {depth} is below 1; write 1 or more")
    if faults:
        raise InputError("\n".join(faults))
    return Gen(tuple(names), tuple(dict.fromkeys(inserted)), changed, depth, table)
