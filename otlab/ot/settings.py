"""Settings that all learners of a tableau share: evaluation noise, bound, total.

An argument overrides the comment lines of the file (``# noise: 1``), which override the
defaults: noise 2, as in Praat and OTSoft, and ranking values within 6 noises of 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.ot.given import check_tableau

if TYPE_CHECKING:
    from otlab.ot.tableau import Tableau

__all__ = [
    "DEFAULT_BOUND_IN_NOISE",
    "DEFAULT_NOISE",
    "Settings",
    "resolve_noise",
    "resolve_settings",
    "with_total",
]

DEFAULT_NOISE = 2.0
DEFAULT_BOUND_IN_NOISE = 6.0


@dataclass(frozen=True)
class Settings:
    """Evaluation noise, bound and total.

    Attributes
    ----------
    noise
        Standard deviation of the evaluation noise.
    bound
        Centred ranking values stay within (-bound, bound).
    total
        Observations per input that relative frequencies stand for; None if the
        frequencies are counts.
    """

    noise: float
    bound: float
    total: int | None


def resolve_settings(
    tableau: Tableau, noise: float | None = None, bound: float | None = None, total: int | None = None
) -> Settings:
    """Return the settings in force: the argument, else the tableau's, else the default.

    Raises
    ------
    InputError
        If a value is not a positive finite number.

    Examples
    --------
    >>> from otlab.ot import read
    >>> resolve_settings(read("ilokano"))
    Settings(noise=1.0, bound=6.0, total=99)
    >>> resolve_settings(read("ilokano"), noise=2)
    Settings(noise=2.0, bound=6.0, total=99)
    """
    sd = resolve_noise(tableau, noise)
    limit = _positive("bound", _first(bound, tableau.bound, DEFAULT_BOUND_IN_NOISE * sd))
    chosen = total if total is not None else tableau.total
    if chosen is not None:
        _positive("total", chosen)
    return Settings(sd, limit, chosen)


def resolve_noise(tableau: Tableau, noise: float | None = None) -> float:
    """Return the evaluation noise in force, as :func:`resolve_settings` does."""
    check_tableau(tableau)
    return _positive("noise", _first(noise, tableau.noise, DEFAULT_NOISE))


def _first(*choices: float | None) -> float:
    return float(next(choice for choice in choices if choice is not None))


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"the {name} {value:g} is not a positive number; choose one above 0")
    return value


def with_total(tableau: Tableau, total: int | None) -> Tableau:
    """Return the tableau with `total` observations per input.

    The tableau itself if `total` is None or its own.
    """
    check_tableau(tableau)
    if total is None or total == tableau.total:
        return tableau
    return replace(tableau, total=resolve_settings(tableau, total=total).total)
