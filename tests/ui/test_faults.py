"""What fails in a class: each line of the table in docs/classroom.md."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from otlab.inference import run
from otlab.ui import LearnerRow, RunPanel, session_watchdog
from otlab.ui.documents.runs import RUN
from otlab.ui.documents.store import open_store
from tests.inference.toys import Broken, Diverging
from tests.ui.browser import free_port, server
from tests.ui.page import component, send
from tests.ui.toy import Walk
from tests.ui.waiting import until


class Page:
    """A page with a long run, whose connection and clock are ours."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(session_watchdog.time, "monotonic", lambda: self.now)
        self.session = SimpleNamespace(destroyed=False, connection_count=1)
        document, context = Document(), SimpleNamespace(session=self.session, destroyed=False)
        document._session_context = lambda: context
        row = LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: run(Walk(), sweeps=10**9, seed=1))
        self.panel = RunPanel([row], on_ticks=lambda _: None)
        with set_curdoc(document):
            self.panel.run()
        self.head = component(self.panel, "RunHead")
        self.job = self.panel.runner.jobs["a"]

    def pass_by(self, seconds, *, alive=False):
        """Let time pass, one look per second."""
        for _ in range(seconds):
            self.now += 1.0
            if alive and self.now % 15 == 0:
                send(self.head, {"kind": "alive"})
            self.panel.tick()


@pytest.fixture
def page(monkeypatch):
    made = Page(monkeypatch)
    yield made
    made.panel.close()
    assert made.job.join(20)


@pytest.mark.parametrize("seconds", [5, 30, 90])
def test_a_cut_of_the_network_does_not_end_the_run(page, seconds):
    """The connection looks open meanwhile, but nothing comes through."""
    page.pass_by(seconds)
    assert page.panel.phase in ("preparing", "running")
    page.pass_by(200, alive=True)
    assert page.job.alive


def test_a_closed_connection_ends_the_run_unless_it_comes_back(page):
    page.session.connection_count = 0
    page.pass_by(30)
    assert page.job.alive
    page.session.connection_count = 1
    page.pass_by(40, alive=True)
    page.session.connection_count = 0
    page.pass_by(47, alive=True)
    assert page.job.join(20)
    assert page.job.state == "stopped"


def test_a_page_that_slept_shows_that_its_run_was_stopped(page):
    until(lambda: page.job.last is not None)
    page.pass_by(152)
    assert page.job.join(20)
    assert page.panel.phase == "stopped"


def test_a_closed_tab_ends_the_run_at_once(page):
    page.session.destroyed = True
    page.pass_by(1)
    assert page.job.join(20)


def test_a_learner_that_raises_ends_the_run_and_says_so(caplog, capfd):
    ends = []
    row = LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: run(Broken(), sweeps=10, seed=0, every=1))
    panel = RunPanel([row], on_ticks=lambda _: None, on_end=ends.append)
    panel.run()
    assert panel.wait(20)
    assert (panel.phase, ends) == ("failed", ["failed"])
    fault = component(panel, "RunHead").state["fault"]
    assert fault["title"] == "Gibbs stopped because of an error"
    assert "ZeroDivisionError" in fault["rows"][0]["what"]
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_a_learner_whose_numbers_become_nan_ends_the_run_and_says_so(capfd):
    row = LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: run(Diverging(), sweeps=5000, seed=0))
    panel = RunPanel([row], on_ticks=lambda _: None)
    panel.run()
    assert panel.wait(20)
    assert panel.phase == "failed"
    fault = component(panel, "RunHead").state["fault"]
    assert "no longer a number (NaN)" in fault["rows"][0]["what"]
    assert not np.isnan(panel.runner.jobs["a"].last.view).any()
    assert capfd.readouterr() == ("", "")


def run_is_saved(document):
    saved = open_store().load(document)
    parts = () if saved is None else saved.parts
    return any(part.startswith(f"{RUN}gibbs ") for part in parts)  # MaxEnt has long ended


@pytest.mark.browser
def test_a_reload_in_mid_run_and_a_server_that_comes_back(browser, tmp_path):
    """No visitor of the usual kind: the browser itself reports the lost connection as an error."""
    port = free_port()
    command = ("otlab", "serve", "ot", "--no-browser", "--port", "{port}")
    log = tmp_path / "server.txt"
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    with server(*command, log=log, port=port) as (url, _process):
        page.goto(f"{url}/ot_lab?sweeps=100000000")
        page.locator("#opening").wait_for(state="detached")
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_role("button", name="Pause", exact=True).wait_for()
        page.wait_for_url(re.compile("document="))
        document = re.search("document=([^&]+)", page.url)[1]
        until(lambda: run_is_saved(document))
        page.reload()
        page.locator("#opening").wait_for(state="detached")
        page.get_by_role("button", name="Resume", exact=True).wait_for()
    from playwright.sync_api import expect

    lost = page.locator("#lost")
    expect(lost).to_have_text(re.compile("connection to otlab is lost"))
    with server(*command, log=log, port=port):
        again = lost.get_by_role("button", name="Load again")
        again.click()
        page.locator("#opening").wait_for(state="detached")
        page.get_by_role("button", name="Resume", exact=True).wait_for()
        expect(lost).to_have_count(0)
    context.close()
    assert "Traceback" not in log.read_text(encoding="utf-8")
