"""Kernels compiled at the first start on a computer: in which order, and who waits for them."""

from __future__ import annotations

import io
import runpy
import subprocess
import sys
import threading
from importlib import import_module
from types import SimpleNamespace

import pytest

from otlab import compiling
from otlab.errors import Interrupted
from otlab.inference import Preparation, jit
from otlab.mg.kernels.heads import parse_split
from otlab.ui.server import serving, warm
from otlab.ui.server.first_start import FirstStart
from tests.ui.waiting import until


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


def test_warming_goes_on_when_one_step_fails(monkeypatch, caplog, tmp_path):
    done = []

    def fail():
        raise RuntimeError("no compiler")

    systems = {"broken": {"page": fail}, "ready": {"page": lambda: done.append("ready")}}
    monkeypatch.setattr(warm, "SYSTEMS", tuple(systems))
    for module in (warm, compiling):
        monkeypatch.setattr(module, "steps_of", systems.__getitem__)
    monkeypatch.setattr(compiling, "compiled_mark", lambda system, step: tmp_path / system / step)
    kernels = warm.Kernels()
    kernels.load()
    kernels.load()
    assert done == ["ready"]
    assert kernels.loaded
    assert "otlab.broken (page) could not be prepared" in caplog.text


_ENDS = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from otlab import compiling
from otlab.ui.server import warm

pool = ThreadPoolExecutor(1)

def step():
    while True:  # until the main thread has ended
        pool.submit(int).result()

warm.SYSTEMS = ("one",)
warm.steps_of = compiling.steps_of = lambda system: {"step": step, "next": lambda: print("next")}
compiling.compiled_mark = lambda system, step: Path(sys.argv[1]) / step
threading.Thread(target=warm.Kernels().load).start()
"""


@pytest.mark.slow
def test_kernels_that_are_loaded_while_the_process_ends_say_nothing(tmp_path):
    command = [sys.executable, "-c", _ENDS, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert ended.stdout + ended.stderr == ""
    assert not list(tmp_path.iterdir())  # what was not done is not marked


@pytest.fixture
def compiler_at_work(monkeypatch, tmp_path):
    """A compiler that has not compiled anything yet, with the marks of what it has."""
    asked, begun, ended = io.StringIO(), threading.Event(), threading.Event()
    compiler = SimpleNamespace(stdin=asked, wait=lambda: begun.set() or ended.wait(600))
    kernels = warm.Kernels(lambda: compiler)
    monkeypatch.setattr(compiling, "compiled_mark", lambda system, step: tmp_path / f"{system} {step}")
    monkeypatch.setattr(compiling, "is_shipped", lambda _system, _step: False)
    monkeypatch.setattr(kernels, "load", lambda: None)
    kernels.start()
    assert begun.wait(60)
    monkeypatch.setattr(warm, "kernels", kernels)
    monkeypatch.setattr(kernels, "start", lambda: None)
    yield SimpleNamespace(asked=asked, folder=tmp_path, kernels=kernels)
    ended.set()
    until(lambda: not any(thread.name == "warm" for thread in threading.enumerate()))


def test_pages_and_runs_wait_for_the_compiler_and_are_served_first(compiler_at_work):
    kernels = compiler_at_work.kernels
    assert kernels.page_is_ready("tagging")  # it needs no kernel to be drawn
    assert not kernels.page_is_ready("ot")
    waiting = threading.Thread(target=kernels.wait_for, args=("ot", "gibbs"), daemon=True)
    waiting.start()
    asked = compiler_at_work.asked
    until(lambda: asked.getvalue() == "ot page\not gibbs\n")
    assert waiting.is_alive()
    for step in ("page", "gibbs"):
        (compiler_at_work.folder / f"ot {step}").touch()
    waiting.join(60)
    assert not waiting.is_alive()
    assert kernels.page_is_ready("ot")
    kernels.wait_for("ot", "a row without kernels of its own")


def test_a_lab_that_is_not_compiled_shows_what_is_waited_for_and_opens_by_itself(compiler_at_work):
    page = serving.lab_page("mg_lab")
    (words,) = page.select(FirstStart)
    assert (words.lab, words.ready) == ("Grammar", False)
    words.look()
    assert not words.ready
    assert compiler_at_work.asked.getvalue() == "mg page\n", "asked for once"
    (compiler_at_work.folder / "mg page").touch()
    words.look()
    assert words.ready


def test_panels_own_server_compiles_from_its_start(monkeypatch):
    """As ``panel serve --setup otlab/ui/server/warm.py`` runs the file."""
    started = []
    monkeypatch.setattr(warm.kernels, "start", lambda: started.append("kernels"))
    runpy.run_path(warm.__file__)
    assert started == []
    runpy.run_path(warm.__file__, run_name="panel_setup_module")
    assert started == ["kernels"]


def test_what_is_part_of_the_package_is_not_waited_for(compiler_at_work, monkeypatch):
    monkeypatch.setattr(compiling, "is_shipped", lambda _system, step: step == "gibbs")
    compiler_at_work.kernels.wait_for("ot", "gibbs")
    assert not compiler_at_work.asked.getvalue()
    assert not compiler_at_work.kernels.page_is_ready("ot")


def test_a_run_that_waits_for_the_compiler_can_be_stopped(compiler_at_work):
    preparation = Preparation(lambda: compiler_at_work.kernels.wait_for("ot", "gibbs"))
    preparation.interrupt()
    with pytest.raises(Interrupted):
        preparation.finish()


def test_what_is_asked_for_is_compiled_first_then_pages(monkeypatch):
    systems = {"one": ["page", "a", "b"], "two": ["page", "c"]}
    monkeypatch.setattr(compiling, "steps_of", systems.__getitem__)
    order = compiling.Order(systems)
    taken = iter(order)
    assert next(taken) == ("one", "page")
    order.ask_first("two", "c")
    assert list(taken) == [("two", "c"), ("two", "page"), ("one", "a"), ("one", "b")]


def test_the_compiler_writes_where_the_server_reads(monkeypatch, tmp_path):
    """Where no folder of the user's can be written to, each process would make a temporary one of its own."""
    given = []
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warm.subprocess, "Popen", lambda _command, *, env, **_options: given.append(env))
    warm.start_compiler()
    assert given[0]["OTLAB_CACHE"] == str(tmp_path)


