"""The how-tos of docs/guides do what they say: their commands and Python sessions are run."""

import doctest
import re
import shutil

import pytest

from tests.docs.conftest import DOCS
from tests.docs.test_command_line import alike

GUIDES = sorted((DOCS / "guides").glob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
CONSOLE = [path for path in GUIDES if "```console" in path.read_text(encoding="utf-8")]
PYTHON = [path for path in GUIDES if ">>>" in path.read_text(encoding="utf-8")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of docs/examples, where the examples of a page are run."""
    copy = shutil.copytree(DOCS / "examples", tmp_path / "examples")
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.parametrize("path", CONSOLE, ids=lambda path: path.stem)
def test_commands_print_what_the_page_shows(path, folder, make_examples):
    found = make_examples.examples(path.read_text(encoding="utf-8"))
    assert found
    for command, shown in found:
        printed = make_examples.run(command, folder)
        assert alike(shown, printed), f"{command} now prints\n{printed}\nrun: python docs/make_examples.py"


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
