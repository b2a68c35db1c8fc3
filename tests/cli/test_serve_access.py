"""Other computers are let in with a password, or knowingly without one."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from otlab.cli import main
from otlab.cli.main import build_parser
from otlab.cli.serve import execute


@pytest.fixture
def served(monkeypatch):
    calls = []
    monkeypatch.setattr("otlab.ui.server.serving.serve", lambda *args, **given: calls.append((args, given)))
    monkeypatch.setattr("otlab.ui.server.serving.free_port", lambda _address, _port: 5006)
    return calls


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.7", "::"])
def test_an_open_address_without_a_password_is_refused(served, capsys, address):
    assert main(["serve", "--no-browser", "--address", address]) == 2
    message = capsys.readouterr().err
    assert f"--address {address} lets whoever reaches this computer run the labs" in message
    assert "--password WORD" in message
    assert not served


@pytest.mark.parametrize("options", [["--password", "vowel"], ["--no-password"]])
def test_an_open_address_with_either_option_is_served(served, options):
    main(["serve", "--no-browser", "--address", "0.0.0.0", *options])
    ((args, given),) = served
    assert args[1] == "0.0.0.0"
    assert given["password"] == (options[1] if len(options) > 1 else "")


def test_this_computer_alone_needs_no_password(served):
    main(["serve", "--no-browser"])
    assert served


def test_both_options_at_once_are_a_mistake(served, capsys):
    assert main(["serve", "--address", "0.0.0.0", "--password", "vowel", "--no-password"]) == 2
    assert "exclude each other" in capsys.readouterr().err
    assert not served


def test_a_terminal_says_at_once_that_the_labs_start_and_then_their_address(served, capsys):
    shown = StringIO()
    console = Console(file=shown, force_terminal=True, color_system=None)
    args = build_parser("serve").parse_args(["serve", "--no-browser"])
    execute(args, console)
    assert "Starting the labs" in shown.getvalue()
    served[0][1]["ready"]()
    assert capsys.readouterr().out == "http://localhost:5006/\n"


def test_a_file_has_only_the_address(served, capsys):
    main(["serve", "--no-browser"])
    served[0][1]["ready"]()
    assert capsys.readouterr() == ("http://localhost:5006/\n", "")
