"""The cache of compiled kernels can never be stale."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from otlab.inference import jit

HELPER = "from otlab.inference.jit import kernel\n\n@kernel\ndef factor(x):\n    return {factor} * x\n"
CALLER = """
from otlab.inference.jit import kernel
from otlab.toy.kernels.helper import factor

@kernel
def twice(x):
    return factor(x)
"""


@pytest.fixture
def copy_of_otlab(tmp_path):
    """A copy of the package with a small system of two kernel files."""
    import shutil

    root = Path(jit.__file__).resolve().parents[1]
    for part in ("errors.py", "html.py", "python_syntax.py", "__init__.py", "inference"):
        source, target = root / part, tmp_path / "otlab" / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    kernels = tmp_path / "otlab" / "toy" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").write_text("")
    (kernels / "__init__.py").write_text("")
    (kernels / "helper.py").write_text(HELPER.format(factor=2.0))
    (kernels / "twice.py").write_text(CALLER)
    return tmp_path


def compute(folder, tmp_path):
    """Run the kernel in a fresh process; return its value and how often the cache was hit."""
    code = (
        "from otlab.toy.kernels.twice import twice; print(twice(3.0), sum(twice.stats.cache_hits.values()))"
    )
    env = {"PYTHONPATH": str(folder), "OTLAB_CACHE": str(tmp_path / "cache"), "PATH": ""}
    out = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=folder
    )
    value, hits = out.stdout.split()
    return float(value), int(hits)


@pytest.mark.slow
def test_an_edited_helper_is_never_served_from_the_old_cache(copy_of_otlab, tmp_path):
    assert compute(copy_of_otlab, tmp_path) == (6.0, 0)
    assert compute(copy_of_otlab, tmp_path) == (6.0, 1)
    (copy_of_otlab / "otlab" / "toy" / "kernels" / "helper.py").write_text(HELPER.format(factor=5.0))
    assert compute(copy_of_otlab, tmp_path) == (15.0, 0)


def test_the_folder_depends_on_the_numba_version(monkeypatch):
    before = jit.kernel_folder.__wrapped__("ot")
    monkeypatch.setattr(numba, "__version__", "0.0.test")
    assert jit.kernel_folder.__wrapped__("ot") != before


def test_kernels_live_in_kernels_folders_alone():
    root = Path(jit.__file__).resolve().parents[1]
    kernels = re.compile(r"^@(kernel|inlined|borrowing|intrinsic)\b", re.MULTILINE)
    found = {p.parent.name for p in root.rglob("*.py") if kernels.search(p.read_text(encoding="utf-8"))}
    assert found == {"kernels"}


def test_a_system_s_folder_covers_the_shared_kernels_and_its_own():
    root = Path(jit.__file__).resolve().parents[1]
    sources = jit.kernel_sources("ot")
    assert root / "inference" / "jit.py" in sources
    assert {path.parent for path in sources[1:]} == {root / "inference" / "kernels", root / "ot" / "kernels"}
    assert set(jit.kernel_sources("inference")) < set(sources)


def sum_of(values):
    """Return the sum of an array."""
    total = 0.0
    for k in range(values.size):
        total += values[k]
    return total


def zeros(size):
    """Return an array, as a kernel that borrows its arrays cannot."""
    return np.zeros(size)


def ones(size):
    """Return an array."""
    return np.ones(size)


def test_a_kernel_that_borrows_its_arrays_can_make_none():
    assert jit.borrowing(sum_of)(np.arange(4.0)) == 6.0
    with pytest.raises(numba.TypingError):
        jit.borrowing(zeros)(3)


def test_without_the_option_every_kernel_counts_references(monkeypatch):
    monkeypatch.setattr(jit, "CPUTargetOptions", object())
    assert jit.borrowing(ones)(3).tolist() == [1.0, 1.0, 1.0]


def test_without_a_compiler_a_kernel_is_its_function(monkeypatch):
    """As with NUMBA_DISABLE_JIT, to see inside a kernel with a debugger."""
    monkeypatch.setattr(numba, "njit", lambda function, **options: function)
    assert jit.kernel(len) is len
