"""A run stops within moments, measured by the work that a learner does after it was asked to stop.

One thread is at work; so nothing may be begun after the stop, and no single call may be long. The limits are
each well under a second of work.
"""

from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.channel import composed_estep, noisy_estep, variants
from otlab.discovery.channel.channel import corrupt
from otlab.discovery.joint import bottom
from otlab.discovery.joint.learners.joint import Joint
from otlab.discovery.kernels import chart
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.parsing.chunks import CHART, PHONES
from otlab.discovery.presets import preset
from otlab.discovery.sound import estep
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import Speech
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import Interrupted
from otlab.inference import run

LONGEST = 2000
"""Frames of the longest utterance of sound: longer recordings are cut."""


def speech(lengths):
    features = np.random.default_rng(1).normal(size=(sum(lengths), 5))
    names = tuple(f"u{k}" for k in range(len(lengths)))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Speech("generated", names, features, offsets, np.zeros(len(lengths)))


def text():
    clean = generate(ToyLanguage(words=20, utterances=150, seed=2))
    return corrupt(clean, 0.1, np.random.default_rng(1)).corpus


def joint():
    units = PhoneLoop(speech([40] * 30), units=6, components=1, threads=1)
    return Joint(units, unit_iterations=1, word_iterations=1, rounds=3, threads=1)


CASES = {
    "phone loop": (
        lambda: PhoneLoop(speech([300] * 40), units=10, threads=1),
        0,
        (estep, "expected_counts"),
        lambda scores, *_: len(scores),
        max(estep.CHUNK, LONGEST),
    ),
    "joint": (joint, 3, (bottom, "spoken_forward"), lambda weight, *_: len(weight), LONGEST),
    "noisy": (
        lambda: NoisyVB(text(), threads=1, warmup=1),
        1,
        (noisy_estep, "noisy_counts"),
        lambda _, items, *__: items.n.sum(),
        PHONES,
    ),
    "noisy, chart": (
        lambda: NoisyVB(text(), preset("collocation"), threads=1, warmup=1),
        1,
        (chart, "expected_counts"),
        lambda _, __, items, *___: (items.n**3).sum(),
        CHART,
    ),
    "noisy, strings": (
        lambda: NoisyVB(text(), preset("morphology"), threads=1, warmup=1),
        1,
        (composed_estep, "add_masses"),
        lambda _, pieces, *__: pieces.n.sum(),
        PHONES,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_nothing_is_begun_after_a_stop(name, monkeypatch):
    """The stop comes during the third chunk of a step; the fourth is not begun."""
    make, before, (module, kernel), work, most = CASES[name]
    run_ = run(make(), sweeps=1000, seed=1)
    for _ in range(before):
        run_.advance(1)
    done, original = [], getattr(module, kernel)

    def counted(*args):
        done.append(int(work(*args)))
        if len(done) == 3:
            run_.interrupt()
        return original(*args)

    monkeypatch.setattr(module, kernel, counted)
    with pytest.raises(Interrupted):
        run_.advance(3)
    assert len(done) == 3
    assert max(done) <= most


@pytest.mark.slow
def test_a_stop_is_heard_between_two_variants(monkeypatch):
    """Looking for variants takes seconds on a large lexicon."""
    run_ = run(NoisyVB(text(), threads=1, warmup=1, merge_every=1), sweeps=1000, seed=1)
    run_.advance(1)
    asked, original = [], variants.Seating.gain

    def counted(*args):
        asked.append(1)
        run_.interrupt()
        return original(*args)

    monkeypatch.setattr(variants.Seating, "gain", counted)
    with pytest.raises(Interrupted):
        run_.advance(12)
    assert len(asked) <= 60  # those of one word
