"""The Spoken words tab without a browser: pipeline beside joint model, scores, what is played."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace as Namespace

import numpy as np
import pytest

from otlab.cli import main
from otlab.discovery.io.intervals import Interval
from otlab.discovery.sound import audio
from otlab.ui.background import Background
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.spoken import SpokenWords, lexicon_rows
from otlab.viz.base.numbers import nats_text
from tests.ui.page import component, layers, send, sent, shown_text

SETTINGS = {"iterations": 3, "units": 10, "components": 1, "rounds": 3, "word_iterations": 5}


@pytest.fixture(scope="module")
def learnt():
    lab = LexiconLab()
    lab.settings.param.update(**SETTINGS)
    lab.page()
    (showing,) = lab.showings
    showing.open("Spoken words")
    lab.runner.enable(["joint"])
    before = shown_text(showing.tab("Spoken words"))
    lab.runner.run()
    assert lab.runner.wait(280)  # the kernels may have to be compiled first
    assert not lab.runner.runner.failures
    yield lab, showing.tab("Spoken words"), before
    lab.close()


@pytest.mark.slow
def test_joint_model_and_pipeline_have_the_scores_of_the_command_line(learnt, capsys):
    lab, tab, before = learnt
    assert "Tick Joint model and press Run to see the words" in before
    assert "units are learnt first" in before
    assert "units are learnt first" not in shown_text(tab)
    spoken, shown = lab.state.sound.spoken, shown_text(tab)
    options = [
        part for name, value in SETTINGS.items() for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    for learner, words in (("joint", spoken.joint), ("pipeline", spoken.pipeline)):
        own = options if learner == "joint" else [*options[:6], *options[8:]]
        main(["discover", "--audio", "spoken_toy", "--learner", learner, *own, "--seed", "1", "--json"])
        scores = json.loads(capsys.readouterr().out)["scores"]
        assert words.scores.token.f == scores["token_f"]
        assert words.scores.type.f == scores["lexicon_f"]
        assert f"{scores['token_f']:.3f}" in shown
    stats = {stat.label: stat.value for stat in lab.runner.report.stats}
    assert stats["Token F"] == f"{spoken.joint.scores.token.f:.3f}".lstrip("0")


def test_it_is_told_which_words_the_objective_prefers(learnt):
    lab, tab, before = learnt
    view, shown = lab.state.sound.spoken.view, shown_text(tab)
    assert "J prefers" not in before
    assert "J prefers Joint model, by" in shown
    assert view.pipeline_objective < view.objective[-1]
    for value in (view.pipeline_objective, view.objective[-1], view.objective[-1] - view.pipeline_objective):
        assert nats_text(float(value)) in shown


def test_each_utterance_shows_gold_pipeline_and_joint(learnt):
    lab, tab, _ = learnt
    rows = component(tab, "SpokenRows").shown["rows"]
    assert [tier["name"] for tier in rows[0]["tiers"]] == ["gold", "pipeline", "joint"]
    seconds = rows[0]["seconds"]
    for tier in rows[0]["tiers"][1:]:
        words = tier["words"]
        assert words[0][0] == 0.0
        assert [b for _, b, *_ in words[:-1]] == [a for a, *_ in words[1:]]
        assert words[-1][1] == pytest.approx(seconds)
    spoken = lab.state.sound.spoken
    for words in (spoken.pipeline, spoken.joint):
        spans = {
            (u, i.start, i.end)
            for u, (each, marks) in enumerate(zip(words.intervals, words.right, strict=True))
            for i, right in zip(each, marks, strict=True)
            if right
        }
        assert len(spans) == words.scores.token.right


def test_both_objectives_are_drawn_by_phase(learnt):
    lab, tab, _ = learnt
    (units, _), (_, joint) = layers(tab, "units"), layers(tab, "joint")
    view = lab.state.sound.spoken.view
    assert np.array(units.data_source.data["y"]) == pytest.approx(view.objective[:4])
    assert np.array(joint.data_source.data["y"]) == pytest.approx(view.objective[5:])


def test_a_word_is_played_and_pages_are_turned(learnt):
    _, tab, _ = learnt
    shown = component(tab, "SpokenRows")
    messages = sent(tab, "SpokenRows")
    start, end, *_ = shown.shown["rows"][1]["tiers"][1]["words"][0]
    send(tab, {"kind": "hear", "u": 1, "start": start, "end": end}, "SpokenRows")
    played = audio.describe(base64.b64decode(messages[-1]["wav"]))
    assert played.seconds == pytest.approx(end - start, abs=0.001)
    send(tab, {"kind": "turn", "by": 1}, "SpokenRows")
    assert shown.shown["place"] == "13–24 of 30"
    assert shown.shown["rows"][0]["u"] == 12


def test_a_run_that_is_played_again_shows_its_earlier_words(learnt):
    lab, tab, _ = learnt
    spoken = lab.state.sound.spoken
    last = spoken.view.objective
    send(lab.runner, {"kind": "replay", "share": 0.0}, "RunHead")
    assert spoken.view.objective.size < last.size
    assert not len(layers(tab, "joint")[1].data_source.data["y"])
    send(lab.runner, {"kind": "replay", "share": 1.0}, "RunHead")
    assert np.array_equal(spoken.view.objective, last)


def test_moments_that_pass_while_words_are_read_are_skipped(learnt, monkeypatch):
    lab, _, _ = learnt
    spoken, asked = lab.state.sound.spoken, []
    expected = spoken.joint.uses
    monkeypatch.setattr(Background, "do", lambda _, work, show: asked.append((work, show)))
    for share in (0.0, 0.5, 1.0):
        send(lab.runner, {"kind": "replay", "share": share}, "RunHead")
    for _ in range(2):  # the first moment, and then the last
        ((work, show),) = asked
        asked.clear()
        show(work())
    assert asked == []
    assert spoken.joint.uses == expected


def test_a_pause_is_no_gold_word_of_what_was_found():
    found = SpokenWords((), ([Interval(0.0, 0.4, "1-2"), Interval(0.4, 1.0, "3")],), None, None)
    tiers = [Interval(0.0, 0.5, "da"), Interval(0.5, 1.0, "SIL")]
    rows = lexicon_rows(Namespace(words=[tiers]), found, None)
    assert [(row.units, row.pipeline, row.joint, row.gold) for row in rows] == [
        ("1-2", 1, 0, "da"),
        ("3", 1, 0, ""),
    ]


def test_another_sound_ends_the_run_and_forgets_its_words(learnt):
    lab, tab, _ = learnt
    lab.state.sound.open_example(list(lab.state.sound.examples())[1])
    assert lab.state.sound.spoken.pipeline is None
    assert lab.runner.phase == "idle"
    assert component(tab, "SpokenRows").shown["rows"] == []
