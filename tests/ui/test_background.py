"""Work in the background: at once without a page, on another thread with one, the newest answer only."""

from __future__ import annotations

import asyncio
import threading

import pytest

from otlab.ui.background import Background


def test_without_a_page_it_is_done_at_once():
    got = []
    Background().do(lambda: 3, got.append)
    assert got == [3]


def test_with_a_loop_it_is_done_elsewhere_and_shown_here():
    got = []

    async def page():
        Background().do(threading.get_ident, lambda ident: got.append((ident, threading.get_ident())))
        assert got == []
        while not got:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(page(), 20))
    ((worker, shower),) = got
    assert shower == threading.get_ident() != worker


def test_an_older_answer_is_dropped():
    got, gate = [], threading.Event()

    async def page():
        background = Background()
        background.do(lambda: gate.wait(20) and "old", got.append)
        background.do(lambda: "new", got.append)
        gate.set()
        while not got:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)

    asyncio.run(asyncio.wait_for(page(), 20))
    assert got == ["new"]


def test_what_goes_wrong_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        Background().do(lambda: 1 // 0, print)
