"""A repeated callback has one timer, however often it is started."""

from __future__ import annotations

import panel as pn
import pytest

from otlab.ui.timers import TICK_MS, Repeating


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
    said = []
    again = Repeating(lambda: said.append("tick"))
    again.stop()
    assert not again.going
    again.start()
    again.start()
    assert [timer.period for timer in timers] == [TICK_MS]
    timers[0].callback()
    assert said == ["tick"]
    again.stop()
    assert timers[0].stopped
    assert not again.going
    again.start(40)
    assert [timer.period for timer in timers] == [TICK_MS, 40]
    assert again.going
