"""The Compare tab compares models on the present table."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from functools import partial
from html import unescape

import pytest

from otlab.cli import main
from otlab.errors import Interrupted
from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot import compare, logit_uniformity, ranked_above, read, read_text
from otlab.ot.analysis.leave_group_out import levels_compared
from otlab.ot.analysis.samplers import agreement, recommend
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs import models_card
from otlab.viz.ot.comparison import levels_html, models_html
from otlab.viz.ot.logits import logits_html
from otlab.viz.ot.ranking import ranked_above_html
from tests.ui.page import control, press, shown_text
from tests.ui.waiting import until


@pytest.fixture(scope="module")
def japanese():
    return compare(read("japanese"), ["sot", "maxent"], posterior=False, seed=1)


def test_models_criteria_and_misfits_are_shown(japanese):
    html = models_html(japanese)
    assert "<b>MaxEnt</b>" in html
    assert "<b>Stochastic OT</b>" not in html
    assert "−1124.67" in html
    assert "weppu" in html
    assert japanese.words() in unescape(str(html))


@pytest.mark.slow
def test_the_button_compares_and_an_edit_marks_the_answer(japanese, monkeypatch):
    asked = {}

    def compared(tableau, **options):
        asked.update(options, tableau=tableau)
        return japanese

    monkeypatch.setattr(models_card, "compare", compared)
    lab = OTLab("japanese")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")
    press(tab, "Compare models")
    assert asked == {
        "tableau": lab.tableau,
        "noise": lab.settings.noise,
        "weights": lab.settings.weights,
        "seed": lab.settings.seed,
        "folds": 0,
    }
    assert "3,000 observations, seed 1" in shown_text(tab)
    assert "of the table before" not in shown_text(tab)
    lab.state.document.rename_constraint(0, "Other")
    assert "of the table before" in shown_text(tab)


@pytest.mark.slow
def test_a_comparison_says_how_far_it_is_and_is_cancelled(japanese, monkeypatch):
    reached, stopped = threading.Event(), threading.Event()

    def compared(tableau, **options):
        report_preparation("model", 1, 4)
        reached.set()
        try:
            while True:
                check_interrupt()
                time.sleep(0.01)
        except Interrupted:
            stopped.set()
            raise

    monkeypatch.setattr(models_card, "compare", compared)
    lab = OTLab("japanese")
    lab.layout = lab.main()
    (view,) = lab.showings

    async def visit():
        view.go("Compare")
        tab = view.tab("Compare")
        press(tab, "Compare models")
        await asyncio.to_thread(reached.wait, 20)
        while "model 2 of 4" not in shown_text(tab):
            await asyncio.sleep(0.02)
        assert not control(tab, "Compare models").visible
        press(tab, "Cancel")
        assert await asyncio.to_thread(stopped.wait, 20)
        await asyncio.sleep(0.05)
        assert control(tab, "Compare models").visible
        assert "cancelled" in shown_text(tab)
        assert "model 2 of 4" not in shown_text(tab)

    asyncio.run(asyncio.wait_for(visit(), 60))


@pytest.mark.slow
def test_a_sampler_is_recommended_for_the_table_and_the_settings():
    lab = OTLab("ilokano")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")
    assert recommend(lab.tableau).words in shown_text(tab)
    lab.state.document.set_sample_size(9999)
    assert recommend(lab.tableau).words in shown_text(tab)
    assert "9,999 observations" in shown_text(tab)


def test_data_no_ranking_fits_are_no_matter_for_samplers_and_said_in_a_sentence():
    lab = OTLab("finnish_genitive_plural_motifs")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    text = shown_text(view.tab("Compare"))
    assert "no sampler can learn from them: 3 observed candidates can never win" in text
    assert "finnish_genitive_plural_motifs:" not in text


@pytest.mark.slow
def test_two_samplers_are_run_and_compared():
    lab = OTLab("ilokano")
    lab.settings.param.update(sweeps=400, chains=2)
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")
    assert "Run both to see whether they agree" in shown_text(tab)
    press(tab, "Run both")
    assert lab.runner.wait(180)
    assert set(lab.state.fits) == {"gibbs", "exact"}
    assert agreement(lab.state.fits["gibbs"], lab.state.fits["exact"]).words() in shown_text(tab)
    control(tab, "Values or pairs").value = "pairs"
    assert "per cent of evaluations" in shown_text(tab)
    assert ranked_above_html(ranked_above(lab.state.fits["gibbs"])) in shown_text(tab)
    lab.settings.apriori = "I_BR >> AL"
    press(tab, "Run both")
    assert lab.runner.wait(180)
    fits = lab.state.fits
    assert [fit.settings["apriori"] for fit in fits.values()] == [[["I_BR", "AL"]]] * 2
    until(lambda: agreement(*lab.state.fits.values()).words() in shown_text(tab), 30)


def test_cards_with_more_rows_are_higher_and_models_low_until_compared(japanese):
    lab = OTLab("spanish_diminutive")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")

    def share(card):
        return float(card.body.styles["flex"].split()[0])

    assert share(tab.spread.card) > share(tab.endless.card)
    assert share(tab.models.card) < share(tab.samplers.card)
    lab.state.put_compared("token", japanese)
    assert share(tab.models.card) > share(tab.samplers.card)


@pytest.mark.slow
def test_inputs_are_held_out_when_asked_for(monkeypatch):
    asked = []

    def compared(tableau, **options):
        asked.append(options["folds"])
        return compare(tableau, ["maxent", "partial"], **options, posterior=False)

    monkeypatch.setattr(models_card, "compare", compared)
    lab = OTLab("spanish")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")

    async def visit(label):
        press(tab, label)
        while "observations, seed" not in shown_text(tab) or not control(tab, "Compare models").visible:
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(visit("Compare models"), 60))
    assert "Held out" not in shown_text(tab)
    asyncio.run(asyncio.wait_for(visit("With inputs held out"), 60))
    assert asked == [0, 3]
    assert "Held out" in shown_text(tab)
    lab.state.load_example("ilokano")  # one input: nothing to predict it from
    assert not control(tab, "With inputs held out").visible


SPOKEN = "Speaker,Item,Input,Output,n,*Zero,Max\n" + "".join(
    f"{who},{word},t,t,{n},1,0\n{who},{word},t,0,{10 - n},0,1\n"
    for who, word, n in (("A", "v", 9), ("A", "w", 8), ("B", "v", 2), ("B", "w", 4), ("C", "v", 7))
)


@pytest.fixture
def spoken(tmp_path):
    file = tmp_path / "spoken.csv"
    file.write_text(SPOKEN, encoding="utf-8")
    lab = OTLab(read_text(SPOKEN))
    lab.settings.seed = 4
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    return lab, view.tab("Compare"), str(file)


def kinds(tab):
    return [label for _, label in control(tab, "What is left out").options]


async def until_shown(tab, words):
    while words not in shown_text(tab):
        await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["speaker", "item"])
def test_groups_left_out_have_the_numbers_of_the_command_line(level, spoken, monkeypatch, capsys):
    lab, tab, file = spoken
    monkeypatch.setattr(models_card, "levels_compared", partial(levels_compared, sweeps=60))
    assert kinds(tab) == ["Tokens", "Speakers", "Items", "Logits"]
    control(tab, "What is left out").value = level
    assert f"How well each {level} is predicted" in shown_text(tab)
    press(tab, f"Leave out {level}s")
    asyncio.run(asyncio.wait_for(until_shown(tab, "60 sweeps, seed 4"), 120))
    found = lab.state.compared[level]
    options = ("--models", "maxent", "--no-posterior", "--sweeps", "60", "--seed", "4", "--json")
    assert main(["compare", file, "--by", level, *options]) == 0
    by = json.loads(capsys.readouterr().out)["by"]
    assert [model["elpd"] for model in by["models"]] == [one.total for one in found.models]
    assert found.words() == by["words"]
    assert levels_html(found) in shown_text(tab)
    lab.state.document.rename_constraint(0, "Other")
    assert "of the table before" in shown_text(tab)


@pytest.mark.slow
def test_leaving_out_speakers_says_how_far_it_is_and_is_cancelled(spoken, monkeypatch):
    monkeypatch.setattr(models_card, "levels_compared", partial(levels_compared, sweeps=400_000))
    lab, tab, _ = spoken
    control(tab, "What is left out").value = "speaker"

    async def visit():
        press(tab, "Leave out speakers")
        await until_shown(tab, "grammar 1, sweep ")
        assert not control(tab, "Leave out speakers").visible
        press(tab, "Cancel")
        assert control(tab, "Leave out speakers").visible

    begin = time.monotonic()
    asyncio.run(asyncio.wait_for(visit(), 60))  # which waits for the thread: it has stopped
    assert time.monotonic() - begin < 30  # it would take minutes to the end
    assert "cancelled" in shown_text(tab)
    assert lab.state.compared == {}


def test_differences_of_logits_are_shown_and_come_back_with_the_document(spoken):
    lab, tab, _ = spoken
    control(tab, "What is left out").value = "logits"
    press(tab, "Compare logits")
    found = lab.state.compared["logits"]
    expected = logit_uniformity(lab.tableau, noise=lab.settings.noise, seed=4)
    assert found.words() == expected.words()
    assert logits_html(found) in shown_text(tab)
    lab.state.put_tab_results(None)
    assert "changes the logit by its weight in every context" in shown_text(tab)
    lab.state.put_tab_results(loads(dumps((None, None, None, found))))
    assert found.words() in unescape(shown_text(tab))
    assert lab.state.tab_results()[:3] == (None, None, None)


def test_a_comparison_of_speakers_goes_on_in_sight_after_an_edit_that_leaves_none(spoken, monkeypatch):
    begun, stopped = threading.Event(), threading.Event()

    def compared(tableau, level, **options):
        begun.set()
        try:
            while True:
                check_interrupt()
                time.sleep(0.005)
        except Interrupted:
            stopped.set()
            raise

    monkeypatch.setattr(models_card, "levels_compared", compared)
    lab, tab, _ = spoken
    control(tab, "What is left out").value = "logits"
    press(tab, "Compare logits")
    control(tab, "What is left out").value = "speaker"

    async def visit():
        press(tab, "Leave out speakers")
        assert await asyncio.to_thread(begun.wait, 20)
        lab.state.document.show(read("ilokano"))
        assert kinds(tab) == ["Models", "Logits"]
        assert "comparing …" in shown_text(tab)
        assert not control(tab, "Compare models").visible
        press(tab, "Cancel")
        assert await asyncio.to_thread(stopped.wait, 20)

    asyncio.run(asyncio.wait_for(visit(), 60))
    assert control(tab, "Compare models").visible
    assert "cancelled" in shown_text(tab)


def test_a_table_without_speakers_offers_models_and_logits():
    lab = OTLab("ilokano")
    lab.layout = lab.main()
    (view,) = lab.showings
    view.go("Compare")
    tab = view.tab("Compare")
    assert kinds(tab) == ["Models", "Logits"]
    control(tab, "What is left out").value = "logits"
    press(tab, "Compare logits")
    assert "no input has two candidates that differ" in shown_text(tab)
    lab.state.document.show(read_text(SPOKEN))
    assert kinds(tab) == ["Tokens", "Speakers", "Items", "Logits"]
    control(tab, "What is left out").value = "speaker"
    assert control(tab, "Leave out speakers").visible
    lab.state.load(read("ilokano"))
    assert kinds(tab) == ["Models", "Logits"]
    assert control(tab, "Compare models").visible
    assert not control(tab, "Leave out speakers").visible
