"""Settings of single constraints: priors, initial values, plasticities, a priori rankings.

They are settings of the run panel like any other, as texts (``A=1,B=2.5`` and ``A >> B; B >> C``), so that
links and Undo know them; the grid on the Data tab shows them as a table. What a constraint has no
number for is as for all constraints. Knows nothing of Panel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import param

from otlab.errors import InputError, sentence_case
from otlab.ot.constraint_names import faithfulness, numbered_pairs, parse_names, parse_values
from otlab.ot.io.cell_parsing import parse_decimal
from otlab.ot.learners.priors import means_with_low_faithfulness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from otlab.ot.tableau import Tableau

__all__ = [
    "COLUMNS",
    "ConstraintSettings",
    "apriori_pairs",
    "faithfulness_low",
    "follow_names",
    "forget",
    "frame",
    "numbers",
    "own_prior",
    "put_apriori",
    "put_prior",
    "texts",
    "typed",
]


class Column(NamedTuple):
    """A column of numbers: its heading, the allowed values, and its use."""

    title: str
    least: float | None
    above: bool
    tip: str


class ConstraintSettings(param.Parameterized):
    """Settings of single constraints, as texts."""

    prior_means = param.String("", doc="Prior means of single constraints: NAME=X,...")
    prior_sds = param.String("", doc="Prior sds of single constraints: NAME=X,...")
    weight_means = param.String("", doc="Means of the priors of single weights: NAME=X,...")
    weight_sds = param.String("", doc="Sds of the priors of single weights: NAME=X,...")
    initial_values = param.String("", doc="The GLA's initial values of single constraints: NAME=X,...")
    plasticities = param.String("", doc="Factors on the plasticity of single constraints: NAME=X,...")
    apriori = param.String("", doc="Constraints ranked above others in every ranking: A >> B; B >> C")


_LEARNERS = "Gibbs, exact sampler, most likely"
COLUMNS = {
    "prior_means": Column("Prior mean", None, False, f"of the ranking value: {_LEARNERS}"),
    "prior_sds": Column("Prior sd", 0.0, True, f"of the ranking value: {_LEARNERS}"),
    "weight_means": Column("Weight mean", None, False, "prior of the MaxEnt weight"),
    "weight_sds": Column("Weight sd", 0.0, True, "prior of the MaxEnt weight"),
    "initial_values": Column("GLA start", None, False, "ranking value before the first trial"),
    "plasticities": Column("Plasticity", 0.0, False, "factor on the plasticity of the schedule"),
}
ABOVE = "Always above"
_ARROW, _BETWEEN = " >> ", "; "


def numbers(settings: ConstraintSettings, name: str, constraints: tuple[str, ...]) -> dict[str, float]:
    """Return the numbers of a column by constraint; those of missing constraints are left out."""
    try:
        return parse_values(getattr(settings, name), constraints, COLUMNS[name].title, complete=False)
    except InputError:
        parts = getattr(settings, name).split(",")
        pairs = (part.rpartition("=") for part in parts)
        values = {key.strip(): parse_decimal(value.strip()) for key, _, value in pairs}
        return {key: value for key, value in values.items() if key in constraints and value is not None}


def _put_numbers(settings: ConstraintSettings, name: str, values: Mapping[str, float]) -> None:
    setattr(settings, name, ",".join(f"{key}={value:.12g}" for key, value in values.items()))


def apriori_pairs(settings: ConstraintSettings, constraints: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the (higher, lower) pairs that every ranking respects."""
    parts = (part.split(_ARROW) for part in settings.apriori.split(_BETWEEN) if part.strip())
    pairs = ((part[0].strip(), part[1].strip()) for part in parts if len(part) == 2)
    return tuple((a, b) for a, b in pairs if a in constraints and b in constraints)


def put_apriori(settings: ConstraintSettings, pairs: Iterable[tuple[str, str]]) -> None:
    """Set the pairs that every ranking respects."""
    settings.apriori = _BETWEEN.join(f"{a}{_ARROW}{b}" for a, b in pairs)


def put_prior(settings: ConstraintSettings, prior: Mapping[str, tuple[float, float]]) -> None:
    """Set means and standard deviations from a bias file, for ranking values and for weights."""
    for means, sds in (("prior_means", "prior_sds"), ("weight_means", "weight_sds")):
        _put_numbers(settings, means, {name: mean for name, (mean, _) in prior.items()})
        _put_numbers(settings, sds, {name: sd for name, (_, sd) in prior.items()})


