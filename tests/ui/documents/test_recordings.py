"""Recordings are saved with the document, and so is what was learnt from them."""

from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile

from otlab.ui.documents import runs as runs_module
from otlab.ui.documents.archive import write_archive
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.documents.keeper import FILE
from otlab.ui.documents.runs import RUN, SIGHT
from otlab.ui.documents.writer import writer
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.open_sound import OpenSound
from otlab.ui.lexicon.sound import SoundState
from tests.test_every_learner import numbers
from tests.ui.documents.helpers import Case, paged, reloaded, saved
from tests.ui.page import component, shown_text
from tests.ui.waiting import until

pytestmark = pytest.mark.slow


def recording(seconds=0.8, pitch=220.0):
    """A short WAV file, as the Record button makes one."""
    stream = io.BytesIO()
    time = np.arange(int(16_000 * seconds)) / 16_000
    soundfile.write(stream, 0.3 * np.sin(2 * np.pi * pitch * time), 16_000, format="WAV")
    return stream.getvalue()


def opened(lab):
    return lab.state.sound.opened.title


def with_example():
    lab = LexiconLab()
    lab.state.sound.open_example("spoken_toy")
    return lab


CASE = Case(LexiconLab, (), {}, "units")
CASE_OPEN = Case(with_example, (), {}, "units")


def test_a_recording_is_saved_with_the_document_and_undone(store):
    """After a reload it is there with Undo and Redo; of a file of the document too."""
    lab = paged(CASE)
    lab.open_file("hello.wav", recording())
    lab.open_file("again.wav", recording(pitch=330.0))
    assert opened(lab) == "again.wav"
    document = saved(lab)
    assert len(store.part_names(document, FILE)) == 2
    again = reloaded(CASE, lab)
    assert again.bar.saved == "Saved"
    assert opened(again) == "again.wav"
    assert again.state.sound.speech.features == pytest.approx(lab.state.sound.speech.features)
    assert again.state.sound.samples(0) is not None
    again.undo()
    assert opened(again) == "hello.wav"
    again.redo()
    assert opened(again) == "again.wav"
    other = paged(CASE)
    assert other.state.sound.opened is None
    other.open_file("it.otlab", write_archive(store.load(document)))
    assert opened(other) == "again.wav"
    assert other.document != document


def test_recordings_that_no_edit_leads_back_to_are_removed(store):
    lab = paged(CASE)
    lab.open_file("hello.wav", recording())
    lab.undo()
    lab.open_file("again.wav", recording(pitch=330.0))  # the first can no longer be redone
    (part,) = store.part_names(saved(lab), FILE)
    assert part.endswith("again.wav")
    lab.state.history.clear()
    lab.state.open_sound(lab.state.sound.example("digits"))
    lab.state.history.clear()
    lab.changed()
    assert not store.part_names(saved(lab), FILE)
    assert reloaded(CASE, lab).state.sound.key == "digits"


def test_a_recording_that_is_too_large_is_named(store, monkeypatch):
    monkeypatch.setattr("otlab.ui.documents.limits.MOST_FILE_BYTES", 1000)
    lab = paged(CASE)
    lab.open_file("long.wav", recording())
    saved(lab)
    assert lab.bar.saved == "Saved, without long.wav (more than 64 MB)"
    again = reloaded(CASE, lab)
    (showing,) = again.showings
    showing.open("Sound")
    assert opened(again) != "long.wav"
    assert "long.wav is not saved with this document" in shown_text(showing.tab("Sound"))


def test_a_damaged_recording_of_a_document_is_named(store):
    lab = paged(CASE)
    lab.open_file("hello.wav", recording())
    document = saved(lab)
    (part,) = store.part_names(document, FILE)
    store.put_parts(document, {part: b"nothing"})
    assert reloaded(CASE, lab).state.sound.missing == "hello.wav"


SHORT = {"iterations": 3, "units": 10, "components": 1, "rounds": 2, "word_iterations": 3}


def learnt(lab, *rows, **settings):
    """Run rows to their end on a page, and save."""
    lab.runner.enable(rows)
    lab.settings.param.update(**{**SHORT, **settings})
    lab.runner.run()
    assert lab.runner.wait(280)  # the kernels may have to be compiled first
    assert lab.runner.phase == "done"
    lab.changed()
    writer.flush()
    return lab


def cards(lab):
    """All that the tabs of sound show, and the figures of the run panel."""
    (showing,) = lab.showings
    out = {}
    for title, kinds in (("Sound", ("SoundView", "SegmentList")), ("Spoken words", ("SpokenRows",))):
        showing.open(title)
        tab = showing.tab(title)
        out[title] = shown_text(tab)
        for kind in kinds:
            values = component(tab, kind).param.values()
            names = {"sound", "units", "rows", "shown"} & values.keys()
            out[kind] = {name: values[name] for name in names}
    return {**out, "report": (lab.runner.report.badge, lab.runner.report.stats)}


def views(lab, row):
    return numbers(lab.runner.runner.jobs[row].last.views)


