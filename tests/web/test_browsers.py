"""Chromium, Firefox and WebKit: the page learns what Python learns, at 20 seeds; a visitor works in it."""

import base64
import itertools
import json
import re
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import fit_gibbs, fit_gla, read, to_csv
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.priors import equal_prior
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.store import Saved, Summary
from otlab.ui.ot.state import OTState
from otlab.web.page import lab_page, tableau_data
from otlab.web.words import words_of
from tests.ui import browser as chromium
from tests.web import firefox, webkit
from tests.web.test_page import RUN, generated_tableau, job, sample_tableaux

pytestmark = pytest.mark.browser

SEEDS, SWEEPS, TRIALS = 20, 100, 2000
OWN_SEED = itertools.count(7)


class InChromium:
    """What :class:`tests.web.firefox.Page` does, in Chromium."""

    def __init__(self, page):
        self._page = page

    def open(self, address):
        self._page.goto(address)

    def evaluate(self, expression):
        return self._page.evaluate(f"() => ({expression})")

    def wait(self, expression):
        return self._page.wait_for_function(f"() => ({expression})").json_value()


@contextmanager
def in_chromium():
    """Start Chromium; give its page."""
    with chromium.launched() as browser:
        visit = chromium.Visit(browser)
        yield InChromium(visit.page)
        visit.close()


BROWSERS = {
    "chromium": (chromium.missing, in_chromium),
    "firefox": (firefox.missing, firefox.firefox),
    "webkit": (webkit.missing, webkit.webkit),
}


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request):
    missing, started = BROWSERS[request.param]
    if reason := missing():
        pytest.skip(reason)
    with started() as page:
        yield page


@pytest.fixture
def page(browser, tmp_path):
    path = tmp_path / "otlab.html"
    data = lab_page(read("ilokano"), next(OWN_SEED))  # another page for each test: they share no memory
    path.write_text(data, encoding="utf-8")
    browser.open(path.as_uri())
    browser.wait("document.documentElement.dataset.ready")
    yield browser
    asked = browser.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [name for name in asked if not name.startswith(("blob:", "data:", "file:"))] == []


def run(page, *asked, **settings):
    return page.evaluate(f"({RUN})({json.dumps(job(*asked, **settings))})")


@cache
def learnt(learner):
    """Return what a learner found from each sample at each seed; without samples that it refuses."""
    found = []
    for tableau in sample_tableaux():
        for seed in range(SEEDS):
            try:
                fit = learner(tableau, seed)
            except InputError:
                break
            found.append((tableau, seed, fit))
    assert len(found) >= 10 * SEEDS
    return found


def gibbs(tableau, seed):
    return fit_gibbs(tableau, sweeps=SWEEPS, chains=2, seed=seed)


def gla(tableau, seed):
    return fit_gla(tableau, trials=TRIALS, runs=2, seed=seed)


def test_gibbs_draws_what_python_draws(page):
    for tableau, seed, fit in learnt(gibbs):
        data = tableau_data(tableau)
        settings = {"sweeps": SWEEPS, "noise": data["noise"], "bound": data["bound"]}
        found = run(page, "gibbs", tableau, seed, 2, **settings)["draws"]
        assert found == [view.draws.ravel().tolist() for view in fit.views], (tableau.name, seed)


def test_the_gla_makes_the_errors_that_python_makes(page):
    rules = page.evaluate("DATA.rules")
    schedule = page.evaluate("DATA.schedules.otsoft")
    for tableau, seed, fit in learnt(gla):
        own = {"trials": TRIALS, "noise": tableau_data(tableau)["noise"], "initial": 100, **schedule}
        own["rule"] = rules.index(fit.settings["rule"])
        found = run(page, "gla", tableau, seed, 2, **own)["chains"]
        assert [chain["values"] for chain in found] == [view.values.tolist() for view in fit.views]
        assert [chain["errors"] for chain in found] == [view.errors for view in fit.views]


