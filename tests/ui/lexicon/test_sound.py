"""The Sound tab without a browser: runs, segments, what is played, uploads."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from otlab.cli import main
from otlab.discovery.corpus import Corpus
from otlab.discovery.sound import audio
from otlab.discovery.sound.tiers import parse_table
from otlab.discovery.sound.zerospeech import parse_classes
from otlab.errors import InputError
from otlab.samples import sample_path
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.tabs.data import sound_file
from otlab.viz.discovery.sound import frequency_ticks, spectrogram, waveform
from tests.ui.page import component, download, one, parts, send, sent, shown_text


@pytest.fixture
def lab():
    made = LexiconLab()
    made.settings.param.update(iterations=3, units=10, components=1)
    made.page()
    (showing,) = made.showings
    showing.open("Sound")
    made.runner.enable(["units"])
    yield made
    made.close()


def tab(lab):
    (showing,) = lab.showings
    return showing.tab("Sound")


def view(lab):
    return component(tab(lab), "SoundView")


def learnt(lab):
    lab.runner.run()
    assert lab.runner.wait(120)
    assert not lab.runner.runner.failures
    return lab


def wav_of(message):
    return base64.b64decode(message["wav"])


def test_a_shipped_sound_is_open_with_its_gold_before_any_run(lab):
    shown = view(lab).sound
    assert "u000, 1 of 30" in shown["place"]
    assert shown["columns"] * shown["bands"] == len(base64.b64decode(shown["spectrogram"]))
    assert "".join(label for *_, label in shown["phones"]) == "".join(label for *_, label in shown["words"])
    assert view(lab).units["segments"] == []
    assert "press Run" in shown_text(tab(lab))


@pytest.mark.slow
def test_a_run_shows_the_units_of_the_command_line(lab, capsys, tmp_path):
    learnt(lab)
    out = tmp_path / "units.tsv"
    main(["discover", "--audio", "spoken_toy", "--units", "10", "--components", "1", "--iterations", "3",
          "--seed", "1", "--segment-out", str(out)])  # fmt: skip
    rows = [line.split("\t") for line in out.read_text().splitlines()[1:]]
    own = [[f"{a:.4f}", f"{b:.4f}", str(unit)] for a, b, unit in view(lab).units["segments"]]
    assert own == [row[1:] for row in rows if row[0] == "u000"]
    assert "units against" in shown_text(tab(lab))
    sure = np.frombuffer(base64.b64decode(view(lab).units["probability"]), np.uint8)
    assert sure == pytest.approx(255 * lab.state.sound.view.probability[: sure.size], abs=0.51)
    assert sure.size == lab.state.sound.speech.lengths[0]
    stats = {stat.label: stat.value for stat in lab.runner.report.stats}
    assert stats["NMI"] == f"{lab.state.sound.scores()['nmi']:.3f}".lstrip("0")


@pytest.mark.slow
def test_boundaries_that_several_runs_share_are_shown_and_downloaded(lab, capsys, tmp_path):
    """In the run, at its end, and when it is played again; the file is that of the command line."""
    (showing,) = lab.showings
    showing.open("Data")
    showing.open("Sound")
    learnt(lab)
    assert view(lab).units["agreed"] == []
    assert "runs agree" not in shown_text(tab(lab))
    lab.settings.restarts = 3
    learnt(lab)
    out = tmp_path / "agreed.tsv"
    main(["discover", "--audio", "spoken_toy", "--units", "10", "--components", "1", "--iterations", "3",
          "--seed", "1", "--restarts", "3", "--json", "--agreed-out", str(out)])  # fmt: skip
    f = json.loads(capsys.readouterr().out)["scores"]["agreed_boundary_f"]
    rows = [line.split("\t") for line in out.read_text().splitlines()[1:]]
    shown = [[f"{a:.4f}", f"{b:.4f}", ""] for a, b in view(lab).units["agreed"]]
    assert shown == [row[1:] for row in rows if row[0] == "u000"]
    assert f"what 3 runs agree on {f:.3f}".replace(" 0.", " .") in shown_text(tab(lab))
    name, content = download(showing.tab("Data"), "agreed")
    assert (name, content) == ("spoken_toy_agreed.tsv", out.read_bytes())
    send(lab.runner, {"kind": "replay", "share": 0.34}, "RunHead")
    earlier = view(lab).units["agreed"]
    assert earlier != [[float(a), float(b)] for a, b, _ in shown]
    assert earlier[-1][1] == float(shown[-1][1])
    assert "runs agree" not in shown_text(tab(lab))
    send(lab.runner, {"kind": "replay", "share": 1.0}, "RunHead")
    assert [[f"{a:.4f}", f"{b:.4f}", ""] for a, b in view(lab).units["agreed"]] == shown


@pytest.mark.slow
def test_what_was_found_in_sound_is_downloaded(lab):
    (showing,) = lab.showings
    showing.open("Data")
    showing.open("Sound")
    data = showing.tab("Data")
    with pytest.raises(InputError, match="before a run"):
        sound_file(lab.state.sound, "units")
    learnt(lab)
    with pytest.raises(InputError, match="set Restarts to 2 or more"):
        sound_file(lab.state.sound, "agreed")
    with pytest.raises(InputError, match="tick Joint model"):
        sound_file(lab.state.sound, "words")
    rows = parse_table(download(data, "units")[1].decode())
    assert [(i.start, i.end, int(i.label)) for name, i in rows if name == "u000"] == [
        (pytest.approx(a, abs=1e-4), pytest.approx(b, abs=1e-4), unit)
        for a, b, unit in view(lab).units["segments"]
    ]
    name, classes = download(data, "classes")
    assert name == "spoken_toy_units.classes"
    assert sum(map(len, parse_classes(classes.decode()).values())) == len(rows)
    lab.runner.enable(["joint"])
    lab.settings.param.update(word_iterations=4, rounds=1)
    learnt(lab)
    words = parse_table(download(data, "words")[1].decode())
    assert [i.label for _, i in words] == [i.label for u in lab.state.sound.spoken.joint.intervals for i in u]


def test_a_segment_is_played_and_the_nearest_of_its_unit_are_listed(lab):
    learnt(lab)
    messages = sent(tab(lab), "SoundView")
    start, end, unit = view(lab).units["segments"][2]
    send(tab(lab), {"kind": "choose", "segment": 2}, "SoundView")
    assert view(lab).units["selected"] == 2
    played = audio.describe(wav_of(messages[-1]))
    assert played.seconds == pytest.approx(end - start + 0.04, abs=0.001)
    assert messages[-1]["start"] == start
    send(tab(lab), {"kind": "of another version"}, "SoundView")
    assert view(lab).units["selected"] == 2
    rows = one(tab(lab), "SegmentList").rows
    distances = [float(row["distance"]) for row in rows]
    assert 1 <= len(rows) <= 10
    assert distances == sorted(distances)
    found = lab.state.sound.found
    assert {found.segments[row["u"]][row["k"]].unit for row in rows} == {unit}
    send(tab(lab), {"kind": "hear", "u": rows[0]["u"], "k": rows[0]["k"]}, "SegmentList")
    assert len(messages) == 2
    send(tab(lab), {"kind": "show", "u": rows[0]["u"], "k": rows[0]["k"]}, "SegmentList")
    assert lab.state.sound.utterance == rows[0]["u"]
    assert view(lab).units["selected"] == rows[0]["k"]


def test_a_chosen_segment_stays_chosen_while_units_change(lab):
    learnt(lab)
    send(tab(lab), {"kind": "choose", "segment": 4}, "SoundView")
    start, end, _ = view(lab).units["segments"][4]
    lab.settings.param.update(iterations=6)
    learnt(lab)
    found = view(lab).units
    assert (
        found["segments"][found["selected"]][0] <= (start + end) / 2 < found["segments"][found["selected"]][1]
    )


def test_the_whole_utterance_is_played_as_it_was_recorded(lab):
    messages = sent(tab(lab), "SoundView")
    send(tab(lab), {"kind": "turn", "by": 1}, "SoundView")
    send(tab(lab), {"kind": "play"}, "SoundView")
    own, _ = soundfile.read(sample_path("spoken_toy") / "u001.flac")
    played = np.concatenate(list(audio.blocks(wav_of(messages[-1]), 16000)))
    assert played == pytest.approx(own[: played.size], abs=1e-4)
    assert own.size - played.size < 160


def test_learners_of_the_text_and_of_the_sound_keep_to_their_own(lab):
    learnt(lab)
    assert lab.state.runs.kept == []
    sound = lab.state.sound.view
    lab.runner.enable(["batch"])
    learnt(lab)
    assert lab.state.sound.view is sound
    assert next(stat.label for stat in lab.runner.report.stats) == "Token F"
    lab.runner.reset()
    assert lab.state.sound.view is None
    assert view(lab).units["segments"] == []


def take(lab, name, data):
    zone = tab(lab).zone
    zone.take(name, data)
    assert zone.wait()


def wav(seconds=1.0, rate=8000):
    samples = np.random.default_rng(1).normal(0, 0.1, round(seconds * rate))
    return audio.wav_bytes(samples, rate)


def test_an_uploaded_recording_is_shown_and_learnt(lab):
    take(lab, "mine.wav", wav())
    assert "mine, 1 of 1" in view(lab).sound["place"]
    assert view(lab).sound["phones"] == []
    learnt(lab)
    assert view(lab).units["segments"]
    assert "There are no gold phones" in shown_text(tab(lab))


def test_an_uploaded_zip_brings_its_gold_and_names_what_is_left_out(lab):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("talk/a.wav", wav())
        archive.writestr("talk/bad.wav", b"RIFF")
        archive.writestr("../../phones.tsv", "a\t0\t0.5\tx\na\t0.5\t1.0\ty\n")
        archive.writestr("notes.exe", b"no")
    take(lab, "talk.zip", packed.getvalue())
    assert [label for *_, label in view(lab).sound["phones"]] == ["x", "y"]
    assert "bad.wav: cannot be read as sound" in shown_text(tab(lab))


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.wav", b"no sound", "cannot be read as sound"),
        ("a.wav", audio.wav_bytes(np.zeros(8000), 8000), "is silent"),
        ("a.zip", b"PK\3\4 broken", "cannot be unpacked"),
    ],
)
def test_a_faulty_upload_leaves_what_was_open(lab, name, data, what):
    before = lab.state.sound.opened
    take(lab, name, data)
    assert lab.state.sound.opened is before
    assert what in "".join(str(pane.object) for pane in parts(tab(lab), "Html"))


def test_a_sound_dropped_on_the_home_page_opens_the_tab():
    lab = LexiconLab()
    lab.page()
    lab.open_file("drop.wav", wav())
    assert lab.state.sound.speech.names == ("drop",)
    assert set(lab.runner.runner.enabled) == {"units"}
    lab.close()


def test_a_page_that_begins_with_a_sound_shows_it_its_name_and_its_settings():
    lab = LexiconLab()
    lab.open_file("drop.wav", wav())  # before the page is drawn, as when it comes from the home page
    page = lab.page()
    (showing,) = lab.showings
    assert "drop, 1 of 1" in component(showing.shown, "SoundView").sound["place"]
    assert lab.state.source_name == "drop.wav"
    assert "Shown: drop.wav" in shown_text(showing)
    grammar = component(page, "GrammarBox")
    hidden = lab.runner.form.state["hidden"]
    assert (grammar.visible, {"start", "boundary", "shown", "Noisy text"} <= set(hidden)) == (False, True)
    lab.runner.enable(["batch"])
    assert grammar.visible
    assert "start" not in lab.runner.form.state["hidden"]
    lab.choose("toy_phones")
    lab.close()


def test_units_counted_are_those_that_are_drawn(lab):
    learnt(lab)
    stats = {stat.label: stat.value for stat in lab.runner.report.stats}
    drawn = {i.label for each in lab.state.sound.found.intervals for i in each}
    assert stats["Units"] == str(len(drawn))


def test_running_units_without_sound_says_what_to_do():
    lab = LexiconLab()
    lab.page()
    lab.runner.enable(["units"])
    lab.runner.run()
    lab.runner.wait(20)
    assert "no sound is open" in str(lab.runner.runner.failures)
    lab.close()


def test_a_tone_is_dark_at_its_height_of_the_spectrogram():
    t = np.arange(8000) / 16000
    picture = spectrogram(np.sin(2 * np.pi * 2000 * t), 16000)
    (height,) = [h for h, label in frequency_ticks(16000) if label == "2"]
    assert picture[50].argmax() == pytest.approx(height * 95, abs=1)
    assert picture.max() == 255
    assert waveform(np.sin(2 * np.pi * 2000 * t), 16000).shape == (100, 2)


def test_recordings_of_one_name_in_two_folders_of_a_zip_keep_their_own_gold(lab):
    data = (Path(__file__).parents[2] / "discovery/sound/cases/same_names.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        recordings = [n.removesuffix(".wav") for n in archive.namelist() if n.endswith(".wav")]
    take(lab, "same.zip", data)
    speech = lab.state.sound.speech
    assert list(speech.names) == recordings == ["A/S1", "B/S1", "B/S2"]
    assert [bool(tier) for tier in speech.phones] == [True, False, False]


def test_a_zip_with_one_path_twice_is_refused(lab):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("talk/a.wav", wav())
        archive.writestr("../talk/a.wav", wav())
    before = lab.state.sound.opened
    take(lab, "talk.zip", packed.getvalue())
    assert lab.state.sound.opened is before
    assert "holds two files talk/a.wav" in "".join(str(pane.object) for pane in parts(tab(lab), "Html"))


def test_the_tiers_of_a_textgrid_are_chosen_on_the_tab(lab):
    """The choice comes back by Undo, and is part of the document."""
    text = (Path(__file__).parents[2] / "discovery/sound/cases/webmaus.TextGrid").read_text()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("u.wav", wav(1.4))
        archive.writestr("u.TextGrid", text.replace('"MAU"', '"IPA"'))
    take(lab, "talk.zip", packed.getvalue())
    panel = tab(lab).read_as
    assert "none is taken for phones" in shown_text(tab(lab))
    assert (panel.heads, panel.columns) == (["ORT-MAU", "KAN-MAU", "IPA"], ["words", "not used", "not used"])
    send(panel, {"column": 2, "role": "phones"})
    assert tab(lab).zone.wait()
    assert [label for *_, label in view(lab).sound["phones"]] == ["a", "s", "e", "s", "i"]
    assert tab(lab).read_as.columns == ["words", "not used", "phones"]
    key = lab.state.sound.key
    again = LexiconLab()
    again.state.put_files({key: packed.getvalue()})
    again.state.sound.show(key)
    assert again.state.sound.speech.reading.tiers == {"phones": "IPA", "words": "ORT-MAU"}
    again.close()
    lab.undo()
    assert view(lab).sound["phones"] == []


def zipped(files):
    """Return a ZIP of files by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


