"""Every notebook of the documentation runs from top to bottom, and is committed small."""

import json
import shutil

import pytest

from tests.docs.conftest import DOCS

NOTEBOOKS = sorted(DOCS.glob("*.ipynb"))
SECONDS_A_CELL = 200
LARGEST_OUTPUT = 60_000  # characters

# Run first in each copy: a notebook may talk to its own machine only.
OFFLINE = """\
import socket

_connect = socket.socket.connect

def connect(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"a notebook of the documentation reached for {address[0]}")
    return _connect(self, address)

socket.socket.connect = connect
"""


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@pytest.mark.notebook
@pytest.mark.timeout(400)
@named(NOTEBOOKS)
def test_notebook_runs(path, tmp_path):
    import nbformat  # takes two seconds: its JSON schema brings grammars of addresses
    from nbclient import NotebookClient

    copy = tmp_path / "docs"
    shutil.copytree(DOCS, copy, ignore=shutil.ignore_patterns("screenshots", ".ipynb_checkpoints"))
    notebook = nbformat.read(copy / path.name, as_version=4)
    nbformat.validate(notebook)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    client = NotebookClient(
        notebook, timeout=SECONDS_A_CELL, kernel_name="python3", resources={"metadata": {"path": str(copy)}}
    )
    client.execute()
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert all(cell.execution_count for cell in ran)


def committed(path):
    """Return the cells of code of a notebook, as plain values."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@named(NOTEBOOKS)
def test_committed_outputs_are_small_and_without_errors(path):
    for cell in committed(path):
        for output in cell["outputs"]:
            assert output["output_type"] != "error", output.get("evalue")
            for kind, data in output.get("data", {}).items():
                assert len(str(data)) < LARGEST_OUTPUT, f"{kind} of {len(str(data)):,} characters"


def test_the_lesson_on_lin_2005_is_there_with_its_results():
    code = committed(DOCS / "lin2005.ipynb")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    pictures = sum("image/svg+xml" in o.get("data", {}) for cell in code for o in cell["outputs"])
    assert pictures == 2
