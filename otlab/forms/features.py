"""Feature tables: which segments there are, and their values of phonological features.

The table of Hayes (2009, Introductory Phonology) is the default (package ``hayes2009``). A table of one's
own is a text with a row per segment and a column per feature, separated by tabs or commas, as UCLA's
phonotactic learner and panphon write it::

            voice  labial  long
    p       -      +       -
    b       +      +       -        + plus, - minus, 0 without a value

A natural class ``[+son,-syll]`` is the segments that have all these values. The word edge is no segment,
so it is never in a complement ``[^+son]``; ``[+word_boundary]`` is the edge and ``[-word_boundary]`` every
segment, as in the files of UCLA's learner.
"""

from __future__ import annotations

import csv
import unicodedata
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import MOST_FAULTS, Fault, InputError, counted, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "BOUNDARY",
    "PLACE",
    "SHORTHANDS",
    "FeatureTable",
    "hayes",
    "normal",
    "parse_values",
    "read_features",
]

BOUNDARY = "word_boundary"
"""The feature by which files of UCLA's learner write the word edge."""

SHORTHANDS: dict[str, str] = {
    "C": "-syllabic",
    "V": "+syllabic",
    "N": "+nasal",
    "G": "-syllabic,-consonantal",
    "L": "+approximant,+consonantal",
    "T": "-sonorant",
}
"""Capital letters that stand for a natural class in a formula, unless the table has a segment so written."""

PLACE = ("LABIAL", "CORONAL", "DORSAL", "anterior", "distributed", "labiodental")
"""The features that ``Ident[place]`` and ``Agree[place]`` compare."""

_VALUES = {"+": 1, "-": -1, "−": -1, "–": -1, "0": 0, "": 0, "1": 1, "-1": -1, "−1": -1}
_ALIASES = {
    "hi": "high",
    "lo": "low",
    "bk": "back",
    "rd": "round",
    "lab": "labial",
    "cor": "coronal",
    "dor": "dorsal",
    "strid": "strident",
    "del rel": "delayed release",
    "delrel": "delayed release",
    "sg": "spread gl",
    "cg": "constr gl",
    "voi": "voice",
    "ant": "anterior",
}


def normal(text: str) -> str:
    """Return a text in Unicode's normal form NFC, with g for both letters of the voiced velar stop."""
    return unicodedata.normalize("NFC", text).replace("g", "ɡ")


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTable:
    """Segments and their feature values; immutable.

    Parameters
    ----------
    segments
        Each different, in the normal form of :func:`normal`.
    features
        Names, each different.
    values : int8 (segments, features)
        1 for plus, -1 for minus, 0 without a value.
    name
        What messages call the table.
    shorthands
        Capital letter -> what it stands for, as between the brackets of a class.
    """

    segments: tuple[str, ...]
    features: tuple[str, ...]
    values: NDArray[np.int8]
    name: str = ""
    shorthands: Mapping[str, str] = field(default_factory=lambda: dict(SHORTHANDS))

    def __repr__(self) -> str:
        segments, features = counted(len(self.segments), "segment"), counted(len(self.features), "feature")
        return f"<FeatureTable {self.name}: {segments}, {features}>"

    @cached_property
    def index(self) -> dict[str, int]:
        """Number of each segment."""
        return {segment: n for n, segment in enumerate(self.segments)}

    @cached_property
    def longest(self) -> int:
        """Number of characters of the longest segment."""
        return max(map(len, self.segments), default=1)

    def feature(self, name: str) -> int:
        """Return the number of a feature, given by its name, a usual abbreviation or a unique beginning.

        Raises
        ------
        InputError
            If no feature, or more than one, is meant.
        """
        plain = [_plain(feature) for feature in self.features]
        wanted = _plain(name)
        for spelled in (wanted, _ALIASES.get(wanted, wanted)):
            if spelled in plain:
                return plain.index(spelled)
        begun = [n for n, feature in enumerate(plain) if wanted and feature.startswith(wanted)]
        if len(begun) == 1:
            return begun[0]
        if begun:
            names = ", ".join(self.features[n] for n in begun)
            raise InputError(f"{quoted(name)} could be {names}; write more of the name")
        raise InputError(
            f"no feature is called {quoted(name)}; {did_you_mean(name.lower(), list(self.features))}"
        )

    def with_segment(self, segment: str, like: str, changes: str = "") -> FeatureTable:
        """Return the table with a further segment: like another, but with some values changed.

        Parameters
        ----------
        segment
            The new segment.
        like
            A segment of the table.
        changes
            ``"+long,-voice"``; empty for none.

        Raises
        ------
        InputError
            If the segment is there already, `like` is not, or a feature is unknown.
        """
        new, model = normal(segment.strip()), normal(like.strip())
        if not new:
            raise InputError("the new segment is empty; write its letter")
        if new in self.index:
            raise InputError(f"{quoted(segment)} is in the feature table already; choose another")
        if model not in self.index:
            raise InputError(f"{quoted(like)} is not in the feature table; choose a segment that is")
        row = self.values[self.index[model]].copy()
        for feature, value in parse_values(changes, self):
            row[feature] = value
        return FeatureTable(
            (*self.segments, new), self.features, np.vstack([self.values, row]), self.name, self.shorthands
        )

    def with_shorthand(self, letter: str, values: str) -> FeatureTable:
        """Return the table in which a capital letter stands for another natural class.

        Raises
        ------
        InputError
            If a feature is unknown.
        """
        parse_values(values, self)
        return FeatureTable(
            self.segments, self.features, self.values, self.name, {**self.shorthands, letter: values}
        )

    def written(self) -> str:
        """Return the table as text, as :func:`read_features` reads it."""
        signs = {1: "+", -1: "-", 0: "0"}
        lines = ["\t" + "\t".join(self.features)]
        for segment, row in zip(self.segments, self.values.tolist(), strict=True):
            lines.append("\t".join([segment, *(signs[value] for value in row)]))
        return "\n".join(lines) + "\n"


