"""The page with results in it: of the library, of the lab, and saved by the page itself."""

import json
import re

import pytest

from otlab.ot import fit_gibbs, fit_gla, fit_maxent, read
from otlab.ui.documents.archive import read_archive
from otlab.ui.ot.tabs.downloads import download
from otlab.ui.ot.tabs.one_page import page_of_file
from otlab.web.page import lab_page
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing
from tests.ui.document_store import cold, store  # noqa: F401 - fixtures
from tests.ui.documents.helpers import CASES
from tests.ui.documents.test_runs import ran

pytestmark = pytest.mark.slow
in_browser = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]


def data_of(page):
    return json.loads(re.search(r'id="data" type="application/json">(.*?)</script>', page)[1])


def test_the_lab_writes_the_page_that_the_command_line_writes_of_its_file(store):  # noqa: F811
    lab = ran(CASES["ot"], seed=7, trials=2000)
    name, content = download(lab.state, "lab")
    assert name == "ilokano_reduplication_lab.html"
    _, make = lab.document_file()
    page, _ = page_of_file(read_archive(make()))
    assert page.encode() == content
    data = data_of(page)
    assert [result["learner"] for result in data["results"]] == ["gibbs"]
    assert data["fields"]["sweeps"] == "200"
    assert data["fields"]["trials"] == "2000"
    assert data["seed"] == 7


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


