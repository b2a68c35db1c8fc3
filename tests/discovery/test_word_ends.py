"""The end of a word behind the channel: outputs add up to 1, and as many edits are expected as were made."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from otlab.discovery.channel import noisy_estep
from otlab.discovery.channel.channel import OPERATIONS
from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.channel.word_ends import end_counts, end_weight
from otlab.discovery.corpus import Corpus
from otlab.discovery.kernels.layout import EditArrays, Limits
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from tests.discovery import naive

PHONES = "abcd"
LEXICON = {"bada": 0.3, "ca": 0.3, "dab": 0.2, "cabcad": 0.2}
RATES = (0.86, 0.08, 0.03, 0.03)
STOP = 0.4
"""Probability that an utterance ends after a word."""


def edit_weights(rates):
    """Weights with which every edit is equally probable among those of its kind."""
    size = len(PHONES)
    others = (1.0 - np.eye(size)) / (size - 1)
    return EditArrays(np.array(rates), np.full(size, 1 / size), others)


@pytest.mark.parametrize("length", range(4))
def test_all_outputs_of_a_word_add_up_to_one(length):
    """Without deletions, which do not go together with insertions; with *none* alone at the end, to less."""
    rates = dict(zip(OPERATIONS, (0.6, 0.2, 0.2, 0.0), strict=True))
    assert naive.channel_mass(length, naive.with_end(rates), 60, 2) == pytest.approx(1.0, abs=1e-12)
    assert naive.channel_mass(length, rates, 60, 2) == pytest.approx(0.75, abs=1e-12)


def test_what_reads_the_end_is_counted_in_proportion():
    edits = edit_weights((0.6, 0.1, 0.2, 0.1))
    assert end_weight(edits) == pytest.approx(0.8)
    assert end_counts(8.0, edits) == pytest.approx([6.0, 1.0, 0.0, 1.0])


@dataclass
class Drawn:
    """A text drawn from the model, with the edits made in it."""

    text: str
    words: int
    operations: np.ndarray


def misheard(word, rng, counts):
    """Draw the output of a word, again as long as it is beyond the channel's limits."""
    while True:
        out, run, i, made = "", 0, 0, np.zeros(4, dtype=int)
        while True:
            kind = rng.choice(4, p=RATES)
            if kind == 2:
                if not 0 <= run < 2:
                    break
                out, run = out + PHONES[rng.integers(4)], run + 1
            elif i == len(word):
                if out:
                    counts += made
                    return out
                break
            elif kind == 3:
                if not -2 < run <= 0:
                    break
                run, i = run - 1, i + 1
            else:
                phone = word[i] if kind == 0 else rng.choice([x for x in PHONES if x != word[i]])
                out, run, i = out + phone, 0, i + 1
            made[kind] += 1


def drawn(rng, utterances):
    """Draw a text from the model: words, edits in each word, and how many of each kind were made."""
    counts, lines, words = np.zeros(4, dtype=int), [], 0
    for _ in range(utterances):
        line = [misheard(rng.choice(list(LEXICON), p=list(LEXICON.values())), rng, counts)]
        while rng.random() > STOP:
            line.append(misheard(rng.choice(list(LEXICON), p=list(LEXICON.values())), rng, counts))
        words += len(line)
        lines.append(" ".join(line))
    return Drawn("\n".join(lines), words, counts)


def expected_at(text, rates):
    """Expected operations at the true words and these rates, with what read the ends of words; and words."""
    corpus = Corpus.from_text(text)
    assert corpus.symbols == tuple(PHONES)
    parser = Parser(corpus, preset("word"))
    rule = np.ones(parser.chart.rule_left.size)
    lattice = parser.required_lattice.rules
    rule[lattice[1]], rule[lattice[2]] = STOP, 1.0 - STOP
    weights = parser.no_strings(rule)
    codes = {parser.codes(s).tobytes(): s for s in range(len(parser.spans))}
    phone = {x: k for k, x in enumerate(PHONES)}
    for word, p in LEXICON.items():
        weights.mass[0, codes[np.array([phone[x] for x in word], dtype=np.int32).tobytes()]] = p
    weights.fresh[0] = 1e-300
    active = [np.flatnonzero(weights.mass[0])]
    found, counts, _ = expect_noisy(parser, weights, active, At(edit_weights(rates)), 4.0, Limits(6, 2, 2, 6))
    return counts.operation, float(found.ends.sum())


@dataclass
class At:
    """Edits with these weights."""

    arrays: EditArrays

    def weights(self):
        return self.arrays


def compared(texts, expected):
    """Mean difference of expected edits from those made, its standard error, and the mean made; printed."""
    differences = np.array([e - t.operations for e, t in zip(expected, texts, strict=True)])
    made = np.mean([t.operations for t in texts], axis=0)
    error = differences.std(axis=0, ddof=1) / np.sqrt(len(texts))
    mean = differences.mean(axis=0)
    for kind in (1, 2, 3):
        sys.stdout.write(f"{OPERATIONS[kind]}: {1 + mean[kind] / made[kind]:.3f} of {made[kind]:.1f}\n")
    return mean, error, made


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(3)
    return [drawn(rng, 100) for _ in range(60)]


@pytest.mark.slow
def test_at_the_true_weights_as_many_edits_are_expected_as_were_made(texts):
    """The mean of the posterior's counts is the mean of the true counts, whatever the words hide."""
    expected = []
    for t in texts:
        operations, words = expected_at(t.text, RATES)
        expected.append(operations - end_counts(words, edit_weights(RATES)))
    mean, error, made = compared(texts, expected)
    for kind in (1, 2, 3):
        assert abs(mean[kind]) < 4.5 * error[kind], OPERATIONS[kind]
        # An edit too few in eight would be seen.
        assert 4.5 * error[kind] < 0.125 * made[kind], OPERATIONS[kind]


@pytest.mark.slow
def test_an_end_that_only_none_reads_makes_the_model_expect_fewer_edits(texts, monkeypatch):
    """Its rates are shares of all operations, the ends of words among those unedited."""
    monkeypatch.setattr(noisy_estep, "end_weight", lambda edits: float(edits.operation[0]))
    monkeypatch.setattr(noisy_estep, "end_counts", lambda words, edits: np.array([words, 0.0, 0.0, 0.0]))
    expected = []
    for t in texts:
        counts = t.operations + np.array([t.words, 0, 0, 0])
        expected.append(expected_at(t.text, counts / counts.sum())[0])
    mean, error, _ = compared(texts, expected)
    assert mean[1] < -4.5 * error[1]
    assert mean[3] < -4.5 * error[3]
