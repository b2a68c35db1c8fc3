"""Well-known constraints: their names, and the formulas that count them.

A name in a column's head is offered as a formula, never taken for one silently: the same name may count
something else in the author's paper.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["KNOWN", "Known", "plain_name", "recognised"]


class Known(NamedTuple):
    """A well-known constraint.

    Attributes
    ----------
    name
        As it is usually written.
    formula
        What counts it; empty for the constraints on feet, which are counted on the footed form.
    counts
        What a violation is.
    also
        Other names.
    """

    name: str
    formula: str
    counts: str
    also: tuple[str, ...] = ()


_LIST = (
    Known("Onset", "*.V", "syllables that begin with a vowel", ("Ons",)),
    Known("NoCoda", "*C.", "syllables that end in a consonant", ("*Coda", "-Coda", "NoCod")),
    Known("*ComplexOnset", "*.CC", "syllables that begin with two consonants", ("*Complex-Ons", "*[CC")),
    Known("*ComplexCoda", "*CC.", "syllables that end in two consonants", ("*Complex-Cod", "*CC]")),
    Known("*Complex", "*.CC or *CC.", "syllable edges with two consonants", ("NoComplex",)),
    Known("*VoicedCoda", "*[-son,+voice].", "voiced obstruents at the end of a syllable", ("*VcdCoda",)),
    Known("*VoicedObstruent", "*[-son,+voice]", "voiced obstruents", ("*VcdObs", "*VoiObs", "VOP")),
    Known("*VoicedGeminate", "*[-son,+voice,+long] or *{bb,dd,ɡɡ}", "voiced geminates"),
    Known("*NT", "*[+nasal][-son,-voice]", "a nasal before a voiceless obstruent", ("*NC̥", "*NC")),
    Known("NoHiatus", "*VV", "two vowels in a row", ("*Hiatus", "*VV")),
    Known("FinalC", "*V##", "a word-final vowel", ("Final-C",)),
    Known("NoLongVowel", "*[+syll,+long]", "long vowels", ("*LongV", "*VV:")),
    Known("*Clash", "", "neighbouring stressed syllables"),
    Known("*Lapse", "", "neighbouring unstressed syllables", ("Lapse",)),
    Known("Parse", "", "syllables in no foot", ("Parse-Syl", "Parse-σ", "ParseSyl")),
    Known("FtBin", "", "feet of one light syllable", ("FootBin", "Ft-Bin")),
    Known("Iambic", "", "feet whose stressed syllable is not their last", ("Iamb", "RhType=I", "FootType=I")),
    Known("Trochaic", "", "feet whose stressed syllable is not their first", ("Trochee", "RhType=T")),
    Known("FootNonfinal", "", "feet whose stressed syllable is their last", ("FtNonfinal",)),
    Known(
        "AFL", "", "syllables between each foot and the left edge", ("AllFtLeft", "All-Ft-Left", "AllFeetL")
    ),
    Known("AFR", "", "syllables between each foot and the right edge", ("AllFtRight", "All-Ft-Right")),
    Known("MainLeft", "", "syllables between the main foot and the left edge", ("Main-L", "MainL")),
    Known("MainRight", "", "syllables between the main foot and the right edge", ("Main-R", "MainR")),
    Known("WFL", "", "1 if no foot begins the word", ("WordFootLeft",)),
    Known("WFR", "", "1 if no foot ends the word", ("WordFootRight",)),
    Known("Nonfinal", "", "1 if the last syllable is in a foot", ("NonFinality",)),
    Known("WSP", "", "heavy syllables without stress", ("WeightToStress",)),
)


def plain_name(name: str) -> str:
    """Return a name without case, blanks and hyphens, for comparison.

    >>> plain_name("Ident-IO (voice)")
    'identio(voice)'
    """
    return re.sub(r"[\s_‐–-]+", "", name.strip().lower())


_BY_NAME = {plain_name(name): known for known in _LIST for name in (known.name, *known.also)}
_SEQUENCES = {plain_name(name) for name in ("*VV", "*NC")}
KNOWN = {name: known for name, known in _BY_NAME.items() if name not in _SEQUENCES}
"""Well-known constraints by each name that is no formula itself, as :func:`plain_name` writes it."""

_FAITHFULNESS = re.compile(
    r"(?P<kind>max|dep|ident|id)(?:[-_ ]?(?:io|oo|ir))?"
    r"(?:[\[(](?P<what>[^\[\]()]*)[\])]|[-_ ](?P<bare>[A-Za-zʔ]+))?$",
    re.IGNORECASE,
)
_AGREEMENT = re.compile(r"(?P<kind>agree|ocp)[-_ ]?[\[(](?P<what>[^\[\]()]+)[\])]$", re.IGNORECASE)
_KINDS = {"max": "Max", "dep": "Dep", "ident": "Ident", "id": "Ident", "agree": "Agree", "ocp": "OCP"}


def recognised(head: str) -> str:
    """Return the formula that a column's head probably stands for; empty if the name is not known.

    >>> recognised("Ident-IO(voice)"), recognised("NoCoda"), recognised("MyOwn")
    ('Ident[voice]', 'NoCoda', '')
    """
    known = _BY_NAME.get(plain_name(head))
    if known is not None:
        return known.name
    found = _FAITHFULNESS.match(head.strip())
    if found:
        what = found["what"] or ("" if (found["bare"] or "").upper() in ("IO", "") else found["bare"])
        if what and what.upper() in ("SEG", "IO"):
            what = ""
        return f"{_KINDS[found['kind'].lower()]}[{what}]" if what else _KINDS[found["kind"].lower()]
    found = _AGREEMENT.match(head.strip())
    return f"{_KINDS[found['kind'].lower()]}[{found['what']}]" if found else ""
