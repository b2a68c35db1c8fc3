"""Pack edited data into a text for the browser's storage and for links.

A lab's ``to_dict()`` becomes JSON, compressed, in characters that an address may hold.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

from otlab.errors import Fault, InputError

__all__ = ["LINK_MOST", "MOST", "damaged", "pack", "unpack"]

LINK_MOST = 6_000
"""Largest length of a link; servers and mail programs truncate longer addresses."""
MOST = 1_000_000
"""Largest length kept in the browser, which stores about five million characters per site."""
_UNPACKED_MOST = 20_000_000


def pack(values: dict[str, Any]) -> str:
    """Return plain values as a string of letters, digits, ``-`` and ``_``; empty if it would be too long.

    >>> unpack(pack({"example": "ilokano"}))
    {'example': 'ilokano'}
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= MOST else ""


def unpack(packed: str) -> dict[str, Any]:
    """Return what :func:`pack` was given.

    Raises
    ------
    InputError
        If the text is truncated or damaged.
    """
    try:
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = zlib.decompressobj().decompress(data, _UNPACKED_MOST)
        values = json.loads(text)
    except (ValueError, binascii.Error, zlib.error) as error:
        raise damaged() from error
    if not isinstance(values, dict):
        raise damaged()
    return values


def damaged() -> InputError:
    """Return the error for data that cannot be read back."""
    return InputError(
        Fault("the link is damaged: the data in it cannot be read", "copy the whole link again")
    )
