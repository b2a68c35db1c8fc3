r"""The tokens of a text file of Praat.

Only free-standing strings, numbers and flags count, in their order; all else is a comment for people::

    constraint [1]: "N\s{O}C\s{ODA}" 100 99.7 1 ! NOCODA     "N\s{O}C\s{ODA}"  100  99.7  1
    pairs: size = 4                                          4

A string stands between double quotes, may go over several lines, and has ``""`` for a quote. A
word that begins with a digit or a sign is a number; a flag is ``<written so>``. ``!`` at the
beginning of a word starts a comment, to the end of the line. Any other word is skipped.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple, NoReturn

from otlab.errors import Fault, InputError, quoted

__all__ = ["Tokens", "number_text", "quoted_string"]

_TOKEN = re.compile(r'![^\r\n]*|("[^"]*(?:""[^"]*)*")(?=\s|\Z)|<([^>]*)>\S*|([-+0-9]\S*)|("\S*)|\S+')
_NUMBER = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(%?)")
_KINDS = ("a string", "a flag", "a number", "a quote that is not closed")
_STRING, _FLAG, _NUMERAL, _UNCLOSED = range(4)


class _Token(NamedTuple):
    """One of the four texts is not empty; a string has its quotes still."""

    string: str
    flag: str
    number: str
    unclosed: str

    @property
    def kind(self) -> int:
        return next(n for n, text in enumerate(self) if text)


class Tokens:
    """The tokens of a text, taken one after another.

    Parameters
    ----------
    text
        Of the whole file.
    file
        Its name, for faults.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._tokens = [token for token in _TOKEN.findall(text) if any(token)]
        self._next = 0

    @property
    def done(self) -> float:
        """Share of the tokens that have been taken, 0 to 1."""
        return self._next / max(len(self._tokens), 1)

    def string(self, what: str) -> str:
        """Return the next token, which must be a string; `what` says of what, for faults."""
        return self._take(_STRING, what)[1:-1].replace('""', '"')

    def flag(self, what: str) -> str:
        """Return the next token, which must be a flag."""
        return self._take(_FLAG, what)

    def number(self, what: str) -> float:
        """Return the next token, which must be a number; NaN for ``--undefined--``."""
        text = self._take(_NUMERAL, what)
        match = _NUMBER.match(text)
        if match is None:
            if text == "--undefined--":
                return math.nan
            self.refuse(f"{quoted(text)} is no number, which {what} is", "write a number")
        return float(match[1]) / (100 if match[2] else 1)

    def whole(self, what: str, least: int | None = None) -> int:
        """Return the next token, which must be a whole number, of at least `least`."""
        number = self.number(what)
        if not number.is_integer() or (least is not None and number < least):
            limit = "" if least is None else f" of {least} or more"
            self.refuse(f"{number:g} is no whole number{limit}, which {what} is", "correct it")
        return int(number)

    def wholes(self, n: int, what: str) -> tuple[int, ...]:
        """Return the next `n` tokens, which must be whole numbers."""
        try:
            numbers = tuple(int(token[_NUMERAL]) for token in self._tokens[self._next : self._next + n])
        except ValueError:
            numbers = ()
        if len(numbers) == n:
            self._next += n
            return numbers
        return tuple(self.whole(what) for _ in range(n))

    def refuse(self, what: str, hint: str) -> NoReturn:
        """Raise an InputError at the token that was taken last."""
        raise InputError(Fault(what, hint, file=self.file, spot=f"token {self._next}"))

    def _take(self, kind: int, what: str) -> str:
        if self._next >= len(self._tokens):
            self._next += 1
            self.refuse(f"the file ends before {what}", "it is cut off: save it again")
        token = _Token(*self._tokens[self._next])
        self._next += 1
        if token.kind == _UNCLOSED:
            hint = "close it, or double it to mean a quote; leave a blank after it"
            self.refuse(f"the quote of {token.unclosed} is not closed", hint)
        if token.kind != kind:
            found = next(filter(None, token))
            self.refuse(f"found {found} in place of {_KINDS[kind]}, {what}", "correct what comes before it")
        return token[kind]


def quoted_string(text: str) -> str:
    """Return a string as a token.

    >>> print(quoted_string('a "b" c'))
    "a ""b"" c"
    """
    return '"' + text.replace('"', '""') + '"'


def number_text(number: float) -> str:
    """Return a number as a token.

    >>> number_text(100.0), number_text(0.1), number_text(math.nan)
    ('100', '0.1', '--undefined--')
    """
    if math.isnan(number):
        return "--undefined--"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(float(number))
