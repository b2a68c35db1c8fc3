"""The name of a document: given in the bar, and used by every export."""

from __future__ import annotations

import pytest

from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs import downloads
from tests.ui.documents.helpers import CASES, paged, reloaded, saved
from tests.ui.page import download, send

NAME = "Coda: Ca\u0303 (2)"
STEM = "Coda_Ca\u0303_2"


def name_it(lab, name=NAME):
    send(lab.layout, {"kind": "rename", "name": name}, "AppBar")


def new(lab):
    send(lab.layout, {"kind": "keys", "value": "new"}, "AppBar")


@pytest.mark.slow
def test_the_bar_names_a_document_for_good(case, store):
    lab = paged(case)
    name_it(lab, f" {NAME} ")
    assert (lab.bar.called, lab.bar.stem) == (NAME, STEM)
    assert store.summary(saved(lab)).name == NAME
    again = reloaded(case, lab)
    assert (again.bar.called, again.bar.stem) == (NAME, STEM)
    name_it(again, "")
    assert again.bar.called == again.state.source_name
    assert lab.bar.called == lab.state.source_name, "on its other page, too"


@pytest.mark.slow
def test_every_file_of_the_ot_lab_has_the_name_in_it_and_before_it():
    lab = paged(CASES["ot"])
    new(lab)
    lab.settings.param.update(sweeps=200, chains=2)
    lab.runner.enable(["gibbs"])
    lab.runner.run()
    assert lab.runner.wait(120)
    name_it(lab)
    assert lab.document_file()[0] == f"{STEM}.otlab"
    assert lab.state.file_name("Tableau", "png") == f"{STEM}_tableau.png"
    binary = {"xlsx", "png", "learnt png", "netcdf"}
    lacking = {"otsoft", "maxent.ot", "praat", "praat-pairs"}  # they hold no title
    others = {"parses", "speakers"}  # of learners that this table is not for
    for key in downloads.FILES.keys() - others:
        name, content = downloads.download(lab.state, key)
        assert name.startswith(STEM), key
        if key not in binary | lacking:
            assert NAME in content.decode(), key
    for tab in ("Rank", "Typology"):
        view = next(iter(lab.showings))
        view.open(tab)
        name, content = download(view.tab(tab), "tabular")
        assert name.startswith(STEM)
        assert NAME in content.decode()


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("mg", ("mg", "probabilities", "forest")),
        ("lexicon", ("segmented",)),
        ("tagging", ("labels", "page")),
    ],
)
def test_files_of_the_other_labs_begin_with_it(name, keys):
    case = CASES[name]
    lab = paged(case)
    lab.settings.param.update(**case.short)
    if name in ("tagging", "lexicon"):
        lab.runner.enable([case.learner])
        lab.runner.run()
        assert lab.runner.wait(120)
    name_it(lab)
    (view,) = lab.showings
    view.open("Data")
    for key in keys:
        assert download(view.tab("Data"), key)[0].startswith(STEM)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "first"), [("ot", "New table"), ("mg", "New lexicon")])
def test_new_data_have_names_of_their_own(kind, first):
    """Two documents are not both called "New table", neither in lists nor in the names of files."""
    one, two = paged(CASES[kind]), paged(CASES[kind])
    new(one)
    saved(one)
    new(two)
    saved(two)
    assert (one.own_name, two.own_name) == (first, f"{first} 2")
    new(two)
    assert two.own_name == f"{first} 3"
    two.undo()
    assert two.own_name == f"{first} 2"
    assert two.state.file_stem == f"{first} 2".replace(" ", "_")


def test_a_new_table_downloads_under_its_name(monkeypatch):
    monkeypatch.setenv("OTLAB_DOCUMENTS", "off")
    lab = paged(CASES["ot"])
    new(lab)
    name, content = downloads.download(lab.state, "tabular")
    assert name == "New_table_tabular.tex"
    assert "New table" in content.decode()


def test_a_lab_without_a_page_names_its_files_after_the_data():
    lab = OTLab("ilokano")
    assert downloads.download(lab.state, "csv")[0] == "ilokano_reduplication.csv"
    assert MGLab().state.file_stem == "attachment_wh"
