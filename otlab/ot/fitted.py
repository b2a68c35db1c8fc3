r"""The fit of a learner: estimates, predictions, log likelihood, warnings.

The posterior predictive of a candidate is the mean of its exact probability over
draws; its 95 % interval holds the middle 95 % of them. The log likelihood of ranking
values :math:`\mu` is :math:`\sum_c n_c \ln P(c \mid \mu)`, exact, over classes of
candidates with the same violations, which no ranking can distinguish.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from otlab.errors import counted
from otlab.inference.diagnostics import Trust
from otlab.inference.fit import Fitted
from otlab.inference.notebook import result_html
from otlab.ot.conditions import impossible_rows
from otlab.ot.indistinct import alike_words, unseen_words
from otlab.ot.overt import overt_forms_of
from otlab.ot.point import BEST, MEDIAN, NOT_CONVERGED, Point, mean_of_runs
from otlab.ot.probability import predict_many
from otlab.ot.probability_plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.inference import Posterior, Run, Tick
    from otlab.ot.tableau import Tableau

__all__ = [
    "LEVEL",
    "Fit",
    "Predicted",
    "fit_of_rows",
    "fit_of_values",
    "fit_of_weights",
    "log_likelihood",
    "log_likelihoods",
    "no_trust",
    "predict_from_draws",
    "spread_out",
    "summarised",
]

LEVEL = 0.95
# Transitions of the exact probabilities that take a second or two: fewer draws if one costs more.
_WORK = 5_000_000
_FEWEST, _MOST = 200, 1000


@dataclass(frozen=True, eq=False)
class Predicted:
    """Each candidate's probability under many draws of a grammar.

    Attributes
    ----------
    mean, low, high : ndarray of shape (rows,)
        Over draws: the mean, and the ends of the 95 % interval; NaN if there is none.
    at_best : ndarray of shape (rows,)
        Under the draw with the highest likelihood.
    best : ndarray of shape (constraints,)
        That draw.
    log_likelihood
        Its log likelihood in nats; -inf if it excludes what was observed.
    typical_log_likelihood
        The median over draws.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at_best: np.ndarray
    best: np.ndarray
    log_likelihood: float
    typical_log_likelihood: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Fitted[Any, Any]):
    """The fit of one learner to a tableau.

    Attributes
    ----------
    kind
        What the parameters are.
    mean, sd, median : ndarray of shape (constraints,)
        Over posterior draws, or over runs of the GLA; for MaxEnt the weights themselves. Ranking
        values are centred; an sd is NaN if there is none.
    predicted
        Probabilities of the candidates, and the best draw.
    trust
        R-hat and ESS; all NaN for learners that do not sample.
    multimodal
        Whether several grammars fit: a ranking value, or a difference of two, has more
        than one peak, or the medians fit worse than half of the draws. Then the medians are
        not a grammar that fits; the best draw is. False while R-hat is above 2.
    peaked : tuple of str
        Ranking values, and differences of two, with more than one peak.
    further : dict of ndarray of shape (constraints,)
        What else was learnt of each constraint, by name: posterior means, and their sds as
        ``"... sd"``; NaN where a constraint has no such parameter. Most learners learn nothing else.
    pairs : ndarray of shape (runs, constraints, constraints), or None
        Probability that the constraint of a row is ranked above that of a column, of learners that learn
        it in place of ranking values.
    converged
        Whether the estimates can be used.
    posterior
        All draws kept; None for learners that do not sample.
    used : dict
        The settings, defaults included.
    remarks : tuple of str
        What to know before using the numbers.
    """

    kind: Literal["ranking value", "weight"]
    mean: np.ndarray
    sd: np.ndarray
    median: np.ndarray
    predicted: Predicted
    trust: Trust
    multimodal: bool
    used: dict[str, Any]
    remarks: tuple[str, ...] = ()
    converged: bool
    posterior: Posterior | None = None
    peaked: tuple[str, ...] = ()
    further: dict[str, np.ndarray] = field(default_factory=dict)
    pairs: np.ndarray | None = None

    def __repr__(self) -> str:
        name, n = self.tableau.name or "a tableau", self.tableau.n_constraints
        return f"<Fit by {self.learner.name}: {counted(n, self.kind)} from {name}, seed {self.seed}>"

    @property
    def tableau(self) -> Tableau:
        """The tableau learnt from."""
        learner: Any = self.learner
        tableau: Tableau = learner.tableau
        return tableau

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the fit, defaults included."""
        return self.used

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to read before using the numbers, last of them constraints that cannot be told apart."""
        tableau = self.tableau
        return (*unseen_words(tableau), *self.remarks, *alike_words(tableau, weights=self.kind == "weight"))

    @property
    def sampled(self) -> Posterior | None:
        """The same as :attr:`posterior`."""
        return self.posterior

    @property
    def point(self) -> Point:
        """One grammar for the whole fit: the median, the best draw if several fit, or the mean of runs."""
        caveat = "" if self.converged else NOT_CONVERGED
        if self.posterior is None:
            return mean_of_runs(self.mean, len(self.views), caveat)
        if self.multimodal:
            return Point(self.predicted.best, BEST, caveat)
        return Point(self.median, MEDIAN, caveat)

    @property
    def parameters(self) -> pd.DataFrame:
        """Mean, sd, median and best of each constraint, and what else was learnt of it."""
        columns = {"mean": self.mean, "sd": self.sd, "median": self.median, "best": self.predicted.best}
        columns |= self.further
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

    def _repr_html_(self) -> str:
        tables = self.parameters.round(3), self.predictions.round(3)
        return result_html(repr(self), *tables, warnings=self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as ``otlab learn --json`` prints it."""
        ess = self.trust.smallest_ess
        return {
            "learner": self.learner.name,
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


def fit_of_rows(run: Run[Any, Any], tick: Tick[Any], rows: np.ndarray, **others: Any) -> Fit:
    """Return the fit whose estimates are mean, standard deviation and median of rows.

    Parameters
    ----------
    run, tick
        The runs and their last tick.
    rows : ndarray of shape (n, constraints)
        Ranking values or weights: draws, or the end of each run. With one row standard deviations are NaN.
    others
        The other fields of :class:`Fit`.
    """
    sd = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(rows.shape[1], np.nan)
    return Fit(run=run, tick=tick, mean=rows.mean(axis=0), sd=sd, median=np.median(rows, axis=0), **others)


def fit_of_values(
    run: Run[Any, Any],
    tick: Tick[Any],
    values: np.ndarray,
    *,
    noise: float,
    total: int | None,
    settings: dict[str, Any],
    stopped: bool = False,
    remarks: Sequence[str] = (),
) -> Fit:
    """Return the fit of a learner that ends with one grammar per run.

    Observed candidates that can never win are left out of its log likelihood.

    Parameters
    ----------
    run, tick
        The runs and their last tick.
    values : ndarray of shape (runs, constraints)
        Centred ranking values of each run.
    noise, total
        Evaluation noise, and observations of each input; see
        :func:`~otlab.ot.settings.resolve_settings`.
    settings
        Settings of the learner, for the result.
    stopped
        Whether the run was stopped before its end.
    remarks
        What to know before using the numbers.
    """
    learner: Any = run.learner
    tableau: Tableau = learner.tableau
    impossible = [row for row, _ in impossible_rows(tableau)]
    return fit_of_rows(
        run,
        tick,
        values,
        stopped=stopped,
        kind="ranking value",
        predicted=predict_from_draws(tableau, values, noise, total, leave_out=impossible),
        trust=no_trust(tableau),
        multimodal=False,
        used=settings,
        remarks=(*remarks, *_cut_short(tick)),
        converged=tick.finished,
    )


def fit_of_weights(
    run: Run[Any, Any],
    tick: Tick[Any],
    weights: np.ndarray,
    probability: np.ndarray,
    *,
    total: int | None,
    settings: dict[str, Any],
    stopped: bool = False,
    remarks: Sequence[str] = (),
) -> Fit:
    """Return the fit of a learner that ends with the weights of one grammar per run.

    Parameters
    ----------
    run, tick, total, settings, stopped, remarks
        As for :func:`fit_of_values`.
    weights : ndarray of shape (runs, constraints)
    probability : ndarray of shape (runs, rows)
        Of each candidate within its input, under each run's weights.
    """
    learner: Any = run.learner
    tableau: Tableau = learner.tableau
    scores = log_likelihoods(tableau, probability, total, by_class=False)
    return fit_of_rows(
        run,
        tick,
        weights,
        stopped=stopped,
        kind="weight",
        predicted=summarised(probability, scores, weights),
        trust=no_trust(tableau),
        multimodal=False,
        used=settings,
        remarks=(*remarks, *_cut_short(tick)),
        converged=tick.finished,
    )


def _cut_short(tick: Tick[Any]) -> list[str]:
    return [] if tick.finished else [f"stopped after {tick.sweep:,} of {counted(tick.total, 'trial')}"]


def no_trust(tableau: Tableau) -> Trust:
    """Return R-hat and ESS of a learner that does not sample: all NaN."""
    unknown = np.full(tableau.n_constraints, np.nan)
    return Trust(unknown, unknown, unknown)


def log_likelihoods(
    tableau: Tableau,
    probabilities: np.ndarray,
    total: int | None = None,
    leave_out: Sequence[int] = (),
    *,
    by_class: bool = True,
) -> np.ndarray:
    """Return the log likelihood of each row of candidate probabilities.

    Parameters
    ----------
    tableau, total
        As for :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.
    probabilities : ndarray of shape (draws, rows)
        As :func:`~otlab.ot.probability.predict_many` returns them.
    leave_out
        Candidates, by row, whose observations are not counted.
    by_class
        Whether candidates with the same violations count as one, as no ranking tells them apart;
        MaxEnt shares their probability instead.

    Returns
    -------
    ndarray of shape (draws,)
    """
    counts = tableau.counts(total).astype(float)
    if tableau.overt:
        forms = overt_forms_of(tableau)
        counts, probabilities, by_class = forms.sums(counts), forms.sums(probabilities), False
        attested = counts > 0
        if leave_out:  # overt forms without a parse that can win
            attested &= probabilities.max(axis=0) > 0
        leave_out = np.flatnonzero(~attested).tolist()
    attested = counts > 0
    attested[list(leave_out)] = False
    with np.errstate(divide="ignore"):
        share = plan_of(tableau).share[attested] if by_class else 1.0
        logs = np.log(probabilities[:, attested] / share)
    out: np.ndarray = logs @ counts[attested]
    return out


def log_likelihood(
    tableau: Tableau,
    ranking_values: Sequence[float] | np.ndarray,
    noise: float | None = None,
    total: int | None = None,
) -> float:
    """Return the exact log likelihood of ranking values, in nats.

    Parameters
    ----------
    tableau
        Of K constraints; its frequencies are the data.
    ranking_values : float (K,)
        Only their differences matter.
    noise, total
        As for :func:`~otlab.ot.settings.resolve_settings`.

    Examples
    --------
    The Ilokano data are fitted exactly, a third each (99 ln 3 = 108.8):

    >>> from otlab.ot import read
    >>> round(log_likelihood(read("ilokano"), [-0.07755, 0.53159, -0.45404]), 1)
    -108.8
    """
    probability = predict_many(tableau, np.atleast_2d(np.asarray(ranking_values, float)), noise, seed=0)
    return float(log_likelihoods(tableau, probability, total)[0])


def spread_out(draws: np.ndarray, tableau: Tableau) -> np.ndarray:
    """Return evenly spaced draws, as many as can be evaluated in about a second.

    Parameters
    ----------
    draws : ndarray of shape (n, K)
        Chains pooled, one after another.
    """
    size = int(np.clip(_WORK // max(1, plan_of(tableau).arrays.constraint.size), _FEWEST, _MOST))
    chosen = np.linspace(0, len(draws) - 1, min(size, len(draws))).round().astype(int)
    thinned: np.ndarray = draws[chosen]
    return thinned


def predict_from_draws(
    tableau: Tableau,
    draws: np.ndarray,
    noise: float,
    total: int | None = None,
    *,
    seed: int = 0,
    leave_out: Sequence[int] = (),
) -> Predicted:
    """Return the predictive distribution of draws, and the best of them.

    Parameters
    ----------
    tableau, total
        As for :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.
    draws : ndarray of shape (n, K)
        Thin them with :func:`spread_out` first: each one is evaluated.
    noise
        Evaluation noise.
    seed
        Of the sampling, if an input is too large for exact probabilities.
    leave_out
        As for :func:`log_likelihoods`.
    """
    probability = predict_many(tableau, draws, noise, seed=seed)
    scores = log_likelihoods(tableau, probability, total, leave_out)
    return summarised(probability, scores, draws)


def summarised(probability: np.ndarray, scores: np.ndarray, draws: np.ndarray) -> Predicted:
    """Return mean, interval and best of probabilities (n, rows), by their log likelihoods (n,)."""
    best = int(np.argmax(scores))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(probability, [tail, 1 - tail], axis=0)
    top, typical = float(scores[best]), float(np.median(scores))
    return Predicted(probability.mean(axis=0), low, high, probability[best], draws[best], top, typical)
