"""``otlab page``: the OT lab as one file."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from otlab.cli import main
from otlab.ot import read
from otlab.web.page import MOST_CONSTRAINTS, lab_page

DOCUMENTS = Path(__file__).parents[1] / "ui/documents/fixtures/format_2"


def test_a_page_is_written(capsys, tmp_path):
    out = tmp_path / "lab.html"
    assert main(["page", "-o", str(out), "spanish", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert out.read_text(encoding="utf-8") == lab_page(read("spanish"))
    assert result["files"] == [str(out)]
    assert result["bytes"] == out.stat().st_size


def test_without_a_table_it_opens_with_a_sample(capsys, tmp_path):
    assert main(["page", "--out", str(tmp_path / "lab.html")]) == 0
    assert (tmp_path / "lab.html").read_text(encoding="utf-8") == lab_page(read("ilokano"))
    assert "written" in capsys.readouterr().out


def test_speakers_and_items_that_the_page_drops_are_named(capsys, tmp_path):
    out = tmp_path / "lab.html"
    assert main(["page", "-o", str(out), "speakers_and_words"]) == 0
    assert "lab.html: a page has no place for speakers and items" in " ".join(capsys.readouterr().out.split())
    assert '"left":["speakers and items"]' in out.read_text(encoding="utf-8")
    assert lab_page(read("ilokano")).count('"left":[]') == 1
    table = tmp_path / "t.csv"
    table.write_text("Input,Output,Frequency,A\nx,y,1,1\n,z,0,1\n", encoding="utf-8")
    assert main(["page", "-o", str(out), str(table)]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1  # what is not about the page is a warning
    assert "identical violation profiles" in captured.err


def test_what_cannot_be_done_is_told(capsys, tmp_path):
    assert main(["page", "-o", str(tmp_path / "x.html"), "overt_stress"]) == 2
    assert "overt forms" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
    assert main(["page", "-o", str(tmp_path / "none" / "x.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_document_of_the_lab_is_shown_with_its_results(capsys, tmp_path):
    out = tmp_path / "lab.html"
    assert main(["page", "-o", str(out), str(DOCUMENTS / "ot_finished.otlab")]) == 0
    data = json.loads(
        re.search(r'id="data" type="application/json">(.*?)</script>', out.read_text("utf-8"))[1]
    )
    learners = [result["learner"] for result in data["results"]]
    assert learners[:3] == ["gibbs", "gla", "maxent"]
    assert all(result["seed"] == data["seed"] for result in data["results"])
    paused = tmp_path / "paused.html"
    assert main(["page", "-o", str(paused), str(DOCUMENTS / "ot_paused.otlab")]) == 0
    assert '"finished":false' in paused.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (DOCUMENTS / "tagging_finished.otlab", "is a document of the Tagging lab; give one of the OT lab"),
        ("broken.otlab", "is not a document of otlab, or is damaged"),
        ("broken.json", "is not a result of “otlab learn --json”"),
        ("gone.json", "gone.csv"),
    ],
)
def test_what_is_no_result_is_refused_by_name(capsys, tmp_path, name, words):
    (tmp_path / "broken.otlab").write_bytes(b"PK")
    (tmp_path / "broken.json").write_text("[]", encoding="utf-8")
    result = {"learner": "gibbs", "settings": {"file": "gone.csv"}, "seed": 1}
    (tmp_path / "gone.json").write_text(json.dumps(result), encoding="utf-8")
    assert main(["page", "-o", str(tmp_path / "x.html"), str(tmp_path / name)]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


def test_an_exercise_is_asked_in_the_page(capsys, tmp_path):
    out = tmp_path / "exercise.html"
    options = ["--question", "Why?", "--choice", "AL", "--choice", "DEP", "--lock", "data", "--hide-results"]
    assert main(["page", "-o", str(out), "spanish", *options, "--guess", "ranking", "--seed", "3"]) == 0
    data = json.loads(
        re.search(r'id="data" type="application/json">(.*?)</script>', out.read_text("utf-8"))[1]
    )
    asked = data["exercise"]
    assert (asked["question"], asked["choices"], asked["locked"], asked["hides"]) == (
        "Why?", ["AL", "DEP"], ["data"], True,
    )  # fmt: skip
    assert [name["stem"] for name in asked["guessing"]["line"]["names"]] == list(read("spanish").constraints)
    assert data["seed"] == 3


def test_a_package_for_a_course_is_written(capsys, tmp_path):
    out = tmp_path / "exercise.zip"
    assert main(["page", "-o", str(out), "spanish", "--question", "Why?", "--scorm", "1.2"]) == 0
    with zipfile.ZipFile(out) as package:
        assert package.namelist() == ["imsmanifest.xml", "index.html"]
        assert '"question":"Why?"' in package.read("index.html").decode()


def test_faults_of_an_exercise_are_told_together(capsys, tmp_path):
    out = tmp_path / "x.html"
    assert main(["page", "-o", str(out), "spanish", "--lock", "dta", "--scorm", "3"]) == 2
    told = capsys.readouterr().err
    assert all(part in told for part in ("add --question", "did you mean data", "1.2, 2004"))
    assert not out.exists()


def test_an_exercise_begins_with_a_table_or_a_document(capsys, tmp_path):
    out, document = tmp_path / "x.html", str(DOCUMENTS / "ot_finished.otlab")
    assert main(["page", "-o", str(out), document, "--question", "Why?"]) == 0
    data = json.loads(
        re.search(r'id="data" type="application/json">(.*?)</script>', out.read_text("utf-8"))[1]
    )
    assert data["exercise"]["question"] == "Why?"
    assert data["results"] == []
    assert main(["page", "-o", str(out), "result.json", "--question", "Why?"]) == 2
    assert "result.json: an exercise begins with a table, not with a result" in capsys.readouterr().err


def test_a_result_finds_its_table_or_is_told_it(capsys, monkeypatch, tmp_path):
    table, result = tmp_path / "own.csv", tmp_path / "result.json"
    table.write_text("Input,Output,Frequency,A,B\nx,y,3,1,0\nx,z,1,0,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "own.csv", "--learner", "maxent", "--seed", "1", "--json"]) == 0
    printed = capsys.readouterr().out
    result.write_text(printed, encoding="utf-8")
    monkeypatch.chdir("/")  # the table is beside the result, not where the command is called
    out = tmp_path / "x.html"
    assert main(["page", "-o", str(out), str(result)]) == 0
    found = out.read_text(encoding="utf-8")
    piped = {**json.loads(printed), "settings": {**json.loads(printed)["settings"], "file": "-"}}
    result.write_text(json.dumps(piped), encoding="utf-8")
    assert main(["page", "-o", str(out), str(result)]) == 2
    assert "does not name its table; name the table behind it" in capsys.readouterr().err
    assert main(["page", "-o", str(out), str(result), str(table)]) == 0
    assert out.read_text(encoding="utf-8") == found
    assert main(["page", "-o", str(out), str(table), str(table)]) == 2
    assert "is no result; name one file" in capsys.readouterr().err


def test_a_page_has_a_limit_of_constraints(capsys, tmp_path):
    names = [f"C{n}" for n in range(MOST_CONSTRAINTS + 1)]
    table = tmp_path / "wide.csv"
    table.write_text(
        f"Input,Output,Frequency,{','.join(names)}\nx,y,1{',1' * len(names)}\n", encoding="utf-8"
    )
    assert main(["page", "-o", str(tmp_path / "x.html"), str(table)]) == 2
    said = f"it has {len(names)} constraints; keep {MOST_CONSTRAINTS} or fewer for a page"
    assert said in capsys.readouterr().err
