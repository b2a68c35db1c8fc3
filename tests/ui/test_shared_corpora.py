"""Pages that show the same corpus hold one object of it."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import pytest

from otlab.discovery.toy import ToyLanguage, generate
from otlab.tagging import simulate_hmm
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.tagging.state import TaggingState


def tagged(**options):
    return simulate_hmm(300, 7, tags=4, types=50, **options)


def phones():
    """Return a text that no page of another test shows."""
    return generate(ToyLanguage(words=6, utterances=9, seed=77))


@pytest.mark.parametrize(("state", "make"), [(TaggingState, tagged), (LexiconState, phones)])
def test_two_pages_share_a_corpus_until_both_are_gone(state, make):
    first, second = state(make()), state(make())
    assert first.corpus is second.corpus
    kept = weakref.ref(first.corpus)
    del first
    gc.collect()
    assert second.corpus is kept()
    third = state(make())
    assert third.corpus is second.corpus
    del second, third
    gc.collect()
    assert kept() is None


def test_a_corpus_that_differs_is_another_object():
    corpus = tagged()
    first, renamed = TaggingState(corpus), TaggingState(replace(corpus, name="another"))
    other = TaggingState(simulate_hmm(300, 8, tags=4, types=50))
    assert len({id(state.corpus) for state in (first, renamed, other)}) == 3
    assert renamed.corpus.name == "another"


def test_a_corpus_that_is_loaded_is_shared_as_well():
    first, second = TaggingState(tagged()), TaggingState(simulate_hmm(300, 8, tags=4, types=50))
    second.load(tagged())
    assert second.corpus is first.corpus
