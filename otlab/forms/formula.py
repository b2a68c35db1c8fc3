"""Formulas: what a column of violations counts, as a text.

::

    *[+voice,-son]#                 places in the candidate where the sequence begins
    *V...V     *[+high][-high] (tier=[+syll])                            on a tier
    /a.*a/                          matches of a regular expression in the written candidate
    Max  Max[V]  Dep[ʔ]  Ident[voice]  Ident[+nasal]  Uniformity  Integrity
    Linearity  Contiguity  *Map(n,m)                          input and candidate compared
    Ident[voice] / _.V     Max[C] /in #_    only where the candidate (or the input) is in the context
    Agree[voice]  OCP[place]  NoGeminate                      neighbours compared
    Parse  FtBin  AFL ...           footed forms (Tesar & Smolensky 2000)
    *CC. or *.CC                    the counts of both added
    Onset  NoCoda ...               names of formulas (:mod:`otlab.forms.names`)

:func:`parse_formula` reads them; :mod:`otlab.forms.counting` counts.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from otlab.errors import InputError, did_you_mean, quoted
from otlab.forms.features import PLACE, FeatureTable, hayes
from otlab.forms.feet import FOOT_CONSTRAINTS
from otlab.forms.names import KNOWN, plain_name
from otlab.forms.pattern import Class, Element, Pattern, fault, parse_class, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Context", "Faith", "Feet", "Formula", "Neighbours", "Surface", "Written", "parse_formula"]

MOST_OF_FORMULA = 20_000  # characters
FAITH = (
    "Max",
    "Dep",
    "Ident",
    "Uniformity",
    "Integrity",
    "Linearity",
    "Contiguity",
    "I-Contig",
    "O-Contig",
    "*Map",
)
NEIGHBOURS = ("Agree", "OCP", "NoGeminate")


@dataclass(frozen=True)
class Surface:
    """Places of a sequence in the candidate."""

    pattern: Pattern


@dataclass(frozen=True)
class Written:
    """Matches of a regular expression in the candidate as written; overlapping ones count each."""

    expression: str


@dataclass(frozen=True)
class Context:
    """Where something has to be: what stands before and behind it.

    Attributes
    ----------
    left, right
        None where anything may stand.
    in_input
        Whether the input has to be so; else the candidate.
    """

    left: Pattern | None
    right: Pattern | None
    in_input: bool = False


@dataclass(frozen=True)
class Faith:
    """Differences of the candidate from the input.

    Attributes
    ----------
    kind
        One of :data:`FAITH`.
    what
        The segments concerned; None for all.
    features
        Numbers of the features that ``Ident`` compares; empty for all.
    value
        1 or -1 if only input segments with that value of the feature count, else 0.
    becomes
        What the segments become, for ``*Map``.
    context
        Where; None for everywhere.
    """

    kind: str
    what: Element | None = None
    features: tuple[int, ...] = ()
    value: int = 0
    becomes: Element | None = None
    context: Context | None = None


@dataclass(frozen=True)
class Neighbours:
    """Pairs of neighbouring consonants that differ (``Agree``), or do not (``OCP``, ``NoGeminate``).

    Attributes
    ----------
    kind
        One of :data:`NEIGHBOURS`.
    features
        Numbers of the features that are compared.
    among
        The segments that are compared.
    """

    kind: str
    features: tuple[int, ...]
    among: Class


@dataclass(frozen=True)
class Feet:
    """A constraint on footed forms, by its name in :data:`~otlab.forms.feet.FOOT_CONSTRAINTS`."""

    name: str


Term = Surface | Written | Faith | Neighbours | Feet


@dataclass(frozen=True)
class Formula:
    """What a column counts: the sum of its terms.

    Attributes
    ----------
    text
        As written.
    terms
        One or more.
    """

    text: str
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return self.text

    @property
    def compares(self) -> bool:
        """Whether the input is compared with the candidate, so that several alignments may be possible."""
        return any(isinstance(term, Faith) for term in self.terms)

    @property
    def uses_features(self) -> bool:
        """Whether segments without feature values cannot be counted."""
        return any(_uses_features(term) for term in self.terms)


def _uses_features(term: Term) -> bool:
    if isinstance(term, Surface):
        return term.pattern.uses_features
    if isinstance(term, Faith):
        contexts = (term.context.left, term.context.right) if term.context else ()
        elements = [one for one in (term.what, term.becomes) if one is not None]
        return (
            term.kind == "Ident"
            or any(side.uses_features for side in contexts if side)
            or any(one.values for element in elements for one in element.classes)
        )
    return isinstance(term, Neighbours)


def parse_formula(
    text: str, table: FeatureTable | None = None, tiers: Mapping[str, Class] | None = None
) -> Formula:
    """Return the formula in a text.

    Parameters
    ----------
    text
        As in this module's notation, or a name of :mod:`otlab.forms.names`.
    table
        The feature table, by default Hayes's.
    tiers
        Named tiers (:func:`otlab.forms.tiers.read_tiers`).

    Raises
    ------
    InputError
        At the character that is wrong (:class:`~otlab.forms.pattern.FormulaFault`).

    Examples
    --------
    >>> parse_formula("*[+voice,-son]#").terms[0].pattern.elements[1].mark
    '#'
    >>> parse_formula("Max[V")
    Traceback (most recent call last):
    otlab.errors.InputError: Max[V
       ^ this bracket is not closed; write ] behind the features
    """
    table = table or hayes()
    if not text.strip():
        raise fault(text or " ", 0, "the formula is empty", "write one, as *CC or Max")
    if len(text) > MOST_OF_FORMULA:
        what = f"the formula has {len(text):,} characters"
        raise fault(text[:60], 0, what, f"write {MOST_OF_FORMULA:,} or less")
    terms = [_term(text, start, end, table, tiers or {}) for start, end in _parts(text)]
    return Formula(text.strip(), tuple(term for found in terms for term in found))


def _parts(text: str) -> list[tuple[int, int]]:
    """Return where the terms that ``or`` joins stand, without blanks around them."""
    parts, start = [], 0
    for joint in [*re.finditer(r"(?<!\s)\s+or\s+", text), None]:
        end = len(text) if joint is None else joint.start()
        inside = text[start:end].lstrip()
        if joint is not None and inside.startswith("/") and not re.search(r"(?<!\\)/$", inside[1:]):
            continue  # within a regular expression
        first = start + len(text[start:end]) - len(inside)
        parts.append((first, first + len(inside.rstrip())))
        start = end if joint is None else joint.end()
    return parts


def _term(
    text: str, start: int, end: int, table: FeatureTable, tiers: Mapping[str, Class]
) -> tuple[Term, ...]:
    written = text[start:end]
    if not written:
        raise fault(text, min(start, len(text) - 1), "a formula is missing here", "write one, or remove or")
    if written.startswith("/"):
        return (_regular_expression(text, start, end),)
    known = KNOWN.get(plain_name(written))
    if known is not None:
        return parse_formula(known.formula, table, tiers).terms if known.formula else (Feet(known.name),)
    if re.match(r"\*map\s*\(", written, re.IGNORECASE):
        return (_map(text, start, end, table, tiers),)
    if written.startswith("*"):
        return (Surface(parse_pattern(text, table, tiers, start=start + 1, end=end)),)
    return (_named(text, start, end, table, tiers),)


def _regular_expression(text: str, start: int, end: int) -> Written:
    if end - start < 3 or text[end - 1] != "/":
        hint = "write / at both ends, as in /a.*a/"
        raise fault(text, end - 1, "the regular expression has no end", hint)
    source = text[start + 1 : end - 1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of sets in sets, which may mean more one day
            re.compile(source)
            regex.compile(source)
    except (re.error, regex.error) as error:
        at = start + 1 + (getattr(error, "pos", 0) or 0)
        raise fault(
            text, min(at, end - 1), f"this is no regular expression: {error.msg}", "correct it"
        ) from None
    except (RecursionError, OverflowError):
        raise fault(
            text, start, "the regular expression is too deeply nested", "write a simpler one"
        ) from None
    return Written(source)


_NAME = re.compile(r"\*?[A-Za-z]+(?:-[A-Za-z]+)*")


def _named(text: str, start: int, end: int, table: FeatureTable, tiers: Mapping[str, Class]) -> Term:
    """Return the term of a name with an argument between brackets and a context behind a slash."""
    found = _NAME.match(text, start, end)
    kinds = {plain_name(kind): kind for kind in (*FAITH, *NEIGHBOURS)}
    kind = kinds.get(plain_name(found.group())) if found else None
    if found is None or kind is None:
        names = [*FAITH, *NEIGHBOURS, *(one.name for one in KNOWN.values()), *FOOT_CONSTRAINTS]
        name = found.group() if found else text[start:end]
        hint = (
            f"{did_you_mean(name, names)}; a sequence begins with *" if found else "a sequence begins with *"
        )
        raise fault(text, start, f"{quoted(name)} is no formula", hint)
    at, argument = found.end(), None
    if at < end and text[at] == "[":
        close = text.find("]", at, end)
        if close < 0:
            raise fault(text, at, "this bracket is not closed", "write ] behind the features")
        argument, at = (at + 1, close), close + 1
    rest = text[at:end].strip()
    context = None
    if rest:
        slash = at + text[at:end].index(rest)
        if text[slash] != "/" or kind in NEIGHBOURS:
            hint = "write a context behind a slash, as in / _.V, or remove it"
            raise fault(text, slash, f"{quoted(rest)} does not belong here", hint)
        context = _context(text, slash, end, table, tiers)
    if kind in NEIGHBOURS:
        return _neighbours(text, kind, argument, table)
    return _faith(text, kind, argument, context, table)


def _faith(
    text: str, kind: str, argument: tuple[int, int] | None, context: Context | None, table: FeatureTable
) -> Faith:
    if argument is None:
        return Faith(kind, context=context)
    if kind == "Ident":
        features, value = _features(text, argument, table)
        return Faith(kind, features=features, value=value, context=context)
    if kind not in ("Max", "Dep"):
        raise fault(text, argument[0], f"{kind} takes nothing between brackets", "remove the brackets")
    return Faith(kind, what=_segments(text, argument, table), context=context)


def _segments(text: str, place: tuple[int, int], table: FeatureTable) -> Element:
    """Return the segments that an argument names: ``V``, ``t``, ``{t,d}`` or ``+nasal``."""
    start, end = place
    inner = text[start:end]
    if inner.lstrip()[:1] in ("+", "-", "−", "^"):
        one = parse_class(inner, table, whole=text, at=start)
        elements: tuple[Element, ...] = (Element(classes=(one,)) if isinstance(one, Class) else one,)
    elif not inner.strip():
        raise fault(
            text, start, "nothing stands between the brackets", "write a segment or class, as in Max[V]"
        )
    else:
        elements = parse_pattern(text, table, start=start, end=end).elements
    if len(elements) != 1 or elements[0].mark or elements[0].repeat:
        raise fault(
            text, start, f"{quoted(inner)} is not one segment or class", "write one, as in Max[V] or Dep[ʔ]"
        )
    return elements[0]


def _features(text: str, place: tuple[int, int], table: FeatureTable) -> tuple[tuple[int, ...], int]:
    """Return the features that an argument names, and the sign before a single one."""
    start, end = place
    inner = text[start:end]
    if inner.strip().lower() == "place":
        return tuple(n for n, name in enumerate(table.features) if name in PLACE), 0
    numbers, at, sign = [], start, 0
    for item in inner.split(","):
        name = item.strip()
        first = at + len(item) - len(item.lstrip())
        at += len(item) + 1
        if not name:
            raise fault(text, min(first, end), "a feature is missing here", "write one, as in Ident[voice]")
        sign = {"+": 1, "-": -1, "−": -1}.get(name[0], 0)
        try:
            numbers.append(table.feature(name.lstrip("+-−").strip()))
        except InputError as error:
            what, _, hint = error.faults[0].what.partition("; ")
            raise fault(text, first, what, hint) from None
    return tuple(numbers), sign if len(numbers) == 1 else 0


def _neighbours(text: str, kind: str, argument: tuple[int, int] | None, table: FeatureTable) -> Neighbours:
    consonant = table.feature("syllabic"), -1
    if kind == "NoGeminate":
        if argument is not None:
            raise fault(text, argument[0], "NoGeminate takes nothing between brackets", "remove the brackets")
        return Neighbours(kind, (), Class((consonant,)))
    if argument is None:
        hint = f"write one, as in {kind}[voice] or {kind}[place]"
        raise fault(text, len(text) - 1, f"{kind} needs a feature", hint)
    features, _ = _features(text, argument, table)
    among: tuple[tuple[int, int], ...] = (consonant,)
    if kind == "Agree" and features == (table.feature("voice"),):
        among = (consonant, (table.feature("sonorant"), -1))
    return Neighbours(kind, features, Class(among))


def _map(text: str, start: int, end: int, table: FeatureTable, tiers: Mapping[str, Class]) -> Faith:
    """Return the term of ``*Map(x,y)``: x in the input is y in the candidate (Zuraw 2013)."""
    begin, close = text.index("(", start), text.find(")", start, end)
    comma = _comma(text, begin + 1, close)
    if close < 0 or comma < 0:
        raise fault(text, begin, "*Map needs two segments or classes", "write it as *Map(n,m)")
    what = _segments(text, (begin + 1, comma), table)
    becomes = _segments(text, (comma + 1, close), table)
    rest = text[close + 1 : end].strip()
    context = None
    if rest:
        slash = close + 1 + text[close + 1 : end].index(rest)
        context = _context(text, slash, end, table, tiers)
    return Faith("*Map", what=what, becomes=becomes, context=context)


def _comma(text: str, start: int, end: int) -> int:
    """Return where the comma outside brackets is, -1 if there is none."""
    depth = 0
    for at in range(start, max(end, start)):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(text[at], 0)
        if text[at] == "," and not depth:
            return at
    return -1


def _context(text: str, slash: int, end: int, table: FeatureTable, tiers: Mapping[str, Class]) -> Context:
    """Return the context in ``/ left _ right``, ``/in`` or ``/out``."""
    at = slash + 1
    side = (
        re.compile(r"\s*(in|out)(?=\s|_|[#.*\[])", re.IGNORECASE).match(text, at, end) if at < end else None
    )
    if side:
        at = side.end()
    gap = text.find("_", at, end)
    if text[slash] != "/" or gap < 0 or text.find("_", gap + 1, end) >= 0:
        raise fault(text, slash, "the context has no place", "write one _ where the segment is, as in / _.V")
    sides = []
    for first, last in ((at, gap), (gap + 1, end)):
        blank = not text[first:last].strip()
        sides.append(None if blank else parse_pattern(text, table, tiers, start=first, end=last))
        if sides[-1] is not None and (sides[-1].tier or sides[-1].long_distance):
            raise fault(text, first, "a context has no tier", "write segments, classes and marks")
    return Context(sides[0], sides[1], bool(side and side.group(1).lower() == "in"))
