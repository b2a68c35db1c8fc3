"""The Compare tab as a sweep: the same runs, of a sample and of an edited table, with all settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.files import json_values
from otlab.inference.random import run_seed
from otlab.ot.learners import LEARNERS
from otlab.ui.ot.constraint_settings import put_apriori
from tests.ui.ot.helpers import finished, view_of
from tests.ui.sweep.helpers import run_download, unpacked
from tests.ui.waiting import until


@pytest.fixture
def tab(shown):
    """The Compare tab of a lab."""
    view_of(shown).go("Compare")
    return view_of(shown).tab("Compare")


def without_times(result):
    """What a fit says, without how fast it was."""
    result = json_values(result)
    del result["diagnostics"]["ess_per_second"]
    return result


def assert_same_runs(lab, runs):
    """Each run is that of the page: a sampler's whole fit, and one by one the runs of other learners."""
    fits, left = lab.state.fits, list(runs)
    for name, fit in fits.items():
        if "runs" not in LEARNERS[name].settings.param:
            run = left.pop(0)
            assert (run.spec.learner, run.spec.seed) == (name, lab.settings.seed)
            assert without_times(run.result) == without_times(fit.to_dict())
            continue
        for number, view in enumerate(fit.tick.views):
            run = left.pop(0)
            assert (run.spec.learner, run.spec.seed) == (name, run_seed(lab.settings.seed, number))
            assert run.result["parameters"]["mean"] == view.values.tolist()
    assert not left


@pytest.mark.slow
def test_learners_of_a_shipped_table_are_the_same_runs(shown, tab, tmp_path):
    finished(shown)
    runs = run_download(tab, tmp_path)
    assert [run.spec.learner for run in runs] == ["gibbs", *["gla"] * 5, "maxent"]
    assert {run.spec.data for run in runs} == {"ilokano_reduplication"}
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
    assert_same_runs(shown, runs)
    predicted = [[each["mean"] for each in run.result["predictions"]] for run in runs[1:6]]
    assert predicted == shown.state.gla.predicted.tolist()


@pytest.mark.slow
def test_an_edited_table_comes_along_with_what_is_set_of_single_constraints(shown, tab, tmp_path):
    tableau = shown.tableau
    shown.tableau = replace(
        tableau, frequencies=tableau.frequencies + np.array([0.5, 3, 0]), title='Mine, "é"'
    )
    first, second, third = shown.tableau.constraints
    shown.settings.param.update(
        sweeps=300, trials=500, runs=2, noise=1.5, prior="normal", prior_sd=7.25, faithfulness_low=2.0,
        prior_means=f"{first}=0.1", weight_sds=f"{second}=2.3", initial_values=f"{third}=99.5",
        plasticities=f"{first}=0.5", rule="weighted-all", variant="published", weight_sd=3.0, seed=11,
    )  # fmt: skip
    put_apriori(shown.settings, [(first, third)])
    shown.runner.enable(set(LEARNERS) - {"mixtures", "unknown-noise", "hg-mixed"})
    finished(shown)
    runs = run_download(tab, tmp_path)
    assert len(list(tmp_path.glob("*.csv"))) == 1
    assert {path.name for path in tmp_path.glob("*.txt")} == {"prior.txt", "weight_prior.txt", "apriori.txt"}
    assert_same_runs(shown, runs)


@pytest.mark.slow
def test_settings_are_those_of_the_last_run(shown, tab, tmp_path):
    finished(shown)
    shown.settings.param.update(noise=5, sweeps=100, runs=1, seed=3)
    text, _ = unpacked(tab, tmp_path)
    assert "seed = 2005\n" in text
    assert "noise = 1.0" in text
    assert "sweeps = 600" in text
    shown.state.load(shown.tableau)
    assert "noise = 5\n" in unpacked(tab, tmp_path)[0]  # nothing is shown: what Run would run


def test_what_a_sweep_has_not_is_named(shown, tab, tmp_path):
    shown.runner.enable({"gla", "endless"})
    text, _ = unpacked(tab, tmp_path)
    assert "# Left out: Endless GLA" in text
    assert 'learner = "endless"' not in text
    shown.settings.trials = 10**9
    shown.runner.enable({"gla"})
    shown.runner.run()

    def begun():
        shown.runner.tick()
        return shown.state.gla is not None and shown.state.gla.tick is not None

    until(begun)
    shown.runner.stop()
    assert shown.runner.wait(60)
    assert "# On the page it had done" in unpacked(tab, tmp_path)[0]


@pytest.mark.slow
def test_runs_of_a_document_that_was_opened_again_say_whose_settings_they_have(shown, tab, tmp_path):
    finished(shown)
    assert "before the document was opened" not in unpacked(tab, tmp_path)[0]
    runs = {name: job.run for name, job in shown.runner.runner.jobs.items()}
    shown.state.expect_runs(shown.state.run_context(), runs)
    shown.runner.runner.restore(runs)
    shown.runner.tick()
    assert "# Run before the document was opened" in unpacked(tab, tmp_path)[0]
