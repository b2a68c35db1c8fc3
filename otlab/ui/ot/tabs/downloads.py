"""Downloads of the OT lab: the table, its tableaux for papers, and the results of every learner."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from otlab import __version__
from otlab.errors import Fault, InputError
from otlab.inference.posterior import netcdf_bytes
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.ranked_above import ranked_above, says_of_pairs
from otlab.ot.analysis.report import fit_report, provenance, ranking_report
from otlab.ot.io.praat import write_praat
from otlab.ot.io.praat_tableau import to_praat
from otlab.ot.learners import LEARNERS
from otlab.ot.mixed_fitted import MixedFit
from otlab.ot.overt import observed_candidates
from otlab.ui.ot.constraint_settings import numbers
from otlab.ui.ot.tabs.one_page import page_of_state
from otlab.viz.ot.exports import FORMATS, PRINTED, order_of_values, ranked_source, write_tableau
from otlab.viz.ot.heard import parses_of
from otlab.viz.ot.page import result_page
from otlab.viz.ot.printed import Strata

if TYPE_CHECKING:
    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau
    from otlab.ui.ot.state import OTState

__all__ = ["FILES", "TABLEAU_FILES", "TABLES", "download", "file_bytes", "grouped", "tableaux_file", "titled"]

_INITIAL = 100.0  # Praat's ranking value of a constraint that nothing has moved
TABLES = ("csv", "otsoft", "xlsx", "maxent.ot", "praat", "praat-pairs")
"""Keys of the files that hold the table alone."""
_RESULTS = {
    "ranked": ("How it was ranked", "{}_ranking.txt"),
    "page": ("Result as a page", "{}_result.html"),
    "lab": ("As one page that runs", "{}_lab.html"),
    "learnt": ("What was learnt", "{}_report.txt"),
    "draws": ("Posterior draws", "{}_draws.csv"),
    "netcdf": ("InferenceData", "{}_draws.nc"),
    "parameters": ("Values and weights", "{}_parameters.csv"),
    "pairs": ("Ranking of pairs", "{}_ranked_above.csv"),
    "predictions": ("Predictions", "{}_predictions.csv"),
    "parses": ("Parses", "{}_parses.csv"),
    "speakers": ("Speakers and items", "{}_speakers.csv"),
    "summary": ("Fit and diagnostics", "{}_summary.csv"),
}
_NOTHING = ("Nothing has been learnt yet", "press Run")
_LEARNT = "learnt "  # before the key of a format
FILES = {
    **{key: (FORMATS[key].label, f"{{}}{FORMATS[key].ending}") for key in (*TABLES, *PRINTED)},
    **{_LEARNT + key: (FORMATS[key].label, f"{{}}_learnt{FORMATS[key].ending}") for key in PRINTED},
    **_RESULTS,
}
"""Label of each file, and its name with the table's name left out."""
TABLEAU_FILES = (
    ("ot-tableau", "Save LaTeX (ot-tableau)"),
    ("tabular", "Save LaTeX (tabular)"),
    ("html", "Save for Word"),
)
"""Files that the menu of a card of tableaux saves."""


def grouped() -> list[tuple[str, str]]:
    """Return key and label of each file under three headings, whose keys are empty."""
    groups = {
        "Table": TABLES,
        "Tableaux, ranked as in Rank": PRINTED,
        "Tableaux, ranked as learnt, with observed and predicted": [_LEARNT + key for key in PRINTED],
        "Results": tuple(_RESULTS),
    }
    return [
        entry
        for heading, keys in groups.items()
        for entry in (("", heading), *((key, FILES[key][0]) for key in keys))
    ]


def download(state: OTState, key: str) -> tuple[str, bytes]:
    """Return name and content of one of :data:`FILES`."""
    return FILES[key][1].format(state.file_stem), file_bytes(state, key)


def titled(state: OTState, tableau: Tableau) -> Tableau:
    """Return the tableau under the name that the user gave the document, if any."""
    return replace(tableau, title=state.called or tableau.title)


def file_bytes(state: OTState, key: str) -> bytes:
    """Return the content of one of :data:`FILES`.

    Raises
    ------
    InputError
        If there is nothing to write yet, or a package is missing that writes it.
    """
    makers = {
        "ranked": lambda state: ranking_report(_ranking(state)).encode(),
        "page": result_html,
        "lab": lab_html,
        "learnt": learnt_text,
        "draws": draws_csv,
        "netcdf": draws_netcdf,
        "parameters": parameters_csv,
        "pairs": pairs_csv,
        "predictions": predictions_csv,
        "parses": parses_csv,
        "speakers": speakers_csv,
        "summary": summary_csv,
    }
    if key in makers:
        return makers[key](state)
    if key.startswith(_LEARNT):
        return learnt_tableaux(state, key.removeprefix(_LEARNT))
    if key == "praat":
        return _praat_grammar(state)
    tableau = titled(state, state.tableau)
    if key in TABLES:
        return write_tableau(tableau, key)
    if state.own_strata:
        return write_tableau(tableau, key, Strata.of_numbers(state.own_strata), "the reader's strata")
    ranking = _ranking(state)
    return write_tableau(tableau, key, Strata.of_ranking(ranking), ranked_source(ranking))


