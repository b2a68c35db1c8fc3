"""Overt forms: what is heard of several parses, how probable it is, and which parse is behind it.

An observation is an overt form, and the candidates that share it are its parses. The probability of an overt
form is the sum of those of its parses; the posterior of a parse is its share of that sum.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import pandas as pd

from otlab.errors import Fault, InputError, quoted
from otlab.ot.given import check_tableau
from otlab.ot.memo import PerTableau

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from otlab.ot.tableau import Tableau

__all__ = [
    "OvertForms",
    "check_parses_are_known",
    "check_parses_can_win",
    "heard_tableau",
    "observed_candidates",
    "of_known_parses",
    "overt_forms_of",
    "overt_frame",
    "parse_frame",
    "parses_unknown",
    "reproduced",
    "reproduced_by_weights",
]


Learn = TypeVar("Learn", bound="Callable[..., Any]")


class OvertForms(NamedTuple):
    """The overt forms of a tableau, input by input.

    Attributes
    ----------
    of_row : int64 (rows,)
        Number of the overt form of each candidate.
    input_of : int64 (forms,)
        Input of each overt form; forms are numbered input by input.
    names
        The overt forms.
    """

    of_row: NDArray[np.int64]
    input_of: NDArray[np.int64]
    names: tuple[str, ...]

    def sums(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers of candidates, shape (..., rows), added up over the parses of each overt form."""
        order = np.argsort(self.of_row, kind="stable")
        starts = np.searchsorted(self.of_row[order], np.arange(len(self.names)))
        added: NDArray[np.float64] = np.add.reduceat(np.asarray(numbers, float)[..., order], starts, axis=-1)
        return added


def _overt_forms(tableau: Tableau) -> OvertForms:
    numbers: dict[tuple[int, str], int] = {}
    keys = zip(tableau.input_of_row.tolist(), tableau.overt_forms, strict=True)
    of_row = [numbers.setdefault(key, len(numbers)) for key in keys]
    inputs = np.array([k for k, _ in numbers], np.int64)
    return OvertForms(np.array(of_row, np.int64), inputs, tuple(name for _, name in numbers))


_forms = PerTableau(_overt_forms)


def overt_forms_of(tableau: Tableau) -> OvertForms:
    """Return the overt forms of a tableau, in the order of their first parses."""
    return _forms(tableau)


def _heard(tableau: Tableau) -> Tableau:
    forms = overt_forms_of(tableau)
    first = np.unique(forms.of_row, return_index=True)[1]
    return replace(
        tableau,
        candidates=forms.names,
        offsets=np.searchsorted(forms.input_of, np.arange(len(tableau.inputs) + 1)),
        violations=tableau.violations[first],
        frequencies=forms.sums(np.asarray(tableau.frequencies)),
        formulas=None,
        overt=(),
        groups=None,
    )


_heard_tableau = PerTableau(_heard)


def heard_tableau(tableau: Tableau) -> Tableau:
    """Return a tableau whose candidates are the overt forms, each with the violations of its first parse.

    It shows what was observed and predicted of overt forms: no grammar can be learnt from it.
    """
    return _heard_tableau(tableau)


def parses_unknown(tableau: Tableau) -> tuple[str, ...]:
    """Return the inputs of which an observed overt form has several parses."""
    check_tableau(tableau)
    if not tableau.overt:
        return ()
    forms = overt_forms_of(tableau)
    counts, sizes = forms.sums(np.asarray(tableau.frequencies)), np.bincount(forms.of_row)
    inputs = dict.fromkeys(forms.input_of[(counts > 0) & (sizes > 1)].tolist())
    return tuple(tableau.inputs[k] for k in inputs)


def check_parses_are_known(tableau: Tableau) -> None:
    """Refuse a tableau in which an observed overt form has several parses.

    Raises
    ------
    InputError
        For what needs to know which candidate was meant.
    """
    inputs = parses_unknown(tableau)
    if inputs:
        which = quoted(inputs[0]) if len(inputs) == 1 else f"{len(inputs)} inputs, first {quoted(inputs[0])}"
        several = f"what is heard has several parses for {which}"
        hint = "choose a learner of overt forms, such as RIP, EIP, MaxEnt, overt, or the exact sampler"
        raise InputError(Fault(several, hint, file=tableau.name))


