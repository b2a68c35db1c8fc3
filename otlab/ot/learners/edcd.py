"""Error-driven constraint demotion (Tesar & Smolensky 1998): learn a ranking, one winner at a time.

Constraints stand in strata, at first all in one. A trial observes the winner of an input, the most
frequent candidate (the first on a tie). It beats another candidate if, in the highest stratum where
their violations differ, all constraints that differ prefer the winner. If it does not beat one, each
constraint that prefers that one is demoted to just below the highest constraint that prefers the
winner, unless it is there or lower already.

Where constraints of one stratum disagree, Tesar & Smolensky add their violations up. Sums may make
every winner win where no ranking does: A 0, B 1 against A 2, B 0, and A 1, B 0 against A 0, B 2. So the
winner has to win in every order of a stratum here, as with the permuting ties of Boersma (2009,
*Linguistic Inquiry* 40).

The algorithm ends when every winner beats all others. With K constraints no ranking that exists needs
more than K strata: if there are more, the winners contradict each other, and it ends too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import param

from otlab.errors import InputError, counted
from otlab.inference import fit
from otlab.ot.analysis.rank import winning_rows
from otlab.ot.fitted import Fit, log_likelihoods, no_trust, summarised
from otlab.ot.learners.settings import TotalSettings
from otlab.ot.overt import of_known_parses
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.tableau import Tableau

__all__ = ["EDCD", "EDCDSettings", "EDCDState", "EDCDView", "fit_edcd", "make_edcd"]

TRIALS = 100_000


@dataclass
class EDCDState:
    """The stratum of each constraint, 0 for the highest, trials, errors, and whether it has ended."""

    strata: NDArray[np.int64]
    trial: int = 0
    errors: int = 0
    ended: bool = False


@dataclass(frozen=True, slots=True)
class EDCDView:
    """Snapshot of one run.

    Attributes
    ----------
    trial, errors
        Trials done, and how many of them demoted constraints.
    strata : int64 (constraints,)
        The stratum of each constraint, 0 for the highest.
    values : float64 (constraints,)
        Minus the strata, centred.
    consistent
        Whether every winner beats all other candidates.
    """

    trial: int
    errors: int
    strata: NDArray[np.int64]
    values: NDArray[np.float64]
    consistent: bool


@dataclass(frozen=True, eq=False)
class EDCD:
    """Error-driven constraint demotion.

    Parameters
    ----------
    tableau
        Its frequencies say which candidate wins, and how often an input is observed.

    Raises
    ------
    InputError
        If no input has data.
    """

    tableau: Tableau
    name: str = field(default="edcd", init=False)

    def __post_init__(self) -> None:
        if not self.winners:
            raise InputError("no candidate has a frequency; count at least one")

    @cached_property
    def winners(self) -> dict[int, int]:
        """The winner's row of each input that has data, by the input's number."""
        return winning_rows(self.tableau)

    @cached_property
    def _chances(self) -> NDArray[np.float64]:
        observed = np.add.reduceat(self.tableau.frequencies, self.tableau.offsets[:-1])[list(self.winners)]
        chances: NDArray[np.float64] = observed / observed.sum()
        return chances

    def optimal(self, k: int, strata: NDArray[np.int64]) -> list[int]:
        """Return the rows of input `k` that the strata choose, violations in a stratum added up."""
        rows = self.tableau.rows(k)
        remaining = np.arange(rows.start, rows.stop)
        for stratum in np.unique(strata):
            marks = self.tableau.violations[remaining][:, strata == stratum].sum(axis=1)
            remaining = remaining[marks == marks.min()]
        chosen: list[int] = remaining.tolist()
        return chosen

    def loser(self, k: int, strata: NDArray[np.int64]) -> int | None:
        """Return a row that the winner of input `k` does not beat; None if it beats all others.

        A row that the strata choose comes first.
        """
        rows, n = self.tableau.rows(k), self.tableau.n_constraints
        more = self.tableau.violations[rows] - self.tableau.violations[self.winners[k]]
        against = np.where(more < 0, strata, n).min(axis=1)  # the highest stratum that prefers the row
        unbeaten = (more < 0).any(axis=1) & (against <= np.where(more > 0, strata, n).min(axis=1))
        if not unbeaten.any():
            return None
        chosen = [row for row in self.optimal(k, strata) if unbeaten[row - rows.start]]
        return chosen[0] if chosen else rows.start + int(unbeaten.argmax())

    def demote(self, k: int, loser: int, strata: NDArray[np.int64]) -> None:
        """Demote the constraints that prefer a row to the winner of input `k`."""
        more = self.tableau.violations[loser] - self.tableau.violations[self.winners[k]]
        if (more > 0).any():
            below = strata[more > 0].min() + 1
            strata[more < 0] = np.maximum(strata[more < 0], below)
        else:  # nothing prefers the winner: it is bounded, and demoting would never end
            strata[more < 0] = self.tableau.n_constraints

    def init(self, rng: np.random.Generator) -> EDCDState:
        """Return all constraints in one stratum."""
        state = EDCDState(np.zeros(self.tableau.n_constraints, np.int64))
        state.ended = self._has_ended(state.strata)
        return state

    def _has_ended(self, strata: NDArray[np.int64]) -> bool:
        return self._contradiction(strata) or all(self.loser(k, strata) is None for k in self.winners)

    def _contradiction(self, strata: NDArray[np.int64]) -> bool:
        return bool(strata.max(initial=0) >= self.tableau.n_constraints)

    def step(self, rng: np.random.Generator, state: EDCDState, n: int) -> EDCDState:
        """Do `n` trials, or as many as it takes."""
        observed = list(self.winners)
        for _ in range(n):
            if state.ended:
                break
            k = observed[int(np.searchsorted(np.cumsum(self._chances), rng.random(), side="right"))]
            loser = self.loser(k, state.strata)
            state.trial += 1
            if loser is not None:
                self.demote(k, loser, state.strata)
                state.errors += 1
                state.ended = self._has_ended(state.strata)
        return state

    def view(self, state: EDCDState) -> EDCDView:
        """Return a snapshot."""
        values = (-state.strata).astype(float)  # no -0.0
        consistent = state.ended and not self._contradiction(state.strata)
        return EDCDView(state.trial, state.errors, state.strata.copy(), values - values.mean(), consistent)

    def finished(self, state: EDCDState) -> bool:
        """Return whether every winner beats all others, or whether no further demotion is possible."""
        return state.ended

    def conclude(self, run: Run[EDCDState, EDCDView], tick: Tick[EDCDView], *, stopped: bool = False) -> Fit:
        """Return the strata as ranking values, and the candidates that they choose, without variation."""
        view, tableau = tick.view, self.tableau
        probability = np.zeros(tableau.n_rows)
        for k in range(len(tableau.inputs)):
            chosen = self.optimal(k, view.strata)
            probability[chosen] = 1 / len(chosen)
        total = resolve_settings(tableau).total
        scores = log_likelihoods(tableau, probability[None], total, by_class=False)
        remarks = []
        if tick.finished and not view.consistent:
            remarks.append(
                "no ranking makes every winner win, so the demotion would never end;"
                " `otlab rank` shows which winners contradict each other"
            )
        elif not tick.finished:
            remarks.append(f"stopped after {counted(view.trial, 'trial')}")
        return Fit(
            run=run,
            tick=tick,
            stopped=stopped,
            kind="ranking value",
            mean=view.values,
            sd=np.full(tableau.n_constraints, np.nan),
            median=view.values,
            predicted=summarised(probability[None], scores, view.values[None]),
            trust=no_trust(tableau),
            multimodal=False,
            used={"total": total, "sweeps": run.total, "strata": _by_stratum(tableau, view.strata)},
            remarks=tuple(remarks),
            converged=view.consistent,
        )


def _by_stratum(tableau: Tableau, strata: NDArray[np.int64]) -> list[list[str]]:
    """Return the names of the constraints in each stratum, the highest first."""
    names = np.array(tableau.constraints, object)
    return [names[strata == stratum].tolist() for stratum in np.unique(strata)]


class EDCDSettings(TotalSettings):
    """Settings of error-driven constraint demotion; None means the file's value, else the default."""

    sweeps = param.Integer(TRIALS, bounds=(1, None), doc="Largest number of trials.")

    @property
    def steps(self) -> int:
        """Most trials."""
        return int(self.sweeps)


def make_edcd(tableau: Tableau, settings: EDCDSettings) -> EDCD:
    """Return the learner with these settings."""
    return EDCD(with_total(tableau, settings.total))


@of_known_parses
def fit_edcd(tableau: Tableau, *, trials: int = TRIALS, seed: int | None = None) -> Fit:
    """Return strata found by error-driven constraint demotion (Tesar & Smolensky 1998).

    Parameters
    ----------
    tableau
        Its frequencies say which candidate wins, and how often an input is observed.
    trials
        At most.
    seed
        Of the order in which inputs are observed.

    Raises
    ------
    InputError
        If no input has data.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_edcd(read("dutch"), seed=1).settings["strata"]
    [['*VoicedCoda'], ['Ident-IO(voice)'], ['*VoicedObstruent']]
    """
    return cast("Fit", fit(EDCD(tableau), steps=trials, seed=seed))