LIMITS = "otlab.ui.lexicon.open_sound."


def test_a_small_zip_of_silence_is_opened_however_well_it_packs(lab):
    quiet = np.zeros(16_000 * 40)
    quiet[:16_000] = 0.5 * np.sin(np.arange(16_000) / 5)
    packed = zipped(
        {"quiet.wav": audio.wav_bytes(quiet, 16_000), "silent.wav": audio.wav_bytes(0 * quiet, 16_000)}
    )
    assert 2 * 2 * quiet.size > 50 * len(packed)
    take(lab, "quiet.zip", packed)
    assert set(lab.state.sound.speech.names) == {"quiet"}
    assert "silent.wav: is silent" in shown_text(tab(lab))


def test_a_zip_that_unpacks_to_far_more_than_it_holds_is_refused(lab, monkeypatch):
    before, bomb = lab.state.sound.opened, zipped({"a.wav": bytes(10_000_000)})
    monkeypatch.setattr(f"{LIMITS}SOUND_JUDGED_FROM", 9_999_999)
    take(lab, "bomb.zip", bomb)
    assert f"unpacks to {10_000_000 / len(bomb):,.0f} times its size" in shown_text(tab(lab))
    monkeypatch.setattr(f"{LIMITS}MOST_UNPACKED", 9_999_999)
    take(lab, "bomb.zip", bomb)
    assert "holds more than 10 MB" in shown_text(tab(lab))
    assert "otlab discover --audio" in shown_text(tab(lab))
    assert lab.state.sound.opened is before


