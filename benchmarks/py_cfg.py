"""py-cfg (Johnson's sampler for adaptor grammars) as a peer, where a binary of it is at hand.

    python -m benchmarks discovery --py-cfg PATH

or the same path in the environment variable ``OTLAB_PY_CFG``. It runs as a program of its
own, one sweep at a time, alternately with ours: after each sweep it is stopped, and its CPU
seconds are read from its own clock. Linux only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import ITERATIONS, Iterations, Stepper, cpu_seconds
from otlab.discovery.grammar import Terminal
from otlab.discovery.parsing.parser import Parser
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from types import TracebackType

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.mcmc import MCMC

__all__ = ["ENVIRONMENT", "PyCfg", "binary", "by_turns", "grammar_lines"]

ENVIRONMENT = "OTLAB_PY_CFG"
OPTIONS = "-E -r 1 -g 100 -h 0.01"
"""Rule weights and concentrations are learnt, discounts stay 0: as in our presets."""


def binary() -> Path | None:
    """Return the program named by the environment variable, None if there is no such variable.

    Raises
    ------
    InputError
        If the variable names no file.
    """
    named = os.environ.get(ENVIRONMENT)
    if not named:
        return None
    path = Path(named)
    if not path.is_file():
        raise InputError(Fault(f"{ENVIRONMENT}: there is no file {path}", "name a py-cfg program"))
    return path.resolve()


def grammar_lines(parser: Parser) -> list[str]:
    """Return a compiled grammar in py-cfg's format: weight, discount, concentration, rule.

    A discount of 1 says there that a symbol is not adapted. Phones become p0, p1, ...
    """
    grammar, symbols = parser.chart.grammar, parser.corpus.symbols
    # The first rule's left side is py-cfg's start symbol.
    rules = sorted(grammar.rules, key=lambda rule: rule.left != grammar.start)
    lines = []
    for rule in rules:
        adaptor = grammar.adapted.get(rule.left)
        adapted = "1 1" if adaptor is None else f"{adaptor.discount:g} {adaptor.concentration:g}"
        right = " ".join(
            f"p{symbols.index(x.phone)}" if isinstance(x, Terminal) else _name(x) for x in rule.right
        )
        lines.append(f"{rule.prior:g} {adapted} {_name(rule.left)} --> {right}")
    return lines


def _name(symbol: str) -> str:
    return symbol.replace("+", "_several")


class PyCfg:
    """One run of py-cfg, a sweep at each call of :meth:`sweep`; a context manager.

    Parameters
    ----------
    program
        The binary.
    parser
        Text and grammar.
    sweeps
        Most sweeps that will be asked for.
    tables
        Whether the trees of tables are resampled too, as ours are where adapted symbols
        contain adapted symbols.
    """

    def __init__(self, program: Path, parser: Parser, sweeps: int, *, tables: bool) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        (folder / "grammar").write_text("\n".join(grammar_lines(parser)) + "\n", encoding="utf-8")
        (folder / "text").write_text(_text(parser.corpus), encoding="utf-8")
        options = [*OPTIONS.split(), "-R", "-1" if tables else "0", "-n", str(sweeps + 2)]
        with (folder / "text").open() as text:
            self._process = subprocess.Popen(
                [program, *options, "grammar"], cwd=folder, stdin=text, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        # The process's own CPU clock, as clock_getcpuclockid(3) numbers it.
        self._clock = (~self._process.pid << 3) | 2
        self.sweep()  # reads the text, and the first sweep
        self._wait()

    def __enter__(self) -> PyCfg:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def sweep(self) -> float:
        """Do one more sweep and return its CPU seconds."""
        begin = time.clock_gettime(self._clock)
        self._process.send_signal(signal.SIGCONT)
        while True:
            line = self._process.stderr.readline() if self._process.stderr is not None else ""
            if not line:
                raise RuntimeError(f"py-cfg ended with {self._process.wait()}")
            if line.startswith("Iteration "):
                break
        self._wait()
        return time.clock_gettime(self._clock) - begin

    def _wait(self) -> None:
        self._process.send_signal(signal.SIGSTOP)


def _text(corpus: Corpus) -> str:
    rows = (corpus.phones[a:b] for a, b in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True))
    return "".join(" ".join(f"p{phone}" for phone in row) + "\n" for row in rows)


def by_turns(
    program: Path, learner: MCMC, *, tables: bool, sweeps: int = ITERATIONS
) -> tuple[Iterations, Iterations]:
    """Run our sampler and py-cfg alternately, sweep by sweep; return ours and theirs in CPU seconds."""
    step = Stepper(learner)
    with PyCfg(program, learner.parser, sweeps, tables=tables) as peer:
        pairs = [(cpu_seconds(step), peer.sweep()) for _ in range(sweeps)]
    ours, theirs = zip(*pairs, strict=True)
    return Iterations(ours), Iterations(theirs)
