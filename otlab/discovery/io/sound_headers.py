"""What the header of a sound file says of its length, compared with the bytes that are there.

``libsndfile`` takes a WAV, AIFF or NIST file that was cut off for a shorter one, and one whose recorder never
wrote the length (a size of 0) for an empty one. Programs that write to a pipe give the largest size there is.
"""

from __future__ import annotations

import re
from typing import IO, Literal, NamedTuple

__all__ = ["Declared", "declared", "with_size"]

_Order = Literal["little", "big"]

_ENDLESS = 0x7FFF0000
"""Sizes from here on are written where the length was not known."""

_WORD, _FORM = 8, 12  # bytes of a chunk's head, and of the file's


class Declared(NamedTuple):
    """The part of a file that holds samples.

    Attributes
    ----------
    at, size
        First byte of the samples, and how many there should be; 0 if the recorder did not write it.
    there
        How many there are.
    """

    at: int
    size: int
    there: int

    @property
    def share(self) -> float:
        """The share of the samples that are there, at most 1."""
        return min(1.0, self.there / self.size) if 0 < self.size < _ENDLESS else 1.0


def declared(file: IO[bytes]) -> Declared | None:
    """Return where the samples of a WAV, AIFF or NIST file are; None for other formats."""
    file.seek(0, 2)
    end = file.tell()
    file.seek(0)
    head = file.read(_FORM)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return _chunk(file, end, b"data", "little")
    if head[:4] == b"FORM" and head[8:11] == b"AIF":
        return _chunk(file, end, b"SSND", "big")
    if head.startswith(b"NIST_1A"):
        return _nist(head + file.read(4096), end)
    return None


def _chunk(file: IO[bytes], end: int, wanted: bytes, order: _Order) -> Declared | None:
    at = _FORM
    while at + _WORD <= end:
        file.seek(at)
        head = file.read(_WORD)
        size = int.from_bytes(head[4:], order)
        if head[:4] == wanted:
            return Declared(at + _WORD, size, end - at - _WORD)
        at += _WORD + size + size % 2
    return None


def _nist(head: bytes, end: int) -> Declared | None:
    size = re.match(rb"NIST_1A\s+(\d+)", head)
    numbers = {
        name: re.search(rb"^%s -i (\d+)" % name, head, re.MULTILINE)
        for name in (b"channel_count", b"sample_count", b"sample_n_bytes")
    }
    coded = re.search(rb"^sample_coding -s\d+ \S*(shorten|wavpack|shortpack)", head, re.MULTILINE)
    product = 1
    for number in numbers.values():
        product *= int(number[1]) if number else 1
    if size is None or coded or numbers[b"sample_count"] is None:
        return None
    return Declared(int(size[1]), product, end - int(size[1]))


def with_size(data: bytes, found: Declared) -> bytes:
    """Return a WAV or AIFF file with the size of its samples written into the header."""
    size = found.there.to_bytes(4, "little" if data.startswith(b"RIFF") else "big")
    return data[: found.at - 4] + size + data[found.at :]
