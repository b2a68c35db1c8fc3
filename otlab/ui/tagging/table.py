"""Table 1 as the reader builds it: scores by estimator, a queue of runs, LaTeX and CSV.

No Panel in here. Every run that ends anywhere in the lab adds its seeds to its row.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.inference import Job, run
from otlab.tagging import SCORES, Prior
from otlab.tagging.paper import COLUMNS, TABLE_1, Estimator
from otlab.ui.tagging.settings import start_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.inference import Learner
    from otlab.tagging import Corpus
    from otlab.tagging.view import View
    from otlab.ui.tagging.results import Result

__all__ = ["Table", "grid_rows", "table_csv", "table_html", "table_latex"]

_PAPER_DIGITS = 2


@dataclass
class Table:
    """Scores by estimator, one array a seed.

    Attributes
    ----------
    rows : dict of Estimator to {seed and start: ndarray of scores}
        A seed run again replaces itself.
    queue, job
        What is still to run, and what runs.
    """

    rows: dict[Estimator, dict[Any, np.ndarray]] = field(default_factory=dict)
    queue: deque[tuple[Estimator, Corpus, dict[str, Any]]] = field(default_factory=deque)
    job: Job | None = None
    _running: tuple[Estimator, dict[str, Any]] | None = None

    def add(self, result: Result) -> None:
        """Take the scores of a finished run of the lab."""
        values = result.settings
        prior = (
            Prior()
            if values["estimator"] == "em"
            else Prior(values["emission_prior"], values["transition_prior"])
        )
        estimator = Estimator(values["estimator"], values["states"], prior)
        self._store(estimator, values, result.views)

    def ask(self, estimators: list[Estimator], corpus: Corpus, settings: dict[str, Any]) -> None:
        """Queue runs of estimators, all from the same starts."""
        self.queue.extend((estimator, corpus, settings) for estimator in estimators)
        self.advance()

    def advance(self) -> bool:
        """Take a finished run, start the next; return whether anything still goes on."""
        if self.job is not None and not self.job.alive:
            tick, running = self.job.last, self._running
            if self.job.state == "done" and tick is not None and running is not None:
                self._store(*running, tick.views)
            self.job = None
        if self.job is None and self.queue:
            self._start(*self.queue.popleft())
        return self.job is not None

    def stop(self) -> None:
        """Forget the queue and end what runs; rows stay."""
        self.queue.clear()
        if self.job is not None:
            self.job.cancel()
            self.job = None

    @property
    def now(self) -> str:
        """What runs and what waits, in words."""
        if self.job is None or self._running is None:
            return ""
        tick = self.job.last
        done = 0 if tick is None else tick.sweep
        waiting = f", {len(self.queue)} waiting" if self.queue else ""
        estimator = self._running[0]
        return (
            f"{estimator.label} ({estimator.states}): iteration {done:,} of {self.job.run.total:,}{waiting}"
        )

    def summary(self, estimator: Estimator) -> tuple[np.ndarray, np.ndarray, int]:
        """Return means, standard deviations (NaN for one run) and the number of runs of a row."""
        scores = np.array(list(self.rows.get(estimator, {}).values()))
        if not len(scores):
            nothing = np.full(len(COLUMNS), np.nan)
            return nothing, nothing, 0
        columns = [SCORES.index(name) for name, _, _ in COLUMNS]
        shown = scores[:, columns]
        sd = shown.std(0, ddof=1) if len(shown) > 1 else np.full(len(COLUMNS), np.nan)
        return shown.mean(0), sd, len(shown)

    @property
    def listed(self) -> list[Estimator]:
        """The paper's rows, then the reader's own."""
        return [*TABLE_1, *(estimator for estimator in self.rows if estimator not in TABLE_1)]

    def _start(self, estimator: Estimator, corpus: Corpus, settings: dict[str, Any]) -> None:
        learner: Learner[Any, View] = estimator.make(
            corpus, start=start_of(settings), precision=settings["precision"]
        )
        seeds = settings["runs"]
        going = run(learner, sweeps=settings["iterations"], seed=settings["seed"], chains=seeds)
        self._running = (estimator, settings)
        self.job = Job(going).start()

    def _store(self, estimator: Estimator, settings: dict[str, Any], views: tuple[Any, ...]) -> None:
        if np.isnan(views[0].scores[-1]).any():
            return
        row = self.rows.setdefault(estimator, {})
        for chain, view in enumerate(views):
            row[settings["seed"], settings["start"], settings["iterations"], chain] = view.scores[-1]


def grid_rows(
    learners: Iterable[str],
    states: Iterable[int],
    emission_priors: Iterable[float],
    transition_priors: Iterable[float],
) -> list[Estimator]:
    """Return every estimator of a grid, in the order of its axes; EM, which has no prior, once a size.

    >>> [row.label for row in grid_rows(["em", "vb"], [50], [0.1], [0.1, 0.01])]
    ['EM', 'VB(0.1, 0.1)', 'VB(0.1, 0.01)']
    """
    rows = (
        Estimator(learner, size, Prior() if learner == "em" else Prior(emission, transition))
        for learner, size, emission, transition in product(
            learners, states, emission_priors, transition_priors
        )
    )
    return list(dict.fromkeys(rows))


def _best(table: Table) -> list[Estimator | None]:
    """Return the estimator with the best mean of each column."""
    found: list[Estimator | None] = []
    for c, (_, _, small) in enumerate(COLUMNS):
        means = {e: table.summary(e)[0][c] for e in table.rows}
        found.append(min(means, key=lambda e: means[e] if small else -means[e]) if means else None)
    return found


def _texts(table: Table, estimator: Estimator) -> list[str]:
    mean, sd, _ = table.summary(estimator)
    return [
        "–" if np.isnan(m) else f"{m:.3f}" + ("" if np.isnan(s) else f" ({s:.3f})")
        for m, s in zip(mean, sd, strict=True)
    ]


def table_html(table: Table) -> str:
    """Return the table: mean (sd) over runs, the paper's value beside it in grey, the best in bold."""
    best = _best(table)
    rows = []
    for estimator in table.listed:
        paper = TABLE_1.get(estimator)
        cells = []
        for c, text in enumerate(_texts(table, estimator)):
            bold = ' class="best"' if best[c] == estimator else ""
            beside = f' <span class="paper">{paper[c][0]:.2f}</span>' if paper else ""
            cells.append(f"<td{bold}>{text}{beside}</td>")
        name = f"{escape(estimator.label)} <span class='paper'>({estimator.states})</span>"
        rows.append(f"<tr><td>{name}</td>{''.join(cells)}<td>{table.summary(estimator)[2] or '–'}</td></tr>")
    heads = "".join(f"<th>{escape(title)}</th>" for _, title, _ in COLUMNS)
    head = f"<thead><tr><th>Estimator (states)</th>{heads}<th>runs</th></tr></thead>"
    body = f"<tbody>{''.join(rows)}</tbody>"
    return f'<table class="scores" aria-label="Table 1">{head}{body}</table>'


