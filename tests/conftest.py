"""Settings of all tests."""

from hypothesis import settings

# A first call may compile a kernel; how long it takes says nothing about what is tested.
settings.register_profile("otlab", deadline=None)
settings.load_profile("otlab")
