"""Which runs are in sight once the data that they are of have been read: those that are wanted still."""

from __future__ import annotations

import pytest

from tests.ui.page import one, sent
from tests.ui.toy import ToyLab


@pytest.fixture
def lab(monkeypatch):
    """A lab with a run, whose data take time to be read: `lab.ready` says that they are there."""
    made, waiting = ToyLab(pause=0), []
    made.toasts = sent(one(made.page(), "AppBar"))
    made.settings.param.update(sweeps=30, chains=1)
    made.runner.enable(["gibbs"])
    run(made)
    monkeypatch.setattr(made.state, "when_ready", lambda _rows, then: waiting.append(then))
    made.ready = lambda: [then() for then in waiting]
    yield made
    made.close()


def run(lab):
    lab.runner.run()
    assert lab.runner.wait()
    return lab.runner.runner.ids["gibbs"]


def test_an_earlier_run_is_shown_again_when_its_data_are_there(lab):
    earlier = lab.runner.runner.ids["gibbs"]
    lab.state.wanted = {"gibbs": earlier}, None
    assert run(lab) != earlier
    lab.shown_runs.show()
    assert lab.runner.runner.ids["gibbs"] != earlier
    lab.ready()
    assert lab.runner.runner.ids["gibbs"] == earlier
    assert lab.state.wanted is None


def test_a_run_that_was_begun_meanwhile_stays(lab):
    lab.state.wanted = {"gibbs": lab.runner.runner.ids["gibbs"]}, None
    lab.shown_runs.show()
    newer = run(lab)
    lab.ready()
    assert lab.runner.runner.ids["gibbs"] == newer
    assert lab.state.wanted is None


def test_nothing_is_shown_or_said_of_data_that_are_no_longer_open(lab):
    newest = lab.runner.runner.ids["gibbs"]
    lab.state.wanted = {"gibbs": "of an earlier page"}, None
    lab.shown_runs.show()
    lab.state.wanted = None
    lab.ready()
    assert (lab.runner.runner.ids["gibbs"], lab.toasts) == (newest, [])


def test_a_run_that_was_not_kept_is_named_unless_the_caller_makes_it_again(lab):
    made_again = []
    lab.shown_runs.show(lambda: made_again.append("nothing was wanted"))
    lab.state.wanted = {"gibbs": "of an earlier page"}, None
    lab.shown_runs.show(lambda: made_again.append("now"))
    lab.ready()
    assert (made_again, lab.toasts) == (["nothing was wanted", "now"], [])
    lab.state.wanted = {"gibbs": "of an earlier page"}, None
    lab.shown_runs.show()
    lab.ready()
    (toast,) = lab.toasts
    assert toast["toast"] == "The results of Gibbs were not kept: press Run to learn them again"
