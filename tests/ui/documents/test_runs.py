"""Runs are restored with their document: finished ones with results, others paused where they were."""

from __future__ import annotations

import sqlite3
import threading

import numpy as np
import pytest

from otlab.inference import Run, job, run
from otlab.inference.turns import Turns
from otlab.ui.documents import runs as runs_module
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.documents.runs import BYTES_PER_SECOND, REPLAY, RUN, WriteBudget
from otlab.ui.documents.store import open_store
from otlab.ui.documents.writer import writer
from otlab.ui.state import State
from tests.test_every_learner import every_learner, numbers
from tests.ui.documents.helpers import CASES, paged, reloaded, saved
from tests.ui.page import one, send
from tests.ui.waiting import until


def results(lab, learner):
    """Return all that the last tick of a learner shows, and its messages."""
    lab.runner.tick()
    return numbers(lab.runner.runner.jobs[learner].last.views)


def sweep_of(lab, learner):
    """Return how far a learner is; 0 before its first tick."""
    last = lab.runner.runner.jobs[learner].last
    return 0 if last is None else last.sweep


def ran(case, **more):
    """Return a lab in which a learner was run to its end, saved."""
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**{**case.short, **more})
    lab.runner.run()
    assert lab.runner.wait(120)
    assert lab.runner.phase == "done"
    lab.changed()
    writer.flush()
    return lab


@pytest.mark.slow
@every_learner
def test_a_run_saved_as_data_goes_on_as_if_never_stopped(case):
    whole = run(case.make(), sweeps=case.steps, seed=11, chains=2).finish()
    half = run(case.make(), sweeps=case.steps, seed=11, chains=2)
    half.advance(case.steps // 2)
    again = loads(dumps(half.record())).run()
    assert again.sweep == case.steps // 2
    assert numbers(again.finish().views) == numbers(whole.views)


@pytest.mark.slow
def test_results_come_back(case):
    lab = ran(case)
    again = reloaded(case, lab)
    assert again.runner.phase == "done"
    assert results(again, case.learner) == results(lab, case.learner)
    assert set(again.state.results) == set(lab.state.results)
    assert again.runner.report.badge == lab.runner.report.badge
    writer.flush()
    again = reloaded(case, again)
    assert again.runner.phase == "done", "a second time, too"
    again.runner.reset()
    writer.flush()
    assert reloaded(case, again).runner.phase == "idle"


@pytest.mark.slow
def test_a_run_that_could_not_be_written_once_is_written_later(case, monkeypatch):
    """The disk may be full at the moment when a run ends."""
    lab, store = paged(case), open_store()
    lab.changed()
    writer.flush()

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "put_parts", full)
        lab.runner.enable([case.learner])
        lab.settings.param.update(**case.short)
        lab.runner.run()
        assert lab.runner.wait(120)
        writer.flush()
    writer.flush()
    again = reloaded(case, lab)
    assert again.runner.phase == "done"
    assert results(again, case.learner) == results(lab, case.learner)


def stepped(case, sweeps):
    """Return a lab in which a learner was run so far step by step, saved."""
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**case.short)
    for sweep in sweeps:
        lab.runner.step()
        until(lambda at=sweep: lab.runner.tick() or sweep_of(lab, case.learner) == at)
    lab.runner.tick()
    lab.changed()
    writer.flush()
    return lab


SHOWN = {
    "ot": lambda state: state.gibbs.chains,
    "tagging": lambda state: state.results["em"].views,
    "mg": lambda state: state.inductions["vb"].views,
    "lexicon": lambda state: state.results["batch"],
    "sound": lambda state: state.sound.view,
}
"""What the pictures of a lab are drawn from."""


@pytest.mark.slow
def test_a_paused_run_that_is_opened_again_shows_the_fit_of_all_its_draws(monkeypatch):
    monkeypatch.setattr(runs_module, "SECONDS", 0.0)
    monkeypatch.setattr(runs_module, "COST_SHARE", 0)
    lab = stepped(CASES["ot"], range(1, 61))
    lab.close()
    until(lambda: not lab.runner.runner.jobs["gibbs"].alive)
    writer.flush()
    again = reloaded(CASES["ot"], lab)
    assert again.runner.phase == "paused"
    gibbs = again.state.gibbs
    assert gibbs.trust == gibbs.fit.trust
    np.testing.assert_array_equal(gibbs.predicted[0], gibbs.fit.predicted.mean)
    assert again.runner.report.stats[0].value != "\N{EN DASH}"
    again.runner.resume()
    until(lambda: again.runner.tick() or sweep_of(again, "gibbs") > 60)
    assert again.state.running or again.runner.phase == "done"


