"""Text of Table 1 as it was built in the lab: HTML, LaTeX, CSV. No Panel in here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import counted
from otlab.html import Markup, td, tr
from otlab.html import table as html_table
from otlab.tagging.experiments.table1 import COLUMNS, TABLE_1

if TYPE_CHECKING:
    from otlab.ui.tagging.table import Row, Table

__all__ = ["table_csv", "table_html", "table_latex"]

_PAPER_DIGITS = 2
_PAPER_TOKENS = "1.17 M"  # the Penn Treebank's Wall Street Journal


def _best(table: Table) -> list[Row | None]:
    """Return the reader's row with the best mean of each column."""
    found: list[Row | None] = []
    for c, (_, _, small) in enumerate(COLUMNS):
        means = {row: table.summary(row)[0][c] for row in table.rows}
        found.append(min(means, key=lambda row: means[row] if small else -means[row]) if means else None)
    return found


def _texts(table: Table, row: Row) -> list[str]:
    mean, sd, _ = table.summary(row)
    return [
        "–" if np.isnan(m) else f"{m:.3f}" + ("" if np.isnan(s) else f" ({s:.3f})")
        for m, s in zip(mean, sd, strict=True)
    ]


_PAPER_HEAD = "Johnson (2007), Table 1: Penn Treebank, start by jitter"


def table_html(table: Table) -> Markup:
    """Return the table: the reader's rows, mean (sd) over runs, the best in bold; the paper's in grey."""
    best = _best(table)
    lines = []
    for row in table.rows:
        cells = [td(text, "best" if best[c] == row else "") for c, text in enumerate(_texts(table, row))]
        name = f"{row.estimator.label} ({row.estimator.states}){row.how}"
        sizes = (f"{table.tokens:,}", row.iterations, table.summary(row)[2])
        lines.append(_line(name, sizes, cells))
    lines.append(tr([td(_PAPER_HEAD, colspan=9)], "group"))
    for estimator, scores in TABLE_1.items():
        cells = [td(f"{mean:.2f} ({sd:.2f})") for mean, sd in scores]
        sizes = (_PAPER_TOKENS, *((50_000, 5) if estimator.learner == "gibbs" else (1_000, 10)))
        lines.append(_line(f"{estimator.label} ({estimator.states})", sizes, cells, paper=True))
    titles = ["Estimator (states)", "Tokens", "Iterations", "Runs", *(title for _, title, _ in COLUMNS)]
    return html_table(titles, lines, label="Table 1", kind="scores")


def _line(name: str, sizes: tuple[str, int, int], cells: list[Markup], *, paper: bool = False) -> Markup:
    tokens, iterations, runs = sizes
    numbers = [td(tokens), td(f"{iterations:,}"), td(runs)]
    return tr([td(name), *numbers, *cells], "paper" if paper else "")


def table_latex(table: Table) -> str:
    """Return the rows that have runs as a LaTeX tabular (booktabs)."""
    best = _best(table)
    titles = " & ".join(title.replace("|", r"$\mid$") for _, title, _ in COLUMNS)
    lines = [
        rf"% {counted(table.tokens, 'token')}; mean (sd) over runs",
        r"\begin{tabular}{lrrrrrrrr}",
        r"\toprule",
    ]
    lines += [f"Estimator & $s$ & Iterations & Runs & {titles}" + r" \\", r"\midrule"]
    for row in table.rows:
        texts = _texts(table, row)
        cells = [rf"\textbf{{{t}}}" if best[c] == row else t for c, t in enumerate(texts)]
        name = f"{row.estimator.label}{row.how}".replace("%", r"\%")
        sizes = f"{row.estimator.states} & {row.iterations:,} & {table.summary(row)[2]}"
        lines.append(f"{name} & {sizes} & " + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def table_csv(table: Table) -> str:
    """Return the rows that have runs as CSV: sizes, means, standard deviations, the paper's means."""
    heads = [f"{name}{suffix}" for name, _, _ in COLUMNS for suffix in ("", "_sd", "_paper")]
    lines = [
        ",".join(
            [
                "estimator",
                "states",
                "start",
                "known_tags",
                "priors_learnt",
                "other_settings",
                "tokens",
                "iterations",
                "runs",
                *heads,
            ]
        )
    ]
    for row in table.rows:
        mean, sd, runs = table.summary(row)
        paper = TABLE_1.get(row.estimator)
        cells = [
            text
            for c in range(len(COLUMNS))
            for text in (
                f"{mean[c]:.5f}",
                "" if np.isnan(sd[c]) else f"{sd[c]:.5f}",
                f"{paper[c][0]:.{_PAPER_DIGITS}f}" if paper else "",
            )
        ]
        how = [
            str(row.estimator.states),
            row.start,
            row.known,
            "yes" if row.learnt else "no",
            f'"{row.others}"',
        ]
        sizes = [*how, str(table.tokens), str(row.iterations), str(runs)]
        lines.append(",".join([f'"{row.estimator.label}"', *sizes, *cells]))
    return "\n".join(lines) + "\n"
