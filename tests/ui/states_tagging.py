"""Pictures of the tagging lab."""

from __future__ import annotations

from functools import partial

from tests.ui.screenshots import State

SMALL = "/tagging_lab?iterations=40&runs=2&states=30"


def run(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=180_000)


def tab(name, page):
    run(page)
    page.get_by_role("tab", name=name, exact=True).click()
    page.wait_for_timeout(1000)


STATES = [
    State("tagging", "/tagging_lab"),
    State("tagging_run", SMALL, run),
    State("tagging_run_dark", SMALL, run, dark=True),
    State("tagging_states", SMALL, partial(tab, "States")),
    State("tagging_table", SMALL, partial(tab, "Table")),
    State("tagging_sentences", SMALL, partial(tab, "Sentences")),
    State("tagging_priors", "/tagging_lab", lambda page: page.get_by_role("tab", name="Priors").click()),
    State("tagging_data", "/tagging_lab", lambda page: page.get_by_role("tab", name="Data").click()),
]
