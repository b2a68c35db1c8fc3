r"""Base classes of the samplers of ranking values: state, settings, layout of the data, and the fit.

A sampler alternates between two draws (Tanner & Wong 1987; Lin 2005, section 3): the
disharmonies :math:`y \sim N(\mu, \sigma^2)` of each observation given the ranking values,
and the ranking values given all disharmonies. :mod:`otlab.ot.learners.gibbs` has the two
samplers, one that draws from the posterior and one as published.

The kernels take ordering relations and disharmonies as arrays. A relation's *sites* are the constraints
that occur in any of its conjuncts, in file order. Each conjunct has two *sides*, winners and losers; a
side's constraints fill consecutive *slots*, in the order of the sites, followed by an empty slot. For
``A > max(C, I)`` with the constraints C, A, I::

    sites   C A I
    sides   0: A         1: C I
    slots   A -          C I -

A constraint in no conjunct is not a site: the relation says nothing about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from otlab.errors import InputError, counted
from otlab.inference import Posterior, check_interrupt
from otlab.ot.conditions import observed_relations
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.fitted import fit_of_rows, log_likelihood, predict_from_draws, spread_out
from otlab.ot.kernels.gibbs import Layout, Model, Scratch
from otlab.ot.learners.draws import (
    RHAT_APART,
    convergence_warnings,
    ensure_capacity,
    kept_every,
    posterior_of,
    snapshot,
    trust_and_peaks,
    usual_warmup,
)
from otlab.ot.overt import check_parses_are_known
from otlab.ot.settings import resolve_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from otlab.inference import Run, Tick
    from otlab.inference.diagnostics import Trust
    from otlab.ot.conditions import Relation
    from otlab.ot.fitted import Fit, Predicted
    from otlab.ot.learners.priors import NormalPrior
    from otlab.ot.settings import Settings
    from otlab.ot.tableau import Tableau

__all__ = [
    "AugmentedSampler",
    "GibbsState",
    "GibbsView",
    "RankingSampler",
    "Variant",
    "feasible_values",
    "lay_out",
    "make_scratch",
    "put_in_order",
]


MOST_DISHARMONIES = 20_000_000
"""Of one chain: 160 MB, and a second or more for each sweep."""


class _Sites:
    """Sites, sides and slots of one relation, and the sides and slots of which each site is a member."""

    def __init__(self, relation: Relation) -> None:
        self.sites = relation.sites
        number = {i: s for s, i in enumerate(self.sites)}
        self.slots: list[int] = []
        self.side_slot: list[int] = []
        self.wins: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        self.losses: list[list[tuple[int, int]]] = [[] for _ in self.sites]
        for erc in relation.conjuncts:
            for members, memberships in ((erc.winners, self.wins), (erc.losers, self.losses)):
                side = len(self.side_slot)
                self.side_slot.append(len(self.slots))
                for i in sorted(members):
                    memberships[number[i]].append((side, len(self.slots)))
                    self.slots.append(number[i])
                self.slots.append(-1)


def lay_out(relations: Sequence[Relation], vectors: Sequence[int]) -> Layout:
    """Return the arrays of the kernels for relations with one conjunct or more.

    Parameters
    ----------
    relations
        Their counts are the observations.
    vectors
        How many vectors of disharmonies are kept for each relation.
    """
    parts = [_Sites(relation) for relation in relations]
    wins = [members for part in parts for members in part.wins]
    both = [won + lost for part in parts for won, lost in zip(part.wins, part.losses, strict=True)]
    member_start = _offsets(map(len, both))
    return Layout(
        counts=_integers(relation.count for relation in relations),
        vector_start=_offsets(vectors),
        value_start=_offsets(n * len(part.sites) for n, part in zip(vectors, parts, strict=True)),
        site_start=_offsets(len(part.sites) for part in parts),
        site_constraint=_integers(i for part in parts for i in part.sites),
        member_start=member_start,
        lose_start=member_start[:-1] + _integers(map(len, wins)),
        member_side=_integers(side for members in both for side, _ in members),
        member_slot=_integers(slot for members in both for _, slot in members),
        side_start=_offsets(len(part.side_slot) for part in parts),
        side_slot=_integers(slot for part in parts for slot in part.side_slot),
        slot_start=_offsets(len(part.slots) for part in parts),
        slot_site=_integers(site for part in parts for site in part.slots),
    )


def _offsets(sizes: Iterable[int]) -> np.ndarray:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _integers(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64)


def make_scratch(layout: Layout, n_constraints: int) -> Scratch:
    """Return working arrays that fit every relation of the layout."""

    def largest(starts: np.ndarray) -> int:
        return int(np.diff(starts).max(initial=0))

    sides = largest(layout.side_start)
    return Scratch(
        after=np.empty(largest(layout.slot_start)),
        before=np.empty(sides),
        current=np.empty(sides),
        proposal=np.empty(n_constraints),
        sums=np.zeros(n_constraints),
        counts=np.zeros_like(layout.counts),
    )


def feasible_values(relation: Relation, rng: np.random.Generator) -> np.ndarray:
    """Return a value per site that observes the relation: ranks in a random consistent order.

    Constraints are ranked from the top down, each one a loser of no conjunct that is not yet
    satisfied (Tesar & Smolensky 2000); whichever is chosen, the rest can be ranked too.

    Raises
    ------
    ValueError
        If no order observes the relation: its candidate is harmonically bounded.
    """
    sites, conjuncts = relation.sites, list(relation.conjuncts)
    unranked, values = list(sites), np.empty(len(sites))
    for rank in range(len(sites), 0, -1):
        losers = {i for erc in conjuncts for i in erc.losers}
        possible = [i for i in unranked if i not in losers]
        if not possible:
            raise ValueError("no order of the constraints observes this relation")
        chosen = possible[int(rng.integers(len(possible)))]
        values[sites.index(chosen)] = rank
        unranked.remove(chosen)
        conjuncts = [erc for erc in conjuncts if chosen not in erc.winners]
    return values


def put_in_order(values: np.ndarray, pairs: Iterable[tuple[int, int]]) -> None:
    """Exchange ranking values until the first constraint of each pair is above the second.

    Each exchange moves the larger value to a constraint that is to be higher, so that they end.

    >>> values = np.array([0.0, 1.0, 2.0])
    >>> put_in_order(values, [(0, 1), (1, 2)])
    >>> values
    array([2., 1., 0.])
    """
    wrong = True
    while wrong:
        wrong = False
        for higher, lower in pairs:
            if values[higher] < values[lower]:
                values[[higher, lower]] = values[[lower, higher]]
                wrong = True


Variant = Literal["fixed", "published"]

# Sites drawn between two checks of the stop button; a few milliseconds.
SITES_AT_ONCE = 200_000


@dataclass
class GibbsState:
    """One chain: ranking values, disharmonies, the draws so far.

    Attributes
    ----------
    values : ndarray of shape (constraints,)
        Current ranking values; centred unless the prior is normal.
    disharmonies : ndarray
        One vector after another, as `Layout` has them.
    scratch
        Working arrays of the kernels.
    draws : ndarray of shape (capacity, constraints)
        Centred ranking values of every `thin`-th sweep.
    sweep
        Sweeps done.
    drawn
        Observations of the next sweep that are drawn already; 0 unless it was interrupted.
    """

    values: np.ndarray
    disharmonies: np.ndarray
    scratch: Scratch
    draws: np.ndarray
    sweep: int = 0
    drawn: int = 0

    @property
    def numbers(self) -> np.ndarray:
        """Numbers that are checked for NaN: ranking values."""
        return self.values


@dataclass(frozen=True, slots=True)
class GibbsView:
    """Snapshot of one chain.

    Attributes
    ----------
    sweep
        Sweeps done.
    values : ndarray of shape (constraints,)
        Current ranking values, centred.
    draws : ndarray of shape (kept, constraints)
        Read-only: row j belongs to sweep (j + 1) * thin, those of the warm-up included.
    """

    sweep: int
    values: np.ndarray
    draws: np.ndarray


@dataclass(frozen=True, eq=False)
class RankingSampler(ABC):
    """A sampler of ranking values; parameters and errors are those of the class ``Gibbs``.

    What its states must have is `sweep`, `values` and `draws`, as :class:`GibbsState` has them.
    """

    tableau: Tableau
    noise: float | None = None
    bound: float | None = None
    total: int | None = None
    prior: NormalPrior | None = None
    thin: int = 1
    warmup: int | None = None
    apriori: tuple[tuple[str, str], ...] = ()
    name: str = field(default="gibbs", init=False)

    variant: ClassVar[str]
    remarks: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.thin < 1:
            raise InputError(f"thin {self.thin}: keep every draw (1) or every n-th (n)")
        if self.prior is not None and self.prior.mean.shape != (self.tableau.n_constraints,):
            raise InputError(
                "the prior does not name each constraint once; give one mean and sd per constraint"
            )
        _ = self.pairs  # refuses a priori rankings that go round in a circle
        _ = self.relations  # refuses an attested candidate that can never win

    @cached_property
    def settings(self) -> Settings:
        """Noise, bound and total in force."""
        return resolve_settings(self.tableau, self.noise, self.bound, self.total)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The ordering relations of observed candidates; those that always hold are left out."""
        check_parses_are_known(self.tableau)
        return observed_relations(self.tableau, self.settings.total)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The constraints that are ranked a priori, by number: the first of a pair above the second."""
        return numbered_pairs(self.tableau, self.apriori)

    def scattered(self, rng: np.random.Generator) -> np.ndarray:
        """Return random ranking values to start from: centred, in the order of a priori rankings."""
        reach = min(3 * self.settings.noise, self.settings.bound / 2)
        values = rng.uniform(-reach, reach, self.tableau.n_constraints)
        put_in_order(values, self.pairs)
        values -= values.mean()
        return values

    def view(self, state: Any) -> GibbsView:
        """Return the draws so far."""
        draws = snapshot(state.draws, state.sweep // self.thin)
        return GibbsView(state.sweep, state.values - state.values.mean(), draws)

    def view_at(self, view: GibbsView, sweep: int) -> GibbsView:
        """Return the chain as it was after `sweep` sweeps, or at the draw kept last before that."""
        draws = view.draws[: max(1, sweep // self.thin)]
        return GibbsView(sweep, draws[-1] if len(draws) else view.values, draws)

    def finished(self, state: Any) -> bool:
        """Return False: sampling can always continue."""
        return False

    def posterior(self, run: Run[Any, GibbsView], tick: Tick[GibbsView]) -> Posterior:
        """Return the draws of a run so far, those of the warm-up left out."""
        warmup = usual_warmup(run.total) if self.warmup is None else self.warmup
        return posterior_of(run, tick, "ranking_value", warmup, self._settings_of(run, warmup))

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> Fit:
        """Return the estimates, predictions and warnings of a run so far."""
        posterior = self.posterior(run, tick)
        trust, peaked = self._assessed(posterior)
        predicted, at_median = self._predictions(posterior)
        median_fits = trust.largest_rhat > RHAT_APART or at_median >= predicted.typical_log_likelihood
        return fit_of_rows(
            run,
            tick,
            posterior.pooled("ranking_value"),
            stopped=stopped,
            kind="ranking value",
            predicted=predicted,
            trust=trust,
            multimodal=bool(peaked) or not median_fits,
            peaked=tuple(peaked),
            remarks=(*_warnings(trust, peaked, median_fits), *self.remarks, *self._remarks(posterior)),
            converged=trust.verdict in ("Converged", "Keep running"),
            posterior=posterior,
            used=dict(posterior.settings),
            further=self._further(posterior),
        )

    def _assessed(self, posterior: Posterior) -> tuple[Trust, list[str]]:
        """Return R-hat and ESS by constraint, and what has several peaks."""
        return trust_and_peaks(posterior.draws["ranking_value"], self.tableau.constraints)

    def _predictions(self, posterior: Posterior) -> tuple[Predicted, float]:
        """Return the predictions of evenly spaced draws, and the log likelihood of the medians."""
        tableau, settings, pooled = self.tableau, self.settings, posterior.pooled("ranking_value")
        predicted = predict_from_draws(tableau, spread_out(pooled, tableau), settings.noise, settings.total)
        median = np.median(pooled, axis=0)
        return predicted, log_likelihood(tableau, median, settings.noise, settings.total)

    def _further(self, posterior: Posterior) -> dict[str, np.ndarray]:
        """Return what else was learnt of each constraint; see :attr:`Fit.further`."""
        return {}

    def _remarks(self, posterior: Posterior) -> tuple[str, ...]:
        """Return what else to know before using the numbers."""
        return ()

    def _own_settings(self) -> dict[str, Any]:
        """Return the settings that other samplers do not have."""
        return {"variant": self.variant}

    def _settings_of(self, run: Run[Any, Any], warmup: int) -> dict[str, Any]:
        prior = self.prior
        return {
            "noise": self.settings.noise,
            "bound": self.settings.bound if prior is None else None,
            "total": self.settings.total,
            **self._own_settings(),
            "apriori": [list(pair) for pair in self.apriori],
            "prior": None if prior is None else {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "sweeps": run.total,
            "warmup": warmup,
            "chains": run.chains,
            "thin": kept_every(self.thin, run.total),
        }


class AugmentedSampler(RankingSampler):
    """A Gibbs sampler that gives every observation disharmonies of its own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        kept = sum(self.vectors(relation) * len(relation.sites) for relation in self.relations)
        if kept > MOST_DISHARMONIES:
            count = sum(relation.count for relation in self.relations)
            raise InputError(
                f"Gibbs keeps values for each of {counted(count, 'observation')}, more than fit into memory;"
                " learn with 'exact', which keeps none of them, or set a smaller sample size"
            )

    @abstractmethod
    def vectors(self, relation: Relation) -> int:
        """Return how many vectors of disharmonies are kept for a relation."""

    @property
    @abstractmethod
    def kernel(self) -> Callable[..., tuple[int, int]]:
        """The kernel that does sweeps, with the arguments of :func:`otlab.ot.kernels.gibbs.sweeps`."""

    @cached_property
    def layout(self) -> Layout:
        """The relations as arrays."""
        return lay_out(self.relations, [self.vectors(relation) for relation in self.relations])

    @cached_property
    def model(self) -> Model:
        """Noise and prior as the kernels take them."""
        higher, lower = np.array(self.pairs, np.int64).reshape(-1, 2).T.copy()
        if self.prior is None:
            return Model(self.settings.noise, self.settings.bound, np.empty(0), np.empty(0), higher, lower)
        return Model(self.settings.noise, np.inf, self.prior.mean, self.prior.sd**-2.0, higher, lower)

    def init(self, rng: np.random.Generator) -> GibbsState:
        """Return scattered ranking values, and disharmonies in a random consistent order."""
        k, values = self.tableau.n_constraints, self.scattered(rng)
        vectors = [
            np.tile(self.settings.noise * feasible_values(relation, rng), self.vectors(relation))
            for relation in self.relations
        ]
        return GibbsState(
            values=values,
            disharmonies=np.concatenate([np.empty(0), *vectors]),
            scratch=make_scratch(self.layout, k),
            draws=np.empty((0, k)),
        )

    def step(self, rng: np.random.Generator, state: GibbsState, n: int) -> GibbsState:
        """Do `n` sweeps; a sweep of very many observations in parts, so that it can be stopped."""
        last = state.sweep + n
        state.draws = ensure_capacity(state.draws, state.sweep // self.thin, last // self.thin)
        while True:
            state.sweep, state.drawn = self.kernel(
                rng,
                self.layout,
                self.model,
                state.disharmonies,
                state.values,
                state.scratch,
                state.draws,
                self.thin,
                state.sweep,
                state.drawn,
                last,
                SITES_AT_ONCE,
            )
            if state.sweep == last:
                return state
            check_interrupt()


def _warnings(trust: Trust, peaked: list[str], median_fits: bool) -> list[str]:
    """Return what to know before using the estimates."""
    messages = convergence_warnings(trust)
    if peaked:
        messages.append(f"more than one peak: {', '.join(peaked)}")
    if peaked or not median_fits:
        messages.append("several grammars fit, and the medians are none of them: use the best draw")
    return messages
