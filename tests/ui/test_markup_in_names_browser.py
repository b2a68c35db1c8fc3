"""Script in a name: every lab, every tab, home and a document's name show it as text and nothing else.

The server notes which of the places where text becomes markup it reaches (``tests.security``), pages which of
those in scripts; each is reached here, or by the tests that ``tests/security/elsewhere.py`` names for it.
"""

from __future__ import annotations

import re
import sys

import pytest

from otlab.ui.server.registry import labs
from tests.security.covered import Covered, gone
from tests.security.elsewhere import BY_PROOF, ELSEWHERE
from tests.security.places import candidates, sources
from tests.security.probes import read
from tests.security.scripts import all_sinks
from tests.ui import hostile
from tests.ui.browser import serving
from tests.ui.hostile import FILES, IMG, NAME, QUOTE, SCRIPT, TABLE, uploaded

pytestmark = pytest.mark.browser

MADE = """
() => {
  const found = []
  const look = root => {
    for (const e of root.querySelectorAll("*")) {
      const made = e.matches("[onerror], [onload], script") && /^<[^>]*>?window\\.hit|^<[^>]*=.?window\\.hit/
      if (made && made.test(e.outerHTML)) found.push(e.outerHTML.slice(0, 200))
      if (e.shadowRoot) look(e.shadowRoot)
    }
  }
  look(document)
  return [window.hit === undefined ? "" : "hit", ...found].filter(Boolean)
}
"""


PRESSED = {
    "ot_lab": [
        *("Step view", "Next draw", "Next observation", "GLA", "Next trial", "Back", "Step view"),
        *("Forms", "Check my table", "Generate", "Data", "Word (HTML)", "SVG", "Rank", "Typology"),
    ],
    "tagging_lab": ["Watch", "Keep curve", "States", "Merge states", "Sentences", "Further sentences"],
    "mg_lab": [
        *("Compare", "Keep this version", "Reading times", "Lexicon check"),
        *("Learn lexicon", "Learn and prune", "Data", "Movement tree as SVG", "Induce"),
        f"sleeps {IMG} sleeps",
    ],
    "lexicon_lab": ["Segment", "Notation", "Edits", "Trees", "Draw again", "Runs", "Spoken words", "Sound"],
}
"""What is pressed in a lab after a run, one after the other, where it is there: tabs, buttons and choices."""
LAST = "lexicon_lab"
"""The lab in which what leads out of a lab is tried."""
PAUSE = 700
"""Milliseconds until what was pressed has had its effect; longer where that is slow."""


@pytest.fixture(scope="module")
def covered():
    return Covered()


def press(page, name):
    """Press a tab, a button or a choice, if there is one that can be pressed."""
    for role in ("tab", "button", "radio"):
        found = [each for each in page.get_by_role(role, name=name, exact=True).all() if each.is_visible()]
        if found and found[0].is_enabled():
            found[0].click()
            page.wait_for_timeout(PAUSE)
            return


def nothing_was_made(page, where):
    page.wait_for_timeout(150)
    assert page.evaluate(MADE) == [], where


def drop(visitor, file, route):
    """Give the home page a file, which opens a lab."""
    visitor.page.locator("input[type=file]").set_input_files(file)
    visitor.page.wait_for_url(re.compile(route))
    visitor.ready()


def look_where_the_bar_leads(page):
    """Choose another document, all documents, and, in a narrow window, home."""
    chooser = page.locator("label.chooser select")
    other = chooser.locator("option[value^='document ']").first.get_attribute("value")
    assert "document=" in gone(page, lambda: chooser.select_option(other))
    assert gone(page, lambda: chooser.select_option("all")).endswith("/")
    page.set_viewport_size({"width": 700, "height": 900})
    places = page.locator("select.places")
    assert gone(page, lambda: places.select_option("./")).endswith("/")


