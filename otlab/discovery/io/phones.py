"""Cut words into phones: characters with what belongs to them, or what stands between separators.

To a phone belong, as in Moran and Cysouw (2018), *The Unicode Cookbook for Linguists*: combining marks,
the second part of a tie, and the modifier letters and tone letters after it (Unicode's categories Lm and
Sk), such as those of tʰ, dˤ, aː and ma˥˩. Stress marks are phones of their own, for they belong to a
syllable; so are the ASCII characters ^ and `, which transcriptions use as letters.
Characters that are not seen (marks of direction and of byte order, joiners, soft hyphens) are left out.
A raised letter before the first letter of a word, as in ⁿda, belongs to that letter.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from otlab.files import INVISIBLE

__all__ = ["phones_of"]

_TIES = "\u0361\u035c"
_STRESS = "ˈˌ"
_PREGLOTTAL = "ˀ"  # has no decomposition, unlike other raised letters


def phones_of(word: str, separator: str = "") -> list[str]:
    """Return the phones of a word, in Unicode's composed form (NFC).

    Parameters
    ----------
    word
        The word.
    separator
        What stands between its phones: nothing, blanks (``" "``), or a text.

    Examples
    --------
    >>> phones_of("t͡ʃiːz")
    ['t͡ʃ', 'iː', 'z']
    >>> phones_of("ⁿdaⁿda")
    ['ⁿd', 'aⁿ', 'd', 'a']
    >>> phones_of("aɪ.s", ".")
    ['aɪ', 's']
    """
    if not word.isascii():
        word = unicodedata.normalize("NFC", word).translate(INVISIBLE)
    if separator:
        pieces = word.split(separator) if separator.strip() else word.split()
        return [phone for piece in pieces if (phone := piece.strip())]
    if not any(map(_belongs, word)):
        return list(word)
    out: list[str] = []
    for character in word:
        if out and (_joins(character, out[-1]) or out[-1][-1] in _TIES or _before(out)):
            out[-1] += character
        else:
            out.append(character)
    return out


@lru_cache(maxsize=4096)
def _belongs(character: str) -> bool:
    """Return whether a character may belong to one beside it."""
    return unicodedata.combining(character) > 0 or _modifier(character)


def _modifier(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind in ("Lm", "Sk") and not character.isascii() and character not in _STRESS


def _joins(character: str, phone: str) -> bool:
    """Return whether a character belongs to the phone before it."""
    if unicodedata.combining(character):
        return True
    return _modifier(character) and phone not in _STRESS


def _before(phones: list[str]) -> bool:
    """Return whether the last phone is a raised letter alone, at the beginning of a word or after stress."""
    alone = len(phones) == 1 or phones[-2] in _STRESS
    return alone and all(_raised(character) for character in phones[-1])


def _raised(character: str) -> bool:
    raised = unicodedata.decomposition(character).startswith("<super>") or character == _PREGLOTTAL
    return raised and _modifier(character)
