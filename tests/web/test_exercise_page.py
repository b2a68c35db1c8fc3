"""An exercise in the page: guess, locks, what is hidden, the answer to hand in, and a course around it."""

import functools
import http.server
import io
import threading
import zipfile

import pytest
from playwright.sync_api import expect

from otlab.ui.classroom.board import Board
from otlab.ui.classroom.exercise import Exercise
from otlab.ui.classroom.handed_in import take_answers
from otlab.ui.classroom.one_page import exercise_file
from otlab.ui.ot.lab import OTLab
from otlab.web.scorm import PAGE
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

HOSTILE = '</script><img src=x onerror="window.hit=1">'
# The run-time of a course that keeps what it is told, as SCORM 1.2 and 2004 name its functions.
COURSE = """<!DOCTYPE html><title>A course</title><link rel="icon" href="data:,"><script>
const kept = JSON.parse(sessionStorage.getItem("kept") ?? '{}')
const set = (name, value) => {
  kept[name] = value
  sessionStorage.setItem("kept", JSON.stringify(kept))
  return "true"
}
const get = name => kept[name] ?? "", yes = () => "true"
window[location.hash.slice(1)] = location.hash === "#API"
  ? { LMSInitialize: yes, LMSGetValue: get, LMSSetValue: set, LMSCommit: yes, LMSFinish: yes }
  : { Initialize: yes, GetValue: get, SetValue: set, Commit: yes, Terminate: yes }
</script><iframe src="index.html" style="width:1200px;height:900px"></iframe>"""


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(browser):
    visit = Visit(browser, (390, 844))
    yield visit
    visit.close()


def made(form="page", **asked):
    exercise = Exercise("ot_lab", "Reduplication", f"Which one? {HOSTILE}", {}, **asked)
    return exercise, exercise_file(OTLab("ilokano"), "e1", exercise, form)[1]


