"""Tables that compare theories of grammar: their scores, and the sentences on which they differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.viz.base.numbers import percent_text, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from otlab.mg.learners.comparison import Comparison

__all__ = ["COMPARE_CSS", "Verdict", "differences_html", "verdicts_csv", "verdicts_html"]

COMPARE_CSS = """
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; z-index: 1; background: var(--ot-surface); text-align: left; font-size: 11.5px;
  font-weight: 500; color: var(--ot-ink3); padding: 2px 12px 6px 0; vertical-align: bottom; }
td { height: 34px; padding: 0 12px 0 0; border-bottom: 1px solid var(--ot-line); }
th.num, .num { text-align: right; white-space: nowrap; }
.name { overflow-wrap: anywhere; font-weight: 600; }
.name small { display: block; font-weight: 400; font-size: 11.5px; color: var(--ot-ink3); }
.best { font-weight: 650; color: var(--ot-good); }
.best::after { content: " ✓"; font-size: 11px; }
.yes { color: var(--ot-good); font-weight: 600; } .no { color: var(--ot-bad); font-weight: 600; }
.forms { font-family: var(--ot-forms); font-size: 14.5px; }
.differ td { height: 27px; }
.differ th.num { max-width: 130px; white-space: normal; }
.differ td:first-child { width: 46%; }
"""
_MOST_ROWS = 60
_FIELDS = ("elbo", "held_out_log_z", "parsed", "held_out_parsed", "well_formed_mass")


@dataclass(frozen=True)
class Verdict:
    """A row of the comparison.

    Attributes
    ----------
    name, detail
        Name of the theory, and its size or progress.
    figures
        Scores; None until they are known.
    """

    name: str
    detail: str
    figures: Comparison | None


def verdicts_html(verdicts: Sequence[Verdict]) -> Markup:
    """Return the table; the best value of a column is marked if there are at least two."""
    columns = {name: [_figure(v, name) for v in verdicts] for name in _FIELDS}
    # ELBO and ln Z depend on the parsed sentences, so theories that parse different ones are not compared.
    fair = len({(v.figures.parsed, v.figures.held_out_parsed) for v in verdicts if v.figures}) <= 1
    cells = [
        _cells(columns["elbo"], lambda x: value_text(x, 2), best=fair),
        _cells(columns["held_out_log_z"], lambda x: value_text(x, 3), best=fair),
        _cells(columns["parsed"], lambda x: percent_text(x, 0)),
        _cells(columns["held_out_parsed"], lambda x: percent_text(x, 0)),
        _cells(columns["well_formed_mass"], lambda x: value_text(x, 3), best=False),
    ]
    names = ["ELBO", "Held-out\nlog P per word", "Parsed", "Held-out\nparsed", "Well-formed\nmass W"]
    heads = [joined(name.split("\n"), Markup("<br>")) for name in names]
    rows = [
        tr([td(escape(v.name) + element("small", v.detail), "name"), *(column[i] for column in cells)])
        for i, v in enumerate(verdicts)
    ]
    return table(["Theory", *(th(head, "num") for head in heads)], rows, label="Comparison")


def _figure(verdict: Verdict, name: str) -> float:
    return math.nan if verdict.figures is None else float(getattr(verdict.figures, name))


def _cells(values: Sequence[float], text: Callable[[float], str], *, best: bool = True) -> list[Markup]:
    """Return one cell per value; the highest is marked if a best value is to be marked."""
    known = [x for x in values if not math.isnan(x)]
    top = max(known) if best and len(known) > 1 and max(known) > min(known) else math.nan
    return [td(element("span", text(x), class_="best" if x == top else ""), "num") for x in values]


def differences_html(names: Sequence[str], rows: Sequence[tuple[str, int, Sequence[bool]]]) -> Markup:
    """Return the sentences that some theories parse and others do not.

    Parameters
    ----------
    names
        Names of the theories.
    rows
        Sentence, number of occurrences, and whether each theory parses it.
    """
    if not rows:
        words = "They parse the same sentences, so their ELBOs may be compared."
        return element("p", words, class_="small")
    heads = ["Sentence", *(th(name, "num") for name in ("Count", *names))]
    body = [
        tr([td(sentence, "forms"), td(count, "num"), *map(_answer, answers)])
        for sentence, count, answers in rows[:_MOST_ROWS]
    ]
    left = len(rows) - _MOST_ROWS
    more = element("p", f"{left:,} more.", class_="remark") if left > 0 else ""
    return table(heads, body, label="Differences", kind="differ") + more


def _answer(parsed: bool) -> Markup:
    return td(element("span", "✓" if parsed else "✱", class_="yes" if parsed else "no"), "num")


def verdicts_csv(verdicts: Sequence[Verdict]) -> str:
    """Return the table for a spreadsheet; unknown values are empty."""
    lines = [
        ",".join([f'"{v.name.replace(chr(34), chr(34) * 2)}"', *(_number(_figure(v, f)) for f in _FIELDS)])
        for v in verdicts
    ]
    return "\n".join([",".join(["theory", *_FIELDS]), *lines, ""])


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.8g}"
