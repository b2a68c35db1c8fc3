"""Imports: no module imports itself by a detour, type checking included; two threads may import at once."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import otlab
from otlab import discovery, mg, ot, sweep, tagging, ui
from otlab.importing import import_alone

ROOT = Path(otlab.__file__).parent


@cache
def trees():
    """Return the syntax tree of every module, by its path from the package."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


def modules():
    """Return the syntax tree of every module, by name."""
    names = {path: ".".join(Path(ROOT.name, path).with_suffix("").parts) for path in trees()}
    return {names[path].removesuffix(".__init__"): tree for path, tree in trees().items()}


def imported(tree, known):
    """Return the modules of the package that a module names in its import statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.slow
def test_no_import_cycle():
    known = modules()
    graph = {name: {m for m in imported(tree, known) if m in known} for name, tree in known.items()}
    assert len(graph) > 300
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


every_package = pytest.mark.parametrize(
    "package", [discovery, mg, ot, sweep, tagging, ui], ids=lambda p: p.__name__
)


@every_package
def test_no_module_hides_a_name_that_is_fetched_when_first_used(package):
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@every_package
@pytest.mark.slow
def test_a_package_gives_its_public_names_without_loading_kernels_before(package):
    """The names are there in a process of its own, in which the import alone has loaded no Numba."""
    name = package.__name__
    light = f"import sys, {name}; assert 'numba' not in sys.modules"
    code = f"{light}; from {name} import *; print(sum(each in globals() for each in {name}.__all__))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(printed) == len(package.__all__)


@pytest.mark.slow
def test_what_needs_no_panel_loads_none():
    """Modules of the labs that say so are imported without Panel, and documents of all labs are opened."""
    light = [name for name, tree in modules().items() if "without Panel" in (ast.get_docstring(tree) or "")]
    assert len(light) > 10
    folder = Path(__file__).parent / "ui" / "documents" / "fixtures" / "format_2"
    files = [str(folder / f"{lab}_paused.otlab") for lab in ("ot", "tagging", "mg", "lexicon")]
    opened = f"print(*(otlab.open_document(file).system for file in {files}))"
    code = f"import sys, {', '.join(light)}; {opened}; print({{'panel', 'holoviews'}} & sys.modules.keys())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["ot tagging mg discovery", "set()"]


def test_two_threads_import_a_package_and_its_module(tmp_path, monkeypatch):
    package = tmp_path / "twice"
    package.mkdir()
    (package / "__init__.py").write_text("import time\ntime.sleep(0.2)\nfrom twice import module\n")
    (package / "module.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(import_alone, name) for name in ("twice", "twice.module")]
    assert [one.result().__name__ for one in found] == ["twice", "twice.module"]
