"""Settings of all tests."""

import gc
import itertools
import os
import re
import subprocess
import sys

import pytest
from hypothesis import settings

# Recorded numbers are those of processors without AVX-512: with it, NumPy and OpenBLAS compute some functions
# by other instructions, whose last bits differ, and a sampler's draws part after some steps.
_FEATURES = """
from numpy._core._multiarray_umath import __cpu_dispatch__ as parts, __cpu_features__ as there
print(*(name for name in parts if there[name] and ("AVX512" in name or name == "X86_V4")))
"""


def _without_avx512():
    if "NPY_DISABLE_CPU_FEATURES" in os.environ or "numpy" in sys.modules:
        return
    found = subprocess.run([sys.executable, "-c", _FEATURES], capture_output=True, text=True, check=False)
    if names := found.stdout.strip():
        os.environ["NPY_DISABLE_CPU_FEATURES"] = names
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


_without_avx512()

# A first call may compile a kernel; how long it takes says nothing about what is tested.
settings.register_profile("otlab", deadline=None)
settings.load_profile("otlab")

gc.disable()

_MOST_WORKERS = 8


_MARKERS = ("slow", "browser", "walk", "notebook", "peer")


def _can_match(expression, there):
    """Whether a test with some of the markers that are there, or none, is one that is asked for."""
    some = itertools.chain.from_iterable(itertools.combinations(there, n) for n in range(len(there) + 1))
    return any(eval(expression, {}, {name: name in marked for name in _MARKERS}) for marked in some)


def pytest_ignore_collect(collection_path, config):
    """Leave out files without any test that is asked for by markers: each worker would import them all."""
    asked = config.option.markexpr
    known = {*_MARKERS, "and", "or", "not"}.issuperset(words := re.findall(r"\w+", asked))
    if not (words and known and collection_path.suffix == ".py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    return None if _can_match(asked, [name for name in _MARKERS if name in text]) else True


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run the whole suite on all cores, except tests that measure other programs; ``-n 0`` takes one.

    Each worker begins with tests that stand together, and takes some from the others when it is done.
    A file of browser tests stays with one worker, which has a server and a Chromium for it. They wait for
    one another now and then, and slow tests for servers: there is one worker more than there are cores.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    whole = config.args_source is config.ArgsSource.TESTPATHS
    options = config.option
    wanted = set(re.findall(r"(?<!not )\b(?:slow|browser|walk|notebook|peer)\b", options.markexpr))
    given = options.usepdb or getattr(options, "numprocesses", 0) is not None
    if whole and not given and "peer" not in wanted:
        options.numprocesses = min((os.cpu_count() or 1) + bool(wanted), _MOST_WORKERS)
        options.dist = "loadfile" if wanted - {"slow"} else "worksteal"


def pytest_collection_finish(session):
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _left_out():
    """Exempt what is there before a file of tests from garbage collection, most of whose time it took."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session):
    gc.freeze()  # nor is all of it looked through at the end
