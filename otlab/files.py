"""The bytes of a file and their text, or one message that says why they cannot be read; values for JSON."""

from __future__ import annotations

import codecs
import math
from pathlib import Path
from typing import Any

from otlab.errors import Fault, InputError

__all__ = ["decode", "file_bytes", "file_text", "json_values"]

_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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


def decode(data: bytes, file: str) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with its mark.

    Parameters
    ----------
    data, file
        Its bytes, and what faults call it.

    Raises
    ------
    InputError
        If it is neither, or holds NUL bytes; with the line.
    """
    wide = data.startswith(_WIDE)
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = None if wide else data.count(b"\n", 0, error.start) + 1
        what = "is cut off" if wide else f"byte {data[error.start]:#04x} is not UTF-8"
        raise InputError(Fault(what, "save it as UTF-8", file, line)) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(Fault("a NUL byte: this is no text", "save it as UTF-8 text", file, line))
    return text


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
