"""Marks of transcriptions that are no phones: slashes and brackets round them, dots, bars, punctuation.

::

    /kat/ /dɔɡ/        [ðə kat]        /k a t/ /d ɔ ɡ/

Marks inside words stay as they are, for alphabets of ASCII characters use them as letters; in a text of IPA,
and in one most of whose utterances end in a full stop, a warning names them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["bracketed", "doubtful_marks", "look_alikes", "without_brackets"]

_PAIR = re.compile(
    r"(?<!\S)(?:/\s*([^/\[\]\s](?:[^/\[\]]*[^/\[\]\s])?)\s*/|\[\s*([^/\[\]\s](?:[^/\[\]]*[^/\[\]\s])?)\s*\])(?!\S)"
)
_SHARE = 0.9  # of a text's characters that must stand between slashes or brackets
_DOUBTFUL = frozenset('/[].,;:?!|‖‿()"“”')
_ALIKE = str.maketrans(
    {
        "g": "ɡ",
        "\u01dd": "ə",
        "\u03b5": "ɛ",
        "\u03d1": "θ",
        "\u035c": "\u0361",  # a tie below and above
        "'": "ˈ",
        "\u0430": "a",  # Cyrillic
        "\u0435": "e",
        "\u043e": "o",
        "\u0440": "p",
        "\u0441": "c",
        "\u0445": "x",
    }
)


def bracketed(numbered: Sequence[tuple[int, str]]) -> bool:
    """Return whether nearly all of these lines stands between slashes or brackets.

    Examples
    --------
    >>> bracketed([(1, "/kat/ /dɔɡ/"), (2, "[ðə kat]")])
    True
    >>> bracketed([(1, "kat dɔɡ [laughs]")])
    False
    """
    inside = total = 0
    for _, line in numbered:
        total += _size(line)
        if "/" in line or "[" in line:
            inside += sum(_size(match[0]) for match in _PAIR.finditer(line))
    return inside > 0 and inside >= _SHARE * total


def without_brackets(line: str) -> str:
    """Return a line without the slashes and brackets round words or groups of words.

    Examples
    --------
    >>> without_brackets("/kat/ [dɔɡ]")
    'kat dɔɡ'
    """
    return _PAIR.sub(_content, line) if "/" in line or "[" in line else line


def _size(text: str) -> int:
    return len("".join(text.split()))


def _content(match: re.Match[str]) -> str:
    """Return what stands between; phones separated by blanks get two blanks beside them, as words have."""
    found = match[1] or match[2]
    return f" {found} " if len(found.split()) > 1 and match[0] != match.string.strip() else found


def doubtful_marks(counts: Mapping[str, int], last: Sequence[str] = ()) -> str:
    """Return which phones of a text are probably marks, in words; empty if there are none.

    Parameters
    ----------
    counts
        How often each phone occurs.
    last
        The last phone of each utterance.

    Examples
    --------
    >>> doubtful_marks({"ɔ": 20, "k": 9, ".": 4, "?": 1})
    "'.' (4 times), '?' (once)"
    >>> doubtful_marks({"&": 20, "k": 9, ".": 4})
    ''
    >>> doubtful_marks({"o": 20, "k": 9, ".": 2, "!": 1}, [".", "!", ".", "k"])
    "'.' (2 times), '!' (once)"
    """
    stops = sum(phone in (".", "?", "!", "…") for phone in last)
    if 2 * stops <= len(last) and not any(_ipa(phone) for phone in counts):
        return ""
    found = {phone: n for phone, n in counts.items() if phone in _DOUBTFUL}
    return ", ".join(_counted(phone, n) for phone, n in found.items())


def look_alikes(counts: Mapping[str, int]) -> str:
    """Return which phones look like another one, in words; empty if none does.

    Examples
    --------
    >>> look_alikes({"d": 9, "ɡ": 7, "g": 1})
    "'g' (once) and 'ɡ' (7 times)"
    >>> look_alikes({"d": 9, "g": 7})
    ''
    """
    groups: dict[str, list[str]] = {}
    for phone in counts:
        groups.setdefault(phone.translate(_ALIKE), []).append(phone)
    pairs = (sorted(group) for group in groups.values() if len(group) > 1)
    return ", ".join(" and ".join(_counted(phone, counts[phone]) for phone in pair) for pair in pairs)


def _counted(phone: str, n: int) -> str:
    return f"{phone!r} ({'once' if n == 1 else f'{n:,} times'})"


def _ipa(phone: str) -> bool:
    return any(character.isalpha() and not character.isascii() for character in phone)
