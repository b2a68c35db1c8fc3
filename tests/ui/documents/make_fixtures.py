"""Save a document of each kind and lab as this version writes them, for the tests of all later versions.

    python -m tests.ui.documents.make_fixtures FOLDER [NAME ...]

Run it once for each format of documents, and keep what it writes: ``NAME.otlab`` of each of ``KINDS``, a
store with two of them as ``documents.sqlite``, and ``shown.json``: what each shows when it is
opened.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tempfile
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from otlab.samples import load_sample
from otlab.tagging import simulate_hmm
from otlab.ui.documents import runs as runs_module
from otlab.ui.documents.archive import read_archive
from otlab.ui.documents.store import DocumentStore, open_store
from otlab.ui.documents.writer import writer
from otlab.ui.server import warm
from tests.test_every_learner import numbers
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import press, waited
from tests.ui.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

WAIT = 240
TEXT = "ðə dɔɡ\nðə kæt\nə dɔɡ\nðə dɔɡ ɪz hɪɹ\nə kæt\n" * 2
TABLE = """input\toutput\tfrequency\tMax\tDep\tIdent
pa\tpa\t3\t0\t0\t1
\tpe\t1\t1\t0\t0
ta\tta\t2\t0\t1\t0
\tte\t2\t0\t0\t1
"""


def recording(pitch: float = 220.0) -> bytes:
    """Return half a second of a tone as a FLAC file."""
    stream, time = io.BytesIO(), np.arange(8000) / 16_000
    sound = 0.3 * np.sin(2 * np.pi * pitch * time) * (time % 0.2 < 0.1)
    soundfile.write(stream, sound, 16_000, format="FLAC")
    return stream.getvalue()


def _opened(lab: str, data: tuple[str, bytes] | None = None, **settings: Any) -> Any:
    made = paged(CASES[lab])
    if data is not None:
        made.open_file(*data)
    made.settings.param.update(**settings)
    return made


def _ran(lab: Any, rows: Sequence[str]) -> Any:
    lab.runner.enable(rows)
    lab.runner.run()
    assert lab.runner.wait(WAIT), "a run did not end"
    assert lab.runner.phase == "done", lab.runner.phase
    return lab


def _paused(lab: Any, rows: Sequence[str], sweeps: int = 2) -> Any:
    """Step two learners of a lab, so that their runs are paused when the document is opened."""
    lab.runner.enable(rows)
    for sweep in range(1, sweeps + 1):
        lab.runner.step()
        until(lambda at=sweep: lab.runner.tick() or all(_sweep(lab, row) >= at for row in rows), WAIT)
    lab.runner.tick()
    return lab


def _sweep(lab: Any, row: str) -> int:
    last = lab.runner.runner.jobs[row].last
    return 0 if last is None else last.sweep


def _tab(lab: Any, title: str) -> Any:
    (showing,) = lab.showings
    showing.go(title)
    return showing.tab(title)


def _edited(lab: Any, edits: Sequence[Callable[[Any], object]]) -> Any:
    for edit in edits:
        edit(lab)
    lab.undo()
    return lab


OT_SETTINGS = {"sweeps": 40, "chains": 2, "runs": 2, "trials": 400, "starts": 2, "seed": 7}


def ot_finished() -> Any:
    lab = _opened("ot", **OT_SETTINGS)
    _ran(lab, [row for row in lab.runner.runner.rows if row != "endless"])
    press(_tab(lab, "Compare"), "Compare models")
    until(lambda: "token" in lab.state.compared, WAIT)
    return lab


def ot_edited_since() -> Any:
    lab = _ran(_opened("ot", ("my table.txt", TABLE.encode()), **OT_SETTINGS), ["gla", "maxent"])
    return _edited(lab, CASES["ot"].edits)


def ot_paused() -> Any:
    return _paused(_opened("ot", **{**OT_SETTINGS, "sweeps": 50_000}), ["gibbs", "endless"])


def ot_paused_more() -> Any:
    return _paused(_opened("ot", **{**OT_SETTINGS, "trials": 90_000}), ["gla", "maxent-bayes"])


TAGGING_SETTINGS = {"iterations": 4, "runs": 2, "states": 3, "seed": 7}


def _own_corpus() -> Any:
    lab = paged(CASES["tagging"])
    lab.open_corpus(simulate_hmm(120, 8, tags=3, types=20))
    lab.settings.param.update(**TAGGING_SETTINGS)
    return lab


def tagging_finished() -> Any:
    lab = _ran(_own_corpus(), ["em", "vb", "gibbs"])
    lab.state.name_state(0, "noun")
    table = _tab(lab, "Table")
    table.choice.group = "grid"
    table.grid.param.update(learners="em vb", states=[3], emission=[0.5])
    table.start()
    until(lambda: table.tick() or not lab.state.table.running, WAIT)
    choice = _tab(lab, "Which model?")
    lab.state.choice.settings.param.update(states=[2, 3], runs=1, held_out=2)
    choice.task.start()
    assert waited(choice.task, WAIT)
    return lab


def tagging_paused() -> Any:
    lab = _own_corpus()
    lab.settings.param.update(iterations=5000)
    return _paused(lab, ["vb", "gibbs"])


def mg_finished() -> Any:
    lab = _edited(_opened("mg", iterations=20, sweeps=30, chains=2, restarts=2, seed=7), CASES["mg"].edits)
    _ran(lab, ["vb", "em", "map", "gibbs"])
    lab.state.theories.add("Questions", load_sample("figure1_wh"))
    compare = _tab(lab, "Compare")
    compare.task.start()
    assert waited(compare.task, WAIT)
    pool = _tab(lab, "Learn lexicon")
    lab.state.pool.settings.param.update(sentences="generated", restarts=2, iterations=20)
    pool.task.start()
    assert waited(pool.task, WAIT)
    return lab


def mg_paused() -> Any:
    return _paused(_opened("mg", iterations=5000, sweeps=50_000, seed=7), ["vb", "gibbs"])


def lexicon_finished() -> Any:
    lab = _opened("lexicon", ("my.txt", TEXT.encode()), iterations=4, edited=5.0, seed=7)
    _ran(lab, ["batch", "online", "mcmc", "noisy"])
    return _edited(lab, [lambda lab: lab.state.write_grammar(lab.state.grammar_text + "\n# mine")] * 2)


def lexicon_paused() -> Any:
    lab = _opened("lexicon", ("my.txt", TEXT.encode()), iterations=5000, edited=5.0, seed=7)
    return _paused(lab, ["batch", "mcmc"])


def lexicon_paused_more() -> Any:
    lab = _opened("lexicon", ("my.txt", TEXT.encode()), iterations=5000, edited=5.0, seed=7)
    return _paused(lab, ["online", "noisy"])


SOUND_SETTINGS = {"iterations": 3, "units": 4, "components": 1, "rounds": 1, "word_iterations": 2, "seed": 7}


def sound_finished() -> Any:
    lab = _opened("lexicon", ("tone.flac", recording()), **SOUND_SETTINGS)
    return _ran(lab, ["units", "joint"])


def sound_paused() -> Any:
    settings = {**SOUND_SETTINGS, "iterations": 5000, "rounds": 50}
    return _paused(_opened("lexicon", ("tone.flac", recording()), **settings), ["units"])


KINDS = {
    "ot_finished": ("ot", ot_finished),
    "ot_edited_since": ("ot", ot_edited_since),
    "ot_paused": ("ot", ot_paused),
    "ot_paused_more": ("ot", ot_paused_more),
    "tagging_finished": ("tagging", tagging_finished),
    "tagging_paused": ("tagging", tagging_paused),
    "mg_finished": ("mg", mg_finished),
    "mg_paused": ("mg", mg_paused),
    "lexicon_finished": ("lexicon", lexicon_finished),
    "lexicon_paused": ("lexicon", lexicon_paused),
    "lexicon_paused_more": ("lexicon", lexicon_paused_more),
    "sound_finished": ("lexicon", sound_finished),
    "sound_paused": ("lexicon", sound_paused),
}
"""The lab of each document, and what makes it."""
STORED = ("ot_edited_since", "ot_paused_more")
"""Those that are in the store, too."""


def digest(value: Any) -> str:
    """Return a short digest of plain values, such as :func:`numbers` of views."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def _views(views: Sequence[Any], later: Collection[str]) -> list[Any]:
    """Return all that views hold, but the fields of a later version that have their default."""
    kept = [[getattr(view, f.name) for f in fields(view) if _is_there(view, f, later)] for view in views]
    return numbers(kept)


