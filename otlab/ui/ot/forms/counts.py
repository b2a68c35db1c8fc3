"""What the pages say of counted cells: which are counted or typed over, and the places that were counted.

Panel is not used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from otlab.errors import counted, sentence_case
from otlab.forms.pattern import FormulaFault
from otlab.html import Markup, element, escape, joined
from otlab.ot.formatting import slashed
from otlab.ot.formulas import counted_places, recount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.errors import Fault
    from otlab.forms.counting import Place
    from otlab.ot.tableau import Tableau

__all__ = [
    "MARKED_CSS",
    "Marks",
    "counted_html",
    "fault_html",
    "fault_words",
    "marked_html",
    "marks_of",
    "readings_words",
]

MARKED_CSS = """
mark { background: var(--ot-soft); color: var(--ot-accent); border-radius: 3px; font-weight: 600;
  text-decoration: underline; }
.form { font-family: var(--ot-forms); font-size: 15px; }
pre.fault { margin: 2px 0 0; font: 12px/15px var(--ot-mono, monospace); color: var(--ot-bad);
  white-space: pre-wrap; }
"""
_CELL = '.tabulator-cell[tabulator-field="{field}"]'


class Marks(NamedTuple):
    """How the grid marks its cells.

    Attributes
    ----------
    marks
        Style sheet: counted columns lighter and in italics, cells typed over them underlined.
    counted
        Columns of the grid that are counted.
    special
        ``row:column`` to whether the cell was typed over, and its readings.
    """

    marks: str
    counted: list[str]
    special: dict[str, dict[str, Any]]


def marks_of(tableau: Tableau, rows: int) -> Marks:
    """Return the marks of the first rows of a tableau."""
    formulas = tableau.formulas
    if formulas is None:
        return Marks("", [], {})
    columns = [f"c_{k}" for k, text in enumerate(formulas.texts) if text]
    special: dict[str, dict[str, Any]] = {}
    for k, counts in recount(tableau, range(rows)).counts.items():
        for row, readings in counts.readings.items():
            special[f"{row}:c_{k}"] = {"typed": False, "readings": [*map(int, readings)]}
    for row, k in sorted(formulas.typed):
        if row < rows:
            special.setdefault(f"{row}:c_{k}", {"readings": []})["typed"] = True
    rules = [_rule(columns, "font-style: italic; color: var(--ot-ink2) !important;")] if columns else []
    if columns:
        heads = (f'.tabulator-col[tabulator-field="{field}"] .tabulator-col-title' for field in columns)
        rules.append(f"{', '.join(heads)} {{ font-style: italic; }}")
    typed = [key for key, one in special.items() if one["typed"]]
    several = [key for key, one in special.items() if not one["typed"]]
    over = "font-style: normal; font-weight: 600; color: var(--ot-ink) !important; "
    rules += [_cells(typed, over + "box-shadow: inset 0 -2px 0 var(--ot-accent);")] if typed else []
    rules += [_cells(several, "box-shadow: inset 0 -2px 0 var(--ot-warn);")] if several else []
    return Marks("\n".join(rules), columns, special)


def _rule(fields: Sequence[str], style: str) -> str:
    return f"{', '.join('.tabulator-row ' + _CELL.format(field=field) for field in fields)} {{ {style} }}"


def _cells(keys: Sequence[str], style: str) -> str:
    places = (key.split(":") for key in keys)
    cells = (f".tabulator-row:nth-child({int(row) + 1}) {_CELL.format(field=field)}" for row, field in places)
    return f"{', '.join(cells)} {{ {style} }}"


def marked_html(form: str, places: Sequence[Place], in_input: bool = False) -> Markup:
    """Return a form with the counted characters marked; overlapping places become one."""
    inside = [False] * len(form)
    for place in places:
        if place.in_input is in_input:
            end = max(place.end, place.start + 1)
            inside[place.start : end] = [True] * len(inside[place.start : end])
    parts: list[Markup] = []
    start = 0
    for n in range(1, len(form) + 1):
        if n == len(form) or inside[n] != inside[start]:
            text = form[start:n]
            parts.append(element("mark", text) if inside[start] else escape(text))
            start = n
    return element("span", joined(parts), class_="form")


def counted_html(tableau: Tableau, row: int, k: int) -> Markup:
    """Return what was counted in a cell: input and candidate with the places marked, and its readings."""
    formulas = tableau.formulas
    if formulas is None or not formulas.texts[k]:
        return Markup("")
    found = recount(tableau, [row])
    if k in found.faults:
        return element("div", fault_words(found.faults[k]))
    places = counted_places(tableau, row, k)
    source = slashed(tableau.inputs[tableau.input_of_row[row]])
    shift = source.find(tableau.inputs[tableau.input_of_row[row]])
    shifted = [one._replace(start=one.start + shift, end=one.end + shift) for one in places if one.in_input]
    pair = joined(
        [marked_html(source, shifted, in_input=True), marked_html(tableau.candidates[row], places)], " → "
    )
    counts = found.counts[k]
    readings = counts.readings.get(0, ())
    lines = [pair, escape(f"{formulas.texts[k]}: {readings_words(readings) or int(counts.counts[0])}")]
    if (row, k) in formulas.typed:
        lines.append(escape(f"{int(tableau.violations[row, k])} was typed over the count"))
    if readings:
        lines.append(escape("The cell's menu (right click, or Shift F10) picks one"))
    return joined([element("div", line) for line in lines])


def readings_words(readings: Sequence[int]) -> str:
    """Return how many readings there are and what they count; empty if there is only one.

    >>> readings_words((1, 2))
    '2 readings: 1 or 2'
    """
    if len(readings) < 2:
        return ""
    return f"{counted(len(readings), 'reading')}: {' or '.join(map(str, readings))}"


def fault_words(faults: Sequence[Fault]) -> str:
    """Return faults as sentences; empty if there are none."""
    return " ".join(f"{sentence_case(fault.message)}." for fault in faults)


def fault_html(faults: Sequence[Fault]) -> Markup:
    """Return faults as HTML: the formula, a caret below the character, and what to do."""
    lines = [
        f"{one.formula}\n{' ' * one.at}^ {one.message}" if isinstance(one, FormulaFault) else one.message
        for one in faults
    ]
    return element("pre", "\n".join(lines), class_="fault", role="alert") if lines else Markup("")
