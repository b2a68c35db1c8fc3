"""A further learner is one class and one line of the registry: command line, library and lab then have it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from otlab.cli import main
from otlab.discovery import discover
from otlab.discovery.learners import LEARNERS, MODELS
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.learner import LexiconSettings
from otlab.inference.registry import LearnerEntry
from otlab.samples import load_sample
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.lexicon.settings import LexiconLabSettings


class Toy(BatchVB):
    """Batch VB under another name."""

    name = "toy"


@pytest.fixture
def toy(monkeypatch):
    entry = LearnerEntry("toy", Toy.from_settings, "Toy", "iteration", LexiconSettings)
    for registry in (MODELS, LEARNERS):
        monkeypatch.setitem(registry, "toy", entry)
    # This choice is drawn from the registry when its module is imported, here before the entry was added.
    shown = LexiconLabSettings.param.shown
    before = dict(shown.names)
    shown.objects = {entry.label: name for name, entry in MODELS.items()}
    yield
    # Not by monkeypatch, which reads a view of this list and would make the view the list it is a view of.
    shown.objects = before


def test_the_command_line_runs_it(toy, capsys):
    found = []
    for name in ("toy", "batch"):
        options = ["--learner", name, "--grammar", "word", "--iterations", "4", "--seed", "2", "--json"]
        assert main(["discover", "toy_phones", *options]) == 0
        found.append(json.loads(capsys.readouterr().out)["objective"])
    assert found[0] == found[1]


def test_the_lab_runs_it(toy):
    lab = LexiconLab("toy_phones")
    try:
        lab.settings.param.update(iterations=4, seed=2)
        lab.runner.enable({"toy"})
        lab.runner.run()
        assert lab.runner.wait(60)
        alone = discover(load_sample("toy_phones"), learner="toy", iterations=4, seed=2)
        assert np.array_equal(lab.results["toy"].objective, alone.fitted.view.objective)
    finally:
        lab.close()
