"""Who can reach what: addresses, ids, messages of pages, and what a student can do to the board."""

from __future__ import annotations

import base64
import http.client
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from otlab.errors import InputError
from otlab.ui.classroom.exercise import exercise_of_board, load_exercise
from otlab.ui.documents.store import new_id, open_store
from otlab.ui.server import uploads
from tests.ui.browser import server, serving
from tests.ui.classroom.helpers import made, pupil, type_in
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import send


def test_ids_and_keys_have_128_random_bits():
    for made_of in (new_id, lambda: uploads.keep("a.csv", b"")):
        names = {made_of() for _ in range(50)}
        assert len(names) == 50
        assert all(len(base64.urlsafe_b64decode(name + "==")) >= 16 for name in names)


@pytest.fixture(scope="module")
def address():
    with serving("otlab", "serve", "ot", "--no-browser", "--port", "{port}") as url:
        yield urlsplit(url)


def answer(address, path, **headers):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    found = connection.getresponse()
    status, text = found.status, b"" if found.status == 101 else found.read()
    connection.close()
    return status, text


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_a_page_of_another_origin_gets_no_connection(address, origin):
    assert answer(address, "/ot_lab/ws", **UPGRADE, Origin=origin)[0] == 403


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/js/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/static/extensions/panel/../../../../../../etc/passwd",
        "/static/extensions/panel/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static/extensions/panel//etc/passwd",
        "/join?code=../../etc/passwd",
        "/../../../etc/passwd",
    ],
)
def test_no_address_leads_out_of_the_folders_that_are_served(address, path):
    status, text = answer(address, path)
    assert b"root:" not in text
    assert status in (200, 302, 400, 403, 404)
    assert status != 200 or path.startswith("/join")


@pytest.mark.slow
def test_a_student_cannot_write_to_the_board_or_read_it():
    exercise, board = made(paged(CASES["ot"]), predict=True)
    first, second = pupil("ot", exercise), pupil("ot", exercise)
    type_in(second, name="Bea", answer="Max", why="because of Dep")
    store = open_store()
    entries = first._link.student._board.entries
    before = {page: vars(entry).copy() for page, entry in entries.items()}
    for kind in (
        "state",
        "report",
        "here",
        "number",
        "guessing",
        "truth",
        "__class__",
        "revealed",
        "entries",
    ):
        type_in(first, **{kind: "x"})
    for guess in ([[2.0]], [], "x", None, [["a"]], [[float("nan")]]):
        with suppress(TypeError, ValueError):
            send(first.guess, {"kind": "guess", "guess": guess})
    after = {page: vars(entry) for page, entry in entries.items()}
    assert after == before
    type_in(first, answer="a" * 100_000)
    assert len(entries[first.document].answer) == 2000
    shown = repr([first.asked.shown, first.guess.shown, first.to_dict()])
    assert "Bea" not in shown
    assert "because of Dep" not in shown
    with pytest.raises(InputError):
        exercise_of_board(store, exercise)
    with pytest.raises(InputError):
        load_exercise(store, board)
    own = first.document
    for other in (exercise, board):
        assert paged(CASES["ot"], document=other).document not in (other, own)


@pytest.mark.slow
def test_a_server_that_is_told_to_end_ends_in_order(tmp_path):
    log = tmp_path / "server.txt"
    with server("otlab", "serve", "ot", "--no-browser", "--port", "{port}", log=log) as (_url, process):
        process.terminate()
        assert process.wait(30) == 0
    assert "Traceback" not in log.read_text(encoding="utf-8")
