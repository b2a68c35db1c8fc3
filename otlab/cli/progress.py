"""A progress bar on stderr for any run, and Ctrl-C that keeps what is there."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from otlab.inference import Run, Tick

__all__ = ["progress_bar", "watch"]


def watch(run: Run[Any, Any], console: Console, label: str) -> tuple[Tick[Any], bool]:
    """Exhaust a run under a progress bar.

    Returns
    -------
    tick : Tick
        The last one.
    stopped : bool
        Whether the user pressed Ctrl-C first.
    """
    tick = run.tick()
    try:
        with progress_bar(console, label) as show:
            for tick in run:
                show(tick)
    except KeyboardInterrupt:
        return tick, True
    return tick, False


@contextmanager
def progress_bar(console: Console, label: str) -> Iterator[Callable[[Tick[Any]], None]]:
    """Show a progress bar; give the function that moves it, for ``fit(..., watch=)``."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)

        def show(tick: Tick[Any]) -> None:
            bar.update(task, completed=tick.sweep, total=tick.total)

        yield show
