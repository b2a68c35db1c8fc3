"""Pictures of the OT lab."""

from __future__ import annotations

import re

import numpy as np

from otlab.ot import Tableau, to_csv
from tests.ui.screenshots import State

LAB = "/ot_lab?seed=2005&example="
ILOKANO = LAB + "ilokano_reduplication"


def run(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text(re.compile(r"^[\d,]+ draws")).first.wait_for()


def ended(page):
    """Wait until the run is over and judged."""
    page.get_by_text("done", exact=True).wait_for(timeout=90_000)
    trust = page.get_by_role("group", name="Can I trust it?")
    trust.get_by_text("Too early to say", exact=True).wait_for(state="detached")


def finish(page):
    run(page)
    ended(page)


def running(page):
    page.get_by_role("textbox", name="Sweeps").fill("10000000")
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    run(page)
    page.get_by_text("Converged", exact=True).first.wait_for()


def fail(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Leave this form out and run").wait_for()
    ended(page)


def refuse_a_cell(page):
    cell = page.locator(".tabulator-cell[tabulator-field='c_0']").first
    cell.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    page.get_by_text("2.5 is not a whole number").wait_for()


def turn_dark(page):
    finish(page)
    page.get_by_role("button", name="Dark mode").click()
    page.get_by_role("button", name="Dark mode", pressed=True).wait_for()


def without_end(page):
    page.get_by_text(re.compile(r"^\d+ more$")).click()
    for learner in ("Gibbs", "GLA", "MaxEnt", "Endless GLA"):
        page.get_by_role("checkbox", name=learner, exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("without end", exact=True).last.wait_for()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_text("Ranking values and weights").wait_for()


def compare(page):
    finish(page)
    page.get_by_role("tab", name="Compare").click()
    page.get_by_text("Variation between runs").wait_for()


def data(page):
    page.get_by_role("tab", name="Data").click()
    page.get_by_role("heading", name="Download").wait_for()


def rank(page):
    page.get_by_role("tab", name="Rank").click()
    page.get_by_role("list", name="Strata, the highest first").wait_for()


def contradiction(page):
    page.get_by_role("tab", name="Rank").click()
    page.get_by_text("No ranking does all of this").wait_for()


def typology(page):
    page.get_by_role("tab", name="Typology").click()
    page.get_by_text("9 from 120 rankings").wait_for()
    page.locator(".tabulator-row").nth(4).click()
    page.get_by_text("of language 5").wait_for()


def step(page):
    page.get_by_role("button", name="Step view").click()
    for _ in range(2):
        page.get_by_role("button", name="Next draw").click()
    page.get_by_role("img", name=re.compile("drawn")).wait_for()


def step_gla(page):
    page.get_by_role("button", name="Step view").click()
    page.get_by_role("radio", name="GLA").click()
    page.get_by_role("button", name="Next error").click()
    page.get_by_text("the learner heard").wait_for()


def speakers(page):
    page.get_by_text(re.compile(r"^\d+ more$")).click()
    for learner in ("Gibbs", "GLA", "MaxEnt", "MaxEnt by speaker"):
        page.get_by_role("checkbox", name=learner, exact=True).click()
    page.get_by_role("textbox", name="Sweeps").fill("300")
    page.get_by_role("textbox", name="Sweeps").press("Enter")
    page.get_by_role("button", name="Speakers").click()
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)
    page.get_by_role("img", name=re.compile("^30 speakers, ordered by")).wait_for()


def speakers_effects(page):
    speakers(page)
    page.get_by_role("radio", name="Effects").click()


def speakers_rates(page):
    speakers(page)
    page.get_by_role("radio", name="Items").click()
    page.get_by_role("radio", name="Rates").click()
    page.get_by_role("img", name=re.compile("^12 items, ordered by")).wait_for()


def with_table(tableau, then=finish):
    """Return steps that bring a table of one's own and do something with it."""

    def steps(page):
        page.get_by_role("tab", name="Data").click()
        file = {"name": "own.csv", "mimeType": "text/csv", "buffer": to_csv(tableau).encode()}
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_text("own.csv is loaded").wait_for()
        page.get_by_role("tab", name="Learn").click()
        then(page)

    return steps


def thirty():
    rng = np.random.default_rng(1)
    names = [f"*Long-Name{k}_X" if k % 5 == 0 else f"Id(voi){k}" for k in range(30)]
    rows = [
        (f"input {i}", f"candidate {j}", 3 if j == 0 else 0, rng.integers(0, 3, 30) * (j > 0))
        for i in range(4)
        for j in range(4)
    ]
    return Tableau.from_rows(rows, names)


IPA = Tableau.from_rows(
    [
        ("kʰæ̃ntʃ", "ˈkʰæ̃ːɲ.tʃʷə̥", 12, (1, 0, 0)),
        ("kʰæ̃ntʃ", "ɢʶɑɴ.ɕɨ̞ʔˤ", 7, (0, 1, 1)),
        ("ŋ͡mbɹ̩ʘ", "ʀ̥ɤ̯̃ɮ.ɺɯ̽ꜛ", 5, (0, 2, 0)),
        ("ŋ͡mbɹ̩ʘ", "ǃ͡qʼɶ.ɧœ˞", 5, (1, 0, 1)),
    ],
    ["*Ṽ", "Id-IO(ʔ)", "Dep_ə"],
    noise=1.0,
    bound=6.0,
)
ONE = Tableau.from_rows([("pa", "pa", 3, (0, 1))], ["Onset", "*Voice"])

STATES = [
    State("ot_empty", ILOKANO),
    State("ot_running", ILOKANO, running),
    State("ot_finished", ILOKANO, finish),
    State("ot_finished_dark", ILOKANO, finish, dark=True),
    State("ot_turned_dark", ILOKANO, turn_dark),
    State("ot_without_end", ILOKANO, without_end),
    State("ot_finished_1280", ILOKANO, finish, size=(1280, 800)),
    State("ot_finished_1100", LAB + "spanish_diminutive", finish, size=(1100, 800)),
    State("ot_error", LAB + "harmonic_bounding_demo", fail),
    State("ot_error_dark", LAB + "harmonic_bounding_demo", fail, dark=True),
    State("ot_cell", ILOKANO, refuse_a_cell),
    State("ot_two_modes", LAB + "lin2005_table1", finish),
    State("ot_spanish", LAB + "spanish_diminutive", finish),
    State("ot_compare", LAB + "spanish_diminutive", compare),
    State("ot_compare_dark", LAB + "spanish_diminutive", compare, dark=True),
    State("ot_rank", LAB + "cv_syllable_typology", rank),
    State("ot_contradiction", LAB + "inconsistent_demo", contradiction),
    State("ot_typology", LAB + "cv_syllable_typology", typology),
    State("ot_typology_dark", LAB + "cv_syllable_typology", typology, dark=True),
    State("ot_data", LAB + "finnish_genitive_plural_motifs", data),
    State("ot_step", ILOKANO, step),
    State("ot_step_dark", ILOKANO, step, dark=True),
    State("ot_step_gla", ILOKANO, step_gla),
    State("ot_speakers", LAB + "speakers_and_words", speakers),
    State("ot_speakers_1280", LAB + "speakers_and_words", speakers_effects, size=(1280, 800)),
    State("ot_speakers_rates_dark", LAB + "speakers_and_words", speakers_rates, dark=True),
    State("ot_thirty", ILOKANO, with_table(thirty())),
    State("ot_thirty_dark", ILOKANO, with_table(thirty()), dark=True),
    State("ot_one_candidate", ILOKANO, with_table(ONE)),
    State("ot_ipa", ILOKANO, with_table(IPA)),
]
