"""Several runs side by side to their ends, with one progress bar, stoppable by Ctrl-C."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from otlab.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from otlab.inference import Run, Tick

__all__ = ["exhaust"]

_POLL_SECONDS = 0.1


def exhaust(
    runs: list[Run[Any, Any]], side_by_side: int, console: Console, label: str
) -> tuple[list[Tick[Any] | None], bool]:
    """Run all to the end; return each one's last tick, and whether Ctrl-C came first."""
    last: list[Tick[Any] | None] = [None] * len(runs)
    stopping = False

    def drive(number: int) -> None:
        with contextlib.suppress(Interrupted):
            last[number] = runs[number].tick()
            for tick in runs[number]:
                last[number] = tick
                if stopping:
                    return

    with ThreadPoolExecutor(side_by_side) as pool, _bar(runs, last, console, label) as update:
        futures = [pool.submit(drive, number) for number in range(len(runs))]
        try:
            while not all(future.done() for future in futures):
                time.sleep(_POLL_SECONDS)
                update()
        except KeyboardInterrupt:
            stopping = True
            for going, future in zip(runs, futures, strict=True):
                future.cancel()
                going.interrupt()
    for future in futures:
        if not future.cancelled():
            future.result()
    return last, stopping


@contextlib.contextmanager
def _bar(
    runs: list[Run[Any, Any]], last: list[Tick[Any] | None], console: Console, label: str
) -> Iterator[Any]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=sum(r.total for r in runs))
        yield lambda: bar.update(task, completed=sum(tick.sweep for tick in last if tick is not None))
