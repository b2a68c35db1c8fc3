r"""Gibbs sampler for Stochastic OT: the posterior of the ranking values (Lin 2005).

Every observation :math:`d` gets disharmonies :math:`y \sim N(\mu, \sigma^2)` of its
own that rank the constraints as observed (Tanner & Wong 1987). A sweep draws

.. math:: y_i \mid y_{-i}, \mu, d \sim N(\mu_i, \sigma^2) \text{ on one interval}, \qquad
          \mu \mid y \sim N(\bar y, \sigma^2/M) .

:func:`sweep` is that sweep in plain Python; :mod:`otlab.ot.kernels.gibbs` does the same,
number for number, compiled. Follows sections 4 and 5 of [1]_ with these departures:

- each observation keeps its ordering relation. The paper draws relations anew from their
  frequencies, which gives another distribution (:class:`PublishedGibbs`);
- ranking values are centred by projecting the joint draw, under a uniform prior on
  sum 0, |value| < bound. The paper subtracts the mean from draws truncated one by
  one, which is not a posterior, and prints the bound without the absolute value once;
- the envelope of the truncated normal is Robert's (:mod:`otlab.inference.kernels.draws`);
- the ranking values may have a normal prior ([1]_, section 9);
- constraints may be ranked a priori. These are the "extra ordering relations" of [1]_, section 5.3, for the
  draw of the ranking values given the disharmonies: the prior is cut to *ranking values* in that order.
  Disharmonies are not: noise may still reverse two constraints at an evaluation, so that a grammar remains
  one of Stochastic OT, fully described by its ranking values. Praat's and OTSoft's GLA keep ranking values
  in order, too.

.. [1] Y. Lin (2005), *Learning Stochastic OT Grammars: A Bayesian approach using Data
   Augmentation and Gibbs Sampling*, ACL.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, ClassVar, cast, get_args

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.ot.kernels import gibbs as kernels
from otlab.ot.kernels.gibbs import published_sweeps
from otlab.ot.learners.draws import check_warmup, ensure_capacity, usual_thin
from otlab.ot.learners.sampler import AugmentedSampler, GibbsState, GibbsView, Variant
from otlab.ot.learners.settings import CHAINS, ChainSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.steps import draw_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from otlab.ot.conditions import Relation
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.steps import SiteDraw
    from otlab.ot.tableau import Tableau

__all__ = [
    "Gibbs",
    "GibbsSettings",
    "GibbsState",
    "GibbsView",
    "PublishedGibbs",
    "fit_gibbs",
    "make_gibbs",
    "sweep",
    "trace_sweep",
]

SWEEPS = 20_000


class Gibbs(AugmentedSampler):
    """The Gibbs sampler: its draws of the ranking values come from the posterior.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    noise, bound, total
        As for :func:`~otlab.ot.settings.resolve_settings`. The bound applies if there is no
        `prior`.
    prior
        Where each constraint is expected; uniform within the bound if None.
    thin
        Sweeps per kept draw.
    warmup
        Sweeps left out at the start; a tenth, at most 1,000, if None.
    apriori
        Pairs of constraints by name, the higher one first: their ranking values keep to this order.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.
    """

    variant: ClassVar[Variant] = "fixed"

    def vectors(self, relation: Relation) -> int:
        """Return the count of the relation: each observation has disharmonies of its own."""
        return relation.count

    @property
    def kernel(self) -> Callable[..., tuple[int, int]]:
        """The kernel that does sweeps."""
        return kernels.sweeps


def sweep(
    rng: np.random.Generator, learner: Gibbs, state: GibbsState, first: int = 0
) -> Iterator[tuple[SiteDraw, ...]]:
    """Do one sweep in plain Python (Lin 2005, section 4); yield the draws for each observation.

    The numbers are those of ``learner.step(rng, state, 1)``, bit for bit.

    Parameters
    ----------
    rng, state
        Of a chain between two sweeps; both are changed.
    learner
        The sampler of that chain.
    first
        The observation to begin with; those before it are drawn by the kernel.
    """
    layout, model, values = learner.layout, learner.model, state.values
    sums = state.scratch.sums
    sums[:] = 0.0

    # Step 1. Draw disharmonies for each observation, given the ranking values, such that they
    # rank the constraints as observed: one constraint at a time (section 5.2, Table 4).
    kernels.draw_disharmonies(
        rng, layout, 0, first, state.disharmonies, values, model.noise, state.scratch, sums
    )
    for relation, own in _observations(learner, state)[first:]:
        sites = list(relation.sites)
        y = np.full(values.size, np.nan)
        y[sites] = own
        draws = draw_sites(rng, relation.conjuncts, sites, y, values, model.noise)
        own[:] = y[sites]
        sums[sites] += own
        yield draws
    kernels.draw_free_sums(rng, layout, layout.counts, values, model.noise, state.scratch)

    # Step 2. Draw the ranking values given the disharmonies: N(mean of y, sigma^2 / M), with
    # sum 0 and within the bound (section 5.3), or under a normal prior.
    kernels.draw_ranking_values(rng, int(layout.counts.sum()), model, values, state.scratch)
    state.sweep += 1
    kept = state.sweep // learner.thin
    state.draws = ensure_capacity(state.draws, kept - 1, kept)
    kernels.record(state.sweep, learner.thin, values, state.draws)


def _observations(learner: Gibbs, state: GibbsState) -> list[tuple[Relation, np.ndarray]]:
    """Return the ordering relation of each observation, and a view of its disharmonies."""
    starts = learner.layout.value_start
    return [
        (relation, own)
        for relation, start, stop in zip(learner.relations, starts[:-1], starts[1:], strict=True)
        for own in state.disharmonies[start:stop].reshape(relation.count, -1)
    ]


def trace_sweep(
    learner: Gibbs, rng: np.random.Generator, state: GibbsState, relation: int = 0, observation: int = 0
) -> tuple[SiteDraw, ...]:
    """Return the draws that the next sweep will make for one observation.

    Parameters
    ----------
    learner, rng, state
        Of a chain between two sweeps; nothing is changed.
    relation
        One of ``learner.relations``, by number.
    observation
        From 0, below the count of the relation.

    Raises
    ------
    IndexError
        If there is no such observation.
    """
    counts = learner.layout.counts
    if not (0 <= relation < counts.size and 0 <= observation < counts[relation]):
        raise IndexError(f"relation {relation} has no observation {observation}")
    rng, state = copy.deepcopy((rng, state))
    return next(sweep(rng, learner, state, int(counts[:relation].sum()) + observation))


class PublishedGibbs(AugmentedSampler):
    """The sampler as published (Lin 2005, section 4), for comparison with the paper.

    Each sweep redraws the ordering relation of every observation from the relative
    frequencies. The stationary distribution has the posterior's centre but is too wide, by a
    factor between 1 and the square root of 2. Parameters and errors are those of
    :class:`Gibbs`.
    """

    variant: ClassVar[Variant] = "published"
    remarks: ClassVar[tuple[str, ...]] = (
        "as published: relations are drawn anew each sweep, intervals come out too wide",
    )

    def vectors(self, relation: Relation) -> int:
        """Return 1: only the last vector that observed the relation is kept."""
        return 1

    @property
    def kernel(self) -> Callable[..., tuple[int, int]]:
        """The kernel that does sweeps."""
        return published_sweeps


class GibbsSettings(ChainSettings):
    """Settings of a run of the Gibbs sampler; None means the file's value, else the default."""

    variant = param.Selector(
        default="fixed", objects=["fixed", "published"], doc="The sampler with fixed counts, or as published"
    )


