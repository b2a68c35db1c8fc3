"""Pictures of the lexicon lab."""

from __future__ import annotations

from tests.ui.screenshots import State


def learnt(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("ELBO never fell").wait_for()
    page.get_by_text("done", exact=True).first.wait_for()


def tab(name, text):
    def choose(page):
        learnt(page)
        page.get_by_role("tab", name=name).click()
        page.get_by_text(text).first.wait_for()

    return choose


def sound(page):
    page.get_by_role("tab", name="Sound").click()
    page.get_by_role("checkbox", name="Phone loop").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    page.get_by_role("img", name="Spectrogram").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("ELBO never fell").wait_for()
    page.get_by_role("group", name="Units").get_by_role("button").nth(4).click()
    page.get_by_role("list", name="Nearest segments").get_by_role("button").first.wait_for()


def sound_ready(page):
    page.get_by_role("tab", name="Sound").click()
    page.get_by_role("img", name="Spectrogram").wait_for()


def spoken(page):
    page.get_by_role("tab", name="Spoken words").click()
    page.get_by_role("checkbox", name="Joint model").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("done", exact=True).first.wait_for()
    page.get_by_role("group", name="joint of u000").wait_for()


def word(page):
    learnt(page)
    page.get_by_role("table", name="Lexicon").get_by_role("button", name="gu", exact=True).click()
    page.get_by_text("utterances with gu").wait_for()


def channel(page):
    page.get_by_role("checkbox", name="Noisy VB").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    learnt(page)
    page.get_by_role("tab", name="Edits").click()
    page.get_by_text("substitute").first.wait_for()


def cell(page):
    channel(page)
    page.get_by_role("gridcell", name="g heard as e").click()
    page.get_by_role("heading", name="g heard as e").wait_for()


def two_runs(page):
    learnt(page)
    page.get_by_role("checkbox", name="MCMC").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("tab", name="Runs").click()
    page.get_by_text("only here:").first.wait_for()


def collocations(page):
    page.get_by_label("Preset", exact=True).select_option("collocation")
    learnt(page)
    page.get_by_role("button", name="Utterance 9:").click()
    page.get_by_role("tab", name="Trees").click()
    page.get_by_text("of 12 times").first.wait_for()


def left_out(page):
    """A pasted text with an empty line, and a phone that the grammar has no rule for."""
    page.get_by_label("Grammar", exact=True).fill(
        "Utterance -> Word+\n@Word 500 10 0\nWord -> Seg+\nSeg -> 'd'\nSeg -> 'a'\nSeg -> 'u'"
    )
    page.get_by_text("at most 500 kept").wait_for()
    page.get_by_role("tab", name="Data").click()
    page.get_by_label("Text", exact=True).fill("dadu\n\ndudada\ndidu\nda\ndudu")
    page.get_by_role("button", name="Load this text").click()
    learnt(page)
    page.get_by_text("with warnings").wait_for()


def starved(page):
    """Two words, hundreds of times: hardly anything is left for new ones."""
    lines = ["da du", "du da da", "da", "du du", "da du da"] * 60
    page.get_by_role("tab", name="Data").click()
    page.get_by_label("Text", exact=True).fill("\n".join(lines))
    page.get_by_role("button", name="Load this text").click()
    learnt(page)
    page.get_by_text("Too little mass left").first.wait_for()


def faulty(page):
    page.get_by_label("Grammar", exact=True).fill("Utterance -> Word+\n@Word 5000 100 1.5\nWord -> Fon+")
    page.get_by_text("Fon is not defined").wait_for()


def paste(page):
    page.get_by_role("tab", name="Data").click()
    page.get_by_label("Text", exact=True).wait_for()


NOISY = "/lexicon_lab?edited=10"

STATES = [
    State("lexicon_ready", "/lexicon_lab"),
    State("lexicon_learnt", "/lexicon_lab", learnt),
    State("lexicon_learnt_dark", "/lexicon_lab", learnt, dark=True),
    State("lexicon_sound", "/lexicon_lab?iterations=15", sound),
    State("lexicon_sound_dark", "/lexicon_lab?iterations=15", sound, dark=True),
    State("lexicon_sound_1280", "/lexicon_lab?iterations=15", sound, size=(1280, 800)),
    State("lexicon_sound_runs", "/lexicon_lab?iterations=15&restarts=5", sound, size=(1280, 800)),
    State("lexicon_sound_ready", "/lexicon_lab", sound_ready),
    State("lexicon_spoken", "/lexicon_lab?iterations=15", spoken),
    State("lexicon_spoken_dark", "/lexicon_lab?iterations=15", spoken, dark=True),
    State("lexicon_spoken_1280", "/lexicon_lab?iterations=15", spoken, size=(1280, 800)),
    State("lexicon_word", "/lexicon_lab", word),
    State("lexicon_trees", "/lexicon_lab", tab("Trees", "of 12 times")),
    State("lexicon_trees_dark", "/lexicon_lab", tab("Trees", "of 12 times"), dark=True),
    State("lexicon_trees_collocation", "/lexicon_lab", collocations),
    State("lexicon_edits", NOISY, channel),
    State("lexicon_edits_cell", NOISY, cell),
    State("lexicon_edits_cell_dark", NOISY, cell, dark=True),
    State("lexicon_edits_1280", NOISY, cell, size=(1280, 800)),
    State("lexicon_runs_two", "/lexicon_lab", two_runs),
    State("lexicon_runs_two_1280", "/lexicon_lab", two_runs, size=(1280, 800)),
    State("lexicon_runs", "/lexicon_lab", tab("Runs", "PUDDLE")),
    State("lexicon_data", "/lexicon_lab", paste),
    State("lexicon_fault", "/lexicon_lab", faulty),
    State("lexicon_left_out", "/lexicon_lab", left_out),
    State("lexicon_starved", "/lexicon_lab", starved),
    State("lexicon_1280", "/lexicon_lab", learnt, size=(1280, 800)),
]
