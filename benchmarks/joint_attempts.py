"""Other starts and proposals of the joint model, and where words from sound are lost.

What :mod:`benchmarks.joint_quality` prints tables of. Only what names gold in its docstring looks at it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.channel.noisy_estep import fresh_weights
from otlab.discovery.channel.trie import build_trie
from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.fitted import score_words
from otlab.discovery.joint.learners.joint import Joint, learn_words
from otlab.discovery.joint.words import WordModel, candidates, flat_text
from otlab.discovery.kernels.best_words import best_words
from otlab.discovery.kernels.layout import Limits, new_arcs
from otlab.discovery.kernels.noisy import NoisyWeights
from otlab.discovery.kernels.phone_loop import Loop, best_path, unit_scores
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.noisy import NoisyVB, source_text
from otlab.discovery.learners.starts import lexicon_weights
from otlab.discovery.presets import preset
from otlab.discovery.sound.decode import Segment, agreed_boundaries, decode, frame_units
from otlab.discovery.sound.estep import squares
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.tiers import PAUSES, Interval
from otlab.discovery.sound.zerospeech import edits
from otlab.inference import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.joint.learners.joint import JointState
    from otlab.discovery.parsing.parser import Parser
    from otlab.discovery.sound.phone_loop import LoopPosterior
    from otlab.discovery.sound.speech import Speech

AGREEING = 5
"""Runs whose boundaries are compared."""

POWERS = (0.5, 0.2, 0.1, 0.05)
"""Powers of the densities with which further strings of units are decoded."""

SWEEPS, CONCENTRATION, FURTHER = 60, 20.0, 0.75
"""Of the annealed search: sweeps, concentration, and P(a new word goes on)."""

ARCS, UNIT = 100_000, 8.0


def unit_text(tops: Sequence[np.ndarray], units: int) -> Corpus:
    """Return strings of units as a text without words."""
    phones, offsets = flat_text(tops)
    names = tuple(f"{k}." for k in range(units))
    return Corpus("units", names, phones, offsets, None, tuple(range(1, len(tops) + 1)))


class BehindChannel(Joint):
    """The joint model begun at the source strings that the noisy learner finds behind the units."""

    def _begin_words(self, rng: np.random.Generator, state: JointState) -> None:
        super()._begin_words(rng, state)
        text = unit_text(state.tops, state.units)
        learner = NoisyVB(text)
        view = learner.view(learner.step(rng, learner.init(rng), 40))
        source = source_text(learner.parser, view.ends > 0.5, view.source_string)
        if len(source) == len(text):
            parts = np.split(source.phones.astype(np.int64), source.offsets[1:-1])
            state.tops = [part.copy() for part in parts]
            state.words = learn_words(state.tops, state.units, self.word_iterations, rng, self.threads)


class MoreStrings(Joint):
    """The joint model with source strings proposed behind flatter posteriors too, not 1-best units alone."""

    def _begin_at(
        self, rng: np.random.Generator, state: JointState, words: Sequence[Sequence[tuple[int, ...]]]
    ) -> None:
        """Set source strings and words to those of a segmentation."""
        state.tops = [np.array([k for word in each for k in word], dtype=np.int64) for each in words]
        ends = [k == len(word) - 1 for each in words for word in each for k in range(len(word))]
        text = unit_text(state.tops, state.units)
        learner = BatchVB(text, preset("word"), Given(np.array(ends)), threads=self.threads)
        learnt = learner.step(rng, learner.init(rng), self.word_iterations)
        state.words = WordModel.from_batch(learner.parser, learnt)

    def _strings_to_try(self, state: JointState, words: WordModel, edits: Edits) -> list[list[np.ndarray]]:
        tried: list[list[np.ndarray]] = [[top] for top in state.tops]
        for power in (1.0, *POWERS):
            heard = [flatter(self.speech, state.loop.posterior, u, power) for u in range(len(self.speech))]
            for known, more in zip(tried, candidates(words, edits, heard, state.tops), strict=True):
                known += [s for s in more if not any(np.array_equal(s, other) for other in known)]
        return tried


def annealed(
    heard: Sequence[np.ndarray],
    words: list[list[tuple[int, ...]]],
    rules: np.ndarray,
    edits: Edits,
    rng: np.random.Generator,
) -> list[list[tuple[int, ...]]]:
    """Return the words of each utterance after sweeps in which each is parsed given those of all others.

    Stored words weigh as much as they are used elsewhere, in a Dirichlet process over strings of units. The
    best parse behind the channel is taken, with Gumbel noise on the log weights of words that goes to 0.
    """
    units = edits.insertion.size
    theta = np.bincount(np.concatenate(heard), minlength=units) + 1.0
    theta /= theta.sum()
    rules = np.array([*rules[:3], 1.0, 1 - FURTHER, FURTHER])
    channel, limits = edits.weights(), Limits(2, 1, 1, 1)
    arcs = new_arcs(ARCS, limits)
    uses = Counter(itertools.chain.from_iterable(words))
    for sweep in range(SWEEPS):
        heat = max(0.0, 1 - sweep / (0.8 * SWEEPS))
        for u in rng.permutation(len(heard)):
            uses.subtract(words[u])
            uses = +uses
            total, stored = uses.total() + CONCENTRATION, tuple(uses)
            mass = np.array(list(uses.values())) / total * np.exp(heat * rng.gumbel(size=len(stored)))
            left = CONCENTRATION / total * float(np.exp(heat * rng.gumbel()))
            end = float(channel.operation[0])
            fresh = fresh_weights(rules, theta, left, channel, UNIT, end)
            weights = NoisyWeights(rules, theta, mass, fresh, UNIT)
            trie = build_trie([np.array(word) for word in stored], units)
            phones = heard[u].astype(np.int32)
            chosen = np.zeros((phones.size, 3), dtype=np.int64)
            size = best_words(phones, trie, weights, channel, limits, arcs, chosen)
            words[u] = [tuple(phones[i:j].tolist()) if w < 0 else stored[w] for w, i, j in chosen[:size]]
            uses.update(words[u])
    return words


class BehindChannelMore(BehindChannel, MoreStrings):
    """Both: begun at source strings behind the units, with strings proposed behind flatter posteriors."""


class AgreedBoundaries(Joint):
    """Pipeline and joint model begun at boundaries that most of five runs have, each with its best unit."""

    def _begin_words(self, rng: np.random.Generator, state: JointState) -> None:
        starts = [state.loop.expected.frames.start]
        for _ in range(AGREEING - 1):
            other = self.units.step(rng, self.units.init(rng), self.unit_iterations)
            starts.append(other.expected.frames.start)
        tiers = agreed_boundaries(self.speech, starts)
        state.loop = self.units.pruned(state.loop, self.least_uses)
        posterior, speech = state.loop.posterior, self.speech
        state.segments = []
        for u, tier in enumerate(tiers):
            cuts = [round((i.start - float(speech.time(0))) / speech.hop) for i in tier[1:]]
            state.segments.append(best_units(speech, posterior, u, cuts))
        state.tops = [np.array([s.unit for s in each], dtype=np.int64) for each in state.segments]
        state.words = learn_words(state.tops, state.units, self.word_iterations, rng, self.threads)
        counts = state.words.expect(state.tops)
        state.pipeline = self._tokens(state)
        state.likelihood.append(float(counts.log_z.sum()) + state.words.own_log_weight)
        state.penalty.append(state.words.penalty)


@dataclass(frozen=True)
class Annealed(MoreStrings):
    """The joint model begun at words found by annealed search behind the channel, utterance by utterance."""

    first_rate: float = 0.25

    def _begin_words(self, rng: np.random.Generator, state: JointState) -> None:
        super()._begin_words(rng, state)
        ends = state.words.expect(state.tops).ends > 0.5
        words, at = [], 0
        for top in state.tops:
            inner = (np.flatnonzero(ends[at : at + top.size - 1]) + 1).tolist()
            words.append([tuple(top[i:j].tolist()) for i, j in itertools.pairwise([0, *inner, top.size])])
            at += top.size
        words = annealed(state.tops, words, state.words.weights()[:6], self._first_edits(state), rng)
        self._begin_at(rng, state, words)


class FromGold(MoreStrings):
    """The joint model begun at gold words: each type has one string of units, that nearest to all its tokens.

    What it ends at shows whether words are lost in the search or are not what J seeks.
    """

    def _begin_words(self, rng: np.random.Generator, state: JointState) -> None:
        super()._begin_words(rng, state)
        heard = spoken_words(self.speech, state.segments)
        strings = {label: medoid(tokens) for label, tokens in by_type(heard).items()}
        words = [
            [strings[label] for label, _ in each] or [tuple(top.tolist())]
            for each, top in zip(heard, state.tops, strict=True)
        ]
        self._begin_at(rng, state, words)


@dataclass(frozen=True, eq=False)
class Given:
    """A start at a given segmentation."""

    ends: np.ndarray

    def weights(self, parser: Parser) -> Any:
        """Return weights in which its words are stored."""
        return lexicon_weights(parser, self.ends, 0.02)


def flatter(speech: Speech, posterior: LoopPosterior, u: int, power: float) -> np.ndarray:
    """Return the units of the best path with densities to a power; neighbours of one unit are one."""
    each = posterior.scores.of(squares(speech.features[speech.offsets[u] : speech.offsets[u + 1]]))
    length, _, states, units = each.shape
    weight = np.empty((length, states, units))
    unit_scores(each, weight)
    path, left = np.zeros(length, np.int64), np.zeros(length, np.int64)
    best_path(power * weight, Loop(*posterior.log_loop), np.zeros(weight.shape, bool), left, path)
    found = -1 - path[path < 0]
    kept = np.append(True, found[1:] != found[:-1]) if power < 1 else np.ones(found.size, bool)
    return found[kept]


def best_units(speech: Speech, posterior: LoopPosterior, u: int, cuts: Sequence[int]) -> list[Segment]:
    """Return segments between these frames with their best units; those too short for one are joined."""
    each = posterior.scores.of(squares(speech.features[speech.offsets[u] : speech.offsets[u + 1]]))
    length, _, states, units = each.shape
    weight = np.empty((length, states, units))
    unit_scores(each, weight)
    edges = [0]
    edges += [cut for cut in cuts if cut <= length - states]
    kept = [0]
    for edge in edges[1:]:
        if edge - kept[-1] >= states:
            kept.append(edge)
    entry, stay, leave = posterior.log_loop
    out = []
    for first, stop in itertools.pairwise([*kept, length]):
        score = np.full((states, units), -np.inf)
        score[0] = entry + weight[first, 0]
        for t in range(first + 1, stop):
            came = np.vstack([np.full((1, units), -np.inf), (score + leave)[:-1]])
            score = np.maximum(score + stay, came) + weight[t]
        out.append(Segment(first, stop, int(np.argmax(score[-1] + leave[-1]))))
    return out


def spoken_words(
    speech: Speech, segments: Sequence[Sequence[Segment]]
) -> list[list[tuple[str, tuple[int, ...]]]]:
    """Return the gold words of each utterance, each with the units whose middle lies in its time."""
    out = []
    for u, words in enumerate(speech.words or ()):
        centres = speech.centres(u)
        middles = np.array([(centres[s.first] + centres[s.stop - 1]) / 2 for s in segments[u]])
        units = np.array([s.unit for s in segments[u]])
        each = [
            (w.label, tuple(units[(w.start <= middles) & (middles < w.end)].tolist()))
            for w in words
            if w.label not in PAUSES
        ]
        out.append([word for word in each if word[1]])
    return out


def by_type(heard: Sequence[Sequence[tuple[str, tuple[int, ...]]]]) -> dict[str, list[tuple[int, ...]]]:
    """Return the strings of units of each gold word."""
    out: dict[str, list[tuple[int, ...]]] = {}
    for label, string in itertools.chain.from_iterable(heard):
        out.setdefault(label, []).append(string)
    return out


def medoid(strings: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the string with the least edits to all of them."""
    return min(strings, key=lambda s: sum(edits(list(s), list(other)) for other in strings))


