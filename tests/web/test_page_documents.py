"""The page's documents and links, which the lab opens, and those of the lab; what stays in the browser."""

from urllib.parse import parse_qs, urlsplit

import pytest

from otlab.ot import read
from otlab.ui.documents import archive, store
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.store import Saved, Summary
from otlab.ui.fields import texts_of
from otlab.ui.ot.constraint_settings import put_apriori
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.state import OTState
from otlab.ui.packing import LINK_MOST, unpack
from otlab.web.page import lab_page, tableau_data
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

HOSTILE = '</script><img src=x onerror="window.hit=1">' + "ŋ" * 150 + "שלום"


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    visit = Visit(browser, (390, 844))
    yield visit
    visit.close()


def opened(visit, folder, tableau, after=""):
    path = folder / f"{tableau.name}.html"
    if not path.exists():
        path.write_text(lab_page(tableau), encoding="utf-8")
    visit.page.goto("about:blank")
    visit.page.goto(path.as_uri() + after)
    visit.page.locator("html[data-ready]").wait_for()
    return visit.page


def field(page, label):
    return page.get_by_label(label, exact=True)


def typed(page, label, text):
    field(page, label).fill(text)
    field(page, label).press("Enter")


def saved(page, button):
    with page.expect_download() as saving:
        page.get_by_role("button", name=button, exact=True).click()
    return saving.value.suggested_filename, saving.value.path().read_bytes()


def edited_state():
    """Return a lab's state with an edited table and settings that the page has no field for."""
    state = OTState(read("spanish"))
    state.mark_opened()
    state.document.type(0, "c_0", "3")
    state.document.rename_constraint(1, HOSTILE)
    state.settings.param.update(sweeps=12_345, seed=77, prior="normal", prior_sd=4.5, schedule="lin", runs=7)
    put_apriori(state.settings, [(HOSTILE, "D"), ("D", "B")])
    return state


def test_formats_are_those_of_the_lab(visit, tmp_path):
    page = opened(visit, tmp_path, read("ilokano"))
    assert page.evaluate("[FORMATS.file, FORMATS.values, ROUTE, LONGEST_LINK]") == [
        archive.FORMAT, store.FORMAT, OTLab.route, LINK_MOST,
    ]  # fmt: skip
    names = page.evaluate("Object.keys(LAB_SETTINGS)")
    assert set(names) <= set(texts_of(OTState(read("ilokano")).settings))


def test_a_document_of_the_lab_is_edited_and_goes_back_with_nothing_lost(visit, tmp_path):
    state = edited_state()
    values = {"lab": "ot_lab", **state.to_plain()()}
    (tmp_path / "mine.otlab").write_bytes(
        write_archive(Saved(Summary("", "ot_lab", "My table", "x"), values))
    )
    page = opened(visit, tmp_path, read("ilokano"))
    field(page, "File").set_input_files(tmp_path / "mine.otlab")
    page.get_by_role("heading", name="My table").wait_for()
    assert [field(page, name).input_value() for name in ("Sweeps", "Seed", "Constraint 2")] == [
        "12345", "77", HOSTILE,
    ]  # fmt: skip
    assert field(page, "Ranked a priori").input_value() == f"{HOSTILE} >> D; D >> B"
    page.get_by_text("the page has no place for a normal prior of the ranking values").wait_for()
    typed(page, "Sweeps", "2000")
    typed(page, "Count of " + read("spanish").candidates[0], "8")
    name, data = saved(page, "Save for the lab")
    assert name == "My_table.otlab"
    back = read_archive(data)
    other = OTState(read("ilokano"))
    other.from_dict(back.values)
    state.document.type(0, "count", "8")
    assert tableau_data(other.tableau) == tableau_data(state.tableau) | {"title": "My table"}
    texts = texts_of(state.settings) | {"sweeps": "2,000"}
    assert other.apriori == state.apriori == ((HOSTILE, "D"), ("D", "B"))
    assert texts_of(other.settings) == texts
    assert set(state.learners) <= set(other.learners)
    assert page.evaluate("window.hit === undefined")
    # Undo brings back the table of before, with its settings
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="Ilokano reduplication").wait_for()
    assert field(page, "Sweeps").input_value() == "20000"


