"""Sound files of every kind are read, or named and left out."""

import io
import warnings

import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from otlab.discovery.io.sound_headers import declared
from otlab.discovery.sound import audio
from otlab.discovery.sound.speech import read_recording, read_speech
from otlab.errors import DataWarning, InputError


def sweep(rate, seconds=1.0):
    """A tone that rises from 300 Hz, below every Nyquist frequency tested."""
    t = np.arange(round(rate * seconds)) / rate
    return 0.5 * np.sin(2 * np.pi * (300 * t + 400 * t * t / max(1.0, seconds)))


def whole(path, rate):
    return np.concatenate(list(audio.blocks(path, rate)))


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "FLOAT"])
def test_every_depth_gives_the_samples(tmp_path, subtype):
    soundfile.write(tmp_path / "a.wav", sweep(16000), 16000, subtype=subtype)
    step = 2 / 256 if subtype == "PCM_U8" else 1e-4
    assert whole(tmp_path / "a.wav", 16000) == pytest.approx(sweep(16000), abs=step)


def test_channels_are_averaged(tmp_path):
    left = sweep(16000)
    soundfile.write(tmp_path / "a.flac", np.stack([left, np.zeros_like(left)], axis=1), 16000)
    assert whole(tmp_path / "a.flac", 16000) == pytest.approx(left / 2, abs=1e-4)


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 96000])
def test_resampled_blocks_are_those_of_the_whole(tmp_path, rate, monkeypatch):
    monkeypatch.setattr(audio, "BLOCK_SECONDS", 1)
    samples = sweep(rate, 3.3)
    soundfile.write(tmp_path / "a.wav", samples, rate, subtype="DOUBLE")
    found = whole(tmp_path / "a.wav", 16000)
    step = np.gcd(16000, rate)
    expected = resample_poly(samples, 16000 // step, rate // step)
    assert found.size == expected.size
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_header_of_hardly_any_samples_a_second_is_refused(tmp_path):
    soundfile.write(tmp_path / "a.wav", sweep(16000), 1)
    with pytest.raises(InputError, match=r"a\.wav: has 1 sample per second, too few for speech"):
        audio.describe(tmp_path / "a.wav")


def test_an_excerpt_is_what_lies_between_two_times(tmp_path):
    soundfile.write(tmp_path / "a.wav", sweep(8000), 8000, subtype="DOUBLE")
    samples, rate = audio.excerpt(tmp_path / "a.wav", 0.25, 0.5)
    assert rate == 8000
    assert samples == pytest.approx(sweep(8000)[2000:4000])
    assert audio.excerpt(tmp_path / "a.wav", 5.0, 6.0)[0].size == 0


def test_wav_bytes_are_read_back():
    data = audio.wav_bytes(sweep(8000), 8000)
    assert audio.describe(data).seconds == 1.0
    assert np.concatenate(list(audio.blocks(data, 8000))) == pytest.approx(sweep(8000), abs=1e-4)


FAULTY = {
    "text": (lambda p: p.write_bytes(b"no sound at all" * 9), "cannot be read as sound"),
    "empty": (lambda p: p.write_bytes(b""), "cannot be read as sound"),
    "no_samples": (lambda p: soundfile.write(p, np.zeros(0), 16000), "it has no samples"),
    "silent": (lambda p: soundfile.write(p, np.zeros(16000), 16000), "is silent"),
    "short": (lambda p: soundfile.write(p, sweep(16000, 0.03), 16000), "is too short"),
    "nan": (lambda p: soundfile.write(p, np.full(9999, np.nan), 16000, subtype="FLOAT"), "inf or nan"),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_a_faulty_file_is_named_and_the_rest_goes_on(tmp_path, kind):
    write, what = FAULTY[kind]
    write(tmp_path / "bad.wav")
    soundfile.write(tmp_path / "good.wav", sweep(16000), 16000)
    with pytest.warns(DataWarning, match=rf"bad\.wav: .*{what}"):
        speech = read_speech(tmp_path)
    assert speech.names == ("good",)
    assert speech.notes[0].startswith("bad.wav: ")


def test_a_flac_that_was_cut_off_is_named(tmp_path):
    rng = np.random.default_rng(1)
    soundfile.write(tmp_path / "bad.flac", rng.uniform(-0.3, 0.3, 64000), 16000)
    data = (tmp_path / "bad.flac").read_bytes()
    (tmp_path / "bad.flac").write_bytes(data[: len(data) // 2])
    soundfile.write(tmp_path / "good.wav", sweep(16000), 16000)
    with pytest.warns(DataWarning, match=r"bad\.flac"):
        assert read_speech(tmp_path).names == ("good",)


def test_a_folder_without_usable_sound_is_refused(tmp_path):
    with pytest.raises(InputError, match="no sound in this folder"):
        read_speech(tmp_path)
    (tmp_path / "a.wav").write_bytes(b"x")
    with pytest.raises(InputError, match=r"a\.wav: cannot be read as sound[\s\S]*can be used"):
        read_speech(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        read_speech(tmp_path / "missing")


def test_mixed_rates_are_read_at_the_lowest(tmp_path):
    for rate in (8000, 96000):
        soundfile.write(tmp_path / f"a{rate}.wav", sweep(rate), rate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        speech = read_speech(tmp_path)
    one, other = (speech.subset([u]).features for u in (0, 1))
    assert speech.names == ("a8000", "a96000")
    assert np.corrcoef(one[:, 1], other[:, 1])[0, 1] > 0.99


def test_a_long_recording_is_cut_where_it_is_quiet(tmp_path):
    samples = np.random.default_rng(1).normal(0, 0.1, 8000 * 50)
    samples[8000 * 18 : 8000 * 18 + 800] *= 1e-3  # a pause after 18 s
    soundfile.write(tmp_path / "long.wav", samples, 8000)
    speech = read_speech(tmp_path)
    assert set(speech.names) == {"long"}
    assert speech.lengths.sum() == 1 + (samples.size - 200) // 80
    assert speech.lengths.max() <= 2000
    assert speech.begins[1] == pytest.approx(18.05, abs=0.06)


def test_a_long_recording_says_how_far_it_is_and_can_be_given_up(tmp_path):
    samples = np.random.default_rng(1).normal(0, 0.1, 8000 * 100)
    soundfile.write(tmp_path / "a.wav", samples, 8000)
    soundfile.write(tmp_path / "b.wav", samples[: 8000 * 10], 8000)
    shares = []
    read_speech(tmp_path, progress=shares.append)
    assert len(shares) >= 6
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (pytest.approx(0.15), 1.0)

    class GivenUp(Exception):
        pass

    def give_up(share):
        if share > 0.5:
            raise GivenUp

    with pytest.raises(GivenUp):
        read_recording(tmp_path / "a.wav", progress=give_up)


def test_every_gold_phone_of_a_long_recording_is_in_one_utterance(tmp_path):
    soundfile.write(tmp_path / "long.wav", np.random.default_rng(1).normal(0, 0.1, 8000 * 50), 8000)
    edges = np.arange(0, 5000, 2)  # phones of 20 ms, so that some begin just behind a cut
    rows = [f"long\t{a / 100:.2f}\t{(a + 2) / 100:.2f}\tp{a}" for a in edges]
    (tmp_path / "phones.tsv").write_text("\n".join(rows) + "\n")
    speech = read_speech(tmp_path)
    assert len(speech) >= 3
    assert [phone.label for tier in speech.phones for phone in tier] == [f"p{a}" for a in edges]


def cut(path, share=0.6):
    data = path.read_bytes()
    path.write_bytes(data[: round(len(data) * share)])


@pytest.mark.parametrize("name", ["bad.wav", "bad.aiff", "bad.sph", "bad.mp3"])
def test_sound_that_was_cut_off_is_named_with_how_much_is_there(tmp_path, name):
    form = "NIST" if name.endswith(".sph") else None
    soundfile.write(tmp_path / name, np.random.default_rng(1).uniform(-0.3, 0.3, 64000), 16000, format=form)
    cut(tmp_path / name)
    soundfile.write(tmp_path / "good.wav", sweep(16000), 16000)
    with pytest.warns(DataWarning, match=rf"{name}: is cut off after 2\.\d\d s"):
        assert read_speech(tmp_path).names == ("good",)


@pytest.mark.parametrize("name", ["a.mp3", "a.sph", "a.opus", "a.ogg", "a.aif"])
def test_compressed_sound_and_that_of_old_corpora_is_read(tmp_path, name):
    form = {"sph": "NIST", "opus": "OGG", "aif": "AIFF"}.get(name.split(".")[1])
    subtype = "OPUS" if name.endswith("opus") else None
    soundfile.write(tmp_path / name, sweep(16000, 2.0), 16000, format=form, subtype=subtype)
    speech = read_speech(tmp_path)
    assert speech.names == ("a",)
    assert speech.seconds == pytest.approx(2.0, abs=0.03)
    found = whole(tmp_path / name, 16000)
    assert np.corrcoef(found, sweep(16000, 2.0))[0, 1] > 0.97
    assert audio.excerpt(tmp_path / name, 0.5, 1.0)[0] == pytest.approx(found[8000:16000])


def test_gsm_sound_which_cannot_be_searched_is_read_to_its_end(tmp_path, monkeypatch):
    soundfile.write(tmp_path / "a.wav", sweep(8000, 2.0), 8000, subtype="GSM610")
    one = whole(tmp_path / "a.wav", 8000)
    monkeypatch.setattr(audio, "BLOCK_SECONDS", 1)
    assert whole(tmp_path / "a.wav", 8000) == pytest.approx(one)
    assert np.corrcoef(one[: 8000 * 2], sweep(8000, 2.0)[: one.size])[0, 1] > 0.9
    assert audio.excerpt(tmp_path / "a.wav", 1.5, 1.75)[0] == pytest.approx(one[12000:14000])


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFFFFF])
def test_sound_whose_recorder_did_not_write_its_length_is_read_to_its_end(tmp_path, size):
    soundfile.write(tmp_path / "a.wav", sweep(16000), 16000)
    data = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "a.wav").write_bytes(data[:40] + size.to_bytes(4, "little") + data[44:])
    assert whole(tmp_path / "a.wav", 16000) == pytest.approx(sweep(16000), abs=1e-4)


def test_channels_that_cancel_out_are_not_mixed(tmp_path):
    tone = sweep(16000)
    for name, gain in (("a", -1.0), ("b", 1.0)):
        soundfile.write(tmp_path / f"{name}.wav", np.stack([0.5 * tone, 0.5 * gain * tone], axis=1), 16000)
    with pytest.warns(DataWarning, match=r"a\.wav: its channels cancel out; channel 1 alone is used"):
        speech = read_speech(tmp_path)
    one, other = (speech.subset([u]).features for u in (0, 1))
    assert one == pytest.approx(other, abs=1e-6)
    assert np.abs(audio.excerpt(tmp_path / "a.wav", 0.0, 0.5)[0]).max() > 0.2


@pytest.mark.parametrize(
    "data",
    [
        b"RIFF\x24\0\0\0WAVEfmt \x04\0\0\0abcd",  # no samples
        b"NIST_1A\n   1024\nchannel_count -i 1\nend_head\n",  # no number of samples
        b"fLaC and more",
    ],
)
def test_a_header_that_declares_no_samples_says_nothing_of_their_place(data):
    assert declared(io.BytesIO(data)) is None
