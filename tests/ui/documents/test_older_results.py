"""Results of tabs that another version saved: what cannot be read is left out, the document opens."""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from dataclasses import field as dataclass_field
from dataclasses import fields, make_dataclass, replace
from pathlib import Path

import msgpack
import pytest

from otlab.ot.analysis import comparison as ot_comparison
from otlab.ui.documents import stored_classes, stored_types
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.encoding import MAGIC, UnreadableError, dumps, loads
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
        state.amounts.forget()
    message = show_tab_results(state, data).lower()
    results, names = state.tab_results(), state.tab_result_names
    results = results if isinstance(results, tuple) else (results,)
    there = [name for name, result in zip(names, results, strict=False) if result is not None]
    return there, [name for name in names if name.lower() in message]


def forget_classes():
    for cached in (stored_types._names, stored_types._paths, stored_types._type):
        cached.cache_clear()


@contextmanager
def written_as(monkeypatch, kind):
    """Take a class for the one of its name, within the context."""
    with monkeypatch.context() as patch:
        patch.setattr(f"{kind.__module__}.{kind.__name__}", kind)
        forget_classes()
        yield
    forget_classes()


def tabs_of(name):
    """Return what tabs computed as this version writes it."""
    return dumps(loads(read_archive(FILES[name].read_bytes()).parts["tabs"]))


def changed(name, change):
    """Return the bytes of what tabs computed, with its objects changed, or the classes that are written."""
    results = loads(tabs_of(name))
    about = change(results)
    return dumps(results) if about is None else renamed_in(dumps(results), *about)


def renamed_in(data, kind, field, other):
    """Return the bytes with another name for a field of a class, or with another name for a class."""
    begin = len(MAGIC) + 8
    length = int.from_bytes(data[len(MAGIC) : begin], "little")
    classes, arrays, value = msgpack.unpackb(data[begin : begin + length])
    (one,) = [one for one in classes if one[0] == kind]
    if field:
        one[2][one[2].index(field)] = other
    else:
        one[0] = other
    head = msgpack.packb([classes, arrays, value])
    return MAGIC + len(head).to_bytes(8, "little") + head + data[begin + length :]


def put(obj, **values):
    for key, value in values.items():
        object.__setattr__(obj, key, value)


def field(kind, name, other="of_another_version"):
    return lambda _: (kind, name, other)


