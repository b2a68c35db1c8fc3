"""Show a fit in a notebook: a progress bar while it runs, and its tables."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from otlab.errors import counted
from otlab.html import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    from otlab.inference.learner import Tick

__all__ = ["cell_progress", "in_cell", "result_html"]

SECONDS_BEFORE = 0.5
"""A shorter fit shows no progress bar."""
SECONDS_BETWEEN = 0.2
ROWS_SHOWN = 30


def result_html(representation: str, *tables: pd.DataFrame, warnings: Sequence[str] = ()) -> str:
    """Return a result as HTML: what it is, its tables, and its warnings.

    Parameters
    ----------
    representation
        The result's ``repr``.
    tables
        The tables; of one with more than 30 rows a part is shown, and the number of rows.
    warnings
        What should be read before the numbers are used.
    """
    heads = [f"<p>{escape(representation.strip('<>'))}</p>"]
    options: Any = {"max_rows": ROWS_SHOWN, "na_rep": "", "border": 0}
    frames = [table.to_html(show_dimensions=len(table) > ROWS_SHOWN, **options) for table in tables]
    return "".join([*heads, *frames, *(f"<p><b>Note:</b> {escape(text)}</p>" for text in warnings)])


@contextmanager
def cell_progress(label: str, *, hidden: bool = False) -> Iterator[Callable[[Tick[Any]], None]]:
    """Show a progress bar in a notebook; yield the function that moves it.

    Outside a notebook, and on threads other than the kernel's own, the function does nothing.

    Parameters
    ----------
    label
        The text before the bar: the learner.
    hidden
        Whether to show nothing at all.
    """
    bar = None if hidden or not in_cell() else _Bar(label)
    try:
        yield bar.move if bar else _nothing
    finally:
        if bar:
            bar.end()


def in_cell() -> bool:
    """Return whether this is the main thread of a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel") and threading.current_thread() is threading.main_thread()


def _nothing(tick: Tick[Any]) -> None:
    pass


class _Bar:
    """A progress bar that appears after half a second and ends as a line of text."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.began = self.shown = time.monotonic()
        self.handle: Any = None
        self.tick: Tick[Any] | None = None

    def move(self, tick: Tick[Any]) -> None:
        """Show the progress of the fit, at most five times per second."""
        self.tick = tick
        now = time.monotonic()
        if now - self.began < SECONDS_BEFORE or now - self.shown < SECONDS_BETWEEN:
            return
        self.shown = now
        share = f'value="{tick.sweep}" max="{tick.total}"'
        self._display(f"<progress {share}></progress> {self._steps(tick)}")

    def end(self) -> None:
        """Replace the bar, if there was one, by the number of steps and the seconds they took."""
        if self.handle is not None and self.tick is not None:
            self._display(f"{self._steps(self.tick)} in {time.monotonic() - self.began:.1f} s")

    def _steps(self, tick: Tick[Any]) -> str:
        return f"{escape(self.label)}: {tick.sweep:,} of {counted(tick.total, 'step')}"

    def _display(self, markup: str) -> None:
        from IPython.display import HTML, display

        content = HTML(f"<div>{markup}</div>")
        if self.handle is None:
            self.handle = display(content, display_id=True)
        else:
            self.handle.update(content)
