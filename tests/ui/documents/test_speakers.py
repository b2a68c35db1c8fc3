"""Counts by speaker and item in documents: saved, opened again, undone."""

from __future__ import annotations

import pytest

from otlab.ot import read_text
from otlab.ot.groups import CountedLine
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
