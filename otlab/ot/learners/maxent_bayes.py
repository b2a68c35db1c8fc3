r"""Bayesian MaxEnt: the posterior of the weights of a maximum entropy grammar.

.. math:: p(w \mid n) \propto \prod_c P(c \mid x, w)^{n_c} \prod_i N(w_i; m_i, s_i^2)

It is sampled by the sampler of :mod:`otlab.ot.learners.exact`, Hamiltonian Monte Carlo or a random
walk with covariance and step size learnt in the warm-up. Nonnegative weights are
reflected at 0. The density is log-concave and has one mode; without a prior it may have no
finite mass, so there always is one: mean 0 and sd 10 unless another is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import param

from otlab.errors import InputError, did_you_mean
from otlab.inference import Posterior
from otlab.inference import fit as run_fit
from otlab.inference.diagnostics import assess
from otlab.ot.fitted import fit_of_rows, log_likelihoods, summarised
from otlab.ot.kernels.exact import Target, Weighted
from otlab.ot.learners.draws import (
    convergence_warnings,
    kept_every,
    posterior_of,
    resolve_warmup,
    snapshot,
    usual_thin,
    usual_warmup,
)
from otlab.ot.learners.exact import TunedSampler
from otlab.ot.learners.likelihood import NO_SUMS
from otlab.ot.learners.maxent import MaxEnt
from otlab.ot.learners.maxent_overt import MaxEntOvert
from otlab.ot.learners.priors import equal_prior
from otlab.ot.learners.sampler import GibbsView
from otlab.ot.learners.settings import (
    CHAINS,
    TUNED_SWEEPS,
    Move,
    SamplerSettings,
    TunedSettings,
    WeightSettings,
)
from otlab.ot.overt import overt_forms_of, parses_unknown
from otlab.ot.overt_fitted import overt_fit
from otlab.ot.probability_plan import plan_of
from otlab.ot.settings import resolve_settings, with_total
from otlab.ot.tableau import Tableau

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Run, Tick
    from otlab.ot.fitted import Fit
    from otlab.ot.learners.exact import ExactState
    from otlab.ot.learners.maxent import Weights
    from otlab.ot.learners.priors import NormalPrior

__all__ = ["BayesianMaxEnt", "BayesianMaxEntSettings", "fit_maxent_bayes", "make_maxent_bayes"]

PRIOR_SD = 10.0
_MOST_PREDICTED = 1000


@dataclass(frozen=True, eq=False)
class BayesianMaxEnt(TunedSampler):
    """A sampler of the weights of a MaxEnt grammar.

    Parameters
    ----------
    tableau
        Its frequencies are the observations.
    prior
        Where each weight is expected; mean 0 and sd 10 if None.
    weights
        ``"nonnegative"`` or ``"free"``.
    thin, warmup, move
        As for :class:`~otlab.ot.learners.exact.Exact`.

    Raises
    ------
    InputError
        If a setting makes no sense.
    """

    tableau: Tableau
    prior: NormalPrior | None = None
    weights: Weights = "nonnegative"
    thin: int = 1
    warmup: int | None = None
    move: Move = "hmc"
    name: str = field(default="maxent-bayes", init=False)

    def __post_init__(self) -> None:
        if self.thin < 1:
            raise InputError(f"thin {self.thin}: keep every draw (1) or every n-th (n)")
        if self.move not in get_args(Move):
            raise InputError(f"there is no move {self.move!r}; {did_you_mean(self.move, get_args(Move))}")
        _ = self.grammar  # raises an error for an impossible prior or sign

    @cached_property
    def grammar(self) -> MaxEnt:
        """The grammar whose weights are sampled, with its prior."""
        prior = equal_prior(self.tableau, PRIOR_SD) if self.prior is None else self.prior
        return self._kind(self.tableau, prior=prior, weights=self.weights)

    @cached_property
    def _kind(self) -> type[MaxEnt]:
        """Grammars of overt forms, where which candidate was meant is not known."""
        return MaxEntOvert if parses_unknown(self.tableau) else MaxEnt

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """All directions."""
        return np.eye(self.tableau.n_constraints)

    @cached_property
    def target(self) -> Target:
        """The posterior as the kernels take it."""
        tableau, prior, none = self.tableau, cast("NormalPrior", self.grammar.prior), np.empty(0, np.int64)
        empty = plan_of(Tableau.from_rows([("none", "only", 0, (0,))], ("none",)))
        overt, counts = self._kind is MaxEntOvert, np.zeros(tableau.n_rows)
        of_row = overt_forms_of(tableau).of_row if overt else np.arange(tableau.n_rows)
        form = np.unique(of_row, return_index=True)[1][of_row].astype(np.int64)
        np.add.at(counts, form, self.grammar.counts)
        data = Weighted(tableau.violations.astype(float), tableau.offsets.copy(), counts, form)
        lowest = np.full(tableau.n_constraints, 0.0 if self.weights == "nonnegative" else -np.inf)
        highest, precision = np.full(tableau.n_constraints, np.inf), np.diag(prior.sd**-2.0)
        relations = (empty.arrays, none, np.empty(0), 1.0)
        limits = lowest, highest, prior.mean, precision, none, none
        return Target(*relations, *limits, weighted=data, sums=NO_SUMS, distributed=False)

    def init(self, rng: np.random.Generator) -> ExactState:
        """Return weights scattered about the mode, with step sizes from Laplace's approximation."""
        if isinstance(self.grammar, MaxEntOvert):  # it may have several modes: chains start at any
            return self._started_anywhere(self.grammar, rng)
        most = self.grammar.init(rng).path[-1]
        covariance = np.linalg.inv(self.grammar.curvature(most))
        values = most + 2 * np.linalg.cholesky(covariance) @ rng.standard_normal(most.size)
        if self.weights == "nonnegative":
            values = np.abs(values)
        return self.started(values, covariance)

    def _started_anywhere(self, grammar: MaxEntOvert, rng: np.random.Generator) -> ExactState:
        """Return weights at the end of an optimisation from random ones."""
        values = grammar.random_optimum(rng)
        sharpness, directions = np.linalg.eigh(grammar.curvature(values))
        least = cast("NormalPrior", grammar.prior).sd.max() ** -2.0
        return self.started(values, (directions / np.maximum(sharpness, least)) @ directions.T)

    def view(self, state: ExactState) -> GibbsView:
        """Return the draws so far."""
        draws = snapshot(state.draws, state.sweep // self.thin)
        return GibbsView(state.sweep, state.values.copy(), draws)

    def finished(self, state: ExactState) -> bool:
        """Return False: sampling can always continue."""
        return False

    def posterior(self, run: Run[Any, GibbsView], tick: Tick[GibbsView]) -> Posterior:
        """Return the draws of a run so far, those of the warm-up left out."""
        warmup = usual_warmup(run.total) if self.warmup is None else self.warmup
        return posterior_of(run, tick, "weight", warmup, self._settings_of(run, warmup))

    def conclude(self, run: Run[Any, GibbsView], tick: Tick[GibbsView], *, stopped: bool = False) -> Fit:
        """Return the estimates, predictions and warnings of a run so far."""
        posterior, tableau = self.posterior(run, tick), self.tableau
        trust, pooled = assess(posterior.draws["weight"]), posterior.pooled("weight")
        chosen = np.linspace(0, len(pooled) - 1, min(_MOST_PREDICTED, len(pooled))).round().astype(int)
        probability = self.grammar.probabilities(pooled[chosen])
        total = resolve_settings(tableau).total
        scores = log_likelihoods(tableau, probability, total, by_class=False)
        fit = fit_of_rows(
            run,
            tick,
            pooled,
            stopped=stopped,
            kind="weight",
            predicted=summarised(probability, scores, pooled[chosen]),
            trust=trust,
            multimodal=False,
            used=dict(posterior.settings),
            remarks=tuple(convergence_warnings(trust)),
            converged=trust.verdict in ("Converged", "Keep running"),
            posterior=posterior,
        )
        if not isinstance(self.grammar, MaxEntOvert):
            return fit
        medians = [np.median(chain, axis=0) for chain in posterior.draws["weight"]]
        share = [self.grammar.reproduced(weights) for weights in medians]
        return overt_fit(fit, pooled[chosen], share=share, probabilities=probability)

    def _settings_of(self, run: Run[Any, Any], warmup: int) -> dict[str, Any]:
        prior = cast("NormalPrior", self.grammar.prior)
        return {
            "weights": self.weights,
            "total": resolve_settings(self.tableau).total,
            "prior": {"mean": prior.mean.tolist(), "sd": prior.sd.tolist()},
            "move": self.move,
            "sweeps": run.total,
            "warmup": warmup,
            "chains": run.chains,
            "thin": kept_every(self.thin, run.total),
        }


class BayesianMaxEntSettings(TunedSettings, WeightSettings, SamplerSettings):
    """Settings of a run of Bayesian MaxEnt; None means the file's value, else the default."""

    prior_sd = param.Number(
        None,
        bounds=(0, None),
        inclusive_bounds=(False, False),
        allow_None=True,
        doc=f"Standard deviation of a normal prior with mean 0, for every constraint (default: {PRIOR_SD:g})",
    )


def make_maxent_bayes(tableau: Tableau, settings: BayesianMaxEntSettings) -> BayesianMaxEnt:
    """Return the sampler with these settings."""
    warmup = resolve_warmup(settings.warmup, settings.steps)
    tableau = with_total(tableau, settings.total)
    prior = settings.normal_prior(tableau)
    return BayesianMaxEnt(tableau, prior, settings.weights, usual_thin(settings.steps), warmup, settings.move)


def fit_maxent_bayes(
    tableau: Tableau,
    *,
    sweeps: int = TUNED_SWEEPS,
    warmup: int | None = None,
    chains: int = CHAINS,
    seed: int | None = None,
    prior: NormalPrior | None = None,
    weights: Weights = "nonnegative",
    move: Move = "hmc",
    threads: int | None = None,
) -> Fit:
    """Return the posterior of the weights of a MaxEnt grammar.

    Parameters
    ----------
    tableau, sweeps, warmup, chains, seed, threads
        As for :func:`~otlab.ot.learners.exact.fit_exact`.
    prior, weights, move
        As for :class:`BayesianMaxEnt`.

    Raises
    ------
    InputError
        As :class:`BayesianMaxEnt`.

    Examples
    --------
    >>> from otlab.ot import read
    >>> fit_maxent_bayes(read("ilokano"), sweeps=500, seed=1)
    <Fit by maxent-bayes: 3 weights from ilokano_reduplication, seed 1>
    """
    warmup = resolve_warmup(warmup, sweeps)
    learner = BayesianMaxEnt(tableau, prior, weights, usual_thin(sweeps), warmup, move)
    return cast("Fit", run_fit(learner, steps=sweeps, chains=chains, seed=seed, threads=threads))