@pytest.mark.parametrize("row", ["units", "joint"])
def test_what_was_learnt_is_on_every_card_again(store, row):
    lab = learnt(paged(CASE_OPEN), row, seed=7)
    again = reloaded(CASE, lab)
    assert again.runner.phase == "done"
    assert again.settings.seed == 7
    assert views(again, row) == views(lab, row)
    for each in (lab, again):
        each.state.sound.param.update(utterance=2, selected=1)
    assert cards(again) == cards(lab)
    sound = again.state.sound
    assert sound.settled
    assert sound.nearest() == lab.state.sound.nearest() != []
    assert sound.scores() == lab.state.sound.scores()
    again.runner.reset()
    writer.flush()
    assert reloaded(CASE, again).runner.phase == "idle"


def test_units_of_a_recording_come_back_without_its_frames_being_saved_twice(store):
    lab = paged(CASE)
    lab.open_file("hello.wav", recording(seconds=60.0))
    learnt(lab, "units", iterations=1, units=3)
    (part,) = store.part_names(saved(lab), RUN)
    saved_run = store.part(lab.document, part)
    assert len(saved_run) < 0.1 * lab.state.sound.speech.features.nbytes
    again = reloaded(CASE, lab)
    assert opened(again) == "hello.wav"
    assert again.runner.phase == "done"
    assert again.state.sound.view.units_used == lab.state.sound.view.units_used
    assert again.state.sound.speech is again.runner.runner.jobs["units"].run.learner.speech
    other = paged(CASE)
    other.open_file("it.otlab", write_archive(store.load(lab.document)))
    assert views(other, "units") == views(lab, "units")


def test_a_joint_run_in_progress_goes_on_with_the_same_numbers(store, monkeypatch):
    monkeypatch.setattr(runs_module, "SECONDS", 0.0)
    monkeypatch.setattr(runs_module, "COST_SHARE", 0)
    whole = learnt(paged(CASE_OPEN), "joint")
    lab = paged(CASE_OPEN)
    lab.runner.enable(["joint"])
    lab.settings.param.update(**SHORT)

    def swept():
        lab.runner.tick()
        last = lab.runner.runner.jobs["joint"].last
        return 0 if last is None else last.sweep

    for sweep in range(1, 6):  # into the joint phase
        lab.runner.step()
        until(lambda at=sweep: swept() == at)
    job = lab.runner.runner.jobs["joint"]
    lab.close()
    until(lambda: not job.alive)
    writer.flush()
    again = reloaded(CASE_OPEN, lab)
    assert again.runner.phase == "paused"
    assert again.state.sound.spoken.joint is not None
    again.runner.resume()
    assert again.runner.wait(120)
    assert views(again, "joint") == views(whole, "joint")


def test_results_of_text_and_of_sound_stay_saved_while_the_other_runs(store):
    lab = learnt(paged(CASE_OPEN), "batch")
    text = numbers(lab.state.results)
    learnt(lab, "units")
    again = reloaded(CASE, lab)
    assert numbers(again.state.results) == text
    assert again.state.sound.view is not None
    learnt(again, "batch", seed=5)
    third = reloaded(CASE, again)
    assert third.state.sound.settled
    assert third.runner.runner.jobs["batch"].run.seed == 5
    third.runner.reset()
    writer.flush()
    fourth = reloaded(CASE, third)
    assert not fourth.state.results
    assert fourth.state.sound.view is None


def test_units_give_way_to_those_of_the_joint_model(store):
    lab = learnt(learnt(paged(CASE_OPEN), "units"), "joint")
    again = reloaded(CASE, lab)
    assert set(again.runner.runner.jobs) == {"joint"}
    assert numbers(again.state.sound.view) == numbers(lab.state.sound.view)


def test_what_is_too_large_is_named(store, monkeypatch):
    monkeypatch.setattr(runs_module, "MOST_RUN_BYTES", 1000)
    lab = learnt(paged(CASE_OPEN), "units")
    assert lab.bar.saved == "Saved, without the results of Phone loop (more than 64 MB)"
    assert reloaded(CASE_OPEN, lab).runner.phase == "idle"


@pytest.mark.parametrize(("sound", "phase"), [("spoken_toy", "done"), ("digits", "idle")])
def test_a_run_of_other_frames_is_left_out(store, sound, phase):
    lab, other = learnt(paged(CASE_OPEN), "units"), paged(CASE)
    other.state.open_sound(other.state.sound.example(sound))
    other.changed()
    (part,) = store.part_names(saved(lab), RUN)
    ids, _ = loads(store.part(lab.document, SIGHT))
    _, context = loads(store.part(saved(other), SIGHT))
    run = store.part(lab.document, part)
    store.put_parts(other.document, {part: run, SIGHT: dumps((ids, context))})
    again = reloaded(CASE, other)
    assert again.runner.phase == phase
    assert (again.state.sound.view is None) == (phase == "idle")


def test_results_wait_for_their_sound():
    state, called = SoundState(), []
    state.put_files({"1 a.wav": recording(), "2 b.wav": recording(pitch=330.0)})
    state.show("1 a.wav")
    state.when_open(lambda: called.append("a"))
    assert not called
    state.show_wanted(state.to_read()())
    assert called == ["a"]
    assert isinstance(state.opened, OpenSound)
    state.show("2 b.wav")
    state.when_open(lambda: called.append("b"))
    state.open_example("spoken_toy")  # the user was faster
    assert called == ["a"]
