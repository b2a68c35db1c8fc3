"""The long table of the tagging benchmarks, in small: two seeds, 30 iterations, on the shipped sample."""

from __future__ import annotations

import json

import pytest

from benchmarks import table1

pytestmark = pytest.mark.slow
SMALL = ["--seeds", "2", "--iterations", "30", "--sweeps", "30", "--starts", "dirichlet", "--resume"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(table1, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(table1, "RESULTS", tmp_path)
    monkeypatch.setenv("OTLAB_EWT", str(tmp_path / "nowhere"))
    return tmp_path


def test_every_row_is_run_from_the_same_starts_and_found_again(folder):
    assert table1.main(SMALL) == 0
    first = (folder / "table1.json").read_text()
    content = json.loads(first)
    assert content["missing"] == []
    assert [len(row["runs"]) for row in content["rows"]] == [2] * len(content["rows"])
    climbing = [run for row in content["rows"] if row["estimator"] == "EM" for run in row["runs"]]
    assert all(run["objective"] == sorted(run["objective"]) for run in climbing)
    assert not any(run["alarm"] for row in content["rows"] for run in row["runs"])
    page = (folder / "table1.md").read_text()
    assert page.count(" ± ") >= 5 * len(content["rows"])
    assert table1.main(SMALL) == 0
    assert (folder / "table1.json").read_text() == first


def test_each_start_has_a_table_of_its_own(folder):
    argv = ["--seeds", "1", "--iterations", "2", "--rows", "EM", "--starts", "dirichlet,jitter", "--resume"]
    assert table1.main(argv) == 0
    tables = [json.loads((folder / name).read_text()) for name in ("table1.json", "table1_jitter.json")]
    assert [table["settings"]["start"] for table in tables] == ["dirichlet", "jitter"]
    first, other = (table["rows"][0]["runs"][0]["objective"][0] for table in tables)
    assert first != other


def test_rows_that_are_not_asked_for_stay_as_they_were_saved(folder):
    argv = ["--seeds", "1", "--iterations", "2", "--starts", "dirichlet", "--resume", "--rows"]
    assert table1.main([*argv, "VB(0.1"]) == 0
    before = json.loads((folder / "table1.json").read_text())["rows"]
    assert table1.main([*argv, "EM", "--seeds", "2"]) == 0
    content = json.loads((folder / "table1.json").read_text())
    assert [row["estimator"] for row in content["rows"]] == [
        "EM",
        *(row["estimator"] for row in before),
        *["EM"] * 3,
    ]
    assert [row for row in content["rows"] if row["estimator"] != "EM"] == before
    assert "EM (50)" not in content["missing"]
