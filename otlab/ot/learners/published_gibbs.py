"""The Gibbs sampler as Lin (2005, section 4) prints it, for comparison with the paper.

Each sweep draws the ordering relation of every observation anew from the relative
frequencies. The stationary distribution of this chain has the posterior's centre but is too
wide, by a factor between 1 and the square root of 2; :class:`~otlab.ot.learners.gibbs.Gibbs`
keeps the relations as observed and draws from the posterior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from otlab.ot.kernels.published_gibbs import published_sweeps
from otlab.ot.learners.sampler import RankingSampler, Variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.conditions import Relation

__all__ = ["PublishedGibbs"]


class PublishedGibbs(RankingSampler):
    """The sampler as published: ordering relations are drawn anew in each sweep.

    Parameters and errors are those of :class:`~otlab.ot.learners.sampler.RankingSampler`.
    """

    variant: ClassVar[Variant] = "published"
    remarks: ClassVar[tuple[str, ...]] = (
        "as published: relations are drawn anew each sweep, intervals come out too wide",
    )

    def vectors(self, relation: Relation) -> int:
        """Return 1: the last vector that observed the relation."""
        return 1

    @property
    def kernel(self) -> Callable[..., tuple[int, int]]:
        """The kernel that does sweeps."""
        return published_sweeps
