"""Runs of a plan: the numbers of the library, wherever they run, stopped and continued."""

from __future__ import annotations

import json
import sys
import threading
import types

import numpy as np
import pandas as pd
import pytest

import otlab
from otlab import discovery, mg, ot, tagging
from otlab.cli import main
from otlab.errors import InputError
from otlab.inference import executors
from otlab.sweep import ResultSet, Store, parse_plan, run_one, run_plan
from otlab.sweep.results import write_table

SPEC = """
seed = 5
seeds = 2
[[sweep]]
system = "ot"
learner = ["gibbs", "gla", "maxent"]
data = "ilokano"
[sweep.settings]
sweeps = [40, 60]
runs = 2
chains = 2
[[sweep]]
system = "tagging"
learner = ["vb", "gibbs"]
data = "words.txt"
[sweep.settings]
states = 2
iterations = 3
"""
WORDS = "the/D dog/N barks/V\nthe/D cat/N sleeps/V\na/D dog/N sleeps/V\n"


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    return parse_plan(SPEC, folder=tmp_path)


def numbers(results):
    """Return hashes and scores, without times."""
    return [(run.spec.hash, run.scores) for run in results.runs]


@pytest.fixture
def alone(plan):
    return [(spec.hash, run_one(spec, plan.data[plan.data_of(spec)]).scores) for spec in plan.runs]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads_give_the_numbers_of_single_runs(plan, alone, count):
    with executors.threads(count) as workers:
        results = run_plan(plan, workers)
    assert numbers(results) == alone
    assert not results.failed
    assert not results.stopped


class AtOnce(executors.Executor):
    """An executor that is no pool of threads: each task is done where it is submitted."""

    def submit(self, function, *arguments):
        future = executors.Future()
        future.set_result(function(*arguments))
        return future


@pytest.mark.parametrize("own", [executors.ThreadPoolExecutor(2), AtOnce()])
def test_an_executor_of_your_own_gives_them_too(plan, alone, own):
    with own as pool, executors.of_executor(pool, 2) as workers:
        assert numbers(run_plan(plan, workers)) == alone


@pytest.mark.slow
def test_processes_give_the_same_numbers(plan, alone):
    with executors.processes(2) as workers:
        assert numbers(run_plan(plan, workers)) == alone


def test_a_run_is_that_of_the_library(tmp_path):
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")

    def scores(system, learner, data, **settings):
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        head = f'seed = 3\nsystem = "{system}"\nlearner = "{learner}"\ndata = "{data}"\n[settings]\n'
        plan = parse_plan(head + "\n".join(lines), folder=tmp_path)
        (spec,) = plan.runs
        return run_one(spec, plan.data[plan.data_of(spec)], threads=2).scores

    fit = ot.fit_gibbs(otlab.load_sample("ilokano"), sweeps=60, chains=2, seed=3)
    found = scores("ot", "gibbs", "ilokano", sweeps=60, chains=2)
    assert found["log_likelihood"] == fit.predicted.log_likelihood
    corpus = tagging.read(tmp_path / "words.txt")
    tagger = tagging.fit_vb(corpus, states=2, iterations=4, seed=3)
    found = scores("tagging", "vb", "words.txt", states=2, iterations=4)
    assert found["free_energy"] == tagger.view.objective[-1]
    assert found["one_to_one"] == tagger.view.final.one_to_one
    induced = mg.induce(otlab.load_sample("attachment_wh"), init="jitter", iterations=5, seed=3)
    found = scores("mg", "vb", "attachment_wh", init="jitter", iterations=5)
    assert found["objective"] == induced.elbo[-1]
    words = discovery.discover(otlab.load_sample("toy_phones"), "collocation", "batch", iterations=2, seed=3)
    found = scores("discovery", "batch", "toy_phones", grammar="collocation", iterations=2)
    assert found["token_f"] == words.scores.token.f
    assert found["objective"] == words.view.bound


