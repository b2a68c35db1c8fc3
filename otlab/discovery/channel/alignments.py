r"""Align source strings with the channel's output: the most probable edits of every channel error.

A learner with a channel estimates the most probable source word of each word of the text. Of all
sequences of edits that turn the source into the output, the most probable one is found by the Viterbi
algorithm over the channel's states (i, j, r) (:mod:`~otlab.discovery.channel.channel`):

>>> from otlab.discovery.channel.channel import Edits
>>> edits = Edits.prior(3)
>>> [step.kind for step in align((0, 1, 2), (0, 2, 2), edits)]
['none', 'substitute', 'none']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.channel.channel import OPERATIONS
from otlab.discovery.scores import word_edges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.parsing.parser import Parser

__all__ = ["ChannelError", "Step", "align", "channel_errors"]

LONGEST_RUN = 2
"""Longest run of insertions, or of deletions: the channel's default limits."""


class Step(NamedTuple):
    """One step of an alignment.

    Attributes
    ----------
    kind
        One of :data:`~otlab.discovery.channel.channel.OPERATIONS`.
    top, bottom
        Codes of the source phone and of the output phone; -1 if there is none.
    """

    kind: str
    top: int
    bottom: int


@dataclass(frozen=True)
class ChannelError:
    """A pair of a source word and a different output, with all its occurrences.

    Attributes
    ----------
    source, output : tuple of int
        Codes of the phones.
    steps
        The most probable alignment.
    utterances
        Numbers of the utterances, in order; an utterance with two occurrences appears twice.
    """

    source: tuple[int, ...]
    output: tuple[int, ...]
    steps: tuple[Step, ...]
    utterances: tuple[int, ...]


def align(top: Sequence[int], bottom: Sequence[int], edits: Edits) -> tuple[Step, ...]:
    """Return the most probable edits that turn one string of codes into another.

    Parameters
    ----------
    top, bottom
        Codes of the source string and of the output string.
    edits
        Dirichlet parameters of the channel.

    Returns
    -------
    tuple of Step
        Empty if no path is within the channel's limits.
    """
    with np.errstate(divide="ignore"):
        operation, insertion, substitution = (np.log(weight) for weight in edits.weights())
    log_weight = dict(zip(OPERATIONS, operation.tolist(), strict=True))
    start, end = (0, 0, 0), (len(top), len(bottom))
    best: dict[tuple[int, int, int], tuple[float, tuple[Step, ...]]] = {start: (0.0, ())}
    for i in range(end[0] + 1):
        for j in range(end[1] + 1):
            for run in range(-LONGEST_RUN, LONGEST_RUN + 1):
                if (i, j, run) not in best:
                    continue
                score, path = best[i, j, run]
                for step, to in _arcs(top, bottom, i, j, run):
                    value = score + log_weight[step.kind]
                    if step.kind == "insert":
                        value += float(insertion[step.bottom])
                    elif step.kind == "substitute":
                        value += float(substitution[step.top, step.bottom])
                    if value > best.get(to, (-np.inf, ()))[0]:
                        best[to] = (value, (*path, step))
    ended = [best[*end, run] for run in range(-LONGEST_RUN, LONGEST_RUN + 1) if (*end, run) in best]
    return max(ended)[1] if ended else ()


def _arcs(
    top: Sequence[int], bottom: Sequence[int], i: int, j: int, run: int
) -> Iterator[tuple[Step, tuple[int, int, int]]]:
    """Yield the possible steps at a state, each with the next state."""
    x = top[i] if i < len(top) else -1
    y = bottom[j] if j < len(bottom) else -1
    if x >= 0 and y >= 0:
        yield Step("none" if x == y else "substitute", x, y), (i + 1, j + 1, 0)
    if y >= 0 and 0 <= run < LONGEST_RUN:
        yield Step("insert", -1, y), (i, j + 1, run + 1)
    if x >= 0 and -LONGEST_RUN < run <= 0:
        yield Step("delete", x, -1), (i + 1, j, run - 1)


def channel_errors(
    parser: Parser, ends: np.ndarray, source_string: np.ndarray, edits: Edits
) -> list[ChannelError]:
    """Return the words whose output differs from their source, the most frequent first.

    Parameters
    ----------
    parser
        Parser of the text, which is the channel's output.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after each phone.
    source_string : int ndarray of shape (phones,)
        Number of the source string of the word that ends here; -1 for none.
    edits
        Dirichlet parameters of the channel.
    """
    corpus, spans = parser.corpus, parser.spans
    starts, stops = map(np.array, word_edges(corpus, ends))
    source = source_string[stops - 1]
    output = spans.ids[spans.row[starts] + stops - starts - 1]
    differ = np.flatnonzero((source >= 0) & (source != output))
    occurrences: dict[tuple[int, bytes], list[int]] = {}
    for w in differ.tolist():
        key = int(source[w]), corpus.phones[starts[w] : stops[w]].tobytes()
        occurrences.setdefault(key, []).append(w)
    errors = []
    for (string, codes), words in occurrences.items():
        top, bottom = (
            tuple(c.tolist()) for c in (parser.codes(string), np.frombuffer(codes, dtype=np.int32))
        )
        utterances = np.searchsorted(corpus.offsets, starts[words], side="right") - 1
        errors.append(ChannelError(top, bottom, align(top, bottom, edits), tuple(utterances.tolist())))
    return sorted(errors, key=lambda error: (-len(error.utterances), error.source, error.output))
