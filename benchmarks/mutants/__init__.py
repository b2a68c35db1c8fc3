"""Mutation testing: does a test fail when the code it tests is changed?

    python -m benchmarks mutants [TARGET ...] [--sample 150] [--seed 1] [--least 0.85]

A mutant is a module with one change: an operator, a comparison, a number, a condition, a statement left out
(:mod:`benchmarks.mutants.changes`). It is killed if one of the tests of its target fails, or if it takes far
more processor time than they do. Of each module a random sample of mutants is tried; those that survive are
printed, to be read: some change nothing that can be seen, for others a test is missing.

Kernels are run as Python. Tests and package are imported once; each mutant is a child of that process in
which the code of one function is exchanged, so that a mutant takes as long as the tests alone.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import resource
import signal
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from benchmarks.mutants.changes import Change, changes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TARGETS", "main"]

ROOT = Path(__file__).parents[2]
MOST_MEMORY = 6 << 30


@dataclass(frozen=True)
class Target:
    """What is changed, and the tests that shall fail.

    Attributes
    ----------
    modules, tests
        Paths from the root of the project.
    only, marked
        Which of the tests, as pytest's `-k` and `-m`.
    functions
        How the names of the functions that are changed begin.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    only: str = ""
    marked: str = "not slow"
    functions: tuple[str, ...] = ("",)


TARGETS = {
    "rankings": Target(
        ("otlab/ot/conditions.py", "otlab/ot/analysis/strata.py", "otlab/ot/analysis/reduction.py"),
        ("tests/ot/test_relations.py", "tests/ot/test_rank.py", "tests/ot/test_strata.py"),
        "not every_sample",
    ),
    "ranking-values": Target(
        ("otlab/ot/kernels/gibbs.py",),
        ("tests/ot/test_gibbs.py",),
        "9-1 or centred or ends_at_three or a_ranking_against or without_data or no_observation or stops"
        " or scale or few_observations or (cut_the_posterior and normal and against)",
        "slow or not slow",
    ),
    "states": Target(("otlab/tagging/kernels/gibbs.py",), ("tests/tagging/test_gibbs.py",)),
    "free-energy": Target(
        ("otlab/inference/dirichlet.py", "otlab/tagging/hmm/mstep.py", "otlab/tagging/kernels/weights.py"),
        ("tests/tagging/test_known_answers.py", "tests/inference/test_dirichlet.py"),
        functions=("bayes", "_", "expected_log", "log_", "kl_", "exp_all", "count_filled", "sum_rows"),
    ),
    "scores": Target(
        ("otlab/tagging/scores.py",),
        ("tests/tagging/test_scores.py", "tests/tagging/test_baseline_scores.py"),
    ),
    "word-charts": Target(
        ("otlab/discovery/kernels/chart.py",), ("tests/discovery/test_chart.py",), marked="slow or not slow"
    ),
    "derivations": Target(
        ("otlab/mg/kernels/weights.py",),
        ("tests/mg/test_forest.py",),
        "not hostile and not parses_back and not noun_compound and not copy",
    ),
}


def _run_tests(target: Target) -> int:
    import pytest

    options = [
        "-x",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "--assert=plain",
        "-W",
        "ignore::RuntimeWarning",
        "--hypothesis-profile",
        "mutants",
    ]
    chosen = ["-m", target.marked, *(["-k", target.only] if target.only else [])]
    return int(pytest.main([*options, *chosen, *target.tests]))


