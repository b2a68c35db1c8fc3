"""The fit of a learner of overt forms: with their probabilities, and the posterior of parses."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from otlab.inference.notebook import result_html
from otlab.ot.fitted import Fit, spread_out
from otlab.ot.orders import winning_rows
from otlab.ot.overt import observed_candidates, overt_frame, parse_frame, reproduced
from otlab.ot.probability import predict_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["OvertFit", "overt_fit", "overt_fit_of_draws"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OvertFit(Fit):
    """The fit of one learner to overt forms.

    Attributes
    ----------
    overt
        Input, overt form, observed and predicted relative frequency.
    parses
        The posterior of each parse of what was heard, with its interval over runs or draws.
    reproduced
        Share of the inputs whose overt form the grammar gives without noise, of each run or chain.
    """

    overt: pd.DataFrame = field(default_factory=pd.DataFrame)
    parses: pd.DataFrame = field(default_factory=pd.DataFrame)
    reproduced: tuple[float, ...] = ()

    @property
    def predictions(self) -> pd.DataFrame:
        """As of any fit; the observed frequency of a candidate is NaN where its parse is not known."""
        return super().predictions.assign(observed=observed_candidates(self.tableau))

    def _repr_html_(self) -> str:
        tables = (self.parameters.round(3), self.overt.round(3), self.parses.round(3))
        return result_html(repr(self), *tables, warnings=self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as ``otlab learn --json`` prints it."""
        return {
            **super().to_dict(),
            "overt": self.overt.to_dict("records"),
            "parses": self.parses.to_dict("records"),
            "reproduced": float(np.mean(self.reproduced)),
        }


def overt_fit(
    fit: Fit,
    draws: NDArray[np.float64],
    points: Sequence[NDArray[np.float64]] = (),
    *,
    share: Sequence[float] = (),
    probabilities: NDArray[np.float64] | None = None,
) -> OvertFit:
    """Return a fit with what it says of overt forms and parses.

    Parameters
    ----------
    fit
        Its tableau has overt forms.
    draws : float64 (n, K)
        Ranking values of runs or draws.
    points
        Ranking values of each run or chain, whose winners without noise are counted.
    share
        What :attr:`OvertFit.reproduced` holds instead, for another kind of grammar.
    probabilities : float64 (n, rows)
        Of the candidates under each of `draws`; those of Stochastic OT if None.
    """
    tableau = fit.tableau
    if probabilities is None:
        probabilities = predict_many(tableau, draws, fit.settings.get("noise"), seed=0)
    own = {one.name: getattr(fit, one.name) for one in fields(Fit)}
    return OvertFit(
        **own,
        overt=overt_frame(tableau, probabilities.mean(axis=0)),
        parses=parse_frame(tableau, probabilities),
        reproduced=tuple(share or (reproduced(tableau, winning_rows(tableau, point)) for point in points)),
    )


def overt_fit_of_draws(fit: Fit) -> OvertFit:
    """Return the fit of a sampler of ranking values with what it says of overt forms and parses."""
    assert fit.posterior is not None
    medians = [np.median(chain, axis=0) for chain in fit.posterior.draws["ranking_value"]]
    return overt_fit(fit, spread_out(fit.posterior.pooled("ranking_value"), fit.tableau), medians)
