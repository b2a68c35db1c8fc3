"""Serve an installed otlab without a network, from an empty home: every lab opens, runs, asks nobody else.

    unshare -n sh -c "ip link set lo up; python -m benchmarks offline [--python PYTHON]"

``PYTHON`` is an interpreter that has otlab, such as one into which the wheel of ``make release`` was
installed; this one if it is not given. ``unshare -n`` (Linux, as root) leaves this machine's own addresses
only; without it, requests to other hosts are still found. A line is a page: seconds until its first words and
until it can be used, websockets, requests to other hosts and errors. The first line is the server's: when it
answers, with no compiled kernels. No words after two seconds, a request to elsewhere, an error: a fault.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from otlab.ui.server.registry import labs
from tests.ui.browser import Visit, free_port, launched

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

PATIENCE = 180.0
FIRST_WORDS = 2.0
_WORDS = "document.body && document.body.innerText.trim().length > 0"


@contextmanager
def _installed(python: str) -> Iterator[str]:
    """Serve with an interpreter, away from this folder; print when it answers, yield its address."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {**kept, "HOME": home, "OTLAB_CACHE": str(Path(home) / "cache")}
        port = free_port()
        url, begin = f"http://127.0.0.1:{port}", time.monotonic()
        command = [python, "-m", "otlab", "serve", "--no-browser", "--port", str(port)]
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.DEVNULL)
        try:
            while not _answers(url):
                if process.poll() is not None or time.monotonic() > begin + PATIENCE:
                    raise RuntimeError("the server does not answer")
                time.sleep(0.02)
            busy = sum(psutil.Process(process.pid).cpu_times()[:2])
            print(f"the server answers after {time.monotonic() - begin:.1f} s ({busy:.1f} CPU s)", flush=True)
            yield url
        finally:
            process.terminate()
            process.wait(20)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return bool(answer.read())
    except OSError:
        return False


def _open(browser: Any, url: str, route: str) -> bool:
    """Open a lab and run it to its first results; print a line, and return whether there was a fault."""
    visit, sockets = Visit(browser), []
    visit.page.on("websocket", lambda socket: sockets.append(socket.url))
    begin = time.monotonic()
    visit.page.goto(f"{url}/{route}", wait_until="commit")
    visit.page.wait_for_function(_WORDS)
    words = time.monotonic() - begin
    visit.ready()
    usable = time.monotonic() - begin
    visit.page.get_by_role("button", name="Run", exact=True).click()
    visit.page.get_by_role("button", name="Stop", exact=True).wait_for()
    faults = [*visit.foreign, *visit.errors]
    visit.context.close()
    ends = f"{len(sockets)} websockets, " + ("; ".join(faults) or "no request to elsewhere, no error")
    print(f"{route}: words after {words:.1f} s, usable after {usable:.1f} s, {ends}", flush=True)
    return bool(faults) or not sockets or words > FIRST_WORDS


def main(argv: list[str] | None = None) -> int:
    """Print a line for the server and one for each lab; return 1 if there was a fault."""
    program = "python -m benchmarks offline"
    parser = argparse.ArgumentParser(prog=program, description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="one with otlab (default: this one)")
    args = parser.parse_args(argv)
    with _installed(args.python) as url, launched() as browser:
        found = [_open(browser, url, entry.route) for entry in labs()]
    return int(any(found))