def walk(page):
    """Open every tab that the lab has, and look into each."""
    for tab in page.get_by_role("tab").all():
        if tab.is_visible() and tab.is_enabled():
            tab.click()
            nothing_was_made(page, tab.inner_text())


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """The file in which a process notes the places it reaches (``tests.security.probes``)."""
    return tmp_path_factory.mktemp("reached") / "places"


@pytest.fixture(scope="module")
def url(kernels, notes):
    """A server of these tests alone, which has their documents; none of its pages may fail."""
    serve, log = ("otlab", "serve", "--no-browser", "--port", "{port}"), notes.with_name("log")
    with serving("tests.security.probes", str(notes), *serve, log=log) as address:
        yield address
    assert "Traceback" not in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("route", [entry.route for entry in labs()])
def test_a_name_with_script_in_it_is_text_everywhere(visit, url, route, covered, tmp_path):
    ending, lines = FILES[route]
    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(url)
    drop(visitor, uploaded(NAME + ending, lines), route)
    assert page.get_by_text("window.hit").first.is_visible()
    walk(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(500)
    page.locator("button.primary[aria-busy]").wait_for(state="detached")
    page.wait_for_timeout(PAUSE)
    walk(page)
    page.wait_for_url(re.compile("document="))
    for each in PRESSED[route]:
        press(page, each)
        nothing_was_made(page, each)
    look_into(visitor, tmp_path, "Result as a page", covered)
    if route == "ot_lab":
        look_into(visitor, tmp_path, "As one page that runs", covered)
    new = f"{SCRIPT}{IMG} {route}"
    page.get_by_role("button", name=re.compile("^Rename ")).first.click()
    page.get_by_label(re.compile("^New name of ")).fill(new)
    page.keyboard.press("Enter")
    page.get_by_role("button", name=f"Rename {new}").wait_for()
    covered.took(page)
    page.goto(url)  # which saves first
    page.get_by_text(f"{IMG} {route}").first.wait_for()
    nothing_was_made(page, "home")
    if route == LAST:
        page.get_by_role("button", name=f"Duplicate {new}").click()
        page.get_by_role("link", name=new).nth(1).wait_for()
        nothing_was_made(page, "duplicate")
    covered.took(page)
    page.get_by_role("link", name=new, exact=True).click()
    page.wait_for_url(re.compile(route))
    visitor.ready()
    walk(page)
    if route == LAST:
        look_where_the_bar_leads(page)
    covered.took(page)
    covered.walks.add(route)


def look_into(visitor, folder, name, covered):
    """Save a page in the tab *Data*, and look into it."""
    page = visitor.page
    page.get_by_role("tab", name="Data", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    file = folder / "saved.html"
    download.value.save_as(file)
    opened = visitor.context.new_page()
    covered.watch(opened)
    opened.goto(file.as_uri())
    opened.get_by_role("heading").first.wait_for()
    run = opened.get_by_role("button", name="Run", exact=True)
    if run.count():
        run.first.click()
        opened.wait_for_timeout(3000)
    nothing_was_made(opened, name)
    covered.took(opened)
    opened.close()


def test_names_of_speakers_and_items_are_text(visit, url, covered, tmp_path):
    """In the table, in what is learnt of each, where a cell tells what it counted, and in a picture."""
    from playwright.sync_api import expect

    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(url)
    drop(visitor, uploaded(f"{NAME}.csv", hostile.spoken()), "ot_lab")
    page.locator(".tabulator-cell[tabulator-field='c_0']").first.hover()
    expect(page.get_by_role("tooltip").get_by_text("window.hit").first).to_be_visible()
    nothing_was_made(page, "counted cell")
    press(page, "Speakers and items")
    nothing_was_made(page, "Speakers and items")
    page.get_by_role("button", name="Back to the lab").click()
    page.get_by_text(re.compile(r"^\d+ more$")).click()
    for learner in ("GLA", "MaxEnt", "MaxEnt by speaker"):
        page.get_by_role("checkbox", name=learner, exact=True).click()
    page.get_by_role("textbox", name="Sweeps").fill("100")
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save or copy: Predicted against observed").click()
    with page.expect_download():
        page.get_by_role("menuitem", name="Save PNG").click()
    page.get_by_role("button", name="Speakers", exact=True).click()
    expect(page.get_by_role("img", name=re.compile("^4 speakers, ordered by"))).to_be_visible()
    for each in ("Rates", "Items", "Effects"):
        page.get_by_role("radio", name=each, exact=True).click()
        nothing_was_made(page, each)
    page.get_by_label("Find").fill("<script")
    expect(page.get_by_role("img", name=re.compile("^1 item, ordered by"))).to_be_visible()
    page.get_by_role("combobox", name="Order by").click()
    nothing_was_made(page, "order")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Compare", exact=True).click()
    for each in ("Speakers", "Logits"):
        page.get_by_role("radio", name=each, exact=True).click()
        nothing_was_made(page, f"Compare: {each}")
    page.get_by_role("button", name="Compare logits").click()
    page.wait_for_timeout(PAUSE)
    nothing_was_made(page, "Compare logits")
    look_into(visitor, tmp_path, "Result as a page", covered)
    covered.took(page)
    covered.walks.add("speakers")


@pytest.mark.parametrize("entry", labs(), ids=lambda entry: entry.route)
def test_what_a_link_carries_is_text(visit, url, entry, covered):
    """Example, document, file, lesson, settings, and in the data all that a lab reads as text."""
    page = visit().open(f"{url}/{hostile.link(entry)}")
    page.get_by_text("window.hit").first.wait_for()
    walk(page)
    covered.walks.add(f"link {entry.route}")


def test_a_lexicon_too_long_for_a_link_is_text(visit, url, covered):
    """In the box for thousands of lines, and where the page says that a link does not hold them."""
    from playwright.sync_api import expect

    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(url)
    file = uploaded(f"{NAME}.mg", hostile.long_lexicon())
    address = gone(page, lambda: page.locator("input[type=file]").set_input_files(file))
    covered.took(page)
    visitor.open(address)
    page.get_by_role("tab", name="Induce", exact=True).click()
    page.get_by_role("button", name="Edit as text", exact=True).click()
    page.locator(".ace_line").get_by_text("window.hit").first.wait_for()
    nothing_was_made(page, "long text")
    page.get_by_role("button", name="Copy link", exact=True).click()
    expect(page.get_by_role("button", name="Save as file")).to_be_visible()
    nothing_was_made(page, "link copied")
    covered.took(page)
    covered.walks.add("long")


def test_names_and_labels_of_sound_are_text(visit, url, covered):
    from playwright.sync_api import expect

    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(f"{url}/lexicon_lab?iterations=4&units=8")
    page.get_by_role("tab", name="Sound", exact=True).click()
    packed = {"name": f"{NAME}.zip", "mimeType": "application/zip", "buffer": hostile.sound()}
    page.get_by_label("Drop sound here, or choose a file").set_input_files(packed)
    expect(page.get_by_text(": 4 utterances").first).to_be_visible()
    for learner, on in (("Phone loop", True), ("Batch VB", False)):
        page.get_by_role("checkbox", name=learner).set_checked(on)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    page.get_by_role("group", name="Units").get_by_role("button").first.click()
    walk(page)
    covered.took(page)
    covered.walks.add("sound")


def test_what_is_wrong_in_a_file_is_quoted_as_text(visit, url, covered):
    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(url)
    for ending, lines in (
        (".csv", ["Input,Output,Frequency,A", f"{IMG},{IMG},{IMG},{SCRIPT}"]),
        (".mg", ["@start v", f"{IMG} :: {QUOTE}{IMG}"]),
    ):
        page.locator("input[type=file]").set_input_files(uploaded(NAME + ending, lines))
        page.get_by_role("alert").get_by_text("window.hit").first.wait_for()
        nothing_was_made(page, ending)
        visitor.open(url)
    for where in (f"ot_lab?exercise={IMG}", f"join?code={IMG}"):
        page.goto(f"{url}/{where}")
        page.wait_for_timeout(PAUSE)
        nothing_was_made(page, where)
    covered.took(page)
    covered.walks.add("faults")


def test_what_a_class_types_is_text_on_the_board_and_on_students_pages(visit, url, covered):
    """Title, question, choices, names, answers and reasons, on the board, projected, and revealed."""
    from playwright.sync_api import expect

    teacher = visit()
    covered.watch(teacher.page)
    page = teacher.open(url)
    drop(teacher, uploaded(f"{IMG[:20]}.csv", TABLE), "ot_lab")
    page.get_by_role("button", name="Make an exercise").click()
    dialog = page.get_by_role("dialog", name="Make an exercise")
    dialog.get_by_label("Title").fill(f"{SCRIPT}{IMG}")
    dialog.get_by_label("Question").fill(f"{IMG} or {SCRIPT}?")
    dialog.get_by_label("Answers to choose from").fill(f"{IMG}\n{SCRIPT}\n{QUOTE}")
    dialog.get_by_label("Students guess").check()
    dialog.get_by_role("button", name="Make the links").click()
    link = dialog.get_by_label("Link for students").input_value()
    nothing_was_made(page, "dialog")
    own = dialog.get_by_label("Your link").input_value()
    covered.took(page)
    page = visit().context.new_page()  # the board's
    covered.watch(page)
    page.goto(own)
    expect(page.get_by_text("No page is open yet")).to_be_visible()
    student = visit().open(link)
    student.get_by_label("Your name").fill(f"{QUOTE}{IMG}")
    student.keyboard.press("Tab")
    student.get_by_role("slider").first.press("End")
    student.get_by_role("button", name="This is my guess").click()
    student.get_by_role("radio", name=IMG, exact=True).check()
    student.get_by_label("Why?").fill(f"because {SCRIPT}{IMG}")
    student.get_by_label("Why?").press("Tab")
    student.get_by_role("button", name="Send").click()
    expect(page.get_by_role("rowheader").get_by_text(QUOTE)).to_be_visible()
    expect(page.get_by_text(f"because {SCRIPT}")).to_be_visible()
    nothing_was_made(page, "board")
    nothing_was_made(student, "student")
    page.get_by_role("button", name="Code to join").click()
    page.get_by_role("dialog", name="Join with a code").locator("svg.qr").wait_for()
    page.get_by_role("button", name="Close", exact=True).click()
    for name in ("Project", "Show names"):
        page.get_by_role("button", name=name).click()
        nothing_was_made(page, name)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Leave")).to_be_hidden()
    page.get_by_role("button", name="Reveal the answer").click()
    page.wait_for_timeout(2000)
    nothing_was_made(student, "student, revealed")
    nothing_was_made(page, "board, revealed")
    covered.took(page)
    covered.walks.add("class")
    for each in (page, student, teacher.page):  # before the server ends
        each.close()


def test_the_check_sees_an_element_that_was_made(visit, url):
    page = visit().open(url)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img onerror=window.hit=1>')")
    page.evaluate("window.hit = 1")
    assert page.evaluate(MADE) == ["hit", '<img onerror="window.hit=1">']


def test_every_place_is_reached_here_or_by_a_test_that_is_named(notes, covered):
    """Of the places in Python by function, since one value may be of a case that another test makes."""
    if len(covered.walks) < 2 * len(labs()) + 5:
        pytest.skip("needs the other tests of this file")
    every, named, raw = read(notes)
    listed = [*dict.fromkeys(candidates(sources()))]
    names = [(sources().scopes[node].path, sources().scopes[node].name) for node in listed]
    assert not raw, [(*names[k], listed[k].lineno) for k in sorted(raw)]
    reached = {names[k] for k in every}
    sys.stderr.write(  # shown by pytest -s
        f"{len(every)} of {len(listed)} places reached, {len(named)} of them with such a name; "
        f"{len(covered.reached)} of {len(all_sinks())} in scripts"
    )
    assert set(names) - reached - set(ELSEWHERE) - BY_PROOF == set()
    assert set(all_sinks()) - covered.reached == set()
