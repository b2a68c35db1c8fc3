"""The page of a result in a browser: its probabilities are Python's, and bars follow the hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from otlab import discovery, load_sample, mg
from otlab.ot import fit_gibbs, predict, read
from otlab.samples import samples
from otlab.viz.base.js import script
from otlab.viz.discovery.page import fit_page
from otlab.viz.mg.page import result_page as grammar_page
from otlab.viz.ot.page import plan_data, result_page
from tests.ui.axe import assert_accessible

pytestmark = pytest.mark.browser

SPREADS = (0.0, 0.5, 3.0, 12.0, 60.0)


def cases():
    """Return a name, the plan, ranking values, noise and Python's answer of each case."""
    rng = np.random.default_rng(13)
    found = []
    for sample in samples("ot"):
        tableau = read(sample.name)
        plan = plan_data(tableau)
        for noise, spread in ((noise, spread) for noise in (1.0, 2.0) for spread in SPREADS):
            values = spread * rng.standard_normal(tableau.n_constraints)
            exact = predict(tableau, values, noise).probability
            found.append((sample.name, plan, values.tolist(), noise, exact))
    return found


def test_probabilities_of_every_sample_are_pythons_and_bars_follow_the_hand(visit, tmp_path):
    page = visit().page
    compute = f"plans => {{ {script('probability')}; return plans.map(p => candidateProbabilities(...p)) }}"
    checked = cases()
    answers = page.evaluate(compute, [[plan, values, noise] for _, plan, values, noise, _ in checked])
    for (name, _, values, noise, exact), answer in zip(checked, answers, strict=True):
        np.testing.assert_allclose(answer, exact, rtol=1e-9, atol=1e-12, err_msg=f"{name} {values} {noise}")

    tableau = read("ilokano")
    fit = fit_gibbs(tableau, sweeps=300, chains=2, seed=1)
    path = tmp_path / "ilokano.html"
    path.write_text(result_page([fit]), encoding="utf-8")
    page.goto(path.as_uri())
    al = page.get_by_role("slider", name="Ranking value of AL", exact=True)
    al.scroll_into_view_if_needed()
    box = al.locator(".knob").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 90, y, steps=9)
    values = fit.median.copy()
    values[1] = float(al.get_attribute("aria-valuenow"))  # with two decimals
    page.mouse.up()
    page.locator(".live-announced", has_text="Candidate probabilities").wait_for(state="attached")
    exact = predict(tableau, values, fit.settings["noise"]).probability
    shown = [float(text) for text in re.findall(r"([\d.]+)\u2009%", page.locator(".ot-bars").inner_text())]
    np.testing.assert_allclose(shown, 100 * exact, atol=0.3)
    assert values[1] < fit.median[1] - 0.2

    page.emulate_media(color_scheme="dark")
    button = page.get_by_role("button", name="Light", exact=True)
    button.click()
    page.get_by_role("button", name="Dark", exact=True).wait_for()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(245, 244, 240)"
    assert_accessible(page)


def test_derivations_are_played_and_utterances_cut(visit, tmp_path):
    page = visit().page
    lexicon = load_sample("attachment_wh")
    parsed = mg.parse(lexicon, "you see the park with the telescope")
    path = tmp_path / "page.html"
    path.write_text(grammar_page(lexicon, parsed.theta, [parsed]), encoding="utf-8")
    page.goto(path.as_uri())
    step = page.get_by_role("slider", name="Step")
    last = int(step.get_attribute("max")) + 1
    page.get_by_text(f"Step {last} of {last}.").wait_for()
    step.focus()
    page.keyboard.press("Home")
    page.get_by_text(f"Step 1 of {last}.").wait_for()
    assert step.get_attribute("aria-valuetext").startswith("Step 1")
    page.get_by_role("button", name=re.compile("Reading 2")).click()
    page.get_by_text(f"Step {last} of {last}.").wait_for()
    assert_accessible(page)

    fit = discovery.discover(load_sample("toy_phones"), seed=1, iterations=5).fitted
    path.write_text(fit_page(fit), encoding="utf-8")
    page.goto(path.as_uri())
    inside = np.ones(fit.learner.corpus.phones.size, dtype=bool)
    inside[fit.learner.corpus.offsets[1:] - 1] = False
    shown = inside[: fit.learner.corpus.offsets[300]]
    p = fit.view.ends[: shown.size][shown].round(3)
    page.get_by_text(f"{np.count_nonzero(p >= 0.5)} boundaries").wait_for()
    page.get_by_role("slider", name="Threshold").focus()
    page.keyboard.press("End")
    page.get_by_text(f"{np.count_nonzero(p >= 0.99)} boundaries").wait_for()
    assert_accessible(page)
