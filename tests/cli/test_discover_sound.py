"""``otlab discover --audio`` on the shipped sound."""

import json
import re
import shutil
from pathlib import Path

import pytest

from otlab.cli import main
from otlab.discovery.sound.tiers import parse_table
from otlab.discovery.sound.zerospeech import parse_classes
from otlab.samples import sample_path, samples

QUICK = ("--units", "8", "--components", "1", "--iterations", "3", "--seed", "1")


def run(capsys, *argv):
    code = main([*argv, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def test_units_of_a_sample(capsys, tmp_path):
    table, classes = tmp_path / "units.tsv", tmp_path / "units.classes"
    code, printed, err = run(
        capsys, "discover", "--audio", "spoken_toy", *QUICK,
        "--segment-out", str(table), "--classes-out", str(classes),
    )  # fmt: skip
    assert code == 0
    assert "warning" not in err
    assert len(printed["objective"]) == 4
    assert set(printed["scores"]) == {
        "nmi", "nmi_symmetric", "purity", "boundary_p", "boundary_r", "boundary_f", "r_value",
    }  # fmt: skip
    assert (printed["utterances"], printed["settings"]["learner"], printed["settings"]["units"]) == (
        30,
        "units",
        8,
    )
    assert len(printed["units"]) == 8
    rows = parse_table(table.read_text())
    assert {name for name, _ in rows} == {f"u{k:03d}" for k in range(30)}
    assert sum(map(len, parse_classes(classes.read_text()).values())) == len(rows)


def test_words_of_the_joint_model(capsys, tmp_path):
    """Scores of words beside those of units, the phases, edits, and the words with their times."""
    table = tmp_path / "words.tsv"
    code, printed, _ = run(
        capsys, "discover", "--audio", "spoken_toy", *QUICK, "--learner", "joint",
        "--word-iterations", "4", "--rounds", "2", "--segment-out", str(table),
    )  # fmt: skip
    assert code == 0
    assert len(printed["objective"]) == 4 + 1 + 2
    assert [phase["what"] for phase in printed["phases"]] == [
        "words begin, 1 unused unit left out",
        "joint begins",
    ]
    assert {"nmi", "token_p", "token_r", "token_f", "lexicon_p", "lexicon_r", "lexicon_f"} <= set(
        printed["scores"]
    )
    assert sum(printed["operations"].values()) == pytest.approx(1.0)
    rows = parse_table(table.read_text())
    assert len(rows) <= sum(word["expected_count"] for word in printed["lexicon"])
    assert {i.label for _, i in rows} <= {word["string"] for word in printed["lexicon"]}


def test_the_same_seed_gives_the_same_units(capsys):
    first, second = (
        run(capsys, "discover", "--audio", "digits", *QUICK, "--threads", n)[1]["objective"] for n in "12"
    )
    assert first == second


def test_without_gold_phones_the_result_says_so(capsys):
    _, printed, _ = run(capsys, "discover", "--audio", "digits", *QUICK)
    assert printed["scores"] is None
    assert "no gold phones" in printed["scores_note"]


def test_a_broken_file_is_named_and_the_rest_learnt(capsys, tmp_path):
    for name in ("u000.flac", "u001.flac"):
        shutil.copy(sample_path("spoken_toy") / name, tmp_path)
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    code, printed, err = run(capsys, "discover", "--audio", str(tmp_path), *QUICK)
    assert code == 0
    assert "warning: broken.wav: cannot be read as sound" in err
    assert printed["utterances"] == 2
    assert printed["warnings"] == ["broken.wav: cannot be read as sound; save it again as WAV or FLAC"]


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (["discover"], "neither a text nor a folder of sound; name a text, or a folder with --audio"),
        (["discover", "toy", "--audio", "digits"], "both a text and sound"),
        (["discover", "toy", "--learner", "units"], "--learner units learns from sound"),
        (["discover", "--audio", "digits", "--learner", "batch"], "--learner batch learns from a text"),
        (["discover", "toy", "--gold", "."], "--gold goes with --audio"),
        (["discover", "--audio", "no/where"], "there is no folder no/where"),
        (["discover", "--audio", "digits", "--units", "0"], "--units 0: write a whole number, 1 or more"),
    ],
)
def test_what_does_not_go_together_is_refused(capsys, argv, what):
    code, _, err = run(capsys, *argv)
    assert code == 2
    assert what in err


def test_all_missing_folders_are_told_before_any_sound_is_read(capsys, monkeypatch):
    monkeypatch.delattr("otlab.discovery.sound.speech.read_recording")
    argv = ("--gold", "no/gold", "--segment-out", "no/a", "--classes-out", "no/b", "--agreed-out", "x")
    code, _, err = run(capsys, "discover", "--audio", "digits", *argv, "--restarts", "1")
    assert code == 2
    told = ["--agreed-out compares runs", "no folder no to write to", "there is no folder no/gold"]
    assert [err.count(what) for what in told] == [1, 1, 1]


def test_sound_is_among_the_samples():
    found = {s.name: s for s in samples("discovery") if s.path.is_dir()}
    assert set(found) == {"digits", "spoken_toy"}
    assert "CC BY-SA 4.0" in found["digits"].source


def test_tiers_of_textgrids_are_chosen_and_told(capsys, tmp_path):
    shutil.copy(sample_path("spoken_toy") / "u000.flac", tmp_path)
    rows = ['0\n0.3\n"a"', '0.3\n0.6\n"s"']
    tier = '"IntervalTier"\n"{}"\n0\n0.6\n2\n' + "\n".join(rows)
    text = "\n".join(
        ['"ooTextFile"', '"TextGrid"', "0", "0.6", "<exists>", "2", tier.format("IPA"), tier.format("x")]
    )
    (tmp_path / "u000.TextGrid").write_text(text)
    argv = ("discover", "--audio", str(tmp_path), *QUICK)
    code, printed, err = run(capsys, *argv)
    assert (code, printed["scores"]) == (0, None)
    assert "u000.TextGrid has the tiers 'IPA', 'x'; none is taken for phones" in err
    code, printed, err = run(capsys, *argv, "--tiers", "words=x,phones=IPA")
    assert printed["reading"]["tiers"] == {"phones": "IPA", "words": "x"}
    assert printed["scores"]["nmi"] >= 0
    assert "1 recording; phones from IPA, words from x" in err
    code, _, err = run(capsys, *argv, "--tiers", "tones=IPA")
    assert code == 2
    assert "--tiers tones=IPA; write words=NAME,phones=NAME" in err


def test_people_read_scores_and_phases(capsys):
    argv = ["discover", "--audio", "spoken_toy", *QUICK, "--learner", "joint", "--word-iterations", "4"]
    assert main([*argv, "--rounds", "2"]) == 0
    printed = capsys.readouterr().out
    told = " ".join(printed.split())
    assert "lexicon f 0." in told
    assert "from iteration 4: words begin, 1 unused unit left out, with an objective of its own" in told
    units = [line for line in printed.splitlines() if re.fullmatch(r" *\d+ +[\d,.]+ +0\.\d{4} *", line)]
    assert f"{len(units)} units used" in told


def test_folders_of_sound_are_speakers(capsys, tmp_path):
    for name in ("ann/u000.flac", "ben/u001.flac"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(sample_path("spoken_toy") / Path(name).name, tmp_path / name)
    assert main(["discover", "--audio", str(tmp_path), *QUICK]) == 0
    printed = capsys.readouterr()
    assert "2 recordings; 2 folders, each a speaker" in printed.err
    assert "nmi" not in printed.out  # there are no gold times
