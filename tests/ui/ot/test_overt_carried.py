"""What is heard of each candidate goes with a table: edits, documents, links, files, LaTeX, the sweep."""

from __future__ import annotations

import pytest

from otlab import load_sample
from otlab.cli import main
from otlab.ot import read, to_csv
from otlab.ot.io.read import read_bytes
from otlab.ui.documents.encoding import dumps, loads
from otlab.ui.ot.document import Document
from otlab.ui.ot.lab import OTLab
from otlab.ui.ot.tabs.downloads import download


def heard_by_candidate(tableau):
    names = zip(tableau.input_of_row.tolist(), tableau.candidates, strict=True)
    return dict(zip(names, tableau.overt, strict=True))


@pytest.fixture
def stress():
    return load_sample("overt_stress")


def test_edits_keep_what_is_heard_and_undo_brings_it_back(stress):
    document = Document(stress)
    heard = heard_by_candidate(stress)
    document.move_candidate(0, 1)
    document.move_input(0, 1)
    assert set(heard_by_candidate(document.tableau).values()) == set(heard.values())
    by_name = dict(zip(document.tableau.candidates, document.tableau.overt, strict=True))
    assert by_name == dict(zip(stress.candidates, stress.overt, strict=True))
    new = document.add_candidate(0)
    assert document.tableau.overt_forms[new] == document.tableau.candidates[new]
    document.remove_candidate(0)
    assert len(document.tableau.overt) == document.tableau.n_rows
    document.type(0, "count", "9")
    document.add_input()
    assert len(document.tableau.overt) == document.tableau.n_rows


def test_contents_links_and_stored_values_hold_what_is_heard(stress):
    lab = OTLab(stress)
    written = lab.state.written(lab.state.contents())
    again = lab.state.read_back(written, "t")["table"]
    assert again.overt == stress.overt
    assert again.frequencies.tolist() == stress.frequencies.tolist()
    assert loads(dumps(stress)).overt == stress.overt
    lab.state.document.remove_candidate(0)
    lab.state.history.undo()
    assert lab.tableau.overt == stress.overt
    lab.close()


@pytest.mark.parametrize("key", ["csv", "xlsx"])
def test_downloads_hold_what_is_heard(stress, key):
    lab = OTLab(stress)
    name, data = download(lab.state, key)
    again = read_bytes(data, name).tableau
    assert heard_by_candidate(again) == heard_by_candidate(stress)
    assert again.frequencies.tolist() == stress.frequencies.tolist()
    lab.close()


@pytest.mark.parametrize("key", ["ot-tableau", "tabular", "html", "svg"])
def test_tableaux_for_papers_have_every_parse(stress, key):
    lab = OTLab(stress)
    text = download(lab.state, key)[1].decode()
    assert text.count("(L1") >= sum(name.startswith("(L1") for name in stress.candidates)
    lab.close()


def test_the_command_line_converts_there_and_back(stress, tmp_path):
    sheet, table = tmp_path / "s.xlsx", tmp_path / "s.csv"
    to_csv(stress, tmp_path / "first.csv")
    assert main(["convert", str(tmp_path / "first.csv"), str(sheet)]) == 0
    assert main(["convert", str(sheet), str(table)]) == 0
    assert heard_by_candidate(read(table)) == heard_by_candidate(stress)


def test_a_format_without_overt_forms_says_that_they_are_lost(stress, tmp_path, capsys):
    to_csv(stress, tmp_path / "first.csv")
    for name in ("s.txt", "s.OTGrammar"):
        main(["convert", str(tmp_path / "first.csv"), str(tmp_path / name)])
        told = capsys.readouterr()
        assert "overt forms" in told.out + told.err


@pytest.mark.slow
def test_a_sweep_runs_over_temperatures_of_overt_forms(stress, tmp_path, capsys):
    to_csv(stress, tmp_path / "stress.csv")
    spec = tmp_path / "s.toml"
    spec.write_text(
        '[[sweep]]\nsystem = "ot"\ndata = ["stress.csv"]\nlearner = ["latent-gibbs"]\nseeds = [1]\n'
        "[sweep.settings]\nsweeps = [40]\nchains = [2]\ntemperatures = [1, 3]\n",
        encoding="utf-8",
    )
    assert main(["sweep", str(spec)]) == 0
