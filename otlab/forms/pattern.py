"""Patterns of segments and marks: ``[+voice,-son]#``, ``.CC``, ``V...V``, ``ti``.

::

    pattern   element element ...
    element   [+son,-syll]  [^+son]  []    a natural class, its complement, any segment
              C V N G L T                  shorthands of the feature table
              t  t͡s  aː                    a segment as written
              {p,t,[+nasal]}               one of these
              . # ## - + ˈ ˌ ( )           marks; # is a word edge, ## an end of the form
              ...                          whatever is not on the tier
              ₀ ₁ behind an element        any number of it, one or more

Marks in a form are skipped unless the pattern has a mark of that kind (syllable edge, word edge, morpheme
edge, stress, foot). ``.`` matches a word edge, too. With ``...`` or a tier, the pattern is looked for on the
tier: the segments of a class and the ends of the form; without a named tier these are the segments that the
pattern's elements match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, quoted
from otlab.forms.features import BOUNDARY, FeatureTable, parse_values
from otlab.forms.notation import EDGE, MARKS, WORD, Alphabet, segments

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Class", "Element", "FormulaFault", "Pattern", "parse_class", "parse_pattern"]

MOST_CHARACTERS = 2000
_MOST_OF_SEGMENT = 100  # characters, with all its diacritics
_DOTS = ("...", "…")
_KINDS = {".": "syllable", "#": "word", "-": "morpheme", "+": "morpheme", "ˈ": "stress", "ˌ": "stress"}
_KINDS |= {"(": "foot", ")": "foot"}
_REPEATS = {"₀": "*", "₁": "+"}
_NOTHING = "(?!)"


@dataclass(frozen=True)
class FormulaFault(Fault):
    """A fault in a formula, which points at a character.

    Attributes
    ----------
    formula, at
        The formula, and the place in it, from 0.
    """

    formula: str = ""
    at: int = 0

    def __str__(self) -> str:
        return f"{self.formula}\n{' ' * self.at}^ {self.message}"


def fault(text: str, at: int, what: str, hint: str) -> InputError:
    """Return the error of a fault at a character of a formula."""
    where = f"character {at + 1} of {quoted(text)}"
    return InputError(FormulaFault(what, hint, spot=where, formula=text, at=at))


@dataclass(frozen=True)
class Class:
    """A natural class: the segments with all these values, or all others.

    Attributes
    ----------
    values
        Pairs of a feature's number and a value.
    complement
        Whether the other segments are meant; the word edge is in neither.
    """

    values: tuple[tuple[int, int], ...] = ()
    complement: bool = False

    def codes(self, alphabet: Alphabet) -> str:
        """Return the codes of its segments."""
        table = alphabet.values
        found = (table[:, [f for f, _ in self.values]] == [v for _, v in self.values]).all(axis=1)
        return "".join(chr(0xE000 + n) for n in (found ^ self.complement).nonzero()[0].tolist())


@dataclass(frozen=True)
class Element:
    """One element of a pattern: classes and segments of which one has to be there, or a mark.

    Attributes
    ----------
    classes, letters
        What matches.
    mark
        A mark of :data:`~otlab.forms.notation.MARKS`, ``##`` for an end of the form, or empty.
    repeat
        ``*``, ``+`` or empty.
    """

    classes: tuple[Class, ...] = ()
    letters: tuple[str, ...] = ()
    mark: str = ""
    repeat: str = ""

    def codes(self, alphabet: Alphabet) -> str:
        """Return the codes of the segments that match."""
        found = "".join(one.codes(alphabet) for one in self.classes)
        return found + "".join(alphabet.code(letter) for letter in self.letters)


@dataclass(frozen=True)
class Pattern:
    """A sequence of elements.

    Attributes
    ----------
    text
        As written.
    elements
        In order; those on both sides of ``...`` follow each other on the tier.
    tier
        The class of segments on the tier; None for the whole form.
    long_distance
        Whether it has ``...``, so that its own segments are the tier if none is named.
    """

    text: str
    elements: tuple[Element, ...]
    tier: Class | None = None
    long_distance: bool = False

    @property
    def kinds(self) -> set[str]:
        """Kinds of marks that are not skipped."""
        return {_KINDS[element.mark[0]] for element in self.elements if element.mark}

    @property
    def uses_features(self) -> bool:
        """Whether feature values decide what matches."""
        classes = [one for element in self.elements for one in element.classes]
        return any(one.values for one in classes) or (self.tier is not None and bool(self.tier.values))

    def on_tier(self, alphabet: Alphabet) -> str | None:
        """Return the codes of the segments on the tier, None if every segment and mark is."""
        if self.tier is not None:
            return self.tier.codes(alphabet)
        if self.long_distance:
            return "".join(element.codes(alphabet) for element in self.elements)
        return None

    @property
    def repeats(self) -> bool:
        """Whether an element may be there any number of times."""
        return any(element.repeat for element in self.elements)

    @property
    def backwards(self) -> Pattern:
        """The pattern that matches a form written backwards."""
        return replace(self, elements=self.elements[::-1])

    def skipped(self) -> str:
        """Return the codes of the marks that are skipped between two elements."""
        codes = [code for mark, code in MARKS.items() if mark != "#" and _KINDS[mark] not in self.kinds]
        return "".join(codes) + ("" if "word" in self.kinds else WORD)

    def expression(self, alphabet: Alphabet) -> str:
        """Return the regular expression that matches encoded forms."""
        return "".join(self._parts(alphabet))

    def _parts(self, alphabet: Alphabet) -> list[str]:
        skipped = self.skipped()
        skip = f"[{skipped}]*" if skipped else ""
        last = len(self.elements) - 1
        parts = []
        for n, element in enumerate(self.elements):
            one = self._one(element, alphabet)
            if element.repeat:
                parts.append(f"(?:{one}{skip}){element.repeat}")
            else:
                parts.append(one + (skip if n < last else ""))
        return parts

    def _one(self, element: Element, alphabet: Alphabet) -> str:
        if element.mark == "##":
            return EDGE
        if element.mark == "#":
            return f"[{EDGE}{WORD}]"
        if element.mark == ".":
            return f"[{MARKS['.']}{EDGE}{WORD}]"
        if element.mark:
            return MARKS[element.mark]
        codes = element.codes(alphabet)
        return f"[{codes}]" if codes else _NOTHING


def parse_class(text: str, table: FeatureTable, *, whole: str = "", at: int = 0) -> Class | Element:
    """Return the natural class of what stands between brackets, or the edge of ``+word_boundary``.

    Raises
    ------
    InputError
        At the character that is wrong.
    """
    whole = whole or text
    complement = text.lstrip().startswith("^")
    inner = text.lstrip()[1:] if complement else text
    begin = at + len(text) - len(inner)
    values: list[tuple[int, int]] = []
    edge = 0
    for item in inner.split(","):
        place = begin + len(item) - len(item.lstrip())
        name = item.strip()
        begin += len(item) + 1
        if not name:
            if "," in inner:
                raise fault(whole, place, "a feature is missing here", "write a feature, or remove the comma")
            continue
        if name[1:].strip().lower() == BOUNDARY and BOUNDARY not in table.features:
            edge = 1 if name[0] == "+" else -1
            continue
        try:
            values += parse_values(name, table)
        except InputError as error:
            what, _, hint = error.faults[0].what.partition("; ")
            raise fault(whole, place, what, hint) from None
    if edge > 0:
        if values or complement:
            raise fault(whole, at, "the word edge has no other features", "write [+word_boundary] or # alone")
        return Element(mark="##")
    return Class(tuple(values), complement)


@dataclass
class _Scanner:
    """State of the parser of a pattern."""

    text: str
    at: int
    end: int
    table: FeatureTable
    elements: list[Element] = field(default_factory=list)
    long_distance: bool = False

    def fault(self, at: int, what: str, hint: str) -> InputError:
        return fault(self.text, at, what, hint)

    def run(self) -> None:
        while self.at < self.end:
            mark = self.text[self.at]
            if mark == " ":
                self.at += 1
            elif self.text.startswith(_DOTS, self.at):
                self._dots()
            elif mark in _REPEATS:
                self._repeat(mark)
            else:
                self.elements.append(self._element())

    def _dots(self) -> None:
        if not self.elements:
            raise self.fault(self.at, "nothing stands before ...", "write what is looked for on both sides")
        self.at += 1 if self.text[self.at] == "…" else 3
        if not self.text[self.at : self.end].strip():
            raise self.fault(
                self.at - 1, "nothing stands behind ...", "write what is looked for on both sides"
            )
        self.long_distance = True

    def _repeat(self, mark: str) -> None:
        if not self.elements or self.elements[-1].mark or self.elements[-1].repeat:
            hint = "write it behind a segment or class, as in C₀"
            raise self.fault(self.at, f"{quoted(mark)} repeats nothing", hint)
        self.elements[-1] = replace(self.elements[-1], repeat=_REPEATS[mark])
        self.at += 1

    def _element(self) -> Element:
        mark = self.text[self.at]
        if mark == "[":
            return self._bracket()
        if mark == "{":
            return self._alternatives()
        if self.text.startswith("##", self.at):
            self.at += 2
            return Element(mark="##")
        if mark in MARKS:
            self.at += 1
            return Element(mark=mark)
        return self._letter(self.end)

    def _letter(self, end: int) -> Element:
        """Return the element of the segment that begins here."""
        rest = self.text[self.at : min(end, self.at + _MOST_OF_SEGMENT)]
        found = segments(rest.split(" ")[0].rstrip("₀₁"), self.table)
        first = found[0] if found else rest[0]
        if not found or not (first[0].isalpha() or ord(first[0]) > 0x2AF or first[0] in "!ǃǀ|"):
            hint = "write segments, classes like [+voice], C, V, or the marks . # - + ˈ ˌ ( )"
            raise self.fault(self.at, f"{quoted(rest[0])} is not a segment or mark", hint)
        self.at += len(first)
        if first in self.table.shorthands and first not in self.table.index:
            return Element(classes=(Class(tuple(parse_values(self.table.shorthands[first], self.table))),))
        return Element(letters=(first,))

    def _bracket(self) -> Element:
        start = self.at
        close = self.text.find("]", start, self.end)
        if close < 0:
            raise self.fault(start, "this bracket is not closed", "write ] behind the features")
        self.at = close + 1
        one = parse_class(self.text[start + 1 : close], self.table, whole=self.text, at=start + 1)
        return one if isinstance(one, Element) else Element(classes=(one,))

    def _alternatives(self) -> Element:
        start = self.at
        close = self.text.find("}", start, self.end)
        if close < 0:
            raise self.fault(start, "this brace is not closed", "write } behind the last alternative")
        self.at += 1
        found = Element()
        while self.at < close:
            if self.text[self.at] in ", ":
                self.at += 1
                continue
            one = self._bracket() if self.text[self.at] == "[" else self._letter(close)
            if one.mark:
                raise self.fault(start, "an edge cannot be one of several", "write two formulas joined by or")
            found = Element(found.classes + one.classes, found.letters + one.letters)
        self.at = close + 1
        if not (found.classes or found.letters):
            raise self.fault(start, "nothing stands between the braces", "write alternatives, as in {p,t,k}")
        return found


def parse_pattern(
    text: str,
    table: FeatureTable,
    tiers: Mapping[str, Class] | None = None,
    *,
    start: int = 0,
    end: int | None = None,
) -> Pattern:
    """Return the pattern in a part of a text.

    Parameters
    ----------
    text
        A formula, at whose characters faults point.
    table
        The feature table.
    tiers
        Named tiers, by name in any case.
    start, end
        Where the pattern is; ``(tier=Vowel)`` or ``(tier=[+syll])`` may end it.

    Raises
    ------
    InputError
        At the character that is wrong.
    """
    end = len(text) if end is None else end
    if end - start > MOST_CHARACTERS:
        raise fault(
            text, start, f"the pattern has {end - start:,} characters", f"write {MOST_CHARACTERS:,} or less"
        )
    tier = None
    named = re.search(r"\s*\(tier=([^()]*)\)\s*$", text[start:end])
    if named:
        tier = _tier(text, start + named.start(1), start + named.end(1), table, tiers or {})
        end = start + named.start()
    scanner = _Scanner(text, start, end, table)
    scanner.run()
    if not scanner.elements:
        raise fault(
            text, min(start, max(len(text) - 1, 0)), "nothing is looked for", "write a sequence, as *CC"
        )
    if all(element.repeat == "*" for element in scanner.elements):
        raise fault(text, start, "this matches everywhere", "write something that has to be there")
    return Pattern(text[start:end], tuple(scanner.elements), tier, scanner.long_distance)


def _tier(text: str, start: int, end: int, table: FeatureTable, tiers: Mapping[str, Class]) -> Class | None:
    """Return the class of a tier that is named or written as a class; None for the whole form."""
    name = text[start:end].strip()
    known = {key.lower(): one for key, one in tiers.items()}
    if name.lower() in known:
        return known[name.lower()]
    if name.lower() in ("default", ""):
        return None
    if name.startswith("[") and name.endswith("]"):
        one = parse_class(name[1:-1], table, whole=text, at=start + 1)
        if isinstance(one, Class):
            return one
    if name in table.shorthands:
        return Class(tuple(parse_values(table.shorthands[name], table)))
    raise fault(text, start, f"no tier is called {quoted(name)}", "write a class, as in (tier=[+syll])")
