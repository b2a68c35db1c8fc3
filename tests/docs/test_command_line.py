"""docs/command_line.md shows every command, option and key there is, and what really comes out."""

import argparse
import json
import re
import shutil
from functools import cache

import pytest

from otlab.cli.main import COMMANDS, build_parser
from tests.docs.conftest import DOCS

PAGE = (DOCS / "command_line.md").read_text(encoding="utf-8")
SECTIONS = {
    title.removeprefix("otlab "): text
    for title, text in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE)
}
SHARED = SECTIONS["What all commands share"]
NUMBER = re.compile(r"-?[\d,]*\.?\d+(?:e-?\d+)?")
# Keys that are words of the data (constraints, items, phones), not of the contract.
NAMED_BY_DATA = {"settings", "constraint_names", "versions", "omega", "theta", "expected_counts", "log_z"}
NAMED_BY_DATA |= {"winners", "substitutions", "hyperparameters", "low", "high", "rhat", "ess"}


@cache
def parser_of(command):
    (actions,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return actions.choices[command]


@cache
def options_of(command):
    return {option for action in parser_of(command)._actions for option in action.option_strings}


def examples_of(command, make_examples):
    return [e for e in make_examples.examples(SECTIONS[command]) if e.command.startswith(f"otlab {command} ")]


def test_every_command_has_a_section():
    assert set(COMMANDS) == set(SECTIONS) - {"What all commands share"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_told_and_none_that_is_not_there(command):
    documented = set(re.findall(r"`(--?[a-z-]+)", SECTIONS[command] + SHARED))
    there = options_of(command) - {"-h", "--help"}
    assert there <= documented
    everywhere = set().union(*map(options_of, COMMANDS))
    assert documented <= everywhere
    rows = set(re.findall(r"^\| `(--[a-z-]+)", SECTIONS[command], re.MULTILINE))
    assert rows - {"--learner"} <= there


@pytest.mark.parametrize("command", COMMANDS)
def test_every_choice_is_told(command):
    choices = {str(c) for action in parser_of(command)._actions for c in action.choices or ()}
    missing = {choice for choice in choices if not re.search(rf"\b{re.escape(choice)}\b", SECTIONS[command])}
    assert not missing


def keys_of(value):
    """Yield the keys of the contract, at any depth."""
    if isinstance(value, list):
        for item in value[:3]:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, below in value.items():
            yield key
            if key not in NAMED_BY_DATA:
                yield from keys_of(below)


@pytest.fixture(scope="module")
def folder_of(make_examples, tmp_path_factory):
    """Return the folder of a command: sweeps share one, so that a second finds the runs of the first."""
    shared = tmp_path_factory.mktemp("docs")
    shutil.copytree(DOCS / "examples", shared / "examples")
    return lambda command: shared if command.startswith("otlab sweep") else DOCS


@pytest.mark.parametrize("page", ["command_line.md", "file_formats.md"])
@pytest.mark.slow
def test_examples_print_what_the_page_shows(page, make_examples, folder_of):
    found = make_examples.examples((DOCS / page).read_text(encoding="utf-8"))
    assert found
    for command, shown in found:
        printed = make_examples.run(command, folder_of(command))
        assert alike(shown, printed), f"{command} now prints\n{printed}\nrun: python docs/make_examples.py"


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ("serve", "samples")])
def test_every_key_of_the_json_is_told(command, make_examples, folder_of):
    first = examples_of(command, make_examples)[0].command
    plain = first.split(" | ")[0].removesuffix(" --json")
    printed = make_examples.run(f"{plain} --json", folder_of(plain)).splitlines()[-1]
    documented = set(re.findall(r"`\"?([a-z_]+)\"?`", SECTIONS[command] + SHARED))
    assert set(keys_of(json.loads(printed))) <= documented


def test_every_key_of_the_samples_is_told(make_examples):
    found = json.loads(make_examples.run("otlab samples --json"))
    documented = set(re.findall(r"`([a-z_]+)`", SECTIONS["samples"] + SHARED))
    assert set(keys_of(found)) <= documented


def alike(shown, printed):
    """Whether two texts have the same words, and numbers that differ no more than samplers may."""
    shown, printed = (re.sub(r'"seconds": [\d.e-]+', "", text) for text in (shown, printed))
    same_words = NUMBER.sub("0", shown).split() == NUMBER.sub("0", printed).split()
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (shown, printed)]
    return same_words and numbers[0] == pytest.approx(numbers[1], rel=0.03, abs=0.03)


def test_examples_differ_when_they_differ():
    assert alike(" 0.334  exact, noise 1", "0.335 exact,  noise 1")
    assert not alike("0.334 exact", "0.434 exact")
    assert not alike("0.334 exact", "0.334 sampled")
