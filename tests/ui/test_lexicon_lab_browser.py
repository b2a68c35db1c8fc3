"""The lexicon lab in a real browser."""

from __future__ import annotations

import zipfile

import pytest
from playwright.sync_api import expect

from otlab.samples import sample_path
from tests.ui.layout import assert_cards_fit, assert_fine

pytestmark = [pytest.mark.browser]


@pytest.mark.walk
def test_words_appear_and_the_threshold_cuts_them_anew(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab")
    for name in ("Grammar", "Learner", "Iterations", "Restarts", "Threshold"):
        expect(page.get_by_label(name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    expect(
        page.get_by_role("table", name="Lexicon").get_by_role("button", name="gu", exact=True)
    ).to_be_visible()
    first = page.get_by_role("list", name="Segmentation").get_by_role("button").first
    text = first.locator(".hidden").text_content()
    assert " " in text.split(": ")[1]
    page.get_by_label("Threshold", exact=True).fill("0.98")
    page.get_by_role("button", name="Ban gu", exact=True).click()
    expect(page.get_by_text("trial parse: 1 banned")).to_be_visible()
    page.keyboard.press("Control+Z")
    expect(page.get_by_text("trial parse: 1 banned")).to_be_hidden()
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(page.get_by_text("trial parse: 1 banned")).to_be_visible()
    assert_fine(page)
    page.set_viewport_size({"width": 1100, "height": 800})
    page.get_by_role("button", name="Dark mode").click()
    assert_fine(page)  # the bar too: nothing of it is out of the window
    assert_cards_fit(page, 600, 820, 1100)


def test_grammar_faults_and_trees(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab?iterations=5")
    page.get_by_label("Grammar", exact=True).fill("Utterance -> Wrod+\nWord -> Phon+")
    expect(page.get_by_text("Wrod is not defined")).to_be_visible()
    page.get_by_label("Preset", exact=True).select_option("collocation")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Trees").click()
    expect(page.get_by_role("img", name="Tree of").first).to_be_visible()
    page.get_by_role("tab", name="Runs").click()
    expect(page.get_by_role("table", name="Restarts").get_by_text("1. Batch VB, collocation")).to_be_visible()


def test_a_cell_of_the_edits_leads_to_words_and_to_their_utterances(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab?edited=10&iterations=8")
    page.get_by_role("checkbox", name="Noisy VB").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    page.get_by_role("tab", name="Edits").click()
    cell = page.get_by_role("gridcell", name="g heard as e")
    cell.click()
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="g heard as e")).to_be_visible()
    cell.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="i heard as e")).to_be_visible()
    cell.click()
    page.get_by_role("list", name="Alignments").get_by_role("button").first.click()
    expect(page.get_by_role("list", name="Segmentation")).to_be_visible()
    assert_fine(page)


def test_a_pasted_text_is_cut_and_any_two_runs_are_compared(visit, labs_url):
    page = visit().open(labs_url + "/lexicon_lab?iterations=4")
    page.get_by_role("tab", name="Data").click()
    text = "\n".join(
        ["lookatthedoggie", "", "thedoggieisbig", "lookatthat", "whatsthat", "isthatthedoggie"] * 5
    )
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Load this text").click()
    expect(page.get_by_text("pasted text:2: empty line, left out").first).to_be_visible()
    run = page.get_by_role("button", name="Run", exact=True)
    for preset in ("word", "collocation", "morphology"):
        page.get_by_label("Preset", exact=True).select_option(preset)
        run.click()
        expect(page.locator("button.primary[aria-busy]")).to_have_count(0)
        expect(page.get_by_text("done", exact=True).first).to_be_visible()
    first = page.get_by_role("list", name="Segmentation").get_by_role("button").first
    assert first.locator(".hidden").text_content().replace(" ", "") == "Utterance1:lookatthedoggie"
    page.get_by_role("tab", name="Runs").click()
    page.get_by_label("Left", exact=True).select_option("1")
    expect(page.get_by_text("1. Batch VB, word, peaks").last).to_be_visible()
    expect(page.get_by_text("shared words")).to_be_visible()
    page.get_by_label("Choose by the", exact=True).select_option("bound")
    assert_fine(page)


def test_units_of_sound_are_drawn_played_and_compared(visit, labs_url):
    visitor = visit()
    visitor.page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page = visitor.open(labs_url + "/lexicon_lab?iterations=5")
    page.get_by_role("tab", name="Sound").click()
    expect(page.get_by_role("img", name="Spectrogram")).to_be_visible()
    expect(page.get_by_role("button", name="Record", exact=True)).to_be_disabled()
    expect(page.get_by_text("Browsers record only at https:// addresses and at localhost")).to_be_visible()
    page.get_by_role("checkbox", name="Phone loop").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("ELBO never fell")).to_be_visible()
    units = page.get_by_role("group", name="Units").get_by_role("button")
    units.nth(3).click()
    expect(page.get_by_role("list", name="Nearest segments").get_by_role("button").first).to_be_visible()
    expect(page.locator("[data-played]")).to_be_attached()
    page.get_by_role("button", name="Zoom in").click()
    expect(units.nth(3)).to_be_visible()
    expect(page.get_by_role("img", name="units against")).to_be_visible()
    assert_fine(page)