def test_a_zip_of_very_many_files_or_of_packed_text_is_refused(lab, monkeypatch):
    before, text = lab.state.sound.opened, zipped({"a.wav": wav(0.5), "a.TextGrid": b"0 " * 5_000_000})
    monkeypatch.setattr(f"{LIMITS}TEXT_JUDGED_FROM", 9_999_999)
    take(lab, "text.zip", text)
    assert f"unpacks to {10_000_000 / len(text):,.0f} times its size" in shown_text(tab(lab))
    monkeypatch.setattr(f"{LIMITS}MOST_FILES", 2)
    take(lab, "many.zip", zipped({f"{n}.wav": b"" for n in range(3)}))
    assert "holds 3 files, more than 2" in shown_text(tab(lab))
    assert lab.state.sound.opened is before


@pytest.mark.parametrize("packed", [True, False])
def test_sound_that_lasts_too_long_is_refused_before_it_is_read(lab, monkeypatch, packed):
    before, sound = lab.state.sound.opened, wav(4.0)
    monkeypatch.setattr(f"{LIMITS}MOST_HOURS", 0.001)
    take(lab, *(("long.zip", zipped({"a.wav": sound})) if packed else ("long.wav", sound)))
    assert "lasts 0.0 hours, more than 0.001" in shown_text(tab(lab))
    assert lab.state.sound.opened is before


