"""Helpers for the tests of the OT lab."""

from __future__ import annotations

from otlab.ui.ot.lab import OTLab
from tests.ui.page import one


def head(lab):
    """What the head of the run panel shows."""
    return one(lab.runner, "RunHead").state


def view_of(lab):
    (view,) = lab.showings
    return view


def begun(state, name, steps):
    """Make so many steps of a learner on a state's table, as its run panel does; return the run."""
    (row,) = [row for row in state.rows() if row.name == name]
    run = row.plan()()
    row.begun(run)
    state.take({name: run.advance(steps)})
    return run


def finished(lab) -> OTLab:
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done"
    return lab
