"""Compare models on the same data: the best grammar of each, and observations that it does not fit.

::

    compare(tableau) -> Comparison
        .models      a ModelResult per model, as asked for
            .model .label                       "sot", "Stochastic OT"
            .log_likelihood .parameters         of the model's best grammar; number of free parameters
            .aic .aicc .bic                     the smaller the better
            .elpd_loo .elpd_se .pareto_k        leave-one-out by PSIS; NaN without a posterior (hg, partial)
            .maximised                          whether no grammar of the model has a higher likelihood
            .cross_validated                    log likelihood of held-out inputs; NaN without folds
            .probability                        of each candidate, float64 (rows,)
            .misfits                            a Misfit per candidate, the largest difference first
            .unfitted                           those that the best grammar does not fit
            .note                               a caveat about the result; "" if none
        .saturated_log_likelihood .observations
        .to_pandas()  one row per model         .to_dict()  as ``otlab compare --json`` prints it
        .words()      a summary in sentences

=========  ============================================  ====================================
model      its best grammar                              free parameters
=========  ============================================  ====================================
sot        maximum of the exact likelihood               constraints less 1
maxent     maximum of the likelihood, or with a prior    constraints
hg         the best of several runs of Noisy HG          constraints
partial    a partial order (Anttila 1997)                ranked pairs
=========  ============================================  ====================================

For every model, log likelihoods are those of classes of candidates: candidates with the same violations
count as one. Where what is heard has several parses, they are those of overt forms, each the sum over its
parses, and misfits are overt forms. With k free parameters and n observations, AIC = 2k - 2 ll,
AICc = AIC + 2k(k + 1)/(n - k - 1) and BIC = k ln n - 2 ll. Leave-one-out predicts single
observations (:mod:`otlab.ot.analysis.leave_one_out`); equal observations have equal terms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from otlab.errors import InputError, counted, did_you_mean
from otlab.inference.random import fresh_seed
from otlab.inference.run import check_interrupt, report_preparation
from otlab.ot.analysis.leave_one_out import leave_one_out, of_each_draw
from otlab.ot.analysis.outcomes import Outcomes
from otlab.ot.analysis.partial_orders import fit_partial_order
from otlab.ot.conditions import impossible_words, without_impossible
from otlab.ot.formatting import bracketed
from otlab.ot.learners.exact import fit_exact
from otlab.ot.learners.hg import fit_hg
from otlab.ot.learners.hg_overt import fit_hg_overt
from otlab.ot.learners.maxent import fit_maxent
from otlab.ot.learners.maxent_bayes import fit_maxent_bayes
from otlab.ot.learners.maxent_overt import fit_maxent_overt
from otlab.ot.learners.mle import fit_mle
from otlab.ot.learners.priors import equal_prior
from otlab.ot.overt import parses_unknown
from otlab.ot.probability import predict, predict_many
from otlab.ot.settings import resolve_settings, with_total

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from otlab.ot.learners.maxent import Weights
    from otlab.ot.tableau import Tableau

__all__ = ["MODELS", "Comparison", "Misfit", "ModelResult", "aicc", "compare", "p_value"]

MISSED = 0.01  # differences from the observed frequency up to this are attributed to rounding
WORST = 5
EXPLAINED = 0.05  # p-values above this do not count against the model
SAME = 0.005  # two AICc that differ by less are equal
HELD_OUT_PRIOR_SD = 10.0
_SWEEPS = 2000
_UNSETTLED = "its posterior has not converged, do not use its leave-one-out"


def p_value(chance: float) -> str:
    """Return a p-value as it is printed: ``"p = 0.12"`` or ``"p < 0.001"``."""
    return "p < 0.001" if chance < 0.001 else f"p = {chance:.2g}"


@dataclass(frozen=True)
class Misfit:
    """One candidate under one model.

    Attributes
    ----------
    input, candidate
        Names of the input and the candidate, or of the overt form where parses are not known.
    observed, predicted
        Relative frequency within the input, and predicted probability: the posterior mean or, without
        a posterior, that of the best grammar.
    at_best
        Probability under the best grammar.
    chance
        Two-sided p-value: the probability, if the model is right, of a count at least as far from the
        expected one; posterior predictive if there is a posterior.
    """

    input: str
    candidate: str
    observed: float
    predicted: float
    at_best: float
    chance: float

    @property
    def p_value(self) -> str:
        """The p-value as it is printed: ``"p = 0.12"`` or ``"p < 0.001"``."""
        return p_value(self.chance)


@dataclass(frozen=True, eq=False)
class ModelResult:
    """One model on the data; the module lists the attributes."""

    model: str
    label: str
    log_likelihood: float
    parameters: int
    aic: float
    aicc: float
    bic: float
    elpd_loo: float
    elpd_se: float
    pareto_k: float
    cross_validated: float
    probability: NDArray[np.float64]
    misfits: tuple[Misfit, ...]
    note: str
    maximised: bool = False

    @property
    def unfitted(self) -> tuple[Misfit, ...]:
        """The candidates whose observed frequency differs by more than .01 from the best grammar's."""
        return tuple(m for m in self.misfits if abs(m.observed - m.at_best) > MISSED)

    def words(self) -> str:
        """Return a sentence about candidates that no grammar of the model fits."""
        by_input: dict[str, Misfit] = {}
        for m in sorted(self.unfitted, key=lambda m: round(m.observed - m.at_best, 4)):
            by_input.setdefault(m.input, m)  # of each input, the candidate that is most overpredicted
        if not by_input:
            return f"{self.label} fits every frequency."
        named = "; ".join(
            f"{bracketed(m.candidate)} {m.observed:.3g} observed, {m.at_best:.3g} at best ({m.p_value})"
            for m in list(by_input.values())[:WORST]
        )
        more = len(by_input) - WORST
        named += f"; and {more} more" if more > 0 else ""
        if self.maximised:
            return f"No {self.label} grammar fits this exactly: {named}."
        if all(m.chance > EXPLAINED for m in self.unfitted):
            m = self.unfitted[0]  # the largest difference
            numbers = f"{m.observed:.3g} observed, {m.at_best:.3g} at best ({m.p_value})"
            form = bracketed(m.candidate)
            return f"{self.label} fits within chance: its largest difference is {form}, {numbers}."
        if self.model == "partial":
            return f"No partial order was found that fits this: {named}."
        return f"No {self.label} grammar was found that fits this: {named}."

    def to_dict(self) -> dict[str, Any]:
        """Return the model as ``otlab compare --json`` prints it."""
        keys = ("model", "label", "log_likelihood", "parameters", "aic", "aicc", "bic")
        loo = ("elpd_loo", "elpd_se", "pareto_k", "cross_validated", "note")
        worst = [vars(m) for m in self.misfits[:WORST]]
        return {key: getattr(self, key) for key in (*keys, *loo)} | {
            "worst": worst,
            "unfitted": [[m.input, m.candidate] for m in self.unfitted],
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several models on one dataset; the module lists the attributes."""

    tableau: Tableau
    models: tuple[ModelResult, ...]
    observations: int
    saturated_log_likelihood: float
    seed: int
    settings: dict[str, Any]

    def __repr__(self) -> str:
        names = ", ".join(model.model for model in self.models)
        return f"<Comparison of {names} on {self.tableau.name or 'a tableau'}, seed {self.seed}>"

    def __getitem__(self, model: str) -> ModelResult:
        return {result.model: result for result in self.models}[model]

    def words(self) -> str:
        """Return a summary: what each model does not fit, and which one the criteria prefer."""
        sentences = [model.words() for model in self.models if model.unfitted]
        fit = [model.label for model in self.models if not model.unfitted]
        if fit:
            names = f"{', '.join(fit[:-1])} and {fit[-1]} fit" if fit[1:] else f"{fit[0]} fits"
            sentences.insert(0, f"{names} every frequency.")
        known = [model for model in self.models if math.isfinite(model.aicc)]
        if len(known) > 1:
            best, second = sorted(known, key=lambda model: model.aicc)[:2]
            less = second.aicc - best.aicc
            if less < SAME:
                sentences.append(f"{best.label} and {second.label} have the same AICc, the smallest.")
            else:
                sentences.append(f"{best.label} has the smallest AICc, {less:.3g} below {second.label}.")
        return " ".join(sentences)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row per model."""
        import pandas as pd

        columns = ("log_likelihood", "parameters", "aic", "aicc", "bic", "elpd_loo", "elpd_se")
        rows = {model.label: [getattr(model, c) for c in columns] for model in self.models}
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(columns))
        return frame.rename_axis("model")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as ``otlab compare --json`` prints it."""
        return {
            "models": [model.to_dict() for model in self.models],
            "observations": self.observations,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "words": self.words(),
            "seed": self.seed,
            "settings": self.settings,
        }


class Options(NamedTuple):
    """Settings with which every model is fitted."""

    noise: float
    weights: Weights
    prior_sd: float | None
    seed: int
    posterior: bool


class Best(NamedTuple):
    """A model's best grammar: candidates' probabilities, under it and under draws of a posterior."""

    probability: NDArray[np.float64]
    parameters: int
    draws: NDArray[np.float64] | None = None  # (chains, draws, rows)
    note: str = ""
    maximised: bool = False


def _stochastic_ot(tableau: Tableau, options: Options) -> Best:
    prior = None if options.prior_sd is None else equal_prior(tableau, options.prior_sd * options.noise)
    possible = without_impossible(tableau)
    if possible is not tableau:
        note = "; ".join(impossible_words(tableau))
        if not possible.frequencies.any():
            level = predict(tableau, np.zeros(tableau.n_constraints), options.noise, seed=0).probability
            return Best(level, tableau.n_constraints - 1, note=note, maximised=True)
        return _stochastic_ot(possible, options)._replace(note=note, draws=None)
    most = fit_mle(tableau, noise=options.noise, prior=prior, seed=options.seed)
    draws, notes = None, list(most.warnings)
    if options.posterior:
        fitted = fit_exact(
            tableau, sweeps=_SWEEPS, chains=2, seed=options.seed, noise=options.noise, prior=prior
        )
        values = fitted.posterior.draws["ranking_value"] if fitted.posterior else np.empty((0, 0, 0))
        draws = of_each_draw(values, lambda some: predict_many(tableau, some, options.noise, seed=0))
        notes += [] if fitted.converged else [_UNSETTLED]
    return Best(most.predicted.at_best, tableau.n_constraints - 1, draws, "; ".join(notes), prior is None)


def _maxent(tableau: Tableau, options: Options) -> Best:
    prior = None if options.prior_sd is None else equal_prior(tableau, options.prior_sd)
    fit_weights = fit_maxent_overt if parses_unknown(tableau) else fit_maxent
    fitted = fit_weights(tableau, weights=options.weights, prior=prior, seed=options.seed)
    draws, notes = None, list(fitted.warnings)
    if options.posterior:
        sampled = fit_maxent_bayes(
            tableau, sweeps=_SWEEPS, chains=2, seed=options.seed, prior=prior, weights=options.weights
        )
        grammar: Any = fitted.learner
        weights = sampled.posterior.draws["weight"] if sampled.posterior else np.empty((0, 0, 0))
        draws = of_each_draw(weights, grammar.probabilities)
        notes += [] if sampled.converged else [_UNSETTLED]
    return Best(fitted.predicted.at_best, tableau.n_constraints, draws, "; ".join(notes), prior is None)


def _noisy_hg(tableau: Tableau, options: Options) -> Best:
    fit_weights = fit_hg_overt if parses_unknown(tableau) else fit_hg
    fitted = fit_weights(tableau, noise=options.noise, weights=options.weights, runs=5, seed=options.seed)
    note = "the best of five runs of the learner, which need not be the maximum"
    return Best(fitted.predicted.at_best, tableau.n_constraints, None, note)


def _partial_order(tableau: Tableau, options: Options) -> Best:
    result = fit_partial_order(tableau)
    order = ", ".join(f"{higher} >> {lower}" for higher, lower in result.pairs)
    return Best(result.probability, len(result.pairs), None, order or "no constraint ranked above another")


MODELS: dict[str, tuple[str, Callable[[Tableau, Options], Best]]] = {
    "sot": ("Stochastic OT", _stochastic_ot),
    "maxent": ("MaxEnt", _maxent),
    "hg": ("Noisy HG", _noisy_hg),
    "partial": ("Partial order", _partial_order),
}


def compare(
    tableau: Tableau,
    models: Sequence[str] = tuple(MODELS),
    *,
    noise: float | None = None,
    total: int | None = None,
    weights: Weights = "nonnegative",
    prior_sd: float | None = None,
    folds: int = 0,
    posterior: bool = True,
    seed: int | None = None,
) -> Comparison:
    """Return the comparison of several models on the same data.

    Parameters
    ----------
    tableau, total
        As in :meth:`Tableau.counts <otlab.ot.tableau.Tableau.counts>`.
    models
        Names of models, from :data:`MODELS`.
    noise
        Evaluation noise of Stochastic OT and Noisy HG; the tableau's, else 2.
    weights
        Sign of the weights of MaxEnt and Noisy HG.
    prior_sd
        Standard deviation of a normal prior around 0, of MaxEnt's weights, and of the ranking values of
        Stochastic OT in units of the noise; the other models have no prior. If None, the likelihood alone
        is maximised, and posteriors have their default priors: flat within the bound for ranking values,
        and sd 10 for weights.
    folds
        Number of parts into which the inputs are divided for cross-validation, or 0. Each part is
        predicted from the others, with a prior of sd 10 unless one is given.
    posterior
        Whether to sample posteriors, for leave-one-out and the chances of misfits.
    seed
        Root seed of all random numbers; a fresh seed if None.

    Raises
    ------
    InputError
        If a model is unknown or none is asked for, no candidate has a frequency, or there are
        fewer inputs than folds.
    Interrupted
        If the work was stopped.

    Examples
    --------
    >>> from otlab.ot import read
    >>> compared = compare(read("japanese"), ["sot", "maxent"], posterior=False, seed=1)
    >>> compared.to_pandas()["log_likelihood"].round(1).to_dict()
    {'Stochastic OT': -1124.7, 'MaxEnt': -693.1}
    >>> print(compared.models[0].words())
    No Stochastic OT grammar fits this exactly: [weppu] 0 observed, 0.25 at best (p < 0.001); [guddo] ...
    """
    tableau = with_total(tableau, total)
    _check(tableau, models)
    outcomes = Outcomes(tableau)
    seed = fresh_seed() if seed is None else seed
    options = Options(resolve_settings(tableau, noise).noise, weights, prior_sd, seed, posterior)
    held_out = _folds(outcomes, folds, seed)
    results = []
    for done, name in enumerate(models):
        report_preparation("model", done, len(models))
        check_interrupt()
        results.append(_result(name, outcomes, options, held_out))
    observed = np.nan_to_num(outcomes.tableau.observed())
    saturated = outcomes.log_likelihood(observed, outcomes.counts)
    used = {"models": list(models), "total": tableau.total, "folds": folds, **options._asdict()}
    del used["seed"]
    return Comparison(tableau, tuple(results), int(outcomes.counts.sum()), saturated, seed, used)


def _check(tableau: Tableau, models: Sequence[str]) -> None:
    """Raise InputError for unknown models and data without counts."""
    if unknown := [name for name in models if name not in MODELS]:
        raise InputError(f"no model is called {unknown[0]!r}; {did_you_mean(unknown[0], list(MODELS))}")
    if not models:
        raise InputError(f"no model to compare; name some of {', '.join(MODELS)}")
    if not tableau.counts().any():
        raise InputError("no candidate has a frequency; count at least one")


def _result(
    name: str,
    outcomes: Outcomes,
    options: Options,
    held_out: list[NDArray[np.int64]],
) -> ModelResult:
    label, fit_best = MODELS[name]
    best, counts = fit_best(outcomes.source, options), outcomes.counts
    probability = outcomes.probability(best.probability)
    draws = None if best.draws is None else outcomes.probability(best.draws)
    likelihood, k, n = outcomes.log_likelihood(probability, counts), best.parameters, int(counts.sum())
    aic = 2 * k - 2 * likelihood
    elpd, error, shape = math.nan, math.nan, math.nan
    if draws is not None:
        observed = np.flatnonzero(counts)
        by_class = outcomes.likelihoods(draws)[..., observed]
        elpd, error, shape = leave_one_out(np.log(np.maximum(by_class, 1e-300)), counts[observed])
    return ModelResult(
        model=name,
        label=label,
        log_likelihood=likelihood,
        parameters=k,
        aic=aic,
        aicc=aicc(likelihood, k, n),
        bic=k * math.log(n) - 2 * likelihood,
        elpd_loo=elpd,
        elpd_se=error,
        pareto_k=shape,
        cross_validated=_cross_validated(outcomes, fit_best, options, held_out),
        probability=best.probability,
        misfits=_misfits(outcomes, probability, draws),
        note=best.note,
        maximised=best.maximised,
    )


def aicc(log_likelihood: float, k: int, n: int) -> float:
    """Return AICc of k parameters and n observations; NaN if there are no more than k + 1."""
    if n <= k + 1:
        return math.nan
    return 2 * k - 2 * log_likelihood + 2 * k * (k + 1) / (n - k - 1)


def _misfits(
    outcomes: Outcomes, probability: NDArray[np.float64], each: NDArray[np.float64] | None
) -> tuple[Misfit, ...]:
    """Return all outcomes of inputs with data, those with the largest differences first."""
    tableau, counts = outcomes.tableau, outcomes.counts
    observed = tableau.observed()
    input_total = np.add.reduceat(counts, tableau.offsets[:-1])[tableau.input_of_row]
    draws = probability[None] if each is None else each.reshape(-1, tableau.n_rows)
    draws = np.clip(draws, 0.0, 1.0)
    from scipy.stats import binom  # its import takes half a second

    below = np.asarray(binom.cdf(counts, input_total, draws)).mean(axis=0)
    above = np.asarray(binom.sf(counts - 1, input_total, draws)).mean(axis=0)
    chance = np.minimum(1.0, 2 * np.minimum(below, above))
    misfits = [
        Misfit(
            tableau.inputs[k],
            tableau.candidates[row],
            float(observed[row]),
            float(draws[:, row].mean()),
            float(probability[row]),
            float(chance[row]),
        )
        for row, k in enumerate(tableau.input_of_row.tolist())
        if input_total[row]
    ]
    # Rounded, so that equal differences stay in the table's order on every processor.
    return tuple(sorted(misfits, key=lambda m: -round(abs(m.observed - m.at_best), 4)))


def _folds(outcomes: Outcomes, folds: int, seed: int) -> list[NDArray[np.int64]]:
    """Return the inputs of each part; empty without cross-validation."""
    if folds == 0:
        return []
    inputs = np.flatnonzero(np.add.reduceat(outcomes.counts, outcomes.tableau.offsets[:-1]))
    size = counted(len(inputs), "input")
    if not 2 <= folds <= len(inputs):
        raise InputError(f"{counted(folds, 'fold')} of {size} with data; give 2 or more, up to that many")
    return np.array_split(np.random.default_rng(seed).permutation(inputs), folds)


def _cross_validated(
    outcomes: Outcomes,
    fit_best: Callable[[Tableau, Options], Best],
    options: Options,
    held_out: list[NDArray[np.int64]],
) -> float:
    """Return the log likelihood of all inputs, each predicted from the other parts; NaN without parts."""
    if not held_out:
        return math.nan
    total, weak = 0.0, HELD_OUT_PRIOR_SD if options.prior_sd is None else options.prior_sd
    options = options._replace(posterior=False, prior_sd=weak)
    for part in held_out:
        check_interrupt()
        out = np.isin(outcomes.source.input_of_row, part)
        left = np.where(out, 0.0, outcomes.source.frequencies)
        kept = replace(outcomes.source, frequencies=left, groups=None)
        probability = outcomes.probability(fit_best(kept, options).probability)
        counts = np.where(np.isin(outcomes.tableau.input_of_row, part), outcomes.counts, 0)
        total += outcomes.log_likelihood(probability, counts)
    return total
