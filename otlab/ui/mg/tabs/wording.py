"""Format texts of the library for the page: cited words in italics, a true minus before a licensee."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otlab.html import escape

if TYPE_CHECKING:
    from otlab.mg.lexicon import Lexicon

__all__ = ["cited", "parted", "unbroken", "with_minus"]

_COLONS = re.compile(r"(?<=[^\s:])(::?)(?=[^\s:])")
_AFFIX = re.compile(r"(?<![^\s>])-(?=\w)")
_CITED = re.compile(r"\*([^*]+)\*")


def with_minus(text: str, lexicon: Lexicon) -> str:
    """Return a text with a true minus before each licensee of a lexicon; it never ends a line.

    >>> from otlab.samples import load_sample
    >>> with_minus("what still carries -wh; the suffix -s", load_sample("figure1_wh"))
    'what still carries −wh; the suffix -s'
    """
    names = {f.name for item in lexicon.items for f in item.features if f.kind == "licensee"}
    if not names:
        return text
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w\N{{MINUS SIGN}}-])-(?=({either})(?!\w))", "\N{MINUS SIGN}", text)


def parted(equation: str) -> str:
    """Return expressions with room around the colon between words and features, where no line ends.

    >>> parted("the::=n d + dog::n ⇒ the dog:d").replace("\u00a0", "_")
    'the_::_=n d + dog_::_n ⇒ the dog_:_d'
    """
    return _COLONS.sub("\u00a0\\1\u00a0", equation)


def unbroken(text: str) -> str:
    """Return a text in which no line ends after the hyphen of a suffix.

    >>> unbroken("-s john see: well-formed").replace("\u2060", "_")
    '-_s john see: well-formed'
    """
    return _AFFIX.sub("-\u2060", text)


def cited(text: str) -> str:
    """Return a text as HTML, words between asterisks in italics.

    >>> cited("*with* attaches to <n>")
    '<i>with</i> attaches to &lt;n&gt;'
    """
    return _CITED.sub(r"<i>\1</i>", str(escape(text)))  # a Markup would escape the <i>
