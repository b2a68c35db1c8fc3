"""The labs in a notebook: each shown, run and changed in a real JupyterLab; one notebook from end to end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.ui.browser import PATIENCE, ROOT, free_port

pytestmark = pytest.mark.notebook

QUIET = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]
RUN_CELL = """at => {
  jupyterapp.shell.currentWidget.content.activeCellIndex = at
  return jupyterapp.commands.execute("notebook:run-cell").then(() => 1)
}"""
RAN = re.compile(r"\[\d+\]")  # what stands beside a cell that has been run
FIRST = """
import otlab
from otlab import LexiconLab, MGLab, OTLab, TaggingLab
from otlab.discovery.toy import ToyLanguage, generate
from otlab.tagging import Corpus, simulate_hmm
"""


@dataclass(frozen=True)
class Case:
    """A lab in a cell.

    Attributes
    ----------
    make, settings
        The lab, and the settings of a short run.
    result
        What is read from Python when the run has ended.
    other
        Statement that gives the lab other data.
    shown, tab
        What the cell shows of these, and not before; on another tab than the one that is open.
    """

    make: str
    settings: str
    result: str
    other: str
    shown: str
    tab: str = ""


CASES = {
    "OT": Case(
        'OTLab("ilokano")',
        "sweeps=400, chains=2, seed=7",
        'lab.posterior.summary("ranking_value")["median"].round(6).tolist()',
        'lab.tableau = otlab.load_sample("spanish")',
        "marsito",
    ),
    "Tagging": Case(
        "TaggingLab(simulate_hmm(800, 7, tags=4, types=100))",
        "iterations=12, runs=2, states=5, seed=7",
        "{name: round(float(found.view.objective[-1]), 3) for name, found in lab.results.items()}",
        'lab.corpus = Corpus.from_sentences([["dog", "barks"]] * 20)',
        "barks",
        "Data",
    ),
    "Grammar": Case(
        "MGLab()",
        "iterations=20, seed=7",
        'lab.inductions["vb"].parameters["probability"].round(6).tolist()',
        'lab.lexicon = otlab.load_sample("stabler_king")',
        "king",
    ),
    "Lexicon": Case(
        "LexiconLab(generate(ToyLanguage(words=8, utterances=30)))",
        "iterations=5, seed=7",
        'round(float(lab.results["batch"].objective[-1]), 3)',
        "lab.corpus = generate(ToyLanguage(words=5, utterances=12))",
        "12 utterances",
    ),
}
CELLS = ("show", "read", "change")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_runs_from_end_to_end():
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "docs" / "ot_lab.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    output = json.dumps(notebook.cells)
    assert "application/vnd.bokehjs_exec" in output or "bk-" in output
    assert "[0.33" in output


def write_notebook(path):
    """Write a notebook: the first cell, and for each lab one to show it, one to read, one to change it."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    sources = [FIRST]
    for n, case in enumerate(CASES.values()):
        lab = f"lab{n}"
        sources += [
            f"{lab} = {case.make}\n{lab}.settings.param.update({case.settings})\n{lab}",
            f"print({case.result.replace('lab.', f'{lab}.')})",
            case.other.replace("lab.", f"{lab}.", 1),
        ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = [new_code_cell(source) for source in sources]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)


@contextmanager
def jupyter(folder):
    """Start JupyterLab in a folder with a notebook, with nothing of this user's settings."""
    write_notebook(folder / "t.ipynb")
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


class Notebook:
    """A notebook open in JupyterLab."""

    def __init__(self, page):
        self._page = page

    def run(self, at):
        """Run a cell, wait until the kernel is idle, and return the cell."""
        self._page.evaluate(RUN_CELL, at)
        cell = self._page.locator(f'.jp-Cell[data-windowed-list-index="{at}"]')
        expect(cell.locator(".jp-InputPrompt")).to_have_text(RAN)
        assert not cell.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count()
        return cell


@pytest.fixture(scope="module")
def notebook(browser, kernels, tmp_path_factory):
    """A notebook in JupyterLab whose first cell has been run."""
    with jupyter(tmp_path_factory.mktemp("jupyter")) as url:
        page = browser.new_context(viewport={"width": 1600, "height": 1100}).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(url)
        page.get_by_text("| Idle").wait_for()
        made = Notebook(page)
        made.run(0)
        yield made


@pytest.mark.browser
@pytest.mark.parametrize("name", CASES)
def test_jupyterlab_shows_a_lab_runs_it_and_follows_python(notebook, name):
    case, at = CASES[name], 1 + len(CELLS) * list(CASES).index(name)
    cell = notebook.run(at)
    shown = cell.get_by_text(case.shown).locator("visible=true")
    run = cell.get_by_role("button", name="Run", exact=True)
    run.wait_for()
    assert not shown.count()
    run.click()
    cell.get_by_text("done", exact=True).wait_for()
    printed = notebook.run(at + 1).locator(".jp-OutputArea-output")
    expect(printed).to_have_text(expected(case))
    notebook.run(at + 2)
    if case.tab:
        cell.get_by_role("tab", name=case.tab, exact=True).click()
    expect(shown.first).to_be_visible()


def expected(case):
    """Return what the notebook prints, of the same lab run here."""
    space = {}
    exec(FIRST, space)
    exec(f"lab = {case.make}\nlab.settings.param.update({case.settings})", space)
    lab = space["lab"]
    lab.runner.run()
    assert lab.runner.wait(PATIENCE / 1000)
    result = str(eval(case.result, space))
    lab.close()
    return result