def parse_values(text: str, table: FeatureTable) -> list[tuple[int, int]]:
    """Return the (feature, value) pairs of a text such as ``+son,-syll``.

    Raises
    ------
    InputError
        If an item has no sign, or its feature is not in the table.

    Examples
    --------
    >>> table = hayes()
    >>> [(table.features[n], value) for n, value in parse_values("+voice, -son", table)]
    [('voice', 1), ('sonorant', -1)]
    """
    pairs = []
    for item in (item.strip() for item in text.split(",")):
        if not item:
            continue
        if item[0] not in "+-−–0":
            raise InputError(f"{quoted(item)} has no sign; write +{item} or -{item}")
        pairs.append((table.feature(item[1:].strip()), _VALUES[item[0]]))
    return pairs


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").replace(".", " ").strip()


@cache
def hayes() -> FeatureTable:
    """Return the table of Hayes (2009): 140 segments, 28 features.

    Its *k+* and *k˗* are written with the diacritics of the IPA here, k̟ and k̠, for a plus is a morpheme edge.

    >>> hayes().segments[:5]
    ('ɒ', 'ɑ', 'ɶ', 'a', 'æ')
    """
    import hayes2009

    rows: dict[str, dict[str, int]] = {}
    for segment, values in hayes2009.universal.items():
        written = normal(segment.strip().replace("+", "\u031f").replace("˗", "\u0320"))
        rows.setdefault(written, {value[1:]: _VALUES[value[0]] for value in values})
    features = tuple(dict.fromkeys(feature for row in rows.values() for feature in row))
    table = np.array([[row.get(feature, 0) for feature in features] for row in rows.values()], np.int8)
    return FeatureTable(tuple(rows), features, table, "Hayes (2009)")


def read_features(text: str, name: str = "feature table") -> FeatureTable:
    r"""Return the feature table in a text.

    Parameters
    ----------
    text
        A header of feature names, then a row per segment: the segment and its values ``+ - 0``. Separated by
        tabs or commas. The header may have a name for the column of segments.
    name
        What messages call it.

    Raises
    ------
    InputError
        With every fault of the text.

    Examples
    --------
    >>> read_features("\tvoice\nt\t-\nd\t+\n", "mine")
    <FeatureTable mine: 2 segments, 1 feature>
    """
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(Fault("holds no feature table", "write a header and a row per segment", file=name))
    delimiter = "\t" if "\t" in lines[0] else ","
    try:
        header, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        what = f"is no feature table: {error}"
        raise InputError(Fault(what, "write a header and a row per segment", file=name)) from None
    width = max(map(len, rows), default=0)
    features = [cell.strip() for cell in (header[1:] if len(header) == width else header)]
    while features and not features[-1]:
        features.pop()
    faults, found = [], {}
    if not features or not rows:
        raise InputError(Fault("holds no feature table", "write a header and a row per segment", file=name))
    for feature in sorted({one for one in features if features.count(one) > 1}):
        faults.append(Fault(f"two columns are called {quoted(feature)}", "rename one", file=name, line=1))
    for number, cells in enumerate(rows, 2):
        segment = normal(cells[0].strip())
        if not segment or segment in found:
            what = f"{quoted(segment)} has two rows" if segment else "the row names no segment"
            faults.append(Fault(what, "correct or remove it", file=name, line=number))
            if len(faults) > MOST_FAULTS:
                break
            continue
        found[segment], wrong = _row(cells[1:], len(features))
        faults += [
            Fault(f"{quoted(cell)} is no value of {feature}", "write +, - or 0", file=name, line=number)
            for feature, cell in ((features[n], cell) for n, cell in wrong)
        ]
    if faults:
        raise InputError(faults)
    return FeatureTable(
        tuple(found), tuple(features), np.array([*found.values()], np.int8), name, dict(SHORTHANDS)
    )


def _row(cells: Sequence[str], width: int) -> tuple[list[int], list[tuple[int, str]]]:
    """Return the values of a row, 0 where cells are missing, and the cells that are none."""
    texts = [cell.strip() for cell in cells[:width]]
    wrong = [(n, text) for n, text in enumerate(texts) if text not in _VALUES]
    values = [_VALUES.get(text, 0) for text in texts]
    return values + [0] * (width - len(values)), wrong
