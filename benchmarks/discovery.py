"""Lexicon discovery: learners by iteration, against their floors, and against py-cfg where it is at hand.

py-cfg is no package; a binary named by ``--py-cfg PATH`` (or the environment variable
``OTLAB_PY_CFG``) runs alternately with our sampler, sweep by sweep, and both sides' CPU
seconds are compared. Figures of peers that were recorded earlier are in
:data:`RECORDED`; they are printed in a table of their own and no goal is checked against
them.

Without the corpus (it may not be shipped; the environment variable ``OTLAB_CORPORA`` names
the folder that holds ``brent/br-phono.txt``) a generated one of the same size is used instead, and
the lines say so.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import py_cfg
from benchmarks.measure import Row, at_least, at_most, iteration_seconds, paired
from otlab.discovery.channel.channel import Channel, corrupt
from otlab.discovery.channel.pairs import Pairs
from otlab.discovery.corpus import read
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.learners.online import OnlineVB
from otlab.discovery.parsing.estep import expect
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import DataWarning
from otlab.inference.random import chain_generators

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus

CORPORA = Path(os.environ.get("OTLAB_CORPORA", Path(__file__).resolve().parents[2] / "shared" / "corpora"))
"""Folder of texts that may not be shipped."""

BRENT = CORPORA / "brent" / "br-phono.txt"
SAMPLER_GOALS = {"word": 30.0, "collocation": 20.0}
"""Times as fast as py-cfg, side by side."""

RECORDED = (
    ("py-cfg, word grammar", "1.02 s a sweep", "CPU time, side by side, compiled with -O3 -march=native"),
    ("py-cfg, collocations", "2.4 s a sweep", "CPU time, side by side, compiled with -O3 -march=native"),
    ("PyAdaGram, word grammar", "9.5 utterances a second", "wall time, on two loaded cores"),
)
"""Peer, figure, and how it was taken; all on the 9,790 utterances of the Brent corpus."""


def corpus() -> Corpus:
    """Return Brent, or a generated text of about its size."""
    if BRENT.exists():
        return read(BRENT)
    return generate(ToyLanguage(words=1_300, utterances=9_790, onsets="ptkbdgmnslrwfvzjh", codas="nslrmkt"))


def run() -> dict[str, Row]:
    """Measure everything."""
    text = corpus()
    rows = {**_batch(text), **_sampler(text), **_online(text), **_noisy(text), **_channel()}
    if BRENT.exists():
        return rows
    return {name: {**row, "against": f"{row['against']}, generated text"} for name, row in rows.items()}


def _batch(text: Corpus) -> dict[str, Row]:
    learner = BatchVB(text, preset("word"), threads=1)
    taken = iteration_seconds(learner)
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 12)
    weights, active = state.posterior.weights(learner.parser), state.posterior.active

    def e_steps(threads: int) -> None:
        for _ in range(10):  # in a row, as in a run: threads wake up once
            expect(learner.parser, weights, active, 15.0, threads, by_string=False)

    _, ten, gain = paired(lambda: e_steps(2), lambda: e_steps(1), repeats=31)
    e_seconds = ten / 10
    iteration = at_most(1000 * taken.median, "ms", "60 ms", 60, taken.median / 0.060, 1)
    return {
        "discovery: E-step, word grammar": at_most(1000 * e_seconds, "ms", "30 ms", 30, e_seconds / 0.030, 1),
        "discovery: batch iteration, one thread": taken.beside(iteration, 1000),
        "discovery: E-step on two threads": at_least(gain, "times", "one thread", 1, gain, 1.7),
    }


def _sampler(text: Corpus) -> dict[str, Row]:
    program = py_cfg.binary()
    rows = {}
    for name, seconds in (("word", 0.1), ("collocation", 0.4)):
        learner = MCMC(text, preset(name))
        label = f"discovery: sampler, {name}"
        if program is None:
            taken = iteration_seconds(learner)
            against = f"{seconds:g} s (no py-cfg given)"
            row = at_most(taken.median, "s a sweep", against, seconds, taken.median / seconds, 1)
        else:
            taken, theirs = py_cfg.by_turns(program, learner, tables=name != "word")
            ratio = theirs.median / taken.median
            against = f"py-cfg by turns, slowest {theirs.slowest:.3g} s"
            row = at_least(taken.median, "s a sweep", against, theirs.median, ratio, SAMPLER_GOALS[name])
        rows[label] = taken.beside(row)
    return rows


def _online(text: Corpus) -> dict[str, Row]:
    learner = OnlineVB(text, preset("word"))
    taken = iteration_seconds(learner)
    rate = learner.batch / taken.median
    row = at_least(rate, "utterances/s", "5,000 utterances/s", 5_000, rate / 5_000, 1)
    return {"discovery: online": row | {"against": f"{row['against']}; {taken}"}}


def _noisy(text: Corpus) -> dict[str, Row]:
    taken = iteration_seconds(NoisyVB(text, threads=1))
    row = at_most(taken.median, "s", "1 s", 1, taken.median, 1)
    rows = {"discovery: iteration behind a channel, one thread": taken.beside(row)}
    few = corrupt(text.select(np.arange(1_000)), 0.1, np.random.default_rng(1)).corpus
    word = iteration_seconds(NoisyVB(few, threads=1)).median
    for grammar in ("collocation", "morphology", "syllable"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            taken = iteration_seconds(NoisyVB(few, preset(grammar), threads=1))
        times = taken.median / word
        row = at_most(times, "times the word grammar's", "12", 12, times, 12)
        rows[f"discovery: iteration behind a channel, {grammar}"] = taken.beside(row)
    return rows


def _channel() -> dict[str, Row]:
    rng = np.random.default_rng(1)
    phones = [chr(97 + k) for k in range(30)]
    pairs = []
    for _ in range(2_000):
        top = rng.choice(phones, size=rng.integers(5, 14)).tolist()
        bottom = [x if rng.random() < 0.9 else str(rng.choice(phones)) for x in top]
        pairs.append((top, bottom))
    taken = iteration_seconds(Channel(Pairs.of(pairs)))
    rate = 2_000 / taken.median
    row = at_least(rate, "pairs/s", "50,000 pairs/s", 50_000, rate / 50_000, 1)
    return {"discovery: channel": row | {"against": f"{row['against']}; {taken}"}}
