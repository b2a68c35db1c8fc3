"""The GLA against the analysis of its drift, Praat's published runs, and its own shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.ot import Gibbs, Tableau, read
from otlab.ot.constraint_names import faithfulness
from otlab.ot.kernels.gla import better_of_each_pair, constraint_by_constraint, trials
from otlab.ot.learners import LEARNERS
from otlab.ot.learners.gla import GLA, drifting, fit_gla
from otlab.ot.learners.schedules import Schedule, Stage, read_schedule, schedule
from otlab.ot.probability import predict_many
from tests.ot import naive

SPANISH, ILOKANO = read("spanish"), read("ilokano")


def learnt(tableau, name, trials, runs, noise=2.0, seed=11, **ends):
    """Return candidate probabilities after each of several runs, (runs, rows), and the values."""
    learner = GLA(tableau, noise, schedule(name, trials, **ends))
    views = fit(learner, steps=trials, seed=seed, chains=runs).views
    values = np.array([view.values for view in views])
    return predict_many(tableau, values, noise), values


def test_each_trial_s_winner_is_that_of_the_tableau():
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, k = rng.integers(1, 40), rng.integers(1, 6)
        marks = rng.integers(0, 3, (n, k))
        tableau = Tableau.from_rows(
            [("x", f"y{row}", 1, each.tolist()) for row, each in enumerate(marks)],
            [f"C{i}" for i in range(k)],
        )
        data = GLA(tableau, 2.0, schedule("otsoft", 100)).data
        for _ in range(20):
            values = rng.integers(0, 4, k).astype(float)  # of equal ones the first is the higher
            order = sorted(range(k), key=lambda i: (-values[i], i))
            drawn = values[data.active]
            best = naive.winners(marks, order)
            about = data.violation_start, data.violations, drawn, data.active.size
            assert all(better_of_each_pair(row, data.rivals, *about) in best for row in data.observed)
            if data.active.size:
                left = np.empty(n, np.int64)
                assert constraint_by_constraint(data.best_start, data.best, *about, left) in best


def test_spanish_settles_below_one_half_not_at_it():
    probabilities, values = learnt(SPANISH, "otsoft", 100_000, 20, last=0.002)
    mar = probabilities[:, 2]
    assert 0.455 <= mar.mean() <= 0.485
    assert stats.ttest_1samp(mar, 0.5, alternative="less").pvalue < 1e-6
    np.testing.assert_allclose(probabilities[:, [0, 4]].mean(0), 0.95, atol=4.5 * 0.004 / np.sqrt(20) + 0.003)
    assert set(drifting(SPANISH, values, 2.0)) == {"A", "M", "D", "B"}


def test_the_drift_stops_where_the_errors_balance():
    probabilities, _ = learnt(SPANISH, "geometric", 400_000, 8, last=0.0001)
    ubita, ubasita, mar_e, mar_s, *_ = probabilities.mean(0)
    sd = probabilities.std(0).max() / np.sqrt(8)
    assert mar_s - mar_e == pytest.approx(ubasita, abs=4.5 * sd + 0.005)
    assert ubita == pytest.approx(0.95, abs=4.5 * sd + 0.002)


@pytest.mark.parametrize("name", ["otsoft", "praat", "geometric"])
def test_ilokano_is_learnt_by_every_schedule(name):
    probabilities, _ = learnt(ILOKANO, name, 60_000, 12)
    np.testing.assert_allclose(probabilities.mean(0), 1 / 3, atol=4.5 * 0.012 / np.sqrt(12) + 0.004)


def test_praat_s_own_figures_for_lin_s_first_table():
    probabilities, _ = learnt(read("lin2005_table1"), "praat", 200_000, 10)
    # Praat, five runs: 77.7 with a standard deviation of .6.
    assert probabilities[:, 0].mean() == pytest.approx(0.777, abs=4.5 * 0.006 / np.sqrt(5))


def test_the_final_plasticity_sets_the_spread_of_runs():
    spreads = [learnt(SPANISH, "otsoft", 60_000, 16, last=last)[0][:, 2].std() for last in (0.1, 0.02, 0.002)]
    # Published for 40 runs: 8.1, 3.6 and 1.2 points.
    assert spreads[0] > 1.5 * spreads[1] > 1.5 * spreads[2]


def test_constant_plasticity_wanders_in_proportion_to_it():
    sds = []
    for p in (0.05, 0.2):
        learner = GLA(ILOKANO, 1.0, schedule("constant", 1, p), record_every=50)
        traces = [v.trace[200:] for v in fit(learner, steps=100_000, seed=3, chains=4).views]
        sds.append(np.concatenate(traces).std(0))
    # A random walk pulled back by a force proportional to p: variance in proportion to p.
    np.testing.assert_allclose(sds[1] / sds[0], 2, rtol=0.35)


def naive_trials(rng, tableau, values, noise, plasticity, trials):
    """Return the values after some trials in plain Python: draw a form, rank, evaluate, compare."""
    heard = rng.choice(tableau.n_rows, size=trials, p=tableau.frequencies / tableau.frequencies.sum())
    noises = noise * rng.normal(size=(trials, values.size))
    violations = tableau.violations.tolist()
    for row, added in zip(heard.tolist(), noises, strict=True):
        rows = tableau.rows(tableau.input_of_row[row])
        order = np.argsort(-(values + added)).tolist()
        own = min(violations[rows], key=lambda marks: [marks[c] for c in order])
        values = values + plasticity * np.sign(np.subtract(own, violations[row]))
    return values


@pytest.mark.slow
def test_the_kernel_moves_as_the_plain_algorithm_does():
    """Mean and covariance of the values after ten trials, from many short runs of both."""
    rng, lives = np.random.default_rng(5), 3000
    start = np.array([0.5, -0.5, 0.0, 0.2])
    plain = np.empty((lives, 4))
    for life in plain:
        life[:] = naive_trials(rng, SPANISH, start, 1.0, 0.5, 10)
    learner = GLA(SPANISH, 1.0, schedule("constant", 1, 0.5), initial=tuple(start))
    views = fit(learner, steps=10, seed=8, chains=lives).views
    quick = np.array([view.values + view.level for view in views])
    for a, b in zip(plain.T, quick.T, strict=True):
        error = np.sqrt((a.var() + b.var()) / lives)
        assert abs(a.mean() - b.mean()) < 4.5 * error
        assert abs(a.var() - b.var()) < 4.5 * np.sqrt(2 / lives) * 2 * a.var()


def test_bounded_rivals_and_equal_rows_change_nothing_learnt():
    rows = [("x", "a", 6, [1, 0]), ("x", "b", 4, [0, 1])]
    more = [*rows, ("x", "a twin", 0, [1, 0]), ("x", "worse", 0, [1, 1])]
    lean, full = (Tableau.from_rows(r, ["A", "B"]) for r in (rows, more))
    views = [fit(GLA(t, 1.0), steps=5000, seed=2).view for t in (lean, full)]
    np.testing.assert_array_equal(views[0].values, views[1].values)


def test_a_form_observed_under_two_names_is_no_error():
    rows = [("x", "a", 1, [1, 0]), ("x", "also a", 1, [1, 0])]
    assert fit(GLA(Tableau.from_rows(rows, ["A", "B"]), 1.0), steps=500, seed=2).view.errors == 0


def test_a_plasticity_of_zero_keeps_a_constraint_constant():
    learner = GLA(ILOKANO, 1.0, plasticity=(1.0, 0.0, 1.0), initial=(3.0, 7.0, 5.0))
    view = fit(learner, steps=2000, seed=1).view
    assert view.values[1] + view.level == pytest.approx(7.0)
    assert view.values[0] + view.level != pytest.approx(3.0)


def test_stages_may_treat_faithfulness_apart(tmp_path):
    path = tmp_path / "slow_faith.txt"
    path.write_text(
        "Trials\tPlastMark\tPlastFaith\tNoiseMark\tNoiseFaith\n500\t1\t0.1\t2\t2\n500\t.1\t.01\t2\t1\n"
    )
    read_back = read_schedule(path)
    assert read_back.trials == 1000
    assert read_back.tells_apart
    stages = GLA(read("dutch_final_devoicing"), schedule=read_back).stages
    np.testing.assert_allclose(stages.plasticity, [[1, 0.1, 1], [0.1, 0.01, 0.1]])
    np.testing.assert_allclose(stages.noise, [[2, 2, 2], [2, 1, 2]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Trials\n1 2 3\n", "2: 3 values for 5 columns"),
        ("100 x 1 1 1\n", "1: 'x' is not a number above 0"),
        ("10.5 1 1 1 1", "not a whole number of trials"),
        ("", "no stage"),
        ("100 0 1 1 1\n100 1 1 -1 1\n", "'-1' is not a number"),
    ],
)
def test_faults_of_a_schedule_file(tmp_path, text, message):
    path = tmp_path / "s.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_schedule(path)


def test_presets():
    assert [round(s.markedness, 6) for s in schedule("praat", 400).stages] == [1, 0.1, 0.01, 0.001]
    lin = GLA(SPANISH, schedule=schedule("lin", 1000)).stages
    assert lin.ratio[0] ** 999 * lin.plasticity[0, 0] == pytest.approx(0.002)
    assert schedule("otsoft", 10).trials == 10
    with pytest.raises(InputError, match="did you mean praat"):
        schedule("prat", 100)


def test_the_plasticity_stays_after_the_last_stage():
    chosen = Schedule("two", (Stage(10, 1.0, 1.0, ratio=0.5), Stage(10, 0.3, 0.3, ratio=0.9)))
    learner = GLA(ILOKANO, 1.0, chosen)
    gla_run = run(learner, sweeps=100, seed=0)
    gla_run.advance(20)
    before = gla_run.states[0].size
    gla_run.advance(50)
    assert before == pytest.approx(0.9**10)
    assert gla_run.states[0].size == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"initial": (1.0, 2.0)}, "one finite number for each of the 3"),
        ({"plasticity": (1.0, -1.0, 1.0)}, "negative"),
        ({"noise": 0.0}, "noise"),
        ({"record_every": 0}, "record_every"),
        ({"gap": -1.0}, "a gap of -1 between constraints; give 0 or more"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(InputError, match=message):
        fit(GLA(ILOKANO, **wrong), steps=1, seed=0)


def test_an_attested_candidate_that_can_never_win_is_learnt_past_with_a_warning():
    tableau = read("harmonic_bounding_demo")
    (row,) = [r for r, name in enumerate(tableau.candidates) if name == "bounded"]
    fitted = fit_gla(tableau, trials=2000, runs=2, seed=1)
    assert fitted.predicted.mean[row] == 0
    (warning, *_) = fitted.warnings
    assert warning.startswith("'bounded' of 'x' is observed but can never win")
    assert "predicts 0 for it" in warning
    # The log likelihood is that of what can win: here nothing else was observed.
    assert fitted.predicted.log_likelihood == 0
    with pytest.raises(InputError, match="'bounded'"):
        Gibbs(tableau)


def test_faithfulness_is_guessed_from_names():
    assert faithfulness(["MAX-OO(V)", "*Ct", "Dep-IO", "Align"]).tolist() == [True, False, True, False]


def test_a_schedule_file_that_is_not_there_is_named():
    settings = LEARNERS["gla"].settings(schedule="mine/schedule.txt")
    with pytest.raises(
        InputError, match=r"there is no file mine/schedule\.txt; check the path, or name a schedule"
    ):
        settings.plan()
    with pytest.raises(InputError, match="there is no schedule 'prat'; did you mean praat"):
        LEARNERS["gla"].settings(schedule="prat").plan()


def test_a_table_whose_columns_were_moved_is_learnt_without_compiling_anew():
    fit_gla(SPANISH, trials=20, runs=1, seed=1)
    compiled = len(trials.signatures)
    moved = replace(SPANISH, violations=np.asfortranarray(SPANISH.violations))
    fit_gla(moved, trials=20, runs=1, seed=1)
    assert len(trials.signatures) == compiled


def test_what_nothing_can_be_learnt_from_is_refused():
    with pytest.raises(InputError, match="no candidate has a frequency; count at least one"):
        GLA(replace(ILOKANO, frequencies=np.zeros(ILOKANO.n_rows)))
    with pytest.raises(InputError, match="a schedule of 0 trials; give 1 or more"):
        schedule("otsoft", 0)
    with pytest.raises(InputError, match=r"plasticity from -1 to 0\.001; choose numbers above 0"):
        schedule("praat", 10, -1.0)
