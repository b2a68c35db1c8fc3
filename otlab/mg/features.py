"""Syntactic features and the conventions in which they are written.

=============  ==============================================  ======  ===========
kind           meaning                                         seed    stabler2011
=============  ==============================================  ======  ===========
category       what the item is                                ``x``   ``x``
right          selects an ``x`` to its right                   ``=x``  ``x=``
left           selects an ``x`` to its left                    ``x=``  ``=x``
licensor       attracts a mover to its left                    ``+y``  ``+y``
licensee       must move to a licensor                         ``-y``  ``-y``
head-left      selects an ``x`` to its right, whose head       ``=>x``
               moves to the left of its own
head-right     the same, to the right of its own               ``x<=``
hop-right      selects an ``x`` to its right and hops          ``==>x``
               behind the head of it
hop-left       the same, before the head of it                 ``x<==``
adjoin-right   adjoins to an ``x`` to its right                ``≈x``
adjoin-left    adjoins to an ``x`` to its left                 ``x≈``
=============  ==============================================  ======  ===========

``=>x`` to ``x<==`` are head movement and affix hopping (Stabler 2001), the same in all conventions; they
stand first in an item, because only the head of a complement moves. Stabler's own ``x==>`` and ``<==x``
are read too. The last two are adjunction (Frey & Gärtner 2002): the last feature of an adjunct, in place
of a category; the phrase it adjoins to keeps its own. ``>>x`` and ``x<<`` are read as ``≈x`` and ``x≈``.

``seed`` is the notation of Portelance et al. (2022), ``stabler2011`` that of the
directional grammars of Stabler (2011). ``nondirectional`` grammars (Stabler 1997)
write every selector ``=x``: the first of an item selects its complement, to the
right, later ones specifiers, to the left. Categories and licensees are two name
spaces. A well-formed sequence is ``(selector | licensor)* category licensee*``, or an adjunct's
``(selector | licensor)* adjoin``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from otlab.errors import quoted

__all__ = [
    "ADJOINING",
    "CONVENTIONS",
    "HEAD_KINDS",
    "Convention",
    "Feature",
    "FeatureFault",
    "category_of",
    "format_features",
    "parse_features",
    "projection_of",
]

Convention = Literal["seed", "stabler2011", "nondirectional"]
Kind = Literal[
    "category",
    "right",
    "left",
    "licensor",
    "licensee",
    "head-left",
    "head-right",
    "hop-right",
    "hop-left",
    "adjoin-right",
    "adjoin-left",
]
ADJOINING: tuple[Kind, ...] = ("adjoin-right", "adjoin-left")
HEAD_KINDS: tuple[Kind, ...] = ("head-left", "head-right", "hop-right", "hop-left")
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

_TOKEN = re.compile(r"(?P<mark>[=+-]?)(?P<name>[^\s=+|:,#\[\]-][^\s=+|:,#\[\]]*)(?P<end>=?)")
MOST_FEATURES = 500
# What word processors make of a hyphen and of arrows, the minus sign, and wide signs.
_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-")
    | {"\u21d2": "=>", "\u21d0": "<=", "\uf0e8": "==>", "\uf0e7": "<==", "\uff1d": "=", "\uff0b": "+"}
)
_MOST_KEPT = 4096  # sequences: items of a lexicon share few
_ADJUNCTION = re.compile(r">>|<<|≈|≃")
_ADJOINING_TOKEN = re.compile(
    r"(?P<before>>>|[≈≃])?(?P<name>[^\s=+|:,#\[\]<>≈≃-][^\s=+|:,#\[\]<>≈≃]*)(?P<after><<|[≈≃])?"
)
_JOINED = re.compile(r"\w\.[=+-]")  # d.-k, =n.d.-k; v.tr is a name
_ARROW = re.compile(r"=>|<=")
_HEAD_TOKEN = re.compile(
    r"(?P<before>=?=>|<==?)?(?P<name>[^\s=+|:,#\[\]<>-][^\s=+|:,#\[\]<>]*)(?P<after>=?=>|<==?)?"
)
# How a head selector is written: what is before and after the name.
_HEAD_MARKS: dict[tuple[str | None, str | None], Kind] = {
    ("=>", None): "head-left",
    (None, "<="): "head-right",
    ("==>", None): "hop-right",
    (None, "==>"): "hop-right",
    (None, "<=="): "hop-left",
    ("<==", None): "hop-left",
}
_SEED_TEXT = {
    "category": "{}",
    "right": "={}",
    "left": "{}=",
    "licensor": "+{}",
    "licensee": "-{}",
    "head-left": "=>{}",
    "head-right": "{}<=",
    "hop-right": "==>{}",
    "hop-left": "{}<==",
    "adjoin-right": "≈{}",
    "adjoin-left": "{}≈",
}
_KINDS: dict[str, Kind] = {"=": "right", "+": "licensor", "-": "licensee", "": "category"}
_SWAPPED = {"right": "left", "left": "right"}


class Feature(NamedTuple):
    """One feature, its direction already resolved.

    A tuple, because features are hashed all the time.

    >>> [str(f) for f in parse_features("=d d= v")]
    ['=d', 'd=', 'v']
    """

    kind: Kind
    name: str

    @property
    def selects(self) -> bool:
        """Whether it takes another phrase: a selector of any kind, or a feature of adjunction."""
        return self.kind not in ("category", "licensor", "licensee")

    @property
    def moves_head(self) -> bool:
        """Whether it is a selector of head movement or affix hopping."""
        return self.kind in HEAD_KINDS

    @property
    def adjoins(self) -> bool:
        """Whether it is a feature of adjunction, the last of an adjunct."""
        return self.kind in ADJOINING

    @property
    def side(self) -> str:
        """On which side it finds what it selects or adjoins to, ``"left"`` or ``"right"``."""
        return "left" if self.kind in ("left", "adjoin-left") else "right"

    def text(self, convention: Convention = "seed") -> str:
        """Return the feature as a file of this convention writes it."""
        if self.kind not in ("right", "left") or convention == "seed":
            return _SEED_TEXT[self.kind].format(self.name)
        if convention == "nondirectional":
            return f"={self.name}"
        return _SEED_TEXT[_SWAPPED[self.kind]].format(self.name)

    def __str__(self) -> str:
        return self.text()


class FeatureFault(ValueError):
    """Fault of a feature sequence.

    Attributes
    ----------
    code, what, hint
        Stable code of the check, what is wrong, what to do.
    offset
        Where in the text, counted from 0.
    """

    def __init__(self, code: str, what: str, hint: str, offset: int) -> None:
        super().__init__(f"{what}; {hint}")
        self.code, self.what, self.hint, self.offset = code, what, hint, offset


@lru_cache(maxsize=_MOST_KEPT)
def parse_features(text: str, convention: Convention = "seed") -> tuple[Feature, ...]:
    """Return the features written in `text`.

    Raises
    ------
    FeatureFault
        E101 an unreadable token, or one of semantics; E102 no category;
        E103 two categories; E104 a feature where it cannot stand; E106 more than 500 features.
    """
    before, more, meaning = text.partition("::")
    if more:
        what = f"semantics after a second '::' is not supported: {quoted(meaning.strip())}"
        raise FeatureFault("E101", what, "leave it out", len(before))
    tokens = _tokens(text)
    features = [_feature(token, offset, convention) for token, offset in tokens]
    if convention == "nondirectional":
        features = _direct(features)
    _check_order(features, tokens, len(text))
    return tuple(features)


def _tokens(text: str) -> list[tuple[str, int]]:
    """Return the tokens and their offsets; refuse more than any item has."""
    tokens = [(m.group().translate(_SIGNS), m.start()) for m in re.finditer(r"\S+", text)]
    if len(tokens) > MOST_FEATURES:
        what = f"an item of {len(tokens):,} features"
        raise FeatureFault("E106", what, f"use {MOST_FEATURES} or fewer", tokens[MOST_FEATURES][1])
    return tokens


def _feature(token: str, offset: int, convention: Convention) -> Feature:
    if _ADJUNCTION.search(token):
        return _adjoining_feature(token, offset)
    if _ARROW.search(token):
        return _head_feature(token, offset)
    if _JOINED.search(token):
        hint = f"separate features by blanks: {token.replace('.', ' ')}"
        raise FeatureFault("E101", f"{quoted(token)} joins features by full stops", hint, offset)
    match = _TOKEN.fullmatch(token)
    if match is None or (match["mark"] and match["end"]):
        raise FeatureFault("E101", f"{token!r} is not a feature", _remedy(token), offset)
    if convention == "nondirectional" and match["end"]:
        hint = "write the selector with = in front, or choose a directional @convention"
        raise FeatureFault("E101", f"{token!r} has a direction in a non-directional lexicon", hint, offset)
    kind = "left" if match["end"] else _KINDS[match["mark"]]
    if convention == "stabler2011" and kind in ("right", "left"):
        kind = "left" if kind == "right" else "right"
    return Feature(kind, match["name"])


def _head_feature(token: str, offset: int) -> Feature:
    match = _HEAD_TOKEN.fullmatch(token)
    kind = match and _HEAD_MARKS.get((match["before"], match["after"]))
    if match is None or kind is None:
        hint = "write =>x or x<= for head movement, ==>x or x<== for affix hopping"
        raise FeatureFault("E101", f"{token!r} is not a feature", hint, offset)
    return Feature(kind, match["name"])


def _adjoining_feature(token: str, offset: int) -> Feature:
    match = _ADJOINING_TOKEN.fullmatch(token)
    if match is None or (match["before"] is None) == (match["after"] is None):
        hint = "write ≈x to adjoin to an x to the right, x≈ to adjoin to one to the left"
        raise FeatureFault("E101", f"{quoted(token)} is not a feature", hint, offset)
    return Feature("adjoin-right" if match["before"] else "adjoin-left", match["name"])


def _remedy(token: str) -> str:
    """Return a correction for a token that is no feature."""
    parts = [part for part in re.split(r"[\[\],]+", token) if part]
    if "".join(parts) != token and parts and all(_TOKEN.fullmatch(part) for part in parts):
        return f"separate features by blanks, without commas or brackets: {' '.join(parts)}"
    return "write x, =x, x=, +x or -x"


def _direct(features: list[Feature]) -> list[Feature]:
    """Return the features with directions: the first selector to the right, later ones to the left."""
    selectors = [i for i, f in enumerate(features) if f.selects]
    later = [i for i in selectors[1:] if not (features[i].moves_head or features[i].adjoins)]
    return [Feature("left", f.name) if i in later else f for i, f in enumerate(features)]


def _check_order(features: list[Feature], tokens: list[tuple[str, int]], length: int) -> None:
    category: str | None = None
    adjoins = False
    before = ""
    for feature, (token, offset) in zip(features, tokens, strict=True):
        if feature.kind == "licensee" and adjoins:
            hint = (
                f"write two items: word :: adv {token}, and a silent one that selects it, ε :: =adv {before}"
            )
            raise FeatureFault("E104", f"{token!r} comes after {before!r}: an adjunct's own", hint, offset)
        if feature.adjoins and category is not None:
            what = f"{token!r} comes after the category {category!r}"
            raise FeatureFault("E104", what, "an adjunct has no category: write one of the two", offset)
        if feature.kind == "category" or feature.adjoins:
            if category is not None:
                what = f"{token!r} is a second category beside {category!r}"
                hint = "keep one; write =x to select, -x to move"
                if before == "-o":  # n -o d of linear logic: selects n, is d
                    hint = f"for {category} -o {token} write: ={category} {token}"
                raise FeatureFault("E103", what, hint, offset)
            category, adjoins = token, feature.adjoins
        elif feature.moves_head and before:
            what = f"{token!r} moves a head and is not the first feature"
            raise FeatureFault("E104", what, "write it first: only the head of a complement moves", offset)
        elif feature.kind == "licensee" and category is None:
            what = f"{token!r} comes before the category"
            raise FeatureFault("E104", what, "write licensees after the category", offset)
        elif feature.kind != "licensee" and category is not None:
            what = f"{token!r} comes after the category {category!r}"
            raise FeatureFault("E104", what, "only licensees (-x) may follow the category", offset)
        before = token
    if category is None:
        raise FeatureFault("E102", "there is no category", "add one, such as d, after the selectors", length)


@lru_cache(maxsize=_MOST_KEPT)
def format_features(features: tuple[Feature, ...], convention: Convention = "seed") -> str:
    """Return features separated by single blanks.

    >>> format_features(parse_features("=d d= v"), "stabler2011")
    'd= =d v'
    """
    return " ".join(f.text(convention) for f in features)


def category_of(features: tuple[Feature, ...]) -> str:
    """Return the name of the one category feature; of an adjunct, the category that it adjoins to."""
    return next(f.name for f in features if f.kind == "category" or f.adjoins)


def projection_of(features: tuple[Feature, ...]) -> str:
    """Return the name of the phrase that an item heads: its category, or ``≈x`` for an adjunct to x."""
    return next(
        f.name if f.kind == "category" else f"≈{f.name}"
        for f in features
        if f.kind == "category" or f.adjoins
    )
