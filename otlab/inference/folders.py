"""Where compiled kernels and cached runs are kept on this computer.

``OTLAB_CACHE`` names another folder. A folder that cannot be written (a class
room's read-only home) is replaced by one in the system's temporary folder.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

__all__ = ["cache_folder"]


@cache
def cache_folder() -> Path:
    """Return a writable folder for what can be computed again."""
    wanted = Path(os.environ["OTLAB_CACHE"]) if "OTLAB_CACHE" in os.environ else user_cache_path("otlab")
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError:
        return Path(tempfile.mkdtemp(prefix="otlab-"))