def table_latex(table: Table) -> str:
    """Return the rows that have runs as a LaTeX tabular (booktabs)."""
    best = _best(table)
    lines = [r"\begin{tabular}{lrrrrrr}", r"\toprule"]
    lines += [
        "Estimator & $s$ & " + " & ".join(title.replace("|", r"$\mid$") for _, title, _ in COLUMNS) + r" \\",
        r"\midrule",
    ]
    for estimator in table.rows:
        texts = _texts(table, estimator)
        cells = [rf"\textbf{{{t}}}" if best[c] == estimator else t for c, t in enumerate(texts)]
        lines.append(f"{estimator.label} & {estimator.states} & " + " & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def table_csv(table: Table) -> str:
    """Return the rows that have runs as CSV: means, standard deviations, runs, the paper's means."""
    heads = [f"{name}{suffix}" for name, _, _ in COLUMNS for suffix in ("", "_sd", "_paper")]
    lines = [",".join(["estimator", "states", "runs", *heads])]
    for estimator in table.rows:
        mean, sd, runs = table.summary(estimator)
        paper = TABLE_1.get(estimator)
        cells = [
            text
            for c in range(len(COLUMNS))
            for text in (
                f"{mean[c]:.5f}",
                "" if np.isnan(sd[c]) else f"{sd[c]:.5f}",
                f"{paper[c][0]:.{_PAPER_DIGITS}f}" if paper else "",
            )
        ]
        lines.append(",".join([f'"{estimator.label}"', str(estimator.states), str(runs), *cells]))
    return "\n".join(lines) + "\n"
