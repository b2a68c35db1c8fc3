"""The address that opens a run of a sweep in its lab: data, settings and seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from otlab.errors import InputError
from otlab.samples import find_sample
from otlab.sweep.systems import parameters

if TYPE_CHECKING:
    from otlab.sweep.spec import RunSpec

__all__ = ["lab_address"]

# What the lab calls a setting of the sweep; a setting that is not here cannot be in a link.
_ROUTES = {"ot": "ot_lab", "tagging": "tagging_lab", "mg": "mg_lab", "discovery": "lexicon_lab"}
_SAME = {
    "ot": "sweeps chains runs total noise bound variant schedule rule markedness_plasticity "
    "faithfulness_plasticity weights",
    "tagging": "states iterations emission_prior transition_prior jitter precision decode",
    "mg": "alpha restarts iterations",
    "discovery": "iterations restarts start",
}
_OTHERS = {"tagging": {"init": "start"}, "mg": {"init": "start"}}
_OF_LEARNER = {
    ("ot", "gla"): {"sweeps": "trials"},
    ("ot", "hg"): {"sweeps": "trials"},
    ("ot", "maxent-online"): {"sweeps": "trials"},
    ("ot", "maxent"): {"prior_sd": "weight_sd"},
    ("mg", "gibbs"): {"iterations": "sweeps", "restarts": "chains"},
}


def lab_address(spec: RunSpec) -> str:
    """Return the address of the lab with the run's data, settings and seed.

    Empty where a link cannot hold them: data that are no sample, a file among the settings, or a
    setting that the lab does not have.
    """
    if spec.system not in _ROUTES or spec.files:
        return ""
    try:
        example = find_sample(spec.data, spec.system)
    except InputError:
        return ""
    if not spec.content.startswith(f"{example.path.name}:"):
        return ""
    names = {name: name for name in _SAME[spec.system].split()} | _OTHERS.get(spec.system, {})
    names |= _OF_LEARNER.get((spec.system, spec.learner), {})
    asked: dict[str, Any] = {"example": example.name, "seed": spec.seed}
    if spec.system == "tagging":
        asked["runs"] = 1
    usual = parameters(spec.system, spec.learner)
    for name, value in spec.settings:
        if name in names and value is not None:
            asked[names[name]] = value
        elif name not in names and value != usual[name].default:
            return ""
    return f"./{_ROUTES[spec.system]}?{urlencode(asked)}"
