"""Chromium and Firefox: the page opens, learns and stops, and draws what Python draws at twenty seeds."""

import json
from functools import cache

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.ot import fit_gibbs, fit_gla, read
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.priors import equal_prior
from otlab.web.page import lab_page, tableau_data
from tests.ui import browser as chromium
from tests.web import firefox
from tests.web.test_page import RUN, generated_tableau, job, sample_tableaux

pytestmark = pytest.mark.browser

SEEDS, SWEEPS, TRIALS = 20, 100, 2000
CHROMIUM, FIREFOX = "chromium", "firefox"
WHY = {CHROMIUM: chromium.missing, FIREFOX: firefox.missing}


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


@pytest.fixture(scope="module", params=[CHROMIUM, FIREFOX])
def page(request, tmp_path_factory):
    if reason := WHY[request.param]():
        pytest.skip(reason)
    path = tmp_path_factory.mktemp("page") / "otlab.html"
    path.write_text(lab_page(read("ilokano"), 7), encoding="utf-8")
    if request.param == FIREFOX:
        with firefox.firefox() as page:
            yield opened(page, path)
        return
    with chromium.launched() as browser:
        visit = chromium.Visit(browser)
        yield opened(InChromium(visit.page), path)
        visit.close()


def opened(page, path):
    page.open(path.as_uri())
    page.wait("document.documentElement.dataset.ready")
    return page


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


def test_a_visitor_runs_and_stops(page):
    click = "[...document.querySelectorAll('button')].find(button => button.textContent === {!r}).click()"
    field = "document.querySelector('[aria-label=Sweeps]')"
    page.evaluate(f"{field}.value = '1000000'")
    page.evaluate(click.format("Run"))
    page.wait("document.querySelector('[aria-label=Gibbs] svg rect') !== null")
    page.evaluate(click.format("Stop"))
    page.wait("document.querySelector('progress + .remark')?.textContent.includes('stopped at')")
    page.wait("document.querySelector('[aria-label=Gibbs] .badge') !== null")
    page.evaluate(click.format("Link"))
    page.wait("document.querySelector('.link code') !== null")
    asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [name for name in asked if not name.startswith(("blob:", "data:", "file:"))] == []
