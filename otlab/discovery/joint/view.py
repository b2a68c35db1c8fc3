"""Snapshots of the pipeline and the joint model during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otlab.discovery.sound.view import UnitsView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.discovery.channel.channel import Edits
    from otlab.discovery.learners.view import Mark

__all__ = ["JointView", "Token", "WordTokens"]


class Token(NamedTuple):
    """One use of a word: its units, and frames first..stop - 1 of its utterance (stop -1: to the end)."""

    units: tuple[int, ...]
    first: int
    stop: int


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The words of each utterance.

    Attributes
    ----------
    utterances
        Tokens of each, in order of time.
    """

    utterances: tuple[tuple[Token, ...], ...]

    @staticmethod
    def cut(tops: Sequence[np.ndarray], begins: Sequence[np.ndarray], ends: np.ndarray) -> WordTokens:
        """Return source strings cut into words.

        Parameters
        ----------
        tops
            Units of each utterance.
        begins
            First frame of each unit.
        ends : bool ndarray
            Whether a word ends after a place of the flat text.
        """
        out, at = [], 0
        for units, first in zip(tops, begins, strict=True):
            inner = (np.flatnonzero(ends[at : at + units.size - 1]) + 1).tolist()
            cuts = [0, *inner, units.size]
            at += units.size
            edges = [0, *first[inner].tolist(), -1]
            out.append(
                tuple(
                    Token(tuple(units[i:j].tolist()), a, b)
                    for i, j, a, b in zip(cuts[:-1], cuts[1:], edges[:-1], edges[1:], strict=True)
                )
            )
        return WordTokens(tuple(out))


@dataclass(frozen=True, eq=False, repr=False)
class JointView(UnitsView):
    """A snapshot of a run.

    Attributes
    ----------
    marks
        Where phases begin: the objective is compared within a phase only.
    tokens
        The words; None before they begin.
    edits
        Posterior of the channel; None before the joint phase.
    pipeline
        The words at the end of the pipeline; None before.
    """

    marks: tuple[Mark, ...] = ()
    tokens: WordTokens | None = None
    edits: Edits | None = None
    pipeline: WordTokens | None = None
