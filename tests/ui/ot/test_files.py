"""Files and downloads of the OT lab, and tables too large to be drawn whole."""

from __future__ import annotations

import io
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import panel as pn
import pytest

from otlab import __version__
from otlab.errors import InputError
from otlab.ot import Tableau, read, to_csv
from otlab.ot.io.read import read_bytes
from otlab.reading import ReadAs
from otlab.ui.documents.archive import read_archive
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.downloads import FILES, file_bytes, grouped
from otlab.ui.ot.tabs.one_page import page_of_file
from otlab.ui.timers import drawing
from otlab.viz.ot.leading import first_inputs, inputs_left_out
from tests.ui.ot.helpers import finished, head, view_of
from tests.ui.page import control, messages, one, page, press, send, sent, shown_text
from tests.ui.waiting import until


def test_a_bad_file_says_everything_and_keeps_the_table(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("bad.csv", b"Input,Output,Frequency,A\nx,a,1,1.5\nx,b,-4,0\n")
    view.tab("Data").zone.wait()
    message = messages(view.tab("Data"))
    assert "bad.csv was not loaded: 2 problems" in message
    assert "row 2, A" in message
    assert "row 3, Frequency" in message
    assert shown.tableau == read("ilokano")


def test_files_in_windows_1252_are_read_with_a_warning(shown):
    view = view_of(shown)
    view.open("Data")
    tab = view.tab("Data")
    tab.zone.take("señal.csv", "input,candidate,frequency,A,Ñ\nmañana,a,1,0,1\n,b,2,1,0\n".encode("cp1252"))
    tab.zone.wait()
    assert shown.tableau.inputs == ("mañana",)
    assert "señal.csv is loaded, with 1 warning." in messages(tab)
    assert "not UTF-8, read as Windows-1252 (Latin-1); if its letters are wrong" in messages(tab)
    tab.zone.take("bias.txt", "A\t1\t2\nÑ\t0\t2\n".encode("cp1252"))
    tab.zone.wait()
    assert "The priors are those of bias.txt. bias.txt: not UTF-8, read as Windows-1252" in messages(tab)


NEGATIVE = b"Input,Output,Count,*Vcd,Ident\nbad,bad,27,-1,0\nbad,pat,73,0,-2\n"


def test_negative_violations_can_be_read_with_their_sign(shown):
    view = view_of(shown)
    view.open("Data")
    tab = view.tab("Data")
    tab.zone.take("negative.csv", NEGATIVE)
    tab.zone.wait()
    assert shown.tableau.violations.tolist() == [[1, 0], [0, 2]]
    assert "read as penalties" in messages(tab)
    assert tab.read_as.sentence.startswith("Read as a table of candidates, negative numbers are penalties: 2")
    tab.read_as._handle_msg({"reading": 1})
    tab.zone.wait()
    assert shown.tableau.violations.tolist() == [[-1, 0], [0, -2]]
    assert shown.state.readings[0].options == {"sign": "as written"}
    shown.state.history.undo()
    assert shown.tableau.violations.tolist() == [[1, 0], [0, 2]]
    assert shown.state.readings[0].options == {}


def test_how_a_table_was_read_comes_back_with_the_document(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("negative.csv", NEGATIVE)
    view.tab("Data").zone.wait()
    again = OTLab("spanish")
    again.from_dict(shown.to_dict())
    assert again.tableau == shown.tableau
    assert again.state.readings == shown.state.readings
    again.close()


def test_a_row_of_weights_is_offered_as_ranking_values(shown):
    view = view_of(shown)
    view.open("Data")
    tab = view.tab("Data")
    tab.zone.take("w.csv", b"Input,Output,Count,A,B\nweights,,,1.5,3.5\ni,o,1,1,0\ni,p,3,0,1\n")
    tab.zone.wait()
    press(tab.messages, "Predict with the weights of the file")
    assert shown.state.values.tolist() == [-1, 1]
    shown.state.document.rename_constraint(0, "Other")
    tab.show_values({"A": 1.5, "B": 3.5})  # the button of a message that was in sight
    assert "The constraints are not those of the file any more." in messages(tab)
    assert shown.state.values.tolist() == [-1, 1]


def test_files_dropped_elsewhere_say_on_the_page_what_was_read():
    lab = OTLab("ilokano")
    told = sent(one(page(lab), "AppBar"))
    lab.open_file("bias.csv", b"Constraint,Mu,Sigma\nAL,1,2\n")
    assert lab.settings.prior_means == "AL=1"
    lab.open_file("negative.csv", NEGATIVE)
    lab.open_file("w.OTGrammar", b'"ooTextFile" "OTGrammar" 1 "A" 9 9 0 1 "x" 2 "\\ic" 0 "b" 1')
    lab.open_file("pairs.csv", b"Input,Winner,Loser,A,B\nx,a,b,W,L\n")
    assert lab.tableau.candidates == ("a", "b")
    said = [message["toast"] for message in told if "toast" in message]
    assert any(words.startswith("Read as a comparative tableau, W and L") for words in said)
    assert any("The priors are those of bias.csv" in words for words in said)
    assert any("read as penalties" in words for words in said)
    lab.close()


def test_a_file_that_is_gone_is_not_read_in_another_way(shown):
    view = view_of(shown)
    view.open("Data")
    before = shown.tableau
    view.tab("Data").read_so(ReadAs("table", "a table of candidates"))
    assert shown.tableau is before


def test_a_document_of_another_lab_has_no_page():
    lab = OTLab("ilokano")
    saved = read_archive(lab.document_file()[1]())
    assert page_of_file(saved)[1] == lab.tableau
    other = replace(saved, summary=replace(saved.summary, lab="mg_lab"))
    with pytest.raises(InputError, match="is a document of the Grammar lab; give one of the OT lab"):
        page_of_file(other)
    lab.close()


def test_faults_of_a_table_pasted_into_the_grid_name_row_and_column(shown):
    text = "Input\tOutput\tFreq\tA\ni\to\tten\t1\n\tp\t1\tmany\n"
    assert [line.partition(":")[0] for line in shown.state.document.paste(0, "", text).split("\n")] == [
        "Row 2, Freq",
        "Row 3, A",
    ]


def test_remarks_on_a_table_pasted_into_the_grid_are_kept(shown):
    assert shown.state.document.paste(0, "", NEGATIVE.decode().replace(",", "\t")) == ""
    assert shown.tableau.violations.tolist() == [[1, 0], [0, 2]]
    assert "read as penalties" in shown.state.document.remarks[0]


def big_table(rows):
    """Return a table with this many rows, as a file."""
    lines = ["Input,Output,Frequency," + ",".join(f"C{k}" for k in range(8))]
    lines += [f"i{n // 5},o{n},1,{n % 5},{n % 2},0,1,2,0,1,0" for n in range(rows)]
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.slow
def test_a_large_file_is_read_beside_the_page_and_can_be_cancelled(shown, slow_reading):
    view = view_of(shown)
    view.open("Data")
    zone = view.tab("Data").zone
    zone.take("big.csv", big_table(20_000))
    reading = zone.reading
    zone.look()
    assert zone.state["text"] == "Reading big.csv"
    send(zone, {"kind": "cancel"}, "FileZone")
    assert zone.state == {}
    slow_reading.set()
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


def test_accents_that_would_make_two_candidates_one_stay(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("own.txt", b"\t\t\tA\nx\tk\\a'\t3\t1\n\tb\t2\t0\n")
    view.tab("Data").zone.wait()
    shown.state.document.type(1, "candidate", "ká")
    press(view.tab("Data"), "Read \\a' as á")
    assert "The accents stay as they are." in messages(view.tab("Data"))
    assert shown.tableau.candidates == ("k\\a'", "ká")


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
    assert "The frequencies are those of w.PairDistribution" in messages(view.tab("Data"))
    shown.undo()
    assert shown.tableau.frequencies.tolist() == [0, 0]
    zone.take("w.PairDistribution", b'"ooTextFile" "PairDistribution" 1 "x" "other" 7')
    zone.wait()
    assert "the grammar has no candidate" in messages(view.tab("Data"))
    assert shown.tableau.frequencies.tolist() == [0, 0]


@pytest.mark.slow
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


@pytest.mark.slow
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
    text = page()
    assert "60 observed candidates can never win" in text
    assert "And 10 more." in text


@pytest.mark.slow
def test_a_table_too_large_for_the_grid_is_shown_in_part_and_learnt_from(shown):
    shown.open_file("big.csv", big_table(2_500))
    view = view_of(shown)
    grid = view.tab("Learn").violations.grid
    assert grid.fixed
    assert len(grid.table.value) == 100
    assert "The first 100 of 2,500 rows" in grid.foot.object
    assert not any(control(shown.layout, name).visible for name in ("Candidate", "Constraint", "Input"))
    send(grid, {"kind": "paste", "row": 0, "field": "c_0", "text": "7\t7"}, "GridKeys")
    assert shown.tableau.violations[0, 0] == 0
    shown.runner.runner.enabled = {"maxent"}
    finished(shown)
    assert shown.state.maxent.predicted.shape == (2_500,)
    of_all = "the first 200 of 2,500 candidates"
    assert of_all in view.tab("Learn").predicted.card.remark
    assert shown_text(view.tab("Learn").predicted).count(">observed 20.0") == 200
    view.open("Compare")
    assert of_all in shown_text(view.tab("Compare"))
    assert view.tab("Compare").table.object.count("<td>") == 2 * 200
    shown.choose("ilokano_reduplication")
    view.open("Learn")
    assert not grid.fixed
    assert len(grid.table.value) == 3


@pytest.mark.slow
def test_every_row_that_can_be_edited_stands_on_one_page_of_the_grid(shown):
    """The place of a row in the page is its number: a second page would begin at 0 again."""
    shown.open_file("some.csv", big_table(400))
    table = view_of(shown).tab("Learn").violations.grid.table
    assert len(table.value) == 400
    assert table.pagination is None


def test_warnings_of_a_file_are_listed_by_line(shown):
    view = view_of(shown)
    view.open("Data")
    view.tab("Data").zone.take("own.csv", b"Input,Output,Frequency,A\nx,k\\a',3,1\nx,b,2,1\n")
    view.tab("Data").zone.wait()
    assert "own.csv is loaded, with 1 warning." in messages(view.tab("Data"))
    assert "row 3, Output" in messages(view.tab("Data"))
    assert "'b' and 'k\\a'' of" in unescape(messages(view.tab("Data")))


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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_files_of_results_are_refused_until_there_are_any(lab):
    tables = {"draws", "netcdf", "parameters", "pairs", "parses", "speakers", "summary"}
    learnt = {"learnt", "page", *tables, *(key for key in FILES if key.startswith("learnt "))}
    assert all(file_bytes(lab.state, key) for key in FILES.keys() - learnt)
    for key in learnt:
        with pytest.raises(InputError, match=r"learnt .*yet|There are no draws .*yet"):
            file_bytes(lab.state, key)
    lab.runner.enable(["gibbs"])
    finished(lab)
    for key, what in (("parses", "No parses"), ("speakers", "of speakers and items")):
        with pytest.raises(InputError, match=what):
            file_bytes(lab.state, key)
    assert [key for key, _ in grouped() if key] == list(FILES)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lin2005_table2", "finnish_genitive_plural_motifs", "inconsistent_demo"])
def test_other_tables_can_be_shown(name):
    lab = OTLab(name)
    view = None
    layout = lab.main()
    (view,) = lab.showings
    for tab in ("Compare", "Data", "Learn"):
        view.open(tab)
    assert layout.get_root() is not None


@pytest.mark.slow
def test_thirty_constraints_and_one_candidate_can_be_shown():
    wide = Tableau.from_rows([("x", "ɹ̩ʷˤ", 3, range(30))], [f"Constraint_{k}" for k in range(30)])
    lab = OTLab(wide)
    lab.settings.param.update(sweeps=50, runs=2, trials=100)
    layout = lab.main()
    finished(lab)
    assert layout.get_root() is not None


@pytest.mark.slow
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
