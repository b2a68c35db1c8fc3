"""Show on stderr how far a command is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from otlab.inference import Tick

__all__ = ["count_bar", "progress_bar", "share_bar", "waiting"]


@contextmanager
def progress_bar(console: Console, label: str) -> Iterator[Callable[[Tick[Any]], None]]:
    """Show a progress bar; yield the function that moves it, to be passed as ``fit(..., watch=)``."""
    with count_bar(console, label) as show_count:

        def show(tick: Tick[Any]) -> None:
            show_count(tick.sweep, tick.total)

        yield show


@contextmanager
def count_bar(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar with the time left; yield the function ``show(done, total)`` that moves it."""
    if not console.is_terminal:  # Rich before 14.3 ends a bar that is not shown with an empty line
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


@contextmanager
def share_bar(console: Console, label: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar; yield the function ``show(share)`` that moves it, 0 to 1."""
    if not console.is_terminal:
        yield lambda _share: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=1.0)

        def show(share: float) -> None:
            bar.update(task, completed=share)

        yield show


@contextmanager
def waiting(console: Console, text: str) -> Iterator[Callable[[], None]]:
    """Show a text while something begins; yield the function that takes it away."""
    if not console.is_terminal:
        yield lambda: None
        return
    from rich.live import Live

    with Live(text, console=console, auto_refresh=False, transient=True) as line:
        yield line.stop
