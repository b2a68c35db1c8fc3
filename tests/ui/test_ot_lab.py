"""The OT lab without a browser: what runs, edits and settings do to each other."""

import io
from html import unescape

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import pytest

from otlab import __version__
from otlab.errors import InputError
from otlab.ot import Tableau, fit_gibbs, fit_gla, fit_maxent, read, to_csv
from otlab.ot.io.read import read_bytes
from otlab.ot.learners.priors import equal_prior
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.downloads import FILES, file_bytes, grouped
from otlab.ui.ot.trust import USUAL_WEIGHT_SD, unranked
from otlab.ui.timers import drawing
from otlab.viz.ot.leading import first_inputs, inputs_left_out
from tests.ui.page import one, parts, press, send, shown_text
from tests.ui.waiting import until


def head(lab):
    """What the head of the run panel shows."""
    return one(lab.runner, "RunHead").state


@pytest.fixture
def lab():
    made = OTLab("ilokano")
    made.settings.param.update(sweeps=600, runs=5, trials=2000)
    yield made
    made.close()


@pytest.fixture
def shown(lab):
    """A lab with one showing, as on a page."""
    lab.layout = lab.main()
    return lab


def view_of(lab):
    (view,) = lab.showings
    return view


def finished(lab) -> OTLab:
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done"
    return lab


def test_every_learner_answers_on_the_same_data(shown):
    answers = finished(shown).state.answers
    assert answers.learners == ("gibbs", "gla", "maxent")
    assert answers.gibbs.shape == (3, 3)
    assert answers.gla.shape == (5, 3)
    np.testing.assert_allclose(answers.maxent.sum(), 1)
    np.testing.assert_allclose(answers.gibbs[0].sum(), 1, atol=1e-9)


def test_warmup_does_not_count(shown):
    gibbs = finished(shown).state.gibbs
    assert [len(draws) for draws in gibbs.chains] == [540] * 4
    assert gibbs.histogram.n == 4 * 540
    np.testing.assert_allclose(gibbs.histogram.mean, np.concatenate(gibbs.chains).mean(axis=0))