def _prepare(target: Target) -> None:
    """Import the tests, and with them what they test."""
    from hypothesis import settings
    from numba.core import extending

    settings.register_profile("mutants", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutants")  # test functions take their settings when they are imported
    extending._Intrinsic.__call__ = lambda self, *args: 0  # prefetching does nothing in Python
    for path in target.modules + target.tests:
        import_module(path.removesuffix(".py").replace("/", "."))
    for path in target.modules:
        if "/kernels/" in path:
            _apply(path, ast.parse((ROOT / path).read_text(encoding="utf-8")))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


class _NumbersOfComparisons(ast.NodeTransformer):
    """Makes comparisons that are added or subtracted numbers, which they are to Numba but not to NumPy."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        for side in ("left", "right"):
            if isinstance(getattr(node, side), ast.Compare):
                number = ast.Call(ast.Name("int", ast.Load()), [getattr(node, side)], [])
                setattr(node, side, ast.copy_location(number, node))
        return node


def _apply(path: str, tree: ast.Module, name: str | None = None) -> int:
    """Exchange the code of a function, or of all of a module, wherever it is; return how often that was."""
    file, done = str(ROOT / path), 0
    if "/kernels/" in path:
        tree = ast.fix_missing_locations(_NumbersOfComparisons().visit(tree))
    new = {code.co_qualname: code for code in _codes(compile(tree, file, "exec"))}
    for function in [each for each in gc.get_objects() if isinstance(each, FunctionType)]:
        code = function.__code__
        if code.co_filename == file and code.co_qualname in ({name} if name else new):
            function.__code__ = new[code.co_qualname]
            done += 1
    return done


def _status(pid: int) -> int | None:
    """Return how a child has ended; None if it has not."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return status if ended else None


def _child(target: Target, path: str, change: Change | None, seconds: float) -> tuple[bool, float]:
    """Return whether the tests hold with a change, and the processor time they took."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        try:
            if change and not _apply(path, change.tree, change.function):
                os._exit(0)  # nothing runs this function: it survives
            os._exit(_run_tests(target))
        finally:
            os._exit(3)
    status, most = _status(pid), time.monotonic() + 30 * seconds
    while status is None:
        time.sleep(0.02)
        if time.monotonic() > most:  # it waits for something
            os.kill(pid, signal.SIGKILL)
        status = _status(pid)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status == 0, end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def _survivors(name: str, sample: int, seed: int) -> tuple[int, int]:
    """Try the mutants of a target, print the survivors, and return how many were tried and killed."""
    target = TARGETS[name]
    _prepare(target)
    holds, seconds = _child(target, "", None, 600)
    if not holds:
        raise SystemExit(f"{name}: the tests fail without a change")
    tried = killed = 0
    for path in target.modules:
        source = (ROOT / path).read_text(encoding="utf-8")
        every = [each for each in changes(source) if each.function.startswith(target.functions)]
        chosen = sorted(random.Random(seed).sample(range(len(every)), min(sample, len(every))))
        dead, start = 0, time.monotonic()
        for change in (every[i] for i in chosen):
            holds = _child(target, path, change, 3 * seconds + 2)[0]
            dead += not holds
            if holds:
                print(
                    f"  {path}:{change.line} {change.function}: {change.before}  ->  {change.after}",
                    flush=True,
                )
        taken = time.monotonic() - start
        print(
            f"{name}: {path}: {dead} of {len(chosen)} killed ({len(every)} mutants), {taken:.0f} s",
            flush=True,
        )
        tried, killed = tried + len(chosen), killed + dead
    return tried, killed


def main(argv: list[str] | None = None) -> int:
    """Print the survivors of each target; return 1 if too few mutants are killed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutants", description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all if none")
    parser.add_argument("--sample", type=int, default=150, help="mutants of a module (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.85, help="share to be killed (default: %(default)s)")
    args = parser.parse_args(argv)
    if unknown := set(args.targets) - set(TARGETS):
        parser.error(f"no target is called {', '.join(sorted(unknown))}; choose from {', '.join(TARGETS)}")
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":  # read when Numba is imported
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", "mutants", *(argv or [])], environment)
    os.chdir(ROOT)
    few = 0
    for name in args.targets or TARGETS:
        tried, killed = _survivors(name, args.sample, args.seed)
        print(f"{name}: {killed} of {tried} killed, {killed / tried:.1%}", flush=True)
        few += killed < args.least * tried
    return min(few, 1)