def check_parses_can_win(tableau: Tableau, can_win: NDArray[np.bool_]) -> None:
    """Refuse data of likelihood 0: an observed overt form of which no parse can win.

    Parameters
    ----------
    tableau
        With overt forms.
    can_win : bool (rows,)
        Which candidates win under some ranking.

    Raises
    ------
    InputError
        Naming each such overt form.
    """
    forms = overt_forms_of(tableau)
    counts, possible = forms.sums(np.asarray(tableau.frequencies)), forms.sums(can_win.astype(float))
    never = np.flatnonzero((counts > 0) & (possible == 0)).tolist()
    if never:
        hint = "correct its violations, or set its count to 0"
        raise InputError(
            Fault(
                f"{quoted(forms.names[form])} of {quoted(tableau.inputs[forms.input_of[form]])} is observed"
                " but none of its parses can win",
                hint,
                file=tableau.name,
            )
            for form in never
        )


def of_known_parses(learn: Learn) -> Learn:
    """Return a function of a tableau that refuses one in which an observed overt form has several parses."""

    @wraps(learn)
    def checked(tableau: Tableau, *args: Any, **others: Any) -> Any:
        check_parses_are_known(tableau)
        return learn(tableau, *args, **others)

    return cast("Learn", checked)


def overt_frame(tableau: Tableau, probability: NDArray[np.float64]) -> pd.DataFrame:
    """Return input, overt form, observed and predicted relative frequency of each overt form.

    Parameters
    ----------
    tableau
        With overt forms.
    probability : float64 (rows,)
        Of each candidate within its input.
    """
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    total = np.bincount(forms.input_of, counts)[forms.input_of]
    with np.errstate(invalid="ignore"):
        observed = np.where(total > 0, counts / total, np.nan)
    return pd.DataFrame(
        {
            "input": [tableau.inputs[k] for k in forms.input_of],
            "overt": forms.names,
            "observed": observed,
            "probability": forms.sums(probability),
        }
    )


def parse_frame(tableau: Tableau, probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """Return the posterior of each parse of each observed overt form, with the 95 % interval over draws.

    Parameters
    ----------
    tableau
        With overt forms.
    probabilities : float64 (draws, rows)
        Of each candidate within its input.
    """
    forms = overt_forms_of(tableau)
    sums = forms.sums(probabilities)[:, forms.of_row]
    shares = np.divide(probabilities, sums, out=np.full_like(probabilities, np.nan), where=sums > 0)
    heard = forms.sums(np.asarray(tableau.frequencies))[forms.of_row] > 0
    heard &= np.isfinite(shares).any(axis=0)
    rows = np.flatnonzero(heard)
    low, high = np.nanquantile(shares[:, rows], [0.025, 0.975], axis=0) if len(rows) else (rows, rows)
    return pd.DataFrame(
        {
            "input": [tableau.inputs[k] for k in tableau.input_of_row[rows]],
            "overt": [forms.names[n] for n in forms.of_row[rows]],
            "candidate": [tableau.candidates[row] for row in rows],
            "probability": np.nanmean(shares[:, rows], axis=0) if len(rows) else rows.astype(float),
            "low": low,
            "high": high,
        }
    )


def observed_candidates(tableau: Tableau) -> NDArray[np.float64]:
    """Return the observed relative frequency of each candidate, NaN where what was heard has other parses."""
    forms = overt_forms_of(tableau)
    observed = np.array(tableau.observed())
    unknown = (np.bincount(forms.of_row) > 1) & (forms.sums(np.asarray(tableau.frequencies)) > 0)
    observed[unknown[forms.of_row]] = np.nan
    return observed


def reproduced(tableau: Tableau, winners: NDArray[np.int64]) -> float:
    """Return the share of inputs whose most frequent overt form is that of the winner.

    Parameters
    ----------
    tableau
        With overt forms and counts.
    winners : int64 (inputs,)
        The winning row of each input, without noise.
    """
    forms = overt_forms_of(tableau)
    counts = forms.sums(np.asarray(tableau.frequencies))
    right = asked = 0
    for k, row in enumerate(winners.tolist()):
        own = np.flatnonzero(forms.input_of == k)
        if not counts[own].any():
            continue
        asked += 1
        right += bool(forms.of_row[row] == own[np.argmax(counts[own])])
    return right / asked if asked else float("nan")


def reproduced_by_weights(tableau: Tableau, weights: NDArray[np.float64]) -> float:
    """Return the share of inputs whose most frequent overt form the candidate of least penalty has.

    Parameters
    ----------
    tableau
        With overt forms and counts.
    weights : ndarray of shape (constraints,)
        Weights of a harmonic grammar.
    """
    penalties, starts = tableau.violations @ weights, tableau.offsets[:-1].tolist()
    best = [np.argmin(penalties[tableau.rows(k)]) + start for k, start in enumerate(starts)]
    return reproduced(tableau, np.array(best, np.int64))
