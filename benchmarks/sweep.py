"""A sweep on two workers against the same sweep on one: threads, and two processes of a Dask cluster.

    python -m benchmarks sweep

Four EM runs of the tagging sample, of a second or two each, on one thread each; the seconds are those
of the runs, without starting the cluster or sending the data. Both sides alternate, and must give the same
numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import Row, at_least, paired
from otlab.inference import executors
from otlab.sweep import parse_plan, run_plan

if TYPE_CHECKING:
    from otlab.inference.executors import Workers

GOAL = 1.8
SPEC = """
seed = 1
seeds = 4
system = "tagging"
learner = "em"
data = "ewt"
[settings]
states = 30
iterations = 150
"""


def run() -> dict[str, Row]:
    from distributed import LocalCluster

    rows: dict[str, Row] = {}
    with executors.threads(1) as one, executors.threads(2) as two:
        rows["sweep on two threads"] = compared(two, one, "one thread")
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        LocalCluster(n_workers=2, **options) as pair,
        LocalCluster(n_workers=1, **options) as single,
        executors.dask_workers(pair.scheduler_address) as two,
        executors.dask_workers(single.scheduler_address) as one,
    ):
        rows["sweep on two Dask workers"] = compared(two, one, "one Dask worker")
    return rows


def compared(two: Workers, one: Workers, against: str) -> Row:
    plan, found = parse_plan(SPEC), {}

    def sweep(workers: Workers) -> None:
        runs = run_plan(plan, workers).runs
        found[workers.count] = [(run.spec.hash, run.scores) for run in runs]

    sweep(two), sweep(one)  # kernels and data are there
    ours, theirs, ratio = paired(lambda: sweep(two), lambda: sweep(one), repeats=2)
    assert found[1] == found[2], "the numbers depend on the workers"
    return at_least(ours, "s", against, theirs, ratio, GOAL)
