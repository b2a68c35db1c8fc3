"""Counts by speaker and item in documents: saved, opened again, undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from otlab.inference import conclude
from otlab.ot import read_text
from otlab.ot.groups import CountedLine
from otlab.ot.kernels.mixed_normal import Approximation
from otlab.ot.learners.maxent_mixed import MixedMaxEnt
from otlab.ui.documents.archive import read_archive
from otlab.ui.documents.encoding import loads
from otlab.ui.documents.stored_classes import MIGRATIONS
from otlab.ui.ot.lab import OTLab
from tests.ui.documents.helpers import Case, paged, reloaded, saved

ROWS = "Speaker,Item,Input,Output,n,*T\nAna,v,t,t,3,0\nAna,w,t,t,4,0\nBen,v,t,t,1,0\nBen,v,t,0,5,1\n"
CASE = Case(
    lambda: OTLab(read_text(ROWS)),
    (
        lambda lab: lab.state.document.add_tokens("Cleo", "w", 1, "2"),
        lambda lab: lab.state.document.type_tokens(CountedLine(0, "Ana", "v", 3.0), "count", "30"),
    ),
    {"sweeps": 60, "chains": 2},
    "maxent-mixed",
)


def groups_after(lab, move, possible):
    found = [lab.state.tableau.groups]
    while getattr(lab.state.history, possible):
        move()
        found.append(lab.state.tableau.groups)
    return found


@pytest.mark.slow
def test_edited_counts_and_their_history_come_back_with_the_document():
    lab = paged(CASE)
    lab.state.document.show(read_text(ROWS))
    for edit in CASE.edits:
        assert edit(lab) == ""
        lab.changed()
    assert saved(lab)
    again = reloaded(CASE, lab)
    groups = again.state.tableau.groups
    assert groups == lab.state.tableau.groups
    assert groups.speakers == ("Ana", "Ben", "Cleo")
    assert again.state.tableau.frequencies.tolist() == groups.sums(2).tolist() == [35, 7]
    back = groups_after(again, again.undo, "can_undo")
    assert back[-1] == read_text(ROWS).groups
    assert groups_after(again, again.redo, "can_redo") == back[::-1]


def test_a_run_of_the_first_sampler_of_speakers_opens_with_its_result_and_goes_on():
    path = Path(__file__).parent / "fixtures/speakers_of_the_first_sampler.otlab"
    saved = read_archive(path.read_bytes())
    (record,) = (loads(data) for name, data in saved.parts.items() if name.startswith("run "))
    run = record.run()
    draws = run.states[0].draws[: record.sweep // run.learner.thin].copy()
    assert record.sweep == 60
    assert np.isfinite(draws).all()
    assert conclude(run).parameters["tau"].gt(0).all()
    after = run.learner.step(np.random.default_rng(1), run.states[0], 10)
    assert after.sweep == 70
    assert np.array_equal(after.draws[: len(draws)], draws)
    assert np.isfinite(after.values).all()


def test_a_run_whose_approximations_were_averages_of_the_information_goes_on():
    learner = MixedMaxEnt(read_text(ROWS), warmup=64)
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 10)
    old = {name: getattr(state.approximation, name) for name in Approximation._fields[:5]}
    old["information"] = state.approximation.scatter
    state.approximation = Approximation(**MIGRATIONS["ot.Approximation", 1](old))
    assert np.array_equal(state.approximation.precision, old["precision"])
    assert not any(sums.any() for sums in state.approximation[2:])
    after = learner.step(rng, state, 60)
    assert after.sweep == 70
    assert np.isfinite(after.values).all()
