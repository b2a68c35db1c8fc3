"""The lattice of edits and units against every bottom string and every path, one by one."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import log

import numpy as np
import pytest

from otlab.discovery.channel.channel import OPERATIONS
from otlab.discovery.kernels.layout import EditArrays
from otlab.discovery.kernels.phone_loop import Loop
from otlab.discovery.kernels.spoken import (
    SpokenCounts,
    SpokenLimits,
    SpokenScratch,
    band_width,
    spoken_backward,
    spoken_forward,
)
from tests.discovery import naive

UNITS, FRAMES = 2, 5


def case(states, seed=3):
    """Return random weights of frames, channel and loop."""
    rng = np.random.default_rng(seed)
    edits = EditArrays(rng.random(4), rng.random(UNITS), rng.random((UNITS, UNITS)))
    stay = rng.random((states, UNITS))
    return rng.random((FRAMES, states, UNITS)), edits, Loop(np.zeros(UNITS), stay, 1.0 - stay)


def path_sum(bottom, weight, loop):
    """Sum over the ways in which a bottom string can take all frames."""
    length, states, _ = weight.shape
    chain = [(k, s) for k in bottom for s in range(states)]

    @cache
    def walk(t, at):
        k, s = chain[at]
        here = weight[t, s, k]
        if t == length - 1:
            return here * loop.leave[s, k] if at == len(chain) - 1 else 0.0
        total = loop.stay[s, k] * walk(t + 1, at)
        return here * (total + (loop.leave[s, k] * walk(t + 1, at + 1) if at + 1 < len(chain) else 0.0))

    return walk(0, 0)


def brute_force(tops, weight, edits, loop, inserted, deleted):
    """Sum over all bottom strings of channel times frames."""
    spelled = dict(zip(OPERATIONS, edits.operation, strict=True))
    pairs = {(x, y): edits.substitution[x, y] for x in range(UNITS) for y in range(UNITS)}
    total = 0.0
    for length in range(1, FRAMES // weight.shape[1] + 1):
        for bottom in product(range(UNITS), repeat=length):
            paths = naive.channel_paths(tops, bottom, inserted, deleted)
            channel = sum(naive.path_weight(p, spelled, edits.insertion, pairs) for p in paths)
            total += channel * path_sum(bottom, weight, loop)
    return total


def run(tops, weight, edits, loop, limits, width=None):
    """Return ln Z and all counts of the kernel, with room for `width` numbers of source units a frame."""
    frames, states, units = weight.shape
    n, runs = len(tops), limits.most_inserted + 1
    width = width or n + 1
    scratch = SpokenScratch(
        np.zeros((frames + 1, n + 1, limits.most_deleted + runs)),
        np.full((frames, width, runs, states, units), np.nan),
        np.zeros(frames),
    )
    counts = SpokenCounts(
        np.zeros(4), np.zeros(units), np.zeros((units, units)), np.zeros((states, units)),
        np.zeros(weight.shape), np.zeros((n + 1, frames)),
    )  # fmt: skip
    x = np.array(tops)
    log_z = spoken_forward(weight, x, edits, loop, limits, scratch)
    if log_z > -np.inf:
        spoken_backward(weight, x, edits, loop, limits, scratch, counts)
    return log_z, counts


@pytest.mark.parametrize("states", [1, 2])
@pytest.mark.parametrize("tops", [(0,), (0, 1), (1, 1, 0)])
@pytest.mark.parametrize(("inserted", "deleted"), [(0, 0), (1, 1), (2, 1)])
def test_the_sum_equals_every_bottom_string_and_path(states, tops, inserted, deleted):
    weight, edits, loop = case(states)
    expected = brute_force(tops, weight, edits, loop, inserted, deleted)
    log_z, _ = run(tops, weight, edits, loop, SpokenLimits(inserted, deleted, 99.0))
    assert log_z == pytest.approx(log(expected) if expected else -np.inf, abs=1e-12)


@pytest.mark.parametrize("band", [99.0, 1.0])
def test_counts_are_derivatives_of_the_sum(band):
    """With a band too: paths outside it are left out of Z and of all counts."""
    tops, limits = (0, 1, 1), SpokenLimits(2, 1, band)
    weight, edits, loop = case(2)
    log_z, counts = run(tops, weight, edits, loop, limits)
    step = 1e-6

    def slope(change):
        up, down = (run(tops, *change(f), limits)[0] for f in (1 + step, 1 - step))
        return (up - down) / (2 * step)

    def scaled(array, place, factor):
        out = array.copy()
        out[place] *= factor
        return out

    for field, found in zip(edits._fields, counts, strict=False):
        for place in np.ndindex(found.shape):
            array = getattr(edits, field)
            slopes = slope(
                lambda f, field=field, place=place, array=array: (
                    weight,
                    edits._replace(**{field: scaled(array, place, f)}),
                    loop,
                )
            )
            assert found[place] == pytest.approx(slopes, abs=1e-7), (field, place)
    for place in np.ndindex(weight.shape):
        assert counts.state[place] == pytest.approx(
            slope(lambda f, place=place: (scaled(weight, place, f), edits, loop)), abs=1e-7
        )
    for place in np.ndindex(loop.stay.shape):
        assert counts.stay[place] == pytest.approx(
            slope(lambda f, place=place: (weight, edits, loop._replace(stay=scaled(loop.stay, place, f)))),
            abs=1e-7,
        )
    assert counts.state.sum(axis=(1, 2)) == pytest.approx(1.0)
    kept = counts.operation[0] - 1 + counts.operation[1]
    assert counts.begins.sum() == pytest.approx(kept)
    assert log_z <= run(tops, weight, edits, loop, limits._replace(band=99.0))[0] + 1e-12


def test_without_a_path_the_sum_is_zero():
    """Three source units, two frames, no deletion."""
    weight, edits, loop = case(1)
    assert run((0, 1, 1), weight[:2], edits, loop, SpokenLimits(1, 0, 99.0))[0] == -np.inf


@pytest.mark.parametrize(("units", "frames", "band"), [(30, 80, 2.0), (12, 70, 1.5), (40, 45, 4.0)])
def test_memory_of_the_band_alone_gives_the_same_numbers(units, frames, band):
    rng = np.random.default_rng(units)
    _, edits, _ = case(1)
    stay = rng.random((1, UNITS))
    weight, loop = rng.random((frames, 1, UNITS)), Loop(np.zeros(UNITS), stay, 1.0 - stay)
    tops, limits = rng.integers(0, UNITS, units).tolist(), SpokenLimits(1, 1, band)
    narrow = band_width(units, limits)
    assert narrow < units
    log_z, counts = run(tops, weight, edits, loop, limits)
    log_z_of_the_band, counts_of_the_band = run(tops, weight, edits, loop, limits, narrow)
    assert np.isfinite(log_z)
    assert log_z_of_the_band == log_z
    for whole, part in zip(counts, counts_of_the_band, strict=True):
        np.testing.assert_array_equal(part, whole)