def opened(visit, path, text):
    path.write_text(text, encoding="utf-8")
    visit.page.goto(path.as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return visit.page


def card(page, name):
    return page.get_by_role("region", name=name, exact=True)


def numbers(page, name):
    """Return the text of each cell of a card's table."""
    return card(page, name).locator("tbody tr").all_inner_texts()


@pytest.mark.parametrize("mark", [pytest.param(None, marks=in_browser)])
def test_results_are_shown_run_again_and_saved_with_the_page(browser, tmp_path, mark):
    tableau = read("ilokano")
    gibbs = fit_gibbs(tableau, sweeps=2000, chains=4, seed=11)
    fits = [gibbs, fit_gla(tableau, trials=2000, runs=2, seed=11), fit_maxent(tableau, seed=11)]
    visit = Visit(browser, (390, 844))
    page = opened(visit, tmp_path / "results.html", lab_page(tableau, 11, fits, {"sweeps": "2000"}))
    shown = card(page, "Gibbs")
    shown.get_by_text("Converged", exact=True).wait_for()
    shown.get_by_text(f"ESS {round(gibbs.trust.smallest_ess)}").wait_for()
    for i, row in enumerate(shown.locator("tbody tr").all()[:3]):
        assert f"{gibbs.median[i]:.2f}".replace("-", "−") in row.inner_text()
        assert row.locator("svg rect").count() >= 24
    assert page.get_by_text("Seed 11").count() == 3
    page.get_by_text("Shown: the posterior medians of Gibbs").wait_for()
    before = numbers(page, "Gibbs")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    # the same run in the page ends with the same numbers
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Gibbs: finished").wait_for()
    shown.get_by_text("Converged", exact=True).wait_for()
    assert numbers(page, "Gibbs") == before[:3]
    # and is saved with the page, from which what scripts made is left out
    page.get_by_label("Count of bub.wa.ja", exact=True).fill("4")
    page.get_by_label("Count of bub.wa.ja", exact=True).press("Enter")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as page").click()
    text = (saving.value.path()).read_text(encoding="utf-8")
    assert saving.value.suggested_filename == "Ilokano_reduplication.html"
    assert len(text.encode()) < 1_000_000
    again = opened(visit, tmp_path / "saved.html", text)
    card(again, "Gibbs").get_by_text("from the tableau before it was edited").wait_for()
    assert numbers(again, "Gibbs")[:3] == before[:3]
    assert again.get_by_label("Count of bub.wa.ja", exact=True).input_value() == "4"
    with again.expect_download() as saving:
        again.get_by_role("button", name="Save as page").click()
    assert saving.value.path().read_text(encoding="utf-8") == text
    visit.close()


@pytest.mark.parametrize("mark", [pytest.param(None, marks=in_browser)])
def test_hostile_names_of_a_result_stay_text(browser, tmp_path, mark):
    name = '</script><img src=x onerror="window.hit=1">' + "ə" * 160
    tableau = read("ilokano").rename_constraint(0, name).rename_candidate(0, "\u202eabc" + "שלום")
    visit = Visit(browser, (390, 844))
    fit = fit_gibbs(tableau, sweeps=200, chains=2, seed=1)
    page = opened(visit, tmp_path / "hostile.html", lab_page(tableau, 1, [fit]))
    card(page, "Gibbs").get_by_text(name).first.wait_for()
    assert page.evaluate("window.hit === undefined && !document.querySelector('main img')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as page").click()
    again = opened(visit, tmp_path / "saved.html", saving.value.path().read_text(encoding="utf-8"))
    card(again, "Gibbs").get_by_text(name).first.wait_for()
    assert again.evaluate("window.hit === undefined && !document.querySelector('main img')")
    visit.close()


@pytest.mark.parametrize("mark", [pytest.param(None, marks=in_browser)])
def test_the_trace_of_the_gla_is_drawn_and_kept(browser, tmp_path, mark):
    tableau = read("spanish")
    visit = Visit(browser, (390, 844))
    page = opened(visit, tmp_path / "trace.html", lab_page(tableau, 3, [], {"trials": "20000", "runs": "3"}))
    page.get_by_label("Learner", exact=True).select_option("gla")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("GLA: finished").wait_for()
    trace = card(page, "GLA").get_by_role("img", name="Ranking values over the trials")
    trace.wait_for()  # drawn after the run is said to be finished
    assert trace.locator("g.trace").count() == tableau.n_constraints
    assert trace.locator("g.trace").first.locator("path").count() == 3 + 1 + 1  # runs, mean, line to the name
    means = [row.split("\t")[-2].strip() for row in numbers(page, "GLA")][: tableau.n_constraints]
    said = trace.get_attribute("aria-label").split(": ")[1].split("; ")
    every = page.evaluate("traceEvery(20000)")
    assert 20_000 - 20_000 // every * every < every
    shown = [float(words.rsplit(" ", 1)[1].replace("−", "-")) for words in said]
    assert shown == pytest.approx([float(mean.replace("−", "-")) for mean in means], abs=0.1)
    page.get_by_role("region", name="Observed and predicted").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as page").click()
    text = saving.value.path().read_text(encoding="utf-8")
    again = opened(visit, tmp_path / "saved.html", text)
    kept = card(again, "GLA").get_by_role("img", name="Ranking values over the trials")
    kept.wait_for()
    assert kept.locator("g.trace").count() == tableau.n_constraints
    assert len(data_of(text)["results"][0]["trace"]["rows"]) == 3
    visit.close()


@pytest.mark.parametrize("mark", [pytest.param(None, marks=in_browser)])
def test_maxent_without_a_prior_says_that_weights_grow(browser, tmp_path, mark):
    visit = Visit(browser, (390, 844))
    page = opened(visit, tmp_path / "flat.html", lab_page(read("nasal"), 3))
    page.get_by_label("Learner", exact=True).select_option("maxent")
    page.get_by_label("Prior SD", exact=True).fill("")
    page.get_by_role("button", name="Run", exact=True).click()
    words = "no finite optimum: some weights grow without end; give a prior"
    assert any(words in remark for remark in fit_maxent(read("nasal")).warnings)
    card(page, "MaxEnt").get_by_text(words).wait_for()
    page.get_by_role("region", name="Observed and predicted").wait_for()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as page").click()
    again = opened(visit, tmp_path / "saved.html", saving.value.path().read_text(encoding="utf-8"))
    card(again, "MaxEnt").get_by_text(words).wait_for()
    assert again.get_by_label("Prior SD", exact=True).input_value() == ""
    again.get_by_label("Prior SD", exact=True).fill("2")
    again.get_by_role("button", name="Run", exact=True).click()
    again.get_by_text("MaxEnt: finished").wait_for()
    card(again, "MaxEnt").get_by_text(words).wait_for(state="detached")
    visit.close()
