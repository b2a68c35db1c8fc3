"""Alignments: the likeliest path of all, and the occurrences of each channel error."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.discovery.channel.alignments import align, channel_errors
from otlab.discovery.channel.channel import OPERATIONS, Edits
from otlab.discovery.corpus import Corpus
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from tests.discovery import naive

strings = st.lists(st.integers(0, 2), max_size=4).map(tuple)


def some_edits(seed):
    rng = np.random.default_rng(seed)
    return Edits(
        rng.gamma(2.0, size=4) + 0.1, rng.gamma(2.0, size=3) + 0.1, rng.gamma(2.0, size=(3, 3)) + 0.1
    )


@given(strings, strings, st.integers(0, 20))
def test_the_best_of_all_paths(top, bottom, seed):
    edits = some_edits(seed)
    operation, insertion, substitution = edits.weights()
    spelled = dict(zip(OPERATIONS, operation, strict=True))
    by_pair = {(x, y): substitution[x, y] for x in range(3) for y in range(3)}
    paths = [p[:-1] for p in naive.channel_paths(top, bottom, 2, 2)]
    weights = [naive.path_weight(p, spelled, dict(enumerate(insertion)), by_pair) for p in paths]
    steps = align(top, bottom, edits)
    if not paths:
        assert steps == ()
        return
    mine = [(s.kind, None if s.top < 0 else s.top, None if s.bottom < 0 else s.bottom) for s in steps]
    found = naive.path_weight(mine, spelled, dict(enumerate(insertion)), by_pair)
    assert log(found) == pytest.approx(log(max(weights)))
    assert tuple(s.top for s in steps if s.top >= 0) == top
    assert tuple(s.bottom for s in steps if s.bottom >= 0) == bottom


def test_misheard_words_and_their_places():
    corpus = Corpus.from_text("ab abc\nac ab\nac ac\nabc")
    parser = Parser(corpus, preset("word"))
    number = {parser.spell(s): s for s in range(len(parser.spans))}
    source_string = np.full(corpus.phones.size, -1)
    ends = np.array(corpus.gold)
    source_string[[1, 6, 10]] = number["ab"]
    (found,) = channel_errors(parser, ends, source_string, Edits.prior(3))
    assert ["".join(corpus.symbols[c] for c in side) for side in (found.source, found.output)] == ["ab", "ac"]
    assert found.utterances == (1, 2)
    assert [s.kind for s in found.steps] == ["none", "substitute"]
