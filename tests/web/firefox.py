"""Firefox as Debian has it, driven by WebDriver BiDi (W3C), which it speaks itself."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0  # seconds
_PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
}


def missing():
    """Return why there is no Firefox; empty if there is one."""
    return "" if shutil.which("firefox-esr") or shutil.which("firefox") else "Firefox is not installed"


class Waiting:
    """A page that waits for what its ``evaluate`` returns."""

    def wait(self, expression):
        """Wait until an expression is true, and return it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := self.evaluate(expression):
                return found
            time.sleep(0.05)
        raise AssertionError(f"not so after {PATIENCE:.0f} s: {expression}")


class Page(Waiting):
    """One page: what it is sent to, and expressions evaluated in it."""

    def __init__(self, socket):
        self._socket, self._numbers = socket, itertools.count(1)
        self._ask("session.new", capabilities={})
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address):
        """Open an address and wait until it is loaded."""
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression):
        """Return what an expression is, or what its promise comes to, as JSON would have it."""
        wrapped = f"Promise.resolve({expression}).then(value => JSON.stringify(value ?? null))"
        target = {"context": self._context}
        found = self._ask("script.evaluate", expression=wrapped, target=target, awaitPromise=True)
        if found["type"] == "exception":
            raise AssertionError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def _ask(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise AssertionError(f"{method}: {answer['message']}")
                return answer["result"]


@contextmanager
def firefox():
    """Start Firefox without a window and with a profile of its own; give its page."""
    import websocket

    command = shutil.which("firefox-esr") or shutil.which("firefox")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()
        ]
        Path(profile, "user.js").write_text("\n".join(lines), encoding="utf-8")
        arguments = ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile]
        process = subprocess.Popen([command, *arguments], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            for line in process.stderr:
                if found := re.search(rb"WebDriver BiDi listening on (ws://[\d.:]+)", line):
                    break
            else:
                raise AssertionError("Firefox has ended before it said its address")
            address = f"{found[1].decode()}/session"
            socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
            yield Page(socket)
            socket.close()
        finally:
            process.terminate()
            process.wait(PATIENCE)
            process.stderr.close()
