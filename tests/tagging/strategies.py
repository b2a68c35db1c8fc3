"""Random models and corpora."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from otlab.tagging import Corpus


@st.composite
def corpora(draw, most_types=5, most_sentences=6, longest=5):
    types = draw(st.integers(1, most_types))
    words = st.lists(st.integers(0, types - 1), min_size=1, max_size=longest)
    sentences = draw(st.lists(words, min_size=1, max_size=most_sentences))
    return Corpus.from_sentences([[(f"w{w}", f"T{w % 2}") for w in sentence] for sentence in sentences])


@st.composite
def models(draw, types, most_states=3):
    """Return (transitions, emissions) with every entry above 0."""
    states = draw(st.integers(1, most_states))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.dirichlet(np.ones(states + 1), states + 1), rng.dirichlet(np.ones(types), states).T


def sentences_of(corpus):
    return [corpus.words[a:b].tolist() for a, b in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)]
