"""Run a module and note which places it reaches: ``python -m tests.security.probes FILE otlab serve``.

Each place is compiled with a call around its value. A line of the file is the number of a place, the first
time that it is reached; ``text`` follows when a hostile name comes there, ``raw`` if that was not escaped.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
import runpy
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

from tests.security.places import ROOT, candidates, sources

HOSTILE = "window.hit=1"
RAW = re.compile(r"<img[/ ]src=x|<svg/onload|<script>window\.hit")


class Notes:
    """What was reached so far, written to a file at once."""

    def __init__(self, path):
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self._known = set()

    def __call__(self, number, value):
        """Note a place; return its value."""
        self._note(number, "")
        if isinstance(value, str) and HOSTILE in value:
            self._note(number, "raw" if RAW.search(value) else "text")
        return value

    def _note(self, number, kind):
        if (number, kind) not in self._known:
            self._known.add((number, kind))
            os.write(self._file, f"{number} {kind}\n".encode())


class _Around(ast.NodeTransformer):
    def __init__(self, numbers):
        self.numbers = numbers

    def visit(self, node):
        number = self.numbers.get(node)
        self.generic_visit(node)
        if number is None:
            return node
        if isinstance(node, ast.FormattedValue):
            node.value = self._called(number, node.value)
            return node
        return self._called(number, node)

    @staticmethod
    def _called(number, value):
        name = ast.Name("__place__", ast.Load())
        return ast.copy_location(ast.Call(name, [ast.Constant(number), value], []), value)


class _Loader(SourceFileLoader):
    trees: dict[str, ast.Module] = {}  # noqa: RUF012 - filled once

    def get_code(self, fullname):
        """Return the code of a module, with the calls."""
        tree = self.trees.get(self.path)
        return compile(tree, self.path, "exec", dont_inherit=True) if tree else super().get_code(fullname)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "otlab" else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def install(path):
    """Compile the modules of otlab with calls around all places, from now on."""
    given = sources()
    numbers = {node: k for k, node in enumerate(dict.fromkeys(candidates(given)))}
    modules = {given.scopes[node].outwards()[-1] for node in numbers}
    for module in modules:
        tree = ast.fix_missing_locations(_Around(numbers).visit(module.node))
        _Loader.trees[str(ROOT / module.path)] = tree
    builtins.__place__ = Notes(path)
    sys.meta_path.insert(0, _Finder)


def read(path):
    """Return the numbers of the places reached, of those with hostile names, and of unescaped ones."""
    lines = [line.split(" ") for line in Path(path).read_text(encoding="utf-8").splitlines()]
    every = {int(number) for number, _ in lines}
    return every, *({int(n) for n, kind in lines if kind in kinds} for kinds in (("text", "raw"), ("raw",)))


if __name__ == "__main__":
    notes, module, *sys.argv[1:] = sys.argv[1:]
    install(notes)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
