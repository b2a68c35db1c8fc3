"""Random small lexicons: few names, so that selectors and licensors find partners."""

from __future__ import annotations

from hypothesis import strategies as st

from otlab.mg.features import ADJOINING, HEAD_KINDS, Feature
from otlab.mg.lexicon import LexicalItem, Lexicon

CATEGORIES = ("c", "d", "v")
LICENSEES = ("k", "w")
WORDS = ("a", "b")


def features(heads=False):
    selecting = st.builds(Feature, st.sampled_from(["right", "left"]), st.sampled_from(CATEGORIES))
    moving_heads = st.builds(Feature, st.sampled_from(HEAD_KINDS), st.sampled_from(CATEGORIES))
    attracting = st.builds(Feature, st.just("licensor"), st.sampled_from(LICENSEES))
    moving = st.builds(Feature, st.just("licensee"), st.sampled_from(LICENSEES))
    return st.builds(
        lambda first, rest, category, after: (*first, *rest, Feature("category", category), *after),
        st.lists(st.one_of(selecting, moving_heads) if heads else selecting, max_size=1),
        st.lists(st.one_of(selecting, attracting), max_size=2),
        st.sampled_from(CATEGORIES),
        st.lists(moving, max_size=2),
    )


def adjuncts():
    selecting = st.builds(Feature, st.sampled_from(["right", "left"]), st.sampled_from(CATEGORIES))
    adjoining = st.builds(Feature, st.sampled_from(ADJOINING), st.sampled_from(CATEGORIES))
    return st.builds(lambda before, last: (*before, last), st.lists(selecting, max_size=1), adjoining)


def items(heads=False, adjoining=False):
    words = st.sampled_from([(), *((w,) for w in WORDS)])
    return st.builds(
        LexicalItem, words, st.one_of(features(heads), adjuncts()) if adjoining else features(heads)
    )


@st.composite
def lexicons(draw, heads=False, adjoining=False):
    """A lexicon in which something of the start category needs nothing."""
    base = [
        LexicalItem(("a",), (Feature("category", "c"),)),
        LexicalItem(("b",), (Feature("category", "d"),)),
    ]
    more = draw(st.lists(items(heads, adjoining), min_size=2, max_size=6))
    return Lexicon(tuple(dict.fromkeys([*base, *more])), ("c",))
