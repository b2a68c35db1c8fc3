"""Pictures of the tagging lab."""

from __future__ import annotations

from functools import partial

from tests.ui.screenshots import State

SMALL = "/tagging_lab?iterations=40&runs=2&states=30"
FAULTY = b"the\tDT\ndog\nbarks\tVBZ\n\ncat\tNN\tNN\n\tVBZ\n"
PLAIN = "the dog sees a cat\na cat sees the dog\nthe dog sleeps\n" * 200


def run(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for(timeout=180_000)


def opened(name, page):
    page.get_by_role("tab", name=name, exact=True).click()
    page.wait_for_timeout(1000)


def tab(name, page):
    run(page)
    opened(name, page)


def running(page):
    page.get_by_label("Iterations", exact=True).fill("100000")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("list", name="States in words").wait_for(timeout=180_000)
    page.wait_for_timeout(2500)


# The most frequent word of a state, and what the state is called.
NAMES = {"I": "pronouns", "it": "pronouns", "is": "forms of be", "was": "forms of be", ".": "sentence ends",
         "of": "prepositions", "in": "prepositions", "will": "modals"}  # fmt: skip


def name_states(page):
    """Name the states in sight whose words say what they hold; return the last name."""
    cards = page.get_by_role("list", name="States in words").get_by_role("listitem")
    words = [cards.nth(at).locator(".word").first.inner_text() for at in range(cards.count())]
    named = [(at, NAMES[word]) for at, word in enumerate(words) if word in NAMES]
    for at, name in named:
        cards.nth(at).get_by_role("button", name="Name state").click()
        page.get_by_role("textbox", name="Name of state").fill(name)
        page.keyboard.press("Enter")
        page.get_by_role("group", name="States against gold tags").get_by_text(name).wait_for()
    return named[-1][1]


def kept(page):
    """Three estimators, a curve kept, states named, one of them looked at."""
    page.get_by_role("checkbox", name="Gibbs").check()
    run(page)
    last = name_states(page)
    page.get_by_role("button", name="Keep curve").click()
    page.get_by_role("group", name="States against gold tags").get_by_text(last).click()
    page.wait_for_timeout(7500)  # the toast goes


def merged(page):
    tab("States", page)
    page.get_by_role("button", name="Merge states").click()
    page.get_by_text("First merged").wait_for()


def grid(page):
    tab("Table", page)
    page.get_by_label("Estimators to run").select_option(label="A grid of my own")
    page.get_by_label("Numbers of states").fill("30, 20")
    page.get_by_label("Emission priors").fill("0.1")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Run these rows").click()
    page.get_by_text("EM (20)").wait_for(timeout=120_000)
    page.get_by_text("iteration", exact=False).first.wait_for()
    page.wait_for_timeout(6000)


def upload(name, data, page):
    opened("Data", page)
    file = {"name": name, "mimeType": "text/plain", "buffer": data}
    page.get_by_label("Drop a corpus here, or choose one").set_input_files(file)


def refused(page):
    upload("faulty.tsv", FAULTY, page)
    page.get_by_text("has no tag").first.wait_for()


def compared(page):
    opened("Which model?", page)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("progressbar", name="Progress of Compare").wait_for()
    page.get_by_text("done", exact=True).first.wait_for(timeout=300_000)
    page.wait_for_timeout(1000)


def baselines(page):
    run(page)
    page.get_by_role("radio", name="Baselines").click()
    page.wait_for_timeout(1000)


def untagged(page):
    upload("plain.txt", PLAIN.encode(), page)
    page.get_by_text("plain.txt", exact=True).first.wait_for()
    opened("Watch", page)
    page.get_by_label("States", exact=True).fill("4")
    page.keyboard.press("Tab")
    run(page)


STATES = [
    State("tagging", "/tagging_lab"),
    State("tagging_running", SMALL, running),
    State("tagging_run", SMALL, run),
    State("tagging_run_dark", SMALL, run, dark=True),
    State("tagging_run_1280", SMALL, run, size=(1280, 800)),
    State("tagging_kept", SMALL, kept),
    State("tagging_states", SMALL, merged),
    State("tagging_states_dark", SMALL, merged, dark=True),
    State("tagging_table", SMALL, grid),
    State("tagging_baselines", SMALL, baselines),
    State("tagging_which", "/tagging_lab?iterations=20", compared),
    State("tagging_sentences", SMALL, partial(tab, "Sentences")),
    State("tagging_sentences_dark", SMALL, partial(tab, "Sentences"), dark=True),
    State("tagging_priors", "/tagging_lab", partial(opened, "Priors")),
    State("tagging_data", "/tagging_lab", partial(opened, "Data")),
    State("tagging_fault", "/tagging_lab", refused),
    State("tagging_untagged", "/tagging_lab?iterations=40&runs=2", untagged),
]
