"""Branch coverage of the kernels, run as Python by the plain tests.

    python -m benchmarks kernels_as_python [ROOM ...] [--jobs 2] [--seconds 20]

Coverage sees no compiled code, so the tests of each room run with ``NUMBA_DISABLE_JIT=1``, a file of tests
in a process of its own. What a test of more than `--seconds` reached counts; its name is printed with those
that fail, such as tests of compiling itself. A line of the table is a file: its statements and branches, and
the shares that were reached. It needs the package coverage.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["main", "pytest_configure"]

ROOT = Path(__file__).parents[1]
ROOMS = ("forms", "inference", "ot", "tagging", "mg", "discovery")
_MOST = 600  # seconds of a file of tests
_CONFIGURATION = """[run]
branch = True
include = {kernels}
parallel = True
concurrency = thread
sigterm = True
data_file = {folder}/reached
[report]
exclude_also = if TYPE_CHECKING:
"""
# Integers of NumPy warn where those of compiled code, as of the random generator, begin again at 0.
_WRAPS = "ignore:overflow encountered:RuntimeWarning"


def pytest_configure() -> None:
    """Let the instructions of the processor that have no counterpart in Python do nothing."""
    from otlab.inference.kernels.prefetch import fetch_row

    setattr(type(fetch_row), "__call__", lambda *_: 0)  # noqa: B010  # it is the class of all of them


def _run(tests: Path, configuration: Path, seconds: float) -> str:
    """Run a file of tests as Python; return what pytest printed."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
    }
    pytest = ("-n0", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "-p", __name__, "-W", _WRAPS)
    limit = (f"--timeout={seconds}", "--timeout-method=signal")
    command = ["coverage", "run", "--rcfile", str(configuration), "-m", "pytest", *pytest, *limit, str(tests)]
    with subprocess.Popen(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            return process.communicate(timeout=_MOST)[0]
        except subprocess.TimeoutExpired:
            process.terminate()
            return process.communicate()[0] + f"\nFAILED {tests} took more than {_MOST} s"


def _share(reached: int, of: int) -> str:
    return f"{reached / of:7.1%}" if of else "      -"


def _line(name: str, summary: dict[str, Any]) -> str:
    lines, branches = summary["num_statements"], summary["num_branches"]
    shares = _share(summary["covered_lines"], lines), _share(summary["covered_branches"], branches)
    return f"{name:40} {lines:6,} {branches:6,} {shares[0]} {shares[1]}"


def _table(folder: Path, configuration: Path) -> list[str]:
    """Put the files of data together; return the lines of the table."""
    from coverage import Coverage
    from coverage.jsonreport import JsonReporter

    data = Coverage(config_file=str(configuration))
    data.combine([str(folder)])
    with (folder / "report.json").open("w+") as file:
        reporter = JsonReporter(data)
        reporter.report(None, file)
    files = reporter.report_data["files"]
    head = f"{'kernels':40} {'lines':>6} {'branch':>6} {'reached':>7} {'reached':>7}"
    rows = [_line(str(name), files[name]["summary"]) for name in sorted(files) if "__init__" not in name]
    return [head, *rows, _line("together", reporter.report_data["totals"])]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks kernels_as_python", description=__doc__.split("\n")[0]
    )
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; all if none")
    parser.add_argument("--jobs", type=int, default=2, help="files of tests at a time (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=20, help="most of a test (default: %(default)s)")
    args = parser.parse_args(argv)
    if unknown := set(args.rooms) - set(ROOMS):
        parser.error(f"no room is called {', '.join(sorted(unknown))}; choose from {', '.join(ROOMS)}")
    if find_spec("coverage") is None:
        parser.error("the package coverage is missing; install it with pip install coverage")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(args.jobs) as pool:
        folder = Path(name)
        configuration = folder / "coveragerc"
        kernels = ",".join(f"*/otlab/{room}/kernels/*" for room in args.rooms or ROOMS)
        configuration.write_text(_CONFIGURATION.format(folder=folder, kernels=kernels))
        files = [
            file
            for room in args.rooms or ROOMS
            for file in sorted((ROOT / "tests" / room).rglob("test_*.py"))
        ]
        passed = 0
        for file, printed in zip(
            files, pool.map(lambda file: _run(file, configuration, args.seconds), files), strict=True
        ):
            passed += sum(int(number) for number in re.findall(r"(\d+) passed", printed))
            for line in re.findall(r"^(?:FAILED|ERROR) .*", printed, re.MULTILINE):
                print(line[:200], flush=True)
            print(file.relative_to(ROOT), printed.strip().rpartition("\n")[2], flush=True)
        print(f"{passed:,} tests passed", *_table(folder, configuration), sep="\n")
    return 0
