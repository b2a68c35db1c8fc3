"""Tiers by name: the Projections file of UCLA's phonotactic learner.

::

    Vowel +syllabic : high, low, back, word_boundary  Grams: 3

A tier holds the segments with these values, and the ends of the form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError
from otlab.forms.pattern import Class, parse_class

if TYPE_CHECKING:
    from otlab.forms.features import FeatureTable

__all__ = ["read_tiers"]


def read_tiers(text: str, table: FeatureTable, name: str = "tiers") -> dict[str, Class]:
    """Return the tiers of a file, by name.

    Raises
    ------
    InputError
        With every line that names no tier.

    Examples
    --------
    >>> from otlab.forms.features import hayes
    >>> list(read_tiers("Vowel +syllabic : high, low Grams: 3", hayes()))
    ['Vowel']
    """
    tiers: dict[str, Class] = {}
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition(":")[0].split(None, 1)
        if not words or line.lstrip().startswith("#"):
            continue
        try:
            if len(words) != 2:
                raise InputError("a tier has a name and features; write it as 'Vowel +syllabic'")
            one = parse_class(",".join(words[1].replace(",", " ").split()), table)
            if not isinstance(one, Class):
                raise InputError("a tier holds segments; write their features, as 'Vowel +syllabic'")
            tiers[words[0]] = one
        except InputError as error:
            first = error.faults[0]
            faults.append(Fault(first.what, first.hint, file=name, line=number))
    if faults:
        raise InputError(faults)
    return tiers
