"""Script in a name: every lab, every tab, home and a document's name show it as text and nothing else."""

from __future__ import annotations

import re

import pytest

from otlab.ui.documents.keeper import rename
from otlab.ui.documents.store import open_store
from otlab.ui.server.registry import labs
from tests.ui.browser import serving

pytestmark = pytest.mark.browser

IMG = "<img/src=x/onerror=window.hit=1>"
QUOTE = "\"'><svg/onload=window.hit=1>"
SCRIPT = "<script>window.hit=1</script>"
_TAGGED = ([(IMG, IMG), ("dog", SCRIPT), (QUOTE, IMG)], [(SCRIPT, "N"), (IMG, SCRIPT), ("dog", "N")])
_ITEMS = (f"{IMG} :: d", f"{SCRIPT} :: d", f"{QUOTE} :: d= =d v", "sleeps :: d= v")
_TABLE = (
    f"Input,Output,Frequency,{IMG},{SCRIPT},B",
    f"{IMG},{IMG}1,3,1,0,0",
    f",{SCRIPT},1,0,1,0",
    f'{SCRIPT},"o",2,0,0,1',
)
_UTTERANCES = (f"d|ɔ|{IMG} {IMG}|k|æ", f"{SCRIPT}|æ d|ɔ|ɡ", f"d|ɔ|{QUOTE} k|æ")


def _conllu():
    """Return the tagged sentences in ten columns."""
    for sentence in _TAGGED * 4:
        for n, (word, tag) in enumerate(sentence, 1):
            yield f"{n}\t{word}\t_\t{tag}\t{tag}\t_\t_\t_\t_\t_"
        yield ""


FILES = {
    "ot_lab": (".csv", _TABLE),
    "tagging_lab": (".conllu", [*_conllu()]),
    "mg_lab": (".mg", ["@start v", *_ITEMS, f"@sentence 1 | {IMG} sleeps"]),
    "lexicon_lab": (".txt", ["# separator: |", *_UTTERANCES * 4]),
}
"""A file of each lab with such names; a lab without one fails the test."""
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


def nothing_was_made(page, where):
    page.wait_for_timeout(150)
    assert page.evaluate(MADE) == [], where


def walk(page):
    """Open every tab that the lab has, and look into each."""
    for tab in page.get_by_role("tab").all():
        if tab.is_visible() and tab.is_enabled():
            tab.click()
            nothing_was_made(page, tab.inner_text())


@pytest.fixture(scope="module")
def url(kernels):
    """A server of these tests alone, which has their documents."""
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as address:
        yield address


@pytest.mark.parametrize("route", [entry.route for entry in labs()])
def test_a_name_with_script_in_it_is_text_everywhere(visit, url, route):
    ending, lines = FILES[route]
    visitor = visit()
    page = visitor.open(url)
    name = f"<img src=x onerror=window.hit=1>{ending}"
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": "\n".join([*lines, ""]).encode()}
    )
    page.wait_for_url(re.compile(route))
    visitor.ready()
    assert page.get_by_text("window.hit").first.is_visible()
    walk(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(4000)
    walk(page)
    page.wait_for_url(re.compile("document="))
    document = re.search("document=([^&]+)", page.url)[1]
    rename(open_store(), document, f"{SCRIPT}{IMG} {route}")
    page.reload()
    visitor.ready()
    walk(page)
    visitor.open(url)
    page.get_by_text(f"{IMG} {route}").first.wait_for()
    nothing_was_made(page, "home")


def test_what_a_class_types_is_text_on_the_board_and_on_students_pages(visit, url):
    """Title, question, choices, names, answers and reasons, on the board, projected, and revealed."""
    from playwright.sync_api import expect

    teacher = visit()
    page = teacher.open(url)
    page.locator("input[type=file]").set_input_files(
        {"name": f"{IMG[:20]}.csv", "mimeType": "text/plain", "buffer": "\n".join([*_TABLE, ""]).encode()}
    )
    page.wait_for_url(re.compile("ot_lab"))
    teacher.ready()
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
    page = visit().context.new_page()  # the board's
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
    for name in ("Project", "Show names"):
        page.get_by_role("button", name=name).click()
        nothing_was_made(page, name)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Leave")).to_be_hidden()
    page.get_by_role("button", name="Reveal the answer").click()
    page.wait_for_timeout(2000)
    nothing_was_made(student, "student, revealed")
    nothing_was_made(page, "board, revealed")
    for each in (page, student, teacher.page):  # before the server ends
        each.close()


def test_the_check_sees_an_element_that_was_made(visit, url):
    page = visit().open(url)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img onerror=window.hit=1>')")
    page.evaluate("window.hit = 1")
    assert page.evaluate(MADE) == ["hit", '<img onerror="window.hit=1">']
