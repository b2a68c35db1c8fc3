r"""Learning from overt forms by interpretive parsing (Tesar & Smolensky 2000; Boersma 2003; Jarosz 2013).

A trial hears an overt form, such as stress without feet, evaluates the input under
:math:`y_i \sim N(\mu_i, \sigma^2)`, and learns by a rule of the GLA from the difference between the grammar's
own winner and a parse of what was heard:

* ``rip``, robust interpretive parsing: if the winner sounds otherwise, the best parse under the same y;
* ``rrip``, resampling: if the winner sounds otherwise, the best parse under a fresh y;
* ``eip``, expected interpretive parsing: a parse drawn from the grammar given what was heard, by drawing y
  until the winner sounds so (at most 1,000 times), whether the grammar's own winner sounds so or not.

Candidates that can never win are left out. Where every overt form has one parse, ``rip`` is the GLA.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from otlab.errors import InputError, quoted
from otlab.ot.analysis.candidates import could_win
from otlab.ot.kernels.evaluation import Evaluation
from otlab.ot.kernels.overt import EIP, RIP, RRIP, Heard, best_rows, overt_trials
from otlab.ot.learners.error_driven import alias_table, flat_offsets, lay_out
from otlab.ot.learners.gla import GLA, GLASettings, make_gla
from otlab.ot.overt import overt_forms_of, reproduced
from otlab.ot.overt_fitted import overt_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.conditions import Relation
    from otlab.ot.fitted import Fit
    from otlab.ot.kernels.gla import Record, Stage, Trials
    from otlab.ot.learners.error_driven import TrialState, TrialView
    from otlab.ot.tableau import Tableau

__all__ = ["HOW", "InterpretiveGLA", "lay_out_heard", "lay_out_states", "make_eip", "make_rip", "make_rrip"]

HOW = {"rip": RIP, "rrip": RRIP, "eip": EIP}


@dataclass(frozen=True, eq=False)
class InterpretiveGLA(GLA):
    """The GLA on parses of overt forms.

    Parameters
    ----------
    tableau, noise, schedule, initial, plasticity, record_every, rule, apriori, gap
        As for :class:`~otlab.ot.learners.gla.GLA`; the frequencies of an overt form's parses are added up.
    how
        ``"rip"``, ``"rrip"`` or ``"eip"``.
    tries
        How often noise is drawn for one parse by ``"eip"``.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    how: str = "rip"
    tries: int = 1000
    name: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.how not in HOW:
            raise InputError(f"overt forms cannot be parsed by {self.how!r}; choose rip, rrip or eip")
        object.__setattr__(self, "name", self.how)
        super().__post_init__()

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        return ()  # what has to hold for one candidate to win is of no use where its parse is not known

    @cached_property
    def data(self) -> Trials:
        """The arrays of the tableau for the kernel: rivals that can win."""
        tableau = self.tableau
        whole = lay_out(tableau)
        rivals = [
            np.flatnonzero(self.can_win[tableau.rows(k)]) + tableau.offsets[k]
            for k in range(len(tableau.inputs))
        ]
        return whole._replace(
            rival_start=flat_offsets(rivals), rivals=np.concatenate(rivals).astype(np.int64)
        )

    @cached_property
    def can_win(self) -> NDArray[np.bool_]:
        """Which candidates win under some ranking, bool (rows,)."""
        tableau = self.tableau
        parts = [could_win(tableau.violations[tableau.rows(k)]) for k in range(len(tableau.inputs))]
        return np.concatenate(parts)

    @cached_property
    def states(self) -> Evaluation:
        """The sets of candidates that are left after the first constraints of a ranking."""
        return lay_out_states(self.data)

    @cached_property
    def heard(self) -> Heard:
        """The overt forms, their chances and their parses, as the kernel takes them."""
        return lay_out_heard(self.tableau, self.can_win)

    def _trials(
        self, rng: np.random.Generator, state: TrialState, stage: Stage, record: Record, n: int
    ) -> tuple[int, float]:
        errors, size = overt_trials(
            rng,
            self.data,
            self.heard,
            HOW[self.how],
            self.tries,
            self._rule,
            stage,
            state.values,
            record,
            state.size,
            n,
        )
        return errors, size

    def conclude(
        self, run: Run[TrialState, TrialView], tick: Tick[TrialView], *, stopped: bool = False
    ) -> Fit:
        """Return the fit of the runs so far, with overt forms and parses."""
        fit = super().conclude(run, tick, stopped=stopped)
        values = np.array([view.values for view in tick.views])
        return overt_fit(fit, values, list(values))

    def _impossible(self) -> list[str]:
        heard, forms, inputs = self.heard, overt_forms_of(self.tableau), self.tableau.inputs
        never = [form for form in heard.form if heard.start[form] == heard.start[form + 1]]
        return [
            f"{quoted(forms.names[form])} of {quoted(inputs[forms.input_of[form]])} has no parse that"
            " can win; nothing is learnt from it, and the log likelihood is that of the other observations"
            for form in never
        ]

    def reproduced(self, values: NDArray[np.float64]) -> float:
        """Return the share of inputs whose overt form these ranking values give without noise."""
        winners = np.empty(len(self.tableau.inputs), np.int64)
        best_rows(self.data, np.asarray(values, float), winners)
        return reproduced(self.tableau, winners)

    def _own_settings(self) -> dict[str, Any]:
        tries = {"tries": self.tries} if self.how == "eip" else {}
        return {"how": self.how, **tries, **super()._own_settings()}


