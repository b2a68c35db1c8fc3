"""How the machine code of the package is made: one small kernel from its source to every platform."""

from __future__ import annotations

import runpy
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba.core.codegen import CPUCodeLibrary

from otlab import shipping
from otlab.inference import jit, shipped

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shipped.load(shipped.FOLDER / "kernels.xz")["versions"] != shipped.versions(),
    reason="machine code is made with the Numba of the package's own",
)

KINDS = {
    "linux-x86_64": b"\x7fELF",
    "linux-aarch64": b"\x7fELF",
    "darwin-arm64": b"\xcf\xfa\xed\xfe",
    "win32-amd64": b"\x64\x86",
}


def doubled(values):
    """Double every number, and return their sum; the kernel of these tests."""
    total = 0.0
    for i in range(len(values)):
        values[i] *= 2
        total += values[i]
    return total


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for machine code, with caches of this test alone; nothing is read from the package."""
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setattr(shipped, "FOLDER", made)
    monkeypatch.setattr(shipped, "_contents", lambda: shipped._NOTHING)
    monkeypatch.setattr(jit, "kernel_folder", lambda package: tmp_path / "cache")
    monkeypatch.setattr(shipping, "STEPS", (("toy", "page"),))
    for owner, name in (
        (CPUCodeLibrary, "_finalize_final_module"),
        (shipped.KernelCache, "_load_overload"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # put back what the two steps replace
    return made


def called() -> tuple[float, list[float]]:
    """Return what the kernel, made anew, gives."""
    values = np.array([1.0, 2.5])
    return jit.kernel(doubled)(values), values.tolist()


def test_a_kernel_is_kept_for_every_platform_and_run_without_a_compiler(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, str]] = []
    monkeypatch.setattr(shipping, "_do", lambda *step: done.append(step) or called())
    monkeypatch.setattr(shipping, "called_by_kernels", set)
    kept = tmp_path / "kept"
    kept.mkdir()
    shipping._compile(kept)
    (bitcode,) = kept.glob("*.bc")
    llvm.parse_bitcode(bitcode.read_bytes()).verify()
    shipping._collect(kept)
    assert done == [("toy", "page")] * 2
    common = shipped.load(own / "kernels.xz")
    (name,) = common["kernels"]
    assert name.split()[:2] == [__name__, "doubled"]
    assert common["steps"] == {("toy", "page"): [__name__]}
    assert common["sources"] == {__name__: shipped.sources_digest(__name__)}
    for platform, kind in KINDS.items():
        assert shipped.load(own / f"{platform}.xz")[name].startswith(kind)
    with (
        monkeypatch.context() as again
    ):  # a computer that has compiled nothing: the code of the package is read
        again.setattr(
            shipped,
            "_contents",
            lambda: {**common, "code": shipped.load(own / f"{shipped.platform_tag()}.xz")},
        )
        again.setattr(shipped, "_may_be_tried", lambda folder: True)
        again.setattr(jit, "kernel_folder", lambda package: tmp_path / "empty")
        if shipped.platform_tag() in KINDS:
            assert called() == (7.0, [2.0, 5.0])
            assert not list((tmp_path / "empty").glob("**/*.nbi"))
        kernel = jit.kernel(doubled)
        outer = jit.kernel(lambda values: kernel(values) + 1)
        assert outer(np.array([1.0, 2.5])) == 8.0  # compiled, since another kernel takes it in
        again.setattr(shipped, "_may_be_tried", lambda folder: False)
        again.setattr(jit, "kernel_folder", lambda package: tmp_path / "other")
        assert called() == (7.0, [2.0, 5.0])
        assert list((tmp_path / "other").glob("**/*.nbi"))


ASSEMBLY = """target triple = "x86_64-unknown-linux-gnu"
@"_ZN08NumbaEnv one" = common global ptr null
declare i8 @llvm.x86.atomic.sub.cc.i64(ptr, i64, i32 immarg)
define i8 @"_ZN7cpython one"(ptr %p) {{
 {body}
 ret i8 %x
}}
define void @other() {{ ret void }}
"""
COUNTS = "%x = call i8 @llvm.x86.atomic.sub.cc.i64(ptr %p, i64 1, i32 4)"


def bitcode(body: str) -> bytes:
    return llvm.parse_assembly(ASSEMBLY.format(body=body)).as_bitcode()


@pytest.mark.parametrize("platform", KINDS)
def test_references_are_counted_on_every_processor(platform: str) -> None:
    made = shipping._machine_code(bitcode(COUNTS), platform)
    assert made is not None
    assert made.startswith(KINDS[platform])


def test_code_for_x86_processors_alone_is_left_out_elsewhere() -> None:
    """Control of subnormal numbers has no counterpart on other processors."""
    body = "call void @llvm.x86.sse.stmxcsr(ptr %p)\n %x = load i8, ptr %p"
    text = ASSEMBLY.format(body=body) + "declare void @llvm.x86.sse.stmxcsr(ptr)\n"
    code = llvm.parse_assembly(text).as_bitcode()
    found = {platform: shipping._machine_code(code, platform) for platform in KINDS}
    assert [platform for platform, made in found.items() if made is None] == ["linux-aarch64", "darwin-arm64"]


def test_a_kernel_that_no_kernel_calls_is_kept_by_its_names_alone() -> None:
    module = llvm.parse_bitcode(shipping._names_alone(bitcode(COUNTS)))
    assert [one.name for one in module.functions] == ["_ZN7cpython one"]
    assert [one.name for one in module.global_variables] == ["_ZN08NumbaEnv one"]
    assert "atomic" not in str(module)


def test_the_folder_of_a_copy_is_not_in_the_code() -> None:
    here = str(shipping._ROOT.parent)
    text = f'@place = constant [{len(here)} x i8] c"{here}"\n'
    kept = str(llvm.parse_bitcode(shipping._placeless(llvm.parse_assembly(text).as_bitcode())))
    assert here not in kept
    assert "/" + "o" * (len(here) - 1) in kept


def test_both_steps_are_done_in_processes_of_one_plain_processor(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[list[str], dict[str, str]]] = []

    def run(command: list[str], *, env: dict[str, str], check: bool) -> None:
        assert check
        calls.append((command, env))

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["otlab.shipping"])
    monkeypatch.delitem(sys.modules, "otlab.shipping")
    runpy.run_module("otlab.shipping", run_name="__main__")
    assert capsys.readouterr().out == f"{own}\n"
    (first, environment), (second, same) = calls
    assert first[1:4] == ["-m", "otlab.shipping", "compile"]
    assert second[1:4] == ["-m", "otlab.shipping", "collect"]
    assert first[4] == second[4] == environment["OTLAB_CACHE"]
    assert (environment["NUMBA_CPU_NAME"], environment["OTLAB_OWN_KERNELS"]) == ("x86-64", "1")
    assert same == environment


def test_each_step_is_called_with_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done: list[Any] = []
    for name in ("compile", "collect"):
        monkeypatch.setattr(shipping, f"_{name}", lambda folder, name=name: done.append((name, folder)))
        monkeypatch.setattr(sys, "argv", ["otlab.shipping", name, str(tmp_path)])
        shipping.main()
    assert done == [("compile", tmp_path), ("collect", tmp_path)]
