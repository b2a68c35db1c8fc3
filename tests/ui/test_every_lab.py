"""What every lab does, whatever it learns: run, pause, stop, reset, undo, turn dark, close, keep."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import InputError
from otlab.ot import read
from otlab.samples import load_sample
from otlab.tagging import simulate_hmm
from otlab.ui.fields import texts_of
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.server import warm
from otlab.ui.server.registry import labs
from otlab.ui.tagging.lab import TaggingLab
from otlab.viz.base.page import MOST_BYTES
from tests.ui.page import download, one, page, send, shown_text
from tests.ui.toy import ToyLab
from tests.ui.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 1_000_000


@dataclass(frozen=True)
class Case:
    """How one lab is made, what makes its runs short or long, and one edit of its data."""

    make: Callable[[], Any]
    short: dict[str, Any]
    long: dict[str, Any]
    edit: Callable[[Any], object]
    learner: str


def edit_lexicon(lab):
    lab.state.write_grammar(lab.state.grammar_text + "\n# mine")


CASES = {
    "ot": Case(
        OTLab,
        {"sweeps": 200, "chains": 2},
        {"sweeps": 100 * LONG},
        lambda lab: lab.state.document.type(0, "c_0", "3"),
        "gibbs",
    ),
    "tagging": Case(
        lambda: TaggingLab(simulate_hmm(800, 7, tags=4, types=100)),
        {"iterations": 4, "runs": 1, "states": 4},
        {"iterations": LONG, "runs": 1, "states": 4},
        lambda lab: lab.open_corpus(simulate_hmm(300, 8, tags=3, types=50)),
        "em",
    ),
    "mg": Case(
        MGLab,
        {"iterations": 20},
        {"iterations": 100_000},
        lambda lab: lab.state.set_count(("you", "left"), 7),
        "vb",
    ),
    "lexicon": Case(
        lambda: LexiconLab(generate(ToyLanguage(words=8, utterances=30))),
        {"iterations": 3},
        {"iterations": 100_000},
        edit_lexicon,
        "batch",
    ),
    "toy": Case(ToyLab, {"sweeps": 30}, {"sweeps": LONG}, lambda lab: lab.state.rename("mine"), "gibbs"),
}


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """Compile nothing behind the tests' back."""
    monkeypatch.setattr(warm.kernels, "start", lambda: None)


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def lab(case):
    """A lab on a page, one learner ticked."""
    made = case.make()
    made.shown = made.page()
    made.runner.enable([case.learner])
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for name, case in CASES.items() if name != "toy"])
def test_its_result_is_saved_as_one_page_whose_link_opens_the_same_data(lab, case):
    lab.settings.param.update(**case.short)
    if lab.route in ("mg_lab", "lexicon_lab"):
        case.edit(lab)
    lab.runner.run()
    assert lab.runner.wait(60)
    (view,) = lab.showings
    view.open("Data")
    name, data = download(view.tab("Data"), "page")
    text = data.decode()
    assert name.endswith("_result.html") or name == "result.html"
    assert text.startswith("<!DOCTYPE html>")
    assert len(data) <= MOST_BYTES
    found = re.search(r'<code tabindex="0">(.*?)</code>', text)
    address = urlsplit(unescape(found[1]))
    assert address.path == f"/{lab.route}"
    other = case.make()
    page(other, **dict(parse_qsl(address.query)))
    assert {**other.to_dict(), "learners": [case.learner]} == lab.to_dict()
    other.close()


def running(lab, case):
    """Start a run that does not end by itself, and wait for its first tick."""
    lab.settings.param.update(**case.long)
    lab.runner.run()
    until(lambda: lab.runner.tick() or lab.runner.phase == "running")


@pytest.mark.slow
def test_it_runs_to_the_end(lab, case):
    lab.settings.param.update(**case.short)
    lab.runner.run()
    assert lab.runner.wait(120)
    assert lab.runner.phase == "done", lab.runner.runner.failures
    assert set(lab.state.results) == {case.learner}


