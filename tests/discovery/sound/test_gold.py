"""Gold times in files of every kind belong to the right recording; what is left out is named."""

import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from otlab.discovery.io.textgrid import tiers_called
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import read_speech
from otlab.errors import DataWarning, InputError
from otlab.inference import fit

CASES = Path(__file__).with_name("cases")
RATE = 8000
PHONES = [(0.0, 0.3, "a"), (0.3, 0.5, "s"), (0.5, 0.8, "e"), (0.8, 1.0, "s"), (1.0, 1.4, "i")]
LABELS = [label for *_, label in PHONES]


def record(path, seconds=1.4):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.random.default_rng(1).normal(0, 0.1, round(seconds * RATE)), RATE)


@pytest.fixture
def folder(tmp_path):
    """A recording of 1.4 s."""
    record(tmp_path / "u.wav")
    return tmp_path


def quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_speech(*args, **options)


def labels(speech, kind="phones", u=0):
    return [i.label for i in getattr(speech, kind)[u]]


def lines(template, rows=PHONES):
    return "".join(template.format(a, b, label) for a, b, label in rows)


def units(template):
    return "".join(template.format(round(a * 1e7), round(b * 1e7), label) for a, b, label in PHONES)


GOLD = {
    "u.lab": units("{} {} {}\n"),
    "u.lab with scores": units("{} {} {} -41.5\n"),
    "u.lab in seconds": lines("{:.3f} {:.3f} {}\n"),
    "u.lab of xwaves": "signal u\nnfields 1\n#\n" + lines("  {1:.3f} 121 {2}\n"),
    "all.mlf": '#!MLF!#\n"*/u.lab"\n' + units("{} {} {}\n") + ".\n",
    "u.phones": "signal u\ntype 0\nseparator ;\nnfields 1\n#\n" + lines("  {1:.3f}  122 {2}\n"),
    "phones.ctm": ";; made by hand\n" + "".join(f"u 1 {a} {b - a:.3f} {x} 0.9\n" for a, b, x in PHONES),
    "u.phn": "".join(f"{round(a * RATE)} {round(b * RATE)} {x}\n" for a, b, x in PHONES),
    "all.phn": lines("u {} {} {}\n"),
    "phones.tsv": lines("u\t{}\t{}\t{}\n"),
}


@pytest.mark.parametrize("kind", GOLD)
def test_every_kind_of_file_gives_a_phone_for_each_line(folder, kind):
    (folder / kind.split()[0]).write_text(GOLD[kind])
    speech = quietly(folder)
    assert [(round(i.start, 3), round(i.end, 3), i.label) for i in speech.phones[0]] == PHONES


def test_words_of_buckeye_and_ctm(folder):
    (folder / "u.words").write_text("#\n  0.3 122 <SIL>; S; null\n  1.0 122 okay; ow k ey; ow k ey; UH\n")
    assert labels(quietly(folder), "words") == ["sil", "okay"]
    (folder / "u.words").unlink()
    (folder / "aligned.ctm").write_text("u A 0.1 0.4 yes\nu A 0.5 0.4 no\n")
    assert labels(quietly(folder), "words") == ["yes", "no"]


@pytest.mark.parametrize(
    ("name", "phones", "words"),
    [("webmaus", "MAU", "ORT-MAU"), ("speaker", "sp1 - phones", "sp1 - words")],
)
def test_tiers_are_found_by_the_names_that_aligners_give(folder, name, phones, words):
    (folder / "u.TextGrid").write_bytes((CASES / f"{name}.TextGrid").read_bytes())
    speech = quietly(folder)
    assert labels(speech) == LABELS
    assert labels(speech, "words") == ["ase", "si"]
    assert speech.reading.to_dict()["tiers"] == {"phones": phones, "words": words}


@pytest.mark.parametrize(
    ("names", "phones", "words"),
    [
        (["Word", "Phone"], ["Phone"], ["Word"]),
        (["segments", "words"], ["segments"], ["words"]),
        (["phonemes", "Laute"], ["phonemes"], []),
        (["Laute", "Wörter"], ["Laute"], ["Wörter"]),
        (["a - words", "a - phones", "b - words", "b - phones"], ["a - phones", "b - phones"],
         ["a - words", "b - words"]),
        (["KAN-MAU", "gloss"], [], []),
    ],
)  # fmt: skip
def test_names_of_tiers(names, phones, words):
    assert (tiers_called(names, "phones"), tiers_called(names, "words")) == (phones, words)


def test_other_tiers_are_named_and_can_be_chosen(folder):
    text = (CASES / "webmaus.TextGrid").read_text().replace('"MAU"', '"IPA"').replace("ORT-MAU", "text")
    (folder / "u.TextGrid").write_text(text)
    with pytest.warns(
        DataWarning, match=r"u\.TextGrid has the tiers 'text', 'KAN-MAU', 'IPA'; none is taken for"
    ):
        assert read_speech(folder).phones is None
    speech = quietly(folder, tiers={"phones": "ipa", "words": "KAN-MAU"})
    assert (labels(speech), labels(speech, "words")) == (LABELS, ["ase", "si"])
    assert speech.reading.offered == {"text": ["ase", "si"], "KAN-MAU": ["ase", "si"], "IPA": LABELS}
    assert quietly(folder, tiers={"phones": ""}).phones is None


