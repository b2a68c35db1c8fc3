"""Trial parses: the text parsed again with some strings banned and others locked; without Panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.channel.noisy_estep import expect_noisy
from otlab.discovery.parsing.estep import expect

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.discovery.kernels.layout import Weights
    from otlab.discovery.learners.view import DiscoveryView
    from otlab.discovery.parsing.parser import Parser

__all__ = ["Trial", "trial_parse"]

KEPT_UP = 0.95
"""A locked string weighs at least as much as this quantile of those in use."""


@dataclass(frozen=True, eq=False)
class Trial:
    """Result of one parse with banned and locked strings.

    Attributes
    ----------
    ends : float32 ndarray of shape (phones,)
        Probability that a word ends after this phone.
    counts : dict of str to float
        Expected uses of each string of the symbol; of a banned one, how often it is still
        built by the rules (0 behind a channel, which does not count builds by string).
    """

    ends: np.ndarray
    counts: dict[str, float]


def trial_parse(
    parser: Parser, view: DiscoveryView, symbol: str, locked: Set[str], banned: Set[str]
) -> Trial:
    """Parse the text once with changed weights, through the channel where there is one.

    Parameters
    ----------
    parser
        Text and grammar of the run.
    view
        What was learnt.
    symbol
        The adapted symbol whose strings are locked and banned.
    locked, banned
        Strings that keep a floor of weight, and strings without any.
    """
    a = parser.adapted.index(symbol)
    weights = _changed(parser, view.weights, a, locked, banned)
    nothing = [np.zeros(0, dtype=np.int64)] * len(parser.adapted)
    active = [s.strings for s in view.sticks.values()] or nothing
    unit = float(len(parser.corpus.symbols)) / 3.0
    if view.edits is None:
        expected = expect(parser, weights, active, unit)
    else:
        expected, _, _ = expect_noisy(parser, weights, active, view.edits, unit)
    counts = {}
    for s in np.flatnonzero(view.weights.mass[a]).tolist():
        string = parser.spell(s)
        built = expected.built[a, s] if string in banned and view.edits is None else 0.0
        counts[string] = float(expected.used[a, s] + built)
    return Trial(expected.ends.astype(np.float32), counts)


def _changed(parser: Parser, weights: Weights, a: int, locked: Set[str], banned: Set[str]) -> Weights:
    mass = weights.mass.copy()
    number = {parser.spell(s): s for s in np.flatnonzero(mass[a]).tolist()}
    in_use = mass[a][mass[a] > 0]
    floor = float(np.quantile(in_use, KEPT_UP)) if in_use.size else 0.0
    for string in locked & number.keys():
        mass[a, number[string]] = max(mass[a, number[string]], floor)
    for string in banned & number.keys():
        mass[a, number[string]] = 0.0
    return weights._replace(mass=mass)
