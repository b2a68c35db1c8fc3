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
    """One use of a word: its units, and its frames first..stop - 1 in the utterance (stop -1: to the end)."""

    units: tuple[int, ...]
    first: int
    stop: int


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The words of each utterance.

    Attributes
    ----------
    utterances
        Tokens of each utterance, in order of time.
    """

    utterances: tuple[tuple[Token, ...], ...]

    @staticmethod
    def cut(tops: Sequence[np.ndarray], begins: Sequence[np.ndarray], ends: np.ndarray) -> WordTokens:
        """Cut source strings into words.

        Parameters
        ----------
        tops
            Source string of each utterance.
        begins
            First frame of each unit.
        ends : bool ndarray
            Whether a word ends after each unit of the concatenated strings.
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
        Beginnings of phases. Values of the objective are comparable only within a phase.
    tokens
        The words; None before phase 2.
    edits
        Posterior of the channel; None before the joint phase.
    pipeline
        The words at the end of the pipeline; None before.
    pipeline_objective
        The objective at the words of the pipeline, where the joint phase begins; None before. The objective
        does not fall from there.
    """

    marks: tuple[Mark, ...] = ()
    tokens: WordTokens | None = None
    edits: Edits | None = None
    pipeline: WordTokens | None = None
    pipeline_objective: float | None = None
