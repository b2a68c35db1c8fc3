"""Documents that each version has written still open, and show what they showed: see make_fixtures.py."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from otlab.inference import run
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.runs import RUN
from otlab.ui.documents.store import DocumentStore
from otlab.ui.documents.writer import writer
from tests.test_every_learner import numbers
from tests.ui.documents.helpers import CASES, paged, reloaded
from tests.ui.documents.make_fixtures import KINDS, STORED, shown
from tests.ui.waiting import until

FOLDER = Path(__file__).parent / "fixtures"
FORMATS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
FILES = {
    f"{form} {name}": (form, name)
    for form in FORMATS
    for name in KINDS
    if (FOLDER / form / f"{name}.otlab").exists()
}
HEADS = {"format_1": b"\x80\x05", "format_2": b"otlab\x002\n"}
"""How the parts of each format begin."""
_OF_TAGGERS = ["priors", "state_counts", "concentrations", "sampled", "discounts"]
LATER = {"format_1": ["pipeline_objective", *_OF_TAGGERS], "format_2": _OF_TAGGERS}
"""Fields of views that came after the documents of a format were saved."""
CHANGED = {("format_1", "noisy")}
"""Learners whose numbers are others since: any operation but an insertion reads the end of a word."""
QUICK = {"format_2 ot_paused_more", "format_1 ot_edited_since", "format_1 mg_paused"}
FILE_CASES = [
    pytest.param(*at, id=name, marks=[] if name in QUICK else pytest.mark.slow) for name, at in FILES.items()
]


def said(form):
    """Return what each document of a format showed when it was saved."""
    return json.loads((FOLDER / form / "shown.json").read_text())


def holds(now, then):
    """Return whether values are the same as earlier ones; a later version may have more of them."""
    if isinstance(then, dict):
        return now.keys() >= then.keys() and all(holds(now[name], value) for name, value in then.items())
    if isinstance(then, list) and isinstance(now, list) and len(now) == len(then):
        return all(map(holds, now, then))
    return now == then


def opened(form, name):
    """Return a lab with a document of a format, opened from its file."""
    lab = paged(CASES[KINDS[name][0]])
    lab.open_file(f"{name}.otlab", (FOLDER / form / f"{name}.otlab").read_bytes())
    until(lambda: lab.runner.phase != "idle")
    return lab


@pytest.mark.slow
@pytest.mark.parametrize(("form", "name"), FILE_CASES)
def test_a_document_shows_what_it_showed_and_is_saved_anew(form, name, store):
    lab = opened(form, name)
    expected = said(form)[name]
    assert shown(lab, LATER[form]) == expected
    saved = read_archive((FOLDER / form / f"{name}.otlab").read_bytes())
    now = json.loads(json.dumps(lab.to_plain()()))
    for values in ("document", "settings", "learners"):
        assert holds(now[values], saved.values[values])
    assert lab.state.called == saved.summary.name
    warnings = [message["toast"] for message in lab.sent if "left out" in message.get("toast", "")]
    assert not warnings
    lab.changed()
    writer.flush()
    parts = store.load(lab.document).parts
    for part in ("undo", "tabs", "sight"):
        assert parts[part].startswith(HEADS["format_2"])
    again = reloaded(CASES[KINDS[name][0]], lab)
    until(lambda: again.runner.phase != "idle")
    assert shown(again, LATER[form]) == expected
    again.close()
    lab.close()


def goes_on_from_its_state(paused, views):
    """Check that a run of earlier numbers keeps them, and improves from there by those of this version."""
    before = [view.objective.tolist() for view in views]
    whole = run(paused.learner, sweeps=paused.sweep, seed=paused.seed, chains=paused.chains).finish()
    assert [view.objective.tolist() for view in whole.views] != before, "no longer others"
    after = [view.objective for view in paused.advance(3).views]
    for earlier, objective in zip(before, after, strict=True):
        at = len(earlier)
        assert objective[:at].tolist() == earlier
        assert len(objective) == at + 3
        assert (np.diff(objective[at:]) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "name"), [pytest.param(*at, id=name) for name, at in FILES.items() if "paused" in name]
)
def test_a_paused_run_goes_on_with_the_numbers_of_one_that_never_stopped(form, name):
    lab = opened(form, name)
    for row, job in lab.runner.runner.jobs.items():
        paused = job.run
        if (form, row) in CHANGED:
            goes_on_from_its_state(paused, job.last.views)
            continue
        sweep = paused.sweep + 3
        whole = run(paused.learner, sweeps=sweep, seed=paused.seed, chains=paused.chains, every=paused.every)
        assert numbers(paused.advance(3).views) == numbers(whole.finish().views), row
    lab.close()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_noisy_run_of_an_earlier_version_says_why_its_objective_jumps(form):
    lab = opened(form, "lexicon_paused_more")
    lab.settings.shown = "noisy"
    job = lab.runner.runner.jobs["noisy"]
    before = job.last.sweep
    lab.runner.step()
    until(lambda: (lab.runner.tick(), lab.state.noisy.iteration > before)[1], 120)
    lab.runner.reassess()
    told = f"the jump before iteration {before + 1} is that of the formula" in lab.runner.report.meaning
    assert told == (form == "format_1")
    lab.close()


@pytest.mark.slow
@pytest.mark.parametrize(("form", "name"), FILES.values(), ids=FILES)
def test_undo_and_redo_go_the_way_they_went(form, name):
    lab = opened(form, name)
    while lab.state.history.can_redo:
        lab.redo()
    edits = [edit for edit, _ in lab.state.history.edits().past]
    for edit in reversed(edits):
        assert lab.state.history.last == edit
        lab.undo()
    assert not lab.state.history.can_undo
    lab.close()


@pytest.mark.parametrize("form", FORMATS)
def test_a_store_of_each_format_opens(form, tmp_path):
    path = tmp_path / "copy.sqlite"
    shutil.copyfile(FOLDER / form / "documents.sqlite", path)
    store = DocumentStore(path)
    found = store.recent(9)
    assert len(found) == len(STORED)
    for one in found:
        saved = store.load(one.id)
        assert {name.split()[0] for name in saved.parts} >= {"undo", "tabs", "run"}
        for name, data in saved.parts.items():
            assert name == "changed before it was copied" or data.startswith(HEADS[form]) or not data
        assert read_archive(write_archive(saved)).parts == saved.parts
    store.close()


@pytest.mark.parametrize(("form", "name"), FILES.values(), ids=FILES)
def test_the_files_of_a_format_have_its_bytes(form, name):
    """So that they are never written anew by a later version."""
    data = (FOLDER / form / f"{name}.otlab").read_bytes()
    assert len(data) < 200_000
    for part, content in read_archive(data).parts.items():
        if part.startswith(RUN) and content:
            assert content.startswith(HEADS[form])
