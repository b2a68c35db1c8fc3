"""What the tests of the download "As a sweep" share."""

from __future__ import annotations

import io
import zipfile

from otlab.inference.executors import threads
from otlab.sweep import read_plan, run_plan
from tests.ui.page import download


def unpacked(part, folder):
    """Press "As a sweep" and unpack the file; return the text of the specification, and all names."""
    name, content = download(part, "sweep")
    assert name.endswith("sweep.zip")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return (folder / "sweep.toml").read_text(encoding="utf-8"), archive.namelist()


def run_download(part, folder):
    """Press "As a sweep", unpack the file and do its runs; return them in the order of the plan."""
    unpacked(part, folder)
    with threads(2) as workers:
        found = run_plan(read_plan(folder / "sweep.toml"), workers)
    assert not found.failed
    return found.runs
