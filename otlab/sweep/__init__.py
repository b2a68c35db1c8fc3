"""Sweeps: any learner on any data, with settings and seeds crossed, on threads, processes or a cluster.

::

    SPEC.toml --read_plan--> Plan of RunSpecs --run_plan--> ResultSet --> CSV, NetCDF
                                   |                |
                                   |  hash          |  Workers: threads, processes, Dask
                                   v                v
                              Store of finished runs

Public names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "Plan": "plan",
    "parse_plan": "plan",
    "read_plan": "plan",
    "FailedRun": "results",
    "ResultSet": "results",
    "write_table": "results",
    "BackgroundSweep": "run",
    "run_one": "run",
    "run_plan": "run",
    "RunSpec": "spec",
    "FinishedRun": "store",
    "MemoryStore": "store",
    "Store": "store",
    "SYSTEMS": "systems",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    if name in _WHERE:
        return getattr(import_module(f"otlab.sweep.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'otlab.sweep' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