def learnt_tableaux(state: OTState, form: str) -> bytes:
    """Return the tableaux of the run, constraints in the order of what the chosen learner found.

    Beside them stand what was observed and what it predicts.
    """
    name = state.printed_learner
    if not name:
        raise InputError(Fault(*_NOTHING))
    fit = state.fits.get(name)
    if fit is None:
        raise InputError(Fault("Nothing has been learnt yet", "let the run go on"))
    learner, point = LEARNERS[name].label, fit.point
    tableau = titled(state, state.shown_tableau)
    source = f"{fit.kind}s: {point.words(learner)}\npredicted: {_predicted_by(fit)}"
    return write_tableau(tableau, form, order_of_values(point.values), source, fit.predicted.mean)


def _predicted_by(fit: Fit) -> str:
    """Return what the predictions of a fit are, in words."""
    if fit.posterior is not None:
        return "mean over draws"
    return "mean over runs" if len(fit.views) > 1 else "at these values"


def _praat_grammar(state: OTState) -> bytes:
    """Return the grammar for Praat, with the initial values, plasticities and rankings of the constraints."""
    names = state.tableau.constraints
    starts = numbers(state.settings, "initial_values", names)
    factors = numbers(state.settings, "plasticities", names)
    grammar, _ = to_praat(
        state.tableau,
        [starts.get(name, _INITIAL) for name in names],
        state.apriori,
        [factors.get(name, 1.0) for name in names],
    )
    return write_praat(grammar).encode() if grammar else b""


def _ranking(state: OTState) -> Ranking:
    """Return the ranking that the Rank tab shows."""
    return rank(titled(state, state.tableau), state.algorithm, apriori=state.apriori)


def learnt_text(state: OTState) -> bytes:
    """Return what every learner found, as text."""
    if not state.fits:
        raise InputError(Fault(*_NOTHING))
    title = state.called
    reports = (fit_report(fit, LEARNERS[name].label, title) for name, fit in state.fits.items())
    return "\n\n".join(reports).encode()


def result_html(state: OTState) -> bytes:
    """Return what every learner found as one page of HTML, with the link that opens its data here."""
    link = "" if state.document.changed_since_run else state.link("ot_lab")
    return result_page(list(state.fits.values()), link=link, title=state.called).encode()


def lab_html(state: OTState) -> bytes:
    """Return the lab as one page, with the tableau, the settings, and what every learner found."""
    return page_of_state(state, titled(state, state.tableau), state.fits.values()).encode()


def draws_netcdf(state: OTState) -> bytes:
    """Return the draws as the InferenceData of ArviZ, in a NetCDF file.

    Draws of a learner of speakers and items have a group ``effects``. Beside others they are in a group
    of the learner's name.
    """
    posterior = state.posterior
    mixed = {name: fit for name, fit in state.fits.items() if isinstance(fit, MixedFit)}
    if posterior is None and not mixed:
        raise InputError(Fault("There are no draws yet", "run Gibbs, or a learner of speakers"))
    try:
        trees = {name: fit.to_inferencedata() for name, fit in mixed.items()}
        tree = trees.pop(next(iter(trees))) if posterior is None else posterior.to_inferencedata()
        for name, below in trees.items():
            tree[name] = below
        return netcdf_bytes(tree)
    except ImportError as error:
        hint = 'install them with: pip install "otlab[stats]"'
        raise InputError(Fault("NetCDF files need packages that are not installed", hint)) from error


def pairs_csv(state: OTState) -> bytes:
    """Return how often each constraint is ranked above each other one, by every sampler of ranking values."""
    frames = [
        ranked_above(fit).to_pandas().assign(Learner=LEARNERS[name].label)
        for name, fit in state.fits.items()
        if says_of_pairs(fit)
    ]
    heads = {"higher": "Higher", "lower": "Lower", "mean": "Mean", "low": "Low 2.5 %", "high": "High 97.5 %"}
    table = _joined(frames, "There are no draws of ranking values yet", "run Gibbs or another sampler")
    return _csv(state, table.rename(columns=heads))


def draws_csv(state: OTState) -> bytes:
    """Return every draw after warm-up: chain, draw, then one column per constraint."""
    names = list(state.shown_tableau.constraints)
    posterior = state.posterior
    chains = () if posterior is None else tuple(posterior.draws["ranking_value"])
    frames = [
        pd.DataFrame(draws, columns=names).assign(chain=chain, draw=np.arange(1, len(draws) + 1))
        for chain, draws in enumerate(chains, start=1)
    ]
    return _csv(state, _joined(frames, "There are no draws yet", "run Gibbs")[["chain", "draw", *names]])