def test_going_on_after_the_end_equals_one_long_run(monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.state.MORE_SWEEPS", 1400)
    short, long = OTLab("lin2005_table1"), OTLab("lin2005_table1")
    for each, sweeps in ((short, 600), (long, 2000)):
        each.runner.enable(["gibbs"])
        each.settings.param.update(sweeps=sweeps)
        finished(each)
    short.runner.go_on()
    assert short.runner.wait(60)
    assert short.settings.sweeps == short.posterior.settings["sweeps"] == 2000
    a, b = short.state.gibbs, long.state.gibbs
    np.testing.assert_array_equal(a.chains, b.chains)
    np.testing.assert_array_equal(a.predicted, b.predicted)
    assert a.histogram.n == b.histogram.n == 4 * 1800


@pytest.mark.parametrize("name", ["ilokano", "spanish"])
def test_the_lab_shows_what_the_library_finds_from_the_same_seed(name):
    lab = OTLab(name)
    lab.settings.param.update(sweeps=600, runs=5, trials=2000, weight_sd=2.0, seed=11)
    state = finished(lab).state
    tableau, s = lab.tableau, lab.settings
    noise = s.noise
    gibbs = fit_gibbs(tableau, sweeps=600, seed=11, noise=noise, bound=s.bound)
    np.testing.assert_array_equal(
        state.gibbs.posterior.draws["ranking_value"], gibbs.posterior.draws["ranking_value"]
    )
    np.testing.assert_array_equal(state.gibbs.median, gibbs.median)
    said = gibbs.predicted
    np.testing.assert_array_equal(state.answers.gibbs, [said.mean, said.low, said.high])
    np.testing.assert_array_equal(state.gibbs.trust.ess, gibbs.trust.ess)
    gla = fit_gla(tableau, trials=2000, runs=5, seed=11, noise=noise)
    np.testing.assert_array_equal(state.gla.values.mean(axis=0), gla.mean)
    np.testing.assert_allclose(state.answers.gla.mean(axis=0), gla.predicted.mean, rtol=1e-12)
    prior = equal_prior(tableau, 2.0)
    maxent = fit_maxent(tableau, prior=prior, seed=11)
    np.testing.assert_array_equal(state.maxent.weights, maxent.mean)
    np.testing.assert_array_equal(state.answers.maxent, maxent.predicted.mean)


def test_going_on_keeps_the_draws_one_long_run_keeps(monkeypatch):
    monkeypatch.setattr("otlab.ot.learners.draws._DRAWS_KEPT", 100)
    monkeypatch.setattr("otlab.ui.ot.state.MORE_SWEEPS", 1400)
    short = OTLab("lin2005_table1")
    short.runner.enable(["gibbs"])
    short.settings.param.update(sweeps=600)
    finished(short).runner.go_on()
    assert short.runner.wait(60)
    long = fit_gibbs(short.tableau, sweeps=2000, seed=short.settings.seed)
    np.testing.assert_array_equal(
        short.posterior.draws["ranking_value"], long.posterior.draws["ranking_value"]
    )
    assert short.posterior.settings == long.posterior.settings
    assert short.posterior.settings["thin"] == 16


def test_without_end_alone_there_is_no_percent(lab):
    lab.runner.enable(["endless"])
    lab.runner.run()
    until(lambda: lab.runner.tick() or lab.runner.runner.jobs["endless"].last)
    lab.runner.tick()
    words = head(lab)["progress"]
    assert (words["rest"], words["share"], words["right"]) == ("without end", None, "")


def test_without_end_alone_its_path_is_drawn(shown):
    shown.settings.param.update(sweeps=600)
    view_of(shown).open("Compare")
    shown.runner.enable(["endless"])
    shown.runner.run()
    until(lambda: shown.runner.tick() or (shown.state.endless and shown.state.endless.histogram.n))
    shown.runner.tick()
    assert "±" in shown_text(view_of(shown).tab("Compare").endless)


def test_the_same_seed_gives_the_same_posterior_and_another_does_not(lab):
    first = finished(lab).posterior.pooled("ranking_value")
    again = finished(lab).posterior.pooled("ranking_value")
    lab.settings.param.update(seed=7)
    other = finished(lab).posterior.pooled("ranking_value")
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_posterior_says_how_it_was_made(lab):
    posterior = finished(lab).posterior
    assert posterior.coords["constraint"] == lab.tableau.constraints
    assert (posterior.learner, posterior.seed) == ("gibbs", 2005)
    assert posterior.settings["sweeps"] == 600
    assert list(posterior.summary("ranking_value").index) == list(lab.tableau.constraints)


def test_before_a_run_there_is_no_posterior(lab):
    assert lab.posterior is None
    assert lab.tableau == read("ilokano")


def test_an_edit_marks_the_pictures_and_changes_the_next_run(shown):
    before = finished(shown).state.learnt_values
    shown.state.document.type(2, "c_0", "1")
    assert view_of(shown).tab("Learn").posterior.card.stale == "from the old table"
    assert shown.state.shown_tableau != shown.tableau
    after = finished(shown).state.learnt_values
    assert view_of(shown).tab("Learn").posterior.card.stale == ""
    assert abs(after - before).max() > 0.3


def test_undoing_the_edit_makes_the_pictures_valid_again(shown):
    finished(shown)
    shown.state.document.type(0, "c_1", "3")
    shown.state.document.history.undo()
    assert view_of(shown).tab("Learn").posterior.card.stale == ""


def test_an_edit_during_a_run_stops_it(shown):
    shown.settings.param.update(sweeps=100_000_000)
    shown.runner.run()
    shown.state.document.type(0, "c_1", "3")
    assert shown.runner.wait(10)
    assert shown.runner.phase == "stopped"


def test_sample_size_and_counts_are_one_thing(lab):
    lab.settings.param.update(total=300)
    assert lab.tableau.counts().tolist() == [100, 100, 100]
    lab.state.document.type(0, "count", "40")
    assert lab.settings.total is None
    lab.state.document.history.undo()
    assert lab.settings.total == 300


def test_an_example_brings_its_own_noise_and_forgets_results(shown):
    finished(shown)
    shown.choose("spanish_diminutive")
    assert (shown.settings.noise, shown.settings.bound) == (1.0, 6.0)
    assert not shown.state.has_results
    shown.choose("tagalog_nasal_substitution")
    assert (shown.settings.noise, shown.settings.bound) == (2.0, 12.0)


def test_two_labs_share_nothing():
    one, other = OTLab("ilokano"), OTLab("ilokano")
    one.state.document.type(0, "c_0", "9")
    one.settings.param.update(seed=1)
    assert other.tableau == read("ilokano")
    assert other.settings.seed == 2005


def test_reset_keeps_table_settings_and_seed(shown):
    finished(shown)
    shown.state.document.type(0, "c_1", "3")
    shown.settings.param.update(seed=12)
    shown.runner.reset()
    assert shown.tableau.violations[0, 1] == 3
    assert shown.settings.seed == 12
    assert not shown.state.has_results


BOUNDED = Tableau.from_rows(
    [
        ("x", "good", 3, (1, 0, 0)),
        ("x", "bounded", 2, (1, 0, 1)),
        ("y", "one", 5, (1, 0, 0)),
        ("y", "other", 4, (0, 1, 0)),
    ],
    ["A", "B", "C"],
    noise=1.0,
)


@pytest.fixture
def bounded():
    lab = OTLab(BOUNDED)
    lab.settings.param.update(sweeps=200, runs=2, trials=200)
    lab.layout = lab.main()
    yield lab
    lab.close()


def test_where_no_ranking_fits_maxent_and_gla_run_and_gibbs_says_why(bounded):
    finished(bounded)
    runner = bounded.runner.runner
    assert set(runner.refused) == {"gibbs"}
    assert runner.row_text("gibbs") == "cannot learn"
    words = head(bounded)
    assert words["fault"]["title"] == "No ranking can fit these data"
    assert "1 observed candidate can never win" in words["fault"]["rows"][0]["what"]
    assert bounded.state.answers.learners == ("gla", "maxent")
    learn = view_of(bounded).tab("Learn")
    assert "maxent" in shown_text(learn.posterior)
    assert "observed twice, has every violation" in shown_text(learn.posterior)
    buttons = [b.label for b in parts(learn.posterior, pmui.Button)]
    assert buttons == ["Leave this form out and run", "Show the tableau"]


def test_forms_that_can_never_win_are_left_out_in_one_click_and_one_undo(bounded):
    finished(bounded)
    buttons = view_of(bounded).select(pmui.Button)
    (leave_out,) = [b for b in buttons if b.label == "Leave this form out and run"]
    leave_out.param.trigger("clicks")
    assert bounded.runner.wait(60)
    assert bounded.tableau.frequencies.tolist() == [3, 0, 5, 4]
    assert bounded.state.answers.learners == ("gibbs", "gla", "maxent")
    assert bounded.runner.runner.refused == {}
    bounded.state.document.history.undo()
    assert bounded.tableau == BOUNDED


def test_rankers_alone_are_refused(bounded):
    bounded.runner.enable(["gibbs", "exact"])
    bounded.runner.run()
    assert bounded.runner.phase == "failed"
    assert head(bounded)["fault"]["title"] == "No ranking can fit these data"


def test_maxent_alone_shows_its_weights_and_its_own_badge(shown):
    shown.runner.enable(["maxent"])
    shown.settings.param.update(weight_sd=1.0, weights="free")
    finished(shown)
    card = view_of(shown).tab("Learn").posterior
    assert card.card.title == "MaxEnt weights"
    assert "±" in shown_text(card)
    assert "log likelihood" in card.card.remark
    words = head(shown)
    assert words["trust"]["text"] == "Optimum found"
    assert words["progress"]["share"] == 1
    n = shown.state.maxent.tick.sweep
    assert words["progress"]["rest"] == f"after {n} iteration{'' if n == 1 else 's'}"


def test_without_a_finite_optimum_a_prior_is_offered():
    lab = OTLab("spanish")
    lab.runner.enable(["maxent"])
    lab.settings.param.update(weights="free")
    trust = head(finished(lab))["trust"]
    assert trust["text"] == "No finite optimum"
    assert "Set a prior on the weights" in trust["said"]
    assert trust["remedies"] == ["Run with a prior on the weights"]
    lab.runner.remedy(0)
    assert lab.runner.wait(60)
    assert lab.settings.weight_sd == USUAL_WEIGHT_SD
    assert head(lab)["trust"]["text"] == "Optimum found"


def test_chains_that_never_met_are_not_two_modes_and_a_normal_prior_is_offered():
    lab = OTLab("spanish")
    lab.runner.enable(["gibbs"])
    lab.settings.param.update(sweeps=200)
    _layout = lab.main()  # keeps its tabs
    view_of(lab).open("Compare")
    trust = head(finished(lab))["trust"]
    assert trust["text"] == "Not converged"
    assert "Gibbs: its best draw" in view_of(lab).tab("Compare").parameters.object
    assert "Under the flat prior" in trust["advice"]
    assert trust["remedies"] == ["Run with a normal prior"]
    lab.runner.remedy(0)
    assert lab.runner.wait(60)
    assert lab.settings.prior == "normal"
    assert head(lab)["trust"]["remedies"] == []


def test_constraints_that_no_datum_ranks():
    assert unranked(read("spanish")) == []
    assert unranked(read("harmonic_bounding_demo")) == ["A", "B", "C"]
    idle = Tableau.from_rows([("x", "a", 3, (1, 0, 2)), ("x", "b", 2, (0, 1, 2))], ["A", "B", "Idle"])
    assert unranked(idle) == ["Idle"]


def test_the_gla_alone_says_that_its_values_drift():
    lab = OTLab("spanish")
    lab.runner.enable(["gla"])
    lab.settings.param.update(runs=3, trials=100_000, noise=2.0)
    layout = lab.main()
    view_of(lab).open("Compare")
    finished(lab)
    assert head(lab)["trust"]["text"] == "Does not settle"
    assert "not settle" in view_of(lab).tab("Compare").parameters.object
    view_of(lab).open("Learn")
    assert "not settle" in shown_text(view_of(lab).tab("Learn").posterior)
    assert layout is not None


def test_a_row_names_the_chains_of_the_settings_and_of_the_run_while_it_goes(shown):
    def details():
        return {row["name"]: row["detail"] for row in head(shown)["rows"]}

    shown.settings.param.update(chains=2, runs=3)
    assert details()["gibbs"] == "2 chains"
    shown.settings.param.update(sweeps=100_000_000)
    shown.runner.run()
    shown.settings.param.update(chains=5)
    assert details()["gibbs"] == "2 chains"
    shown.runner.stop()
    assert details()["gibbs"] == "5 chains"


def test_own_ranking_values_stay_until_given_up(shown):
    shown.state.choose(np.array([1.0, 0.0, -1.0]))
    finished(shown)
    np.testing.assert_array_equal(shown.state.values, [1.0, 0.0, -1.0])
    shown.state.choose(None)
    np.testing.assert_allclose(shown.state.values, shown.state.learnt_values)


def test_a_bad_file_says_everything_and_keeps_the_table(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("bad.csv", b"Input,Output,Frequency,A\nx,a,1,1.5\nx,b,-4,0\n")
    view.tab("Data").zone.wait()
    said = view.tab("Data").message
    assert "bad.csv was not loaded: 2 problems" in said
    assert "line 2" in said
    assert "line 3" in said
    assert shown.tableau == read("ilokano")


def big_table(rows):
    """Return a table with this many rows, as a file."""
    lines = ["Input,Output,Frequency," + ",".join(f"C{k}" for k in range(8))]
    lines += [f"i{n // 5},o{n},1,{n % 5},{n % 2},0,1,2,0,1,0" for n in range(rows)]
    return ("\n".join(lines) + "\n").encode()


def test_a_large_file_is_read_beside_the_page_and_can_be_cancelled(shown, monkeypatch):
    monkeypatch.setattr("otlab.ui.components.file_zone.AT_ONCE_SECONDS", 0)
    view = view_of(shown)
    view.open("Data")
    zone = view.tab("Data").zone
    zone.take("big.csv", big_table(20_000))
    reading = zone.reading
    zone.look()
    assert zone.state["text"] == "Reading big.csv"
    zone._handle_msg({"kind": "cancel"})
    assert zone.state == {}
    assert reading.wait(20)
    assert reading.result is None
    assert shown.tableau == read("ilokano")
    zone.take("big.csv", big_table(3_000))
    assert zone.wait(60)
    assert shown.tableau.n_rows == 3_000


def test_loading_tells_how_far_it_is():
    shares = []
    reading = read_bytes(big_table(5_000), "big.csv", shares.append)
    assert reading.tableau.n_rows == 5_000
    assert shares == sorted(shares)
    assert 0 < shares[1] < 0.5 < shares[-1] < 1


def test_backslash_accents_are_offered_on_loading_and_undone(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("own.txt", b"\t\t\tA\nx\tk\\a'\t3\t1\n\tb\t2\t0\n")
    view.tab("Data").zone.wait()
    assert shown.tableau.candidates == ("k\\a'", "b")
    press(view.tab("Data"), "Read \\a' as á")
    assert shown.tableau.candidates == ("ká", "b")
    shown.state.document.history.undo()
    assert shown.tableau.candidates == ("k\\a'", "b")


def test_a_pair_distribution_of_praat_fills_the_open_table(shown):
    view = view_of(shown)
    view.open("Data")
    zone = view.tab("Data").zone
    zone.take("w.OTGrammar", b'"ooTextFile" "OTGrammar" 1 "A" 9 9 0 1 "x" 2 "\\ic" 0 "b" 1')
    zone.wait()
    assert shown.tableau.candidates == ("ɪ", "b")
    zone.take("w.PairDistribution", b'"ooTextFile" "PairDistribution" 1 "x" "\\ic" 7')
    zone.wait()
    assert shown.tableau.frequencies.tolist() == [7, 0]
    assert "The frequencies are those of w.PairDistribution" in view.tab("Data").message
    shown.undo()
    assert shown.tableau.frequencies.tolist() == [0, 0]
    zone.take("w.PairDistribution", b'"ooTextFile" "PairDistribution" 1 "x" "other" 7')
    zone.wait()
    assert "the grammar has no candidate" in view.tab("Data").message
    assert shown.tableau.frequencies.tolist() == [0, 0]


def test_of_a_very_long_table_whole_inputs_are_drawn():
    rows = [(f"in{i}", f"out{i}.{j}", 1, (j, 1 - j)) for i in range(3000) for j in range(2)]
    tableau = Tableau.from_rows(rows, ["A", "B"])
    assert first_inputs(tableau).n_rows == 200
    assert inputs_left_out(tableau) == "of the first 100 of 3,000 inputs"
    assert first_inputs(tableau, most=1).n_rows == 2
    short = Tableau.from_rows(rows[:6], ["A", "B"])
    assert first_inputs(short) is short
    assert inputs_left_out(short) == ""
    page = "".join(str(pane.object) for pane in OTLab(tableau).main().select(pn.pane.HTML))
    assert "of the first 100 of 3,000 inputs" in page
    assert "out2999.1" not in page


def test_why_no_ranking_fits_is_said_after_a_run_and_for_the_first_forms_only(shown):
    rows = [
        row for i in range(60) for row in ((f"in{i}", f"bad{i}", 1, (2, 1)), (f"in{i}", f"ok{i}", 0, (1, 1)))
    ]
    shown.open_file("bounded.csv", to_csv(Tableau.from_rows(rows, ["A", "B"])).encode())

    def page():
        return "".join(str(pane.object) for pane in shown.main().select(pn.pane.HTML))

    assert "can never win" not in page()
    shown.runner.runner.enabled = {"maxent"}
    finished(shown)
    said = page()
    assert "60 observed candidates can never win" in said
    assert "And 10 more." in said


def test_a_table_too_large_for_the_grid_is_shown_in_part_and_learnt_from(shown):
    shown.open_file("big.csv", big_table(2_500))
    view = view_of(shown)
    grid = view.tab("Learn").violations.grid
    assert grid.fixed
    assert len(grid.table.value) == 100
    assert "The first 100 of 2,500 rows" in grid.foot.object
    send(grid, {"kind": "paste", "row": 0, "field": "c_0", "text": "7\t7"}, "GridKeys")
    assert shown.tableau.violations[0, 0] == 0
    shown.runner.runner.enabled = {"maxent"}
    finished(shown)
    assert shown.state.maxent.predicted.shape == (2_500,)
    of_all = "the first 200 of 2,500 candidates"
    assert of_all in view.tab("Learn").predicted.card.remark
    assert shown_text(view.tab("Learn").predicted).count("observed 20.0") == 200
    view.open("Compare")
    assert of_all in shown_text(view.tab("Compare"))
    assert view.tab("Compare").table.object.count("<td>") == 2 * 200
    shown.choose("ilokano_reduplication")
    view.open("Learn")
    assert not grid.fixed
    assert len(grid.table.value) == 3


def test_warnings_of_a_file_are_listed_by_line(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("own.csv", b"Input,Output,Frequency,A\nx,k\\a',3,1\nx,b,2,1\n")
    view.tab("Data").zone.wait()
    assert "own.csv is loaded, with 1 warning." in view.tab("Data").message
    assert "line 3, column 3" in view.tab("Data").message
    assert "'b' and 'k\\a'' of" in unescape(view.tab("Data").message)


def test_a_file_replaces_the_table_and_undo_does_not_lead_into_the_one_before(shown):
    shown.open_file("own.csv", b"Input,Output,Frequency,A\nx,a,3,1\nx,b,2,0\n")
    assert shown.tableau.candidates == ("a", "b")
    assert (shown.example, shown.own_name) == ("", "own.csv")
    assert not shown.state.document.history.can_undo


def test_the_table_taken_home_reads_back(lab):
    for ending in ("csv", "otsoft", "xlsx"):
        back = read_bytes(file_bytes(lab.state, ending), f"table.{ending}").tableau
        assert back.candidates == lab.tableau.candidates
        np.testing.assert_array_equal(back.violations, lab.tableau.violations)


def downloaded(lab, key):
    data = file_bytes(lab.state, key)
    about = dict(line[2:].split(": ", 1) for line in data.decode().splitlines() if line.startswith("# "))
    return pd.read_csv(io.BytesIO(data), comment="#"), about


def test_what_every_learner_found_can_be_downloaded(shown):
    finished(shown)
    draws, about = downloaded(shown, "draws")
    assert list(draws.columns) == ["chain", "draw", "*C-ONS", "AL", "I_BR"]
    assert len(draws) == 4 * 540
    assert about["table"] == shown.tableau.title
    assert about["otlab"] == __version__
    assert "numpy" in about["versions"]
    assert about["Gibbs"].startswith("seed 2005, noise 1.0, bound 6.0, total 99")
    assert "weights nonnegative" in about["MaxEnt"]

    fits = shown.state.fits
    parameters, _ = downloaded(shown, "parameters")
    assert list(parameters["Learner"]) == ["Gibbs"] * 3 + ["GLA"] * 3 + ["MaxEnt"] * 3
    means = np.concatenate([fits[name].mean for name in ("gibbs", "gla", "maxent")])
    np.testing.assert_allclose(parameters["Mean"], means, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(parameters["ESS"][:3], fits["gibbs"].trust.ess, rtol=1e-5)
    assert (parameters["Low 2.5 %"][:3] < parameters["Median"][:3]).all()

    predictions, _ = downloaded(shown, "predictions")
    np.testing.assert_allclose(predictions["Observed"], 1 / 3, rtol=1e-5)
    assert {"Gibbs mean", "Gibbs low", "GLA mean", "MaxEnt mean"} <= set(predictions.columns)

    report = file_bytes(shown.state, "learnt").decode()
    assert "What was learnt by Gibbs from Ilokano" in report
    assert "schedule: otsoft" in report
    assert file_bytes(shown.state, "netcdf").startswith(b"\x89HDF")

    summary, _ = downloaded(shown, "summary")
    assert list(summary["Learner"]) == ["Gibbs", "GLA", "MaxEnt"]
    np.testing.assert_allclose(
        summary["Log likelihood"], [fit.predicted.log_likelihood for fit in fits.values()], rtol=1e-5
    )


def test_the_posterior_of_weights_can_be_downloaded():
    lab = OTLab("spanish")
    lab.settings.param.update(sweeps=300, chains=2)
    lab.layout = lab.main()
    lab.runner.enable(("maxent-bayes",))
    lab.runner.run()
    assert lab.runner.wait(60)
    parameters, _ = downloaded(lab, "parameters")
    assert set(parameters["Kind"]) == {"weight"}
    low, high = np.quantile(lab.state.fits["maxent-bayes"].posterior.pooled("weight"), [0.025, 0.975], axis=0)
    np.testing.assert_allclose(parameters["Low 2.5 %"], low, rtol=1e-5)
    np.testing.assert_allclose(parameters["High 97.5 %"], high, rtol=1e-5)


def test_every_file_can_be_taken_home_before_a_run(lab):
    learnt = {"learnt", "netcdf", "page"}
    assert all(file_bytes(lab.state, key) for key in FILES.keys() - learnt)
    for key in learnt:
        with pytest.raises(InputError, match=r"Nothing has been learnt yet|There are no draws yet"):
            file_bytes(lab.state, key)
    assert [key for key, _ in grouped() if key] == list(FILES)


@pytest.mark.parametrize("name", ["lin2005_table2", "finnish_genitive_plural_motifs", "inconsistent_demo"])
def test_other_tables_can_be_shown(name):
    lab = OTLab(name)
    view = None
    layout = lab.main()
    (view,) = lab.showings
    for tab in ("Compare", "Data", "Learn"):
        view.open(tab)
    assert layout.get_root() is not None


def test_thirty_constraints_and_one_candidate_can_be_shown():
    wide = Tableau.from_rows([("x", "ɹ̩ʷˤ", 3, range(30))], [f"Constraint_{k}" for k in range(30)])
    lab = OTLab(wide)
    lab.settings.param.update(sweeps=50, runs=2, trials=100)
    layout = lab.main()
    finished(lab)
    assert layout.get_root() is not None


def test_runs_on_a_large_table_are_made_beside_the_page():
    winner, loser = ("a", 1, (0, 1)), ("b", 0, (1, 0))
    rows = [(f"in{k}", f"out{k}{c}", n, v) for k in range(3000) for c, n, v in (winner, loser)]
    lab = OTLab(Tableau.from_rows(rows, ["C1", "C2"]))
    with drawing():  # runs wait for the page: what is seen here does not depend on the machine
        lab.runner.run()
        assert lab.runner.phase == "preparing"
        until(lambda: lab.runner.tick() or "rankings of input" in head(lab)["progress"]["rest"])
        assert not lab.state.has_results
        lab.runner.stop()
    assert lab.runner.phase == "stopped"
    lab.runner.enable(["maxent"])
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.state.answers.maxent.round(3).tolist()[:2] == [1.0, 0.0]


def test_the_lab_s_settings_reach_every_learner(shown):
    shown.settings.param.update(
        rule="magri", plasticities="AL=0.5", runs=2, trials=500, sweeps=200, prior="normal", prior_sd=3.0
    )
    shown.settings.param.update(place="late", weights="free", weight_sd=2.0, faithfulness_low=1.0)
    shown.runner.enable(["gibbs", "gla", "hg", "maxent-bayes", "maxent-online", "edcd"])
    finished(shown)
    fits = shown.state.fits
    assert fits["gla"].settings["rule"] == "magri"
    assert fits["hg"].settings["place"] == "late"
    assert fits["hg"].settings["weights"] == "free"
    assert fits["gibbs"].settings["prior"]["sd"][0] == 3.0
    assert {abs(mean) for mean in fits["gibbs"].settings["prior"]["mean"]} == {1.0}
    for weighted in ("maxent-bayes", "maxent-online"):
        assert set(fits[weighted].settings["prior"]["sd"]) == {2.0}
        assert set(fits[weighted].settings["prior"]["mean"]) == {0.0}
    assert fits["edcd"].settings["sweeps"] > 0
