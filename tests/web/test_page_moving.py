"""Constraints, candidates and inputs moved in the page's grid, by touch and by keyboard."""

import numpy as np
import pytest

from otlab.ot import read
from otlab.ui.ot.state import OTState
from otlab.web.page import lab_page, tableau_data
from tests.ui.browser import Visit, launched, missing
from tests.web.test_page import generated_tableau

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


def opened(visit, folder, tableau):
    path = folder / "otlab.html"
    path.write_text(lab_page(tableau), encoding="utf-8")
    visit.page.goto(path.as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return visit.page


def names(page):
    """Return the names in the grid, by what they name."""
    fields = "[...document.querySelectorAll('.grid input.name')]"
    shown = page.evaluate(f"{fields}.map(node => [node.getAttribute('aria-label'), node.value])")
    kinds = ("Constraint", "Input", "Candidate")
    return [[value for label, value in shown if label.startswith(kind)] for kind in kinds]


def test_moved_tableaux_are_those_of_the_lab(browser, tmp_path):
    visit = Visit(browser)
    page = opened(visit, tmp_path, read("ilokano"))
    rng = np.random.default_rng(5)
    for _ in range(100):
        tableau = generated_tableau(rng)
        constraint, k = rng.integers(tableau.n_constraints), rng.integers(len(tableau.inputs))
        row = int(rng.integers(tableau.n_rows))
        state = OTState(tableau)
        to = int(rng.integers(tableau.n_constraints)), int(rng.integers(len(tableau.inputs)))
        state.document.move_constraint(int(constraint), to[0] - int(constraint))
        first = tableau.offsets[tableau.input_of_row[row]]
        state.document.move_candidate(row, int(first) - row)
        state.document.move_input(int(tableau.offsets[k]), to[1] - int(k))
        script = """([tableau, constraint, column, row, first, k, place]) => {
          const across = withConstraintMoved(tableau, constraint, column)
          return withInputMoved(withCandidateMoved(across, row, first), k, place)
        }"""
        asked = [int(constraint), to[0], row, int(first), int(k), to[1]]
        found = page.evaluate(script, [tableau_data(tableau), *asked])
        assert found == tableau_data(state.tableau)
    visit.close()


def test_they_are_moved_by_touch(browser, tmp_path):
    visit = Visit(browser, (390, 844), has_touch=True)
    tableau = read("spanish")
    page = opened(visit, tmp_path, tableau)
    before = names(page)
    second, third = tableau.constraints[1], tableau.inputs[2]
    slider = page.get_by_role("slider", name=f"Ranking value of {before[0][0]}", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Shown: values set by hand").wait_for()
    value = slider.get_attribute("aria-valuenow")
    assert float(value) > 0
    page.get_by_role("button", name=f"Move the constraint {second} to the left", exact=True).tap()
    assert names(page)[0] == [second, before[0][0], *before[0][2:]]
    assert slider.get_attribute("aria-valuenow") == value  # it went with its constraint
    page.get_by_role("button", name=f"Move the input {third} up", exact=True).tap()
    assert names(page)[1] == [before[1][0], third, before[1][1], *before[1][3:]]
    candidate = tableau.candidates[1]
    page.get_by_role("button", name=f"Move {candidate} up", exact=True).tap()
    assert names(page)[2][:2] == [candidate, before[2][0]]
    for _ in range(3):
        page.get_by_role("button", name="Undo", exact=True).tap()
    assert names(page) == before
    visit.close()


def test_they_are_moved_by_keyboard(browser, tmp_path):
    """The keyboard stays with what is moved."""
    visit = Visit(browser)
    tableau = read("spanish")
    page = opened(visit, tmp_path, tableau)
    last = tableau.constraints[-1]
    page.get_by_role("button", name=f"Move the constraint {last} to the left", exact=True).focus()
    for _ in range(tableau.n_constraints - 1):
        page.keyboard.press("Enter")
    assert names(page)[0] == [last, *tableau.constraints[:-1]]
    assert page.evaluate("document.activeElement.value") == last
    visit.close()
