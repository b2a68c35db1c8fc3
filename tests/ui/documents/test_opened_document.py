"""What a lab saved as a file, opened in Python and on the command line without the lab."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import otlab
from otlab.cli import main
from otlab.discovery.joint.learners import LEARNERS as SOUND
from otlab.errors import DataWarning, InputError
from otlab.inference import run
from otlab.ot import Gibbs
from otlab.ui.mg.document import Entry
from otlab.ui.mg.lab import MGLab
from tests.test_every_learner import numbers
from tests.ui.documents.test_runs import ran

FILES = Path(__file__).parent / "fixtures" / "format_2"
RUNS = {
    "ot_paused": {"gibbs", "endless"},
    "tagging_paused": {"vb", "gibbs"},
    "mg_paused": {"vb", "gibbs"},
    "lexicon_paused_more": {"online", "noisy"},
}


def saved(lab, folder):
    """Save what is open in a lab as a file; return its path."""
    name, make = lab.document_file()
    path = folder / name
    path.write_bytes(make())
    return path


def printed(capsys, *argv, code=0):
    assert main([*map(str, argv), "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", RUNS)
def test_runs_of_each_lab_are_opened_where_they_were_paused(name):
    document = otlab.open_document(FILES / f"{name}.otlab")
    assert document.runs.keys() == RUNS[name]
    results = document.results()
    assert all(results[row].stopped for row in RUNS[name])
    assert all(0 < each.sweep < each.total for each in document.runs.values())


def test_data_settings_and_results_are_those_of_the_lab(case, store, tmp_path):
    lab = ran(case)
    document = otlab.open_document(saved(lab, tmp_path))
    state = lab.state
    assert document.settings["seed"] == str(lab.settings.seed)
    assert document.grammar == getattr(state, "grammar_text", "")
    assert document.sentences == getattr(state, "counts", {})
    data = state.lexicon if document.system == "mg" else getattr(state, "tableau", None) or state.corpus
    assert repr(document.data) == repr(data)
    shown = {} if case.learner in SOUND else {case.learner: lab.runner.runner.jobs[case.learner].last}
    if case.learner in SOUND:
        with pytest.warns(DataWarning, match="open the document in its lab"):
            assert not document.runs
    for name, tick in shown.items():
        assert document.runs[name].finished
        assert numbers(document.runs[name].tick().views[0]) == numbers(tick.views[0])


def test_a_paused_run_ends_with_the_numbers_of_one_that_never_stopped():
    document = otlab.open_document(FILES / "ot_paused.otlab")
    paused = document.runs["gibbs"]
    paused.total = 30
    last = paused.finish()
    whole = run(Gibbs(document.data), sweeps=30, seed=7, chains=paused.chains).finish()
    for found, expected in zip(last.views, whole.views, strict=True):
        np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-6)


def test_runs_that_need_their_lab_are_named():
    with pytest.warns(DataWarning, match=r"results of .*units.* are left out; open the document in its lab"):
        assert not otlab.open_document(FILES / "sound_paused.otlab").runs


def test_rows_of_a_lexicon_with_faults_are_named_or_refused(tmp_path):
    lab = MGLab()
    lab.state.entries = [*lab.state.entries, Entry("odd", "= =d v")]
    lab.state.rebuild()
    with pytest.warns(DataWarning, match=r"row 13 is left out, as in the lab: "):
        document = otlab.open_document(saved(lab, tmp_path))
    assert len(document.data.items) == 12


def test_commands_take_data_and_grammar_of_a_document(capsys, tmp_path):
    table = FILES / "ot_edited_since.otlab"
    fitted = printed(capsys, "learn", table, "--learner", "maxent", "--seed", 1)
    assert fitted["constraints"] == ["Max", "Dep", "Ident"]
    printed(capsys, "convert", table, tmp_path / "table.csv")
    again = printed(capsys, "learn", tmp_path / "table.csv", "--learner", "maxent", "--seed", 1)
    assert again["predictions"] == fitted["predictions"]
    lexicon = FILES / "mg_finished.otlab"
    document = otlab.open_document(lexicon)
    induced = printed(capsys, "induce", lexicon, "--learner", "em", "--seed", 1)
    found = document.results()["em"].elbo[-1]
    assert found == pytest.approx(induced["iterations"][-1]["elbo"], rel=1e-3)
    text = FILES / "lexicon_finished.otlab"
    found = printed(capsys, "discover", text, "--iterations", 4, "--seed", 7)
    assert found["settings"]["grammar"] == otlab.open_document(text).grammar
    tagged = printed(capsys, "tag", FILES / "tagging_paused.otlab", "--states", 3, "--iterations", 3)
    assert tagged["tokens"] == 160


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("learn", FILES / "mg_paused.otlab"), "is a document of the Grammar lab; give one of the OT lab"),
        (("learn", FILES / "ot_paused.otlab", "--keep-sign"), "leave out --keep-sign"),
        (
            ("tag", FILES / "tagging_paused.otlab", "--columns", "1,2", "--lowercase"),
            "leave out --columns, --lowercase",
        ),
        (("parse", FILES / "mg_paused.otlab", "you", "--start", "c"), "leave out --start"),
        (("induce", "faulty.otlab"), "faulty.otlab: is not a document of otlab, or is damaged"),
    ],
)
def test_a_document_that_a_command_cannot_use_is_refused_by_name(argv, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("faulty.otlab").write_bytes((FILES / "mg_paused.otlab").read_bytes()[:500])
    assert main([*map(str, argv)]) == 2
    assert said in capsys.readouterr().err


def test_readers_of_data_say_what_a_document_is(tmp_path):
    data = (FILES / "ot_paused.otlab").read_bytes()
    for read, name in ((otlab.ot.read, "table.xlsx"), (otlab.mg.read, "lexicon.mg")):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"is a document of a lab.*otlab\.open_document"):
            read(path)