def replayed(lab, name, share):
    """Drag the replay slider; return what it says, and what is shown."""
    send(lab.runner, {"kind": "replay", "share": share}, "RunHead")
    return one(lab.runner, "RunHead").state["replay"], numbers(SHOWN[name](lab.state))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_the_replay_slider_of_a_run_that_has_ended_comes_back(name):
    case = CASES[name]
    lab = stepped(case, (1, 2))
    lab.runner.resume()
    assert lab.runner.wait(120)
    lab.changed()
    writer.flush()
    whole = [replayed(lab, name, share) for share in (0.0, 0.5, 1.0)]
    assert whole[0] != whole[2]
    again = reloaded(case, lab)
    assert [replayed(again, name, share) for share in (0.0, 0.5, 1.0)] == whole
    writer.flush()
    third = reloaded(case, again)
    assert replayed(third, name, 0.0) == whole[0], "a second time, too"
    third.runner.reset()
    writer.flush()
    assert not open_store().part_names(third.document, REPLAY)


@pytest.mark.slow
def test_a_run_that_was_stopped_and_goes_on_after_a_reload_is_replayed_from_its_beginning():
    case = CASES["mg"]
    lab = stepped(case, (1, 2, 3))
    lab.runner.stop()
    until(lambda: lab.runner.tick() or not lab.runner.runner.jobs[case.learner].alive)
    lab.changed()
    writer.flush()
    again = reloaded(case, lab)
    again.runner.resume()
    assert again.runner.wait(120)
    assert replayed(again, "mg", 0.0)[0]["text"] == "Iteration 1 of 20"


@pytest.mark.slow
def test_of_large_pictures_fewer_are_saved(monkeypatch):
    monkeypatch.setattr(runs_module, "MOST_REPLAY_BYTES", 1)
    case = CASES["lexicon"]
    lab = stepped(case, (1, 2, 3))
    assert lab.runner.wait(60)  # its thread may still be ending
    writer.flush()
    (part,) = open_store().part_names(lab.document, REPLAY)
    ticks = loads(open_store().load(lab.document).parts[part])
    assert [tick.sweep for tick in ticks] == [1, 3]


@pytest.mark.slow
def test_a_run_in_progress_goes_on_with_the_same_numbers(case, monkeypatch):
    monkeypatch.setattr(runs_module, "SECONDS", 0.0)
    monkeypatch.setattr(runs_module, "COST_SHARE", 0)
    whole = ran(case)
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**case.short)
    for sweep in (1, 2):
        lab.runner.step()
        until(lambda at=sweep: lab.runner.tick() or sweep_of(lab, case.learner) == at)
    lab.close()
    until(lambda: not lab.runner.runner.jobs[case.learner].alive)
    writer.flush()
    again = reloaded(case, lab)
    assert again.runner.phase == "paused"
    assert sweep_of(again, case.learner) == 2
    again.runner.resume()
    assert again.runner.wait(120)
    assert results(again, case.learner) == results(whole, case.learner)


@pytest.mark.parametrize("name", ["ot", "tagging"])
@pytest.mark.slow
def test_a_run_whose_server_is_killed_while_it_waits_for_its_turn_begins_from_its_seed(name, monkeypatch):
    case = CASES[name]
    whole = ran(case)
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**case.short)
    with monkeypatch.context() as patch:
        patch.setattr(job, "TURNS", Turns(0))
        lab.runner.run()
        assert lab.runner.phase == "waiting"
        seed = lab.settings.seed
        lab.settings.seed = seed + 1  # of the next run
        lab.changed()
        until(lambda: writer.flush() or open_store().part_names(lab.document, RUN + case.learner))
        again = reloaded(case, lab)
    lab.runner.stop()
    assert again.runner.phase == "paused"
    assert again.settings.seed == seed + 1
    again.runner.resume()
    assert again.runner.wait(120)
    assert again.runner.runner.jobs[case.learner].run.seed == seed
    assert results(again, case.learner) == results(whole, case.learner)


@pytest.mark.slow
def test_a_run_that_waited_does_not_begin_with_data_edited_since(monkeypatch):
    case = CASES["ot"]
    lab = paged(case)
    with monkeypatch.context() as patch:
        patch.setattr(job, "TURNS", Turns(0))
        lab.runner.run()
        case.edits[0](lab)
        lab.changed()
        writer.flush()
        assert reloaded(case, lab).runner.phase == "idle"
    lab.runner.stop()


