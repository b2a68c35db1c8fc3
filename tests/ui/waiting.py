"""Wait for something to become true, not for a time."""

from __future__ import annotations

import time


def until(condition, timeout=90.0):
    """Return the first true value of `condition`; fail after `timeout` seconds."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"still waiting after {timeout} s")
