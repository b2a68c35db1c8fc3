"""The page of a result in a browser: its probabilities are Python's, and bars follow the hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from otlab.ot import fit_gibbs, predict, read
from otlab.samples import samples
from otlab.viz.base.js import script
from otlab.viz.ot.page import plan_data, result_page

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
    page.locator("#said", has_text="Candidate probabilities").wait_for(state="attached")
    exact = predict(tableau, values, fit.settings["noise"]).probability
    shown = [float(text) for text in re.findall(r"([\d.]+)\u2009%", page.locator(".ot-bars").inner_text())]
    np.testing.assert_allclose(shown, 100 * exact, atol=0.3)
    assert values[1] < fit.median[1] - 0.2

    page.emulate_media(color_scheme="dark")
    button = page.get_by_role("button", name="Light", exact=True)
    button.click()
    page.get_by_role("button", name="Dark", exact=True).wait_for()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(245, 244, 240)"