def test_an_interval_without_length_is_left_out_and_named(folder):
    (folder / "u.TextGrid").write_bytes((CASES / "zero_length.TextGrid").read_bytes())
    with pytest.warns(
        DataWarning, match=r"u\.TextGrid: 'sp' at 0\.3 s has no length; 1 such interval left out"
    ):
        assert labels(read_speech(folder)) == LABELS
    (folder / "u.TextGrid").unlink()
    (folder / "u.lab").write_text("0 3000000 a\n3000000 3000000 sp\n3000000 14000000 s\n")
    with pytest.warns(DataWarning, match=r"u\.lab: 'sp' at 0\.3 s has no length"):
        assert labels(read_speech(folder)) == ["a", "s"]


def test_phones_that_overlap_are_named(folder):
    (folder / "u.phn").write_text("0.0 0.4 a\n0.3 0.5 s\n0.5 0.9 e\n0.8 1.4 i\n")
    with pytest.warns(
        DataWarning, match=r"u\.phn: 's' at 0\.3 s begins before 'a' ends \(2 such pairs\); of"
    ):
        speech = read_speech(folder)
    assert labels(speech) == list("asei")


def test_speakers_who_speak_at_once_are_no_fault(folder):
    tiers = [[(0.0, 0.5, "a"), (0.5, 1.4, "s")], [(0.0, 0.7, ""), (0.7, 1.4, "i")]]
    text = '"ooTextFile"\n"TextGrid"\n0\n1.4\n<exists>\n2\n' + "".join(
        f'"IntervalTier"\n"{name} - phones"\n0\n1.4\n2\n' + lines('{}\n{}\n"{}"\n', tier)
        for name, tier in zip("AB", tiers, strict=True)
    )
    (folder / "u.TextGrid").write_text(text)
    assert labels(quietly(folder)) == ["a", "s", "i"]


def test_an_interval_that_ends_before_it_starts_is_refused_in_its_own_words(folder):
    text = (CASES / "zero_length.TextGrid").read_text().replace("xmax = 0.3 ", "xmax = 0.2 ")
    (folder / "u.TextGrid").write_text(text)
    with pytest.raises(InputError, match=r"u\.TextGrid: interval 'sp' of tier phones ends at 0\.2 s, before"):
        read_speech(folder)


def textgrid(text, kind):
    short = [
        '"ooTextFile short"',
        '"TextGrid"',
        "0",
        "1.4",
        "<exists>",
        "1",
        '"IntervalTier"',
        '"phones"',
        "0",
        "1.4",
    ]
    rows = [f'{a}\n{b}\n"{label}"' for a, b, label in PHONES]
    return {
        "old short": "\n".join([*short, "5", *rows]).encode(),
        "Latin-1": text.replace('"e"', '"é"').encode("latin-1"),
        "UTF-16": text.encode("utf-16"),
    }[kind]


@pytest.mark.filterwarnings("ignore:.*Windows-1252")
@pytest.mark.parametrize("kind", ["old short", "Latin-1", "UTF-16"])
def test_textgrids_of_older_programs(folder, kind):
    text = (CASES / "speaker.TextGrid").read_text()
    (folder / "u.TextGrid").write_bytes(textgrid(text, kind))
    assert [label.replace("é", "e") for label in labels(read_speech(folder))] == LABELS


def test_a_textgrid_without_tiers_or_intervals_holds_no_gold(folder):
    (folder / "u.TextGrid").write_text('"ooTextFile"\n"TextGrid"\n0\n1.4\n<absent>\n')
    with pytest.warns(DataWarning, match="no interval tiers"):
        assert read_speech(folder).phones is None
    (folder / "u.TextGrid").write_text(
        '"ooTextFile"\n"TextGrid"\n0\n1\n<exists>\n1\n"IntervalTier"\n"phones"\n0\n1\n0\n'
    )
    assert quietly(folder).phones is None


def test_gold_beyond_the_sound_is_no_gold(folder):
    (folder / "u.phn").write_text("0 3000000 a\n3000000 5000000 s\n5000000 8000000 e\n")
    ends = r"u\.phn ends at 1,000\.00 s \(8,000,000 samples\), the sound at 1\.\d\d s; "
    with pytest.warns(DataWarning, match=ends + r".* HTK units of 100 ns, name the file u\.lab"):
        speech = read_speech(folder)
    assert speech.phones is None
    fitted = fit(PhoneLoop(speech, units=3, components=1), steps=1, seed=1)
    assert (fitted.scores, fitted.to_dict()["scores"]) == (None, None)
    (folder / "u.phn").rename(folder / "u.lab")
    assert labels(quietly(folder)) == ["a", "s", "e"]
    (folder / "u.lab").unlink()
    (folder / "phones.tsv").write_text("u\t0\t300\ta\nu\t300\t1400\ts\n")
    with pytest.warns(DataWarning, match=r"phones\.tsv ends at 1,400\.00 s, the sound at .* milliseconds"):
        read_speech(folder)