@pytest.mark.parametrize("name", ["ot", "tagging"])
@pytest.mark.slow
def test_a_run_whose_server_is_killed_before_its_first_step_begins_from_its_seed(name, monkeypatch):
    case, killed = CASES[name], threading.Event()
    lab = paged(case)
    lab.runner.enable([case.learner])
    lab.settings.param.update(**case.short)
    with monkeypatch.context() as patch:
        patch.setattr(Run, "__next__", lambda run: killed.wait(60) and Run.advance(run, 0))
        lab.runner.run()
        until(lambda: lab.runner.runner.jobs[case.learner].made)
        seed = lab.settings.seed
        lab.settings.seed = seed + 1  # of the next run
        lab.changed()
        until(lambda: writer.flush() or open_store().part_names(lab.document, RUN + case.learner))
        again = reloaded(case, lab)
    assert again.runner.phase == "paused"
    assert sweep_of(again, case.learner) == 0
    again.runner.resume()
    assert again.runner.wait(120)
    job = again.runner.runner.jobs[case.learner]
    assert job.run.seed == seed
    whole = run(job.run.learner, sweeps=job.run.total, seed=seed, chains=job.run.chains).finish()
    assert results(again, case.learner) == numbers(whole.views)
    lab.close()
    killed.set()


@pytest.mark.slow
def test_draws_that_are_too_large_are_left_out_and_said_so(monkeypatch):
    monkeypatch.setattr(runs_module, "MOST_RUN_BYTES", 1000)
    lab = ran(CASES["ot"])
    assert lab.bar.saved == "Saved, without the results of Gibbs (more than 64 MB)"
    assert reloaded(CASES["ot"], lab).runner.phase == "idle"


@pytest.mark.slow
def test_results_of_a_table_that_was_edited_are_still_of_the_old_one():
    case = CASES["ot"]
    lab = ran(case)
    case.edits[0](lab)
    saved(lab)
    again = reloaded(case, lab)
    assert again.runner.phase in ("done", "stopped")
    assert again.state.document.changed_since_run
    assert again.state.shown_tableau == lab.state.shown_tableau


def test_runs_of_a_class_share_the_bytes_that_are_written_per_second():
    now = [100.0]
    budget = WriteBudget(lambda: now[0])
    assert budget.free
    budget.spend(BYTES_PER_SECOND)
    budget.spend(2 * BYTES_PER_SECOND)
    now[0] += 2.9
    assert not budget.free
    now[0] += 0.2
    assert budget.free
    now[0] += 60  # nothing is laid by for later
    budget.spend(BYTES_PER_SECOND)
    assert not budget.free


def test_a_run_in_progress_waits_for_the_budget_and_its_end_does_not(monkeypatch):
    budget = WriteBudget()
    budget.spend(10_000 * BYTES_PER_SECOND)
    monkeypatch.setattr(runs_module, "_budget", budget)
    taken = []
    runs = runs_module.Runs(None, lambda: "a document", lambda: None, dict, State())
    monkeypatch.setattr(runs, "_take", lambda name, *_: taken.append(name) or BYTES_PER_SECOND)
    runs.keep([("gibbs", "one")])
    take = runs.taker(("gibbs", "one"))
    take(None, False)
    assert not taken
    take(None, True)
    assert taken == [("gibbs", "one")]


@pytest.mark.slow
def test_of_two_runs_the_one_that_was_not_made_yet_begins_beside_the_one_that_has_ended():
    case, killed = CASES["mg"], threading.Event()
    lab = paged(case)
    lab.runner.enable(["vb", "gibbs"])
    lab.settings.param.update(iterations=10, sweeps=20, chains=1, restarts=1)
    lab.runner.runner.wait_for = lambda name: name == "gibbs" and killed.wait(60)
    lab.runner.run()
    jobs = lab.runner.runner.jobs
    until(lambda: jobs["vb"].made and not jobs["vb"].alive)
    lab.runner.tick()
    lab.changed()
    until(lambda: writer.flush() or len(open_store().part_names(lab.document, RUN)) == 2)
    ended, again = results(lab, "vb"), reloaded(case, lab)
    lab.runner.stop()
    killed.set()
    assert again.runner.phase == "paused"
    assert results(again, "vb") == ended
    assert sweep_of(again, "gibbs") == 0
    again.runner.resume()
    assert again.runner.wait(120)
    assert sweep_of(again, "gibbs") == 20
    assert results(again, "vb") == ended
    lab.close()
