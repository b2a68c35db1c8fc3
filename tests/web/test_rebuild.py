"""The kernels of the page, compiled again, are the bytes in the package (needs Zig and Binaryen)."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from otlab.web.build import PLAIN
from otlab.web.digest import WASM, recorded

ROOT = Path(__file__).parents[2]
BUILD = """import sys
from pathlib import Path
from otlab.web.build import build
build(Path(sys.argv[1]), sys.argv[2])"""


def optimiser():
    """Return Binaryen's program: of WASM_OPT, of ``make page``, or of the machine; None if there is none."""
    own = Path(sys.prefix) / "npm/node_modules/.bin/wasm-opt"
    return os.environ.get("WASM_OPT") or (str(own) if own.exists() else shutil.which("wasm-opt"))


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ziglang") is None, reason="Zig is not installed; make page installs it")
@pytest.mark.skipif(optimiser() is None, reason="Binaryen is not installed; make page installs it")
def test_a_rebuild_is_byte_identical(tmp_path):
    version = subprocess.run([optimiser(), "--version"], capture_output=True, text=True, check=True)
    if version.stdout.strip() != recorded()["binaryen"]:
        pytest.skip(f"the kernels were built with {recorded()['binaryen']}")
    environment = os.environ | PLAIN | {"PYTHONPATH": str(ROOT)}
    again = tmp_path / "again.wasm"
    command = [sys.executable, "-c", BUILD, str(again), optimiser()]
    subprocess.run(command, check=True, cwd=tmp_path, env=environment)
    assert again.read_bytes() == WASM.read_bytes()