def test_recordings_of_one_name_in_two_folders_keep_their_own_gold(tmp_path):
    with zipfile.ZipFile(CASES / "same_names.zip") as archive:
        archive.extractall(tmp_path)
    speech = quietly(tmp_path)
    assert speech.names == ("A/S1", "B/S1", "B/S2")
    assert [len(tier) for tier in speech.phones] == [(tmp_path / "A/S1.phn").read_text().count("\n"), 0, 0]
    assert speech.reading.speakers == ("A", "B")
    for u in range(3):
        own = np.concatenate(
            [speech.subset([v]).features for v in range(3) if speech.names[v][0] == speech.names[u][0]]
        )
        assert own.mean(axis=0) == pytest.approx(0, abs=1e-9)


def test_gold_lies_in_folders_like_those_of_the_sound_or_in_one_of_its_own(tmp_path):
    for name in ("corpus/wav/u1.wav", "corpus/wav/u2.wav"):
        record(tmp_path / name)
    (tmp_path / "corpus" / "times").mkdir()
    for name in ("u1", "u2"):
        (tmp_path / "corpus" / "times" / f"{name}.lab").write_text(units("{} {} {}\n"))
    speech = quietly(tmp_path)
    assert (speech.names, speech.reading.speakers) == (("u1", "u2"), ())
    assert [labels(speech, u=u) for u in (0, 1)] == [LABELS, LABELS]
    assert quietly(tmp_path / "corpus" / "wav").phones is None
    apart = quietly(tmp_path / "corpus" / "wav", tmp_path / "corpus" / "times")
    assert labels(apart, u=1) == LABELS


def test_a_name_that_two_recordings_have_is_asked_for(tmp_path):
    for name in ("a/s.wav", "b/s.wav"):
        record(tmp_path / name)
    (tmp_path / "phones.tsv").write_text("s\t0\t0.5\tx\nb/s\t0\t0.5\ty\n")
    with pytest.warns(DataWarning, match=r"gold without sound, left out: s \(which of a/s, b/s\?\)"):
        speech = read_speech(tmp_path)
    assert [[i.label for i in tier] for tier in speech.phones] == [[], ["y"]]


def test_what_is_there_twice_is_used_once_and_named(folder):
    (folder / "u.lab").write_text(units("{} {} {}\n"))
    (folder / "u.TextGrid").write_bytes((CASES / "speaker.TextGrid").read_bytes())
    with pytest.warns(DataWarning, match=r"the phones of u are in u\.TextGrid; those of u\.lab are left out"):
        assert labels(read_speech(folder)) == LABELS
    (folder / "u.lab").unlink()
    soundfile.write(folder / "u.flac", np.random.default_rng(1).normal(0, 0.1, 12000), RATE)
    with pytest.warns(DataWarning, match=r"u\.wav: has the name of u\.flac, and is left out"):
        assert len(read_speech(folder)) == 1


def test_transcripts_without_times_and_hidden_files_are_no_gold(folder):
    (folder / "u.lab").write_text("ase si\n")
    (folder / "._u.wav").write_bytes(b"Mac OS X")
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "u.wav").write_bytes(b"Mac OS X")
    (folder / "v.m4a").write_bytes(b"no")
    with pytest.warns(DataWarning) as caught:
        speech = read_speech(folder)
    assert speech.names == ("u",)
    assert [str(w.message).split(";")[0] for w in caught] == [
        "v.m4a: m4a is no format of sound known here",
        "no times in u.lab: not used as gold",
    ]


def test_utterances_without_gold_are_not_scored(folder):
    """Boundaries found where nothing is known are neither right nor wrong."""
    (folder / "u.lab").write_text(units("{} {} {}\n"))
    alone = fit(PhoneLoop(quietly(folder), units=3, components=1), steps=2, seed=1)
    gold, found = len(PHONES) - 1, len(alone.intervals[0]) - 1
    assert (alone.scores.boundary.gold, alone.scores.boundary.found) == (gold, found)
    record(folder / "v.wav", 2.0)
    both = fit(PhoneLoop(quietly(folder), units=3, components=1), steps=2, seed=1)
    assert (both.scores.boundary.gold, both.scores.boundary.found) == (gold, len(both.intervals[0]) - 1)


def test_faults_of_all_files_of_a_gold_folder_are_told_at_once_with_their_folders(folder, tmp_path):
    gold = tmp_path / "gold"
    for inside, text in {
        "A/u.phn": "0 x a\n9 8 b\n",
        "B/u.phn": "0 zz a\n",
        "u.TextGrid": "ooTextFile\n",
    }.items():
        (gold / inside).parent.mkdir(parents=True, exist_ok=True)
        (gold / inside).write_text(text)
    with pytest.raises(InputError) as caught:
        read_speech(folder, gold)
    places = [fault.place for fault in caught.value.faults]
    assert places[:3] == ["A/u.phn:1", "A/u.phn:2", "B/u.phn:1"]
    assert places[3].startswith("u.TextGrid")
    assert all(fault.hint for fault in caught.value.faults)
