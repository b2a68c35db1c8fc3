"""The parts of a step: results in order, on other threads or on this one, and none left running."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from otlab.errors import InputError
from otlab.inference.parallel import in_order
from otlab.tagging.hmm.threads import each


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_tasks(threads):
    def late(number):
        time.sleep(0.002 * (5 - number))
        return number

    assert in_order([partial(late, n) for n in range(5)], threads) == [0, 1, 2, 3, 4]
    assert each(late, range(5), threads) == [0, 1, 2, 3, 4]


def test_one_task_and_one_thread_need_no_other_thread():
    here = threading.get_ident()
    assert in_order([threading.get_ident], threads=4) == [here]
    assert in_order([threading.get_ident] * 3, threads=1) == [here] * 3
    assert in_order([], threads=4) == []


def test_learners_of_all_systems_share_the_threads():
    """A run of a tagger and one of a lexicon start no pool each."""
    both = threading.Barrier(2)

    def name(_=None):
        both.wait(10)
        return threading.current_thread().name.rpartition("_")[0]

    assert set(in_order([name, name], threads=2)) == set(each(name, range(2), 2))


def test_nothing_is_still_running_after_a_failure():
    """The next step uses the same arrays."""
    ended, begun = threading.Event(), threading.Event()

    def fails():
        begun.wait(10)
        raise InputError("no")

    def lasts():
        begun.set()
        ended.wait(0.2)
        ended.set()

    with pytest.raises(InputError):
        in_order([fails, lasts], threads=2)
    assert ended.is_set()