def parameters_csv(state: OTState) -> bytes:
    """Return one row for each learner and constraint: ranking value or weight, and its uncertainty."""
    return _csv(state, _joined([_parameters(fit) for fit in state.fits.values()], *_NOTHING))


def _parameters(fit: Fit) -> pd.DataFrame:
    table = fit.parameters.reset_index(names="Constraint")
    further = [name[0].upper() + name[1:] for name in fit.further]
    table.columns = pd.Index(["Constraint", "Mean", "SD", "Median", "Best", *further])
    table.insert(0, "Learner", LEARNERS[fit.learner.name].label)
    table.insert(2, "Kind", fit.kind)
    if fit.posterior is not None:
        draws = fit.posterior.pooled(fit.kind.replace(" ", "_"))
        table["Low 2.5 %"], table["High 97.5 %"] = np.quantile(draws, [0.025, 0.975], axis=0)
    return table.assign(**{"R-hat": fit.trust.rhat, "ESS": fit.trust.ess})


def predictions_csv(state: OTState) -> bytes:
    """Return candidates by learners: probabilities with their intervals, beside the data."""
    tableau = state.shown_tableau
    columns = {
        "Input": [tableau.inputs[k] for k in tableau.input_of_row],
        "Output": list(tableau.candidates),
        **({"Overt": list(tableau.overt_forms)} if tableau.overt else {}),
        "Observed": observed_candidates(tableau),
    }
    for name, fit in state.fits.items():
        predicted, label = fit.predicted, LEARNERS[name].label
        columns |= {
            f"{label} mean": predicted.mean,
            f"{label} low": predicted.low,
            f"{label} high": predicted.high,
        }
    return _csv(state, pd.DataFrame(columns))


def parses_csv(state: OTState) -> bytes:
    """Return one row for each parse of what was heard, and learner: its probability given what was heard."""
    heads = {"input": "Input", "overt": "Overt", "candidate": "Parse", "probability": "Probability"}
    heads |= {"low": "Low 2.5 %", "high": "High 97.5 %"}
    frames = [
        frame.rename(columns=heads).assign(Learner=LEARNERS[name].label)
        for name, frame in parses_of(state.fits).items()
    ]
    return _csv(state, _joined(frames, "No parses have been learnt yet", "run a learner of overt forms"))


def speakers_csv(state: OTState) -> bytes:
    """Return one row for each speaker or item, and constraint: its value with its interval."""
    heads = {"name": "Name", "constraint": "Constraint", "mean": "Mean", "sd": "SD"}
    heads |= {"low": "Low 2.5 %", "high": "High 97.5 %", "tokens": "Tokens"}
    frames = [
        frame.rename(columns={level: "name"})
        .rename(columns=heads)
        .assign(Level=level, Learner=LEARNERS[name].label)[["Learner", "Level", *heads.values()]]
        for name, fit in state.fits.items()
        if isinstance(fit, MixedFit)
        for level, frame in (("speaker", fit.speakers), ("item", fit.items))
    ]
    what = "Nothing has been learnt of speakers and items yet"
    return _csv(state, _joined(frames, what, "run MaxEnt by speaker or another learner of speakers"))


def summary_csv(state: OTState) -> bytes:
    """Return one row per learner: log likelihood, convergence, and warnings."""
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
    return _csv(state, _joined([pd.DataFrame(rows)] if rows else [], *_NOTHING))


def _joined(tables: list[pd.DataFrame], what: str, hint: str) -> pd.DataFrame:
    """Return the tables of all learners as one; without any, raise the fault `what`."""
    if not tables:
        raise InputError(Fault(what, hint))
    return pd.concat(tables)


def _csv(state: OTState, table: pd.DataFrame) -> bytes:
    """Return the table as CSV, after comment lines with its source and the settings that reproduce it."""
    tableau = titled(state, state.shown_tableau)
    about = {"table": tableau.title or tableau.name or "own table", "otlab": __version__}
    for name, fit in state.fits.items():
        about["versions"] = ", ".join(f"{package} {version}" for package, version in fit.versions.items())
        made = provenance(fit.settings, fit.seed)
        about[LEARNERS[name].label] = ", ".join(f"{key} {value}" for key, value in made.items())
    header = "".join(f"# {name}: {value}\n" for name, value in about.items())
    return (header + table.to_csv(index=False, float_format="%.6g")).encode()


def tableaux_file(
    state: OTState, tableau: Tableau, strata: Strata | None, source: str, key: str
) -> tuple[str, bytes]:
    """Return name and content of a file with all tableaux; `source` is the origin of the strata, in words."""
    name = f"{state.file_stem}{FORMATS[key].ending}"
    return name, write_tableau(titled(state, tableau), key, strata, source)
