"""What the page saves: tableaux in LaTeX as otlab writes them, and its cards as pictures."""

import re

import numpy as np
import pytest

from otlab import __version__
from otlab.ot import fit_gibbs, fit_gla, fit_maxent, read
from otlab.viz.ot.exports import write_tableau
from otlab.web.page import lab_page, tableau_data
from tests.ui.browser import Visit, launched, missing
from tests.web import firefox
from tests.web.test_page import generated_tableau, sample_tableaux

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

LATEX = f"all => all.map(tableau => latexOf(tableau, {__version__!r}))"
CARDS = [
    "Gibbs",
    "GLA",
    "MaxEnt",
    "Observed and predicted",
    "Ranking values and exact probabilities",
    "Typology",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    tableau = read("ilokano")
    fits = [
        fit_gibbs(tableau, sweeps=500, chains=2, seed=1),
        fit_gla(tableau, trials=500, runs=2, seed=1),
        fit_maxent(tableau),
    ]
    with launched() as browser:
        visit = Visit(browser, (1100, 844))
        path = tmp_path_factory.mktemp("page") / "otlab.html"
        path.write_text(lab_page(tableau, 1, fits), encoding="utf-8")
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        visit.page.get_by_role("region", name="Typology").wait_for()
        yield visit.page
        visit.close()


def test_latex_is_the_text_that_otlab_writes(page):
    rng = np.random.default_rng(8)
    tableaux = [*sample_tableaux(), *(generated_tableau(rng) for _ in range(300))]
    odd = read("ilokano").rename_constraint(0, "I_{B_R}").rename_candidate(0, "/50 % ∅ → {a\\b}~^|#$&<>/")
    tableaux += [odd, odd.rename_constraint(0, "_x"), odd.rename_constraint(0, "a_b c_d")]
    found = page.evaluate(LATEX, [tableau_data(tableau) for tableau in tableaux])
    for tableau, there in zip(tableaux, found, strict=True):
        here = write_tableau(tableau, "ot-tableau").decode()
        assert there == here, tableau.name
    assert sum("no ranking fits" in there for there in found) > 20
    assert sum("is taken as the winner" in there for there in found) > 20
    assert sum(":" in re.findall(r"begin{tableau}{(.*)}", there)[0] for there in found) > 20


def saved(page, label):
    with page.expect_download() as saving:
        page.get_by_role("button", name=label, exact=True).click()
    return saving.value.suggested_filename, saving.value.path().read_bytes()


def test_a_table_is_saved_for_a_paper(page):
    name, content = saved(page, "Save as LaTeX")
    assert name == "Ilokano_reduplication.tex"
    assert content == write_tableau(read("ilokano"), "ot-tableau")


@pytest.mark.parametrize("card", CARDS)
def test_each_card_is_saved_as_a_picture_and_its_numbers_are_copied(page, card):
    name, content = saved(page, f"Save as SVG: {card}")
    assert name == f"Ilokano_reduplication_{card.replace(' ', '_')}.svg"
    svg = content.decode()
    shown = page.evaluate(
        """svg => { const made = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement
        return [made.tagName, made.textContent, made.querySelectorAll("rect,path,circle").length] }""",
        svg,
    )
    assert shown[0] == "svg"
    assert card in shown[1]
    assert shown[2] > 1 or card == "Typology"  # the ground, and marks
    assert "PNG" not in shown[1]
    assert "var(" not in svg
    _, png = saved(page, f"Save as PNG: {card}")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width = int(re.search(r'width="(\d+)"', svg)[1])
    assert int.from_bytes(png[16:20], "big") == 2 * width
    page.get_by_role("button", name=f"Copy the numbers: {card}").click()
    page.get_by_text("Copied", exact=True).wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(copied) > 2
    assert len({line.count("\t") for line in copied}) == 1
    page.get_by_text("Copied", exact=True).wait_for(state="detached")


def test_firefox_draws_a_card_as_png(tmp_path):
    if reason := firefox.missing():
        pytest.skip(reason)
    tableau = read("ilokano")
    path = tmp_path / "otlab.html"
    path.write_text(lab_page(tableau, 1, [fit_maxent(tableau)]), encoding="utf-8")
    with firefox.firefox() as page:
        page.open(path.as_uri())
        page.wait("document.documentElement.dataset.ready")
        size = page.wait(
            """(async () => {
              const picture = cardPicture(document.querySelector("[aria-label=MaxEnt]"), new Map())
              const made = await createImageBitmap(await asPng(picture))
              return made.width === 2 * picture.width && made.width
            })()"""
        )
        assert size > 400
