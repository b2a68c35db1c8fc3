"""The OT lab in a notebook: run from end to end, and shown by a real JupyterLab."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest

from tests.ui.browser import PATIENCE, ROOT, free_port

pytestmark = pytest.mark.notebook

NOTEBOOK = ROOT / "docs" / "ot_lab.ipynb"
QUIET = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]
RUN_CELL = "jupyterapp.commands.execute('notebook:run-cell-and-select-next').then(() => 1)"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_runs_from_end_to_end():
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    output = json.dumps(notebook.cells)
    assert "application/vnd.bokehjs_exec" in output or "bk-" in output
    assert "[0.33" in output


@contextmanager
def jupyter(folder):
    """Start JupyterLab on a copy of the notebook, with nothing of this user's settings."""
    shutil.copy(NOTEBOOK, folder / "t.ipynb")
    port = free_port()
    places = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    environment = {**os.environ, **places, "PYTHONPATH": str(ROOT)}
    news = "@jupyterlab/apputils-extension:announcements"
    subprocess.run(
        [sys.executable, "-m", "jupyter", "labextension", "disable", "--level=user", news],
        env=environment,
        check=False,
        capture_output=True,
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *QUIET, f"--port={port}", f"--notebook-dir={folder}"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://127.0.0.1:{port}/api")
        yield f"http://127.0.0.1:{port}/lab/tree/t.ipynb?reset"
    finally:
        process.terminate()
        process.wait(20)


def _wait(url):
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


@pytest.mark.browser
def test_jupyterlab_shows_the_lab_and_its_run(browser, tmp_path):
    with jupyter(tmp_path) as url:
        page = browser.new_context(viewport={"width": 1600, "height": 1100}).new_page()
        page.set_default_timeout(90_000)
        page.goto(url)
        page.get_by_text("| Idle").wait_for()
        for _ in range(4):
            page.evaluate(RUN_CELL)
        output = page.locator(".jp-OutputArea-output")
        output.get_by_role("slider", name="Ranking value of AL").wait_for()
        output.get_by_role("button", name="Run", exact=True).click()
        page.get_by_text(re.compile(r"^[\d,]+ draws")).first.wait_for()
