"""Normal priors of the ranking values or weights, from a file or alike for all constraints.

The files are those of :mod:`otlab.ot.io.bias`; their third column is a standard deviation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError
from otlab.ot.constraint_names import faithfulness
from otlab.ot.given import check_tableau
from otlab.ot.io.bias import read_bias

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = ["NormalPrior", "chosen_prior", "equal_prior", "means_with_low_faithfulness", "read_prior"]


@dataclass(frozen=True, eq=False)
class NormalPrior:
    """Independent normal priors of the ranking values or weights, N(mean, sd^2).

    Parameters
    ----------
    mean, sd : ndarray of shape (constraints,)
        In the unit of the ranking values.

    Raises
    ------
    InputError
        If a number is not finite or an sd is not above 0.

    Examples
    --------
    >>> from otlab.ot import fit_gibbs, read
    >>> low_faithfulness = NormalPrior(np.array([1.0, 1.0, -1.0]), np.full(3, 2.0))
    >>> fit_gibbs(read("ilokano"), sweeps=200, seed=1, prior=low_faithfulness)
    <Fit by gibbs: 3 ranking values from ilokano_reduplication, seed 1>
    """

    mean: np.ndarray
    sd: np.ndarray

    def __post_init__(self) -> None:
        mean, sd = np.broadcast_arrays(np.asarray(self.mean, float), np.asarray(self.sd, float))
        if not (np.isfinite(mean).all() and np.isfinite(sd).all() and (sd > 0).all()):
            raise InputError("a normal prior needs finite means and sds above 0; correct the prior")
        object.__setattr__(self, "mean", mean.copy())
        object.__setattr__(self, "sd", sd.copy())


def chosen_prior(
    tableau: Tableau,
    sd: float | None,
    given: str | Path | Mapping[str, tuple[float, float]] | None,
    *,
    variances: bool = False,
    faithfulness_low: float = 0.0,
) -> NormalPrior | None:
    """Return the prior of a file, or one with the same sd for all; None if neither is given.

    Parameters
    ----------
    tableau
        Names the constraints.
    sd
        For all; the mean is 0, unless faithfulness is to be low.
    given
        A file, or the mean and sd of each constraint.
    variances
        Whether the third column of the file holds variances.
    faithfulness_low
        How far below 0 the means of faithfulness constraints lie, and those of others above it.

    Raises
    ------
    InputError
        If both are given, or the file has faults.
    """
    if faithfulness_low and given is not None and not isinstance(given, Mapping):
        raise InputError("--faithfulness-low is of --prior-sd, and --prior has means of its own; give one")
    if given is not None and sd is not None:
        raise InputError("--prior and --prior-sd say the same thing twice; give one of them")
    if isinstance(given, Mapping):
        return _prior_of(given, tableau, "")
    if given is not None:
        return read_prior(Path(given), tableau, variances=variances)
    if sd is None:
        if faithfulness_low:
            raise InputError("faithfulness is low by a prior; give its standard deviation (--prior-sd) too")
        return None
    mean = means_with_low_faithfulness(tableau, faithfulness_low)
    return NormalPrior(mean, np.full(tableau.n_constraints, sd))


def means_with_low_faithfulness(tableau: Tableau, low: float) -> np.ndarray:
    """Return prior means, float64 (constraints,): -`low` for faithfulness constraints, `low` for others."""
    means: np.ndarray = np.where(faithfulness(tableau.constraints), -low, low)
    return means


def equal_prior(tableau: Tableau, sd: float) -> NormalPrior:
    """Return a normal prior with mean 0 and the same sd for every constraint."""
    check_tableau(tableau)
    return NormalPrior(np.zeros(tableau.n_constraints), np.full(tableau.n_constraints, sd))


def read_prior(path: Path, tableau: Tableau, *, variances: bool = False) -> NormalPrior:
    """Return the prior in a file that names each constraint of the tableau once, by either name.

    With `variances` the third column holds variances, as in the MaxEnt Grammar Tool, not sds.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    return _prior_of(read_bias(path, tableau, variances=variances), tableau, Path(path).name)


def _prior_of(bias: Mapping[str, tuple[float, float]], tableau: Tableau, file: str) -> NormalPrior:
    missing = [name for name in tableau.constraints if name not in bias]
    if missing:
        what = f"no prior for {', '.join(missing)}"
        raise InputError(Fault(what, "give every constraint one", file))
    mean, sd = np.array([bias[name] for name in tableau.constraints]).T
    return NormalPrior(mean, sd)
