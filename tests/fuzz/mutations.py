"""Changes of a file: bytes, lines, cells, nesting, members of a ZIP, values of JSON and of msgpack.

>>> from random import Random
>>> changed(b"a,b\\n1,2\\n", [b"x"], Random(1)) == changed(b"a,b\\n1,2\\n", [b"x"], Random(1))
True
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgpack

from otlab.ui.documents.encoding import MAGIC

MOST_BYTES = 1_000_000
LARGE_SHARE = 0.001
"""Share of the inputs that are made as large as the bound allows."""

NUMBERS = (
    b"0", b"-1", b"1e999", b"-1e308", b"1e-400", b"nan", b"inf", b"9" * 400, b"9" * 5000, b"2147483648",
    b"-9223372036854775809", b"18446744073709551616", b"0x10", b"1_000", b"1,5", "٣".encode(), "²".encode(),
    b"1e400000", b"00", b"+", b"-", b".", b"1/0",
)  # fmt: skip
TOKENS = (
    b"\0", b"\xed\xa0\x80", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xff\xfe", "\u2028".encode(),
    "\u0085".encode(), b"\x1c", b"\x0b", b"\x0c", b"\r", b"\r\r\n", b"\n\n\n", b"\t\t\t", b'"', b"'", b'""',
    b"\\", b",", b";", b"#", b"|", b"/", b"*", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"&amp;",
    b"::",    b":", b"=", b"@", b"%", b"->", "→".encode(), "́".encode() * 40, "\u202e".encode(), "𝔘".encode(),
    "∅".encode(), b" ", "\u00a0".encode(), b"\x1b[2J", b"=cmd()", b"<img src=x onerror=1>", b"$", b"^", b"~",
    b"(a*)*b", b"/(x+x+)+y/", b"%s", b"{0}", b"__class__", b"...", b"None", b"lambda: 1",
)  # fmt: skip
NESTED = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">"), (b"-", b""), (b"[[", b""), (b"not ", b""))
VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2**31, 2**63, -(2**63), 10**30, 1e308, float("inf"), float("nan"), "", "x",
    "\ud800", "\0", "9" * 5000, [], {}, [[]], [None], {"": None}, ["a", 1], {"a": []}, "../../etc/passwd",
)  # fmt: skip
BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % (c + 1, *[c] * 8) for c in range(97, 107))
    + b"]><worksheet><sheetData><row><c t='inlineStr'><is><t>&k;</t></is></c></row></sheetData></worksheet>"
)
"""Entities that stand for 2 GB of text."""


def changed(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Return a sample with one to five changes; `others` are samples to take parts of."""
    if data.startswith(b"PK") and rng.random() < 0.8:
        return _in_zip(data, others, rng)
    if data.startswith(b"\x1f\x8b") and rng.random() < 0.7:
        return gzip.compress(changed(gzip.decompress(data), [b""], rng), 1)
    if data.startswith((b"{", b"[")) and rng.random() < 0.8:
        return _in_json(data, rng)
    if data.startswith(MAGIC) and rng.random() < 0.8:
        return _in_part(data, rng)
    if rng.random() < LARGE_SHARE:
        return rng.choice(_LARGE)(data, rng)[:MOST_BYTES]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_SMALL)(data, others, rng)
    return data[:MOST_BYTES]


