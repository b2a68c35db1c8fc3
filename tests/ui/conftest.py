"""Fixtures of the labs' tests: one Chromium a module, servers once, a page each, no pauses."""

from __future__ import annotations

import os
import threading

import panel as pn
import pytest

from otlab import compiling
from otlab.ui.components.file_zone import Reading
from otlab.ui.mg import state as mg_state
from otlab.ui.server import bokeh_patches
from tests.ui import browser as house


@pytest.fixture(scope="session", autouse=True)
def bokeh_remembers():
    """Cache Bokeh's defaults as the server does, which makes every page cheaper."""
    bokeh_patches.cache_defaults()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """No pauses between the grammar lab's iterations in this process, where no page is drawn."""
    monkeypatch.setattr(mg_state, "WATCHED_SECONDS", 0.1)


@pytest.fixture
def slow_reading(monkeypatch):
    """Files that are read only once this event is set, and so beside the page."""
    go_on, work = threading.Event(), Reading._work

    def wait_and_work(reading):
        assert go_on.wait(60)
        work(reading)

    monkeypatch.setattr(Reading, "_work", wait_and_work)
    monkeypatch.setattr("otlab.ui.components.file_zone.AT_ONCE_SECONDS", 0)
    yield go_on
    go_on.set()


@pytest.fixture(scope="module")
def browser():
    """Chromium; where CI is set it may not be missing."""
    reason = house.missing()
    if reason:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    from playwright.sync_api import expect

    expect.set_options(timeout=house.PATIENCE)
    with house.launched() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def kernels():
    """Compile what is not yet on disk, so that no test waits for a compiler instead of the page."""
    compiling.main(compiling.SYSTEMS)


@pytest.fixture(scope="session")
def labs_url(kernels):
    """Address of ``otlab serve``."""
    with house.serving("otlab", "serve", "--no-browser", "--port", "{port}") as url:
        yield url


@pytest.fixture(scope="session")
def toy_url():
    """Address of the toy lab under plain ``panel serve``."""
    app = str(house.ROOT / "tests/ui/toy_app.py")
    with house.serving("panel", "serve", app, "--port", "{port}", path="/toy_app") as url:
        yield url + "/toy_app"


@pytest.fixture
def visit(browser):
    """Make visitors; each fails the test if its page asked another host or raised an error."""
    visits = []

    def make(size=(1440, 900), **options):
        visits.append(house.Visit(browser, size, **options))
        return visits[-1]

    yield make
    for one in visits:
        one.close()


@pytest.fixture(scope="module")
def ot_labs(kernels):
    """OT labs served from this process: those made so far, newest last, and the address."""
    from otlab.ui.ot.lab import OTLab
    from tests.ui.ot_page import thirty  # with Playwright

    made = []

    def lab(source):
        made.append(OTLab(source))
        made[-1].document_served = pn.state.curdoc
        return made[-1].page()

    port = house.free_port()
    routes = {
        "/ot_lab": lambda: lab("ilokano"),
        "/thirty": lambda: lab(thirty()),
        "/bounded": lambda: lab("harmonic"),
    }
    running = pn.serve(routes, port=port, address="127.0.0.1", show=False, threaded=True, verbose=False)
    yield made, f"http://127.0.0.1:{port}"
    running.stop()


@pytest.fixture
def opened(visit, ot_labs):
    """Open an OT lab; returns its page and the lab on the server."""
    made, url = ot_labs

    def go(route="/ot_lab", **options):
        page = visit(**options).open(url + route)
        page.locator("[tabulator-field='c_0']").first.wait_for()
        return page, made[-1]

    return go
