"""The shared house in a real browser, shown by the toy lab."""

from __future__ import annotations

import re
import socket
from urllib.request import urlopen

import panel as pn
import pytest
from playwright.sync_api import expect

from tests.ui import browser as house
from tests.ui.browser import free_port
from tests.ui.layout import assert_fine
from tests.ui.toy import ToyLab
from tests.ui.waiting import until

pytestmark = pytest.mark.browser

GROUND_DARK = "rgb(18, 20, 25)"
SURFACE = """() =>
    getComputedStyle(document.documentElement).getPropertyValue("--ot-surface").trim().toUpperCase()"""

COUNT_CHANGES = """() => new Promise(done => {
    function find(root) {
        for (const node of root.querySelectorAll("*")) {
            if (!node.shadowRoot) continue
            const found = node.shadowRoot.querySelector(".progress b") ?? find(node.shadowRoot)
            if (found) return found
        }
        return null
    }
    let changes = 0
    const watcher = new MutationObserver(() => { changes += 1 })
    watcher.observe(find(document), {childList: true, characterData: true, subtree: true})
    setTimeout(() => done(changes), 3000)
})"""
HIDE = """hidden => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden})
    document.dispatchEvent(new Event("visibilitychange"))
}"""


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def sweep(page):
    text = page.get_by_text(re.compile(r"^Sweep [\d,]+$")).first.inner_text()
    return int(re.sub(r"\D", "", text))


def test_run_pause_step_stop_reset(visit, toy_url):
    page = visit().open(toy_url)
    button(page, "Run").click()
    expect(button(page, "Pause")).to_be_visible()
    expect(page.get_by_text(re.compile(r"sweeps a second"))).to_be_visible()
    button(page, "Pause").click()
    expect(button(page, "Resume")).to_be_visible()
    expect(page.get_by_text("Paused", exact=True)).to_be_visible()
    button(page, "Step").click()
    expect(page.get_by_text("stepping by hand")).to_be_visible()
    before = sweep(page)
    button(page, "Step").click()
    until(lambda: sweep(page) > before)
    button(page, "Resume").click()
    expect(button(page, "Pause")).to_be_visible()
    button(page, "Stop").click()
    expect(button(page, "Run")).to_be_visible()
    expect(page.get_by_text("sweeps kept")).to_be_visible()
    button(page, "Reset").click()
    expect(page.get_by_text("press Run to begin")).to_be_visible()


def test_every_control_has_its_role_and_name(visit, toy_url):
    page = visit().open(toy_url)
    tools = ("Copy link", "Dark mode", "Keyboard and help", "Draw another seed")
    for name in ("Run", "Step", "Stop", "Reset", *tools):
        expect(button(page, name)).to_be_visible()
    expect(page.get_by_role("combobox", name="Example")).to_have_value("first")
    expect(page.get_by_role("navigation", name="Labs")).to_be_visible()
    learner = page.get_by_role("group", name="Learner")
    expect(learner.get_by_role("checkbox", name="Gibbs", exact=True)).to_be_checked()
    for name in ("Sweeps", "Seed", "Chains", "Noise σ", "Bound K"):
        expect(page.get_by_role("textbox", name=name, exact=True)).to_be_editable()
    expect(page.get_by_role("progressbar", name="Progress")).to_be_attached()