def renditions(speech: Speech, seed: int) -> list[float]:
    """Return what gold words that occur twice or more are heard as.

    Tokens, types, different strings of units, the share of tokens that are heard as the most frequent string
    of their word, and the mean edits from a token to another of its word, over the length of both.
    """
    posterior = fit(PhoneLoop(speech), steps=15, seed=seed).view.posterior
    segments = [decode(speech, posterior, u) for u in range(len(speech))]
    types = {k: s for k, s in by_type(spoken_words(speech, segments)).items() if len(s) > 1}
    tokens = sum(map(len, types.values()))
    most = sum(Counter(strings).most_common(1)[0][1] for strings in types.values())
    apart, longest = 0, 0
    for strings in types.values():
        for a, b in itertools.combinations(strings, 2):
            apart, longest = apart + edits(list(a), list(b)), longest + max(len(a), len(b))
    return [tokens, len(types), sum(len(set(s)) for s in types.values()), most / tokens, apart / longest]


def losses(speech: Speech, seed: int) -> dict[str, list[float]]:
    """Return what the word grammar alone makes of strings between gold phones and units."""
    posterior = fit(PhoneLoop(speech), steps=15, seed=seed).view.posterior
    segments = [decode(speech, posterior, u) for u in range(len(speech))]
    tiers = [[p for p in tier if p.label not in PAUSES] for tier in speech.phones or ()]
    labels = sorted({p.label for tier in speech.phones or () for p in tier})
    phones = [np.array([labels.index(p.label) for p in tier]) for tier in tiers]
    units, gold_at = [], []
    for u, tier in enumerate(tiers):
        centres, units_at = speech.centres(u), frame_units(segments[u])
        spans = [np.searchsorted(centres, [p.start, p.end]) for p in tier]
        parts = [units_at[i : max(j, i + 1)] if i < units_at.size else units_at[-1:] for i, j in spans]
        units.append(np.array([np.bincount(part).argmax() for part in parts]))
        starts = np.array([p.start for p in (speech.phones or ())[u]])
        names = np.array([labels.index(p.label) for p in (speech.phones or ())[u]])
        gold_at.append(names[np.maximum(0, np.searchsorted(starts, centres, side="right") - 1)])
    found = [
        [np.bincount(gold_at[u][s.first : s.stop]).argmax() for s in each] for u, each in enumerate(segments)
    ]
    table = np.zeros((50, len(labels)))
    for u, each in enumerate(segments):
        np.add.at(table, (frame_units(each), gold_at[u]), 1)
    name = table.argmax(axis=1)
    renamed = [[name[s.unit] for s in each] for each in segments]
    size = len(labels)
    return {
        "gold phones": words_of(speech, tiers, phones, size, seed),
        "gold phones' names on the segments found": between(speech, segments, found, size, seed),
        "units named by the gold phone each is used for most": between(speech, segments, renamed, size, seed),
        "the same between gold phone boundaries": words_of(
            speech, tiers, [name[s] for s in units], size, seed
        ),
        "units between gold phone boundaries": words_of(speech, tiers, units, 50, seed),
    }


