"""Trigrams against their floor, supervised counts against NLTK, the infinite HMM, and a million words.

The floor of a trigram E-step is its three matrix products by themselves, cache-resident: for each of 50
states, 50 x 50 by 50 x 256 tokens. NLTK's tagger has the same smoothing and the same split, and is
left out with a message where NLTK is not installed. ``python -m benchmarks tagging_depth``, or some of the
parts: ``python -m benchmarks tagging_depth --only infinite planted``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import Row, at_least, at_most
from benchmarks.tagging import STATES, Climber, below, by_turns, corpus, thread_seconds
from otlab.inference import fit
from otlab.inference.blas import one_blas_thread
from otlab.samples import load_sample
from otlab.tagging import (
    CollapsedGibbs,
    Concentration,
    HdpVB,
    InfiniteHMM,
    TrigramEM,
    fit_supervised,
    make_learner,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.tagging import Corpus

__all__ = ["PARTS", "run"]

TOGETHER = 256
ROUNDS = 20
SENTENCES = 2000
END = "⋄"
SIZES = (250_000, 500_000, 1_000_000)
PEERS = ("pitman-yor", "gibbs")
PLANTED = ((4, 600), (8, 1000), (12, 2000))
LEARNERS = ("em", "vb", "supervised", "features")
_LONG = """
import json, resource, sys, time
from otlab.inference import run
from otlab.tagging import KnownTags, make_learner, simulate_hmm
name, tokens = sys.argv[1], int(sys.argv[2])
text = simulate_hmm(tokens, 1, tags=50, types=20_000, length=20)
known = {"known": KnownTags("90%")} if name == "supervised" else {}
begin = time.process_time()
going = run(make_learner(name, text, states=50, precision="f32", **known), sweeps=4, seed=1)
going.advance(1)
spent = time.process_time() - begin
if name != "supervised":
    begin = time.process_time()
    going.advance(3)
    spent = (time.process_time() - begin) / 3
print(json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, text.tokens]))
"""


def run(only: Sequence[str] = ()) -> dict[str, Row]:
    """Return the lines of some parts; of all if none is named."""
    rows: dict[str, Row] = {}
    for name in only or PARTS:
        rows |= PARTS[name]()
    return rows


def trigrams(text: Corpus) -> dict[str, Row]:
    """A trigram E-step against its matrix products alone."""
    part = text.first(SENTENCES)
    climber = Climber(TrigramEM(part, STATES))
    shape = (STATES, STATES, TOGETHER)
    right, out = np.random.default_rng(1).random(shape), np.empty(shape)
    left = np.random.default_rng(2).random((STATES,) * 3)

    def products() -> None:
        with one_blas_thread():
            for _ in range(3 * ROUNDS):
                np.matmul(left, right, out=out)

    ours, lower = by_turns(climber.expect, products, repeats=3)
    ours = [s / part.tokens for s in ours]
    lower = [s / (ROUNDS * TOGETHER) for s in lower]
    row = below("floor: three products for each state", "us/token", ours, lower, 2, 1e6)
    return {"tagging_trigram_e_step_vs_gemm_floor": row}


def beside_nltk(text: Corpus) -> dict[str, Row]:
    """Labels of the last tenth of a text by Viterbi, beside those of NLTK's tagger."""
    if find_spec("nltk") is None:
        print("NLTK is not installed, and its tagger left out: pip install nltk", file=sys.stderr)
        return {}
    whole = list(text)
    count = round(0.9 * len(whole))
    prior = 0.1
    theirs = _nltk_tagger(whole[:count], text, prior)
    ours = fit_supervised(text, known_tags=str(count), emission_prior=prior, transition_prior=prior, seed=1)
    test = text.select(np.arange(text.sentences) >= count)
    words = [[word for word, _ in sentence] for sentence in whole[count:]]
    labels = ours.model.label(test, "viterbi")
    fast = min(thread_seconds(lambda: ours.model.label(test, "viterbi")) for _ in range(5))
    found: list[list[int]] = []
    slow = thread_seconds(lambda: found.extend(theirs.best_path([*sentence, END])[:-1] for sentence in words))
    sentences = np.split(labels, test.offsets[1:-1])
    number = {tag: k for k, tag in enumerate([*text.tagset, END])}
    paths = [np.array([number[tag] for tag in path]) for path in found]
    different = [i for i, own in enumerate(sentences) if not np.array_equal(own, paths[i])]
    index = {word: i for i, word in enumerate(ours.model.vocabulary)}
    worse = 0
    for i in different:
        numbers = np.array([index[word] for word in words[i]])
        scores = [_score(ours.model.weights, numbers, path) for path in (sentences[i], paths[i])]
        worse += abs(scores[0] - scores[1]) > 1e-6 * abs(scores[0])
    against = f"NLTK; {len(different)} of {len(sentences)} sentences differ by ties"
    return {
        "tagging_supervised_labels_vs_nltk": at_least(
            fast * 1e6 / test.tokens, "us/token", "NLTK", slow * 1e6 / test.tokens, slow / fast, 50
        ),
        "tagging_supervised_sentences_unlike_nltk": at_most(worse, "sentences", against, 0, worse, 0),
    }