def test_keys_run_pause_step_and_ask_before_stopping(visit, toy_url):
    page = visit().open(toy_url)
    page.keyboard.press("Space")
    expect(button(page, "Pause")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("alertdialog", name="Stop the run?")).to_be_visible()
    button(page, "Stop it").click()
    expect(button(page, "Run")).to_be_visible()
    page.get_by_role("textbox", name="Seed").focus()
    page.keyboard.press("Space")
    expect(button(page, "Run")).to_be_visible()
    page.get_by_role("textbox", name="Seed").evaluate("node => node.blur()")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard and help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard and help")).to_be_hidden()
    page.keyboard.press("p")  # presenter mode: the run panel makes room, keys work on
    expect(button(page, "Leave")).to_be_focused()
    expect(button(page, "Step").last).to_be_visible()
    expect(page.get_by_role("textbox", name="Seed")).to_be_hidden()
    button(page, "Leave").click()
    expect(button(page, "Presenter mode")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Example")).to_be_focused()


def test_a_setting_is_checked_and_goes_into_the_link(visit, toy_url):
    page = visit().open(toy_url)
    sweeps = page.get_by_role("textbox", name="Sweeps", exact=True)
    sweeps.fill("12x")
    sweeps.press("Enter")
    expect(page.get_by_text("Write a whole number, like 20,000.")).to_be_visible()
    expect(sweeps).to_have_attribute("aria-invalid", "true")
    sweeps.fill("500")
    sweeps.press("Enter")
    expect(page).to_have_url(re.compile("sweeps=500"))
    page.get_by_role("combobox", name="Example").select_option("second")
    expect(page).to_have_url(re.compile("example=second"))
    page.get_by_role("textbox", name="Seed").fill("77")
    page.get_by_role("textbox", name="Seed").press("Enter")
    expect(page).to_have_url(re.compile("seed=77"))
    button(page, "Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert link == re.sub("document=[^&]+&", "", page.url), "a link is a copy, not the document"
    other = visit().open(link)
    expect(other.get_by_role("textbox", name="Sweeps", exact=True)).to_have_value("500")
    expect(other.get_by_role("textbox", name="Seed")).to_have_value("77")
    expect(other.get_by_role("combobox", name="Example")).to_have_value("second")


def test_two_pages_do_not_see_each_other(visit, toy_url):
    first, second = visit().open(toy_url), visit().open(toy_url)
    button(first, "Run").click()
    expect(button(first, "Pause")).to_be_visible()
    expect(button(second, "Run")).to_be_visible()
    expect(second.get_by_text("press Run to begin")).to_be_visible()
    button(first, "Stop").click()


def test_dark_is_remembered_and_everything_stays_readable(visit, toy_url):
    visitor = visit()
    page = visitor.open(toy_url)
    button(page, "Run").click()
    expect(page.get_by_text(re.compile(r"sweeps a second"))).to_be_visible()
    assert_fine(page)
    button(page, "Dark mode").click()
    page.wait_for_function(f"({SURFACE})() === '#1B1E25'")
    button(page, "Stop").click()
    assert_fine(page)
    page.reload()
    visitor.ready()
    assert page.evaluate(SURFACE) == "#1B1E25"
    expect(button(page, "Dark mode")).to_have_attribute("aria-pressed", "true")


def test_a_page_is_as_dark_as_the_system_until_one_has_chosen(visit, toy_url):
    visitor = visit(color_scheme="dark")
    page = visitor.open(toy_url)
    page.wait_for_function(f"({SURFACE})() === '#1B1E25'")
    button(page, "Dark mode").click()
    page.wait_for_function(f"({SURFACE})() !== '#1B1E25'")
    page.reload()
    visitor.ready()
    expect(button(page, "Dark mode")).to_have_attribute("aria-pressed", "false")


def test_below_1100_the_run_panel_is_a_drawer_with_run_in_the_bar(visit, toy_url):
    page = visit((1000, 800)).open(toy_url)
    expect(button(page, "Run")).to_be_visible()
    assert button(page, "Run").bounding_box()["y"] < 52
    for width in (1000, 700, 600):
        page.set_viewport_size({"width": width, "height": 800})
        logo = page.get_by_role("link", name="otlab home").bounding_box()
        assert logo["x"] + logo["width"] < button(page, "Run").bounding_box()["x"]
    expect(page.get_by_role("textbox", name="Sweeps", exact=True)).not_to_be_visible()
    button(page, "Open run panel").click()
    expect(page.get_by_role("textbox", name="Sweeps", exact=True)).to_be_visible()
    button(page, "Close run panel").click()
    expect(page.get_by_role("textbox", name="Sweeps", exact=True)).not_to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.get_by_role("textbox", name="Sweeps", exact=True)).to_be_visible()
    assert button(page, "Run").bounding_box()["y"] > 52


def test_a_failure_is_shown(visit, toy_url):
    page = visit().open(toy_url + "?fail=1")
    button(page, "Run").click()
    expect(page.get_by_role("alert").filter(has_text="stopped because of an error")).to_be_visible()
    expect(button(page, "Run")).to_be_enabled()


def test_updates_keep_coming_while_the_page_is_visible(visit, toy_url):
    """How many a second is the benchmark ``lab``; here only that the page never stands still."""

    def windows():
        return (page.evaluate(COUNT_CHANGES) for _ in range(6))

    page = visit().open(toy_url + "?sweeps=1000000")
    button(page, "Run").click()
    expect(page.get_by_text(re.compile(r"sweeps a second"))).to_be_visible()
    assert any(changes >= 3 for changes in windows()), "not once in 18 s, on however busy a machine"
    page.evaluate(HIDE, True)
    assert any(changes <= 1 for changes in windows()), "out of sight it is drawn every five seconds"
    page.evaluate(HIDE, False)
    assert any(changes >= 3 for changes in windows()), "seen again, it is drawn as before"
    button(page, "Stop").click()


def can_be_reached(port):
    """Return whether a server listens on this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_job_of_a_closed_page_ends(visit):
    labs = []

    def app():
        labs.append(ToyLab(pause=0.002))
        return labs[-1].page()

    port = free_port()
    server = pn.serve(
        {"/toy_app": app},
        port=port,
        address="127.0.0.1",
        show=False,
        threaded=True,
        verbose=False,
        check_unused_sessions_milliseconds=500,
        unused_session_lifetime_milliseconds=500,
    )
    try:
        until(lambda: can_be_reached(port))
        visitor = visit()
        page = visitor.open(f"http://127.0.0.1:{port}/toy_app")
        button(page, "Run").click()
        expect(button(page, "Pause")).to_be_visible()
        job = labs[-1].runner.runner.jobs["gibbs"]
        assert job.alive
        visitor.page.close()
        assert job.join(house.PATIENCE / 1000), "the run continued without a page"
    finally:
        server.stop()


def test_why_a_file_is_refused_is_in_sight_in_a_low_window(visit, labs_url):
    page = visit(size=(1280, 800)).open(labs_url)
    photo = {"name": "photo.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n"}
    page.locator("input[type=file]").set_input_files([photo])
    wrong = page.get_by_text("photo.png is a picture")
    expect(wrong).to_be_in_viewport(ratio=1)


def test_a_file_dropped_on_the_home_page_opens_its_lab(visit, labs_url, tmp_path):
    table = tmp_path / "my tableau.csv"
    table.write_text("input,candidate,frequency,Max,Dep\nap,ap,3,0,0\nap,a,1,1,0\n", encoding="utf-8")
    page = visit().open(labs_url)
    page.locator("input[type=file]").set_input_files(table)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    assert "/ot_lab" in page.url


def test_until_a_page_is_drawn_it_says_that_it_opens(visit, toy_url, labs_url):
    for url, words in ((toy_url, "Opening the lab…"), (labs_url, "Opening otlab…")):
        with urlopen(url) as answer:
            sent = answer.read().decode()
        body = sent[sent.index("<body>") :]
        assert words in body[: body.index("<script")], "it would wait for the scripts"
        assert "#F5F4F0" in sent
    visitor = visit()
    visitor.context.add_cookies([{"name": "otlab_dark", "value": "1", "url": toy_url}])
    page = visitor.page
    page.goto(toy_url, wait_until="commit")
    expect(page.get_by_text("Opening the lab…")).to_be_visible()
    assert page.locator("#opening").evaluate("node => getComputedStyle(node).backgroundColor") == GROUND_DARK
    visitor.ready()
    expect(page.locator("#opening")).to_have_count(0)


@pytest.mark.walk
def test_home_is_readable_and_leads_to_the_labs(visit, labs_url):
    page = visit().open(labs_url)
    assert_fine(page)
    box = page.get_by_role("region", name="Your data").bounding_box()
    assert box["y"] + box["height"] <= page.viewport_size["height"]  # labs, lessons and data at one look
    page.get_by_role("link", name=re.compile("^OT .*Open")).click()
    expect(page.get_by_role("navigation", name="Labs").get_by_role("link", name="OT")).to_have_attribute(
        "aria-current", "page"
    )
