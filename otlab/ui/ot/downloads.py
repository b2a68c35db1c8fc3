"""What can be taken home: the table in three formats, the draws, and a summary of every learner."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from otlab.ui.ot.state import OTState

__all__ = ["draws_csv", "summary_csv", "table_bytes"]


def table_bytes(state: OTState, ending: str) -> io.BytesIO:
    """Return the table as ``"csv"``, ``"txt"`` (OTSoft) or ``"xlsx"``."""
    if ending == "xlsx":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.xlsx"
            state.tableau.to_xlsx(path)
            return io.BytesIO(path.read_bytes())
    text = state.tableau.to_csv() if ending == "csv" else state.tableau.to_otsoft()
    return io.BytesIO(text.encode())


def draws_csv(state: OTState) -> io.BytesIO:
    """Return every draw that counts: chain, draw, then one column a constraint."""
    gibbs = state.gibbs
    names = list(state.shown_tableau.constraints)
    frames = [
        pd.DataFrame(draws, columns=names).assign(chain=chain, draw=np.arange(1, len(draws) + 1))
        for chain, draws in enumerate(gibbs.chains if gibbs is not None else [], start=1)
    ]
    table = pd.concat(frames)[["chain", "draw", *names]] if frames else pd.DataFrame(columns=["chain", "draw", *names])
    return io.BytesIO(table.to_csv(index=False, float_format="%.6g").encode())


def summary_csv(state: OTState) -> io.BytesIO:
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
    return io.BytesIO((said + pd.DataFrame(columns).to_csv(index=False, float_format="%.6g")).encode())
