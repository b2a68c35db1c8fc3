"""Bytes and texts of files: each fault names its place."""

from __future__ import annotations

import pytest

from otlab.errors import InputError
from otlab.files import decode, file_bytes, file_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_read_whatever_mark_it_begins_with(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes("ŋ a\nb".encode(encoding))
    assert file_text(path) == "ŋ a\nb"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb \xff c", "f.txt:2: byte 0xff is not UTF-8; save it as UTF-8"),
        (b"a\n\nb\0", "f.txt:3: a NUL byte: this is no text; save it as UTF-8 text"),
        ("ab".encode("utf-16")[:-1], "f.txt: is cut off; save it as UTF-8"),
    ],
)
def test_what_is_no_text_is_named(data, expected):
    with pytest.raises(InputError) as caught:
        decode(data, "f.txt")
    assert str(caught.value) == expected


def test_what_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "none.txt"):
        with pytest.raises(InputError, match=r"cannot be read: .*; choose a file"):
            file_bytes(path)