def test_stopped_and_continued_repeats_nothing(plan, alone, tmp_path):
    store = Store(tmp_path / "runs")
    with executors.threads(2) as workers:
        first = run_plan(plan, workers, store, lambda done, total: done >= 5)
    assert first.stopped
    assert 5 <= len(first.runs) < len(plan.runs)
    written = {path.name: path.stat().st_mtime_ns for path in store.folder.iterdir()}
    assert len(written) == len(first.runs)
    with executors.threads(2) as workers:
        second = run_plan(plan, workers, store)
    assert numbers(second) == alone
    assert set(second.skipped) == {run.spec.hash for run in first.runs}
    assert {name: (store.folder / name).stat().st_mtime_ns for name in written} == written


def test_ctrl_c_keeps_what_is_done(plan, tmp_path):
    def interrupt(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with executors.threads(1) as workers:
        results = run_plan(plan, workers, Store(tmp_path / "runs"), interrupt)
    assert results.stopped
    assert len(results.runs) == 3
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_a_running_run_hears_the_stop(plan):
    endless = parse_plan(
        'seed = 1\nsystem = "ot"\nlearner = "gla"\ndata = "ilokano"\n[settings]\nsweeps = 2_000_000_000\n'
    )
    workers_stop = threading.Timer(0.2, lambda: workers.stop.set())
    with executors.threads(1) as workers:
        workers_stop.start()
        results = run_plan(endless, workers)
    assert [run.reason for run in results.failed] == ["its worker stopped"]


def test_a_damaged_file_is_run_again(plan, alone, tmp_path):
    store = Store(tmp_path / "runs")
    with executors.threads(2) as workers:
        run_plan(plan, workers, store)
        first = store.folder / f"{plan.runs[0].hash}.json"
        first.write_text(first.read_text(encoding="utf-8")[:50], encoding="utf-8")
    with executors.threads(2) as workers:
        again = run_plan(plan, workers, store)
    assert len(again.skipped) == len(plan.runs) - 1
    assert numbers(again) == alone


def test_a_run_that_cannot_be_done_does_not_end_the_others(tmp_path, capsys):
    bounded = "Input,Output,Frequency,A,B\nx,y,1,1,1\nx,z,2,0,1\n"
    (tmp_path / "bounded.csv").write_text(bounded, encoding="utf-8")
    text = 'seed = 1\nsystem = "ot"\nlearner = ["gibbs", "maxent"]\ndata = "bounded.csv"\n'
    (tmp_path / "sweep.toml").write_text(f"{text}[settings]\nsweeps = 40\n", encoding="utf-8")
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--json"]) == 2
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert [run["learner"] for run in result["runs"]] == ["maxent"]
    assert [run["learner"] for run in result["failed"]] == ["gibbs"]
    assert "bounded.csv, gibbs (" in printed.err
    assert "can never win" in printed.err


@pytest.mark.slow
def test_the_command_writes_tables_and_goes_on(tmp_path, capsys):
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    spec = tmp_path / "sweep.toml"
    spec.write_text(SPEC, encoding="utf-8")
    assert main(["sweep", str(spec), "--json", "--workers", "2"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["seed"] == 5
    assert result["skipped"] == []
    assert {"hash", "settings", "seed", "scores", "seconds"} <= set(result["runs"][0])
    table = pd.read_csv(tmp_path / "sweep.csv")
    assert list(table["hash"]) == [run["hash"] for run in result["runs"]]
    assert main(["sweep", str(spec), "--out", str(tmp_path / "other.nc")]) == 0
    shown = capsys.readouterr().out
    assert "16 runs, 16 of them done before" in shown
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(tmp_path / "other.nc", engine="h5netcdf") as dataset:
        assert list(dataset["hash"].values) == list(table["hash"])
        scores = dataset["score_log_likelihood"].values
    np.testing.assert_array_equal(scores, table["score:log_likelihood"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "0"], "--workers 0; write 1 or more"),
        (["--out", "x.parquet"], "no result set is written as .parquet; choose from .csv, .nc"),
        (["--out", "nowhere/x.csv"], "there is no folder nowhere; make it first"),
        (["--scheduler", "tcp://localhost:1", "--processes"], "--processes does not go with --scheduler"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "sweep.toml"
    spec.write_text('seed = 1\nsystem = "ot"\nlearner = "gla"\ndata = "ilokano"\n', encoding="utf-8")
    assert main(["sweep", str(spec), *options]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_runs_have_one_thread_each_where_there_are_as_many_as_cores(monkeypatch):
    monkeypatch.setattr(executors.os, "cpu_count", lambda: 8)
    with executors.threads(1) as workers:
        assert [workers.threads_each(tasks) for tasks in (1, 3, 8, 100)] == [8, 2, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["maxent-mixed", "hg-mixed", "sot-mixed"])
def test_a_run_with_speakers_is_that_of_the_library_on_threads_too(learner, tmp_path):
    rows = "Speaker,Item,Input,Output,n,*T,Max\nA,v,t,t,9,1,0\nA,w,t,0,1,0,1\nB,v,t,t,2,1,0\nB,w,t,0,8,0,1\n"
    (tmp_path / "who.csv").write_text(rows, encoding="utf-8")
    head = f'seed = 3\nseeds = 2\nsystem = "ot"\nlearner = "{learner}"\ndata = "who.csv"\n'
    plan = parse_plan(f"{head}[settings]\nsweeps = 60\nchains = 2\n", folder=tmp_path)
    first = plan.runs[0]
    alone = run_one(first, plan.data[plan.data_of(first)]).scores
    entry = ot.LEARNERS[learner]
    fit = entry.fit(ot.read_text(rows), entry.settings(sweeps=60, chains=2), seed=first.seed)
    assert alone["log_likelihood"] == fit.predicted.log_likelihood
    with executors.threads(2) as workers:
        assert run_plan(plan, workers).runs[0].scores == alone


def test_the_command_prints_means_over_seeds_for_each_setting(tmp_path, capsys):
    spec = tmp_path / "sweep.toml"
    text = 'seed = 5\nseeds = 2\nsystem = "ot"\nlearner = ["gla", "gibbs"]\ndata = "ilokano"\n'
    spec.write_text(f"{text}[settings]\nsweeps = [400, 900]\nruns = 1\nchains = 2\n", encoding="utf-8")
    assert main(["sweep", str(spec), "--workers", "1"]) == 0
    captured = capsys.readouterr().out
    lines = [line.split() for line in captured.splitlines()]
    table = pd.read_csv(tmp_path / "sweep.csv")
    for sweeps in (400, 900):
        own = table[(table["learner"] == "gla") & (table["sweeps"] == sweeps)]
        (row,) = [line for line in lines if line[:3] == ["gla", str(sweeps), "2"]]
        assert row[3:] == [f"{own['score:log_likelihood'].mean():,.3f}"]  # it has no R-hat
    assert ["root", "seed", "5"] in lines
    assert f"{len(table)} runs, 0 of them done before" in captured
    assert main(["sweep", str(spec), "--processes"]) == 0  # nothing is left to do
    assert f"{len(table)} runs, {len(table)} of them done before" in capsys.readouterr().out


def test_the_command_lists_no_root_seed_where_the_seeds_are_listed(tmp_path, capsys):
    spec = tmp_path / "sweep.toml"
    spec.write_text('seeds = [3]\nsystem = "ot"\nlearner = "maxent"\ndata = "ilokano"\n', encoding="utf-8")
    assert main(["sweep", str(spec)]) == 0
    assert "root seed" not in capsys.readouterr().out


def test_a_cluster_that_does_not_answer_is_told(tmp_path, monkeypatch, capsys):
    class Gone:
        def __init__(self, **where):
            raise OSError(f"nothing at {where['address']}")

    distributed = types.SimpleNamespace(Client=Gone)
    monkeypatch.setitem(sys.modules, "distributed", distributed)
    spec = tmp_path / "sweep.toml"
    spec.write_text('seed = 1\nsystem = "ot"\nlearner = "maxent"\ndata = "ilokano"\n', encoding="utf-8")
    command = ["sweep", str(spec), "--scheduler", "tcp://localhost:1"]
    assert main(command) == 2
    said = "no scheduler answers at 'tcp://localhost:1': nothing at tcp://localhost:1; start one"
    assert said in capsys.readouterr().err

    class Idle:
        def __init__(self, **where):
            self.closed = False
            made.append(self)

        def nthreads(self):
            return {}

        def close(self):
            self.closed = True

    made = []
    distributed.Client = Idle
    assert main(command) == 2
    assert "the scheduler at tcp://localhost:1 has no workers; start some" in capsys.readouterr().err
    assert made[0].closed
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(command) == 2
    assert "pip install 'otlab[cluster]'" in capsys.readouterr().err


def test_ctrl_c_ends_a_sweep_that_nobody_watches(plan, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("otlab.sweep.run._record", interrupted)
    with executors.threads(1) as workers, pytest.raises(KeyboardInterrupt):
        run_plan(plan, workers)


def test_a_file_of_another_format_is_run_again(plan, tmp_path):
    store = Store(tmp_path / "runs")
    spec = plan.runs[0]
    store.put(run_one(spec, plan.data[plan.data_of(spec)]))
    path = store.folder / f"{spec.hash}.json"
    assert store.get(spec) is not None
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"format": "0"}), encoding="utf-8"
    )
    assert store.get(spec) is None


def test_a_table_is_written_as_netcdf(plan, tmp_path, monkeypatch):
    xarray = pytest.importorskip("xarray")
    first, *_, last = plan.runs
    runs = tuple(run_one(spec, plan.data[plan.data_of(spec)]) for spec in (first, last))
    write_table(ResultSet(runs, seed=5), tmp_path / "runs.nc")
    with xarray.open_dataset(tmp_path / "runs.nc", engine="h5netcdf") as dataset:
        assert dataset["learner"].values.tolist() == ["gibbs", "gibbs"]
        assert dataset["system"].values.tolist() == ["ot", "tagging"]
        assert dataset["states"].values.tolist()[1] == 2
        assert np.isnan(dataset["states"].values[0])  # a setting that only one of them has
        assert dataset["score_log_likelihood"].values[0] == runs[0].scores["log_likelihood"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        InputError, match=r"NetCDF needs xarray and h5netcdf; install the extra: .*, or write .csv"
    ):
        write_table(ResultSet(runs), tmp_path / "again.nc")
    write_table(ResultSet(runs), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").exists()


class Cluster:
    """What a client of Dask does, in this process; the first worker dies with each task that it gets."""

    def __init__(self, **where):
        self.where, self.died, self.closed = where, 0, False
        made.append(self)

    def nthreads(self):
        return {"a": 1, "b": 2}

    def get_executor(self, pure):
        return AtOnce()

    def scatter(self, values, broadcast):
        assert broadcast
        return values

    def submit(self, function, *arguments, pure):
        future = executors.Future()
        if self.died < 2:
            self.died += 1
            future.set_exception(Killed("worker a"))
        else:
            future.set_result(function(*arguments))
        return future

    def close(self):
        self.closed = True


class Killed(Exception):
    """What Dask raises when a worker died with a task."""


made = []


def test_tasks_whose_worker_died_are_done_by_another(plan, alone, monkeypatch):
    client = types.ModuleType("distributed.client")
    client.FutureCancelledError = Killed
    distributed = types.ModuleType("distributed")
    distributed.Client, distributed.KilledWorker = Cluster, Killed
    monkeypatch.setitem(sys.modules, "distributed", distributed)
    monkeypatch.setitem(sys.modules, "distributed.client", client)
    with executors.dask_workers("cluster.json") as workers:
        assert workers.count == 3
        assert numbers(run_plan(plan, workers)) == alone
        workers.stop.set()
        assert not workers.lost(made[-1].submit(len, [], pure=False))
    assert made[-1].where["scheduler_file"] == "cluster.json"
    assert (made[-1].died, made[-1].closed) == (2, True)


def test_the_command_says_that_it_was_stopped_and_how_to_go_on(tmp_path, monkeypatch, capsys):
    spec = tmp_path / "s.toml"
    spec.write_text(
        'seed = 1\nseeds = 3\nsystem = "ot"\nlearner = "gla"\ndata = "ilokano"\n[settings]\nsweeps = 10\n'
    )

    def stopped(plan, workers, store, _):
        return run_plan(plan, workers, store, lambda done, total: done >= 1)

    with monkeypatch.context() as patch:
        patch.setattr("otlab.sweep.run.run_plan", stopped)
        assert main(["sweep", str(spec), "--workers", "1"]) == 3
    told = capsys.readouterr().out
    assert "\n1 run of 3, 0 of them done before\nstopped: the same command goes on with the rest\n" in told
    assert main(["sweep", str(spec), "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert "\n3 runs, 1 of them done before\ntable of all runs: " in told
