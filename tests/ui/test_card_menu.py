"""The menu of the cards: every plot of the labs stands in a card that has it."""

from __future__ import annotations

import panel as pn
import pytest
from bokeh.models import Plot

from otlab.discovery.toy import ToyLanguage, generate
from otlab.tagging import simulate_hmm
from otlab.ui.components.cards import Card, CardMenu
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.tagging.lab import TaggingLab

LABS = {
    "ot": (lambda: OTLab("ilokano"), {"sweeps": 200, "runs": 3, "trials": 500}),
    "tagging": (
        lambda: TaggingLab(simulate_hmm(2500, 7, tags=6, types=300)),
        {"iterations": 4, "runs": 2, "states": 5},
    ),
    "grammar": (MGLab, {}),
    "lexicon": (lambda: LexiconLab(generate(ToyLanguage(words=12, utterances=80))), {"iterations": 4}),
}


def cards_with_plots(view):
    """The models of the cards below a view that hold a plot."""
    root = view.get_root()
    cards = [model for model in root.references() if "ot-card" in css(model)]
    return root, [card for card in cards if any(isinstance(m, Plot) for m in card.references())]


def css(model):
    return getattr(model, "css_classes", [])


@pytest.mark.slow
@pytest.mark.parametrize("name", LABS)
def test_every_plot_of_a_lab_stands_in_a_card_with_the_menu(name):
    make, settings = LABS[name]
    lab = make()
    lab.settings.param.update(**settings)
    layout = pn.Column(lab.main())
    lab.runner.run()
    assert lab.runner.wait(120)
    root, cards = cards_with_plots(layout)
    lab.close()
    assert cards
    plots = {m for m in root.references() if isinstance(m, Plot)}
    assert plots == {m for card in cards for m in card.references() if isinstance(m, Plot)}
    for card in cards:
        (head,) = [child for child in card.children if "ot-card-head" in css(child)]
        assert head.children[-1].class_name == "CardMenu"


def test_the_menu_knows_the_present_title():
    card = Card("Traces")
    card.title = "Posterior of the ranking values"
    (menu,) = card.body.select(CardMenu)
    assert menu.title == "Posterior of the ranking values"


def test_a_card_with_a_menu_of_its_own_does_without():
    assert not list(Card("Derivation", menu=False).body.select(CardMenu))


def test_a_hint_is_shown_apart_from_the_remark():
    card = Card("Ranking values", hint="drag a <b>")
    assert '<span class="remark hint">drag a &lt;b&gt;</span>' in card.body[0][0].object
