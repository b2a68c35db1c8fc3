"""``otlab page``: the OT lab as one file."""

import json

from otlab.cli import main
from otlab.ot import read
from otlab.web.page import lab_page


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


def test_what_cannot_be_done_is_told(capsys, tmp_path):
    assert main(["page", "-o", str(tmp_path / "x.html"), "overt_stress"]) == 2
    assert "overt forms" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
    assert main(["page", "-o", str(tmp_path / "none" / "x.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err
