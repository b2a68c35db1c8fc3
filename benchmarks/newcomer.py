"""What a newcomer waits for: from the command that installs otlab to the first histogram that moves.

    python -m benchmarks newcomer [--closed] [--json]

A wheel is built with uv and installed into an empty environment with an empty cache. ``otlab`` alone is then
started in a folder of its own, with a home folder in which there is nothing, so that its kernels are compiled
for the first time. Chromium opens the home page and the OT lab, presses Run, and waits until the histogram
has moved. Each part is printed, with the size of the environment. How long the installation takes depends on
the network. What the other three labs then take from the home page to a first result is printed beside it.

With ``--closed`` neither the working folder nor the home folder can be written to, as in a computer room.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from playwright.sync_api import expect

from tests.ui.browser import PATIENCE, ROOT, Visit, launched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GOAL = 180.0  # seconds
NOWHERE = "/proc/self/fdinfo"  # nobody, not even root, can write a file there
DRAWS = re.compile(r"^[1-9][\d,]* draws")
OTHERS = {"tagging_lab": "Tagging", "mg_lab": "Grammar", "lexicon_lab": "Lexicon"}


class Clock:
    """The seconds of each part, in order."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._last = time.perf_counter()

    def end(self, part: str) -> None:
        """Note that a part ends now, and the next begins."""
        now = time.perf_counter()
        self.parts[part] = now - self._last
        self._last = now


def main(argv: Sequence[str] = ()) -> int:
    """Measure and print; return 1 if the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks newcomer", description=__doc__.split("\n")[0])
    parser.add_argument("--closed", action="store_true", help="with folders that cannot be written to")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        parser.error("uv is not installed")
    with tempfile.TemporaryDirectory(prefix="otlab-newcomer-") as folder:
        report = measure(uv, Path(folder), closed=args.closed)
    if args.json:
        print(json.dumps(report))
    else:
        for part, value in report.items():
            print(f"{part:58s} {value:8.1f}")
        print(f"goal: at most {GOAL:.0f} seconds")
    return int(report["seconds in all"] > GOAL)


def measure(uv: str, folder: Path, *, closed: bool) -> dict[str, float]:
    """Return the seconds of each part, their sum, and the environment's size in MB."""
    wheel = _wheel(uv, folder / "wheel")
    environment, home = folder / "environment", folder / "home"
    home.mkdir()
    clock = Clock()
    _quietly(uv, "venv", "--python", sys.executable, str(environment), cache=folder / "cache")
    _quietly(uv, "pip", "install", "--python", str(environment), str(wheel), cache=folder / "cache")
    clock.end("install with uv, cache empty (s)")
    place = NOWHERE if closed else str(home)
    with _started(environment / "bin" / "otlab", place, folder) as (address, process, log):
        clock.end("otlab, until it says its address (s)")
        with launched() as browser:
            clock.end("(the browser starts) (s)")
            _drive(browser, address, clock)
            cpu = _cpu_seconds(process.pid)
            others = {}
            for route, title in OTHERS.items():
                opened, first = _first_result(browser, address, route)
                others[f"{title} lab, until it can be used (s)"] = opened
                others[f"{title} lab, Run to first result (s)"] = first
    if closed:
        print(log.read_text(encoding="utf-8"), file=sys.stderr)
    counted = {part: seconds for part, seconds in clock.parts.items() if not part.startswith("(")}
    size = sum(file.lstat().st_blocks * 512 for file in environment.rglob("*") if file.is_file()) / 1e6
    return {
        **counted,
        "seconds in all": sum(counted.values()),
        "CPU seconds of otlab and its compiler": cpu,
        **others,
        "size of the environment (MB)": size,
    }


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process and its children, whatever else the machine does."""
    parent = psutil.Process(pid)
    times = [one.cpu_times() for one in (parent, *parent.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def _drive(browser: Any, address: str, clock: Clock) -> None:
    """Open the OT lab from the home page, and run it until the histogram has moved."""
    visit = Visit(browser)
    page = visit.page
    page.goto(address)
    page.locator("#opening").wait_for(state="detached")
    card = page.locator("a[href$='ot_lab'] h2").first
    card.wait_for()
    clock.end("home page (s)")
    card.click()
    run = page.get_by_role("button", name="Run", exact=True)
    run.wait_for(timeout=4 * PATIENCE)
    visit.ready()
    clock.end("OT lab, its kernels compiled (s)")
    run.click()
    draws = page.locator(".remark").filter(has_text=DRAWS).first
    draws.wait_for(timeout=4 * PATIENCE)
    clock.end("first histogram (s)")
    first = draws.inner_text()
    expect(draws).not_to_have_text(first, timeout=PATIENCE)
    clock.end("histogram has moved (s)")
    page.get_by_role("button", name="Stop", exact=True).click()
    visit.close()


def _first_result(browser: Any, address: str, route: str) -> tuple[float, float]:
    """Open a lab from the home page and run it; return the seconds of opening, and of its first result."""
    visit = Visit(browser)
    page = visit.page
    page.goto(address)
    page.locator("#opening").wait_for(state="detached")
    card = page.locator(f"a[href$='{route}'] h2").first
    card.wait_for()
    begin = time.perf_counter()
    card.click()
    run = page.get_by_role("button", name="Run", exact=True)
    run.wait_for(timeout=4 * PATIENCE)
    visit.ready()
    opened = time.perf_counter()
    run.click()
    page.get_by_text(re.compile(r"^Iteration [1-9]")).first.wait_for(timeout=4 * PATIENCE)
    seconds = time.perf_counter() - opened
    visit.close()
    return opened - begin, seconds


def _wheel(uv: str, folder: Path) -> Path:
    """Return a wheel of this copy of otlab, newly built."""
    _quietly(uv, "build", "--wheel", "--out-dir", str(folder), str(ROOT))
    return next(folder.glob("otlab-*.whl"))


def _quietly(*command: str, cache: Path | None = None) -> None:
    """Run a command; print what it wrote if it fails."""
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    if cache is not None:
        environment["UV_CACHE_DIR"] = str(cache)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


@contextmanager
def _started(command: Path, home: str, folder: Path) -> Iterator[tuple[str, Any, Path]]:
    """Start otlab where nothing of this user is known; yield its address, its process and its log."""
    kept = ("PATH", "LANG", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HOME": home, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    log = folder / "log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [str(command)], cwd=home, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield _address(process, log), process, log
    finally:
        process.terminate()
        process.wait(20)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the address that otlab prints; fail with what it printed if it ends."""
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        text = log.read_text(encoding="utf-8")
        found = re.search(r"http://\S+", text)
        if found:
            return found[0]
        if process.poll() is not None:
            raise SystemExit(f"otlab ended:\n{text}")
        time.sleep(0.02)
    raise SystemExit(f"otlab said no address:\n{log.read_text(encoding='utf-8')}")
