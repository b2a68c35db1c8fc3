"""The task of a tab: it ends with its page, and without calling back."""

from __future__ import annotations

from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from otlab.inference import run
from otlab.ui import LearnerRow
from otlab.ui.task import Task
from tests.ui.page import send
from tests.ui.toy import Walk
from tests.ui.waiting import until


@pytest.fixture
def now(monkeypatch):
    """The time, which a test changes."""
    seconds = [0.0]
    monkeypatch.setattr("otlab.ui.session_watchdog.time.monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture
def page(monkeypatch):
    """A page that is connected, without timers."""
    monkeypatch.setattr(
        type(pn.state),
        "add_periodic_callback",
        staticmethod(lambda _do, _ms: SimpleNamespace(stop=lambda: None)),
    )
    document, session = Document(), SimpleNamespace(destroyed=False, connection_count=1)
    context = SimpleNamespace(session=session, destroyed=False)
    document._session_context = lambda: context
    return document


def test_a_task_goes_on_as_long_as_its_page_gives_signs_of_life(now, page):
    ended = []
    row = LearnerRow("a", "A", "gibbs", lambda: lambda: run(Walk(pause=0.001), sweeps=10**6, seed=1, every=5))
    task = Task("Start", lambda: [row], lambda _ticks: None, lambda: ended.append(task.runner.phase))
    with set_curdoc(page):
        send(task, "start")
        now[0] = 149.0
        send(task, "alive")
        now[0] = 298.0
        task.tick()
        assert task.runner.alive
        now[0] = 300.0
        task.tick()
    until(lambda: not task.runner.alive)
    assert ended == [], "there is no page to show the end on"