def make_gibbs(tableau: Tableau, settings: GibbsSettings) -> AugmentedSampler:
    """Return the sampler with these settings."""
    return settings.sampler(_sampler(settings.variant), tableau)


def _sampler(variant: str) -> type[AugmentedSampler]:
    """Return the class of a variant of the sampler."""
    samplers: dict[str, type[AugmentedSampler]] = {"fixed": Gibbs, "published": PublishedGibbs}
    if variant not in samplers:
        hint = did_you_mean(variant, get_args(Variant))
        raise InputError(f"there is no variant {variant!r} of the Gibbs sampler; {hint}")
    return samplers[variant]


@of_known_parses
def fit_gibbs(
    tableau: Tableau,
    *,
    sweeps: int = SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    noise: float | None = None,
    bound: float | None = None,
    total: int | None = None,
    prior: NormalPrior | None = None,
    apriori: tuple[tuple[str, str], ...] = (),
    variant: Variant = "fixed",
    threads: int | None = None,
) -> Fit:
    """Return the posterior of the ranking values, by Gibbs sampling (Lin 2005).

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    sweeps, warmup
        Sweeps of each chain, of which the first `warmup` are left out (a tenth, at most 1,000).
    chains, threads
        Independent chains, and threads to run them on; the numbers do not depend on threads.
    seed
        A fresh one if None; kept in the fit.
    noise, bound, total
        As for :func:`~otlab.ot.settings.resolve_settings`.
    prior
        Where each constraint is expected; uniform within the bound if None.
    apriori
        Pairs of constraints by name, the higher one first: their ranking values keep to this order.
    variant
        ``"fixed"`` for :class:`Gibbs`, ``"published"`` for
        :class:`PublishedGibbs`.

    Raises
    ------
    InputError
        If an attested candidate can never win, or a setting makes no sense.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_gibbs(read("ilokano"), sweeps=2000, seed=1).parameters["median"].round(1)
    constraint
    *C-ONS   -0.1
    AL        0.5
    I_BR     -0.4
    Name: median, dtype: float64
    """
    check_warmup(warmup, sweeps)
    learner = _sampler(variant)(tableau, noise, bound, total, prior, usual_thin(sweeps), warmup, apriori)
    return cast("Fit", fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
