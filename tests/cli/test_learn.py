"""`otlab learn`: the contract of its options, keys and exit codes."""

from __future__ import annotations

import _thread
import json
import math
import signal
import threading

import numpy as np
import pytest

from otlab.cli import main
from otlab.ot import fit_gibbs, read

QUICK = ["--sweeps", "400", "--seed", "1"]
KEYS = {
    "otlab",
    "seed",
    "settings",
    "seconds",
    "learner",
    "constraints",
    "constraint_names",
    "parameters",
    "predictions",
    "log_likelihood",
    "diagnostics",
    "converged",
}


def learn(capsys, *argv, code=0):
    assert main(["learn", *argv, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def finite_numbers(value):
    if isinstance(value, dict):
        return all(map(finite_numbers, value.values()))
    if isinstance(value, list):
        return all(map(finite_numbers, value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.parametrize("learner", ["gibbs", "gla", "maxent"])
def test_keys(capsys, learner):
    out = learn(capsys, "spanish", "--learner", learner, *QUICK)
    assert out.keys() >= KEYS
    assert out["learner"] == learner
    assert out["constraints"] == ["A", "M", "D", "B"]
    assert out["seed"] == 1
    assert out["parameters"]["kind"] == ("weight" if learner == "maxent" else "ranking value")
    assert {len(out["parameters"][key]) for key in ("mean", "sd", "median", "best")} == {4}
    keys = {"input", "candidate", "observed", "mean", "low", "high", "at_best"}
    assert [row.keys() for row in out["predictions"]] == [keys] * 6
    assert [row["observed"] for row in out["predictions"]] == [1.0, 0.0, 0.5, 0.5, 0.9, 0.1]
    diagnostics = {"rhat", "ess", "ess_squares", "ess_per_second", "multimodal", "warnings"}
    assert out["diagnostics"].keys() == diagnostics
    assert isinstance(out["diagnostics"]["multimodal"], bool)
    assert finite_numbers(out)


def test_probabilities_sum_to_1(capsys):
    for learner in ("gibbs", "gla", "maxent"):
        out = learn(capsys, "spanish", "--learner", learner, *QUICK)
        for key in ("mean", "at_best"):
            by_input = np.array([row[key] for row in out["predictions"]]).reshape(3, 2)
            np.testing.assert_allclose(by_input.sum(axis=1), 1)


def test_ranking_values_are_centred(capsys):
    for learner in ("gibbs", "gla"):
        out = learn(capsys, "spanish", "--learner", learner, *QUICK)
        assert sum(out["parameters"]["mean"]) == pytest.approx(0, abs=1e-6)
        assert sum(out["parameters"]["best"]) == pytest.approx(0, abs=1e-6)


def test_same_numbers_as_the_library(capsys):
    out = learn(capsys, "ilokano", *QUICK)
    found = fit_gibbs(read("ilokano"), sweeps=400, seed=1)
    assert out["parameters"]["mean"] == found.mean.tolist()
    assert out["predictions"][0]["low"] == found.predicted.low[0]
    again = learn(capsys, "ilokano", *QUICK, "--threads", "1")
    assert again["parameters"] == out["parameters"]


def test_a_fresh_seed_is_printed(capsys):
    seed = learn(capsys, "ilokano", "--learner", "gla", "--sweeps", "400", "--runs", "2")["seed"]
    assert isinstance(seed, int)
    again = ["ilokano", "--learner", "gla", "--sweeps", "400", "--runs", "2", "--seed", str(seed)]
    assert learn(capsys, *again)["seed"] == seed


def test_settings_hold_defaults_and_options(capsys):
    settings = learn(capsys, "ilokano", *QUICK)["settings"]
    assert settings["noise"] == 1.0
    assert settings["bound"] == 6.0
    assert settings["total"] == 99
    assert (settings["sweeps"], settings["warmup"], settings["chains"]) == (400, 40, 4)
    assert settings["variant"] == "fixed"
    options = ["--noise", "2", "--bound", "9", "--total", "30", "--warmup", "7", "--chains", "2"]
    settings = learn(capsys, "ilokano", *QUICK, *options, "--variant", "published")["settings"]
    assert [settings[key] for key in ("noise", "bound", "total", "warmup", "chains")] == [2, 9, 30, 7, 2]
    assert settings["variant"] == "published"


@pytest.mark.parametrize("learner", ["gibbs", "exact", "mle", "unknown-noise", "mixtures"])
def test_ranking_values_keep_rankings_a_priori(capsys, tmp_path, learner):
    path = tmp_path / "apriori.txt"
    path.write_text("\tAL\tI_BR\nAL\nI_BR\tx\n")
    out = learn(capsys, "ilokano", "--learner", learner, *QUICK, "--apriori", str(path))
    assert out["settings"]["apriori"] == [["I_BR", "AL"]]
    names = out["constraints"]
    values = dict(zip(names, out["parameters"]["mean"], strict=True))
    assert values["I_BR"] >= values["AL"]


def test_how_often_one_constraint_is_above_another(capsys):
    pairs = learn(capsys, "ilokano", *QUICK, "--ranked-above")["ranked_above"]
    assert len(pairs) == 6
    assert (pairs[0]["higher"], pairs[0]["lower"]) == ("AL", "*C-ONS")
    assert pairs[0]["low"] < pairs[0]["mean"] < pairs[0]["high"]
    assert main(["learn", "ilokano", *QUICK, "--ranked-above"]) == 0
    assert ">> I_BR" in capsys.readouterr().out
    assert main(["learn", "ilokano", "--learner", "maxent", *QUICK, "--ranked-above"]) == 2


def test_observed_is_null_without_data(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A,B\nx,a,3,0,1\nx,b,1,1,0\ny,c,,0,1\ny,d,,1,0\n")
    out = learn(capsys, str(path), *QUICK)
    assert [row["observed"] for row in out["predictions"]] == [0.75, 0.25, None, None]


def test_relative_frequencies_need_a_total(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A,B\nx,a,0.75,0,1\nx,b,0.25,1,0\n")
    assert main(["learn", str(path), *QUICK]) == 2
    assert "--total" in capsys.readouterr().err
    for learner in ("gibbs", "gla", "maxent"):
        out = learn(capsys, str(path), "--learner", learner, *QUICK, "--total", "40")
        assert out["settings"]["total"] == 40
    # MaxEnt is exact here: 30 and 10 of 40, whatever the total.
    assert out["log_likelihood"] == pytest.approx(30 * math.log(0.75) + 10 * math.log(0.25))


def test_backslash_accents_are_read_where_asked_for(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Input,Output,Frequency,A,B\nx,k\\a'lo,3,0,1\nx,b,1,1,0\n")
    names = [
        learn(capsys, str(path), *QUICK, *more)["predictions"][0]["candidate"] for more in ([], ["--accents"])
    ]
    assert names == ["k\\a'lo", "kálo"]


def test_maxent_with_a_prior(capsys, tmp_path):
    path = tmp_path / "bias.txt"
    path.write_text("A\t0\t1\nM\t0\t1\nD\t0\t1\nB\t0\t1\n")
    options = ["spanish", "--learner", "maxent", "--weights", "free", "--seed", "1"]
    by_file = learn(capsys, *options, "--prior", str(path))
    by_sd = learn(capsys, *options, "--prior-sd", "1")
    assert by_file["parameters"] == by_sd["parameters"]
    assert by_sd["converged"] is True
    np.testing.assert_allclose(
        by_sd["parameters"]["mean"], [0.99504, -0.99504, -0.33015, -0.46241], atol=5e-5
    )
    assert all(row["low"] < row["mean"] < row["high"] for row in by_sd["predictions"])


def test_maxent_without_an_optimum(capsys):
    out = learn(capsys, "spanish", "--learner", "maxent", "--weights", "free")
    assert out["converged"] is False
    assert "no finite optimum" in out["diagnostics"]["warnings"][0]
    assert out["predictions"][0]["low"] is None


def test_gibbs_with_a_normal_prior(capsys):
    out = learn(capsys, "spanish", *QUICK, "--prior-sd", "0.01")
    np.testing.assert_allclose(out["parameters"]["mean"], 0, atol=0.02)
    assert out["settings"]["bound"] is None


@pytest.mark.parametrize("name", ["otsoft", "praat", "geometric"])
def test_schedules(capsys, name):
    out = learn(capsys, "ilokano", "--learner", "gla", "--schedule", name, "--runs", "2", *QUICK)
    assert out["settings"]["schedule"] == name
    assert out["settings"]["runs"] == 2


def test_schedule_file(capsys, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "Trials\tPlastMark\tPlastFaith\tNoiseMark\tNoiseFaith\n300\t2\t2\t2\t2\n200\t.2\t.2\t2\t2\n"
    )
    out = learn(capsys, "ilokano", "--learner", "gla", "--schedule", str(path), "--seed", "1")
    assert out["settings"]["sweeps"] == 500
    assert out["converged"] is True


def test_initial_values_do_not_show(capsys):
    options = ["ilokano", "--learner", "gla", "--runs", "2", *QUICK]
    a = learn(capsys, *options, "--initial", "0")["parameters"]["mean"]
    np.testing.assert_allclose(learn(capsys, *options, "--initial", "64")["parameters"]["mean"], a, atol=1e-9)


def test_categorical_data_say_that_they_have_not_mixed(capsys):
    out = learn(capsys, "spanish", *QUICK)
    assert out["converged"] is False
    assert out["diagnostics"]["warnings"]


FAULTS = {
    "bounded": (
        ["harmonic_bounding_demo"],
        "'bounded' of 'x' is observed but can never win: 'good' bounds it",
    ),
    "no file": (["ilocano"], "no file or sample is called 'ilocano'"),
    "no learner": (["ilokano", "--learner", "hmm"], "invalid choice"),
    "no schedule": (["ilokano", "--learner", "gla", "--schedule", "praatt"], "did you mean praat"),
    "two priors": (["ilokano", "--prior-sd", "1", "--prior", "x"], "give one of them"),
    "no prior file": (["ilokano", "--prior", "nowhere.txt"], "nowhere.txt"),
    "prior sd": (["ilokano", "--prior-sd", "0"], "above 0"),
    "sweeps": (["ilokano", "--sweeps", "0"], "1 or more"),
    "warmup": (["ilokano", "--warmup", "-1"], "0 or more"),
    "warmup, all": (["ilokano", "--sweeps", "50", "--warmup", "50"], "fewer than all"),
    "total": (["ilokano", "--total", "0"], "total"),
    "chains": (["ilokano", "--chains", "0"], "1 or more"),
    "noise": (["ilokano", "--noise", "0"], "noise"),
    "noise, not finite": (["ilokano", "--noise", "nan"], "noise"),
    "bound": (["ilokano", "--bound", "-3"], "bound"),
    "threads": (["ilokano", "--threads", "0"], "--threads: '0'"),
}


@pytest.mark.parametrize(("argv", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(capsys, argv, message):
    assert main(["learn", *argv]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


PRIOR_FAULTS = {
    "unknown": (
        "*C-ONS\t0\t1\nALL\t0\t1\nI_BR\t0\t1\n",
        "p.txt:2:1: no constraint is called 'ALL'; did you mean AL",
    ),
    "twice": ("AL\t0\t1\nAL\t0\t1\n", "p.txt:2:1: the constraint 'AL' is given twice"),
    "missing": ("AL\t0\t1\n", "p.txt: no prior for *C-ONS, I_BR"),
    "no number": ("AL\tx\t1\n", "p.txt:1:4: 'x' is no mean"),
    "no sd": ("AL\t0\n", "p.txt:1:1: 2 cells in place of 3"),
}


@pytest.mark.parametrize(("text", "message"), PRIOR_FAULTS.values(), ids=PRIOR_FAULTS)
def test_faults_of_a_prior_file(capsys, tmp_path, text, message):
    path = tmp_path / "p.txt"
    path.write_text(text)
    assert main(["learn", "ilokano", "--prior", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_csv_prior(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("Constraint,Mu,Sigma\n*C-ONS,0,1\nAL,0.5,1\nI_BR,0,2\n")
    prior = learn(capsys, "ilokano", *QUICK, "--prior", str(path))["settings"]["prior"]
    assert prior == {"mean": [0.0, 0.5, 0.0], "sd": [1.0, 1.0, 2.0]}


def test_an_option_of_another_learner_is_left_aside_with_a_warning(capsys):
    assert main(["learn", "ilokano", "--learner", "maxent", "--bound", "3"]) == 0
    assert "--bound does not apply to maxent" in capsys.readouterr().err


def test_people_get_tables(capsys):
    assert main(["learn", "spanish", *QUICK]) == 0
    out = capsys.readouterr().out
    assert "marEsito" in out
    assert "seed 1" in out
    assert "not converged" in out


@pytest.fixture
def interruptible():
    """Ctrl-C interrupts, also where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_keeps_what_is_there(capsys):
    learn(capsys, "ilokano", *QUICK)  # so that the kernels are compiled
    timer = threading.Timer(1.0, _thread.interrupt_main)
    timer.start()
    partial = learn(capsys, "ilokano", "--sweeps", "100000000", "--seed", "1", code=3)
    assert partial["settings"]["sweeps"] == 100_000_000
    assert partial["parameters"]["mean"][1] == pytest.approx(0.53, abs=0.2)


def test_a_candidate_that_can_never_win_is_named_with_its_file(capsys, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("Input,Output,Frequency,A,B\nx,good,1,1,0\nx,bad,1,1,1\n", encoding="utf-8")
    for refusing in ("gibbs", "exact", "mle"):
        assert main(["learn", str(path), "--learner", refusing]) == 2
        assert capsys.readouterr().err.startswith("own.csv: 'bad' of 'x' is observed but can never win")
    out = learn(capsys, str(path), "--learner", "gla", "--runs", "2", "--sweeps", "1000")
    assert "'bad' of 'x' is observed but can never win" in out["diagnostics"]["warnings"][0]
    assert out["predictions"][1]["mean"] == 0


def test_a_candidate_that_can_never_win_is_left_out_on_request(capsys, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("Input,Output,Frequency,A,B\nx,good,1,1,0\nx,bad,1,1,1\ny,a,3,1,0\ny,b,1,0,1\n")
    assert main(["learn", str(path), *QUICK, "--leave-out-impossible", "--json"]) == 0
    captured = capsys.readouterr()
    assert "warning: 'bad' of 'x' is observed but can never win: 'good' bounds it" in captured.err
    assert "its count is set to 0" in captured.err
    out = json.loads(captured.out)
    assert [row["observed"] for row in out["predictions"]] == [1, 0, 0.75, 0.25]


def test_overt_forms_are_printed_with_the_parses_of_those_that_were_heard(capsys):
    main(["learn", "overt_stress", "--learner", "maxent-overt", "--prior-sd", "5", "--seed", "1"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["input", "overt", "form", "observed", "predicted"] in lines
    shares = [
        float(line[-1]) for line in lines if line[:4] == ["L", "L", "L1", "L"] and "(" in " ".join(line)
    ]
    assert len(shares) == 2
    assert sum(shares) == pytest.approx(1, abs=0.002)
    assert any(line[:5] == ["L", "L", "L1", "L", "1.000"] for line in lines)
    assert [
        "without",
        "noise",
        "the",
        "grammar",
        "gives",
        "100",
        "%",
        "of",
        "the",
        "inputs",
        "as",
        "heard",
    ] in lines


def test_temperatures_reach_the_sampler_and_what_they_did_is_said(capsys):
    quick = ["--learner", "latent-gibbs", "--sweeps", "60", "--chains", "2", "--seed", "1"]
    fit = learn(capsys, "overt_stress", *quick, "--temperatures", "3")
    assert fit["settings"]["temperatures"] == 3
    assert "temperatures" not in learn(capsys, "overt_stress", *quick)["settings"]
    main(["learn", "overt_stress", *quick, "--temperatures", "3"])
    told = " ".join("".join(capsys.readouterr()).split())
    assert "3 temperatures: neighbours exchanged" in told


def test_starts_and_an_early_end_reach_the_learner_of_overt_forms(capsys):
    quick = ["--learner", "maxent-overt", "--prior-sd", "100", "--seed", "1"]
    early = learn(capsys, "overt_stress", *quick, "--starts", "20", "--until-reproduced")
    assert early["settings"]["starts"] == 20
    assert early["settings"]["until_reproduced"]
    one = learn(capsys, "overt_stress", *quick, "--starts", "1")
    assert not one["settings"]["until_reproduced"]
    assert one["reproduced"] == early["reproduced"] == 1
    assert early["parameters"]["mean"] == one["parameters"]["mean"]


def test_speakers_are_learnt_from_their_column(capsys, tmp_path):
    path = tmp_path / "speakers.csv"
    path.write_text("Speaker,Input,Output,Count,*T,Max\nA,t,t,9,1,0\nA,t,0,1,0,1\nB,t,t,2,1,0\nB,t,0,8,0,1\n")
    quick = ["--sweeps", "300", "--chains", "2", "--seed", "1"]
    for learner, kind in (("maxent-mixed", "weight"), ("sot-mixed", "ranking value"), ("hg-mixed", "weight")):
        out = learn(capsys, str(path), "--learner", learner, *quick)
        assert out["parameters"]["kind"] == kind
        assert len(out["parameters"]["tau"]) == 2
        rows = {(row["speaker"], row["constraint"]): row for row in out["speakers"]}
        assert set(rows) == {(name, constraint) for name in "AB" for constraint in ("*T", "Max")}
        of_a, of_b = (rows[name, "Max"]["mean"] - rows[name, "*T"]["mean"] for name in "AB")
        assert of_a > of_b
        assert out["items"] == []
        assert out["settings"]["levels"] == "both"
