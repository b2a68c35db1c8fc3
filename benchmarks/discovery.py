"""Lexicon discovery: kernels against their floors and against peers' recorded speed.

Peers could not be installed here: py-cfg (0.49 s a sweep with the word grammar, 2.4 s
with collocations) and PyAdaGram (9.5 utterances a second) are the recorded figures for
the 9,790 utterances of the Brent corpus, measured on two loaded cores. That recording
has no calibration seconds, so it is taken as it is; each row's text says what the
calibration kernel takes now. Samplers, the online learner and the channel are timed in
seconds of their own thread, which other work on the machine does not lengthen.

Without the corpus (it may not be shipped) a generated one of the same size stands in.
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, at_least, at_most, calibration_seconds, paired
from otlab.discovery.batch import BatchVB
from otlab.discovery.channel import Channel
from otlab.discovery.corpus import read
from otlab.discovery.estep import expect
from otlab.discovery.mcmc import MCMC
from otlab.discovery.online import OnlineVB
from otlab.discovery.pairs import Pairs
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference.random import chain_generators

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.discovery.corpus import Corpus

BRENT = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "brent" / "br-phono.txt"
PY_CFG_WORD, PY_CFG_COLLOCATION, PY_ADA_GRAM = 0.49, 2.4, 9.5


def corpus() -> Corpus:
    """Return Brent, or a generated text of about its size."""
    if BRENT.exists():
        return read(BRENT)
    return generate(ToyLanguage(words=1_300, utterances=9_790, onsets="ptkbdgmnslrwfvzjh", codas="nslrmkt"))


def own_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median seconds of the calling thread."""
    taken = []
    for _ in range(repeats):
        begin = time.thread_time()
        work()
        taken.append(time.thread_time() - begin)
    return statistics.median(taken)


def run() -> dict[str, Row]:
    """Measure everything."""
    text = corpus()
    now = f"calibration {1000 * calibration_seconds():.1f} ms"
    return {**_batch(text), **_sampler(text, now), **_online(text, now), **_channel()}


def _batch(text: Corpus) -> dict[str, Row]:
    learner = BatchVB(text, preset("word"), threads=1)
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 12)
    weights, active = state.posterior.weights(learner.parser), state.posterior.active

    def e_steps(threads: int) -> None:
        for _ in range(10):  # in a row, as in a run: threads wake up once
            expect(learner.parser, weights, active, 15.0, threads, by_string=False)

    iteration = statistics.median(_elapsed(lambda: learner.step(rng, state, 1)) for _ in range(15))
    _, ten, gain = paired(lambda: e_steps(2), lambda: e_steps(1), repeats=31)
    e_seconds = ten / 10
    return {
        "discovery: E-step, word grammar": at_most(1000 * e_seconds, "ms", "30 ms", 30, e_seconds / 0.030, 1),
        "discovery: batch iteration": at_most(1000 * iteration, "ms", "60 ms", 60, iteration / 0.060, 1),
        "discovery: E-step on two threads": at_least(gain, "times", "one thread", 1, gain, 1.7),
    }


def _elapsed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _sampler(text: Corpus, now: str) -> dict[str, Row]:
    rows = {}
    for name, recorded, sweeps, goal in (
        ("word", PY_CFG_WORD, 15, 20.0),
        ("collocation", PY_CFG_COLLOCATION, 7, 10.0),
    ):
        learner = MCMC(text, preset(name))
        (rng,) = chain_generators(1, 1)
        state = learner.step(rng, learner.init(rng), 10)
        taken = own_seconds(partial(learner.step, rng, state, 1), sweeps)
        against = f"py-cfg, recorded; {now}"
        ratio = recorded / taken
        rows[f"discovery: sampler, {name}"] = at_least(taken, "s a sweep", against, recorded, ratio, goal)
    return rows


def _online(text: Corpus, now: str) -> dict[str, Row]:
    learner = OnlineVB(text, preset("word"))
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 10)
    taken = own_seconds(lambda: learner.step(rng, state, 20), 5) / 20
    rate = learner.batch / taken
    against = f"PyAdaGram, recorded; {now}"
    ratio = rate / PY_ADA_GRAM
    return {"discovery: online": at_least(rate, "utterances/s", against, PY_ADA_GRAM, ratio, 500)}


def _channel() -> dict[str, Row]:
    rng = np.random.default_rng(1)
    phones = [chr(97 + k) for k in range(30)]
    pairs = []
    for _ in range(2_000):
        top = rng.choice(phones, size=rng.integers(5, 14)).tolist()
        bottom = [x if rng.random() < 0.9 else str(rng.choice(phones)) for x in top]
        pairs.append((top, bottom))
    learner = Channel(Pairs.of(pairs))
    state = learner.init(rng)
    taken = own_seconds(lambda: learner.step(rng, state, 1), 15)
    rate = 2_000 / taken
    return {"discovery: channel": at_least(rate, "pairs/s", "50,000 pairs/s", 50_000, rate / 50_000, 1)}
