from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.discovery.channel.channel import OPERATIONS, Channel, Edits
from otlab.discovery.channel.pairs import Pairs, read_pairs
from otlab.discovery.kernels.channel import expected_edits
from otlab.discovery.kernels.layout import EditArrays, Limits
from otlab.errors import InputError
from otlab.inference import fit
from otlab.inference.random import chain_generators
from tests.discovery import naive

strings = st.text("abc", max_size=4)


def spelled(edits, symbols):
    """Kernel weights by name."""
    operation, insertion, substitution = edits
    pairs = {(x, y): substitution[i, j] for i, x in enumerate(symbols) for j, y in enumerate(symbols)}
    return dict(zip(OPERATIONS, operation, strict=True)), dict(zip(symbols, insertion, strict=True)), pairs


def random_edits(rng, size):
    return Edits(rng.uniform(0.5, 9, 4), rng.uniform(0.5, 3, size), rng.uniform(0.1, 2, (size, size)))


@given(strings, strings, st.integers(0, 2), st.integers(0, 2), st.integers(0, 99))
def test_forward_backward_equals_all_paths(top, bottom, most_inserted, most_deleted, seed):
    pairs = Pairs.of([("abc", "cab"), (top, bottom)])
    learner = Channel(pairs, most_inserted, most_deleted)
    edits = random_edits(np.random.default_rng(seed), 3)
    found, log_z = learner.expected(edits)
    weights = spelled(edits.weights(), pairs.symbols)
    total, operation, substitution = 0.0, dict.fromkeys(OPERATIONS, 0.0), np.zeros((3, 3))
    for pair, z in zip((("abc", "cab"), (top, bottom)), log_z, strict=True):
        paths = list(naive.channel_paths(*pair, most_inserted, most_deleted))
        total = sum(naive.path_weight(path, *weights) for path in paths)
        assert (z == -np.inf) == (not paths)
        if paths:
            assert np.exp(z) == pytest.approx(total, rel=1e-9)
        for path in paths:
            share = naive.path_weight(path, *weights) / total
            for kind, x, y in path:
                operation[kind] += share
                if kind == "substitute":
                    substitution[pairs.symbols.index(x), pairs.symbols.index(y)] += share
    assert found.operation == pytest.approx(list(operation.values()), abs=1e-9)
    assert found.substitution == pytest.approx(substitution, abs=1e-9)
    assert found.insertion.sum() == pytest.approx(operation["insert"], abs=1e-9)


@pytest.mark.parametrize("length", range(4))
@pytest.mark.parametrize("insert", [0.05, 0.3])
def test_all_bottoms_add_up_to_the_closed_recursion_and_at_most_one(length, insert):
    operation = {"none": 0.8 - insert, "substitute": 0.1, "insert": insert, "delete": 0.1}
    bottoms = ["".join(y) for m in range(12) for y in product("ab", repeat=m) if m <= 3 * length + 2]
    pairs = Pairs.of([("a" * length, y) for y in bottoms])
    mean = Edits(np.array(list(operation.values())), np.array([0.5, 0.5]), np.ones((2, 2)))
    log_z = np.zeros(len(pairs))
    counts = EditArrays(np.zeros(4), np.zeros(2), np.zeros((2, 2)))
    expected_edits(pairs.arrays, np.ones(len(pairs)), mean.means(), Limits(), counts, log_z)
    total = float(np.exp(log_z).sum())
    assert total == pytest.approx(naive.channel_mass(length, operation, 2, 2), rel=1e-9)
    assert total <= 1.0 + 1e-12


def planted(seed, pairs=800):
    """Pairs through a known channel: b becomes d, c is inserted, some phones vanish."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(pairs):
        top = rng.choice(list("abcd"), size=rng.integers(4, 10))
        bottom = []
        for x in top:
            kind = rng.choice(4, p=[0.84, 0.08, 0.04, 0.04])
            if kind == 1:
                bottom.append({"a": "c", "b": "d", "c": "a", "d": "b"}[x])
            elif kind == 2:
                bottom += ["c", x]
            elif kind == 0:
                bottom.append(x)
        out.append((top, bottom))
    return Pairs.of(out)


def test_planted_edits_are_recovered_and_the_bound_rises():
    view = fit(Channel(planted(1)), steps=15, seed=1).view
    assert (np.diff(view.objective) >= -1e-6 * np.abs(view.objective[:-1])).all()
    operation, insertion, substitution = view.edits.means()
    assert operation[1:] == pytest.approx([0.07, 0.035, 0.035], abs=0.02)
    assert substitution[[0, 1, 2, 3], [2, 3, 0, 1]].min() > 0.9
    assert insertion[2] > 0.8


def test_unreachable_pairs_are_reported_and_the_rest_goes_on():
    pairs = Pairs.of([("a", "bbbbbb"), ("ab", "ab")])
    view = fit(Channel(pairs), steps=3, seed=1).view
    assert view.reachable.tolist() == [False, True]
    assert np.isfinite(view.objective).all()
    assert len(view.objective) == 4


def test_row_zero_is_the_prior():
    learner = Channel(Pairs.of([("a", "a")]))
    (rng,) = chain_generators(1, 1)
    state = learner.init(rng)
    # Two "none" of an alphabet of one phone: the phone, and the end marker.
    from scipy.special import digamma

    assert state.objective == pytest.approx([2 * (digamma(20.0) - digamma(23.0))])


def test_pairs_files(tmp_path):
    path = tmp_path / "p.tsv"
    path.write_text("# a comment\nd o g\td o k\n\t\nt͡s a\t\n", encoding="utf-8")
    pairs = read_pairs(path)
    assert [pairs.pair(p) for p in range(3)] == [
        (("d", "o", "g"), ("d", "o", "k")),
        ((), ()),
        (("t͡s", "a"), ()),
    ]
    assert pairs.lines == (2, 3, 4)
    path.write_text("a b\na\tb\tc\n")
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert [f.line for f in caught.value.faults] == [1, 2]
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="no pair"):
        read_pairs(path)
