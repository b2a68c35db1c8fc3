"""Plain-Python twins of the phone loop: every path of a tiny case, one by one; generated speech."""

from collections import Counter
from itertools import product

import numpy as np

from otlab.discovery.sound.speech import Speech


def paths(length, units, states):
    """Every path: a list of (state, unit, entered) per frame that begins and ends a unit."""
    for unit_sequence in product(range(units), repeat=length):
        for moves in product([False, True], repeat=length - 1):
            path = follow(unit_sequence, moves, states)
            if path is not None:
                yield path


def follow(unit_sequence, moves, states):
    """Return the path that moves on before some frames; None unless the units fit it."""
    state, unit, path = 0, unit_sequence[0], [(0, unit_sequence[0], True)]
    for t, move in enumerate(moves, 1):
        entered = move and state == states - 1
        state = 0 if entered else state + move
        unit = unit_sequence[t] if entered else unit
        if unit_sequence[t] != unit:
            return None
        path.append((state, unit, entered))
    return path if state == states - 1 else None


def weigh(path, weight, loop):
    """Return the weight of a path: entry, stay and leave, and each frame's state."""
    total, last = 1.0, len(path) - 1
    for t, (state, unit, entered) in enumerate(path):
        total *= weight[t, state, unit] * (loop.entry[unit] if entered else 1.0)
        stays = t < last and path[t + 1][:2] == (state, unit) and not path[t + 1][2]
        total *= loop.stay[state, unit] if stays else loop.leave[state, unit]
    return total


def enumerate_loop(scores, loop):
    """Return Z, expected entries and stays, responsibilities, starts, and the best path."""
    length, _, states, units = scores.shape
    gaussians = np.exp(scores)
    weight = gaussians.sum(axis=1)
    entries, stays = np.zeros(units), np.zeros((states, units))
    uses, starts = np.zeros(scores.shape), np.zeros(length)
    z, best = 0.0, (-1.0, None)
    for path in paths(length, units, states):
        w = weigh(path, weight, loop)
        z += w
        best = max(best, (w, path))
        for t, (state, unit, entered) in enumerate(path):
            uses[t, :, state, unit] += w * gaussians[t, :, state, unit] / weight[t, state, unit]
            if entered:
                entries[unit] += w
                starts[t] += w
            elif path[t - 1][:2] == (state, unit):
                stays[state, unit] += w
    return z, entries / z, stays / z, uses / z, starts / z, best[1]


def spoken(units=4, utterances=40, dimensions=6, seed=1, spread=3.0, length=8):
    """Return generated speech, and the unit of each frame: three states each, far apart from the others."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0, spread, (units, 3, dimensions))
    frames, units_of_frames, offsets = [], [], [0]
    for _ in range(utterances):
        for unit in rng.integers(units, size=length):
            for state in range(3):
                n = rng.geometric(0.5)
                frames.append(means[unit, state] + rng.normal(0, 0.5, (n, dimensions)))
                units_of_frames += [unit] * n
        offsets.append(len(units_of_frames))
    features = np.concatenate(frames)
    features = (features - features.mean(0)) / features.std(0)
    names = tuple(f"u{k}" for k in range(utterances))
    speech = Speech("spoken", names, features, np.array(offsets), np.zeros(utterances))
    return speech, np.array(units_of_frames)


def agreement(found, gold):
    """Return the share of frames whose gold unit is the commonest one of their unit."""
    pairs = Counter(zip(found.tolist(), gold.tolist(), strict=True))
    return sum(max(n for (f, _), n in pairs.items() if f == unit) for unit in set(found.tolist())) / gold.size
