"""Reports in plain text: how constraints were ranked step by step, and what was learnt.

::

    from otlab.ot import rank, ranking_report
    print(ranking_report(rank(tableau)))
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from otlab import __version__
from otlab.ot.analysis.rank import erc_text
from otlab.ot.formatting import aligned_text, slashed
from otlab.ot.overt_fitted import OvertFit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.conditions import ERC
    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau

__all__ = ["about_table", "fit_report", "provenance", "ranking_report"]

_ALGORITHMS = {
    "rcd": "recursive constraint demotion (Tesar & Smolensky 2000)",
    "bcd": "biased constraint demotion (Prince & Tesar 2004)",
    "lfcd": "low faithfulness constraint demotion (Hayes 2004)",
}


def ranking_report(ranking: Ranking) -> str:
    """Return a report of how the constraints were ranked, stratum by stratum, and of the outcome.

    Examples
    --------
    >>> from otlab.ot import rank, read
    >>> print(ranking_report(rank(read("dutch_final_devoicing"))))
    How it was ranked: Dutch final devoicing
    ...
    Stratum 1: *VoicedCoda
      explains  /bed/: bet beats bed (*VoicedCoda or *VoicedObstruent >> Ident-IO(voice))
      explains  /bed/: bet beats ped (*VoicedCoda)
      must wait Ident-IO(voice): /bed/: bet beats bed
      must wait *VoicedObstruent: /bed/: bet beats pet
    ...
    """
    return "\n".join(_ranking_lines(ranking)) + "\n"


def _ranking_lines(ranking: Ranking) -> Iterator[str]:
    tableau = ranking.tableau
    yield f"How it was ranked: {tableau.title or tableau.name or 'a tableau'}"
    yield f"by {_ALGORITHMS[ranking.algorithm]}, with otlab {__version__}; nothing random happened"
    yield ""
    yield "Winners: the most frequent candidate of each input, the first on a tie"
    yield from (
        f"  {slashed(tableau.inputs[k])}: {tableau.candidates[row]}" for k, row in ranking.winners.items()
    )
    without = [name for k, name in enumerate(tableau.inputs) if k not in ranking.winners]
    if without:
        yield f"  without data, and left out: {', '.join(without)}"
    if ranking.apriori:
        names = tableau.constraints
        yield f"Given beforehand: {'; '.join(f'{names[a]} >> {names[b]}' for a, b in ranking.apriori)}"
    if ranking.algorithm != "rcd" and ranking.faithfulness:
        low = ", ".join(tableau.constraints[c] for c in sorted(ranking.faithfulness))
        yield f"Faithfulness constraints, ranked low: {low}"
    yield from _strata_lines(ranking)
    yield from _outcome_lines(ranking)


def _strata_lines(ranking: Ranking) -> Iterator[str]:
    """Yield each stratum with the comparisons that it explains, and why other constraints are lower."""
    names = ranking.tableau.constraints
    rest = [erc for erc in dict.fromkeys(ranking.ercs) if erc.losers or erc.rival >= 0]
    waiting = set(range(len(names)))
    for n, stratum in enumerate(ranking.demotion.strata, 1):
        explained = [erc for erc in rest if erc.winners & set(stratum)]
        waiting -= set(stratum)
        yield ""
        yield f"Stratum {n}: {', '.join(names[c] for c in stratum)}"
        yield from (f"  explains  {_comparison(ranking, erc)} ({erc_text(erc, names)})" for erc in explained)
        for c in sorted(waiting):
            held = next((erc for erc in rest if c in erc.losers), None)
            reason = "it is ranked low if it can be" if held is None else _comparison(ranking, held)
            yield f"  must wait {names[c]}: {reason}"
        rest = [erc for erc in rest if not erc.winners & set(stratum)]


def _comparison(ranking: Ranking, erc: ERC) -> str:
    """Return a text about the two candidates that an ERC compares."""
    tableau = ranking.tableau
    if erc.rival < 0:
        return "given beforehand"
    k = int(tableau.input_of_row[erc.rival])
    winner = tableau.candidates[ranking.winners[k]]
    return f"{slashed(tableau.inputs[k])}: {winner} beats {tableau.candidates[erc.rival]}"


def _outcome_lines(ranking: Ranking) -> Iterator[str]:
    names = ranking.tableau.constraints
    yield ""
    if not ranking.consistent:
        yield ranking.words
    else:
        yield "What the winners need, without repetition (skeletal basis)"
        yield from (f"  {erc_text(erc, names)}" for erc in ranking.bases.skeletal)
        yield "The same, each comparison as strong as it can be (most informative basis)"
        yield from (f"  {erc_text(erc, names)}" for erc in ranking.bases.most_informative)
        yield f"Can be left out: {', '.join(ranking.unnecessary) or 'none'}"
    for row in ranking.to_dict()["bounded"]:
        by = " and ".join(row["by"]) + (" together" if row["kind"] == "collective" else "")
        yield f"{row['candidate']} of {slashed(row['input'])} can never win: {by}"


def fit_report(fit: Fit, label: str = "", title: str = "") -> str:
    """Return a report of a fit: settings, seed and versions, values, predictions, and warnings.

    Parameters
    ----------
    fit
        The fit.
    label
        Name of the learner in the report; its own name if empty.
    title
        Name of the table in the report; its own title or name if empty.

    Examples
    --------
    >>> from otlab.ot import fit_maxent, read
    >>> print(fit_report(fit_maxent(read("ilokano"), seed=1)).splitlines()[0])
    What was learnt by maxent from Ilokano reduplication
    """
    table = title or fit.tableau.title or fit.tableau.name or "a table without a name"
    lines = [f"What was learnt by {label or fit.learner.name} from {table}"]
    lines += [f"  {key}: {value}" for key, value in provenance(fit.settings, fit.seed).items()]
    lines += [f"  with {', '.join(f'{name} {version}' for name, version in fit.versions.items())}", ""]
    numbers = [["constraint", "mean", "sd", "median", "best"]]
    for name, values in zip(fit.tableau.constraints, fit.parameters.to_numpy(float).tolist(), strict=True):
        numbers.append([name, *map(_number, values)])
    predictions = [["candidate", "input", "observed", "predicted", "low", "high"]]
    for row in fit.predictions.to_dict("records"):
        shares = (float(row[key]) for key in ("observed", "mean", "low", "high"))
        predictions.append([row["candidate"], slashed(row["input"]), *map(_number, shares)])
    lines += [f"Each {fit.kind}", aligned_text(numbers), "", "Predictions", aligned_text(predictions), ""]
    if isinstance(fit, OvertFit):
        lines += _overt_lines(fit)
    lines += [f"Log likelihood at the best: {fit.predicted.log_likelihood:.4f} nats"]
    lines += [f"Remark: {remark}" for remark in fit.warnings]
    return "\n".join(lines) + "\n"


def _overt_lines(fit: OvertFit) -> list[str]:
    """Return tables of overt forms, and of the parses of those that were heard."""
    forms = [["overt form", "input", "observed", "predicted"]]
    for row in fit.overt.to_dict("records"):
        shares = _number(float(row["observed"])), _number(float(row["probability"]))
        forms.append([row["overt"], slashed(row["input"]), *shares])
    parses = [["parse", "heard", "input", "probability", "low", "high"]]
    for row in fit.parses.to_dict("records"):
        numbers = (_number(float(row[key])) for key in ("probability", "low", "high"))
        parses.append([row["candidate"], row["overt"], slashed(row["input"]), *numbers])
    heads = "Overt forms", "Parses of what was heard"
    return [heads[0], aligned_text(forms), "", heads[1], aligned_text(parses), ""]


def provenance(settings: Mapping[str, Any], seed: int | None) -> dict[str, str]:
    """Return the seed and all settings as text, the seed first.

    >>> provenance({"apriori": [], "stages": [{"trials": 9, "ratio": None}, {"trials": 5}]}, 1)
    {'seed': '1', 'apriori': 'none', 'stages': 'trials 9; trials 5'}
    """
    return {name: _setting(value) for name, value in {"seed": seed, **settings}.items()}


def _setting(value: Any) -> str:
    """Return a setting as text; for the stages of a schedule, the values that are set."""
    if value is None or value == []:
        return "none"
    if isinstance(value, list) and isinstance(value[0], dict):
        stages = ({name: each for name, each in stage.items() if each is not None} for stage in value)
        return "; ".join(", ".join(f"{name} {each}" for name, each in stage.items()) for stage in stages)
    return str(value)


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else ""


def about_table(tableau: Tableau, ranked_by: str = "") -> str:
    """Return lines about a printed tableau: its title and source, the ranking, and the version of otlab."""
    lines = [tableau.title or tableau.name or "a tableau"]
    lines += [f"source: {tableau.source}"] if tableau.source else []
    lines += [f"constraints in the order of {ranked_by}"] if ranked_by else []
    return "\n".join([*lines, f"otlab {__version__}"])
