"""The runs of the Compare tab as a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError
from otlab.ot.io.apriori import write_apriori
from otlab.ot.io.bias import write_bias
from otlab.ot.io.write import to_csv
from otlab.ot.learners import LEARNERS
from otlab.sweep.write import Part
from otlab.ui.ot.settings import learner_settings
from otlab.ui.sweep.planned import PlannedSweep, shipped_name, unfinished

if TYPE_CHECKING:
    import param

    from otlab.inference import Run
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState
    from otlab.ui.sweep.planned import Content

__all__ = ["compared_sweep"]

_ENDLESS = "Left out: Endless GLA, which has no end."
_REOPENED = "Run before the document was opened: these are the settings of the run panel as they are now."


def compared_sweep(state: OTState) -> PlannedSweep:
    """Return the runs that are shown; where there are none, those of the learners ticked.

    The chains of a sampler are one run, as they are one posterior on the page; runs of an error-driven
    learner are as many runs, each with a seed of its own.

    Raises
    ------
    InputError
        If nothing has been run and no learner is ticked.
    """
    tableau = state.shown_tableau
    rows = list(state.results) or state.learners
    names = [name for name in LEARNERS if name in rows]
    if not names:
        raise InputError("There are no runs to write down: tick a learner")
    shipped = shipped_name("ot", tableau.name, lambda sample: bool(sample == tableau))
    data = shipped or state.file_name("table", "csv")
    files: dict[str, Content] = {} if shipped else {data: to_csv(tableau).encode()}
    parts = [_part(state, name, tableau, data, files) for name in names]
    return PlannedSweep("ot", tuple(parts), files, (_ENDLESS,) if "endless" in rows else ())


def _part(state: OTState, name: str, tableau: Tableau, data: str, files: dict[str, Content]) -> Part:
    """Return the runs of a learner; the files that its settings name are added to `files`."""
    entry, result = LEARNERS[name], state.results.get(name)
    settings = state.asked.get(name) if result is not None else None
    remarks = () if result is None or settings is not None else (_REOPENED,)
    settings = settings or learner_settings(entry, state.settings, tableau)
    values = _changed(settings)
    part = Part(name, data, state.settings.seed, remarks=remarks)
    if result is not None:
        part = replace(part, seed=result.run.seed, remarks=(*remarks, *unfinished(result.run)))
        values |= _lengths(settings, result.run)
    if "runs" in settings.param:
        part = replace(part, runs=values.pop("runs", settings.param["runs"].default))
        values["runs"] = 1
    return replace(part, settings=_in_files(values, tableau, files, weights="weights" in settings.param))


def _changed(settings: param.Parameterized) -> dict[str, Any]:
    """Return the settings that are not the defaults."""
    values = settings.param.values().items()
    return {name: value for name, value in values if name != "name" and value != settings.param[name].default}


def _lengths(settings: param.Parameterized, run: Run[Any, Any]) -> dict[str, int]:
    """Return length and number of a run's chains, which may have been continued after its end."""
    chains = next((name for name in ("runs", "chains") if name in settings.param), "")
    longer = "sweeps" in settings.param and getattr(settings, "steps", run.total) != run.total
    return ({chains: run.chains} if chains else {}) | ({"sweeps": run.total} if longer else {})


def _in_files(
    values: dict[str, Any], tableau: Tableau, files: dict[str, Content], *, weights: bool
) -> dict[str, Any]:
    """Return settings with the name of a file for priors and rankings of single constraints."""
    prior, apriori = values.get("prior"), values.get("apriori")
    if isinstance(prior, Mapping):
        name = "weight_prior.txt" if weights else "prior.txt"
        files[name] = write_bias(prior).encode()
        values = {key: value for key, value in values.items() if key != "faithfulness_low"} | {"prior": name}
    if isinstance(apriori, tuple):
        files["apriori.txt"] = write_apriori(apriori, tableau).encode()
        values = values | {"apriori": "apriori.txt"}
    return values
