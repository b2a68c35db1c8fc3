"""The Speakers tab of the OT lab."""

import pytest

from otlab.ot import read_text
from otlab.ui.hiding import HIDDEN
from otlab.ui.ot.cells import frequencies, typed
from otlab.ui.ot.lab import OTLab
from tests.ui.ot.helpers import finished, view_of
from tests.ui.page import control, download, shown_text
from tests.viz.test_speakers import TABLEAU


@pytest.fixture
def lab():
    made = OTLab(TABLEAU)
    made.settings.param.update(sweeps=120, chains=2, seed=1)
    made.runner.enable(["maxent-mixed"])
    made.layout = made.main()
    yield made
    made.close()


def opened(lab):
    """Open the tab; return it."""
    view_of(lab).go("Speakers")
    return view_of(lab).tab("Speakers")


def pictures(lab):
    return shown_text(view_of(lab).shown)


def test_there_is_a_button_only_where_the_data_name_somebody(lab):
    switch = control(lab.layout, "Speakers")
    assert switch.visible
    assert "Tick MaxEnt by speaker and press Run to see them" in _shown(lab)
    lab.tableau = read_text("Input,Output,n,A\nx,a,1,0\nx,b,1,1\n")
    assert switch.visible  # it leads back
    assert "No speakers and no items" in pictures(lab)
    switch.param.trigger("clicks")
    assert not switch.visible


def test_a_count_of_several_speakers_is_changed_where_they_are():
    shown = frequencies(TABLEAU)[0]
    same, told = typed(TABLEAU, 0, "count", f"{shown + 1:g}")
    assert same is TABLEAU
    assert told.startswith("The count of a candidate is the sum over speakers and items: ")
    assert told.endswith("change it under Speakers and items.")
    assert typed(TABLEAU, 0, "count", f"{shown:g}") == (TABLEAU, "")


def _shown(lab):
    opened(lab)
    return pictures(lab)


def test_speakers_are_shown_ordered_and_found_with_their_rates(lab):
    tab = opened(finished(lab))
    fit = lab.state.fits["maxent-mixed"]
    assert fit.settings["sweeps"] == 120
    text = pictures(lab)
    assert "3 speakers, ordered by *T" in text
    assert "Speakers (tau)" in text
    assert "New speaker, new item" in text
    tab.order.value = "Max"
    assert "3 speakers, ordered by Max" in pictures(lab)
    tab.what.value = "rates"
    assert "3 speakers, ordered by /t/ 0. /t/ 0: highest Ben" in pictures(lab)
    tab.find.value_input = "an"
    assert "1 speaker, ordered" in pictures(lab)
    tab.level.value = "item"
    tab.find.value_input = ""
    assert "2 items, ordered by /t/ 0" in pictures(lab)
    tab.what.value = "effects"
    assert "2 items, ordered by *T" in pictures(lab)
    assert "New item: 0.00" in pictures(lab)
    name, content = download(tab._groups_card, "speakers")
    assert name.endswith("_speakers.csv")
    assert content.decode().count("MaxEnt by speaker,speaker,") == 3 * 2
    lab.state.document.type(0, "c_0", "2")
    assert tab._spreads_card.stale == "from the old table"


def test_what_is_chosen_before_a_run_is_shown_after_it(lab):
    tab = opened(lab)
    tab.find.value_input = "an"
    tab.what.value = "rates"
    assert "Tick MaxEnt by speaker and press Run to see them" in pictures(lab)
    finished(lab)
    assert "1 speaker, ordered by" in pictures(lab)
    assert "/t/ 0: highest" in pictures(lab)


def test_one_grammar_for_all_is_told_from_no_run(lab):
    lab.settings.levels = "none"
    finished(lab)
    assert "One grammar was learnt for all" in _shown(lab)


@pytest.mark.slow
def test_each_learner_of_speakers_can_be_looked_at(lab):
    lab.runner.enable(["maxent-mixed", "hg-mixed"])
    tab = opened(finished(lab))
    assert tab.learner.visible
    assert tab.learner.options == ["MaxEnt by speaker", "Noisy HG by speaker"]
    before = pictures(lab)
    tab.learner.value = "Noisy HG by speaker"
    assert pictures(lab) != before
    tab.learner.value = "MaxEnt by speaker"
    assert pictures(lab) == before


def test_what_an_exercise_hides_of_the_posterior_is_hidden_here_too(lab):
    opened(finished(lab))
    lab.state.hides = ["Learn: Posterior"]
    assert HIDDEN in pictures(lab)
    assert "Speakers (tau)" not in pictures(lab)