CHANGES = {
    "ot: renamed": ("ot", field("ot.Comparison", "saturated_log_likelihood"), [0]),
    "ot: renamed within": ("ot", field("ot.ModelResult", "misfits"), [0]),
    "ot: another type": ("ot", lambda found: put(found.models[1], aicc="12"), [0]),
    "tagging: missing": ("tagging", field("tagging.Comparison", "seed"), [1]),
    "tagging: missing within": ("tagging", field("tagging.StatesResult", "bic"), [1]),
    "tagging: another type": ("tagging", lambda found: put(found[1], rows={}), [1]),
    "tagging: the table's": ("tagging", field("ui.tagging.FinishedRows", "runs"), [0]),
    "tagging: a class": ("tagging", field("tagging.Comparison", "", "tagging.Another"), [1]),
    "mg: missing": ("mg", field("ui.mg.ComparedTheories", "counts"), [0]),
    "mg: missing within": ("mg", field("mg.Comparison", "elbo"), [0]),
    "mg: the lexicon learnt": ("mg", field("ui.mg.LearntPool", "known"), [1]),
    "mg: both": ("mg", field("mg.Lexicon", "items"), [0, 1]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.slow
def test_what_the_tabs_of_a_saved_document_computed_is_shown(name):
    lab, messages = opened(name, tabs_of(name))
    assert lab.state.tab_results() is not None
    if name != "ot":  # a single result; what the document of the tagging lab has are its first two
        assert None not in lab.state.tab_results()[:2]
    assert messages == []


@pytest.mark.slow
@pytest.mark.parametrize("change", ["ot: renamed within", "tagging: another type", "mg: missing"])
def test_a_document_whose_comparison_cannot_be_read_opens_with_one_message(change):
    name, edit, _ = CHANGES[change]
    _, messages = opened(name, changed(name, edit))
    assert len(messages) == 1


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_only_what_a_class_that_has_changed_had_saved_is_left_out(change, states):
    name, edit, missing = change
    there, left_out = shown(states[name], changed(name, edit))
    names = states[name].tab_result_names[: {"ot": 1, "tagging": 2}.get(name)]  # these are in the document
    assert left_out == [names[k] for k in missing]
    assert there == [called for called in names if called not in left_out]


def test_a_field_that_has_gone_since_is_no_fault(states, monkeypatch):
    kind = ot_comparison.ModelResult
    names = [(one.name, one.type, dataclass_field(default=None)) for one in fields(kind)]
    older = make_dataclass(
        "ModelResult",
        [*names, ("verdict", "str", dataclass_field(default="a"))],
        bases=(kind,),
        frozen=True,
        eq=False,
    )
    older.__module__ = kind.__module__
    results = loads(tabs_of("ot"))
    put(results, models=tuple(older(**vars(model)) for model in results.models))
    with written_as(monkeypatch, older):
        data = dumps(results)
    assert b"verdict" in data
    assert shown(states["ot"], data) == (["the comparison of models"], [])


def test_a_field_that_a_class_has_got_since_has_its_default(monkeypatch):
    kind = ot_comparison.ModelResult
    (last,) = (one for one in fields(kind) if one.name == "maximised")
    old = [(last.name, last.type, dataclass_field(default=last.default))]
    same = [(one.name, one.type) for one in fields(kind) if one is not last]
    more = [
        ("folds", "int", dataclass_field(default=7)),
        ("tried", "list[str]", dataclass_field(default_factory=list)),
    ]
    newer = make_dataclass("ModelResult", [*same, *old, *more], bases=(kind,), frozen=True, eq=False)
    newer.__module__ = kind.__module__
    data = tabs_of("ot")
    for written in (data, read_archive(FILES["ot"].read_bytes()).parts["tabs"]):
        with written_as(monkeypatch, newer):
            model = loads(written).models[0]
        assert (model.folds, model.tried, model.label) == (7, [], "Stochastic OT")


def test_what_an_earlier_version_stored_is_migrated(monkeypatch):
    data = tabs_of("ot")
    monkeypatch.setitem(stored_classes.VERSIONS, "ot.Misfit", 3)
    monkeypatch.setitem(stored_classes.MIGRATIONS, ("ot.Misfit", 1), lambda old: {**old, "step": 1})
    monkeypatch.setitem(
        stored_classes.MIGRATIONS,
        ("ot.Misfit", 2),
        lambda old: {**old, "candidate": f"{old['candidate']}{old['step']}"},
    )
    before = loads(data).models[0].misfits[0].candidate
    stored_types._type.cache_clear()
    assert loads(data).models[0].misfits[0].candidate == f"{before}1"
    later = dumps(loads(data))
    monkeypatch.undo()
    stored_types._type.cache_clear()
    with pytest.raises(UnreadableError, match="later version"):
        loads(later)


def test_a_class_that_was_moved_and_renamed_is_the_same(monkeypatch):
    data = tabs_of("ot")
    moved = make_dataclass("Fit", [(one.name, one.type) for one in fields(ot_comparison.Misfit)], frozen=True)
    moved.__module__ = "otlab.ot.tableau"
    monkeypatch.setattr("otlab.ot.tableau.Fit", moved, raising=False)
    classes = {
        **stored_classes.CLASSES,
        "ot.tableau": "Tableau Fit",
        "ot.analysis.comparison": "Comparison ModelResult",
    }
    monkeypatch.setattr(stored_types, "CLASSES", classes)
    monkeypatch.setitem(stored_classes.RENAMED, "otlab.ot.tableau.Fit", "ot.Misfit")
    monkeypatch.setitem(stored_classes.MOVED, "otlab.ot.analysis.comparison.Misfit", "ot.Misfit")
    forget_classes()
    for written in (data, read_archive(FILES["ot"].read_bytes()).parts["tabs"]):
        results = loads(written)
        assert type(results.models[0].misfits[0]) is moved
    assert dumps(results) == data
    monkeypatch.undo()
    forget_classes()


@pytest.mark.parametrize("damaged", [b"", b"no pickle", pickle.dumps(3), pickle.dumps((1, 2, 3))])
@pytest.mark.parametrize("name", FILES)
def test_damaged_results_are_left_out(name, damaged, states):
    assert shown(states[name], damaged) == ([], list(states[name].tab_result_names))
