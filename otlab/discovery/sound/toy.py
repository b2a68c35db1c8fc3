"""Synthesise the speech of a toy language, with exact times of phones and words, free of copyright.

A source (voice pulses or noise) passes through three parallel resonators, whose frequencies move
from phone to phone; a stop is a closure and a burst. The result is clearly synthetic: scores on it show
that learning works, not how well it would work on natural speech.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.signal import lfilter

from otlab.discovery.sound.audio import wav_bytes
from otlab.discovery.sound.tiers import Interval, units_list
from otlab.discovery.toy import ToyLanguage, generate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ToySpeech", "Utterance", "speak", "write_toy_speech"]

RATE = 16_000
BLOCK = 80
"""Samples during which the resonators do not change: 5 ms."""


class Phone(NamedTuple):
    """Resonances in Hz, loudness of voice and noise, and duration and closure in milliseconds of a phone."""

    resonances: tuple[int, int, int]
    voice: float
    noise: float
    milliseconds: int
    closure: int = 0


PHONES = {
    "a": Phone((750, 1250, 2500), 1.0, 0.0, 110),
    "e": Phone((480, 1900, 2600), 1.0, 0.0, 100),
    "i": Phone((290, 2300, 3100), 1.0, 0.0, 95),
    "o": Phone((480, 850, 2500), 1.0, 0.0, 105),
    "u": Phone((310, 750, 2300), 1.0, 0.0, 95),
    "m": Phone((260, 1000, 2200), 0.45, 0.0, 75),
    "n": Phone((260, 1500, 2500), 0.45, 0.0, 70),
    "l": Phone((350, 1150, 2900), 0.6, 0.0, 65),
    "r": Phone((420, 1300, 1650), 0.6, 0.0, 65),
    "w": Phone((300, 650, 2200), 0.6, 0.0, 60),
    "s": Phone((4800, 6200, 7200), 0.0, 0.30, 100),
    "p": Phone((700, 1100, 2300), 0.0, 0.35, 75, 55),
    "t": Phone((3600, 4800, 6500), 0.0, 0.40, 75, 50),
    "k": Phone((1600, 2100, 3000), 0.0, 0.40, 80, 55),
    "b": Phone((400, 1000, 2300), 0.30, 0.10, 65, 45),
    "d": Phone((400, 1700, 2700), 0.30, 0.12, 65, 45),
    "g": Phone((400, 2000, 2500), 0.30, 0.12, 65, 45),
}


LANGUAGE = ToyLanguage(words=12, utterances=30, mean_words=3.0)


@dataclass(frozen=True)
class ToySpeech:
    """Parameters of toy speech.

    Parameters
    ----------
    language
        Words and utterances.
    pitches
        Pitch of each voice in Hz; successive utterances have successive voices.
    noise
        Standard deviation of the background noise, relative to full scale.
    """

    language: ToyLanguage = LANGUAGE
    pitches: tuple[float, ...] = (115.0, 190.0)
    noise: float = 0.0015


class Utterance(NamedTuple):
    """One utterance: its samples at 16 kHz, and its phones and words."""

    samples: np.ndarray
    phones: list[Interval]
    words: list[Interval]


def speak(speech: ToySpeech) -> list[Utterance]:
    """Return synthesised utterances of a toy language.

    Examples
    --------
    >>> utterance = speak(ToySpeech(ToyLanguage(words=4, utterances=1)))[0]
    >>> round(utterance.phones[-1].end, 2) == round(utterance.samples.size / 16_000, 2)
    True
    """
    corpus = generate(speech.language)
    gold = np.asarray(corpus.gold)
    rng = np.random.default_rng([speech.language.seed, 1])
    out = []
    for u in range(len(corpus)):
        words = corpus.words(u, gold)
        pitch = speech.pitches[u % len(speech.pitches)]
        out.append(_utterance(words, pitch, speech.noise, rng))
    return out


def _utterance(words: list[str], pitch: float, noise: float, rng: np.random.Generator) -> Utterance:
    phones = [phone for word in words for phone in word]
    blocks = [max(6, round(PHONES[p].milliseconds / 5 * rng.uniform(0.8, 1.25))) for p in phones]
    ends = np.cumsum(blocks) * BLOCK / RATE
    starts = np.concatenate([[0.0], ends[:-1]])
    samples = _sound(phones, blocks, pitch * rng.uniform(0.95, 1.05), rng)
    samples += rng.normal(0, noise, samples.size)
    lasts = np.cumsum([len(word) for word in words])
    firsts = lasts - [len(word) for word in words]
    return Utterance(
        samples,
        [Interval(float(a), float(b), p) for a, b, p in zip(starts, ends, phones, strict=True)],
        [
            Interval(float(starts[i]), float(ends[j - 1]), word)
            for i, j, word in zip(firsts, lasts, words, strict=True)
        ],
    )


def _sound(phones: list[str], blocks: list[int], pitch: float, rng: np.random.Generator) -> np.ndarray:
    """Return the samples: a source, set every 5 ms, passed through parallel resonators."""
    targets = np.repeat([PHONES[p].resonances for p in phones], blocks, axis=0).astype(float)
    voice, noise = (
        np.repeat([getattr(PHONES[p], part) for p in phones], blocks) for part in ("voice", "noise")
    )
    at = 0
    for p, size in zip(phones, blocks, strict=True):
        closed = min(size - 2, PHONES[p].closure // 5)
        noise[at : at + closed] = 0.0
        voice[at : at + closed] *= 0.3
        at += size
    kernel = np.hanning(9) / np.hanning(9).sum()
    targets = np.stack([np.convolve(np.pad(t, 4, mode="edge"), kernel, "valid") for t in targets.T], axis=1)
    voice = np.convolve(np.pad(voice, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    size = len(targets) * BLOCK
    falling = pitch * (1.08 - 0.16 * np.arange(size) / size)
    pulses = np.diff(np.floor(np.cumsum(falling / RATE)), prepend=0.0)
    source = lfilter([1.0], [1.0, -0.92], pulses) * np.repeat(voice, BLOCK)
    source += rng.normal(0, 0.15, size) * np.repeat(noise, BLOCK)
    out = _levelled(_resonated(source, targets), phones, blocks)
    loudest = float(np.abs(out).max())
    return out * (0.6 / loudest)


def _levelled(samples: np.ndarray, phones: list[str], blocks: list[int]) -> np.ndarray:
    """Return the samples with each phone scaled to the loudness of its source, whatever its resonances."""
    ends = np.cumsum(blocks) * BLOCK
    gains = []
    for phone, start, end in zip(phones, [0, *ends[:-1]], ends, strict=True):
        loudness = float(np.sqrt((samples[start:end] ** 2).mean()))
        gains.append((PHONES[phone].voice + PHONES[phone].noise) / max(loudness, 1e-9))
    out: np.ndarray = samples * np.repeat(gains, np.array(blocks) * BLOCK)
    return out


def _resonated(source: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the source filtered by three parallel resonators, whose frequencies change every 5 ms."""
    out = np.zeros(source.size)
    for k, (bandwidth, strength) in enumerate(((80.0, 1.0), (110.0, 0.5), (160.0, 0.25))):
        state, radius = np.zeros(2), np.exp(-np.pi * bandwidth / RATE)
        for block, frequency in enumerate(targets[:, k]):
            turn = 2 * radius * np.cos(2 * np.pi * frequency / RATE)
            peak = (1 - radius) * abs(1 - radius * np.exp(-4j * np.pi * frequency / RATE))
            cut = slice(block * BLOCK, (block + 1) * BLOCK)
            part, state = lfilter([1.0], [1.0, -turn, radius * radius], peak * source[cut], zi=state)
            out[cut] += strength * part
    return out


def write_toy_speech(folder: Path, speech: ToySpeech) -> None:
    """Write toy speech as WAV files with ``phones.tsv`` and ``words.tsv``."""
    folder.mkdir(parents=True, exist_ok=True)
    utterances = {f"u{k:03d}": utterance for k, utterance in enumerate(speak(speech))}
    for name, utterance in utterances.items():
        (folder / f"{name}.wav").write_bytes(wav_bytes(utterance.samples, RATE))
    for tier in ("phones", "words"):
        rows = [(name, i) for name, utterance in utterances.items() for i in getattr(utterance, tier)]
        (folder / f"{tier}.tsv").write_text(units_list(rows), encoding="utf-8")