def _is_there(view: Any, field: Field[Any], later: Collection[str]) -> bool:
    return field.name not in later or getattr(view, field.name) is not field.default


def shown(lab: Any, later: Collection[str] = ()) -> dict[str, Any]:
    """Return what an opened document shows beside its data: edits, runs, and what tabs computed.

    Fields of views that came `later` than the document are left out where they have their default.
    """
    lab.runner.tick()
    edits = lab.state.history.edits()
    jobs = lab.runner.runner.jobs
    results = lab.state.tab_results()
    return {
        "undo": [edit for edit, _ in edits.past],
        "redo": [edit for edit, _ in edits.future],
        "phase": lab.runner.phase,
        "runs": {
            row: [job.last.sweep, job.last.total, digest(_views(job.last.views, later))]
            for row, job in sorted(jobs.items())
            if job.last is not None
        },
        "replay": lab.runner.runner.histories.replayable,
        "tabs": [type(one).__name__ for one in _items(results) if one is not None],
    }


def _items(results: Any) -> tuple[Any, ...]:
    return tuple(results) if isinstance(results, tuple) else (results,)


def main(folder: Path, names: Sequence[str]) -> None:
    """Write all documents into a folder, or those of some names."""
    folder.mkdir(parents=True, exist_ok=True)
    warm.kernels.start = lambda: None
    runs_module.SECONDS, runs_module.COST_SHARE = 0.0, 0
    about = folder / "shown.json"
    said = json.loads(about.read_text()) if about.exists() else {}
    with tempfile.TemporaryDirectory() as place:
        os.environ["OTLAB_DOCUMENTS"] = str(Path(place) / "documents.sqlite")
        store = open_store()
        for name in names or KINDS:
            kind, make = KINDS[name]
            lab = make()
            lab.changed()
            writer.flush()
            _, file = lab.document_file()
            data = file()
            lab.close()
            (folder / f"{name}.otlab").write_bytes(data)
            again = paged(CASES[kind])
            again.open_file(f"{name}.otlab", data)
            until(lambda again=again: again.runner.phase != "idle", WAIT)
            said[name] = shown(again)
            about.write_text(json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
            again.close()
            sizes = {part: len(part_data) for part, part_data in read_archive(data).parts.items()}
            print(f"{name}: {len(data):,} bytes", sizes, flush=True)  # noqa: T201
        store.close()
    _store(folder)


def _store(folder: Path) -> None:
    """Write a store with some of the documents of a folder."""
    path = folder / "documents.sqlite"
    path.unlink(missing_ok=True)
    small = DocumentStore(path)
    for name in STORED:
        small.add(read_archive((folder / f"{name}.otlab").read_bytes()))
    small._connection.execute("PRAGMA journal_mode = DELETE")
    small.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
