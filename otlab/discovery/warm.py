"""Compile every kernel of lexicon discovery once, on a corpus of a few words and nine frames of sound."""

from __future__ import annotations

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

__all__ = ["warm"]


def warm() -> None:
    """Take one step of each learner, with and without the lattice."""
    corpus = generate(ToyLanguage(words=8, utterances=20))
    for learner in MODELS:
        for grammar in ("word", "collocation") if learner != "noisy" else ("word",):
            discover(corpus, grammar, learner, iterations=1, seed=1)
    fit(Channel(Pairs.of([("ab", "ac")])), steps=1, seed=1)
    _warm_sound()


def _warm_sound() -> None:
    """Take the steps of the joint model, and of the phone loop with its rarely needed logarithms."""
    features = np.random.default_rng(1).normal(size=(9, 2))
    speech = Speech("warm", ("u",), features, np.array([0, 9]), np.zeros(1))
    joint = Joint(PhoneLoop(speech, units=2, components=1), 1, 1, rounds=2)
    fit(joint, steps=joint.steps, seed=1)
    posterior = fit(PhoneLoop(speech, units=2, components=1), steps=1, seed=1).view.posterior
    decode(speech, posterior, 0)
    counts = Counts(np.zeros(2), np.zeros((3, 2)))
    frames = Frames(np.zeros(9, np.float32), np.zeros(9, np.int16), np.zeros(9, np.float32))
    expected_counts_log(np.zeros((9, 1, 3, 2)), posterior.scores.loop, counts, frames, 0)
