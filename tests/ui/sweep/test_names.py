"""The names of settings in labs and in sweeps: one table for both directions."""

from __future__ import annotations

from importlib import import_module

import pytest

from otlab.sweep.systems import SYSTEMS, parameters
from otlab.ui.sweep.names import ROUTES, lab_names, sweep_settings

SETTINGS = {
    "ot": "otlab.ui.ot.settings lab_settings",
    "tagging": "otlab.ui.tagging.settings lab_settings",
    "mg": "otlab.ui.mg.settings MGSettings",
    "discovery": "otlab.ui.lexicon.settings LexiconLabSettings",
}
LEARNERS = [(system, learner) for system in ROUTES for learner in SYSTEMS[system].learners]


@pytest.mark.parametrize(("system", "learner"), LEARNERS)
def test_each_name_leads_to_a_field_of_the_lab_and_back(system, learner):
    module, make = SETTINGS[system].split()
    fields = getattr(import_module(module), make)().param
    known = parameters(system, learner)
    names = {name: own for name, own in lab_names(system, learner).items() if name in known}
    assert names
    assert set(names.values()) <= set(fields)
    values = {own: number for number, own in enumerate(names.values())}
    assert sweep_settings(system, learner, {**values, "seed": -1, "runs of another": -2}) == {
        name: values[own] for name, own in names.items()
    }
