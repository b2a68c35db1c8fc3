"""How the kernels of the page are compiled: arguments, code for WebAssembly, the commands that link it."""

from __future__ import annotations

import hashlib
import json
import runpy
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from otlab.inference import jit
from otlab.web import build, digest
from otlab.web.exports import EXPORTS, Export

Pair = namedtuple("Pair", "low rows")


def drawn(rng, values, pair, n):
    """Fill with draws above a bound, and return their number and sum; the kernel of these tests."""
    for i in range(len(values)):
        values[i] = pair.low + rng.random()
    return n * len(values), pair.rows[0, 1] + values.sum()


def counted(n, marks):
    """Count up; a kernel that returns nothing."""
    marks[0] += n


DRAWN = Export(
    __name__,
    "drawn",
    {"rng": "rng", "values": "f8[]", "pair": ("Pair", {"low": "f8", "rows": "f8[,]"}), "n": "i8"},
    results=2,
)
COUNTED = Export(__name__, "counted", {"n": "i8", "marks": "i8[]"})


def test_numbers_and_addresses_are_put_together_as_the_kernel_takes_them():
    names = ["state", "next_uint64", "next_uint32", "next_double", "values", "values_0", "pair_low"]
    names += ["pair_rows", "pair_rows_0", "pair_rows_1", "n", "results"]
    scope = {
        "Pair": Pair,
        "compute": drawn,
        "carray": lambda array, shape: array.reshape(shape),
        "make_generator": lambda *addresses: SimpleNamespace(random=lambda: sum(addresses)),
    }
    exec(build._source("drawn", DRAWN, names), scope)
    values, results = np.zeros(2), np.zeros(2)
    scope["drawn"](1, 2, 3, 4, values, 2, 0.5, np.array([7.0, 8.0, 9.0, 10.0]), 2, 2, 3, results)
    assert values.tolist() == [10.5, 10.5]
    assert results.tolist() == [6, 29]
    scope["compute"] = counted
    exec(build._source("counted", COUNTED, ["n", "marks", "marks_0"]), scope)
    marks = np.array([4])
    assert scope["counted"](3, marks, 1) is None
    assert marks.tolist() == [7]


@pytest.fixture
def plain(monkeypatch):
    """Kernels of this test are compiled for this process alone, as when the page is built."""
    monkeypatch.setattr(jit, "_compile", jit._compile)
    build._rebuild_kernels()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("name", "export"), [("drawn", DRAWN), ("counted", COUNTED)])
def test_a_kernel_becomes_an_object_for_webassembly(monkeypatch, name, export):
    function = jit.kernel({"drawn": drawn, "counted": counted}[name])
    assert not hasattr(function, "_cache") or type(function._cache) is numba.core.caching.NullCache
    monkeypatch.setattr(Export, "function", lambda self: function)
    made = build._object(build._code(name, export), name)
    assert made.startswith(b"\0asm")
    assert name.encode() in made
    assert b"numba_gil" not in made  # nothing of Python's own wrapper is left
    assert b"cfunc" not in made


@pytest.fixture
def commands(monkeypatch):
    """Return the list of the commands that are called."""
    called = []
    monkeypatch.setattr(build, "_call", lambda *words: called.append(list(words)))
    return called


def test_the_page_is_linked_of_every_kernel_and_lowered_to_32_bits(monkeypatch, tmp_path, commands):
    monkeypatch.setitem(sys.modules, "ziglang", SimpleNamespace(__file__=str(tmp_path / "zig/__init__.py")))
    monkeypatch.setattr(build, "_rebuild_kernels", lambda: None)
    monkeypatch.setattr(build, "_code", lambda name, export: f"{name} of {export.kernel}")
    written = []
    monkeypatch.setattr(build, "_object", lambda code, name: written.append((code, name)) or b"\0asm")
    build.build(tmp_path / "kernels.wasm", "wasm-opt")
    assert written == [(f"{name} of {export.kernel}", name) for name, export in EXPORTS.items()]
    runtime, log1p, link, lower = commands
    assert [Path(made[4]).name for made in (runtime, log1p)] == ["compiler_rt.zig", "log1p.zig"]
    assert {Path(word).stem for word in link if word.endswith(".o")} == {*EXPORTS, "log1p", "rt"}
    exported = {word.removeprefix("-Wl,--export=") for word in link if word.startswith("-Wl,--export=")}
    assert exported == {*EXPORTS, *build.RUNTIME}
    assert lower[0] == "wasm-opt"
    assert lower[1] == link[-1]
    assert "--memory64-lowering" in lower
    assert lower[-2:] == ["-o", str(tmp_path / "kernels.wasm")]


def test_the_command_starts_anew_where_the_compiler_is_not_a_plain_one(monkeypatch):
    started = []

    def run(command, *, env, check):
        started.append((command, env))
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["build", "--wasm-opt", "/opt/wasm-opt"])
    monkeypatch.setenv("NUMBA_CPU_NAME", "host")
    monkeypatch.delitem(sys.modules, "otlab.web.build")
    with pytest.raises(SystemExit) as left:
        runpy.run_module("otlab.web.build", run_name="__main__")
    assert left.value.code == 3
    ((command, environment),) = started
    assert command[1:] == ["-m", "otlab.web.build", "--wasm-opt", "/opt/wasm-opt"]
    assert {name: environment[name] for name in build.PLAIN} == build.PLAIN


def test_what_was_built_of_what_is_noted(monkeypatch, tmp_path):
    for name, value in build.PLAIN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(digest, "WASM", tmp_path / "kernels.wasm")
    monkeypatch.setattr(digest, "BUILT", tmp_path / "kernels.json")
    monkeypatch.setattr(build, "build", lambda out, optimiser: out.write_bytes(optimiser.encode()))
    versions = {"own-opt": "wasm-opt version 119\n", sys.executable: "0.17.1\n"}
    monkeypatch.setattr(
        subprocess, "run", lambda command, **options: SimpleNamespace(stdout=versions[command[0]])
    )
    monkeypatch.setattr(sys, "argv", ["build", "--wasm-opt", "own-opt"])
    build.main()
    noted = json.loads((tmp_path / "kernels.json").read_text(encoding="utf-8"))
    assert (noted["zig"], noted["binaryen"]) == ("0.17.1", "wasm-opt version 119")
    assert noted["wasm"] == hashlib.sha256(b"own-opt").hexdigest()
    assert noted["sources"] == digest.sources_digest()
