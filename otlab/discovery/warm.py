"""Compile every kernel of lexicon discovery once, on a corpus of a few words and nine frames of sound."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.channel import Channel
from otlab.discovery.channel.pairs import Pairs
from otlab.discovery.fit import discover
from otlab.discovery.joint.learners.joint import Joint
from otlab.discovery.kernels.phone_loop import Counts, Frames, expected_counts_log
from otlab.discovery.learners import MODELS
from otlab.discovery.sound.decode import decode
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import Speech
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STEPS"]


def _learn(learner: str) -> None:
    """Take one step of a learner, with and without the lattice, and score what it found."""
    corpus = generate(ToyLanguage(words=8, utterances=20))
    for grammar in ("word", "collocation"):
        discover(corpus, grammar, learner, iterations=1, seed=1).to_dict()


def _learn_channel() -> None:
    fit(Channel(Pairs.of([("ab", "ac")])), steps=1, seed=1)


def _speech() -> Speech:
    features = np.random.default_rng(1).normal(size=(9, 2))
    return Speech("warm", ("u",), features, np.array([0, 9]), np.zeros(1))


def _learn_units() -> None:
    """Take a step of the phone loop, with its best path and its logarithms, which are rarely needed."""
    speech = _speech()
    posterior = fit(PhoneLoop(speech, units=2, components=1), steps=1, seed=1).view.posterior
    decode(speech, posterior, 0)
    counts = Counts(np.zeros(2), np.zeros((3, 2)))
    frames = Frames(np.zeros(9, np.float32), np.zeros(9, np.int16), np.zeros(9, np.float32))
    expected_counts_log(np.zeros((9, 1, 3, 2)), posterior.scores.loop, counts, frames, 0)


def _learn_jointly() -> None:
    joint = Joint(PhoneLoop(_speech(), units=2, components=1), 1, 1, rounds=2)
    fit(joint, steps=joint.steps, seed=1)


STEPS: Mapping[str, Callable[[], None]] = {
    **{name: partial(_learn, name) for name in MODELS},
    "channel": _learn_channel,
    "units": _learn_units,
    "joint": _learn_jointly,
}
"""What compiles the kernels of each learner and of the channel."""
