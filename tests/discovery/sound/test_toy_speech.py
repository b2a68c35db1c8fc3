"""The shipped toy speech is what the synthesiser makes, and its gold fits the sound."""

import numpy as np
import pytest
import soundfile

from otlab import load_sample
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.toy import ToySpeech, speak, write_toy_speech
from otlab.discovery.toy import ToyLanguage
from otlab.samples import sample_path

SMALL = ToySpeech(ToyLanguage(words=4, utterances=3))


@pytest.mark.slow
def test_the_sample_is_what_is_synthesised():
    first = speak(ToySpeech())[0]
    shipped, rate = soundfile.read(sample_path("spoken_toy") / "u000.flac")
    assert rate == 16000
    assert shipped == pytest.approx(first.samples, abs=1e-4)
    speech = load_sample("spoken_toy")
    assert [i.label for i in speech.phones[0]] == [i.label for i in first.phones]


def test_phones_follow_one_another_and_make_the_words(tmp_path):
    write_toy_speech(tmp_path, SMALL)
    speech = read_speech(tmp_path)
    for phones, words in zip(speech.phones, speech.words, strict=True):
        ends, starts = ([getattr(p, edge) for p in phones] for edge in ("end", "start"))
        assert ends[:-1] == starts[1:]
        assert "".join(p.label for p in phones) == "".join(w.label for w in words)


def test_fricatives_are_high_and_vowels_low():
    """Most of the energy of s lies above 3 kHz, of u below 1 kHz."""
    utterances = speak(ToySpeech(ToyLanguage(words=20, utterances=20)))
    for phone, low, high in (("s", 3000, 8000), ("u", 0, 1000)):
        shares = []
        for utterance in utterances:
            for start, end, label in utterance.phones:
                if label == phone:
                    power = (
                        np.abs(np.fft.rfft(utterance.samples[round(start * 16000) : round(end * 16000)])) ** 2
                    )
                    hertz = np.linspace(0, 8000, power.size)
                    shares.append(power[(hertz >= low) & (hertz <= high)].sum() / power.sum())
        assert np.median(shares) > 0.8
