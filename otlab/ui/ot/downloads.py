"""What can be taken home: the table in three formats, the draws, and a summary of every learner."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import param
from panel.custom import JSComponent

from otlab.ui.components import esm
from otlab.ui.theme import BASE

if TYPE_CHECKING:
    from otlab.ui.ot.state import OTState

__all__ = ["FILES", "TakeHome", "file_bytes"]

FILES = {
    "csv": ("Table as CSV", "{}.csv"),
    "txt": ("Table for OTSoft", "{}.txt"),
    "xlsx": ("Table as spreadsheet", "{}.xlsx"),
    "draws": ("Posterior draws", "{}_draws.csv"),
    "summary": ("Summary of all learners", "{}_summary.csv"),
}


class TakeHome(JSComponent):
    """A button a file; each file is made when it is asked for."""

    files = param.List(doc="key and label of each file")

    _esm = esm("take_home")
    _stylesheets: ClassVar[list[str]] = [BASE]

    def __init__(self, state: OTState, **params: Any) -> None:
        files = [[key, label] for key, (label, _) in FILES.items()]
        super().__init__(files=files, **{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._state = state

    def _handle_msg(self, message: dict[str, str]) -> None:
        key = message["key"]
        name = FILES[key][1].format(self._state.tableau.name or "tableau")
        data = base64.b64encode(file_bytes(self._state, key)).decode()
        self._send_msg({"name": name, "kind": "application/octet-stream", "data": data})


def file_bytes(state: OTState, key: str) -> bytes:
    """Return the content of one of :data:`FILES`."""
    makers = {"draws": draws_csv, "summary": summary_csv}
    return makers[key](state) if key in makers else table_bytes(state, key)


def table_bytes(state: OTState, ending: str) -> bytes:
    """Return the table as ``"csv"``, ``"txt"`` (OTSoft) or ``"xlsx"``."""
    if ending == "xlsx":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.xlsx"
            state.tableau.to_xlsx(path)
            return path.read_bytes()
    text = state.tableau.to_csv() if ending == "csv" else state.tableau.to_otsoft()
    return text.encode()


def draws_csv(state: OTState) -> bytes:
    """Return every draw that counts: chain, draw, then one column a constraint."""
    gibbs = state.gibbs
    names = list(state.shown_tableau.constraints)
    frames = [
        pd.DataFrame(draws, columns=names).assign(chain=chain, draw=np.arange(1, len(draws) + 1))
        for chain, draws in enumerate(gibbs.chains if gibbs is not None else [], start=1)
    ]
    table = (
        pd.concat(frames)[["chain", "draw", *names]]
        if frames
        else pd.DataFrame(columns=["chain", "draw", *names])
    )
    return table.to_csv(index=False, float_format="%.6g").encode()


def summary_csv(state: OTState) -> bytes:
    """Return candidates by learners, probabilities with their intervals; settings on comment lines."""
    tableau, answers = state.shown_tableau, state.answers
    columns = {
        "Input": [tableau.inputs[k] for k in tableau.input_of_row],
        "Output": list(tableau.candidates),
        "Observed": answers.observed,
    }
    if answers.gibbs is not None:
        columns |= dict(zip(("Gibbs mean", "Gibbs low", "Gibbs high"), answers.gibbs, strict=True))
    if answers.gla is not None:
        columns |= {"GLA mean": answers.gla.mean(axis=0), "GLA sd over runs": answers.gla.std(axis=0, ddof=1)}
    if answers.maxent is not None:
        columns["MaxEnt"] = answers.maxent
    said = "".join(f"# {name}: {value}\n" for name, value in state.settings.values.items())
    return (said + pd.DataFrame(columns).to_csv(index=False, float_format="%.6g")).encode()