@pytest.mark.slow
def test_no_tab_shows_markup_as_text(lab, case):
    lab.settings.param.update(**case.short)
    (view,) = lab.showings

    def written_out():
        for tab in lab.tabs:
            view.open(tab.title)
        texts = {tab.title: shown_text(view.tab(tab.title)) for tab in lab.tabs}
        return {
            title: found for title, text in texts.items() if (found := re.findall(r"&lt;\w+.{0,40}", text))
        }

    assert not written_out()
    lab.runner.run()
    assert lab.runner.wait(120)
    assert not written_out()


OBJECTIVE = {
    "tagging": lambda result: result.view.objective,
    "mg": lambda result: result.trace,
    "lexicon": lambda views: views[0].objective,
}


@pytest.mark.parametrize(
    ("case", "objective"), [(CASES[name], of) for name, of in OBJECTIVE.items()], ids=OBJECTIVE
)
def test_the_replay_slider_shows_earlier_steps_and_then_the_end_again(lab, case, objective):
    def slider():
        return one(lab.runner, "RunHead").state["replay"]

    def steps_shown():
        return len(objective(lab.state.results[case.learner]))

    lab.settings.param.update(**{**case.short, "iterations": 9})
    for step in (1, 2, 3):
        lab.runner.step()
        until(lambda at=step: lab.runner.tick() or _sweep(lab, case) == at)
    assert slider() is None
    settled, end = lab.state.settled, steps_shown()
    lab.runner.stop()
    until(lambda: lab.runner.tick() or lab.state.settled > settled)
    assert slider() == {"share": 1.0, "text": "Iteration 3 of 3"}
    send(lab.runner, {"kind": "replay", "share": 0.0}, "RunHead")
    assert " 1 of " in slider()["text"]
    assert steps_shown() == end - 2
    saved = lab.to_dict()
    send(lab.runner, {"kind": "replay", "share": 1.0}, "RunHead")
    assert steps_shown() == end
    assert lab.to_dict() == saved
    send(lab.runner, {"kind": "replay", "share": 0.5}, "RunHead")
    case.edit(lab)
    lab.runner.run()
    assert slider() is None
    assert lab.runner.wait(60)
    assert steps_shown() > 1


@pytest.mark.parametrize("case", [CASES[name] for name in OBJECTIVE], ids=OBJECTIVE)
def test_a_run_that_ends_before_its_page_looks_is_replayed_too(lab, case):
    lab.settings.param.update(**{**case.short, "iterations": 12})
    lab.runner.run()
    job = lab.runner.runner.jobs[case.learner]
    assert job.join(120)
    assert lab.runner.wait(60)
    assert one(lab.runner, "RunHead").state["replay"]["share"] == 1.0
    send(lab.runner, {"kind": "replay", "share": 0.0}, "RunHead")
    assert one(lab.runner, "RunHead").state["replay"]["text"].startswith("Iteration 1 of")
    assert len(lab.runner.runner.histories[case.learner]) == 12


def _sweep(lab, case):
    last = lab.runner.runner.jobs[case.learner].last
    return 0 if last is None else last.sweep


def test_it_pauses_steps_and_goes_on(lab, case):
    running(lab, case)
    lab.runner.pause()
    until(lambda: lab.runner.tick() or lab.runner.runner.jobs[case.learner].state == "paused")
    assert lab.runner.phase == "paused"
    here = lab.runner.runner.jobs[case.learner].last.sweep
    lab.runner.step()
    until(lambda: lab.runner.runner.jobs[case.learner].last.sweep == here + 1)
    lab.runner.resume()
    until(lambda: lab.runner.runner.jobs[case.learner].last.sweep > here + 1)


def test_stop_keeps_results_and_reset_forgets_them(lab, case):
    running(lab, case)
    settings = texts_of(lab.settings)
    lab.runner.stop()
    until(lambda: lab.runner.tick() or not lab.runner.runner.jobs[case.learner].alive)
    assert lab.runner.phase == "stopped"
    assert lab.state.results
    lab.runner.reset()
    assert lab.runner.phase == "idle"
    assert not lab.state.results
    assert texts_of(lab.settings) == settings