def opened(visit, folder, **asked):
    exercise, page = made(**asked)
    path = folder / "exercise.html"
    path.write_bytes(page)
    visit.page.goto(path.as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return exercise, visit.page


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def answer(page, text):
    page.locator("#exercise-answer").fill(text)
    button(page, "Keep").first.click()


def handed_in(page):
    with page.expect_download() as saving:
        button(page, "Save my answer as a file").click()
    return saving.value.suggested_filename, saving.value.path().read_text(encoding="utf-8")


def test_a_guess_then_a_run_then_an_answer_that_the_board_reads(visit, tmp_path):
    exercise, page = opened(
        visit, tmp_path, predict=True, hidden=("Learn: Posterior",), locked=("data", "settings")
    )
    assert button(page, "Run").is_disabled()
    assert page.locator("table.grid button").count() == 0
    assert page.locator("table.grid input").first.get_attribute("readonly") is not None
    assert page.get_by_label("Sweeps").is_disabled()
    button(page, "This is my guess").click()
    button(page, "Run").click()
    page.get_by_text("Gibbs: finished").wait_for()
    page.get_by_text("result 33").first.wait_for()
    assert page.get_by_role("region", name="Gibbs", exact=True).is_hidden()
    assert page.get_by_text("Save as LaTeX", exact=True).is_hidden()  # it has the order of the strata
    assert page.get_by_label("Ranked a priori").is_disabled()
    assert button(page, "Save my answer as a file").is_disabled()
    page.locator("#exercise-name").fill("Ada/../=1+1")
    page.locator("#exercise-name").press("Tab")
    answer(page, HOSTILE)
    name, text = handed_in(page)
    assert name == "answer_Ada_1_1.json"
    board = Board("e1")
    assert take_answers(board, exercise, [(name, text)]) == "1 answer added"
    (entry,) = board.entries.values()
    assert (entry.name, entry.answer, entry.doing) == ("Ada/../=1+1", HOSTILE, "Gibbs")
    assert entry.guess_text == "Your guess is as good as right."
    assert set(entry.report.values) == set(OTLab("ilokano").state.tableau.constraints)
    button(page, "End the exercise and show everything").click()
    page.get_by_role("region", name="Gibbs", exact=True).wait_for()
    assert button(page, "Save as LaTeX").is_visible()
    assert page.evaluate("window.hit") is None
    assert_accessible(page)


def test_what_was_answered_is_there_again_and_start_anew_forgets_it(visit, tmp_path):
    _, page = opened(visit, tmp_path, choices=("AL", "both"), predict=True, guess="ranking")
    button(page, "This is my guess").click()
    page.get_by_role("radio", name="both").check()
    page.wait_for_timeout(400)
    page.reload()
    page.locator("html[data-ready]").wait_for()
    assert page.get_by_role("radio", name="both").is_checked()
    assert not button(page, "Run").is_disabled()
    button(page, "Start anew").click()
    assert not page.get_by_role("radio", name="both").is_checked()
    assert button(page, "Run").is_disabled()


def test_locked_data_take_no_link_and_no_paste(visit, tmp_path):
    _, page = opened(visit, tmp_path, locked=("data",))
    before = page.locator("table.grid input").evaluate_all("all => all.map(each => each.value)")
    page.evaluate("""() => {
      const held = new DataTransfer()
      held.setData("text/plain", "Input\\tOutput\\tN\\tC\\na\\tb\\t1\\t0\\na\\tc\\t0\\t1")
      const paste = new ClipboardEvent("paste", { clipboardData: held, bubbles: true, cancelable: true })
      document.dispatchEvent(paste)
    }""")
    page.get_by_text("The data are locked by the exercise.").wait_for()
    assert page.locator("table.grid input").evaluate_all("all => all.map(each => each.value)") == before


@pytest.fixture
def course(tmp_path):
    """A function that serves a package with a course around it from the loopback address."""
    servers = []

    def served(version):
        _, package = made(f"scorm-{version}", predict=True)
        zipfile.ZipFile(io.BytesIO(package)).extractall(tmp_path)
        (tmp_path / "course.html").write_text(COURSE, encoding="utf-8")
        assert (tmp_path / PAGE).exists()
        handler = functools.partial(_Quiet, directory=str(tmp_path))
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/course.html"

    yield served
    for server in servers:
        server.shutdown()
        server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.parametrize(
    ("version", "api", "status", "named", "most"),
    [
        ("1.2", "API", "cmi.core.lesson_status", "cmi.core.student_name", 4096),
        ("2004", "API_1484_11", "cmi.completion_status", "cmi.learner_name", 64000),
    ],
)
def test_a_course_keeps_the_answer_and_is_told_of_it(visit, course, version, api, status, named, most):
    page = visit.page
    address = f"{course(version)}#{api}"
    page.goto(address)
    page.evaluate("name => set(name, 'Lovelace, Ada')", named)
    page.reload()
    inside = page.frame_locator("iframe")
    inside.locator("html[data-ready]").wait_for()
    expect(inside.locator("#exercise-name")).to_have_value("Lovelace, Ada")
    assert page.evaluate("name => kept[name]", status) == "incomplete"
    inside.get_by_role("button", name="This is my guess").click()
    words = " ".join(f"{k * 7919 % 10007:x}" for k in range(400))[:2000]  # as long as an answer may be
    inside.locator("#exercise-answer").fill(words)
    inside.get_by_role("button", name="Keep").first.click()
    inside.get_by_text("Kept in your course").wait_for()
    page.wait_for_function("name => kept[name] === 'completed'", arg=status)
    kept = page.evaluate("kept")
    assert 0 < len(kept["cmi.suspend_data"]) <= most
    response = "student_response" if version == "1.2" else "learner_response"
    assert words.startswith(kept[f"cmi.interactions.0.{response}"])
    page.reload()  # another session of the same student
    inside.locator("html[data-ready]").wait_for()
    expect(inside.locator("#exercise-answer")).to_have_value(words)
    assert not inside.get_by_role("button", name="Run", exact=True).is_disabled()
    stored = page.evaluate("() => Object.keys(document.querySelector('iframe').contentWindow.localStorage)")
    assert not [key for key in stored if key.startswith("otlab page")], "another student may sit here next"