def _at(data: bytes, rng: Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if out:
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def _cut(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] if rng.random() < 0.3 else data[:at] + data[at + rng.choice((1, 2, 7, 60)) :]


def _splice(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(others)
    return data[: _at(data, rng)] + other[_at(other, rng) :]


def _token(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(TOKENS) + data[at + rng.choice((0, 0, 1)) :]


def _number(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    places = [match.span() for match in re.finditer(rb"\d[\d.]*", data[:20_000])]
    start, end = rng.choice(places) if places else (_at(data, rng),) * 2
    return data[:start] + rng.choice(NUMBERS) + data[end:]


def _word(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Put one word of a sample in the place of another, or take it out."""
    places = [match.span() for match in re.finditer(rb"[^\s,;:|/=()\[\]\"']+", data[:20_000])]
    words = re.findall(rb"[^\s,;]+", rng.choice(others)[:20_000])
    start, end = rng.choice(places) if places else (_at(data, rng),) * 2
    return data[:start] + (rng.choice(words) if words and rng.random() < 0.7 else b"") + data[end:]


def _lines(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        lines[at:at] = [lines[at]] * rng.choice((1, 2, 30))
    elif what == 1:
        del lines[at]
    elif what == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = rng.choice(rng.choice(others).splitlines(keepends=True) or [b""])
    return b"".join(lines)


def _nest(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    left, right = rng.choice(NESTED)
    start, end = sorted((_at(data, rng), _at(data, rng)))
    times = rng.choice((2, 30, 300, 3000))
    return data[:start] + left * times + data[start:end] + right * times + data[end:]


def _repeat(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    start = _at(data, rng)
    part = data[start : start + rng.choice((1, 2, 5, 40))]
    return data[:start] + part * rng.choice((2, 20, 400)) + data[start:]


_SMALL: tuple[Callable[[bytes, Sequence[bytes], Random], bytes], ...] = (
    _flip, _cut, _splice, _token, _token, _number, _word, _word, _lines, _nest, _repeat,
)  # fmt: skip


def _many_lines(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b"\n"]
    at = rng.randrange(len(lines))
    line = lines[at] or b"\n"
    return b"".join(lines[:at]) + line * (MOST_BYTES // len(line))


def _many_columns(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines() or [b""]
    at, mark = rng.randrange(len(lines)), rng.choice((b",", b"\t", b";", b" "))
    cell = mark + rng.choice((b"", b"1", b"a"))
    lines[at] += cell * (MOST_BYTES // len(cell))
    return b"\n".join(lines)


def _deep(data: bytes, rng: Random) -> bytes:
    left, _ = rng.choice(NESTED)
    at = _at(data, rng)
    return data[:at] + left * (MOST_BYTES // len(left))


def _long_word(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice((b"a", b"9", b'"', b"\n", "é".encode(), "ˈ".encode())) * MOST_BYTES


def _distinct_lines(data: bytes, rng: Random) -> bytes:
    """Repeat a line with a number in the place of its first word: as many names as there are lines."""
    lines = data.splitlines() or [b"a"]
    at = rng.randrange(len(lines))
    rest = re.sub(rb"^[^\s,;:]*", b"", lines[at])[:2000]
    return (
        b"\n".join(lines[:at])
        + b"\n"
        + b"\n".join(b"x%d" % n + rest for n in range(MOST_BYTES // (len(rest) + 8)))
    )


_LARGE: tuple[Callable[[bytes, Random], bytes], ...] = (
    _many_lines, _many_columns, _deep, _long_word, _distinct_lines,
)  # fmt: skip


def _in_zip(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Change a member of a ZIP: its text, its name, or all of it."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members = {info.filename: file.read(info) for info in file.infolist()}
    name = rng.choice(sorted(members))
    what = rng.random()
    if what < 0.02:
        members[name] = rng.choice((b"\0", b" ", b"<c/>")) * 50_000_000
    elif what < 0.05:
        members[name] = BOMB
    elif what < 0.1:
        content = members.pop(name)
        members[rng.choice(("../up" + name, "/etc/" + name, name + "/", name.upper(), name + "\0x"))] = (
            content
        )
    elif what < 0.15:
        members.pop(name)
    else:
        members[name] = changed(members[name], [*members.values()], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for member, content in members.items():
            file.writestr(member, content)
    made = out.getvalue()
    return made if len(made) <= MOST_BYTES else data


def _in_json(data: bytes, rng: Random) -> bytes:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _flip(data, [], rng)
    for _ in range(rng.choice((1, 1, 2))):
        value = _other_node(value, rng)
    try:
        return json.dumps(value).encode()
    except RecursionError:  # nested more deeply than JSON can be written
        return _flip(data, [], rng)


def _in_part(data: bytes, rng: Random) -> bytes:
    """Change a value in the head of a part of a document."""
    at = len(MAGIC) + 8
    size = int.from_bytes(data[len(MAGIC) : at], "little")
    try:
        head = msgpack.unpackb(data[at : at + size], strict_map_key=False)
        head = msgpack.packb(_other_node(head, rng))
    except (ValueError, msgpack.UnpackException, OverflowError, UnicodeEncodeError):
        return _flip(data, [], rng)
    return MAGIC + len(head).to_bytes(8, "little") + head + data[at + size :]


def _other_node(value: Any, rng: Random) -> Any:
    """Return nested lists and maps with one node replaced, taken out, doubled, or wrapped."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    if not keys or rng.random() < 0.15:
        return _other_value(value, rng)
    key = rng.choice(keys)
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rng.random() < 0.1:
        if isinstance(copy, list) and rng.random() < 0.5:
            copy *= rng.choice((2, 50))
        else:
            del copy[key]
        return copy
    copy[key] = _other_node(copy[key], rng)
    return copy


def _other_value(value: Any, rng: Random) -> Any:
    what = rng.random()
    if isinstance(value, str) and what < 0.5:
        return changed(value.encode("utf-8", "surrogatepass"), [b"x"], rng).decode("utf-8", "replace")
    if isinstance(value, int) and what < 0.3:
        return value + rng.choice((-1, 1, 1000))
    if what > 0.95:
        for _ in range(rng.choice((1, 60, 900))):
            value = [value]
        return value
    return rng.choice(VALUES)
