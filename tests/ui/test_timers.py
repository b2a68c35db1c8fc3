"""Timers of a page, and which runs wait while it is drawn."""

from __future__ import annotations

import asyncio
import importlib
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from otlab.inference import run
from otlab.ui import LearnerRow, RunPanel
from otlab.ui.refresh import TICK_MS
from otlab.ui.timers import Later, Repeating, call_on_page, drawing
from tests.ui.toy import Walk
from tests.ui.waiting import until

run_module = importlib.import_module("otlab.inference.run")


class Timer:
    def __init__(self, callback, period):
        self.callback, self.period, self.stopped = callback, period, False

    def stop(self):
        self.stopped = True


@pytest.fixture
def timers(monkeypatch):
    made = []

    def add(callback, period):
        made.append(Timer(callback, period))
        return made[-1]

    monkeypatch.setattr(type(pn.state), "add_periodic_callback", staticmethod(add))
    return made


def test_it_has_one_timer_from_start_to_stop(timers):
    calls = []
    again = Repeating(lambda: calls.append("tick"))
    again.stop()
    assert not again.running
    again.start()
    again.start()
    assert [timer.period for timer in timers] == [TICK_MS]
    timers[0].callback()
    assert calls == ["tick"]
    again.stop()
    assert timers[0].stopped
    assert not again.running
    again.start(40)
    assert [timer.period for timer in timers] == [TICK_MS, 40]
    assert again.running


def test_an_order_of_a_page_that_has_gone_is_dropped_without_writing_to_it():
    page, context = Document(), SimpleNamespace(destroyed=False)
    page._session_context = lambda: context
    later = Later(lambda: None)
    with set_curdoc(page):
        later.call(5)
        later.cancel()
        assert not page.session_callbacks
        later.call(5)
    context.destroyed = True
    page.callbacks.destroy()
    later.cancel()


def test_from_another_thread_a_page_is_called_on_its_own_and_a_closed_one_no_more():
    page, context, called = Document(), SimpleNamespace(destroyed=False), []
    page._session_context = lambda: context
    call_on_page(page, lambda: called.append(pn.state.curdoc))
    assert called == [], "not on this thread"
    (waiting,) = page.session_callbacks
    waiting.callback()
    assert called == [page]
    context.destroyed = True
    call_on_page(page, lambda: called.append(pn.state.curdoc))
    assert not page.session_callbacks
    assert called == [page]


def test_what_is_ordered_for_later_is_done_once_and_the_last_order_holds():
    calls = []
    later = Later(lambda: calls.append("done"))

    async def after(milliseconds):
        """Wait for a timer that is due after every earlier one, however busy the machine is."""
        due = asyncio.Event()
        asyncio.get_running_loop().call_later(milliseconds / 1000, due.set)
        await due.wait()
        return list(calls)

    async def order():
        later.call(1)
        later.call(3_600_000)
        replaced = await after(5)
        later.call(1)
        done = await after(5)
        later.call(1)
        later.cancel()
        return replaced, done, await after(5)

    assert asyncio.run(order()) == ([], ["done"], ["done"])


def test_without_a_page_and_a_loop_nothing_is_done_later():
    Later(lambda: pytest.fail("called")).call(1)


def a_run():
    return LearnerRow("a", "Gibbs", "gibbs", plan=lambda: lambda: run(Walk(), sweeps=30, seed=1, every=5))


def test_only_the_runs_of_the_page_that_is_drawn_wait(monkeypatch):
    monkeypatch.setattr(run_module, "COURTESY_SECONDS", 30.0)
    one, other = Document(), Document()
    panels = [RunPanel([a_run()], on_ticks=lambda ticks: None) for _ in range(2)]
    with set_curdoc(one), drawing():
        for document, panel in zip((one, other), panels, strict=True):
            with set_curdoc(document):
                panel.run()
        until(lambda: not panels[1].runner.alive)
        assert panels[0].runner.alive
        assert panels[0].runner.jobs["a"].last is None
    until(lambda: not panels[0].runner.alive)
