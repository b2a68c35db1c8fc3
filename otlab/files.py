"""The bytes of a file and their text, or one message that says why they cannot be read; values for JSON."""

from __future__ import annotations

import codecs
import gc
import math
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.errors import DataWarning, Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "INVISIBLE",
    "check_no_nul",
    "collector_paused",
    "decode",
    "decode_any",
    "file_bytes",
    "file_kind",
    "file_text",
    "json_values",
    "not_text",
    "stripped",
    "windows_text",
]

INVISIBLE = dict.fromkeys(
    (0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070))
)
"""Hyphens that are not seen, marks of direction, joiners, and marks of byte order, for ``str.translate``."""

_EDGES = " \t\u00a0\x1a" + "".join(map(chr, INVISIBLE))
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SIGNATURES = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"{\\rtf", "a text document with formatting"),
    (b"\xd0\xcf\x11\xe0", "a document of the old .xls or .doc kind"),
    (b"fLaC", "a recording"),
    (b"OggS", "a recording"),
    *((b"ID3" + version, "a recording") for version in (b"\x02", b"\x03", b"\x04")),
    (b'{"', "a JSON file"),
    (b"ooBinaryFile", "a binary file of Praat"),
)
_ZIP = b"PK\x03\x04"
_ZIPPED = (
    (b"values.json", "a document of a lab"),
    (b"word/", "a Word document"),
    (b"xl/", "a spreadsheet"),
    (b"ppt/", "a presentation"),
    (b"vnd.oasis.opendocument", "an OpenDocument file"),
)
_WEB_PAGE = (b"<!doctype html", b"<html")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which takes half of the time in which a million cells are made.

    Cells and rows do not refer to each other, so that there is nothing for it to find.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def file_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    InputError
        If it is missing, a folder, or closed to us.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            Fault(f"cannot be read: {error.strerror}", "choose a file", file=str(path))
        ) from None


def file_kind(data: bytes) -> str:
    """Return what a file is that is no plain text, in words; "" if it may be one.

    Parameters
    ----------
    data
        The content, or its beginning.

    Examples
    --------
    >>> file_kind(b"%PDF-1.7")
    'a PDF document'
    >>> file_kind(b"j u w a n t")
    ''
    """
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        return "a recording"
    if data.startswith(_ZIP):
        return next((kind for sign, kind in _ZIPPED if sign in data), "a ZIP archive")
    if data[:200].lstrip().lower().startswith(_WEB_PAGE):
        return "a web page"
    return next((kind for sign, kind in _SIGNATURES if data.startswith(sign)), "")


def not_text(data: bytes, file: str) -> Fault | None:
    """Return a fault that names the kind of a file that is no plain text; None if it may be one."""
    kind = file_kind(data)
    if not kind:
        return None
    hint = "save it as UTF-8 text"
    if kind in ("a compressed file", "a ZIP archive"):
        hint = "unpack it first"
    elif kind == "a document of a lab":
        hint = "open it by otlab.open_document, or in its lab"
    elif kind == "a spreadsheet":
        hint = "save it as CSV (UTF-8)"
    elif kind == "a binary file of Praat":
        hint = "open it in Praat and choose Save as text file"
    elif kind in ("a picture", "a recording"):
        hint = "choose a text file"
    return Fault(f"is {kind}, not plain text", hint, file)


def decode(data: bytes, file: str) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with its mark.

    Parameters
    ----------
    data, file
        Its bytes, and what faults call it.

    Raises
    ------
    InputError
        If it is neither, or holds NUL bytes; with the line, or with the kind of the file.
    """
    other = not_text(data, file)
    if other is not None:
        raise InputError(other)
    wide = data.startswith(_WIDE)
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = None if wide else data.count(b"\n", 0, error.start) + 1
        what = "is cut off" if wide else f"byte {data[error.start]:#04x} is not UTF-8"
        raise InputError(Fault(what, "save it as UTF-8", file, line)) from None
    check_no_nul(text, file)
    return text


def stripped(text: str) -> str:
    r"""Return a text without blanks and what is not seen at its ends.

    >>> stripped(" a\u200b"), stripped("\ufeff a\u200bb")
    ('a', 'a\u200bb')
    """
    text = text.strip()
    return text.strip(_EDGES).strip() if not text.isascii() or "\x1a" in text else text


def decode_any(data: bytes, file: str) -> str:
    """Return the text of a file as :func:`decode` does, or in Windows-1252 if it is not UTF-8.

    Raises
    ------
    InputError
        If it is no text, cut off, or in none of these encodings.

    Warns
    -----
    DataWarning
        If it is read as Windows-1252, which only a reader of the language can check.
    """
    if data.startswith(_WIDE) or file_kind(data) or _not_utf8(data) is None:
        return decode(data, file)
    text = windows_text(data, file)
    check_no_nul(text, file)
    what = "not UTF-8, read as Windows-1252 (Latin-1)"
    hint = "if its letters are wrong, save it as UTF-8"
    warnings.warn(str(Fault(what, hint, file)), DataWarning, stacklevel=2)
    return text


def windows_text(data: bytes, file: str) -> str:
    """Return a text that is not UTF-8, in Windows-1252 as older programs save it.

    Raises
    ------
    InputError
        If it is UTF-8 that ends inside a character, or has bytes that Windows-1252 lacks.
    """
    error = _not_utf8(data)
    if error is not None and error.end == len(data) and not data[: error.start].isascii():
        raise InputError(Fault("ends inside a character: it is cut off", "save it again", file=file))
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        what = "is neither UTF-8 nor Windows-1252 text"
        raise InputError(Fault(what, "save it as UTF-8", file=file)) from None


def _not_utf8(data: bytes) -> UnicodeDecodeError | None:
    """Return what keeps a text from being UTF-8; None if it is."""
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return error
    return None


def check_no_nul(text: str, file: str) -> None:
    """Refuse a text that holds a NUL byte, and name its line.

    Parameters
    ----------
    text, file
        The text, and what faults call its file.

    Raises
    ------
    InputError
        If there is one.
    """
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(Fault("a NUL byte: this is no text", "save it as UTF-8 text", file, line))


def file_text(path: str | Path) -> str:
    """Return the text of a file; see :func:`file_bytes` and :func:`decode`."""
    return decode(file_bytes(path), Path(path).name)


def json_values(value: Any) -> Any:
    """Return the value with numbers JSON can hold: arrays as lists, unknown or unbounded as None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): json_values(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(v) for v in value]
    return value