@pytest.mark.parametrize("name", ["ilokano", "spanish"])
def test_links_open_here_and_there(visit, tmp_path, name):
    page = opened(visit, tmp_path, read("ilokano"), "#data=" + link_of(edited_state())["data"][0])
    page.get_by_role("heading", name="Spanish diminutives").wait_for()
    assert field(page, "Constraint 2").input_value() == HOSTILE
    assert field(page, "Seed").input_value() == "77"
    assert "data=" not in page.url
    page = opened(visit, tmp_path, read("ilokano"), f"?example={read(name).name}&seed=5&sweeps=300")
    page.get_by_role("heading", name=read(name).title).wait_for()
    assert [field(page, label).input_value() for label in ("Seed", "Sweeps")] == ["5", "300"]
    typed(page, "Constraint 1", HOSTILE)
    page.get_by_role("button", name="Link").click()
    page.locator(".link code").nth(1).wait_for()
    own, lab = page.locator(".link code").all_inner_texts()
    state = OTState(read("nasal"))
    state.from_dict(unpack(parse_qs(urlsplit(lab).query)["data"][0]))
    assert state.tableau.constraints[0] == HOSTILE
    assert (state.settings.seed, state.settings.sweeps, state.example) == (5, 300, read(name).name)
    assert_accessible(page)
    again = opened(visit, tmp_path, read("nasal"), "#" + own.split("#")[1])
    assert field(again, "Constraint 1").input_value() == HOSTILE
    assert again.evaluate("window.hit === undefined && !document.querySelector('main img')")
    for bad in ("#data=eJw", "#data=%%", "?example=none"):
        broken = opened(visit, tmp_path, read("tagalog"), bad)
        broken.get_by_text("The link is damaged" if "data" in bad else "There is no example").wait_for()


def link_of(state):
    return parse_qs(urlsplit(state.link("ot_lab")).query)


def test_what_is_edited_stays_until_started_anew(visit, tmp_path):
    tableau = read("ilokano")
    page = opened(visit, tmp_path, tableau)
    typed(page, "Count of bub.wa.ja", "4")
    typed(page, "Sweeps", "1500")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("region", name="Gibbs", exact=True).locator(".badge").wait_for()
    page.wait_for_timeout(400)
    again = opened(visit, tmp_path, tableau)
    again.get_by_text("This is what you left here").wait_for()
    assert field(again, "Count of bub.wa.ja").input_value() == "4"
    assert field(again, "Sweeps").input_value() == "1500"
    again.get_by_role("region", name="Gibbs", exact=True).locator(".badge").wait_for()
    # another page has nothing of it
    other = opened(visit, tmp_path, read("spanish"))
    other.get_by_role("heading", name="Spanish diminutives").wait_for()
    assert other.get_by_text("This is what you left here").is_hidden()
    again = opened(visit, tmp_path, tableau)
    again.get_by_role("button", name="Start anew").click()
    assert field(again, "Count of bub.wa.ja").input_value() == "1"
    assert again.get_by_role("region", name="Gibbs", exact=True).is_hidden()
    again.get_by_role("button", name="Undo").click()
    assert field(again, "Count of bub.wa.ja").input_value() == "4"
    again.get_by_role("button", name="Redo").click()
    again.evaluate("memory.forget()")
    fresh = opened(visit, tmp_path, tableau)
    assert field(fresh, "Count of bub.wa.ja").input_value() == "1"


def test_a_browser_that_keeps_nothing_is_named(visit, tmp_path):
    refusal = "{ get() { throw new DOMException('no', 'SecurityError') } }"
    visit.page.add_init_script(f"Object.defineProperty(window, 'localStorage', {refusal})")
    page = opened(visit, tmp_path, read("ilokano"))
    assert page.get_by_text("This browser keeps nothing").is_hidden()
    typed(page, "Count of bub.wa.ja", "4")
    page.get_by_text("This browser keeps nothing").wait_for()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04", "is not a document of otlab, or is damaged"),
        (write_archive(Saved(Summary("", "mg_lab", "", ""), {})), "is a document of another lab"),
    ],
)
def test_files_that_are_no_documents_are_refused(visit, tmp_path, content, words):
    (tmp_path / "bad.otlab").write_bytes(content)
    page = opened(visit, tmp_path, read("ilokano"))
    field(page, "File").set_input_files(tmp_path / "bad.otlab")
    page.get_by_text(words).wait_for()
    page.get_by_role("heading", name="Ilokano reduplication").wait_for()
