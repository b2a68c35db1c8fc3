"""Settings of all tests."""

import gc
import os
import re

import pytest
from hypothesis import settings

# A first call may compile a kernel; how long it takes says nothing about what is tested.
settings.register_profile("otlab", deadline=None)
settings.load_profile("otlab")

gc.disable()

_MOST_WORKERS = 8


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run the whole suite on all cores, except tests that need a browser or notebook; ``-n 0`` takes one."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    whole = config.args_source is config.ArgsSource.TESTPATHS
    alone = re.search(r"(?<!not )\b(browser|walk|notebook|peer)\b", config.option.markexpr)
    options = config.option
    if whole and not alone and not options.usepdb and getattr(options, "numprocesses", 0) is None:
        # Each worker begins with tests that stand together, and takes some from the others when it is done.
        options.numprocesses, options.dist = min(os.cpu_count() or 1, _MOST_WORKERS), "worksteal"


def pytest_collection_finish(session):
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _left_out():
    """Exempt what is there before a file of tests from garbage collection, most of whose time it took."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session):
    gc.freeze()  # nor is all of it looked through at the end