def test_maxent_is_at_the_maximum_that_python_finds(page):
    compared = 0
    for tableau in sample_tableaux():
        try:
            learner = MaxEnt(tableau, None, equal_prior(tableau, 10.0), "nonnegative")
        except InputError:
            continue
        (found,) = run(page, "maxent", tableau, 0, 1, sd=10.0, free=False)["chains"]
        best = learner.init(np.random.default_rng(1)).path[-1]
        assert learner.objective(np.array(found["weights"])) >= learner.objective(best) - 1e-10, tableau.name
        assert found["slope"] < 1e-10
        compared += 1
    assert compared >= 10


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_without_a_prior_it_says_whether_there_is_a_maximum(page, weights):
    rng = np.random.default_rng(12)
    tableaux = [*sample_tableaux(), *(generated_tableau(rng) for _ in range(500))]
    learners = [MaxEnt(tableau, None, None, weights) for tableau in tableaux if counted(tableau)]
    given = json.dumps([tableau_data(learner.tableau) for learner in learners])
    found = page.evaluate(
        f"{given}.map(tableau => hasFiniteOptimum(tableau, {json.dumps(weights == 'free')}))"
    )
    for learner, there in zip(learners, found, strict=True):
        assert there == learner.finite_optimum, learner.tableau
    assert 20 < sum(found) < len(found) - 20


def test_without_a_prior_predictions_are_those_of_python(page):
    unbounded = 0
    for tableau in filter(counted, sample_tableaux()):
        learner = MaxEnt(tableau, None, None, "nonnegative")
        (found,) = run(page, "maxent", tableau, 0, 1, sd=None, free=False)["chains"]
        best = learner.probabilities(learner.init(np.random.default_rng(1)).path[-1])
        assert found["finite"] == learner.finite_optimum
        wide = 1e-9 if learner.finite_optimum else 1e-6
        assert found["probability"] == pytest.approx(best, abs=wide), tableau.name
        unbounded += not learner.finite_optimum
    assert unbounded >= 5


def counted(tableau):
    """Whether a learner of counts takes the tableau."""
    return bool(tableau.total) or not (tableau.frequencies % 1).any()


# Functions of a visitor: a field by its label, a text typed into it, a button pressed, what a card shows.
VISITOR = """(() => {
  window.field = label => document.querySelector(`[aria-label="${label}"]`)
  const buttons = () => [...document.querySelectorAll("button")]
  window.press = text => buttons().find(node => node.textContent === text).click()
  window.type = (label, text) => {
    const node = field(label)
    node.focus()
    node.value = text
    for (const kind of ["input", "change"]) node.dispatchEvent(new Event(kind, { bubbles: true }))
  }
  window.shown = label => document.querySelector(`section[aria-label="${label}"]`)?.innerText ?? ""
  // What the page saves next, as text in base 64.
  window.saved = text => new Promise(done => {
    const before = URL.createObjectURL
    URL.createObjectURL = blob => {
      if (blob.type === "text/javascript") return before(blob)   // a worker's
      URL.createObjectURL = before
      const reader = new FileReader()
      reader.onload = () => done(reader.result.split(",")[1])
      reader.readAsDataURL(blob)
      return "data:,"
    }
    press(text)
  })
  // A file picked by the visitor.
  window.pick = (name, bytes) => {
    const given = new DataTransfer()
    given.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], name))
    field("File").files = given.files
    field("File").dispatchEvent(new Event("change"))
  }
})()"""


def test_a_visitor_runs_and_stops(page):
    page.evaluate(VISITOR)
    page.evaluate("type('Sweeps', '1000000')")
    page.evaluate("press('Run')")
    page.wait("document.querySelector('[aria-label=Gibbs] svg rect') !== null")
    page.evaluate("press('Stop')")
    page.wait("document.querySelector('progress + .remark')?.textContent.includes('stopped at')")
    page.wait("document.querySelector('[aria-label=Gibbs] .badge') !== null")
    page.evaluate("press('Link')")
    page.wait("document.querySelector('.link code') !== null")


