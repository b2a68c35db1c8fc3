"""The replay slider of the OT lab: pictures of the run as it was, numbers as they ended."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ui.ot.lab import OTLab
from tests.ui.page import one, send, shown_text


@pytest.fixture
def lab(monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.state.MORE_SWEEPS", 1000)
    # The tableau's order is drawn anew when a run or its replay ends.
    monkeypatch.setattr("otlab.ui.ot.shown.ShownState.draw_order", lambda state: (2, 0, 1))
    made = OTLab("ilokano")
    made.settings.param.update(sweeps=2000, runs=5, trials=2000)
    made.layout = made.main()
    made.runner.run()
    assert made.runner.wait(60)
    yield made
    made.close()


def slider(lab):
    return one(lab.runner, "RunHead").state["replay"]


def drag(lab, share):
    send(lab.runner, {"kind": "replay", "share": share}, "RunHead")


@pytest.mark.slow
def test_the_pictures_go_back_and_forth_with_the_slider(lab):
    ended, whole = lab.state.gibbs, shown_text(lab.layout)
    assert slider(lab) == {"share": 1.0, "text": "Sweep 2,000 of 2,000"}
    drag(lab, 0.5)
    assert slider(lab) == {"share": 0.5, "text": "Sweep 1,000 of 2,000"}
    halfway = lab.state.gibbs
    assert [len(draws) for draws in halfway.chains] == [800] * 4
    for draws, every in zip(halfway.chains, ended.chains, strict=True):
        np.testing.assert_array_equal(draws, every[:800])
    assert shown_text(lab.layout) != whole
    drag(lab, 0.75)
    assert lab.state.gibbs is halfway  # going on costs only what is new
    drag(lab, 0.02)
    assert lab.state.gibbs.warming
    drag(lab, 1.0)
    assert lab.state.gibbs is ended
    assert shown_text(lab.layout) == whole


@pytest.mark.slow
def test_what_is_saved_is_the_whole_run(lab):
    posterior, fits = lab.posterior, lab.state.fits
    drag(lab, 0.1)
    assert lab.posterior is posterior
    assert lab.state.fits["gibbs"] is fits["gibbs"]


@pytest.mark.slow
def test_a_new_run_ends_the_replay(lab):
    drag(lab, 0.1)
    lab.runner.run()
    assert slider(lab) is None
    assert lab.runner.wait(60)
    assert slider(lab)["share"] == 1.0
    assert lab.state.gibbs.fit is not None
    drag(lab, 0.1)
    lab.runner.run_longer()
    assert lab.runner.wait(60)
    assert lab.state.gibbs.run.total == 3000
    lab.runner.reset()
    assert slider(lab) is None
