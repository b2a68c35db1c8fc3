"""Values that are cached for a tableau."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from otlab.errors import Interrupted
from otlab.inference import Preparation
from otlab.ot import read
from otlab.ot.memo import PerTableau


def test_threads_that_ask_together_get_one_value_made_once():
    made, here = [], threading.Barrier(3)

    def make(tableau):
        made.append(tableau)
        return object()

    remembered, tableau = PerTableau(make), read("ilokano")

    def ask(_):
        here.wait()
        return remembered(tableau)

    with ThreadPoolExecutor(3) as pool:
        answers = set(pool.map(ask, range(3)))
    assert len(answers) == len(made) == 1
    assert remembered.known(tableau) in answers
    assert remembered.known(read("spanish")) is None


def test_a_value_ends_with_its_tableau():
    class Value:
        pass

    remembered, tableau = PerTableau(lambda _: Value()), replace(read("ilokano"))
    value = weakref.ref(remembered(tableau))
    assert value() is not None
    del tableau
    gc.collect()
    assert value() is None


def test_a_failure_is_not_remembered():
    answers = iter([ValueError("not yet"), "made"])

    def make(_):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    remembered, tableau = PerTableau(make), read("ilokano")
    with pytest.raises(ValueError, match="not yet"):
        remembered(tableau)
    assert remembered(tableau) == "made"


def test_who_waits_for_another_thread_hears_stop():
    begun, end = threading.Event(), threading.Event()

    def make(_):
        begun.set()
        end.wait(10)
        return "made"

    remembered, tableau = PerTableau(make), read("ilokano")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(remembered, tableau)
        begun.wait(10)
        waiting = Preparation(lambda: remembered(tableau))
        second = pool.submit(waiting.finish)
        waiting.interrupt()
        with pytest.raises(Interrupted):
            second.result(10)
        end.set()
        assert first.result(10) == "made"