STATUS = "document.querySelector('progress + .remark').textContent"


# Two workers for a run, of which the one with the chain SILENT never begins.
SILENT_WORKER = """(() => {
  const Whole = window.Whole ??= Worker
  Object.defineProperty(navigator, "hardwareConcurrency", { get: () => 2, configurable: true })
  window.Worker = class extends Whole {
    postMessage(message) {
      this.silent ||= Boolean(message.job?.chains?.includes?.(SILENT))
      if (!this.silent) super.postMessage(message)
    }
  }
})()"""


@pytest.mark.parametrize("learner", ["gibbs", "gla", "maxent"])
def test_stop_before_anything_is_drawn_says_so(page, learner):
    page.evaluate(VISITOR)
    page.evaluate(f"type('Learner', '{learner}')")
    page.evaluate(SILENT_WORKER.replace("SILENT", "0"))
    for name in ("Chains", "Runs"):
        page.evaluate(f"type('{name}', '1')")
    page.evaluate("(press('Run'), press('Stop'))")
    page.wait(f"{STATUS}.includes('stopped before there was anything to show')")
    page.wait("!field('Language of the page').disabled")
    label = {"gibbs": "Gibbs", "gla": "GLA", "maxent": "MaxEnt"}[learner]
    assert page.evaluate(f"document.querySelector('section[aria-label={label}]').hidden")
    page.evaluate("(window.Worker = Whole, 0)")
    for name in ("Sweeps", "Trials"):
        page.evaluate(f"type('{name}', '2000')")
    page.evaluate("press('Run')")
    page.wait(f"{STATUS}.includes('finished after')")
    page.wait(f"!document.querySelector('section[aria-label={label}]').hidden")


@pytest.mark.parametrize(("learner", "label"), [("gibbs", "Gibbs"), ("gla", "GLA")])
def test_stop_keeps_what_the_first_chains_have_drawn(page, learner, label):
    """One worker never begins; the chains of the other stay, with an estimate and predictions."""
    page.evaluate(VISITOR)
    page.evaluate(SILENT_WORKER.replace("SILENT", "1"))
    page.evaluate(f"type('Learner', '{learner}')")
    for name, text in [("Sweeps", "1000000"), ("Trials", "100000000")]:
        page.evaluate(f"type('{name}', '{text}')")
    page.evaluate("press('Run')")
    page.wait("document.querySelector('progress').value > 0")
    page.evaluate("press('Stop')")
    page.wait(f"{STATUS}.includes('stopped at')")
    page.wait("!field('Language of the page').disabled")
    assert page.evaluate(f"shown('{label}').includes('stopped early')")
    assert "bub.wa.ja" in page.evaluate("shown('Observed and predicted')")
    whole = base64.b64decode(page.evaluate("saved('Save as page')")).decode()
    kept = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', whole, re.DOTALL)[1])["results"]
    assert [result["learner"] for result in kept] == [learner]
    assert all(np.isfinite(column["mean"]) for column in kept[0]["columns"])
    if learner == "gla":
        assert len(kept[0]["runs"]) == 5  # those of the one worker, of ten


def test_a_visitor_edits_and_learns_in_three_ways(page):
    page.evaluate(VISITOR)
    first = page.evaluate("field('Count of bub.wa.ja').value")
    page.evaluate("type('Count of bub.wa.ja', '3')")
    page.evaluate("press('Undo')")
    assert page.evaluate("field('Count of bub.wa.ja').value") == first
    page.evaluate("press('Redo')")
    assert page.evaluate("field('Count of bub.wa.ja').value") == "3"
    page.evaluate("type('Sweeps', '2000')")
    page.evaluate("type('Trials', '2000')")
    for learner, label in [("gibbs", "Gibbs"), ("gla", "GLA"), ("maxent", "MaxEnt")]:
        page.evaluate(f"type('Learner', {learner!r})")
        page.evaluate("press('Run')")
        page.wait(f"{STATUS}.startsWith('{label}: finished')")
        page.wait("!field('Language of the page').disabled")
        assert "bub.wa.ja" in page.evaluate("shown('Observed and predicted')")
        assert page.evaluate(f"shown({label!r})").strip()
    page.wait("document.querySelector('section[aria-label=Typology]:not([hidden])') !== null")
    assert page.evaluate("document.querySelectorAll('.live-bars .ot-fill').length") == 3


