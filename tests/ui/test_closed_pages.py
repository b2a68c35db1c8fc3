"""A page that is closed in mid-run leaves no traceback in the terminal."""

from __future__ import annotations

import inspect
import logging
import sys
from pathlib import Path

import pytest
from bokeh.server.connection import ServerConnection
from bokeh.server.views.ws import WSHandler
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

from otlab.ui.server import bokeh_patches
from tests.ui.browser import serving

NOT_SENT = "Failed sending message as connection was closed"


def raised(make):
    try:
        make()
    except BaseException:
        return sys.exc_info()
    raise RuntimeError("nothing was raised")


def stream_closed():
    raise StreamClosedError


def socket_closed():
    try:
        stream_closed()
    except StreamClosedError:
        raise WebSocketClosedError  # noqa: B904 - as Tornado does


def session_gone():
    ServerConnection.session.fget(type("Detached", (), {"_session": None})())


def our_assertion():
    raise AssertionError("ours")


def our_error():
    raise ZeroDivisionError


@pytest.fixture(params=["asyncio", "tornado.application", "bokeh.server.views.ws"])
def logged(request):
    """What passes the filter of one logger."""
    bokeh_patches.ignore_closed_pages()
    bokeh_patches.ignore_closed_pages()  # every page calls it
    logger, passed = logging.getLogger(request.param), []
    handler = logging.Handler()
    handler.emit = passed.append
    logger.addHandler(handler)
    yield logger, passed
    logger.removeHandler(handler)


@pytest.mark.parametrize("make", [stream_closed, socket_closed, session_gone])
def test_a_closed_connection_is_no_error(logged, make):
    logger, passed = logged
    logger.error("Task exception was never retrieved", exc_info=raised(make))
    assert not passed


def test_a_message_that_a_closed_page_does_not_get_is_no_warning(logged):
    logger, passed = logged
    source = Path(inspect.getfile(WSHandler)).read_text(encoding="utf-8")
    assert f'log.warning("{NOT_SENT}")' in source
    logger.warning(NOT_SENT)
    assert not passed


@pytest.mark.parametrize("make", [our_assertion, our_error])
def test_every_other_error_is_still_told(logged, make):
    logger, passed = logged
    logger.error("Exception in callback", exc_info=raised(make))
    logger.error("without an exception")
    logger.error("of an error that was made and not raised", exc_info=AssertionError("ours"))
    assert len(passed) == 3


@pytest.mark.browser
def test_pages_closed_in_mid_run_leave_no_traceback(visit, tmp_path):
    log = tmp_path / "server.txt"
    with serving("otlab", "serve", "ot", "--no-browser", "--port", "{port}", log=log) as url:
        for milliseconds in (300, 900, 1600):
            one = visit()
            page = one.open(f"{url}/ot_lab")
            page.get_by_role("button", name="Run", exact=True).click()
            page.get_by_role("button", name="Pause", exact=True).wait_for()
            page.wait_for_timeout(milliseconds)
            page.close(run_before_unload=False)
        after = visit().open(url)
        after.wait_for_timeout(1500)  # whatever the closed pages still had to be sent
        after.close()  # a page that is open when its server ends says so, as an error of the browser
    text = log.read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "WARNING" not in text
