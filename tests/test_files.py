"""Bytes and texts of files: each fault names its place."""

from __future__ import annotations

import gc

import pytest

from otlab.errors import DataWarning, InputError
from otlab.files import collector_paused, decode, decode_any, file_bytes, file_text


def test_the_collector_is_paused_and_goes_on_after_an_error():
    @collector_paused()
    def read():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise InputError("wrong")

    assert gc.isenabled()
    with pytest.raises(InputError):
        read()
    assert gc.isenabled()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_read_whatever_mark_it_begins_with(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes("ŋ a\nb".encode(encoding))
    assert file_text(path) == "ŋ a\nb"


def test_a_text_of_an_older_program_is_read_with_a_warning():
    with pytest.warns(DataWarning, match="f.txt: not UTF-8, read as Windows-1252"):
        assert decode_any("mañana\n".encode("latin-1"), "f.txt") == "mañana\n"
    assert decode_any("mañana\n".encode(), "f.txt") == "mañana\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("mañana ñ".encode()[:-1], "f.txt: ends inside a character: it is cut off; save it again"),
        (b"a\x81", "f.txt: is neither UTF-8 nor Windows-1252 text; save it as UTF-8"),
        (b"\xff\0", "f.txt:1: a NUL byte: this is no text; save it as UTF-8 text"),
        (b"\x89PNG\r\n", "f.txt: is a picture, not plain text; choose a text file"),
        (
            b"ooBinaryFile\x08TextGrid\0\0",
            "f.txt: is a binary file of Praat, not plain text; open it in Praat and choose Save as text file",
        ),
    ],
)
def test_what_is_in_no_encoding_is_refused(data, message):
    with pytest.raises(InputError) as caught:
        decode_any(data, "f.txt")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb \xff c", "f.txt:2: byte 0xff is not UTF-8; save it as UTF-8"),
        (b"a\n\nb\0", "f.txt:3: a NUL byte: this is no text; save it as UTF-8 text"),
        ("ab".encode("utf-16")[:-1], "f.txt: is cut off; save it as UTF-8"),
        (b"%PDF-1.4\n%\xe2\xe3", "f.txt: is a PDF document, not plain text; save it as UTF-8 text"),
        (
            b"PK\x03\x04  word/document.xml",
            "f.txt: is a Word document, not plain text; save it as UTF-8 text",
        ),
        (
            b"PK\x03\x04  xl/workbook.xml",
            "f.txt: is a spreadsheet, not plain text; save it as CSV (UTF-8)",
        ),
        (b"PK\x03\x04 and more", "f.txt: is a ZIP archive, not plain text; unpack it first"),
        (b"\x89PNG\r\n", "f.txt: is a picture, not plain text; choose a text file"),
        (
            b"ooBinaryFile\x08TextGrid\0\0",
            "f.txt: is a binary file of Praat, not plain text; open it in Praat and choose Save as text file",
        ),
        (b"RIFF\0\0\0\0WAVEfmt ", "f.txt: is a recording, not plain text; choose a text file"),
        (b"\n<HTML><body>a</body>", "f.txt: is a web page, not plain text; save it as UTF-8 text"),
    ],
)
def test_what_is_no_text_is_named(data, expected):
    with pytest.raises(InputError) as caught:
        decode(data, "f.txt")
    assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["RIFF", "ID3 k6ri", "PK a b", "<a> b", "{a} b"])
def test_a_text_that_begins_like_another_file_is_read(text):
    assert decode(text.encode(), "f.txt") == text


def test_what_cannot_be_read_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "none.txt"):
        with pytest.raises(InputError, match=r"cannot be read: .*; choose a file"):
            file_bytes(path)
