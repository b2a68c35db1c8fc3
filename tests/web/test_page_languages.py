"""The page in other languages, in Chromium: words, numbers, what is typed, the choice, an exercise."""

import re

import pytest

from otlab.ot import read
from otlab.ui.classroom.exercise import Exercise
from otlab.ui.classroom.one_page import exercise_file
from otlab.ui.ot.lab import OTLab
from otlab.web.page import lab_page
from otlab.web.words import words_of
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

WIDE, NARROW = (1440, 900), (390, 844)
LOCALES = {"de": "de-DE", "fr": "fr-FR", "es": "es-ES", "ja": "ja-JP"}


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


def opened(visit, folder, page):
    path = folder / "otlab.html"
    path.write_text(page, encoding="utf-8")
    visit.page.goto(path.as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return visit.page


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def english_left(page, words):
    """Return texts of the page that are those of the scripts, though there is another word for them."""
    shown = page.evaluate("""() => {
      const found = []
      const walk = root => {
        for (const node of root.querySelectorAll("*")) {
          found.push(node.getAttribute("aria-label"), node.getAttribute("title"))
          if (node.shadowRoot) walk(node.shadowRoot)
          for (const child of node.childNodes) if (child.nodeType === 3) found.push(child.textContent.trim())
        }
      }
      walk(document.body)
      return found
    }""")
    return {text for text in shown if text in words and words[text] != text}


@pytest.mark.parametrize("language", LOCALES)
def test_a_visitor_works_in_the_language_of_the_browser(browser, tmp_path, language):
    words = words_of()[language]
    visit = Visit(browser, NARROW, locale=LOCALES[language])
    page = opened(visit, tmp_path, lab_page(read("ilokano"), 7))
    assert page.evaluate("document.documentElement.lang") == language
    assert page.locator("#language").input_value() == language
    field = page.get_by_label(words["Evaluation noise"], exact=True)
    field.fill("1,5")
    field.press("Tab")
    count = page.get_by_label(words["Count of {candidate}"].replace("{candidate}", "bub.wa.ja"), exact=True)
    count.fill("2,5")
    count.press("Enter")
    press(page, words["Run"])
    done = words["{learner}: finished after {seconds}"].split("{seconds}")[0].replace("{learner}", "Gibbs")
    page.get_by_text(done).wait_for()
    card = page.get_by_role("region", name="Gibbs", exact=True)
    card.get_by_text(re.compile(f"{words['Converged']}|{words['Keep running']}")).first.wait_for()
    decimal = "." if language == "ja" else ","
    page.get_by_text(f"55{decimal}6\u2009%").first.wait_for()  # 2.5 of 4.5
    kept = "JSON.parse(localStorage.getItem(memory.key))?.texts.noise"
    page.wait_for_function(f"{kept} === '1.5'")  # documents and links have a point
    assert english_left(page, words) == set()
    assert fits(page)
    assert_accessible(page)
    press(page, words["Dark"])
    assert_accessible(page)
    visit.close()


def test_numbers_are_read_as_they_are_written(browser, tmp_path):
    """Decimals and thousands by language; what may be both is refused, but for whole numbers."""
    page_ = lab_page(read("ilokano"))
    texts = ["1,5", "1.5", "1.125", "1,125", "1.000.000", "1,000,000", "1.234,5", "1,234.5", "1 000", "x"]
    clear = [1.5, 1.5, None, None, 1e6, 1e6, 1234.5, 1234.5, 1000, None]
    for locale, thousands in [("en-US", ","), ("de-DE", "."), ("es-ES", "."), ("ja-JP", ","), ("fr-FR", "")]:
        visit = Visit(browser, locale=locale)
        page = opened(visit, tmp_path, page_)
        read_there = page.evaluate("texts => texts.map(text => typedNumber(text))", texts)
        expected = [*clear[:2], *(None if text[1] == thousands else 1.125 for text in texts[2:4]), *clear[4:]]
        found = [None if x != x else x for x in (float("nan") if x is None else x for x in read_there)]
        assert found == expected, locale
        assert page.evaluate("['1.125', '1,125'].map(text => typedNumber(text, true))") == [1125, 1125]
        assert page.evaluate("[0.25, 1234.5, 1e-7].every(x => typedNumber(typed(x)) === x)")
        visit.close()


def test_an_unclear_number_is_refused_with_words(browser, tmp_path):
    visit = Visit(browser, WIDE, locale="de-DE")
    page = opened(visit, tmp_path, lab_page(read("ilokano")))
    count = page.get_by_label("Anzahl von bub.wa.ja", exact=True)
    count.fill("1.125")
    count.press("Tab")
    page.get_by_text("1.125 kann 1125 oder 1,125 bedeuten").wait_for()
    assert count.get_attribute("aria-invalid") == "true"
    count.fill("1,125")
    count.press("Tab")
    page.get_by_text("kann 1125 oder").wait_for(state="hidden")
    assert "bub.wa.ja,1.125," in page.evaluate("csvOf({ ...DATA.tableau, frequencies: [1, 1, 1.125] })")
    field = page.get_by_label("Durchgänge", exact=True)
    field.fill("20.000.000")
    press(page, "Starten")
    page.get_by_text("Durchgänge: schreiben Sie eine ganze Zahl von 1 bis 1.000.000.").wait_for()
    visit.close()


def test_another_language_keeps_everything(browser, tmp_path):
    """Edits, what can be undone, results and the ranking line stay; the choice is kept for the next page."""
    visit = Visit(browser, WIDE)
    page = opened(visit, tmp_path, lab_page(read("ilokano"), 3))
    field = page.get_by_label("Count of bub.wa.ja", exact=True)
    field.fill("4")
    field.press("Enter")
    page.get_by_label("Sweeps", exact=True).fill("3000")
    press(page, "Run")
    page.get_by_text("Gibbs: finished").wait_for()
    page.locator("#language:enabled").wait_for()
    press(page, "Show on the ranking line")
    rows = "[...document.querySelectorAll('section[aria-label=Gibbs] tbody tr')].map(row => row.innerText)"
    before = page.evaluate(rows)
    page.locator("#language").select_option("de")
    page.get_by_role("button", name="Starten").wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    assert page.get_by_label("Durchgänge", exact=True).input_value() == "3000"
    assert page.get_by_label("Anzahl von bub.wa.ja", exact=True).input_value() == "4"
    after = page.evaluate(rows)
    assert [row.replace(",", ".").replace("bis", "to") for row in after] == before
    assert english_left(page, words_of()["de"]) == set()
    press(page, "Rückgängig")
    assert page.get_by_label("Anzahl von bub.wa.ja", exact=True).input_value() == "1"
    page.keyboard.press("Control+Shift+z")
    assert page.get_by_label("Anzahl von bub.wa.ja", exact=True).input_value() == "4"
    press(page, "Starten")  # and it learns again, once
    page.get_by_text("Gibbs: fertig nach").wait_for()
    page.wait_for_timeout(400)
    page.reload()
    page.get_by_role("button", name="Starten").wait_for()
    assert page.get_by_label("Anzahl von bub.wa.ja", exact=True).input_value() == "4"
    with page.expect_download() as saving:
        press(page, "Als Seite speichern")
    again = opened(visit, tmp_path, saving.value.path().read_text(encoding="utf-8"))
    again.get_by_role("button", name="Starten").wait_for()
    visit.close()


def test_a_page_of_one_language_has_no_choice(browser, tmp_path):
    visit = Visit(browser, WIDE)
    page = opened(visit, tmp_path, lab_page(read("ilokano"), language="fr"))
    page.get_by_role("button", name="Lancer", exact=True).wait_for()
    assert page.locator("#language").is_hidden()
    assert page.evaluate("document.documentElement.lang") == "fr"
    visit.close()


@pytest.mark.parametrize("language", LOCALES)
def test_an_exercise_speaks_the_language(browser, tmp_path, language):
    words = words_of()[language]
    exercise = Exercise(
        "ot_lab", "Reduplikation", "Warum?", {}, hidden=("results",), locked=("data",), predict=True
    )
    visit = Visit(browser, NARROW, locale=LOCALES[language])
    page = opened(visit, tmp_path, exercise_file(OTLab("ilokano"), "e1", exercise, "page")[1].decode())
    page.get_by_role("button", name=words["This is my guess"], exact=True).click()
    page.get_by_text(words["Now press Run."]).wait_for()
    page.locator("#exercise-answer").fill("so")
    press(page, words["Keep"])
    page.get_by_text(words["Kept on this page; hand it in below"]).wait_for()
    press(page, words["End the exercise and show everything"])
    page.get_by_text(words["You have ended the exercise: everything is shown."]).wait_for()
    assert english_left(page, words) == set()
    page.set_viewport_size({"width": 390, "height": 844})
    assert fits(page)
    assert_accessible(page)
    other = "es" if language == "de" else "de"
    page.locator("#language").select_option(other)
    page.get_by_role("button", name=words_of()[other]["Save my answer as a file"], exact=True).wait_for()
    assert page.locator("#exercise-answer").input_value() == "so"
    visit.close()
