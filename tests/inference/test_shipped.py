"""The machine code in the package: as new as its sources, all that the labs begin with, the same numbers."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import llvmlite.binding as llvm
import pytest

from otlab.compiling import is_on_disk
from otlab.inference import shipped
from otlab.inference.shipped import FOLDER, TESTED, load, platform_tag, sources_digest, versions
from otlab.shipping import PLATFORMS, STEPS, called_by_kernels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMON = load(FOLDER / "kernels.xz")
fits = pytest.mark.skipif(
    platform_tag() not in TESTED or COMMON["versions"] != versions(),
    reason="the machine code is for another platform or another Numba",
)


def test_the_machine_code_is_as_new_as_its_sources() -> None:
    """Run ``make machine-code`` when this fails: what was compiled is not what is written."""
    assert COMMON["sources"] == {module: sources_digest(module) for module in COMMON["sources"]}
    assert tuple(COMMON["steps"]) == STEPS


def test_kernels_that_kernels_call_can_be_linked() -> None:
    """A kernel without its LLVM code must not be called by one that Numba has yet to compile."""
    called = called_by_kernels()
    assert {name for name, (is_called, _, _) in COMMON["kernels"].items() if is_called} == {
        name for name in COMMON["kernels"] if tuple(name.split()[:2]) in called
    }
    assert ("otlab.mg.kernels.chart", "fill") in called


@pytest.mark.parametrize(
    ("platform", "kind", "processor"),
    [
        ("linux-x86_64", b"\x7fELF", "x86_64"),
        ("linux-aarch64", b"\x7fELF", "aarch64"),
        ("darwin-arm64", b"\xcf\xfa\xed\xfe", "aarch64"),
        ("win32-amd64", b"\x64\x86", "x86_64"),
    ],
)
def test_each_platform_has_objects_of_its_own(platform: str, kind: bytes, processor: str) -> None:
    assert platform in PLATFORMS
    code = load(FOLDER / f"{platform}.xz")
    missing = COMMON["kernels"].keys() - code.keys()
    # Control of subnormal numbers is for x86 processors alone.
    assert {name.split()[0] for name in missing} <= {"otlab.inference.kernels.subnormals"}
    for made in code.values():
        assert made.startswith(kind)
        sections = llvm.ObjectFileRef.from_data(made).sections()
        assert any(section.is_text() and section.size() > 0 for section in sections)
    assert processor in PLATFORMS[platform][0].replace("arm64", "aarch64")


@fits
def test_code_of_another_numba_or_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped.is_shipped("ot", "gibbs")
    monkeypatch.setattr(shipped, "sources_digest", lambda module: "of an edited module")
    assert not shipped.is_shipped("ot", "gibbs")
    monkeypatch.undo()
    shipped._contents.cache_clear()
    monkeypatch.setattr(shipped, "versions", lambda: ("0.1", "0.1"))
    try:
        assert not shipped.is_shipped("ot", "gibbs")
    finally:
        shipped._contents.cache_clear()


def test_code_that_ended_a_process_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was never tested, a process that used it died before it could say that it ended."""
    registered: list[Callable[[], None]] = []
    monkeypatch.setattr(shipped, "TESTED", ())
    monkeypatch.setattr(shipped.atexit, "register", registered.append)
    ask = shipped._may_be_tried.__wrapped__  # asked once by each process
    folder = tmp_path / "not made yet"
    assert ask(folder)  # the first process
    assert not ask(folder)  # the first one has not ended
    registered[0]()  # it ends
    assert ask(folder)
    assert len(registered) == 1


def _run(cache: Path, code: str, **environment: str) -> str:
    given = {**os.environ, "OTLAB_CACHE": str(cache), **environment}
    ran = subprocess.run([sys.executable, "-c", code], env=given, check=True, capture_output=True, text=True)
    return ran.stdout


@fits
@pytest.mark.slow
@pytest.mark.parametrize("system", sorted({system for system, _ in STEPS}))
def test_what_a_lab_begins_with_is_not_compiled(tmp_path: Path, system: str) -> None:
    """With an empty cache, nothing is written to it."""
    steps = [step for of, step in STEPS if of == system]
    code = f"from otlab.compiling import steps_of\nfor step in {steps}: steps_of({system!r})[step]()"
    _run(tmp_path, code)
    assert not list(tmp_path.glob("**/*.nbi"))
    assert all(is_on_disk(system, step) for step in steps)


NUMBERS = """
from otlab.discovery.fit import discover
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit
from otlab.ot.learners.gibbs import fit_gibbs
from otlab.ot.learners.gla import fit_gla
from otlab.samples import load_sample
from otlab.tagging.experiments.simulate import simulate_hmm
from otlab.tagging.learners.fit import make_learner

tableau = load_sample("ilokano_reduplication")
corpus = simulate_hmm(3000, 1, tags=5, types=200)
for ranked in (
    fit_gibbs(tableau, sweeps=200, warmup=20, chains=2, seed=3),
    fit_gla(tableau, trials=5000, runs=2, seed=3),
):
    print({name: value for name, value in ranked.to_dict().items() if name != "diagnostics"})
    print(ranked.mean.tobytes().hex())
for learner in ("em", "vb"):
    tagger = fit(make_learner(learner, corpus, states=6, precision="f32"), steps=8, seed=1)
    print(tagger.view.objective, tagger.view.labels.tobytes().hex())
found = discover(generate(ToyLanguage(words=20, utterances=60)), "word", "batch", iterations=3, seed=1)
print(found.scores, found.lexicon)
"""


@fits
@pytest.mark.slow
def test_the_numbers_are_those_of_kernels_compiled_here_to_the_bit(tmp_path: Path) -> None:
    own = _run(shipped_cache(), NUMBERS, OTLAB_OWN_KERNELS="1")
    assert len(own) > 5000
    assert _run(tmp_path, NUMBERS) == own
    assert not list(tmp_path.glob("**/gibbs*.nbi"))


def shipped_cache() -> Path:
    from otlab.inference.jit import cache_folder

    return cache_folder()


@pytest.mark.skipif(COMMON["versions"] != versions(), reason="LLVM reads the code of its own version")
def test_the_files_hold_no_more_than_kernels() -> None:
    """A kernel's description can be read; nothing else is in the file."""
    assert set(COMMON) == {"versions", "sources", "steps", "kernels"}
    for is_called, linked, compiled in COMMON["kernels"].values():
        (_, kind, code), *_ = pickle.loads(compiled)
        assert (kind, code) == ("object", None)
        assert len(llvm.parse_bitcode(linked).as_bitcode()) > 0
        assert isinstance(is_called, bool)
    here = str(FOLDER.parents[2]).encode()
    assert not any(here in pickle.dumps(load(path)) for path in FOLDER.iterdir())
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_500_000


def test_nothing_is_read_where_kernels_of_ones_own_are_wanted_or_there_is_none_for_the_platform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = shipped._contents.__wrapped__
    monkeypatch.setenv("OTLAB_OWN_KERNELS", "1")
    assert not read()["kernels"]
    monkeypatch.delenv("OTLAB_OWN_KERNELS")
    monkeypatch.setattr(shipped, "platform_tag", lambda: "plan9-mips")
    assert not read()["kernels"]
