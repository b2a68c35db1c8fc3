r"""From a grammar and a distribution of Praat to a tableau, and back.

Names in use are those that are shown: symbols for Praat's backslash sequences, no text styles. A
constraint's full name is the one that Praat has, and is written again.

A candidate such as ``[L1 L] \-> /(L1 L)/`` begins with what is heard of it, in square brackets. Where a pair
names that alone, observations are overt forms, as in Praat's learning from partial outputs. Candidates of
one name with different violations, as in the grammars of Jarosz's learners, are parses of which that name is
heard; they are numbered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import Fault, InputError, quoted
from otlab.ot.formatting import frequency_text
from otlab.ot.io.cells import Cell, Grid
from otlab.ot.io.grid import parse_grid
from otlab.ot.io.praat import PairDistribution, PraatConstraint, PraatFile, PraatGrammar, PraatTableau
from otlab.ot.io.praat_names import shown, shown_names, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otlab.ot.io.cells import Progress, Reading
    from otlab.ot.tableau import Tableau

__all__ = ["names_tell_what_is_heard", "praat_reading", "to_praat", "with_pairs"]

_HEARD = re.compile(r"(\[[^\[\]]*\])\s*\S")
_PARSE = re.compile(r"(.+) \(parse \d+\)", re.DOTALL)


def praat_reading(
    grammar: PraatGrammar,
    pairs: PairDistribution | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Reading:
    """Return the tableau of a grammar, and warnings of likely mistakes.

    Parameters
    ----------
    grammar
        The violations.
    pairs
        The frequencies; all are 0 if None.
    name
        Of the file, for faults; without its extension the name of the tableau.
    progress
        Called during reading with the share done.

    Raises
    ------
    InputError
        If a pair is not in the grammar.
    """
    grammar, several = _numbered_parses(grammar)
    known = [(block.input, candidate) for block in grammar.tableaux for candidate, _ in block.candidates]
    weights, partial = _at_parses({} if pairs is None else pairs.weights, _first_parses(known))
    _check_pairs(weights, set(known), name)
    rows, spots = _rows(grammar, weights)
    full = [" ".join(constraint.name.split()) or shown("") for constraint in grammar.constraints]
    heads = [["Input", "Output", "Frequency", *full], ["", "", "", *grammar.names]]
    cells = [[Cell(text, n, c) for c, text in enumerate(row, 1)] for n, row in enumerate(heads + rows, -1)]

    def fault(cell: Cell, what: str, hint: str) -> Fault:
        spot = spots[cell.line - 1] if cell.line > 0 else f"constraint [{cell.column - 3}]"
        return Fault(what, hint, file=name, spot=spot)

    grid = Grid(name, Path(name).stem, cells, (), fault, unit="candidate")
    reading = parse_grid(grid, progress, format="table", keep_sign=True)
    tableau = _heard(reading.tableau) if partial or several else reading.tableau
    return replace(reading, tableau=tableau, readings=(), warnings=(*_told(several, name), *reading.warnings))


def _numbered_parses(grammar: PraatGrammar) -> tuple[PraatGrammar, list[str]]:
    """Return a grammar whose candidates of one name and different violations are numbered; their inputs."""
    blocks, several = [], []
    for block in grammar.tableaux:
        marks: defaultdict[str, dict[tuple[int, ...], int]] = defaultdict(dict)
        for candidate, violations in block.candidates:
            own = marks[candidate]
            own.setdefault(violations, len(own) + 1)
        names = tuple(
            (f"{name} (parse {marks[name][violations]})" if len(marks[name]) > 1 else name, violations)
            for name, violations in block.candidates
        )
        several += [block.input] if names != block.candidates else []
        blocks.append(PraatTableau(block.input, names))
    return replace(grammar, tableaux=tuple(blocks)), several


def _told(several: list[str], file: str) -> tuple[Fault, ...]:
    """Return a warning that candidates of one name were taken for parses of it."""
    if not several:
        return ()
    which = quoted(several[0]) if len(several) == 1 else f"{len(several)} inputs, first {quoted(several[0])}"
    what = f"candidates of one name have different violations, and are taken for parses of it: {which}"
    return (Fault(what, "correct their names if they are different forms", file=file),)


def _heard_of(candidate: str) -> str:
    """Return what is heard of a candidate: what it begins with in square brackets, else the whole.

    >>> _heard_of("[pa] /p a/"), _heard_of("pa (parse 2)"), _heard_of("pa")
    ('[pa]', 'pa', 'pa')
    """
    found = _PARSE.fullmatch(candidate) or _HEARD.match(candidate)
    return found[1] if found else candidate


def names_tell_what_is_heard(tableau: Tableau) -> bool:
    """Return whether each candidate's name begins with its overt form, which Praat's files then have."""
    pairs = zip(tableau.candidates, tableau.overt_forms, strict=True)
    return all(_heard_of(name) == overt for name, overt in pairs)


def _heard(tableau: Tableau) -> Tableau:
    """Return the tableau with what is heard of each candidate."""
    return replace(tableau, overt=tuple(map(_heard_of, tableau.candidates)))


def _first_parses(rows: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return (input, what is heard) -> the first candidate of which that is heard; a candidate is itself."""
    rows = list(rows)
    first = {(source, candidate): candidate for source, candidate in rows}
    for source, candidate in rows:
        first.setdefault((source, _heard_of(candidate)), candidate)
    return first