def between(
    speech: Speech,
    segments: Sequence[Sequence[Segment]],
    names: Sequence[Sequence[int]],
    size: int,
    seed: int,
) -> list[float]:
    """Return the scores of the words learnt from names of segments, neighbours of one name joined."""
    tiers, tops = [], []
    for u, (each, own) in enumerate(zip(segments, names, strict=True)):
        end = (int(speech.lengths[u]) - 1) * speech.hop + speech.window
        starts = [0.0, *(float(speech.time(s.first)) for s in each[1:]), end]
        joined: list[Interval] = []
        for k, name in enumerate(own):
            if joined and joined[-1].label == str(name):
                joined[-1] = joined[-1]._replace(end=starts[k + 1])
            else:
                joined.append(Interval(starts[k], starts[k + 1], str(name)))
        tiers.append(joined)
        tops.append(np.array([int(i.label) for i in joined]))
    return words_of(speech, tiers, tops, size, seed)


def words_of(
    speech: Speech,
    tiers: Sequence[Sequence[Interval]],
    tops: Sequence[np.ndarray],
    size: int,
    seed: int,
) -> list[float]:
    """Return the scores of the words learnt from strings whose symbols have times."""
    model = learn_words(tops, size, 20, np.random.default_rng(seed), None)
    ends = model.expect(tops).ends > 0.5
    out, at = [], 0
    for tier, string in zip(tiers, tops, strict=True):
        inner = (np.flatnonzero(ends[at : at + string.size - 1]) + 1).tolist()
        cuts = [0, *inner, string.size]
        at += string.size
        out.append(
            [
                Interval(tier[i].start, tier[j - 1].end, str(tuple(string[i:j].tolist())))
                for i, j in itertools.pairwise(cuts)
            ]
        )
    found = score_words(speech, out)
    return [found.token.f, found.type.f, found.boundary.f, found.ned]
