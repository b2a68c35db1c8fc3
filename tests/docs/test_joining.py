"""What a stranger needs to check, cite and join the project is complete, and agrees with the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
# What conda-forge calls differently.
CONDA = {"msgpack": "msgpack-python"}


def test_the_workflow_calls_targets_that_are_there():
    flow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8"))
    runs = [step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step]
    called = {target for run in runs if run.startswith("make ") for target in run.split()[1:]}
    assert called == {"check", "site", "test", "release"}
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", made, flags=re.M) for target in called)


def test_the_workflow_tests_each_python_that_the_package_names():
    flow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8"))
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if one.startswith("Programming")]
    assert flow["jobs"]["tests"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("name", ["wrong_result", "problem", "wish"])
def test_a_form_for_issues_asks_for_something(name):
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe[recipe.index("  run:") : recipe.index("\ntest:")]
    asked = {tuple(line.strip(" -").split(" ", 1)) for line in run.splitlines()[1:] if line.strip()}
    wanted = {re.match(r"([\w-]+)(.*)", one).groups() for one in PROJECT["dependencies"]}
    assert asked == {("python", PROJECT["requires-python"])} | {
        (CONDA.get(name, name), bounds) for name, bounds in wanted
    }


def test_recipe_and_citation_have_the_version_of_the_package():
    import otlab

    assert f'set version = "{otlab.__version__}"' in (ROOT / "recipe/meta.yaml").read_text(encoding="utf-8")
    assert f"version: {otlab.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_paper_has_the_length_and_parts_that_its_journal_asks_for():
    text = PAPER.split("---", 2)[2]
    assert 250 <= len(text.split()) <= 1000
    heads = re.findall(r"^# (.+)$", text, flags=re.M)
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(heads)


def test_the_paper_cites_what_its_bibliography_holds():
    entries = re.findall(
        r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), flags=re.M
    )
    cited = set(re.findall(r"@(\w+)", PAPER.split("---", 2)[2]))
    assert cited == set(entries)
    assert len(entries) == len(set(entries))
