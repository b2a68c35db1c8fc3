"""Settings of all tests."""

import gc

import pytest
from hypothesis import settings

# A first call may compile a kernel; how long it takes says nothing about what is tested.
settings.register_profile("otlab", deadline=None)
settings.load_profile("otlab")

gc.disable()


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
