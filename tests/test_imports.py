"""No module of the package imports itself by a detour, imports for type checking included."""

from __future__ import annotations

import ast
import pkgutil
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import otlab
from otlab import discovery, mg, ot, tagging

ROOT = Path(otlab.__file__).parent


def modules():
    """Return the name and syntax tree of every module."""
    for path in ROOT.rglob("*.py"):
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree, known):
    """Return the modules of the package that a module names in its import statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_import_cycle():
    trees = dict(modules())
    graph = {name: {m for m in imported(tree, trees) if m in trees} for name, tree in trees.items()}
    assert len(graph) > 300
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


@pytest.mark.parametrize("package", [discovery, mg, ot, tagging], ids=lambda p: p.__name__)
def test_no_module_hides_a_name_that_is_fetched_when_first_used(package):
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)
