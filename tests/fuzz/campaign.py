"""Run readers on damaged files and say which raised something else, took too long, or too much memory."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from otlab.errors import DataWarning, OtlabError
from tests.fuzz.mutations import MOST_BYTES, changed
from tests.fuzz.readers import Reader

MOST_SECONDS = 2.0
"""Of the processor, for an input of at most `MOST_BYTES`: 1 s where nothing else runs, twice that else;
more on a machine that is slower than that at `yardstick`."""
YARDSTICK = 0.075
"""Seconds that `yardstick` takes where nothing else runs, on the machine the limit was set on."""
MOST_MEMORY = 200_000_000
HANG = 20
"""Seconds of the processor after which a reader is interrupted."""
ROOM = 2_000_000_000
"""Bytes that the process may take beyond what it has, so that a bomb ends in MemoryError."""


class Hang(BaseException):
    """A reader was interrupted."""


@dataclass(frozen=True)
class Fault:
    """What a reader did that it must not do: `key` is the same for inputs with the same cause."""

    key: str
    report: str


@dataclass
class Outcome:
    """What one reader did with its inputs."""

    reader: str
    inputs: int = 0
    read: int = 0
    refused: int = 0
    slowest: float = 0.0
    memory: int = 0
    seconds: float = 0.0
    faults: dict[str, tuple[bytes, Fault]] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The outcome as a row of the table."""
        return (
            f"{self.reader:<18} {self.inputs:>9,} {self.read:>9,} {self.refused:>9,} "
            f"{self.slowest:>8.3f} {self.memory / 1e6:>7.0f} {len(self.faults):>7}"
        )


HEAD = f"{'reader':<18} {'inputs':>9} {'read':>9} {'refused':>9} {'slowest':>8} {'memory':>7} {'faults':>7}"


def fault_of(reader: Reader, data: bytes, *, timed: bool = True) -> tuple[Fault | None, bool, float, int]:
    """Return the fault of a reader, whether it read the input, the seconds and the bytes that it took."""
    _reset_peak()
    before, start, read, fault = _resident("VmRSS"), time.process_time(), False, None
    try:
        with _interrupted(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DataWarning)
            reader.read(data)
        read = True
    except OtlabError as error:
        if not str(error).strip():
            fault = Fault("an error without words", repr(error))
    except Hang:
        fault = Fault("hang", f"interrupted after {HANG} s: {_place_of(traceback.format_exc())}")
    except Exception as error:  # this is what is looked for
        fault = Fault(f"{type(error).__name__} {_place_of(traceback.format_exc())}", traceback.format_exc())
    seconds = time.process_time() - start
    memory = max(_resident("VmHWM") - before, 0)
    if fault is None and timed and len(data) <= MOST_BYTES:
        if seconds > MOST_SECONDS and seconds > MOST_SECONDS * yardstick() / YARDSTICK:
            fault = Fault("slow", f"took {seconds:.2f} s for {len(data):,} bytes")
        elif memory > MOST_MEMORY:
            fault = Fault("memory", f"took {memory / 1e6:,.0f} MB for {len(data):,} bytes")
    return fault, read, seconds, memory


def yardstick() -> float:
    """Return the processor's seconds for work like that of readers: half a million short words, looked up."""
    start, seen = time.process_time(), dict[str, int]()
    for number in range(500_000):
        word = str(number % 5000)
        seen[word] = seen.get(word, 0) + len(word)
    return time.process_time() - start


def campaign(
    reader: Reader, inputs: int, seed: int, *, first: int = 0, seconds: float = float("inf")
) -> Outcome:
    """Give a reader its samples, each changed in another way: inputs `first`, `first` + 1, ... of a seed.

    The same seed and number make the same input on every machine. After `seconds` the rest is left out.
    """
    samples = list(reader.samples())
    outcome, start = Outcome(reader.name), time.monotonic()
    for sample in samples:
        with _quiet():
            fault_of(reader, sample)  # compiles and imports what has to be
    with _room(), _quiet(), _frozen():
        for number in range(first, first + inputs):
            if outcome.inputs and time.monotonic() - start > seconds:
                break
            rng = Random(f"{seed} {reader.name} {number}")
            data = changed(rng.choice(samples), samples, rng)
            fault, read, took, memory = fault_of(reader, data)
            if fault is not None and fault.key in (
                "slow",
                "memory",
            ):  # once more: the first may have compiled
                fault, read, took, memory = fault_of(reader, data)
            outcome.inputs += 1
            outcome.read += read
            outcome.refused += not read
            outcome.slowest, outcome.memory = max(outcome.slowest, took), max(outcome.memory, memory)
            if fault is not None:
                known = outcome.faults.get(fault.key)
                if known is None or len(data) < len(known[0]):
                    outcome.faults[fault.key] = data, fault
    outcome.seconds = time.monotonic() - start
    return outcome


@contextlib.contextmanager
def _frozen() -> Iterator[None]:
    """Exempt what is there from garbage collection, as a server does once all is imported."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def shortened(reader: Reader, data: bytes, key: str, tries: int = 400) -> bytes:
    """Return a shorter input with the same fault, by leaving out parts."""
    if key in ("slow", "memory", "hang"):
        return data
    with _room(), _quiet():
        return _halved(reader, data, key, tries)


def _halved(reader: Reader, data: bytes, key: str, tries: int) -> bytes:
    size = max(len(data) // 2, 1)
    while size >= 1 and tries > 0:
        at = 0
        while at < len(data) and tries > 0:
            shorter = data[:at] + data[at + size :]
            tries -= 1
            fault = fault_of(reader, shorter, timed=False)[0]
            if fault is not None and fault.key == key:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def _place_of(report: str) -> str:
    """Return the last line of otlab's in a traceback."""
    lines = [line.strip() for line in report.splitlines() if "/otlab/" in line and "File " in line]
    return "" if not lines else Path(lines[-1].split('"')[1]).name + lines[-1].split('"')[2]


@contextlib.contextmanager
def _interrupted() -> Iterator[None]:
    def hang(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, hang)
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Send what libraries in C write about damaged sound to nowhere."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Limit the memory of this process, where the system can."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = _resident("VmSize")
    if size:
        resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _resident(name: str) -> int:
    """Return a size of this process in bytes as Linux tells it; 0 elsewhere."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(name)), 0)


def _reset_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