def test_files_of_the_lab_are_opened_and_saved(page, tmp_path):
    state = OTState(read("spanish"))
    state.document.rename_constraint(1, "*ŋ</b>")
    values = {"lab": "ot_lab", **state.to_plain()()}
    document = base64.b64encode(write_archive(Saved(Summary("", "ot_lab", "Mine", "x"), values))).decode()
    page.evaluate(VISITOR)
    page.evaluate(f"pick('mine.otlab', {document!r})")
    page.wait("document.getElementById('title').textContent === 'Mine'")
    assert page.evaluate("field('Constraint 2').value") == "*ŋ</b>"
    page.evaluate("type('Count of " + read("spanish").candidates[0] + "', '8')")
    other = OTState(read("ilokano"))
    other.from_dict(read_archive(base64.b64decode(page.evaluate("saved('Save for the lab')"))).values)
    state.document.type(0, "count", "8")
    assert tableau_data(other.tableau) == tableau_data(state.tableau) | {"title": "Mine"}
    (tmp_path / "mine.csv").write_bytes(base64.b64decode(page.evaluate("saved('Save as CSV')")))
    assert tableau_data(read(tmp_path / "mine.csv")) == tableau_data(other.tableau)
    csv = base64.b64encode(to_csv(read("ilokano")).encode()).decode()
    page.evaluate(f"pick('ilokano.csv', {csv!r})")
    page.wait("field('Count of bub.wa.ja') !== null")
    page.wait("document.querySelectorAll('.live-bars .ot-fill').length === 3")
    picture = page.evaluate("saved('SVG')")
    assert base64.b64decode(picture).startswith(b"<svg")


@pytest.mark.parametrize("language", ["de", "fr", "es", "ja"])
def test_another_language_is_chosen_in_place(page, language):
    """Numbers typed with a comma are read; those that are shown are written as the language writes them."""
    words, mark = words_of()[language], "." if language == "ja" else ","
    page.evaluate(VISITOR)
    page.evaluate("type('Count of bub.wa.ja', '2.5')")
    page.evaluate(f"type('Language of the page', '{language}')")
    page.wait(f"document.documentElement.lang === '{language}'")
    count = words["Count of {candidate}"].replace("{candidate}", "bub.wa.ja")
    assert page.evaluate(f"field({count!r}).value") == f"2{mark}5"
    page.evaluate(f"type({count!r}, '3,5')")
    page.evaluate(f"type({words['Evaluation noise']!r}, '1,5')")
    page.evaluate(f"type({words['Sweeps']!r}, '2000')")
    page.evaluate(f"type({words['Learner']!r}, 'gla')")
    page.evaluate(f"type({words['Trials']!r}, '2000')")
    page.evaluate(f"press({words['Run']!r})")
    done = words["{learner}: finished after {seconds}"].split("{seconds}")[0].replace("{learner}", "GLA")
    page.wait(f"{STATUS}.startsWith({done!r})")
    page.wait(f"!field({words['Language of the page']!r}).disabled")
    share = f"63{mark}6"  # 3.5 of 5.5
    assert share in page.evaluate(f"shown({words['Observed and predicted']!r})")
    kept = "JSON.parse(localStorage.getItem(memory.key))"
    page.wait(f"{kept}?.texts.noise === '1.5' && {kept}.tableau.frequencies.includes(3.5)")
    page.evaluate(f"type({words['Language of the page']!r}, 'en')")
    page.wait("document.documentElement.lang === 'en'")
    assert page.evaluate("field('Count of bub.wa.ja').value") == "3.5"
    assert page.evaluate("field('Evaluation noise').value") == "1.5"
