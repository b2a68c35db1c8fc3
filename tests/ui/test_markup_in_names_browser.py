"""Script in a name: every lab, every tab, home and a document's name show it as text and nothing else.

The server notes which of the places where text becomes markup it reaches (``tests.security``), pages which of
those in scripts; each is reached here, or by the tests that ``tests/security/elsewhere.py`` names for it.
"""

from __future__ import annotations

import re
import sys

import pytest

from otlab.ui.server.registry import labs
from tests.security.elsewhere import BY_PROOF, ELSEWHERE, SCRIPTS_ELSEWHERE
from tests.security.places import candidates, sources
from tests.security.probes import read
from tests.security.scripts import all_sinks
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
    "mg_lab": (
        ".mg",
        ["@start v", *_ITEMS, f"@sentence 1 | {IMG} sleeps", f"@sentence 1 | sleeps {IMG} sleeps"],
    ),
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


class Covered:
    """Which places in scripts the pages of some tests reach, by Chromium's account of what was executed."""

    def __init__(self):
        self.reached, self._sessions, self.walks = set(), {}, set()

    def watch(self, page):
        """Begin with a page, before it opens anything."""
        session = self._sessions[page] = page.context.new_cdp_session(page)
        for command in ("Debugger.enable", "Profiler.enable"):
            session.send(command)
        session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})

    def took(self, page):
        """Note what a page has reached; to be called before it goes elsewhere."""
        session = self._sessions[page]
        for script in session.send("Profiler.takePreciseCoverage")["result"]:
            source = session.send("Debugger.getScriptSource", {"scriptId": script["scriptId"]})[
                "scriptSource"
            ]
            for sink in all_sinks():
                at = source.find(sink.line)
                if at >= 0 and self._count(script, at + sink.line.index(sink.value)) > 0:
                    self.reached.add(sink)

    @staticmethod
    def _count(script, at):
        ranges = [each for function in script["functions"] for each in function["ranges"]]
        around = [each for each in ranges if each["startOffset"] <= at < each["endOffset"]]
        return min(around, key=lambda each: each["endOffset"] - each["startOffset"])["count"] if around else 0


@pytest.fixture(scope="module")
def covered():
    return Covered()


def press(page, name):
    """Press a tab, a button or a choice, if there is one that can be pressed."""
    for role in ("tab", "button", "radio"):
        found = [each for each in page.get_by_role(role, name=name, exact=True).all() if each.is_visible()]
        if found and found[0].is_enabled():
            found[0].click()
            page.wait_for_timeout(1000)
            return


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
def notes(tmp_path_factory):
    """The file in which a process notes the places it reaches (``tests.security.probes``)."""
    return tmp_path_factory.mktemp("reached") / "places"


@pytest.fixture(scope="module")
def url(kernels, notes):
    """A server of these tests alone, which has their documents."""
    serve = ("otlab", "serve", "--no-browser", "--port", "{port}")
    with serving("tests.security.probes", str(notes), *serve) as address:
        yield address


@pytest.mark.parametrize("route", [entry.route for entry in labs()])
def test_a_name_with_script_in_it_is_text_everywhere(visit, url, route, covered, tmp_path):
    ending, lines = FILES[route]
    visitor = visit()
    covered.watch(visitor.page)
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
    page.get_by_role("link", name=new).click()
    page.wait_for_url(re.compile(route))
    visitor.ready()
    walk(page)
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


def test_what_is_wrong_in_a_file_is_quoted_as_text(visit, url, covered):
    visitor = visit()
    covered.watch(visitor.page)
    page = visitor.open(url)
    for ending, lines in (
        (".csv", ["Input,Output,Frequency,A", f"{IMG},{IMG},{IMG},{SCRIPT}"]),
        (".mg", ["@start v", f"{IMG} :: {QUOTE}{IMG}"]),
    ):
        page.locator("input[type=file]").set_input_files(
            {
                "name": IMG.replace("/", " ") + ending,
                "mimeType": "text/plain",
                "buffer": "\n".join(lines).encode(),
            }
        )
        page.get_by_role("alert").get_by_text("window.hit").first.wait_for()
        nothing_was_made(page, ending)
        visitor.open(url)
    page.goto(f"{url}/join?code={IMG}")
    nothing_was_made(page, "join")
    covered.took(page)
    covered.walks.add("faults")


def test_what_a_class_types_is_text_on_the_board_and_on_students_pages(visit, url, covered):
    """Title, question, choices, names, answers and reasons, on the board, projected, and revealed."""
    from playwright.sync_api import expect

    teacher = visit()
    covered.watch(teacher.page)
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
    if len(covered.walks) < len(labs()) + 2:
        pytest.skip("needs the other tests of this file")
    every, hostile, raw = read(notes)
    listed = [*dict.fromkeys(candidates(sources()))]
    names = [(sources().scopes[node].path, sources().scopes[node].name) for node in listed]
    assert not raw, [(*names[k], listed[k].lineno) for k in sorted(raw)]
    report = f"{len(every)} of {len(listed)} places reached, {len(hostile)} of them with such a name"
    reached, there = {names[k] for k in every}, {(sink.path, sink.function) for sink in covered.reached}
    in_scripts = {(sink.path, sink.function) for sink in all_sinks()}
    report += f"; {len(covered.reached)} of {len(all_sinks())} in scripts"
    sys.stderr.write(f"{report}, not in {sorted(in_scripts - there)}")  # shown by pytest -s
    assert set(names) - reached - set(ELSEWHERE) - BY_PROOF == set()
    assert in_scripts - there - set(SCRIPTS_ELSEWHERE) == set()
