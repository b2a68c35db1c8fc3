"""What the README says can be done, can be done."""

import doctest
import re
import shlex

import pytest

import otlab
from otlab.cli.main import build_parser
from tests.docs.conftest import DOCS

ROOT = DOCS.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^otlab .+$", README, re.MULTILINE)


def test_two_commands_stand_on_lines_of_their_own_and_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in ("make serve", "make test"):
        assert command in README.splitlines()
        assert re.search(rf"^{command.removeprefix('make ')}:", makefile, re.MULTILINE)


def test_python_session_prints_what_it_shows():
    session = "".join(block for block in PYTHON if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 4
    assert not any(doctest.SKIP in example.options for example in test.examples)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


def test_notebook_cells_name_what_there_is():
    for block in PYTHON:
        if not block.startswith(">>>"):
            compile(block, "README.md", "exec")
            for name in re.findall(r"from otlab import (\w+)", block):
                assert name in dir(otlab)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_have_these_options(command):
    _, *words = shlex.split(command, comments=True)
    assert build_parser().parse_args(words).command == words[0]


def test_plain_pip_installs_what_make_serve_does():
    (extras,) = re.findall(r'pip install -c constraints.txt -e "(.+)"', README)
    assert f'-e "{extras}"' in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert (ROOT / "constraints.txt").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Pictures are left out: ``make screenshots`` writes them."""
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)", text):
        file, _, heading = target.partition("#")
        if "://" in file:
            continue
        found = (page.parent / file).resolve() if file else page
        assert found.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "page", [ROOT / "CONTRIBUTING.md", DOCS / "architecture.md"], ids=lambda page: page.name
)
def test_files_that_are_named_are_there(page):
    """Words in capitals stand for any name."""
    named = set(re.findall(r"`([\w./]+\.(?:py|md|toml))`", page.read_text(encoding="utf-8")))
    folders = [ROOT / folder for folder in ("otlab", "tests", "docs", "apps")]
    there = [path.as_posix() for folder in folders for path in folder.rglob("*.*")]
    there += [path.as_posix() for path in ROOT.glob("*.*")]
    wanted = {name for name in named if not re.search(r"\b[A-Z]+\b(?!\.md)", name)}
    assert len(wanted) > 10
    assert {name for name in wanted if not any(path.endswith(f"/{name}") for path in there)} == set()