def _nltk_tagger(tagged: list[list[tuple[str, str]]], text: Corpus, prior: float) -> Any:
    """Return NLTK's tagger, which knows no ends of sentences: a further word and tag stand there."""
    from nltk.probability import LidstoneProbDist, MLEProbDist
    from nltk.tag.hmm import HiddenMarkovModelTrainer

    words, bins = [*text.vocabulary, END], text.types + 1
    trainer = HiddenMarkovModelTrainer([*text.tagset, END], words)

    def smoothed(counts: Any, outcomes: int) -> Any:
        if outcomes < bins:
            return LidstoneProbDist(counts, prior, outcomes)
        return MLEProbDist(counts) if END in counts else LidstoneProbDist(counts, prior, bins - 1)

    return trainer.train_supervised([[*sentence, (END, END)] for sentence in tagged], estimator=smoothed)


def _score(weights: Any, words: np.ndarray, path: np.ndarray) -> float:
    """Return the log probability of a sentence with its states."""
    padded = np.concatenate([[weights.states], path, [weights.states]])
    emissions = weights.emissions[words, path]
    return float(np.log(weights.transitions[padded[:-1], padded[1:]]).sum() + np.log(emissions).sum())


def infinite(text: Corpus) -> dict[str, Row]:
    """A sweep of the infinite HMM against a collapsed one, at the number of states that it has come to."""
    kept = {"new_states": Concentration(1e-3), "row_concentration": Concentration(10.0)}
    learner, rng = InfiniteHMM(text, STATES, **kept), np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 30)
    states = int(state.state_counts[-1])
    sampler = CollapsedGibbs(text, states)
    plain = sampler.step(rng, sampler.init(rng), 30)
    ours, theirs = by_turns(lambda: learner.sweep(rng, state, 1.0), lambda: sampler.sweep(rng, plain, 1.0))
    ours, theirs = ([s / text.tokens for s in times] for times in (ours, theirs))
    row = below(f"collapsed Gibbs, {states} states", "ns/token", ours, theirs, 3, 1e9)
    return {"tagging_ihmm_sweep_vs_collapsed": row}


def planted_states() -> dict[str, Row]:
    """In how many of ten texts each as many states are found, within one, as were planted."""
    from tests.tagging.test_infinite import planted

    priors = {"new_states": Concentration(0.1, kept=True), "row_concentration": Concentration(1.0)}
    rows = {}
    for states, tokens in PLANTED:
        medians = []
        for seed in range(1, 11):
            learner = InfiniteHMM(planted(states, tokens, seed), 20, **priors)
            medians.append(fit(learner, steps=1000, seed=seed).view.states_interval()[0])
        found = sum(abs(median - states) <= 1 for median in medians)
        listed = ", ".join(f"{median:.0f}" for median in medians)
        rows[f"tagging_ihmm_planted_{states}_states"] = at_least(
            found, "texts", f"{states} states, {tokens:,} words; medians {listed}", 10, found / 10, 0.9
        )
    return rows


