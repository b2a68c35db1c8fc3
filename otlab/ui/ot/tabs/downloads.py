"""What can be downloaded: the table in three formats, the draws, and what every learner found."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from otlab import __version__
from otlab.ot.io.write import to_csv, to_otsoft, to_xlsx
from otlab.ot.learners import LEARNERS

if TYPE_CHECKING:
    from otlab.ot.fitted import Fit
    from otlab.ui.ot.state import OTState

__all__ = ["FILES", "download", "file_bytes"]

FILES = {
    "csv": ("Table as CSV", "{}.csv"),
    "txt": ("Table for OTSoft", "{}.txt"),
    "xlsx": ("Table as spreadsheet", "{}.xlsx"),
    "draws": ("Posterior draws", "{}_draws.csv"),
    "parameters": ("Ranking values and weights", "{}_parameters.csv"),
    "predictions": ("Predictions of all learners", "{}_predictions.csv"),
    "summary": ("Fit and diagnostics of all learners", "{}_summary.csv"),
}


def download(state: OTState, key: str) -> tuple[str, bytes]:
    """Return name and content of one of :data:`FILES`."""
    return FILES[key][1].format(state.tableau.name or "tableau"), file_bytes(state, key)


def file_bytes(state: OTState, key: str) -> bytes:
    """Return the content of one of :data:`FILES`."""
    makers = {
        "draws": draws_csv,
        "parameters": parameters_csv,
        "predictions": predictions_csv,
        "summary": summary_csv,
    }
    return makers[key](state) if key in makers else table_bytes(state, key)


def table_bytes(state: OTState, ending: str) -> bytes:
    """Return the table as ``"csv"``, ``"txt"`` (OTSoft) or ``"xlsx"``."""
    if ending == "xlsx":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.xlsx"
            to_xlsx(state.tableau, path)
            return path.read_bytes()
    text = to_csv(state.tableau) if ending == "csv" else to_otsoft(state.tableau)
    return text.encode()


def draws_csv(state: OTState) -> bytes:
    """Return every draw that counts: chain, draw, then one column a constraint."""
    names = list(state.shown_tableau.constraints)
    posterior = None if state.gibbs is None else state.gibbs.posterior
    chains = () if posterior is None else tuple(posterior.draws["ranking_value"])
    frames = [
        pd.DataFrame(draws, columns=names).assign(chain=chain, draw=np.arange(1, len(draws) + 1))
        for chain, draws in enumerate(chains, start=1)
    ]
    columns = ["chain", "draw", *names]
    table = pd.concat(frames)[columns] if frames else pd.DataFrame(columns=columns)
    return _csv(state, table)


def parameters_csv(state: OTState) -> bytes:
    """Return one row for each learner and constraint: ranking value or weight, and how sure it is."""
    return _csv(state, _joined([_parameters(fit) for fit in state.fits.values()], _PARAMETERS))


def _parameters(fit: Fit) -> pd.DataFrame:
    table = fit.parameters.reset_index(names="Constraint")
    table.columns = pd.Index(["Constraint", "Mean", "SD", "Median", "Best"])
    table.insert(0, "Learner", LEARNERS[fit.learner.name].label)
    table.insert(2, "Kind", fit.kind)
    if fit.posterior is not None:
        draws = fit.posterior.pooled("ranking_value")
        table["Low 2.5 %"], table["High 97.5 %"] = np.quantile(draws, [0.025, 0.975], axis=0)
    return table.assign(**{"R-hat": fit.trust.rhat, "ESS": fit.trust.ess})


def predictions_csv(state: OTState) -> bytes:
    """Return candidates by learners: probabilities with their intervals, beside the data."""
    tableau = state.shown_tableau
    columns = {
        "Input": [tableau.inputs[k] for k in tableau.input_of_row],
        "Output": list(tableau.candidates),
        "Observed": tableau.observed(),
    }
    for name, fit in state.fits.items():
        predicted, label = fit.predicted, LEARNERS[name].label
        columns |= {
            f"{label} mean": predicted.mean,
            f"{label} low": predicted.low,
            f"{label} high": predicted.high,
        }
    return _csv(state, pd.DataFrame(columns))


def summary_csv(state: OTState) -> bytes:
    """Return one row a learner: log likelihood, convergence, and what to know about the numbers."""
    rows = [
        {
            "Learner": LEARNERS[name].label,
            "Log likelihood": fit.predicted.log_likelihood,
            "Largest R-hat": fit.trust.largest_rhat,
            "Smallest ESS": fit.trust.smallest_ess,
            "Converged": "yes" if fit.converged else "no",
            "Seconds": fit.seconds,
            "Remarks": "; ".join(fit.warnings),
        }
        for name, fit in state.fits.items()
    ]
    return _csv(state, _joined([pd.DataFrame(rows)] if rows else [], _SUMMARY))


_PARAMETERS = ["Learner", "Constraint", "Kind", "Mean", "SD", "Median", "Best"]
_SUMMARY = ["Learner", "Log likelihood", "Largest R-hat", "Smallest ESS", "Converged", "Seconds", "Remarks"]


def _joined(tables: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(tables) if tables else pd.DataFrame(columns=columns)


def _csv(state: OTState, table: pd.DataFrame) -> bytes:
    """Return the table as CSV, after comment lines that say what it is of and how to make it again."""
    tableau = state.shown_tableau
    about = {"table": tableau.title or tableau.name or "own table", "otlab": __version__}
    for name, fit in state.fits.items():
        settings = ", ".join(f"{key} {value}" for key, value in fit.settings.items())
        about[LEARNERS[name].label] = f"seed {fit.seed}, {settings}"
    header = "".join(f"# {name}: {value}\n" for name, value in about.items())
    return (header + table.to_csv(index=False, float_format="%.6g")).encode()
