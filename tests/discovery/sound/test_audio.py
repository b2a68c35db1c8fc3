"""Sound files of every kind are read, or named and left out."""

import warnings

import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from otlab.discovery.sound import audio
from otlab.discovery.sound.speech import read_speech
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