def own_prior(
    settings: ConstraintSettings, tableau: Tableau, kind: str, sd: float, low: float = 0.0
) -> dict[str, tuple[float, float]] | None:
    """Return a mean and sd for each constraint, or None if no constraint has its own.

    Parameters
    ----------
    settings, tableau
        The settings as typed, and the constraints.
    kind
        ``"prior"`` of ranking values, or ``"weight"``.
    sd, low
        Of constraints without their own; the mean of faithfulness constraints is -`low`, that of others
        `low`.
    """
    means = numbers(settings, f"{kind}_means", tableau.constraints)
    sds = numbers(settings, f"{kind}_sds", tableau.constraints)
    if not means and not sds:
        return None
    usual = zip(tableau.constraints, means_with_low_faithfulness(tableau, low).tolist(), strict=True)
    return {name: (means.get(name, mean), sds.get(name, sd)) for name, mean in usual}


def faithfulness_low(settings: ConstraintSettings, tableau: Tableau, mean: float) -> bool:
    """Set prior means to -`mean` for faithfulness and `mean` for markedness; return whether both exist.

    Faithfulness constraints are recognised by their names.
    """
    low = faithfulness(tableau.constraints)
    if not low.any() or low.all():
        return False
    means = {name: -mean if is_low else mean for name, is_low in zip(tableau.constraints, low, strict=True)}
    _put_numbers(settings, "prior_means", means)
    return True


def frame(settings: ConstraintSettings, tableau: Tableau) -> pd.DataFrame:
    """Return the table as texts, one row per constraint; empty where nothing is set."""
    names = tableau.constraints
    columns: dict[str, list[str]] = {"Constraint": list(names)}
    for name, column in COLUMNS.items():
        given = numbers(settings, name, names)
        columns[column.title] = [f"{given[key]:.12g}" if key in given else "" for key in names]
    pairs = apriori_pairs(settings, names)
    columns[ABOVE] = [", ".join(b for a, b in pairs if a == name) for name in names]
    return pd.DataFrame(columns)


def typed(settings: ConstraintSettings, tableau: Tableau, row: int, title: str, text: str) -> str:
    """Set a cell of the table from typed text; return the reason if it is refused, else ""."""
    constraint = tableau.constraints[row]
    if title == ABOVE:
        return _typed_above(settings, tableau, constraint, text)
    name = next(key for key, column in COLUMNS.items() if column.title == title)
    values = numbers(settings, name, tableau.constraints)
    values.pop(constraint, None)
    if text.strip():
        number, column = parse_decimal(text.strip()), COLUMNS[name]
        if number is None:
            return f"{title}: {text} is no number. Write one such as 1.5, or nothing."
        if column.least is not None and (number < column.least or (column.above and number == column.least)):
            limit = "above 0" if column.above else "0 or more"
            return f"{title}: write a number {limit}, or nothing."
        values[constraint] = number
    _put_numbers(settings, name, {key: values[key] for key in tableau.constraints if key in values})
    return ""


def _typed_above(settings: ConstraintSettings, tableau: Tableau, constraint: str, text: str) -> str:
    """Set the constraints that a constraint is always ranked above; names may contain commas."""
    try:
        lower = parse_names(text, tableau.constraints)
    except InputError as error:
        (fault,) = error.faults
        return f"{sentence_case(fault.message)}."
    if constraint in lower:
        return f"{constraint} cannot be ranked above itself."
    others = [pair for pair in apriori_pairs(settings, tableau.constraints) if pair[0] != constraint]
    pairs = [*others, *((constraint, name) for name in lower)]
    try:
        numbered_pairs(tableau, pairs)
    except InputError as error:
        return f"{error.faults[0].what}; {error.faults[0].hint}.".capitalize()
    put_apriori(settings, pairs)
    return ""


def follow_names(settings: ConstraintSettings, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """Update the settings after a constraint was renamed or some were removed."""
    if before == after:
        return
    gone, new = [n for n in before if n not in after], [n for n in after if n not in before]
    renamed = {gone[0]: new[0]} if len(before) == len(after) and len(gone) == len(new) == 1 else {}
    kept = {name: renamed.get(name, name) for name in before if name in after or name in renamed}
    pairs = apriori_pairs(settings, before)
    for name in COLUMNS:
        given = numbers(settings, name, before)
        _put_numbers(settings, name, {kept[key]: value for key, value in given.items() if key in kept})
    put_apriori(settings, ((kept[a], kept[b]) for a, b in pairs if a in kept and b in kept))


def texts(settings: ConstraintSettings) -> dict[str, str]:
    """Return the settings of single constraints that are not empty, by name."""
    return {name: getattr(settings, name) for name in (*COLUMNS, "apriori")}


def forget(settings: ConstraintSettings) -> None:
    """Delete all settings of single constraints."""
    settings.param.update(**dict.fromkeys([*COLUMNS, "apriori"], ""))
