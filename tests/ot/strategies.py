"""Random tableaux for Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from otlab.files import INVISIBLE
from otlab.ot import Tableau

# Anything a linguist may type: no control characters, no halves of surrogate pairs, nothing that is not seen.
_CHARACTERS = st.characters(
    exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"], exclude_characters=[*map(chr, INVISIBLE)]
)
names = st.text(_CHARACTERS, min_size=1, max_size=8).map(str.strip).filter(bool)
awkward_names = st.sampled_from(
    [
        "#ta",
        "# x",
        '"ta',
        'a"b"',
        "=A1",
        "1",
        "2.0",
        "*",
        "**",
        "a,b",
        "a;b",
        "ˈta.pa",
        "∅",
        "'",
        "a b",
        "-",
        "ʔɐ̃",
    ]
)
labels = st.one_of(names, awkward_names)


def unique_labels(size):
    return st.lists(labels, min_size=size, max_size=size, unique=True)


@st.composite
def tableaux(draw, max_inputs=3, max_candidates=4, max_constraints=4, max_violations=3, plain=True):
    """Return a tableau with `plain` names, or with any that files must preserve."""
    k = draw(st.integers(1, max_constraints))
    sizes = draw(st.lists(st.integers(1, max_candidates), min_size=1, max_size=max_inputs))
    rows = sum(sizes)
    cells = st.lists(st.integers(0, max_violations), min_size=k, max_size=k)
    violations = draw(st.lists(cells, min_size=rows, max_size=rows))
    counts = draw(st.lists(st.integers(0, 50), min_size=rows, max_size=rows))
    if plain:
        inputs = [f"x{n}" for n in range(len(sizes))]
        candidates = [f"y{n}{c}" for n, size in enumerate(sizes) for c in range(size)]
        constraints = [f"C{n}" for n in range(k)]
        extra = {}
    else:
        inputs, constraints = draw(unique_labels(len(sizes))), draw(unique_labels(k))
        candidates = [name for size in sizes for name in draw(unique_labels(size))]
        counts = [float(c) for c in draw(st.lists(st.floats(0, 1e6), min_size=rows, max_size=rows))]
        extra = draw(abouts(k))
    return Tableau(
        inputs=tuple(inputs),
        candidates=tuple(candidates),
        offsets=np.cumsum([0, *sizes]),
        constraints=tuple(constraints),
        violations=np.array(violations),
        frequencies=np.array(counts),
        **extra,
    )


@st.composite
def abouts(draw, k):
    """Return what the comment lines of a file may set."""
    positive = st.floats(1e-3, 1e3)
    return {
        "full_names": tuple(draw(st.lists(labels, min_size=k, max_size=k))),
        "title": draw(st.one_of(st.just(""), labels)),
        "source": draw(st.one_of(st.just(""), labels)),
        "notes": tuple(draw(st.lists(labels, max_size=2))),
        "noise": draw(st.one_of(st.none(), positive)),
        "bound": draw(st.one_of(st.none(), positive)),
        "total": draw(st.one_of(st.none(), st.integers(1, 10**6))),
    }


def ranking_values(k, spread=4.0):
    return st.lists(st.floats(-spread, spread), min_size=k, max_size=k)