def planted_by_vb() -> dict[str, Row]:
    """How many states truncated VB keeps in the same texts, the best of five runs."""
    from tests.tagging.test_infinite import planted

    priors = {"new_states": Concentration(0.1, kept=True), "row_concentration": Concentration(1.0)}
    rows = {}
    for states, tokens in PLANTED:
        kept = []
        for seed in range(1, 11):
            fitted = fit(HdpVB(planted(states, tokens, seed), 30, **priors), steps=200, chains=5, seed=seed)
            best = min(fitted.views, key=lambda view: view.objective[-1])
            kept.append(int(best.state_counts[-1]))
        against = f"{states} states, {tokens:,} words; {', '.join(map(str, kept))}"
        mean = float(np.mean(kept))
        rows[f"tagging_vb_hdp_planted_{states}_states"] = at_most(
            mean, "states", against, states, mean / states, 2
        )
    return rows


def pitman_yor(text: Corpus) -> dict[str, Row]:
    """Pitman-Yor against Dirichlet emissions, both with priors that are learnt: a sweep, and the scores."""
    learners = [make_learner(name, text, states=STATES, learn_priors=True) for name in PEERS]
    timed = []
    for learner in learners:
        rng = np.random.default_rng(1)
        state = learner.step(rng, learner.init(rng), 30)
        timed.append(lambda learner=learner, rng=rng, state=state: learner.sweep(rng, state, 1.0))
    ours, theirs = ([s / text.tokens for s in times] for times in by_turns(*timed))
    rows = {
        "tagging_pitman_yor_sweep_vs_collapsed": below("collapsed Gibbs", "ns/token", ours, theirs, 15, 1e9)
    }
    fits = [fit(learner, steps=200, chains=3, seed=1) for learner in learners]
    for score, better in (("many_to_one", at_least), ("vi", at_most)):
        own, other = (float(np.mean([getattr(v.final, score) for v in one.views])) for one in fits)
        against = "Dirichlet emissions, priors learnt, 200 sweeps, 3 runs"
        rows[f"tagging_pitman_yor_{score}"] = better(own, "", against, other, own / other, 1)
    return rows


def long_texts() -> dict[str, Row]:
    """Whether a pass over 250,000, 500,000 and 1,000,000 words costs in proportion, and the memory."""
    rows = {}
    for name in LEARNERS:
        found = []
        for tokens in SIZES:
            command = [sys.executable, "-c", _LONG, name, str(tokens)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found.append(json.loads(done.stdout))
        a_token = [seconds / tokens * 1e9 for seconds, _, tokens in found]
        listed = ", ".join(f"{seconds:.2f}" for seconds, _, _ in found)
        rows[f"tagging_{name}_million_words_linear"] = at_most(
            a_token[-1],
            "ns/word",
            f"250,000 words ({listed} s a pass)",
            a_token[0],
            a_token[-1] / a_token[0],
            1.3,
        )
        rows[f"tagging_{name}_million_words_memory"] = at_most(
            found[-1][1], "MB", "4 GB", 4000, found[-1][1] / 4000, 1
        )
    return rows


PARTS: dict[str, Callable[[], dict[str, Row]]] = {
    "trigrams": lambda: trigrams(corpus()),
    "nltk": lambda: beside_nltk(load_sample("ewt")),
    "infinite": lambda: infinite(load_sample("ewt")),
    "planted": planted_states,
    "planted_vb": planted_by_vb,
    "pitman_yor": lambda: pitman_yor(load_sample("ewt")),
    "long_texts": long_texts,
}
"""Name for ``--only`` -> what returns the lines of a part."""
