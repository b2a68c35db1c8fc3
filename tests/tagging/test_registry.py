"""A further learner is one class and one line of the registry: command line and lab then have it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from otlab.cli import main
from otlab.inference import fit, run
from otlab.inference.registry import LearnerEntry
from otlab.tagging import LEARNERS, VB, fit_vb, make_learner, simulate_hmm
from otlab.tagging.learners.vb import VBSettings
from otlab.ui.tagging.lab import TaggingLab


@dataclass(frozen=True, eq=False)
class Toy(VB):
    """Variational Bayes under another name."""

    name: ClassVar[str] = "toy"


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(LEARNERS, "toy", LearnerEntry("toy", Toy.of, "Toy", "iteration", VBSettings))


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(500, 1, tags=3, types=40)


@pytest.mark.parametrize("name", LEARNERS)
def test_an_entry_makes_its_learner_with_the_defaults_of_the_class(name, corpus):
    entry = LEARNERS[name]
    learner = entry.make(corpus, entry.settings(states=4))
    assert (learner.name, learner.states) == (name, 4)
    assert vars(learner) == vars(type(learner)(corpus, states=4))


def test_a_further_learner_runs_on_the_command_line(toy, tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("the/DT dog/NN barks/VBZ\na/DT cat/NN sleeps/VBZ\n" * 5, encoding="utf-8")
    options = [str(path), "--states", "3", "--iterations", "4", "--seed", "1", "--emission-prior", "0.3"]
    runs = []
    for name in ("toy", "vb"):
        assert main(["tag", *options, "--learner", name, "--json"]) == 0
        runs.append(json.loads(capsys.readouterr().out)["runs"][0]["objective"])
    assert runs[0] == runs[1]


def test_a_further_learner_has_a_row_in_the_lab(toy, corpus):
    lab = TaggingLab(corpus)
    try:
        lab.settings.param.update(iterations=5, runs=2, states=4, precision="f64", seed=3)
        lab.runner.enable({"toy"})
        lab.runner.run()
        assert lab.runner.wait(60)
        result = lab.results["toy"]
        chosen = {"emission_prior": lab.settings.emission_prior, "init": lab.settings.start}
        fitted = fit_vb(corpus, states=4, iterations=5, chains=2, seed=3, **chosen)
        for view, other in zip(result.views, fitted.views, strict=True):
            assert np.array_equal(view.objective, other.objective)
        assert result.label == "Toy"
        assert lab.runner.report is not None
    finally:
        lab.close()


def test_a_fit_has_a_tagger_for_each_chain_and_says_which_is_best(corpus):
    fitted = fit(make_learner("vb", corpus, states=4), steps=8, chains=3, seed=5)
    last = [view.objective[-1] for view in fitted.views]
    assert fitted.best() == int(np.argmin(last))
    assert fitted.best(lambda view: view.objective[-1]) == int(np.argmax(last))
    for chain, seed in enumerate(fitted.seeds):
        alone = run(make_learner("vb", corpus, states=4), sweeps=8, seed=seed).finish().view
        assert np.array_equal(fitted.views[chain].objective, alone.objective)
        assert np.array_equal(fitted.model_of(chain).label(corpus), alone.labels)
        assert fitted.model_of(chain).seed == seed
    assert list(fitted.summary().columns[:3]) == ["seed", "steps", "objective"]
    assert [row["seed"] for row in fitted.to_dict()["runs"]] == list(fitted.seeds)
