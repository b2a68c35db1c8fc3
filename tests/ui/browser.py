"""A real browser on this machine only: Debian's Chromium, driven by Playwright.

``Visit`` is one visitor with one page. It notes every request that leaves the
machine and every error of a script; a test that used it fails if there was any.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-device-for-media-stream",  # a microphone that beeps
    "--use-fake-ui-for-media-stream",
]
PATIENCE = 90_000  # ms: a loaded machine is slow, not broken
_HOME = ("127.0.0.1", "localhost", "")


def missing():
    """Why there is no browser here; "" if there is one."""
    try:
        import playwright.sync_api  # noqa: F401 - asked for, not used
    except ImportError:
        return "Playwright is not installed"
    return "" if Path(CHROMIUM).exists() else f"there is no {CHROMIUM}"


@contextmanager
def launched():
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """One visitor: cookies, clipboard and page of their own."""

    def __init__(self, browser, size=(1440, 900), **options):
        self.foreign, self.errors = [], []
        permissions = ["clipboard-read", "clipboard-write"]
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, permissions=permissions, **options
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.page.on("request", self._request)
        self.page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        self.page.on("console", self._console)

    def open(self, url):
        """Go there and wait until the page can be used."""
        self.page.goto(url)
        self.ready()
        return self.page

    def ready(self):
        """Wait until the lab is there and the page has lifted its opening sheet."""
        self._opened()
        compiling = self.page.locator(".first-start").first
        if compiling.count():  # the page loads itself again when the lab can be opened
            compiling.wait_for(state="detached")
            self._opened()

    def _opened(self):
        """Wait until the opening sheet is lifted: Panel drops what is typed before that."""
        self.page.get_by_role("button", name="Copy link", exact=True).wait_for()
        self.page.locator("#opening").wait_for(state="detached")

    def close(self):
        """Leave; fail if anything went wrong on the way."""
        self.context.close()
        assert not self.foreign, f"requests left this machine: {self.foreign}"
        assert not self.errors, f"errors in the page: {self.errors}"

    def _request(self, request):
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "file") and parts.hostname not in _HOME:
            self.foreign.append(request.url)

    def _console(self, message):
        if message.type == "error" and "favicon" not in message.text:
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")


@contextmanager
def serving(*arguments, path="/", log=None):
    """Start ``python -m ...`` with ``{port}`` filled in; yield its address once it answers.

    What it prints goes to the file `log`, if there is one.
    """
    with server(*arguments, path=path, log=log) as (url, _process):
        yield url


@contextmanager
def server(*arguments, path="/", log=None, port=None):
    """Do as :func:`serving`, at a port of its own or the one given; yield the address and the process."""
    port = port or free_port()
    command = [sys.executable, "-m", *(argument.format(port=port) for argument in arguments)]
    url = f"http://127.0.0.1:{port}"
    # A file, since a server whose pipe nobody reads stands still once that is full.
    with log.open("w+", encoding="utf-8") if log else TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_for(url + path, process, lambda: output.seek(0) or output.read())
            yield url, process
        finally:
            process.terminate()
            process.wait(timeout=20)


def free_port():
    """Return a TCP port that is not in use."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, process, written):
    """Wait until a process serves an address; if it ends, the error tells what `written` returns."""
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended:\n{written()}")
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE / 1000):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer")
