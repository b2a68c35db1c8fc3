"""What the labs call the settings of a sweep: one table, read in both directions.

A run of a sweep opens in its lab (:func:`lab_names`), and the runs of a lab are written as a sweep
(:func:`sweep_settings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.sweep.systems import parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OF_LEARNER", "ROUTES", "lab_names", "sweep_settings"]

ROUTES = {"ot": "ot_lab", "tagging": "tagging_lab", "mg": "mg_lab", "discovery": "lexicon_lab"}
"""The page of each system's lab."""
_SAME = {
    "ot": "sweeps chains runs total noise bound variant schedule rule markedness_plasticity "
    "faithfulness_plasticity weights",
    "tagging": "states iterations emission_prior transition_prior jitter precision decode",
    "mg": "alpha restarts iterations",
    "discovery": "iterations restarts start",
}
_OTHERS = {"tagging": {"init": "start"}, "mg": {"init": "start"}}
OF_LEARNER = {
    ("ot", "gla"): {"sweeps": "trials"},
    ("ot", "hg"): {"sweeps": "trials"},
    ("ot", "rip"): {"sweeps": "trials"},
    ("ot", "rrip"): {"sweeps": "trials"},
    ("ot", "eip"): {"sweeps": "trials"},
    ("ot", "hg-overt"): {"sweeps": "trials"},
    ("ot", "edl"): {"sweeps": "edl_iterations", "runs": "edl_runs", "samples": "edl_samples"},
    ("ot", "edl-online"): {
        "sweeps": "edl_trials",
        "runs": "edl_runs",
        "samples": "edl_samples",
        "rate": "edl_rate",
    },
    ("ot", "maxent-overt"): {
        "prior_sd": "weight_sd",
        "starts": "optimisations",
        "until_reproduced": "until_reproduced",
    },
    ("ot", "maxent-online"): {"sweeps": "trials", "prior_sd": "weight_sd"},
    ("ot", "maxent"): {"prior_sd": "weight_sd"},
    ("ot", "maxent-bayes"): {"prior_sd": "weight_sd"},
    ("ot", "maxent-mixed"): {"prior_sd": "weight_sd"},
    ("ot", "hg-mixed"): {"prior_sd": "weight_sd"},
    ("mg", "gibbs"): {"iterations": "sweeps", "restarts": "chains"},
}
"""(system, learner) -> name in a sweep -> name in the lab, where a learner's differ from the others'."""


def lab_names(system: str, learner: str) -> dict[str, str]:
    """Return the lab's name of each setting of a sweep; what is missing, a link to the lab cannot hold.

    >>> lab_names("mg", "gibbs")["iterations"]
    'sweeps'
    """
    names = {name: name for name in _SAME[system].split()} | _OTHERS.get(system, {})
    return names | OF_LEARNER.get((system, learner), {})


def sweep_settings(system: str, learner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a lab's values that a learner has in a sweep, by their names there.

    >>> sweep_settings("tagging", "em", {"states": 50, "start": "jitter", "emission_prior": 0.1})
    {'states': 50, 'init': 'jitter'}
    """
    known = parameters(system, learner)
    names = {own: name for name, own in lab_names(system, learner).items() if name in known}
    return {names[own]: value for own, value in values.items() if own in names}
