"""What can be downloaded from the tagging lab: labels, scores, traces, names, taggers."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from otlab.errors import InputError
from otlab.tagging import SCORES

if TYPE_CHECKING:
    from otlab.ui.components.downloads import File
    from otlab.ui.tagging.results import Result
    from otlab.ui.tagging.state import TaggingState

__all__ = ["FILES", "download", "file_bytes"]

FILES = {
    "labels": ("Labelled text", "{}_labels.tsv"),
    "states": ("States: names, words, tags", "{}_states.csv"),
    "traces": ("Scores by iteration, all seeds", "{}_traces.csv"),
    "confusion": ("States against gold tags", "{}_confusion.csv"),
    "model": ("Trained tagger (for the command line)", "{}_tagger.npz"),
}


def download(state: TaggingState, key: str) -> File:
    """Return name and content of one of :data:`FILES`, for the run that is looked at.

    Raises
    ------
    InputError
        If there is none yet.
    """
    result = state.result
    if result is None or not result.views or (key == "model" and result.model is None):
        raise InputError("There is nothing to download before a run has ended")
    name = FILES[key][1].format(Path(result.corpus.name or "corpus").stem.replace(" ", "_"))
    return name, lambda: file_bytes(result, key)  # a corpus of millions of words takes seconds


def file_bytes(result: Result, key: str) -> bytes:
    """Return the content of one of :data:`FILES`."""
    makers = {"labels": _labels, "states": _states, "traces": _traces, "confusion": _confusion}
    if key in makers:
        return makers[key](result).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tagger.npz"
        if result.model is not None:
            result.model.named(result.names).save(path)
        return path.read_bytes()


def _labels(result: Result) -> str:
    """Return one token a line: word, state, its name, gold tag; blank lines between sentences."""
    labels = np.split(result.view.labels, result.corpus.offsets[1:-1])
    blocks = [
        "\n".join(
            "\t".join([word, str(k), result.name(int(k)), *([tag] if tag else [])])
            for (word, tag), k in zip(sentence, states, strict=True)
        )
        for sentence, states in zip(result.corpus, labels, strict=True)
    ]
    return "\n\n".join(blocks) + "\n"


def _states(result: Result) -> str:
    cards = [result.portrait.card(int(k), words=15, lift=15) for k in result.portrait.order]
    matching, tagset = result.portrait.matching, result.corpus.tagset
    rows = {
        "state": [c.state for c in cards],
        "name": [result.names.get(c.state, "") for c in cards],
        "tokens": [c.tokens for c in cards],
        "matched tag": [tagset[matching[c.state]] if c.state in matching else "" for c in cards],
        "words": [" ".join(word for word, _ in c.words) for c in cards],
        "by lift": [" ".join(c.lift) for c in cards],
    }
    return pd.DataFrame(rows).to_csv(index=False)


def _traces(result: Result) -> str:
    frames = []
    for run, view in enumerate(result.views, start=1):
        frame = pd.DataFrame(view.scores, columns=list(SCORES))
        frame.insert(0, "objective", view.objective)
        frame.insert(0, "iteration", np.arange(len(frame)))
        frame.insert(0, "seed", result.seeds[run - 1])
        frame.insert(0, "run", run)
        frames.append(frame)
    said = "".join(f"# {name}: {value}\n" for name, value in result.settings.items())
    return said + pd.concat(frames).to_csv(index=False, float_format="%.8g")


def _confusion(result: Result) -> str:
    table = pd.DataFrame(result.view.table, columns=list(result.corpus.tagset))
    table.insert(0, "state", [result.name(k) for k in range(result.states)])
    return table.to_csv(index=False)
