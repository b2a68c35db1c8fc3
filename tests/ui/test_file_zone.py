"""The drop zone without a browser: pieces, progress, Cancel, refusals."""

from __future__ import annotations

import base64
import threading
import time
from types import SimpleNamespace

import pytest

from otlab.errors import InputError
from otlab.ui.components import file_zone
from otlab.ui.components.file_zone import FileZone
from otlab.ui.source import Source
from tests.ui import page


@pytest.fixture
def heard():
    """What a zone handed over: contents, and refusals."""
    return {"shown": [], "refused": []}


@pytest.fixture
def zone(heard):
    def read(source, progress):
        progress(0.5)
        if not source.content():
            raise InputError("the file is empty")
        return source.content()

    return FileZone(
        read,
        lambda source, content: heard["shown"].append((source.name, content)),
        lambda error, source: heard["refused"].append((source.name, str(error))),
        large="use the command line",
    )


def send(zone, name, data, size=300):
    """Send a file in pieces, as the browser does."""
    page.send(zone, {"kind": "begin", "name": name, "size": len(data)})
    for at in range(0, len(data), size):
        piece = base64.b64encode(data[at : at + size]).decode()
        page.send(zone, {"kind": "piece", "at": at, "data": piece})


def test_pieces_are_put_together_and_read(zone, heard):
    data = b"the/DT dog/NN\n" * 50
    send(zone, "t.txt", data)
    assert zone.wait()
    assert heard == {"shown": [("t.txt", data)], "refused": []}
    assert zone.state == {}


def test_a_piece_that_comes_twice_counts_once(zone, heard):
    page.send(zone, {"kind": "begin", "name": "t.txt", "size": 4})
    for at, data in ((0, b"ab"), (0, b"ab"), (2, b"cd")):
        page.send(zone, {"kind": "piece", "at": at, "data": base64.b64encode(data).decode()})
    assert zone.wait()
    assert heard["shown"] == [("t.txt", b"abcd")]


def test_what_is_wrong_is_handed_over(zone, heard):
    send(zone, "t.txt", b"")
    assert zone.wait()
    assert heard == {"shown": [], "refused": [("t.txt", "the file is empty")]}


def test_a_file_that_is_too_large_is_refused_before_it_comes(zone, heard):
    zone.most = 100
    send(zone, "t.txt", b"x" * 200)
    assert heard["shown"] == []
    ((name, message),) = heard["refused"]
    assert name == "t.txt"
    assert "larger than" in message
    assert "use the command line" in message


def test_reading_can_be_cancelled(zone, heard, monkeypatch):
    monkeypatch.setattr(file_zone, "AT_ONCE_SECONDS", 0)
    begun, go_on = threading.Event(), threading.Event()

    def read(source, progress):
        begun.set()
        assert go_on.wait(20)
        progress(0.5)
        return source

    slow = FileZone(
        read, lambda *read: heard["shown"].append(read), lambda *bad: heard["refused"].append(bad)
    )
    slow.take("t.txt", b"text")
    assert begun.wait(20)
    assert slow.state["text"] == "Reading t.txt"
    reading = slow.reading
    page.send(slow, {"kind": "cancel"})
    go_on.set()
    assert reading.wait(20)
    slow.look()
    assert heard == {"shown": [], "refused": []}
    assert slow.state == {}


def test_an_error_of_the_reader_is_not_swallowed(monkeypatch):
    monkeypatch.setattr(file_zone, "AT_ONCE_SECONDS", 20)
    zone = FileZone(lambda source, progress: 1 // 0, print, print)
    with pytest.raises(ZeroDivisionError):
        zone.take("t.txt", b"text")


def test_what_goes_on_is_said_with_the_time_left(zone, monkeypatch):
    monkeypatch.setattr(file_zone, "AT_ONCE_SECONDS", 0)
    go_on = threading.Event()

    def read(source, progress):
        progress(0.25)
        go_on.wait(20)

    slow = FileZone(read, print, print)
    slow.take("t.txt", b"text")
    later = time.monotonic() + 6
    monkeypatch.setattr(file_zone, "time", SimpleNamespace(monotonic=lambda: later))
    while slow.reading.share < 0.25:
        time.sleep(0.01)
    slow.look()
    assert slow.state == {"text": "Reading t.txt", "share": 0.25, "left": "18 s left"}
    slow.cancel()
    go_on.set()


def test_a_source_can_be_read_again():
    source = Source("t.txt", b"ab")
    source.add(b"cd")
    assert source.content() == b"abcd"
    with source.open() as stream:
        assert stream.read() == b"abcd"
