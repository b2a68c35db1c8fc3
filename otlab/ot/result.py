"""What a learner found, in one form for the command line, the notebook and the lab."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numba
import numpy as np
import pandas as pd

import otlab

if TYPE_CHECKING:
    from otlab.inference import Posterior
    from otlab.inference.diagnostics import Trust
    from otlab.ot.predict import Predicted
    from otlab.ot.tableau import Tableau

__all__ = ["Fit", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    return {"otlab": otlab.__version__, "numpy": np.__version__, "numba": numba.__version__}


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """What one learner found.

    Attributes
    ----------
    learner
        ``"gibbs"``, ``"gla"`` or ``"maxent"``.
    tableau
        What it learnt from.
    kind
        What its parameters are.
    mean, sd, median : ndarray of shape (constraints,)
        Of the posterior draws, or over runs of the GLA; the fit itself for MaxEnt. Ranking
        values are centred; an sd is NaN where there is none.
    predicted
        Probabilities of the candidates, and the best draw.
    trust
        R-hat and ESS; all NaN for learners that are no samplers.
    multimodal
        Whether several grammars fit: a ranking value, or a difference of two, has more
        than one peak, or the medians fit worse than half of the draws. Then no median is
        the grammar; the best draw is one. False while R-hat is above 2.
    peaked : tuple of str
        Ranking values, and differences of two, with more than one peak.
    warnings : tuple of str
        What to know before using the numbers.
    converged
        Whether there is no reason to doubt them.
    posterior
        All draws kept; None for learners that are no samplers.
    seed, settings, versions, seconds
        How the fit was made, and how long it took.
    """

    learner: str
    tableau: Tableau
    kind: Literal["ranking value", "weight"]
    mean: np.ndarray
    sd: np.ndarray
    median: np.ndarray
    predicted: Predicted
    trust: Trust
    multimodal: bool
    warnings: tuple[str, ...]
    converged: bool
    posterior: Posterior | None
    seed: int
    settings: dict[str, Any]
    seconds: float
    versions: dict[str, str] = field(default_factory=versions)
    peaked: tuple[str, ...] = ()

    def __repr__(self) -> str:
        name, n = self.tableau.name or "a tableau", self.tableau.n_constraints
        return f"<Fit by {self.learner}: {n} {self.kind}s from {name}, seed {self.seed}>"

    @property
    def parameters(self) -> pd.DataFrame:
        """Mean, sd, median and best of each constraint."""
        columns = {"mean": self.mean, "sd": self.sd, "median": self.median, "best": self.predicted.best}
        return pd.DataFrame(columns, index=pd.Index(self.tableau.constraints, name="constraint"))

    @property
    def predictions(self) -> pd.DataFrame:
        """Observed and predicted relative frequency of each candidate, with the 95 % interval."""
        tableau, predicted = self.tableau, self.predicted
        return pd.DataFrame(
            {
                "input": [tableau.inputs[k] for k in tableau.input_of_row],
                "candidate": tableau.candidates,
                "observed": tableau.observed(),
                "mean": predicted.mean,
                "low": predicted.low,
                "high": predicted.high,
                "at_best": predicted.at_best,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as ``otlab learn --json`` prints it."""
        ess = self.trust.smallest_ess
        return {
            "learner": self.learner,
            "constraints": list(self.tableau.constraints),
            "constraint_names": dict(zip(self.tableau.constraints, self.tableau.full_names, strict=True)),
            "parameters": {"kind": self.kind, **self.parameters.to_dict("list")},
            "predictions": self.predictions.to_dict("records"),
            "log_likelihood": self.predicted.log_likelihood,
            "diagnostics": {
                "rhat": self.trust.rhat,
                "ess": self.trust.ess,
                "ess_squares": self.trust.ess_squares,
                "ess_per_second": ess / self.seconds if self.seconds else float("nan"),
                "multimodal": self.multimodal,
                "warnings": list(self.warnings),
            },
            "converged": self.converged,
            "seed": self.seed,
            "settings": self.settings,
            "versions": self.versions,
        }