@pytest.mark.parametrize("system", compiling.SYSTEMS)
def test_every_learner_of_a_system_is_compiled_ahead(system):
    learners = import_module(f"otlab.{system}.learners").LEARNERS
    one_pass = {"tp", "dibs", "puddle", "peaks", "random", "utterances"}  # baselines: no kernels
    assert set(learners) - one_pass <= set(compiling.steps_of(system))


def test_head_movement_is_compiled_ahead():
    compiling.steps_of("mg")["heads"]()
    assert parse_split.signatures


def test_a_system_without_kernels_has_no_steps_but_a_broken_one_is_an_error(monkeypatch):
    assert compiling.steps_of("forms") == {}

    def broken(module):
        raise ModuleNotFoundError(name="numpy")

    monkeypatch.setattr(compiling, "import_alone", broken)
    with pytest.raises(ModuleNotFoundError):
        compiling.steps_of.__wrapped__("ot")


def test_the_compiler_does_what_is_not_on_disk_and_ends_with_its_server(monkeypatch, tmp_path):
    done, left = [], []
    steps = {name: lambda name=name: done.append(name) for name in ("page", "a", "b")}
    monkeypatch.setattr(compiling, "SYSTEMS", ("one",))
    monkeypatch.setattr(compiling, "steps_of", {"one": steps}.__getitem__)
    monkeypatch.setattr(compiling, "compiled_mark", lambda system, step: tmp_path / step)
    monkeypatch.setattr(compiling, "is_shipped", lambda _system, step: step == "a")
    monkeypatch.setattr(compiling.os, "nice", left.append)
    monkeypatch.setattr(compiling.os, "_exit", left.append)
    monkeypatch.setattr("sys.stdin", io.StringIO("one b\n"))
    monkeypatch.setattr(compiling, "threading", SimpleNamespace(Thread=AtOnce, Lock=threading.Lock))
    compiling.main([])
    assert done == ["b", "page"]  # what was asked for, then the rest that is not in the package
    assert left == [compiling._BEHIND, 0]
    compiling.main(["one"])
    assert done == ["b", "page"]  # now both are on disk


class AtOnce:
    """A thread that does its work where it is started."""

    def __init__(self, target, args, daemon):
        self.start = lambda: target(*args)
