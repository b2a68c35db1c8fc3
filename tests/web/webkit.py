"""WebKit as Debian has it (WebKitGTK's MiniBrowser), driven by WebDriver (W3C) in Xvfb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from tests.ui.browser import free_port
from tests.web.firefox import PATIENCE, Waiting

_BROWSERS = "usr/lib/*/webkit2gtk-4.*/MiniBrowser"
_LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_SCREEN = ["-screen", "0", "1440x900x24", "-nolisten", "tcp"]
# The promise of an expression, as JSON; an error as its words.
_EVALUATE = """const done = arguments[arguments.length - 1]
new Promise(kept => kept(EXPRESSION)).then(value => done(JSON.stringify({ value: value ?? null })),
  error => done(JSON.stringify({ error: String(error) })))"""


def missing():
    """Return why there is no WebKit; empty if there is one."""
    if not shutil.which("WebKitWebDriver") or not _browser():
        return "WebKit (webkit2gtk-driver) is not installed"
    return "" if shutil.which("Xvfb") else "Xvfb, in which WebKit is shown, is not installed"


def _browser():
    return next(map(str, Path("/").glob(_BROWSERS)), "")


class Page(Waiting):
    """One page: what it is sent to, and expressions evaluated in it, as :class:`tests.web.firefox.Page`."""

    def __init__(self, address):
        self._address = address

    def open(self, address):
        """Open an address and wait until it is loaded."""
        _ask(f"{self._address}/url", {"url": address})

    def evaluate(self, expression):
        """Return what an expression is, or what its promise comes to, as JSON would have it."""
        script = _EVALUATE.replace("EXPRESSION", expression)
        found = json.loads(_ask(f"{self._address}/execute/async", {"script": script, "args": []}))
        if "error" in found:
            raise AssertionError(found["error"])
        return found["value"]


def _ask(address, sent=None, method=None):
    data = None if sent is None else json.dumps(sent).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
    try:
        with _LOCAL.open(request, timeout=3 * PATIENCE) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as refused:
        raise AssertionError(refused.read().decode()) from None


@contextmanager
def _screen():
    """Start an X server without a monitor; give its name."""
    seen, told = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(told), *_SCREEN], pass_fds=[told], stderr=subprocess.DEVNULL
    )
    os.close(told)
    try:
        with os.fdopen(seen, encoding="ascii") as number:
            yield f":{number.readline().strip()}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def webkit():
    """Start WebKit with a home of its own; give its page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, _screen() as screen:
        own = {"HOME": home, "DISPLAY": screen, "LC_ALL": "C.UTF-8", "GDK_BACKEND": "x11"}
        port = free_port()
        driver = subprocess.Popen(
            ["WebKitWebDriver", "--host=127.0.0.1", f"--port={port}"], env=os.environ | own,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            address = _begun(f"http://127.0.0.1:{port}")
            yield Page(address)
            _ask(address, method="DELETE")  # ends the browser
        finally:
            driver.terminate()
            driver.wait(PATIENCE)


def _begun(driver):
    """Return the address of a new session."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            _ask(f"{driver}/status")
            break
        except urllib.error.URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    options = {"binary": _browser(), "args": ["--automation"]}
    asked = {
        "browserName": "MiniBrowser",
        "webkitgtk:browserOptions": options,
        "timeouts": {"script": 1000 * 3 * int(PATIENCE), "pageLoad": 1000 * int(PATIENCE)},
    }
    session = _ask(f"{driver}/session", {"capabilities": {"alwaysMatch": asked}})
    return f"{driver}/session/{session['sessionId']}"