def test_what_is_left_out_of_a_sound_from_the_home_page_is_said(lab, monkeypatch):
    warnings = []
    monkeypatch.setattr(lab, "warn", warnings.append)
    lab.open_file("talk.zip", zipped({"a.wav": wav(), "bad.wav": b"RIFF"}))
    assert lab.state.sound.speech.names == ("a",)
    (said,) = warnings
    assert "bad.wav: cannot be read as sound" in said


def test_no_unit_is_chosen_before_there_are_any(lab):
    messages = sent(tab(lab), "SoundView")
    send(tab(lab), {"kind": "choose", "segment": 0}, "SoundView")
    assert view(lab).units["selected"] == -1
    assert messages == []


def test_features_without_sound_have_units_and_words_but_nothing_to_play(lab):
    rng, made = np.random.default_rng(1), {}
    for name in ("a", "b"):
        features = io.BytesIO()
        np.save(features, rng.normal(size=(50, 4)))
        made[f"{name}.npy"] = features.getvalue()
    take(lab, "features.zip", zipped(made))
    assert "a, 1 of 2" in view(lab).sound["place"]
    assert not view(lab).sound["spectrogram"]
    lab.runner.enable(["joint"])
    lab.settings.param.update(word_iterations=2, rounds=1)
    learnt(lab)
    (showing,) = lab.showings
    showing.go("Spoken words")
    spoken = showing.tab("Spoken words")
    row = component(spoken, "SpokenRows").shown["rows"][0]
    assert [tier["name"] for tier in row["tiers"]] == ["pipeline", "joint"]
    heard = sent(spoken, "SpokenRows")
    send(spoken, {"kind": "hear", "u": 0, "start": 0.0, "end": 0.2}, "SpokenRows")
    showing.go("Sound")
    heard_here = sent(tab(lab), "SoundView")
    send(tab(lab), {"kind": "play"}, "SoundView")
    send(tab(lab), {"kind": "choose", "segment": 0}, "SoundView")
    assert view(lab).units["selected"] == 0
    assert heard == heard_here == []


def test_the_open_sound_stays_when_it_is_picked_again(lab):
    take(lab, "mine.wav", wav())
    before = lab.state.sound.opened
    picker = one(tab(lab), "Pickers")
    (choice,) = picker.choices
    assert (choice["value"], choice["options"][-1]) == ("own", ["own", "mine.wav"])
    send(picker, {"name": "sound", "value": "own"})
    assert lab.state.sound.opened is before
    send(picker, {"name": "sound", "value": "spoken_toy"})
    assert lab.state.sound.opened.key == "spoken_toy"


def test_a_sound_of_the_document_is_kept_until_it_has_been_read():
    state = LexiconState(Corpus.from_text("a b\n"))
    key = f"{'0' * 32} talk.wav"
    state.put_files({key: wav()})
    state.sound.show(key)
    assert state.sound.opened is None
    assert state.sound.key == key  # saved again now, the document still names it
    state.sound.show("")  # Undo, before it was read
    assert (state.sound.key, state.sound.opened) == ("", None)
