"""Memory of closed pages goes back to the system."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys

import pytest

from otlab.ui.server import memory
from tests.ui.waiting import until

GLIBC = platform.libc_ver()[0] == "glibc"
_FREED = """
import resource, threading, psutil
from otlab.ui.server import memory
memory.limit_arenas()
def use():
    kept = []
    def fill():
        kept.append([bytes(1000) for _ in range(40_000)])
    threads = [threading.Thread(target=fill) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    last = bytes(1000)
    return kept, last
process = psutil.Process()
before = process.memory_info().rss
kept, last = use()
full = process.memory_info().rss
del kept
memory.return_free_memory()
after = process.memory_info().rss
assert full - before > 250e6, (before, full)
print((after - before) / (full - before))
"""


@pytest.mark.skipif(not GLIBC, reason="only glibc gives memory back")
@pytest.mark.slow
def test_what_threads_have_freed_goes_back_to_the_system():
    pytest.importorskip("psutil")
    printed = subprocess.run([sys.executable, "-c", _FREED], capture_output=True, text=True, check=True)
    assert float(printed.stdout) < 0.2


def test_where_memory_cannot_be_given_back_nothing_is_done(monkeypatch):
    done = []
    monkeypatch.setattr(memory.sys, "platform", "darwin")
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: done.append(name))
    monkeypatch.setattr(memory.threading, "Timer", lambda *_: done.append("timer"))
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    memory.limit_arenas()
    memory.release_free_memory()
    memory.return_free_memory()
    assert done == []


def test_what_pages_leave_is_collected_once_for_all_that_close_together(monkeypatch):
    collected = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    for _ in range(5):
        memory.release_free_memory(after=0.05)
    if GLIBC:
        until(lambda: collected)
    assert len(collected) <= 1
