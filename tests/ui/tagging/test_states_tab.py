"""The States tab of the tagging lab without a browser: before a run, after it, and with another one."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from bokeh.events import Tap

from otlab.ui.tagging.components import ConfusionGrid
from otlab.ui.tagging.tabs.sentences import Seen, disagreements, tagged_html
from tests.ui.page import column, control, figures, layer, parts, shown_text
from tests.ui.tagging.helpers import finished


@pytest.fixture
def tab(lab, view):
    view.go("States")
    return view.tab("States")


def test_nothing_of_a_run_stays_after_a_reset(lab, tab):
    merge = control(tab, "Merge states")
    assert merge.disabled
    assert "Press Run to see the transitions" in shown_text(tab)
    finished(lab)
    assert not merge.disabled
    assert parts(tab, ConfusionGrid)
    assert "Press Run" not in shown_text(tab)
    tab.merge()
    lab.runner.reset()
    assert merge.disabled
    assert not parts(tab, ConfusionGrid)
    assert "Press Run to see the transitions" in shown_text(tab)
    assert "First merged" not in shown_text(tab)


def test_a_card_names_the_states_that_stand_most_often_before_and_after_its_tokens(lab, tab):
    finished(lab)
    result = lab.state.result
    corpus, labels = result.corpus, result.view.labels.tolist()
    pairs = Counter()
    for begin, end in itertools.pairwise(corpus.offsets.tolist()):
        pairs.update(itertools.pairwise([-1, *labels[begin:end], -1]))
    for state in np.flatnonzero(result.view.tokens_per_state).tolist():
        card = result.portrait.card(state)
        for shown, counts in [
            (card.before, {first: n for (first, second), n in pairs.items() if second == state}),
            (card.after, {second: n for (first, second), n in pairs.items() if first == state}),
        ]:
            largest = sorted(counts.values(), reverse=True)[:5]
            assert [counts[k] for k in shown] == [n for n in largest if n > 0.02 * sum(counts.values())]


@pytest.mark.slow
def test_the_grid_of_transitions_says_how_many_states_it_shows(lab, tab):
    lab.settings.param.update(states=40)
    finished(lab)
    used = lab.state.result.view.states_used
    assert used > 24
    assert tab.transitions.scale.endswith(f"; 24/{used} states")
    assert len(tab.transitions.data["rows"]) == 24 + 1  # and the boundary


def test_mergers_belong_to_the_run_that_is_shown(lab, tab):
    finished(lab)
    lab.state.look_at("em")
    tab.merge()
    lab.state.name_state(0, "nouns")
    assert "First merged" in shown_text(tab)
    lab.state.look_at("vb")
    assert "First merged" not in shown_text(tab)
    assert "After a run: joins the two states" in shown_text(tab)
    tab.merge()
    assert "First merged" in shown_text(tab)
    finished(lab)
    assert "First merged" not in shown_text(tab)


def test_a_bar_that_is_pressed_selects_its_state(lab, view):
    figure = figures(view.tab("Watch"))[0]
    figure._trigger_event(Tap(figure, x=1.0, y=10.0))  # there is no bar yet
    assert lab.state.selected == -1
    finished(lab)
    order = lab.state.result.portrait.order
    figure._trigger_event(Tap(figure, x=2.2, y=10.0))
    assert lab.state.selected == order[1]
    figure._trigger_event(Tap(figure, x=len(order) + 3.0, y=10.0))  # beside the bars
    assert lab.state.selected == order[1]
    assert len(column(layer(view.tab("Watch").skew, "selected"), "top")) == 1


def test_sentences_on_which_two_runs_differ_come_first(lab, view):
    finished(lab)
    view.go("Sentences")
    tab = view.tab("Sentences")
    first = shown_text(tab)
    control(tab, "Sentences").value = "differ"
    differ = disagreements(Seen(lab.results["em"], 0), Seen(lab.results["vb"], 0))
    most = int(np.argsort(-differ, kind="stable")[0])
    assert differ[most] > differ[0]
    runs = [Seen(lab.results["em"], 0), Seen(lab.results["vb"], 0)]
    differing = runs[0].tag_of_state[runs[0].labels] != runs[1].tag_of_state[runs[1].labels]
    sentences = [tagged_html(runs[0], number, differing) for number in (most, 0)]
    assert [first.find(html) >= 0 for html in sentences] == [False, True]
    assert shown_text(tab).find(sentences[0]) > 0