def _at_parses(
    weights: Mapping[tuple[str, str], float], first: Mapping[tuple[str, str], str]
) -> tuple[dict[tuple[str, str], float], bool]:
    """Return the weights with those of overt forms at their first parse, and whether there are any."""
    moved: defaultdict[tuple[str, str], float] = defaultdict(float)
    for (source, output), weight in weights.items():
        moved[source, first.get((source, output), output)] += weight
    return dict(moved), any(first.get(pair, pair[1]) != pair[1] for pair in weights)


def _rows(grammar: PraatGrammar, weights: dict[tuple[str, str], float]) -> tuple[list[list[str]], list[str]]:
    """Return input, candidate, frequency and violations of each candidate, and its place in the file."""
    inputs = tuple(dict.fromkeys(block.input for block in grammar.tableaux))
    shown_input = dict(zip(inputs, shown_names(inputs), strict=True))
    rows, spots = [], []
    for k, block in enumerate(grammar.tableaux, 1):
        outputs = shown_names(tuple(candidate for candidate, _ in block.candidates))
        for c, ((raw, violations), output) in enumerate(zip(block.candidates, outputs, strict=True), 1):
            frequency = frequency_text(weights.pop((block.input, raw), 0.0))
            rows.append([shown_input[block.input], output, frequency, *map(str, violations)])
            spots.append(f"input [{k}], candidate [{c}]")
    return rows, spots


def _check_pairs(weights: Mapping[tuple[str, str], float], known: set[tuple[str, str]], name: str) -> None:
    unknown = [pair for pair, weight in weights.items() if weight and pair not in known]
    if unknown:
        raise InputError(
            Fault(
                f"the grammar has no candidate {quoted(output)} of {quoted(input)}",
                "correct the spelling in the PairDistribution, or add the candidate to the grammar",
                file=name,
                kind="pairs of the PairDistribution are not in the grammar",
            )
            for input, output in unknown
        )


def to_praat(
    tableau: Tableau,
    ranking_values: Sequence[float] | None = None,
    apriori: Iterable[tuple[str, str]] = (),
    plasticities: Sequence[float] | None = None,
) -> PraatFile:
    """Return a tableau as Praat has it: its violations as a grammar, its frequencies as a distribution.

    A constraint whose full name is Praat's notation of its name keeps that notation.

    Parameters
    ----------
    tableau
        Its frequencies that are 0 are left out.
    ranking_values, plasticities
        One per constraint; 100 and 1 if None.
    apriori
        (higher, lower) names of constraints, which become fixed rankings.

    Examples
    --------
    >>> from otlab.ot import read
    >>> file = to_praat(read("lin2005_table1"), ranking_values=[100, 98, 99])
    >>> file.grammar.ranking_values
    {'C1': 100.0, 'C2': 98.0, 'C3': 99.0}
    """
    values = [100.0] * tableau.n_constraints if ranking_values is None else list(map(float, ranking_values))
    speeds = [1.0] * tableau.n_constraints if plasticities is None else list(map(float, plasticities))
    names = [
        full if name != full and shown(full) == name else typed(name)
        for name, full in zip(tableau.constraints, tableau.full_names, strict=True)
    ]
    inputs, outputs = list(map(typed, tableau.inputs)), list(map(typed, tableau.candidates))
    number = tableau.constraints.index
    violations = [tuple(row) for row in tableau.violations.tolist()]
    blocks = []
    for k, name in enumerate(inputs):
        rows = tableau.rows(k)
        candidates = zip(outputs[rows], violations[rows], strict=True)
        blocks.append(PraatTableau(name, tuple(candidates)))
    grammar = PraatGrammar(
        tuple(PraatConstraint(*row) for row in zip(names, values, values, speeds, strict=True)),
        tuple(blocks),
        fixed_rankings=tuple((number(a) + 1, number(b) + 1) for a, b in apriori),
    )
    heard = [
        typed(overt) if _heard_of(name) == overt else output
        for name, overt, output in zip(tableau.candidates, tableau.overt_forms, outputs, strict=True)
    ]
    counted = [
        (inputs[k], output, weight)
        for k, output, weight in zip(
            tableau.input_of_row.tolist(), heard, tableau.frequencies.tolist(), strict=True
        )
        if weight
    ]
    return PraatFile(grammar, PairDistribution(tuple(counted)))


def with_pairs(tableau: Tableau, pairs: PairDistribution, name: str = "") -> Tableau:
    """Return a tableau with the frequencies of a distribution; 0 for candidates that it leaves out.

    Parameters
    ----------
    tableau
        Its names match those of the pairs, as Praat has them or as they are shown.
    pairs
        The frequencies.
    name
        Of the distribution's file, for faults.

    Raises
    ------
    InputError
        With every pair that is not in the tableau.

    Examples
    --------
    >>> from otlab.ot import read, to_praat
    >>> tableau = read("lin2005_table1")
    >>> with_pairs(tableau, to_praat(tableau).pairs).frequencies
    array([77., 23.])
    """
    rows = {
        (tableau.inputs[k], candidate): row
        for row, (k, candidate) in enumerate(zip(tableau.input_of_row, tableau.candidates, strict=True))
    }
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    for (first, second), weight in pairs.weights.items():
        pair = (first, second) if (first, second) in rows else (shown(first), shown(second))
        weights[pair] += weight
    at_parses, partial = _at_parses(weights, _first_parses(rows))
    _check_pairs(at_parses, set(rows), name)
    frequencies = np.zeros(tableau.n_rows)
    for pair, weight in at_parses.items():
        if weight:
            frequencies[rows[pair]] = weight
    tableau = _heard(tableau) if partial else tableau
    return replace(tableau, frequencies=frequencies, total=None, groups=None)
