"""Results as the page has them: of fits, and of what the command line printed."""

import json
from itertools import pairwise

import numpy as np
import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.files import json_values
from otlab.ot import fit_gibbs, fit_gla, fit_maxent, read
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.priors import NormalPrior
from otlab.web.page import lab_page
from otlab.web.results import fit_data, learnt_data, learnt_from, read_result


def test_a_posterior_is_kept_as_its_numbers_and_histograms():
    fit = fit_gibbs(read("ilokano"), sweeps=400, chains=2, seed=1)
    data = fit_data(fit)
    draws = fit.posterior.pooled("ranking_value")
    for i, column in enumerate(data["columns"]):
        assert [column[name] for name in ("mean", "sd", "median")] == [
            fit.parameters[name].iloc[i] for name in ("mean", "sd", "median")
        ]
        assert [column["low"], column["high"]] == np.quantile(draws[:, i], [0.025, 0.975]).tolist()
        edges = np.linspace(*data["span"], len(column["bins"]) + 1)
        assert column["bins"] == [
            int(np.sum((draws[:, i] >= a) & (draws[:, i] < b))) for a, b in pairwise(edges)
        ]
        assert sum(column["bins"]) == 720  # 2 chains of 400 sweeps, 40 of them warm-up
    assert data["trust"]["rhat"] == fit.trust.rhat.tolist()
    assert [row["low"] for row in data["predicted"]] == fit.predicted.low.tolist()
    assert data["fields"] == {
        "sweeps": "400",
        "chains": "2",
        "noise": "1",
        "bound": "6",
        "total": "99",
        "apriori": "",
    }
    assert (data["seed"], data["again"], data["finished"]) == (1, True, True)


def test_runs_and_weights_are_kept():
    tableau = read("ilokano")
    fit = fit_gla(tableau, trials=500, runs=3, seed=1, plan="praat")
    data = fit_data(fit)
    assert data["runs"] == [view.values.tolist() for view in fit.views]
    assert data["fields"]["schedule"] == "praat"
    assert data["again"]
    assert not fit_data(fit_gla(tableau, trials=500, runs=1, seed=1, initial=50.0))["again"]
    entry = LEARNERS["maxent"]
    settings = entry.settings(prior_sd=3.0, weights="free")
    found = fit_data(entry.fit(tableau, settings, seed=1))
    assert found["fields"] == {"sign": "free", "total": "99", "sd": "3"}
    assert found["again"]
    assert found["kind"] == "weight"
    assert found["trust"] is None
    flat = fit_data(entry.fit(tableau, entry.settings(weights="free"), seed=1))
    assert flat["fields"] == {"sign": "free", "total": "99", "sd": ""}
    assert flat["again"]


@pytest.mark.parametrize("learner", ["gibbs", "gla", "maxent", "edcd"])
def test_what_the_command_line_prints_has_the_same_numbers(learner, capsys, tmp_path):
    assert main(["learn", "ilokano", "--learner", learner, "--sweeps", "300", "--seed", "2", "--json"]) == 0
    printed = capsys.readouterr().out
    tableau = read("ilokano")
    result = read_result(printed.encode(), "result.json")
    told = learnt_data(result, learnt_from(result, tableau))
    entry = LEARNERS[learner]
    fit = entry.fit(tableau, entry.settings(sweeps=300), seed=2)
    whole = json.loads(json.dumps(json_values(fit_data(fit))))
    for own, other in zip(told["columns"], whole["columns"], strict=True):
        assert own == {name: other[name] for name in own}
    for name in ("fields", "settings", "predicted", "trust", "remarks", "seed", "again", "kind", "noise"):
        assert told[name] == whole[name], name
    # and the page of the command line is that of the library
    (tmp_path / "result.json").write_text(printed, encoding="utf-8")
    assert main(["page", "-o", str(tmp_path / "x.html"), str(tmp_path / "result.json")]) == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page == lab_page(tableau, 2, [told], told["fields"])


def test_a_result_of_another_table_is_refused():
    tableau = read("ilokano")
    printed = json.loads(json.dumps(json_values(fit_maxent(tableau).to_dict())))
    assert learnt_from(printed, tableau) == tableau
    for other, words in [
        (read("spanish"), "other constraints"),
        (tableau.rename_candidate(0, "x"), "other candidates"),
        (tableau.with_frequency(0, 2.0), "other counts"),
    ]:
        with pytest.raises(InputError, match=words):
            learnt_from(printed, other)
    with pytest.raises(InputError, match="is not a result"):
        read_result(b"[1]", "x.json")
    with pytest.raises(InputError, match="is not a result"):
        learnt_data({**printed, "parameters": {}}, tableau)


def test_a_priori_rankings_are_settings_of_the_page():
    fit = fit_gla(read("spanish"), trials=500, runs=1, seed=1, apriori=(("A", "M"), ("M", "D")))
    data = fit_data(fit)
    assert data["fields"]["apriori"] == "A >> M; M >> D"
    assert data["again"]
    assert not fit_data(fit_gla(read("spanish"), trials=500, runs=1, apriori=(("A", "M"),), gap=20.0))[
        "again"
    ]


def test_some_of_a_trace_is_kept():
    tableau = read("spanish")
    fit = fit_gla(tableau, trials=250_000, runs=7, seed=1)
    trace = fit_data(fit)["trace"]
    assert len(trace["rows"]) == 5
    length = len(trace["rows"][0]) // tableau.n_constraints
    assert 20 <= length <= 100
    whole = fit.views[1].trace
    for j in (0, length - 1):
        row = trace["rows"][1][j * tableau.n_constraints : (j + 1) * tableau.n_constraints]
        assert row == whole[(j + 1) * trace["every"] // 1000 - 1].round(3).tolist()
    assert fit_data(fit_gla(tableau, trials=500, runs=1, seed=1))["trace"] is None


def test_what_the_page_has_no_field_for_is_not_learnt_again_there():
    tableau = read("ilokano")
    prior = NormalPrior(np.array([1.0, 0.0, 0.0]), np.ones(3))
    assert fit_data(fit_maxent(tableau, prior=prior, seed=1))["fields"] == {}
    printed = json.loads(json.dumps(json_values(fit_gla(tableau, trials=500, runs=1, seed=1).to_dict())))
    assert learnt_data(printed, tableau)["again"]
    printed["settings"]["schedule"] = "mine.txt"
    told = learnt_data(printed, tableau)
    assert (told["fields"], told["again"]) == ({}, False)
