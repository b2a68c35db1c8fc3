"""A sweep on a real Dask cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.inference import executors
from otlab.sweep import Store, parse_plan, run_one, run_plan

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of the worker that is killed
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SPEC = """
seed = 5
seeds = 6
[[sweep]]
system = "tagging"
learner = ["em", "vb"]
data = "ewt"
[sweep.settings]
states = 8
iterations = 12
[[sweep]]
system = "ot"
learner = "gla"
data = "ilokano"
[sweep.settings]
sweeps = 200_000
runs = 1
"""


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


@pytest.fixture(scope="module")
def plan():
    return parse_plan(SPEC)


@pytest.fixture(scope="module")
def alone(plan):
    return [(spec.hash, run_one(spec, plan.data[plan.data_of(spec)]).scores) for spec in plan.runs]


def numbers(results):
    return [(run.spec.hash, run.scores) for run in results.runs]


def finished_tasks(cluster):
    """Return how often each run was finished by a worker."""
    log = cluster.scheduler.transition_log
    ended = (entry[0] for entry in log if (entry[1], entry[2]) == ("processing", "memory"))
    return Counter(key for key in ended if "_call_remotely" in str(key))


def test_one_worker_killed_in_mid_run(cluster, plan, alone, tmp_path):
    killed = []

    def kill(done, _total):
        if done == 4 and not killed:
            pids = list(workers.client.run(os.getpid).values())
            assert len(set(pids)) == 2
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])

    store = Store(tmp_path / "runs")
    with executors.dask_workers(cluster.scheduler_address) as workers:
        results = run_plan(plan, workers, store, kill)
    assert killed
    assert not results.failed
    assert numbers(results) == alone  # the same table, to the bit
    assert len(list(store.folder.iterdir())) == len(plan.runs)
    counts = finished_tasks(cluster)
    assert len(counts) == len(plan.runs)
    assert set(counts.values()) == {1}  # no finished run was repeated


def test_the_command_runs_on_the_cluster_and_continues(cluster, alone, tmp_path, capsys):
    (tmp_path / "sweep.toml").write_text(SPEC, encoding="utf-8")
    command = ["sweep", str(tmp_path / "sweep.toml"), "--scheduler", cluster.scheduler_address]
    assert main(command) == 0
    assert f"{len(alone)} runs, 0 of them done before" in capsys.readouterr().out
    before = (tmp_path / "sweep.csv").read_bytes()
    assert main([*command[:2], "--workers", "1"]) == 0
    assert f"{len(alone)} runs, {len(alone)} of them done before" in capsys.readouterr().out
    assert (tmp_path / "sweep.csv").read_bytes() == before


def test_an_executor_of_the_client_will_do(cluster, plan, alone):
    from distributed import Client

    with (
        Client(cluster.scheduler_address, set_as_default=False) as client,
        executors.of_executor(client.get_executor(pure=False), 2) as workers,
    ):
        assert numbers(run_plan(plan, workers)) == alone


@pytest.mark.timeout(90)
def test_lost_data_are_scattered_again(cluster, plan, alone):
    with executors.dask_workers(cluster.scheduler_address) as workers:
        runs = workers.run(run_one, plan.runs, plan.data, plan.data_of)
        first = next(runs)
        workers.client.cancel(list(workers._data.values()), force=True)
        rest = list(runs)
    found = {spec.hash: future.result().scores for spec, future in [first, *rest]}
    assert [(spec.hash, found[spec.hash]) for spec in plan.runs] == alone


def test_no_scheduler_is_a_fault_with_advice():
    place = executors.dask_workers("tcp://127.0.0.1:9")
    with (
        pytest.raises(InputError, match=r"no scheduler answers at 'tcp://127.0.0.1:9'.*dask scheduler"),
        place,
    ):
        pass