@pytest.mark.slow
def test_an_edit_is_undone_and_redone(lab, case):
    before = lab.to_dict()
    assert not lab.state.history.can_undo
    case.edit(lab)
    after = lab.to_dict()
    assert after != before
    lab.undo()
    assert lab.to_dict() == before
    lab.redo()
    assert lab.to_dict() == after
    assert not lab.state.history.can_redo
    send(lab.shown, {"kind": "keys", "value": "undo"}, "AppBar")
    assert lab.to_dict() == before
    send(lab.shown, {"kind": "keys", "value": "redo"}, "AppBar")
    assert lab.to_dict() == after


@pytest.mark.slow
def test_it_turns_dark_with_results_in_sight(lab, case):
    lab.settings.param.update(**case.short)
    lab.runner.run()
    assert lab.runner.wait(120)
    send(lab.shown, {"kind": "dark", "value": True}, "AppBar")
    assert lab.dark
    assert lab.shown.dark_theme


def test_closing_ends_its_jobs(lab, case):
    running(lab, case)
    lab.close()
    until(lambda: not lab.runner.runner.jobs[case.learner].alive)


def test_what_is_open_comes_back_from_plain_values(lab, case):
    case.edit(lab)
    lab.settings.param.update(seed=77)
    kept = json.loads(json.dumps(lab.to_dict()))
    other = case.make()
    other.from_dict(kept)
    assert other.to_dict() == lab.to_dict()
    assert other.settings.seed == 77
    with pytest.raises(InputError, match="damaged"):
        other.from_dict({**kept, "lab": "other_lab"})


@pytest.mark.slow
def test_it_is_a_widget_of_a_notebook(case):
    lab = case.make()
    assert pn.panel(lab).get_root() is not None
    lab.close()


NOTEBOOK = {
    "ot": ("tableau", lambda: read("spanish")),
    "tagging": ("corpus", lambda: simulate_hmm(300, 8, tags=3, types=50)),
    "mg": ("lexicon", lambda: load_sample("stabler_king")),
    "lexicon": ("corpus", lambda: generate(ToyLanguage(words=5, utterances=12))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOK)
def test_python_objects_and_two_cells_show_one_lab(name):
    """What a cell of a notebook sets is shown in every cell; what is edited there is read from Python."""
    lab, (attribute, make) = CASES[name].make(), NOTEBOOK[name]
    cells = [lab.__panel__(), lab.__panel__()]
    assert all(cell.get_root() is not None for cell in cells)
    assert len(lab.showings) == 2
    first, other = getattr(lab, attribute), make()
    setattr(lab, attribute, other)
    assert repr(getattr(lab, attribute)) == repr(other) != repr(first)
    assert shown_text(cells[0]) == shown_text(cells[1])
    lab.undo()
    assert repr(getattr(lab, attribute)) == repr(first)
    before = lab.to_dict()
    CASES[name].edit(lab)
    assert lab.to_dict() != before
    assert shown_text(cells[0]) == shown_text(cells[1])
    lab.runner.enable([CASES[name].learner])
    lab.settings.param.update(**CASES[name].short)
    lab.runner.run()
    assert lab.runner.wait(120)
    assert shown_text(cells[0]) == shown_text(cells[1])
    lab.close()


@pytest.mark.slow
@pytest.mark.parametrize("entry", labs(), ids=lambda entry: entry.route)
def test_a_link_to_an_example_is_followed(entry):
    """What a lab does while it is made must not write over the address that is still to be read."""
    with set_curdoc(Document()):
        example = list(entry.make().examples())[-1]
        pn.state.location.search = f"?example={example}"
        lab = entry.make()
        lab.page()
        assert lab.example == example
        assert pn.state.location.query_params["example"] == example


def test_a_link_may_give_the_beginning_of_an_examples_name():
    with set_curdoc(Document()):
        pn.state.location.search = "?example=spanish"
        lab = OTLab("ilokano")
        lab.page()
    assert lab.example == "spanish_diminutive"


@pytest.mark.parametrize("entry", labs(), ids=lambda entry: entry.route)
def test_a_link_to_an_example_that_is_not_there_says_so(entry):
    with set_curdoc(Document()):
        pn.state.location.search = "?example=no_such_example"
        lab = entry.make()
        shown = shown_text(lab.page())
    assert "there is no example no_such_example" in shown
    assert lab.example in lab.examples()
