"""Results of tabs that another version saved: what cannot be read is left out, the document opens."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, fields, make_dataclass, replace
from pathlib import Path

import pytest

from otlab.ot.analysis import comparison as ot_comparison
from otlab.tagging.experiments import comparison as tagging_comparison
from otlab.ui.documents import safe_pickle
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.tab_results import show_tab_results
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import shown_text

FILES = {name: Path(__file__).parent / f"compared_{name}.otlab" for name in ("ot", "tagging", "mg")}
"""Documents of format 1 with all that the tabs of a lab compute."""
TABS = {"ot": ["Compare"], "tagging": ["Table", "Which model?"], "mg": ["Compare", "Learn lexicon"]}
LEFT_OUT = "saved by another version of otlab, and left out"


def opened(name, tabs):
    """Open a document on a page, with these bytes for what its tabs computed; return the lab and messages."""
    saved = read_archive(FILES[name].read_bytes())
    saved = replace(saved, parts={**saved.parts, "tabs": tabs})
    lab = paged(CASES[name])
    lab.open_file("mine.otlab", write_archive(saved))
    assert lab.bar.called == saved.summary.called
    (showing,) = lab.showings
    for title in TABS[name]:
        showing.go(title)
        assert shown_text(showing.tab(title))
    return lab, [message["toast"] for message in lab.sent if LEFT_OUT in message.get("toast", "")]


@pytest.fixture(scope="module")
def states():
    """A state of each lab whose tabs compute something."""
    return {name: CASES[name].make().state for name in FILES}


def shown(state, data):
    """Show results on a state; return the names of those that are there, and of those that are left out."""
    state.put_tab_results(None)
    if state.tab_results() is not None:  # a table's rows are added to
        state.table.put_rows({}, 0)
        state.table.store.runs.clear()
        state.choice.forget()
    message = show_tab_results(state, data).lower()
    results, names = state.tab_results(), state.tab_result_names
    results = results if isinstance(results, tuple) else (results,) * len(names)
    there = [name for name, result in zip(names, results, strict=True) if result is not None]
    return there, [name for name in names if name.lower() in message]


def tabs_of(name):
    return read_archive(FILES[name].read_bytes()).parts["tabs"]


def changed(name, change):
    """Return the bytes of what tabs computed, with one of its objects changed."""
    results = safe_pickle.loads(tabs_of(name))
    change(results)
    return safe_pickle.dumps(results)


def put(obj, **values):
    for key, value in values.items():
        object.__setattr__(obj, key, value)


def renamed(obj, old, new):
    put(obj, **{new: getattr(obj, old)})
    object.__delattr__(obj, old)


CHANGES = {
    "ot: renamed": ("ot", lambda found: renamed(found, "saturated_log_likelihood", "saturated"), [0]),
    "ot: renamed within": ("ot", lambda found: renamed(found.models[0], "misfits", "cells"), [0]),
    "ot: another type": ("ot", lambda found: put(found.models[1], aicc="12"), [0]),
    "tagging: missing": ("tagging", lambda found: object.__delattr__(found[1], "seed"), [1]),
    "tagging: missing within": ("tagging", lambda found: object.__delattr__(found[1].rows[0], "bic"), [1]),
    "tagging: another type": ("tagging", lambda found: put(found[1], rows={}), [1]),
    "tagging: the table's": ("tagging", lambda found: renamed(found[0], "runs", "finished"), [0]),
    "mg: missing": ("mg", lambda found: object.__delattr__(found[0], "counts"), [0]),
    "mg: missing within": ("mg", lambda found: object.__delattr__(found[0].theories[0][2], "elbo"), [0]),
    "mg: the lexicon learnt": ("mg", lambda found: renamed(found[1], "known", "items"), [1]),
    "mg: both": ("mg", lambda found: (renamed(found[1], "seed", "s"), put(found[0], counts=3)), [0, 1]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.slow
def test_what_the_tabs_of_a_saved_document_computed_is_shown(name):
    lab, messages = opened(name, tabs_of(name))
    assert lab.state.tab_results() is not None
    assert None not in (lab.state.tab_results() if name != "ot" else ())
    assert messages == []


@pytest.mark.parametrize("change", ["ot: renamed within", "tagging: another type", "mg: missing"])
def test_a_document_whose_comparison_cannot_be_read_opens_with_one_message(change):
    name, edit, _ = CHANGES[change]
    _, messages = opened(name, changed(name, edit))
    assert len(messages) == 1


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_only_what_a_class_that_has_changed_had_saved_is_left_out(change, states):
    name, edit, missing = change
    there, left_out = shown(states[name], changed(name, edit))
    names = states[name].tab_result_names
    assert left_out == [names[k] for k in missing]
    assert there == [called for called in names if called not in left_out]


def test_a_field_that_has_gone_since_is_no_fault(states):
    data = changed("ot", lambda found: put(found, verdict="a field of an earlier version"))
    assert shown(states["ot"], data) == (["the comparison of models"], [])


@pytest.mark.parametrize("gone", ["Comparison", "StatesResult"])
def test_a_class_that_has_gone_since_leaves_the_others(gone, states, monkeypatch):
    data = tabs_of("tagging")
    monkeypatch.delattr(tagging_comparison, gone)
    rows, compared = states["tagging"].tab_result_names
    assert shown(states["tagging"], data) == ([rows], [compared])


@pytest.mark.parametrize("damaged", [b"", b"no pickle", pickle.dumps(3), pickle.dumps((1, 2, 3))])
@pytest.mark.parametrize("name", FILES)
def test_damaged_results_are_left_out(name, damaged, states):
    assert shown(states[name], damaged) == ([], list(states[name].tab_result_names))


def test_a_field_that_a_class_has_got_since_has_its_default(monkeypatch):
    kind = ot_comparison.ModelResult
    (last,) = (one for one in fields(kind) if one.name == "maximised")
    old = [(last.name, last.type, field(default=last.default))]
    same = [(one.name, one.type) for one in fields(kind) if one is not last]
    more = [("folds", "int", field(default=7)), ("tried", "list[str]", field(default_factory=list))]
    newer = make_dataclass("ModelResult", [*same, *old, *more], bases=(kind,), frozen=True, eq=False)
    data = tabs_of("ot")
    monkeypatch.setattr(ot_comparison, "ModelResult", newer)
    model = safe_pickle.loads(data).models[0]
    assert (model.folds, model.tried, model.label) == (7, [], "Stochastic OT")


@dataclass(frozen=True, slots=True)
class Slotted:
    """An object without a dictionary, as small ones of the labs are."""

    first: int
    second: str


Slotted.__module__ = tagging_comparison.__name__


def test_objects_with_slots_are_written_by_name(monkeypatch):
    monkeypatch.setattr(tagging_comparison, "Slotted", Slotted, raising=False)
    data = safe_pickle.dumps(Slotted(1, "a"))
    assert safe_pickle.loads(data) == Slotted(1, "a")
    turned = make_dataclass("Slotted", [("second", "str"), ("first", "int")], frozen=True, slots=True)
    monkeypatch.setattr(tagging_comparison, "Slotted", turned)
    assert safe_pickle.loads(data).first == 1
