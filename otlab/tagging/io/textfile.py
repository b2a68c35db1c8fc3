"""Read a text file in blocks of whole lines, unpacked and decoded, so that memory stays small.

A corpus of two million words is 150 MB of CoNLL-U; a block is a quarter of one. What
belongs to the file and to no line (it is empty, binary, cut off) is raised at once;
a byte that is not UTF-8 is a fault of its line and is reported with the others, unless hardly a letter of the
file is UTF-8: then it is read as Windows-1252, as older corpora are written. Letters are composed (NFC): é
is one character or two.
"""

from __future__ import annotations

import codecs
import gzip
import os
import unicodedata
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.files import not_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Block", "blocks", "damaged_gzip", "opened", "whole_text"]

BLOCK = 1 << 18
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
MOST_RATIO, _JUDGED_FROM = 30, 5_000_000
"""How many times the size of its gzip file a text may have (CoNLL-U: seven), and from how many bytes on."""
_HEAD = 4096  # bytes that tell what a file is


@dataclass(frozen=True)
class Block:
    """Some whole lines, without their ends.

    Attributes
    ----------
    lines
        In order.
    first
        Number of the first one, counted from 1.
    share
        How much of the file has been read, this block included: 0 to 1.
    encoding
        In which the file is read: "utf-8", or "cp1252" from the first block on that is none.
    """

    lines: list[str]
    first: int
    share: float
    encoding: str = "utf-8"


def opened(path: str | Path) -> IO[bytes]:
    """Open a file; an :class:`InputError` says why it cannot be read."""
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise InputError(Fault(f"cannot read: {error.strerror}", "check the name", file=str(path))) from error


def blocks(stream: IO[bytes], name: str, fault: Callable[[Fault], None]) -> Iterator[Block]:
    """Yield a file's lines, block by block.

    Parameters
    ----------
    stream
        Seekable; gzip and UTF-16 are recognised by their first bytes.
    name
        What messages call the file.
    fault
        Called for every line that is not of the encoding of the others, UTF-8 or Windows-1252.

    Raises
    ------
    InputError
        If the file is empty, binary, or a gzip file that is cut off, damaged, or unpacks to very much.
    """
    size = max(stream.seek(0, os.SEEK_END), 1)
    stream.seek(0)
    head = stream.read(_HEAD)
    stream.seek(0)
    packed = head.startswith(_GZIP)
    other = None if packed else not_text(head, name)
    if other is not None:
        raise InputError(other)
    plain: Any = gzip.GzipFile(fileobj=stream) if packed else stream
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        plain = codecs.EncodedFile(stream, "utf-8", "utf-16")
    first, blank, encoding, plain_ascii = 1, True, "utf-8", True
    for data in _whole_lines(plain, name, MOST_RATIO * size if packed else 0):
        if b"\0" in data:
            raise InputError(
                Fault("the file holds NUL bytes: it is not text", "save it as UTF-8 text", file=name)
            )
        if first == 1 and b"\n" not in data:  # lines may end as on a Macintosh of old
            data = data.replace(b"\r", b"\n")
        if first == 1:
            plain_ascii = not data.startswith(_MARK)
            data = data.removeprefix(_MARK)
        if plain_ascii and not data.isascii():
            plain_ascii, encoding = False, _encoding(data)
        text = _as_read(_decoded(data, encoding, first, name, fault))
        blank = blank and text.isspace()
        lines = text.removesuffix("\n").split("\n")
        if "\r" in text:
            lines = [line.rstrip("\r") for line in lines]
        yield Block(lines, first, min(stream.tell() / size, 1.0), encoding)
        first += len(lines)
    if blank:
        raise InputError(Fault("the file is empty", "give at least one sentence", file=name))


def whole_text(path: str | Path) -> str:
    """Return the text of a small file.

    Raises
    ------
    InputError
        If it cannot be read; as :func:`blocks`; with every line that is not UTF-8.
    """
    faults: list[Fault] = []
    with opened(path) as stream:
        found = blocks(stream, Path(path).name, faults.append)
        text = "\n".join(line for block in found for line in block.lines)
    if faults:
        raise InputError(faults)
    return text


def _whole_lines(stream: Any, name: str, most: int) -> Iterator[bytes]:
    """Yield the bytes in pieces that end with a line, except the last one; `most` in all, 0 for no limit."""
    begun: list[bytes] = []
    read = 0
    while piece := _read(stream, name):
        read += len(piece)
        if most and read > max(most, _JUDGED_FROM):
            what = f"unpacks to more than {MOST_RATIO} times its size"
            raise InputError(Fault(what, "unpack it and see what it holds", file=name))
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*begun, piece[:cut]])
            begun = []
        begun.append(piece[cut:])
    if any(begun):
        yield b"".join(begun)


def _read(stream: Any, name: str) -> bytes:
    try:
        data: bytes = stream.read(BLOCK)
        return data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(damaged_gzip(name)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            Fault("is UTF-16 that is cut off or damaged", "save it as UTF-8", file=name)
        ) from error


def damaged_gzip(name: str) -> Fault:
    """Return the fault of a gzip file that cannot be unpacked."""
    return Fault("the gzip file is cut off or damaged", "fetch it again", file=name)


def _as_read(text: str) -> str:
    r"""Return a text with composed letters, without marks of byte order, and without the end mark of DOS.

    >>> _as_read("\ufeffe\u0301\n\x1a") == "é\n"
    True
    """
    text = text.removesuffix("\x1a")
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.replace("\ufeff", ""))


def _encoding(data: bytes) -> str:
    """Return the encoding of the first block with letters that are not ASCII.

    In Windows-1252 hardly any two bytes of letters are UTF-8 by chance.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        known = data.decode(errors="ignore")  # what is UTF-8
        letters = sum(not character.isascii() for character in known)
        if 10 * letters >= len(data) - len(known.encode()):
            return "utf-8"
        with suppress(UnicodeDecodeError):
            data.decode("cp1252")
            return "cp1252"
    return "utf-8"


def _decoded(data: bytes, encoding: str, first: int, name: str, fault: Callable[[Fault], None]) -> str:
    """Return the text of a block; bytes that are not of its encoding become a fault and a question mark."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        called = "UTF-8" if encoding == "utf-8" else "Windows-1252"
        for number, line in enumerate(data.split(b"\n"), start=first):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                column = len(line[: error.start].decode(encoding)) + 1
                what, hint = f"byte {line[error.start]:#04x} is not {called}", "save the file as UTF-8"
                fault(Fault(what, hint, file=name, line=number, column=column))
        return data.decode(encoding, errors="replace")
