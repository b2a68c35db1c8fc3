"""New in the chooser of examples, and data typed as text on the Data tab, in every lab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.ui.document_store import cold, store  # noqa: F401  # fixtures of every test here
from tests.ui.documents.helpers import CASES as LABS
from tests.ui.documents.helpers import paged
from tests.ui.page import messages, one, send


@dataclass(frozen=True)
class Case:
    """What is typed into a lab: text, a part of what the lab then has, and a text that is refused."""

    text: str
    has: Any
    refused: str
    new: str  # the data's name after New; empty if that only shows where they are typed


CASES = {
    "ot": Case(
        "input,candidate,frequency,Max,Dep\nap,ap,3,0,1\nap,a,1,1,0\n",
        lambda lab: lab.tableau.constraints == ("Max", "Dep") and lab.tableau.candidates == ("ap", "a"),
        "input,candidate,frequency,Max\nap,ap,3,1.5\n",
        "New table",
    ),
    "tagging": Case(
        "the/DT dog/NN barks/VBZ\na/DT cat/NN sleeps/VBZ\n" * 5,
        lambda lab: lab.corpus.tokens == 30 and lab.corpus.tagset == ("DT", "NN", "VBZ"),
        "",
        "",
    ),
    "mg": Case(
        "@start c\nthe :: =n d\ndog :: n\nbarks :: d= c\n@sentence 1 | the dog barks\n",
        lambda lab: len(lab.lexicon) == 3,
        "@start c\nthe :: =n =n =\n",
        "New lexicon",
    ),
    "lexicon": Case(
        "ðə dɔɡ\nðə kæt\nə dɔɡ\n",
        lambda lab: len(lab.corpus) == 3,
        "",
        "",
    ),
}


@pytest.fixture(params=CASES)
def name(request):
    return request.param


@pytest.fixture
def lab(name):
    made = paged(LABS[name])
    made.settings.param.update(**LABS[name].short)
    yield made
    made.close()


def data_tab(lab):
    (view,) = lab.showings
    view.go("Data")
    return view.tab("Data")


def type_in(lab, text):
    """Type a text on the Data tab, and press the button below it."""
    tab = data_tab(lab)
    send(lab.layout, text, "PasteBox")
    assert tab.zone.wait()
    return tab


@pytest.mark.slow
def test_new_begins_empty_or_shows_where_data_are_typed(lab, name):
    before = lab.to_dict()
    send(lab.layout, {"kind": "keys", "value": "new"}, "AppBar")
    assert lab.own_name == CASES[name].new
    if not CASES[name].new:
        assert one(lab.layout, "PasteBox").visible
        assert lab.to_dict() == before
    lab.undo()
    assert lab.to_dict() == before


@pytest.mark.slow
def test_what_is_typed_is_learnt_from_and_goes_into_a_link(lab, name):
    case = CASES[name]
    type_in(lab, case.text)
    assert case.has(lab)
    lab.runner.enable([LABS[name].learner])
    lab.runner.run()
    assert lab.runner.wait(120)
    assert lab.runner.phase == "done", lab.runner.runner.failures
    link = urlsplit(lab.state.link(lab.route))
    other = paged(LABS[name], **dict(parse_qsl(link.query)))
    assert other.to_dict() == lab.to_dict()
    other.close()


def test_a_text_with_faults_is_refused_with_all_of_them(lab, name):
    case, before = CASES[name], lab.to_dict()
    tab = type_in(lab, case.refused)
    assert "was not loaded" in messages(tab)
    assert lab.to_dict() == before


def test_the_box_says_what_may_be_typed(lab, name):
    data_tab(lab)
    box = one(lab.layout, "PasteBox")
    assert box.example
    assert box.label == f"Load this {lab.state.noun}"