def long_named_sound(path):
    """Write the shipped toy speech with names as corpora have them; return the ZIP's path."""
    folder = sample_path("spoken_toy", "discovery")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.glob("*.flac"):
            archive.write(file, f"interview_speaker_17_session_{file.name}")
        for tier in ("phones.tsv", "words.tsv"):
            lines = (folder / tier).read_text(encoding="utf-8").splitlines()
            rows = [lines[0], *(f"interview_speaker_17_session_{line}" for line in lines[1:])]
            archive.writestr(tier, "\n".join(rows))
    return path


_CUT = """list => {
  const right = node => node.getBoundingClientRect().right
  return [...list.querySelectorAll(".where")].filter(button =>
    right(button.querySelector(".time")) > right(button) + 1).length
}"""
_WIDER = "map => { const room = map.closest('.room'); return room.scrollWidth - room.clientWidth }"


def test_long_names_and_many_units_fit_a_narrow_window_and_runs_are_compared(visit, labs_url, tmp_path):
    page = visit(size=(1280, 800)).open(labs_url + "/lexicon_lab?iterations=8&units=60&restarts=3")
    page.get_by_role("tab", name="Sound", exact=True).click()
    zone = page.get_by_label("Drop sound here, or choose a file")
    zone.set_input_files(str(long_named_sound(tmp_path / "talk.zip")))
    expect(page.get_by_text("talk.zip: 30 utterances")).to_be_visible()
    expect(page.get_by_role("list", name="Segments between boundaries that most runs have")).to_be_hidden()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("what 3 runs agree on")).to_be_visible()
    agreed = page.get_by_role("list", name="Segments between boundaries that most runs have")
    expect(agreed.get_by_role("listitem").first).to_be_visible()
    page.get_by_role("group", name="Units").get_by_role("button").nth(3).click()
    nearest = page.get_by_role("list", name="Nearest segments")
    expect(nearest.get_by_role("listitem").first).to_be_visible()
    assert nearest.evaluate(_CUT) == 0
    chart = page.get_by_role("img", name="units against")
    assert chart.evaluate(_WIDER) <= 0
    player = page.locator("[data-played]")
    expect(player).to_be_attached()
    for hear in nearest.get_by_role("button", name="Hear").all():
        player.evaluate("node => delete node.dataset.played")
        hear.click()
        expect(player).to_be_attached()
    assert_fine(page)


def test_sound_is_recorded_and_its_words_are_learnt_beside_the_pipeline(visit, labs_url):
    """The browser's microphone is Chromium's own, which beeps."""
    page = visit().open(labs_url + "/lexicon_lab?iterations=4&rounds=2&units=10")
    page.context.grant_permissions(["microphone"])
    page.get_by_role("tab", name="Sound", exact=True).click()
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_text("recording, 0:02")).to_be_visible()
    page.get_by_role("button", name="Stop recording").click()
    expect(page.get_by_text("recording 1, 1 of 1")).to_be_visible()
    expect(page.get_by_role("img", name="Waveform").locator("path")).to_be_attached()
    page.get_by_role("combobox", name="Sound", exact=True).select_option(
        label="Toy speech, synthetic, with phone and word times"
    )
    page.get_by_role("tab", name="Spoken words").click()
    page.get_by_role("checkbox", name="Phone loop").click()
    page.get_by_role("checkbox", name="Batch VB").click()
    page.get_by_role("checkbox", name="Joint model").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("group", name="joint of u000")).to_be_visible()
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    page.get_by_role("group", name="joint of u000").get_by_role("button").first.click()
    expect(page.locator("[data-played]")).to_be_attached()
    assert_fine(page)
