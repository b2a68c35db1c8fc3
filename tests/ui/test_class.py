"""A class of three on one server: everything is heard, every picture moves, nothing is left."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ui.browser import ROOT


@pytest.mark.browser
def test_a_small_class_runs_and_leaves_nothing(browser, kernels):
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "classroom",
        "--pages",
        "3",
        "--seconds",
        "5",
        "--cores",
        "",
    ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
