"""Settings of all tests."""

import gc

from hypothesis import settings

# A first call may compile a kernel; how long it takes says nothing about what is tested.
settings.register_profile("otlab", deadline=None)
settings.load_profile("otlab")

gc.disable()


def pytest_collection_finish(session):
    """Exempt all that was imported from garbage collection, which took a fifth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()
