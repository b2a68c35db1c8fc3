"""The ranking-value line without a browser: what it sends on, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from otlab.ot import Tableau, predict
from otlab.ui.components.rankings import RankingLine, RankingValues
from tests.ui.page import component, send, sent, shown_text

ROWS = [
    ("x", "bu.bwa.ja", 33, [1, 0, 1]),
    ("x", "bwaj.bwa.ja", 33, [2, 0, 0]),
    ("x", "bub.wa.ja", 33, [0, 1, 0]),
]
MEDIANS = np.array([-0.08, 0.53, -0.45])


@pytest.fixture
def ilokano():
    return Tableau.from_rows(ROWS, ["*C-ONS", "AL", "I_BR"])


@pytest.fixture
def view(ilokano):
    return RankingValues(ilokano, MEDIANS, noise=1.0, bound=6.0)


def drag(view, values, done=False):
    send(view, {"values": values, "done": done})


def test_a_move_reaches_python(view):
    seen = []
    view.on_move(seen.append)
    drag(view, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(view.values, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(seen, [[0.1, 0.2, 0.3]])


def test_bars_are_the_exact_probabilities(view, ilokano):
    drag(view, [1.0, -1.0, 0.0])
    exact = predict(ilokano, [1.0, -1.0, 0.0], 1.0).probability
    assert all(f"{100 * p:.1f}\u2009%" in shown_text(view) for p in exact)


@pytest.mark.parametrize(
    "values", [[1.0], [1.0, 2.0, 3.0, 4.0], [1.0, float("nan"), 0.0], [float("inf"), 0.0, 0.0], []]
)
def test_values_that_do_not_belong_here_change_nothing(view, values):
    drag(view, values)
    np.testing.assert_array_equal(view.values, MEDIANS)


def test_values_stay_within_the_bound(view):
    drag(view, [9.0, -9.0, 0.0])
    np.testing.assert_array_equal(view.values, [6.0, -6.0, 0.0])


def test_every_message_is_answered():
    line = RankingLine(["C"], values=[0.0])
    answers = sent(line)
    send(line, {"values": [0.5], "done": False})
    send(line, {"values": [0.1, 0.2], "done": False})
    assert len(answers) == 2


def test_letting_go_is_said_aloud_once(view):
    drag(view, [0.1, 0.2, 0.3])
    assert "aria-live" not in shown_text(view)
    drag(view, [0.1, 0.2, 0.3], done=True)
    assert "Candidate probabilities: bu.bwa.ja" in shown_text(view)


def test_show_leads_home(view):
    view.show(np.array([1.0, 0.0, -1.0]))
    assert component(view).home == component(view).values == [1.0, 0.0, -1.0]
    view.show(np.zeros(3), home=False)
    assert component(view).home == [1.0, 0.0, -1.0]


def test_names_are_split_for_their_subscripts(view):
    assert component(view).names[2] == {"stem": "I", "below": "BR"}


def test_another_tableau(view):
    wide = Tableau.from_rows(
        [("x", "<b>", 1, range(30)), ("x", "d", 0, [0] * 30)], [f"C{k}" for k in range(30)]
    )
    view.load(wide, noise=2.0, bound=12.0)
    assert view.values.shape == (30,)
    assert "&lt;b&gt;" in shown_text(view)
    drag(view, [0.0] * 30, done=True)
    assert "&lt;b&gt;" in shown_text(view)
    drag(view, [0.0] * 3)  # sent before the browser knew
    assert view.values.shape == (30,)


def test_it_builds_twice(view):
    assert view.__panel__().get_root() is not view.__panel__().get_root()
