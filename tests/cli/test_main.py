"""What all commands share: exit codes, one JSON object, one fault per line."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from otlab import __version__
from otlab.cli import main
from otlab.cli.progress import progress_bar, share_bar
from otlab.files import json_values
from otlab.inference import fit
from tests.inference.toys import Walk


def test_json_is_one_object_with_the_common_keys(capsys):
    assert main(["samples", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["otlab"] == __version__
    assert {"seed", "settings", "seconds", "samples"} <= out.keys()
    assert {"name", "system", "title", "source"} == out["samples"][0].keys()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_is_told_in_words(more):
    command = [sys.executable, "-m", "otlab", "samples", *more]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "otlab: the output cannot be written: No space left on device; make room or choose another\n"
    )


def test_a_reader_of_the_output_may_leave():
    with subprocess.Popen(
        [sys.executable, "-m", "otlab", "samples", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_people_get_a_table(capsys):
    assert main(["samples"]) == 0
    assert "ilokano_reduplication" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv",
    [
        ["predict"],
        ["samples", "--bogus"],
        ["nonsense"],
        ["samples", "--seed", "x"],
        ["samples", "--seed", "-1"],
        ["samples", "--threads", "0"],
    ],
)
def test_a_wrong_option_is_exit_2_with_one_line(argv, capsys):
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1
    assert "--help" in captured.err


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("learn A.csv --learner gla --schedule B.txt", "A.csv B.txt"),
        ("rank A.csv --apriori B.txt", "A.csv B.txt"),
        ("check A.csv --features B.csv --tiers C.txt", "A.csv B.csv C.txt"),
        ("gen pa --constraints Max --features B.csv --tiers C.txt", "B.csv C.txt"),
        ("reading A.mg B.csv --against C.mg", "B.csv A.mg C.mg"),
        ("induce A.mg B.txt --spell-out C.txt", "A.mg C.txt B.txt"),
        ("tag A.txt --dictionary B.txt --match C.json", "A.txt C.json B.txt"),
    ],
)
def test_all_files_that_are_missing_are_named_at_once(capsys, command, missing):
    assert main(command.split()) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert [name in line for name, line in zip(missing.split(), lines, strict=True)] == [True] * len(lines)


def test_json_numbers_are_finite():
    values = {"a": np.array([1.0, np.nan]), "b": (float("inf"), np.float64(2)), 3: [np.int64(4), None, "x"]}
    assert json_values(values) == {"a": [1.0, None], "b": [None, 2.0], "3": [4, None, "x"]}


def test_ctrl_c_keeps_what_is_there(capsys):
    from rich.console import Console

    class Stops(Walk):
        def step(self, rng, state, n):
            if len(moved) == 3:
                raise KeyboardInterrupt
            return super().step(rng, state, n)

    moved = []
    with progress_bar(Console(stderr=True), "walking") as show:
        fitted = fit(Stops(), steps=10**9, seed=1, watch=lambda tick: moved.append(tick) or show(tick))
    assert fitted.stopped
    assert fitted.tick is moved[-1]
    assert 0 < fitted.tick.sweep < 10**9
    assert capsys.readouterr().err == ""  # no bar, and no empty line, where nobody watches


def test_every_command_explains_itself(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert "samples" in capsys.readouterr().out


def test_a_command_is_a_module_of_one_shape():
    from importlib import import_module

    from otlab.cli.main import COMMANDS

    for name in COMMANDS:
        module = import_module(f"otlab.cli.{name}")
        module.add_arguments(argparse.ArgumentParser())
        assert module.HELP
        assert callable(module.execute)


def test_the_program_alone_serves_the_labs(monkeypatch):
    served = []
    monkeypatch.setattr("otlab.cli.serve.execute", lambda args, _: served.append(args) or {})
    assert main([]) == 0
    (args,) = served
    assert (args.labs, args.port, args.no_browser) == ([], None, False)


def test_a_table_of_which_nothing_is_counted_is_not_said_to_agree(capsys):
    assert main(["check", "ilokano"]) == 0
    assert "agree" not in (said := capsys.readouterr().out)
    assert "no cell can be checked" in said


def test_names_are_printed_as_they_are_written(capsys, tmp_path):
    table = tmp_path / "t.csv"
    rows = "Input,Output,Frequency,Ident[voice],*[b]\nka:o:,ka:o:,3,0,1\nka:o:,[/]a,1,1,0\n"
    table.write_text(rows, encoding="utf-8")
    for command in (["learn", "--learner", "maxent"], ["predict", "--values", "*[b]=1,Ident[voice]=0"]):
        assert main([*command, str(table)]) == 0
        printed = capsys.readouterr().out
        names = ["ka:o:", "[/]a", *(["Ident[voice]", "*[b]"] if command[0] == "learn" else [])]
        assert [name in printed for name in names] == [True] * len(names)


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (BrokenPipeError(), 0, ""),
        (
            OSError(28, "No space left on device", "runs.csv"),
            2,
            "otlab: runs.csv cannot be written: No space left on device; make room or choose another\n",
        ),
    ],
)
def test_an_output_that_fails_is_told_unless_its_reader_has_left(capsys, monkeypatch, error, code, told):
    def fails(result, console):
        raise error

    monkeypatch.setattr("otlab.cli.samples.show", fails)
    assert main(["samples"]) == code
    assert capsys.readouterr().err == told


def test_bars_of_a_terminal_show_their_label_and_share():
    from io import StringIO

    from rich.console import Console

    shown = StringIO()
    console = Console(file=shown, force_terminal=True, width=80)
    with progress_bar(console, "[b]walk") as show:
        fit(Walk(), steps=20, seed=1, watch=show)
    with share_bar(console, "languages") as show:
        show(0.5)
    text = shown.getvalue()
    assert "[b]walk" in text
    assert "20/20" in text
    assert "languages" in text
    assert " 50%" in text
