"""What stands between the tagging and grammar labs and a page: their kernels as objects for WebAssembly.

    python -m benchmarks page_kernels

EM and VB learn from simulated text, and the minimalist parser parses a sentence; each kernel that they
compile is printed with the size of its object and the functions that it calls outside of itself. Behind them
stands how many lines of Python, without docstrings and imports, lie between a text and these kernels: a page
would have them a second time.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from otlab.web.build import PLAIN, _object

__all__ = ["main", "survey"]

ROOT = Path(__file__).resolve().parents[1]
# Modules between a text and the kernels: reading, starts, updates, labels; lexicons, tables, forests, trees.
BETWEEN = {
    "tagging": "hmm/estep hmm/mstep hmm/batches hmm/parameters hmm/starts learners/em learners/vb"
    " learners/expectation corpus hmm/decode scores io/read io/textfile",
    "mg": "features lexicon parsing/grammar parsing/tables parsing/parse parsing/forest derivation io/read",
}
INTERPRETER = ("llvm.", "NRT_", "Py", "numba_do_", "numba_gil_", "numba_runtime_", "numba_unpickle")
NEEDLESS = "otlab.inference.kernels.subnormals"  # sets a register of the processor, which WebAssembly has not


def main(argv: list[str]) -> int:
    """Survey both systems, each in a process that compiles as the page's build does."""
    del argv
    for system in BETWEEN:
        code = f"from benchmarks.page_kernels import survey; survey({system!r})"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=os.environ | PLAIN)
    return 0


def survey(system: str) -> None:
    """Print the kernels that a system compiles for a small task, and the lines of Python before them."""
    import numba

    from otlab.inference import jit

    kernels: list[Any] = []

    def compiled(function: Any, inline: str, *, counting: bool = True) -> Any:
        kernels.append(numba.njit(function, nogil=True, inline=inline, **jit._counting(counting)))
        return kernels[-1]

    jit._compile = compiled
    _use(system)
    total = 0
    for made in kernels:
        name = made.py_func.__name__
        for signature in made.signatures if made.py_func.__module__ != NEEDLESS else ():
            code = made.overloads[signature].library.get_llvm_str()
            calls = set(re.findall(r"^declare [^@]*@\"?([^\"(]+)\"?\(", code, re.M))
            outside = sorted(call for call in calls if not call.startswith(INTERPRETER))
            size = len(_object(re.sub(r",? ?target_mem\d: none", "", code), name))
            total += size
            print(f"{system} {name}: {size / 1e3:.1f} kB {' '.join(outside)}")
    lines = sum(_lines(ROOT / "otlab" / system / f"{name}.py") for name in BETWEEN[system].split())
    print(f"{system}: {total / 1e3:.0f} kB in objects; {lines} lines of Python before them", flush=True)


def _use(system: str) -> None:
    """Let the kernels of a system compile."""
    if system == "tagging":
        from otlab.tagging import fit_em, fit_vb, simulate_hmm

        corpus = simulate_hmm(2000, 1, tags=5, types=200)
        for learn in (fit_em, fit_vb):
            learn(corpus, states=5, iterations=3, seed=1)
    else:
        from otlab.mg import parse, read

        parse(read(ROOT / "sample_lexicons" / "an_bn.mg"), "a b")


def _lines(path: Path) -> int:
    """Return the number of lines of code: no docstrings, comments, imports or blank lines."""
    text = path.read_text(encoding="utf-8")
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            left_out |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(bool(line.strip()) and line.strip()[0] != "#" and n not in left_out for n, line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