def lay_out_heard(tableau: Tableau, can_win: NDArray[np.bool_]) -> Heard:
    """Return the overt forms, their chances and their parses, as the kernels take them.

    Parameters
    ----------
    tableau
        Its frequencies are the chances of what is heard; those of the parses of a form are added up.
    can_win : bool (rows,)
        Candidates that count as parses.
    """
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    observed = np.flatnonzero(counts > 0)
    parses = [np.flatnonzero((forms.of_row == form) & can_win) for form in range(len(forms.names))]
    chance, alias = alias_table(counts[observed])
    joined = np.concatenate(parses).astype(np.int64)
    return Heard(chance, alias, observed, forms.of_row, flat_offsets(parses), joined)


def lay_out_states(data: Trials, most: int = 2_000) -> Evaluation:
    """Return the sets of candidates that are left after the first constraints of any ranking.

    Many rankings leave the same candidates: the 62 words of Tesar & Smolensky's twelve constraints have
    11,000 such sets. At most `most` of an input are stored, those that are left by the fewest constraints.
    """
    after: list[NDArray[np.int64]] = []
    first: list[int] = []
    single: list[bool] = []
    root: list[int] = []
    for start, stop in zip(data.rival_start[:-1], data.rival_start[1:], strict=True):
        sets, offset = [data.rivals[start:stop]], len(first)
        numbers = {sets[0].tobytes(): offset}
        root.append(offset)
        for left in sets:
            marks = data.marks[left]
            kept = marks == marks.min(axis=0)
            own = np.full(kept.shape[1], -1)
            for c, stay in enumerate(kept.T if len(left) > 1 else ()):
                rest = left[stay]
                if rest.tobytes() not in numbers and len(sets) < most:
                    numbers[rest.tobytes()] = offset + len(sets)
                    sets.append(rest)
                own[c] = numbers.get(rest.tobytes(), -1)
            after.append(own)
        first += [int(left[0]) for left in sets]
        single += [len(left) == 1 for left in sets]
    return Evaluation(
        np.array(after, np.int32), np.array(first, np.int64), np.array(single), np.array(root, np.int64)
    )


class InterpretiveSettings(GLASettings):
    """Settings of runs that learn from overt forms; None means the file's value, else the default."""

    usual_trials = 100_000

    sweeps = param.Integer(
        None,
        bounds=(1, None),
        allow_None=True,
        doc="Trials of each run (default: 100000, or the schedule's)",
    )


def _make(how: str, tableau: Tableau, settings: InterpretiveSettings) -> InterpretiveGLA:
    gla = make_gla(tableau, settings)
    shared = {name: getattr(gla, name) for name in ("tableau", "noise", "schedule", "initial", "plasticity")}
    return InterpretiveGLA(**shared, rule=gla.rule, apriori=gla.apriori, gap=gla.gap, how=how)


def make_rip(tableau: Tableau, settings: InterpretiveSettings) -> InterpretiveGLA:
    """Return the learner by robust interpretive parsing with these settings."""
    return _make("rip", tableau, settings)


def make_rrip(tableau: Tableau, settings: InterpretiveSettings) -> InterpretiveGLA:
    """Return the learner by resampling interpretive parsing with these settings."""
    return _make("rrip", tableau, settings)


def make_eip(tableau: Tableau, settings: InterpretiveSettings) -> InterpretiveGLA:
    """Return the learner by expected interpretive parsing with these settings."""
    return _make("eip", tableau, settings)
