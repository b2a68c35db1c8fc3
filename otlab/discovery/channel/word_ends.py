r"""The end of a word behind the channel: it is read by any operation but an insertion.

With an end marker that only *none* can read (:mod:`~otlab.discovery.channel.channel`), all outputs of a
string have :math:`o_\text{none} / (1 - o_\text{ins})` together instead of 1, and each marker is counted as a
phone that was not edited. A learner of words would pay for that once a word: even at the words and rates
with which a text was made it expects fewer edits than were made. Here the marker is read by *none*,
*substitute* or *delete* alike,

.. math::
    \tilde o_\text{end} = \tilde o_\text{none} + \tilde o_\text{sub} + \tilde o_\text{del},

and counted as these three in proportion to their weights. All outputs of a string together have
weight 1, less what the limits of runs exclude, and the mean of an operation is its probability before
each phone and before the end of a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.discovery.kernels.channel import INSERT

if TYPE_CHECKING:
    import numpy as np

    from otlab.discovery.kernels.layout import EditArrays

__all__ = ["end_counts", "end_weight"]


def end_weight(edits: EditArrays) -> float:
    """Return the weight with which a word ends."""
    return float(edits.operation.sum() - edits.operation[INSERT])


def end_counts(words: float, edits: EditArrays) -> np.ndarray:
    """Return the expected operations, of shape (4,), that read the end markers of so many words."""
    out: np.ndarray = words * edits.operation / end_weight(edits)
    out[INSERT] = 0.0
    return out
