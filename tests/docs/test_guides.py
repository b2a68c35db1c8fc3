"""Commands and Python sessions of the how-tos and reproductions are run and compared."""

import doctest
import json
import re
import shutil

import numpy as np
import pytest

import otlab
from tests.docs.conftest import DOCS
from tests.docs.test_command_line import alike

GUIDES = sorted((DOCS / "guides").glob("*.md"))
REPRODUCTIONS = sorted((DOCS / "reproductions").glob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
CONSOLE = [path for path in GUIDES if "```console" in path.read_text(encoding="utf-8")]
PYTHON = [path for path in [*GUIDES, *REPRODUCTIONS] if ">>>" in path.read_text(encoding="utf-8")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of docs/examples, where the examples of a page are run."""
    copy = shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("path", CONSOLE, ids=lambda path: path.stem)
def test_commands_print_what_the_page_shows(path, folder, make_examples):
    found = make_examples.examples(path.read_text(encoding="utf-8"))
    assert found
    for command, shown in found:
        printed = make_examples.run(command, folder)
        assert alike(shown, printed), f"{command} now prints\n{printed}\nrun: python docs/make_examples.py"


@pytest.mark.slow
@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
def test_python_sessions_print_what_the_page_shows(path, folder):
    blocks = re.findall(r"^```python\n(>>> .*?)^```$", path.read_text(encoding="utf-8"), re.M | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, path.name, str(path), 0)
    assert test.examples
    assert not any(doctest.SKIP in example.options for example in test.examples)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0


def test_every_guide_is_in_the_contents():
    contents = (DOCS / "guides.md").read_text(encoding="utf-8")
    assert [path.stem for path in GUIDES if f"guides/{path.stem}" not in contents] == []


def test_the_learner_shown_is_the_one_that_is_tested():
    page = (DOCS / "guides" / "add_a_learner.md").read_text(encoding="utf-8")
    shown = re.search(r"```\{literalinclude\} (\S+)", page)[1]
    assert (DOCS / "guides" / shown).resolve().read_text(encoding="utf-8").count("class Toy") == 3


@pytest.mark.parametrize("path", REPRODUCTIONS, ids=lambda path: path.stem)
def test_every_paper_has_its_page(path):
    assert f"](reproductions/{path.name})" in (DOCS / "reproductions.md").read_text(encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    assert "published" in text or "paper |" in text
    assert "[mathematics](../mathematics/" in text


def test_johnsons_table_shows_the_recorded_runs():
    page = (DOCS / "reproductions" / "johnson2007.md").read_text(encoding="utf-8")
    results = DOCS.parent / "benchmarks" / "results"
    rows, jitter = (
        json.loads((results / name).read_text())["rows"] for name in ("table1.json", "table1_jitter.json")
    )
    published = [(one, other) for one, other in zip(rows, jitter, strict=True) if one["paper"]]
    assert len(published) == 12
    for one, other in published:
        cells = [one["estimator"], str(one["states"])]
        for column in range(3):
            ours = (np.mean([run["scores"][column] for run in row["runs"]]) for row in (one, other))
            cells += [f"{one['paper'][column][0]:.2f}", *(f"{mean:.3f}" for mean in ours)]
        assert f"| {' | '.join(cells)} |" in page


def test_the_scores_of_words_are_the_recorded_ones():
    page = (DOCS / "reproductions" / "stengel_eskin2017.md").read_text(encoding="utf-8")
    recorded = (DOCS.parent / "benchmarks" / "results" / "discovery.md").read_text(encoding="utf-8")
    for corpus in ("brent", "german"):
        table = recorded.split(f"## restarts, {corpus}, word")[1].split("Chosen")[0]
        scores = [float(line.split("|")[7]) for line in table.splitlines() if re.match(r"\| (peaks|0)", line)]
        assert f"{min(scores):.2f} to {max(scores):.2f}".replace("0.", ".") in page
    joint = (DOCS.parent / "benchmarks" / "results" / "joint.md").read_text(encoding="utf-8")
    for name, rows in (("pipeline, median", 3), ("joint, median", 3), ("gold phones", 1)):  # of three starts
        scores = re.findall(rf"^\| {name} \| 0(\.\d+)", joint, re.MULTILINE)
        assert len(scores) == rows
        assert f"| {scores[0]} |" in page


MATHEMATICS = sorted((DOCS / "mathematics").glob("*.md"))


@pytest.mark.parametrize("path", [*MATHEMATICS, *REPRODUCTIONS], ids=lambda path: path.stem)
def test_the_tests_that_corrections_name_are_there(path):
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", path.read_text(encoding="utf-8")))
    missing = {
        f"{file}::{test}"
        for file, test in named
        if f"def {test}(" not in (DOCS.parent / file).read_text(encoding="utf-8")
    }
    assert not missing
    assert named or path not in MATHEMATICS


def test_the_files_that_the_architecture_names_are_there():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?|[a-z_]+/[a-z_/]+)`", page))
    root = DOCS.parent
    roots = (root, root / "otlab", root / "otlab" / "ui", root / "otlab" / "ui" / "ot")
    missing = {name for name in named if not any((place / name).exists() for place in roots)}
    assert len(named) > 25
    assert missing == set()


def test_the_number_of_states_chosen_is_near_the_true_one():
    recorded = (DOCS.parent / "benchmarks" / "results" / "state_choice.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in recorded.splitlines() if re.match(r"\| \d", line)]
    chosen = [int(row[7]) for row in rows]
    assert len(chosen) == 5
    assert all(abs(states - 30) <= 10 for states in chosen)
    smallest = [10 * (1 + int(np.argmin([float(cell) for cell in row[1:7]]))) for row in rows]
    assert chosen == smallest
    page = (DOCS / "mathematics" / "tagging.md").read_text(encoding="utf-8")
    assert f"perplexity chooses {', '.join(map(str, chosen))}:" in page


def test_what_to_cite_is_this_version():
    entry = (DOCS.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {otlab.__version__}\n" in entry
    assert "CITATION.cff" in (DOCS / "guides" / "reproduce.md").read_text(encoding="utf-8")
