"""Sentences compared by memory metrics: bars in a table, and the verdicts on two of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from otlab.html import Markup, element, table, td, th, tr
from otlab.mg.processing.metrics import ALL_METRICS, SHOWN_METRICS, Metric, easier, ranks, value_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.processing.memory import MemoryUse

__all__ = ["MEMORY_CSS", "Parsed", "memory_csv", "memory_html", "verdicts_html"]

MEMORY_CSS = """
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; z-index: 1; background: var(--ot-surface); text-align: left; font-size: 11.5px;
  font-weight: 500; color: var(--ot-ink3); padding: 2px 10px 6px 0; vertical-align: bottom; }
td { height: 32px; padding: 0 10px 0 0; border-bottom: 1px solid var(--ot-line); }
th.num, .num { text-align: right; white-space: nowrap; }
.forms { font-family: var(--ot-forms); font-size: 14.5px; min-width: 150px; }
.forms small { font: 600 11.5px Inter, 'Noto Sans', sans-serif; color: var(--ot-ink3); }
.value { width: 11%; }
.value b { display: block; font-weight: 400; font-size: 12.5px; }
.value .most { font-weight: 650; color: var(--ot-bad); } .value .least { color: var(--ot-good); }
.track { background: var(--ot-shade); height: 6px; border-radius: 3px; }
.track i { display: block; height: 6px; border-radius: 3px; background: var(--ot-other);
  box-shadow: inset 0 0 0 .8px var(--ot-other-edge); }
.verdicts td { height: 26px; text-align: center; } .verdicts th { text-align: center; }
.verdicts :is(th, td):first-child { text-align: left; }
.v1 { color: var(--ot-gibbs-text); font-weight: 650; } .v2 { color: var(--ot-em-text); font-weight: 650; }
.v0 { color: var(--ot-ink3); }
"""
_FILTERS = ("", "I", "P", "U", "IP", "IU", "PU", "IPU")
_SIDES = {-1: "2", 1: "1", 0: "="}  # the harder sentence, by which one `easier` returns


@dataclass(frozen=True)
class Parsed:
    """A sentence and the memory use of its best derivation; None if there is none."""

    sentence: str
    use: MemoryUse | None


def memory_html(rows: Sequence[Parsed]) -> Markup:
    """Return a row for each sentence with a bar for each metric; the hardest and the easiest are marked."""
    uses = [row.use for row in rows if row.use is not None]
    values = {m.name: [float(m(use)) for use in uses] for m in SHOWN_METRICS}  # type: ignore[arg-type]
    body, number = [], 0
    for place, row in enumerate(rows, 1):
        cells = [td(element("small", f"{place} ") + row.sentence, "forms")]
        if row.use is None:
            cells.append(td("not in the language, or too large", "remark", colspan=len(values)))
        else:
            cells += [_bar(column, number) for column in values.values()]
            number += 1
        body.append(tr(cells))
    heads = [th(name) for name in values]
    return table(["Sentence", *heads], body, label="Memory metrics")


def _bar(column: Sequence[float], number: int) -> Markup:
    value, most, least = column[number], max(column), min(column)
    kind = "" if most == least else "most" if value == most else "least" if value == least else ""
    bar = element("i", style=f"width:{100 * value / (most or 1):.1f}%")
    return td(element("b", value_shown(value), class_=kind) + element("div", bar, class_="track"), "value")


def verdicts_html(first: MemoryUse, second: MemoryUse) -> Markup:
    """Return which of two sentences is harder by each metric: 1, 2, or = for a tie.

    Parameters
    ----------
    first, second
        The two sentences.
    """
    bases = list(dict.fromkeys(metric.base for metric in ALL_METRICS))
    rows = []
    for base in bases:
        for trivial in (False, True):
            of_nodes = any(m.base == base and m.filters for m in ALL_METRICS)
            cells = [
                _verdict(first, second, Metric(base, trivial, filters)) if of_nodes or not filters else td()
                for filters in _FILTERS
            ]
            rows.append(tr([td(Metric(base, trivial).name), *cells]))
    heads = [th(f"[{filters}]" if filters else "all nodes") for filters in _FILTERS]
    return table(["Harder by", *heads], rows, label="Verdicts", kind="verdicts")


def _verdict(first: MemoryUse, second: MemoryUse, metric: Metric) -> Markup:
    side = _SIDES[easier(first, second, [metric])]
    values = " : ".join(value_shown(metric(use)) for use in (first, second))
    return td(side, f"v{0 if side == '=' else side}", title=values)


def memory_csv(rows: Sequence[Parsed]) -> str:
    """Return all metrics of each sentence, and its rank by each, for a spreadsheet."""
    known = [row for row in rows if row.use is not None]
    uses = [row.use for row in known if row.use is not None]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["sentence", *(f"{m.name}{end}" for m in ALL_METRICS for end in ("", " rank"))])
    places = [ranks(uses, [metric]) for metric in ALL_METRICS]
    for number, (row, use) in enumerate(zip(known, uses, strict=True)):
        cells = [
            cell
            for metric, rank in zip(ALL_METRICS, places, strict=True)
            for cell in (value_shown(metric(use)), rank[number])
        ]
        writer.writerow([row.sentence, *cells])
    return text.getvalue()
