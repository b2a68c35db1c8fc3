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

from otlab.importing import lazy_names

_MODULES = {
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
    "Part": "write",
    "sweep_text": "write",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
