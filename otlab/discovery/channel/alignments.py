r"""Align source strings with what came out: the likeliest edits of every channel error.

A learner with a channel estimates the most probable source word of each piece of the text. Of all the
ways the channel can turn the one into the other the likeliest is shown, by the Viterbi algorithm over
the channel's states (i, j, r) (:mod:`~otlab.discovery.channel.channel`):

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
"""Most insertions, or deletions, in a row: the channel's own limits by default."""


class Step(NamedTuple):
    """One step of an alignment; a phone's code, or -1 where there is none.

    Attributes
    ----------
    kind
        One of :data:`~otlab.discovery.channel.channel.OPERATIONS`.
    top, bottom
        The source phone, and the phone that came out.
    """

    kind: str
    top: int
    bottom: int


@dataclass(frozen=True)
class ChannelError:
    """A word that came out with edits, and all its occurrences.

    Attributes
    ----------
    source, output : tuple of int
        Codes of its phones.
    steps
        The likeliest alignment.
    utterances
        Where it occurs, in order; an utterance with two occurrences appears twice.
    """

    source: tuple[int, ...]
    output: tuple[int, ...]
    steps: tuple[Step, ...]
    utterances: tuple[int, ...]


def align(top: Sequence[int], bottom: Sequence[int], edits: Edits) -> tuple[Step, ...]:
    """Return the likeliest edits that turn one string of codes into another.

    Parameters
    ----------
    top, bottom
        The source phone, and the phone that came out.
    edits
        Dirichlet parameters of the channel.

    Returns
    -------
    tuple of Step
        Empty if no path is within the channel's limits.
    """
    with np.errstate(divide="ignore"):
        operation, insertion, substitution = (np.log(weight) for weight in edits.weights())
    costs = dict(zip(OPERATIONS, operation.tolist(), strict=True))
    start, end = (0, 0, 0), (len(top), len(bottom))
    best: dict[tuple[int, int, int], tuple[float, tuple[Step, ...]]] = {start: (0.0, ())}
    for i in range(end[0] + 1):
        for j in range(end[1] + 1):
            for run in range(-LONGEST_RUN, LONGEST_RUN + 1):
                if (i, j, run) not in best:
                    continue
                score, path = best[i, j, run]
                for step, to in _arcs(top, bottom, i, j, run):
                    value = score + costs[step.kind]
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
    """Return the words that came out differently, the most frequent first.

    Parameters
    ----------
    parser
        Of the text that came out of the channel.
    ends : bool ndarray of shape (phones,)
        Whether a word ends after this phone.
    source_string : int ndarray of shape (phones,)
        The source string of the word that ends here; -1 for none.
    edits
        Dirichlet parameters of the channel.
    """
    corpus, spans = parser.corpus, parser.spans
    starts, stops = map(np.array, word_edges(corpus, ends))
    source = source_string[stops - 1]
    output = spans.ids[spans.row[starts] + stops - starts - 1]
    differ = np.flatnonzero((source >= 0) & (source != output))
    where: dict[tuple[int, bytes], list[int]] = {}
    for w in differ.tolist():
        where.setdefault((int(source[w]), corpus.phones[starts[w] : stops[w]].tobytes()), []).append(w)
    errors = []
    for (string, codes), places in where.items():
        top, bottom = (
            tuple(c.tolist()) for c in (parser.codes(string), np.frombuffer(codes, dtype=np.int32))
        )
        utterances = np.searchsorted(corpus.offsets, starts[places], side="right") - 1
        errors.append(ChannelError(top, bottom, align(top, bottom, edits), tuple(utterances.tolist())))
    return sorted(errors, key=lambda m: (-len(m.utterances), m.source, m.output))
