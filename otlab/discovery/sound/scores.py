r"""Score units against gold phones: mutual information and boundaries.

- Over frames labelled by the gold phone at the centre of their window, with X the unit and Y
  the phone: :math:`I(X;Y)/H(Y)` (Ondel et al. 2016) and :math:`2I/(H(X)+H(Y))`. Both are called
  NMI in the literature; the first tends to rise with the number of units.
- A boundary is right if it can be paired with a gold one at most 20 ms away; each boundary is in
  at most one pair. The edges of an utterance do not count.
- R-value (Rasanen, Laine and Altosaar 2009): with recall :math:`r` and over-segmentation
  :math:`o = \text{found}/\text{gold} - 1`,
  :math:`R = 1 - \frac12\bigl(\sqrt{(1-r)^2 + o^2} + |r - 1 - o| / \sqrt2\bigr)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.scores import Ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.sound.speech import Speech
    from otlab.discovery.sound.tiers import Interval

__all__ = [
    "TOLERANCE",
    "Contingency",
    "UnitScores",
    "boundary_ratio",
    "contingency",
    "gold_frames",
    "r_value",
]

TOLERANCE = 0.020
"""Largest distance in seconds of a boundary from the gold one."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Contingency:
    """Counts of frames by unit and gold phone.

    Attributes
    ----------
    table : int64 ndarray of shape (units, phones)
        Number of frames with each pair.
    phones
        The gold phones, in the order of the columns.
    """

    table: np.ndarray
    phones: tuple[str, ...]

    @property
    def information(self) -> float:
        """I(X;Y) in bits."""
        return entropy(self.table.sum(axis=0)) + entropy(self.table.sum(axis=1)) - entropy(self.table.ravel())

    @property
    def nmi(self) -> float:
        """I(X;Y) / H(Y); 0 if all gold phones are the same."""
        gold = entropy(self.table.sum(axis=0))
        return self.information / gold if gold > 0 else 0.0

    @property
    def nmi_symmetric(self) -> float:
        """2 I(X;Y) / (H(X) + H(Y))."""
        both = entropy(self.table.sum(axis=0)) + entropy(self.table.sum(axis=1))
        return 2 * self.information / both if both > 0 else 0.0

    @property
    def purity(self) -> float:
        """Share of frames whose phone is the most frequent one of their unit."""
        frames = self.table.sum()
        return float(self.table.max(axis=1).sum() / frames) if frames else 0.0


def entropy(counts: np.ndarray) -> float:
    """Return the entropy in bits of a distribution given by counts."""
    p = counts[counts > 0] / counts.sum() if counts.sum() else np.zeros(0)
    return float(-(p * np.log2(p)).sum())


@dataclass(frozen=True)
class UnitScores:
    """Scores of units against gold phones.

    Attributes
    ----------
    nmi, nmi_symmetric
        Normalised mutual information of frames; see the module.
    purity
        Share of frames whose phone is the most frequent one of their unit.
    boundary
        Precision, recall and F-score of boundaries.
    tolerance
        Largest distance in seconds of a boundary from the gold one.
    """

    nmi: float
    nmi_symmetric: float
    purity: float
    boundary: Ratio
    tolerance: float = TOLERANCE

    @property
    def r_value(self) -> float:
        """The R-value; see :func:`r_value`."""
        return r_value(self.boundary)

    def as_dict(self) -> dict[str, float]:
        """Return the scores by their names in the command line's JSON."""
        return {
            "nmi": self.nmi,
            "nmi_symmetric": self.nmi_symmetric,
            "purity": self.purity,
            "boundary_p": self.boundary.precision,
            "boundary_r": self.boundary.recall,
            "boundary_f": self.boundary.f,
            "r_value": self.r_value,
        }


def r_value(boundary: Ratio) -> float:
    """Return the R-value, at most 1; 0 if there are no gold boundaries.

    >>> r_value(Ratio(found=10, gold=10, right=10))
    1.0
    """
    if not boundary.gold:
        return 0.0
    over = boundary.found / boundary.gold - 1
    miss = 1 - boundary.recall
    return float(1 - (np.hypot(miss, over) + abs(miss + over) / np.sqrt(2)) / 2)


def gold_frames(speech: Speech) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the number of the gold phone at the centre of each frame, -1 between phones, and the phones."""
    tiers = speech.phones or ()
    phones = tuple(sorted({phone.label for tier in tiers for phone in tier}))
    number = {phone: k for k, phone in enumerate(phones)}
    out = np.full(speech.frames, -1, dtype=np.int64)
    for u, tier in enumerate(tiers):
        centres, first = speech.centres(u), int(speech.offsets[u])
        for start, end, label in tier:
            i, j = np.searchsorted(centres, [start, end])
            out[first + i : first + j] = number[label]
    return out, phones


def contingency(speech: Speech, units: np.ndarray, size: int) -> Contingency:
    """Return the counts of frames by unit and gold phone.

    Parameters
    ----------
    speech
        Utterances with gold phones.
    units : int ndarray of shape (frames,)
        The unit of each frame.
    size
        Number of units.
    """
    gold, phones = gold_frames(speech)
    table = np.zeros((size, len(phones)), dtype=np.int64)
    known = gold >= 0
    np.add.at(table, (units[known], gold[known]), 1)
    present = np.flatnonzero(table.sum(axis=0))
    return Contingency(table[:, present], tuple(phones[k] for k in present))


def boundary_ratio(
    found: Sequence[Sequence[Interval]], gold: Sequence[Sequence[Interval]], tolerance: float = TOLERANCE
) -> Ratio:
    """Return precision, recall and F-score of the boundaries inside utterances with gold.

    Parameters
    ----------
    found, gold
        Intervals of each utterance, in order of time.
    tolerance
        Largest distance in seconds of a boundary from the gold one.
    """
    totals = np.zeros(3, dtype=int)
    for one, other in zip(found, gold, strict=True):
        if not other:  # nothing is known about this utterance
            continue
        a, b = (sorted({round(i.start, 6) for i in tier[1:]}) for tier in (one, other))
        totals += len(a), len(b), pairs_within(a, b, tolerance)
    return Ratio(*totals.tolist())


def pairs_within(a: Sequence[float], b: Sequence[float], tolerance: float) -> int:
    """Return the largest number of pairs of times at most `tolerance` apart, each time in at most one pair.

    Both must be sorted; then it is optimal to pair the earliest times that fit.
    """
    i = j = pairs = 0
    while i < len(a) and j < len(b):
        if abs(a[i] - b[j]) <= tolerance + _ROUNDING:
            pairs, i, j = pairs + 1, i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return pairs
