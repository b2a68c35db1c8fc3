"""Results of the learners as values for the page: numbers, histograms, settings.

A result of the lab, of the library (:func:`fit_data`) or of ``otlab learn --json`` (:func:`learnt_data`)
has one form, which the page itself writes too when it saves a result (``js/kept.js``).
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ot.analysis.report import provenance
from otlab.ot.conditions import without_impossible
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.error_driven import ErrorDriven
from otlab.ot.settings import resolve_settings
from otlab.viz.ot.histograms import DrawHistogram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau

__all__ = ["SCHEDULES", "fit_data", "learnt_data", "learnt_from", "read_result"]

SCHEDULES = ("otsoft", "praat", "constant", "geometric", "lin")
"""Presets of the plasticity that the page has."""
_FIELDS = {
    "gibbs": {name: name for name in ("sweeps", "chains", "noise", "bound", "total", "apriori")},
    "gla": {"trials": "sweeps", **{name: name for name in ("runs", "noise", "schedule", "rule", "apriori")}},
    "maxent": {"sign": "weights", "total": "total"},
}  # fields of the page by learner, with the names of their settings
# The values that other settings have in the page.
_FIXED: dict[str, Any] = {
    "variant": "fixed",
    "prior": None,
    "plasticity": None,
    "initial": 100.0,
    "gap": 0.0,
}
_BINS = 48
_TRACE_NUMBERS, _TRACE_ROWS, _TRACE_RUNS = 5000, (20, 100), 5  # at most; rows: fewest and most
_NO_RESULT = Fault("is not a result of “otlab learn --json”, or is damaged", "write it again")


def fit_data(fit: Fit) -> dict[str, Any]:
    """Return a fit as values for JSON: its numbers, and histograms of its draws.

    Examples
    --------
    >>> from otlab.ot import fit_maxent, read
    >>> fit_data(fit_maxent(read("ilokano")))["learner"]
    'maxent'
    """
    data = _learnt_data({**fit.to_dict(), "stopped": not fit.tick.finished}, fit.tableau)
    if fit.posterior is not None:
        draws = fit.posterior.pooled(fit.kind.replace(" ", "_"))
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        histogram = DrawHistogram(draws.shape[1])
        histogram.add(draws)
        edges, counts = histogram.bins(float(draws.min()), float(draws.max()), _BINS)
        data["span"] = [float(edges[0]), float(edges[-1])]
        for column, *own in zip(data["columns"], low.tolist(), high.tolist(), counts.tolist(), strict=True):
            column.update(zip(("low", "high", "bins"), own, strict=True))
    elif fit.kind == "ranking value" and len(fit.views):
        data["runs"] = [np.asarray(view.values).tolist() for view in fit.views if hasattr(view, "values")]
        data["trace"] = _kept_trace(fit)
    return data


def _kept_trace(fit: Fit) -> dict[str, Any] | None:
    """Return some recorded values of the first runs, as ``js/trace.js`` keeps them; None if none."""
    if not isinstance(fit.learner, ErrorDriven):
        return None
    traces = [view.trace for view in fit.views][:_TRACE_RUNS]
    length = min(map(len, traces), default=0)
    if not length:
        return None
    numbers = length * fit.tableau.n_constraints * len(traces)
    most = max(_TRACE_ROWS[0], min(_TRACE_ROWS[1], length * _TRACE_NUMBERS // numbers))
    step = math.ceil(length / most)
    rows = [trace[step - 1 : length : step].round(3).ravel().tolist() for trace in traces]
    return {"total": fit.run.total, "every": fit.learner.record_every * step, "rows": rows}


def read_result(data: bytes, name: str) -> dict[str, Any]:
    """Return the object that ``otlab learn --json`` printed into a file.

    Raises
    ------
    InputError
        If it is something else.
    """
    try:
        result = json.loads(data)
    except ValueError:
        result = None
    if not isinstance(result, dict) or not {"learner", "settings", "seed"} <= set(result):
        raise InputError(replace(_NO_RESULT, file=name))
    return result


def learnt_data(result: Mapping[str, Any], tableau: Tableau) -> dict[str, Any]:
    """Return what ``otlab learn --json`` printed as values for JSON, as the page takes them.

    Parameters
    ----------
    result
        The object that was printed.
    tableau
        What was learnt from; :func:`learnt_from` finds out whether it is.

    Raises
    ------
    InputError
        If part of the result is missing.
    """
    try:
        return _learnt_data(result, tableau)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(_NO_RESULT) from error


def _learnt_data(result: Mapping[str, Any], tableau: Tableau) -> dict[str, Any]:
    name, parameters, made = str(result["learner"]), result["parameters"], result["diagnostics"]
    settings = {key: value for key, value in result["settings"].items() if key != "file"}
    entry = LEARNERS.get(name)
    fields = _fields(name, settings)
    fixed = {key: value for key, value in _FIXED.items() if (name, key) != ("maxent", "prior")}
    columns = [
        {key: _number(parameters[key][i]) for key in ("mean", "sd", "median")}
        for i in range(tableau.n_constraints)
    ]
    return {
        "learner": name,
        "label": entry.label if entry else name,
        "hue": entry.hue if entry else "other",
        "kind": str(parameters["kind"]),
        "seed": result["seed"],
        "settings": provenance(settings, result["seed"]),
        "fields": fields,
        "again": bool(fields) and all(settings.get(key, value) == value for key, value in fixed.items()),
        "noise": resolve_settings(tableau, settings.get("noise") or None).noise,
        "columns": columns,
        "trust": {
            key: list(map(_number, made[of]))
            for key, of in (("rhat", "rhat"), ("ess", "ess"), ("essSquares", "ess_squares"))
        }
        if any(map(_known, made["rhat"]))
        else None,
        "predicted": [
            {key: _number(row[key]) for key in ("mean", "low", "high")} for row in result["predictions"]
        ],
        "logLikelihood": _number(result["log_likelihood"]),
        "remarks": [str(words) for words in made["warnings"]],
        "finished": not result.get("stopped", False),
    }


def learnt_from(result: Mapping[str, Any], tableau: Tableau) -> Tableau:
    """Return the tableau that a result was learnt from: this one, or this without what can never win.

    Raises
    ------
    InputError
        If names or counts of the tableau are others than those of the result.
    """
    try:
        rows = [(row["input"], row["candidate"]) for row in result["predictions"]]
        observed = np.array([_nan(row["observed"]) for row in result["predictions"]])
        names = list(result["constraints"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(_NO_RESULT) from error
    hint = "name the table that it was learnt from, behind the result"
    if names != list(tableau.constraints):
        strange = next((name for name in names if name not in tableau.constraints), "")
        more = did_you_mean(strange, tableau.constraints) if strange else hint
        raise InputError(Fault("it was learnt with other constraints", more, tableau.name))
    if rows != [
        (tableau.inputs[k], candidate)
        for k, candidate in zip(tableau.input_of_row, tableau.candidates, strict=True)
    ]:
        raise InputError(Fault("it was learnt from other candidates", hint, tableau.name))
    for own in (tableau, without_impossible(tableau)):
        if np.allclose(own.observed(), observed, equal_nan=True):
            return own
    raise InputError(Fault("it was learnt from other counts", "learn again", tableau.name))


def _fields(name: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of the page with which it learns the same; none if it cannot."""
    values = {field: settings.get(setting) for field, setting in _FIELDS.get(name, {}).items()}
    if name == "maxent":
        prior = settings["prior"] or {"mean": [], "sd": [None]}
        if any(prior["mean"]) or len(set(prior["sd"])) != 1:
            return {}
        values["sd"] = prior["sd"][0]
    if values.get("schedule", SCHEDULES[0]) not in SCHEDULES:
        return {}
    return {field: _typed(value) for field, value in values.items()}


def _typed(value: Any) -> str:
    """Return a setting as it is typed."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(f"{higher} >> {lower}" for higher, lower in value)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _known(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _nan(value: Any) -> float:
    return math.nan if value is None else float(value)


def _number(value: Any) -> float | None:
    """Return a number as JSON has it: null if it is not finite."""
    return float(value) if _known(value) else None
