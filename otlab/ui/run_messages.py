"""Texts of the run panel: progress, figures beside the badge, errors."""

from __future__ import annotations

import math
import traceback
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError, condensed, sentence_case
from otlab.ui.glossary import GLOSSARY
from otlab.ui.server.warm import kernels
from otlab.viz.base.numbers import count_text, counted_text, duration_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from otlab.errors import Fault
    from otlab.ui.components.badge import Stat, TrustReport
    from otlab.ui.runner import Progress, Runner

__all__ = ["fault_words", "progress_words", "trust_words"]


def progress_words(
    phase: str,
    progress: Progress,
    ahead: int,
    *,
    by_hand: bool,
    preparation: tuple[str, int, int] | None = None,
    failures: Collection[BaseException] = (),
) -> dict[str, Any]:
    """Return the texts around the progress bar; `share` None means that the progress is unknown.

    `failures` are those of a run that failed: if all are faults of data or settings, it is not said to be
    an error of the program.
    """
    unit = progress.unit
    endless = not progress.total
    words: dict[str, Any] = {"title": "", "rest": "", "share": progress.share, "left": "", "right": ""}
    words["endless"] = endless
    here = {
        "title": f"{unit.capitalize()} {count_text(progress.sweep)}",
        "rest": "without end" if endless else f"of {count_text(progress.total)}",
    }
    rate = f"{_rate(progress.rate)} {unit}s a second" if math.isfinite(progress.rate) else ""
    if phase == "idle":
        return {**words, "title": "Ready", "rest": "press Run to begin"}
    if phase == "waiting":
        behind = "next in line" if not ahead else f"{ahead} {'run' if ahead == 1 else 'runs'} ahead of yours"
        return {**words, "title": "Waiting", "rest": behind}
    if phase == "preparing" and preparation is not None:
        what, done, total = preparation
        rest = f"{what} {count_text(done)} of {count_text(total)}"
        return {**words, "title": "Preparing", "rest": rest, "share": done / max(1, total)}
    if phase == "preparing":
        return {
            **words,
            "title": "Preparing",
            "rest": "" if kernels.loaded else "compiling, only once",
            "share": None,
        }
    if by_hand and phase in ("paused", "running"):
        return {**words, **here, "left": "stepping by hand"}
    if phase == "paused":
        return {**words, "title": "Paused", "rest": f"at {unit} {count_text(progress.sweep)}"}
    if phase == "stopped":
        return {**words, "title": "Stopped", "rest": f"{counted_text(progress.sweep, unit)} kept"}
    if phase == "failed" and failures and all(isinstance(failure, InputError) for failure in failures):
        return {**words, "title": "Cannot run", "rest": "the reason is below"}
    if phase == "failed":
        return {**words, "title": "Stopped", "rest": "by an error"}
    if phase == "done" and progress.settled:
        after = f"after {counted_text(progress.sweep, unit)}"
        return {**words, "title": "Finished", "rest": after, "left": "no further change", "right": "done"}
    if phase == "done":
        return {**words, **here, "left": rate, "right": "done"}
    if endless:
        return {**words, **here, "share": None, "left": rate}
    right = f"{duration_text(max(1.0, progress.left))} left" if math.isfinite(progress.left) else ""
    return {**words, **here, "left": rate, "right": right}


def _rate(rate: float) -> str:
    return count_text(rate) if rate >= 10 else f"{rate:.1f}"


def trust_words(report: TrustReport, runner: Runner) -> dict[str, Any]:
    """Return badge, figures and advice, and the label of a button that continues the run if that may help."""
    return {
        "longer": _longer_words(runner) if report.badge.kind in ("warn", "bad") else None,
        "remedies": [remedy.words for remedy in report.remedies],
        "text": report.badge.text,
        "kind": report.badge.kind,
        "stats": [_stat_words(stat) for stat in report.stats],
        "advice": report.advice,
        "heading": report.heading,
        "meaning": report.meaning,
    }


def _longer_words(runner: Runner) -> dict[str, str] | None:
    longer = runner.longer
    if not longer:
        return None
    steps = max(runner.rows[name].more for name in longer)
    seconds = max(longer.values())
    time = f"about {duration_text(seconds)}" if math.isfinite(seconds) else ""
    return {"text": f"Run {count_text(steps)} more", "time": time}


def _stat_words(stat: Stat) -> dict[str, Any]:
    entry = GLOSSARY.get(stat.term)
    tip = {"name": entry.name, "text": f"{entry.meaning} {entry.threshold}".strip()} if entry else None
    return {"label": stat.label, "value": stat.value, "note": stat.note, "tip": tip}


def fault_words(runner: Runner) -> dict[str, Any] | None:
    """Return the text of the error box: place, problem, remedy."""
    failures = runner.failures or runner.refused
    if not failures:
        return None
    name, failure = next(iter(failures.items()))
    if isinstance(failure, InputError):
        faults = condensed(failure.faults, most=1)
        rows = [{"place": _place_words(f), "what": f.what, "hint": sentence_case(f.hint)} for f in faults]
        alone = f"{runner.rows[name].label} cannot run" if name in runner.rows else ""
        title = failure.heading or (not runner.failures and alone) or "This run cannot start"
        return {"title": title, "rows": rows, "detail": ""}
    who = runner.rows[name].label if name in runner.rows else "The page"
    what = f"{type(failure).__name__}: {failure}"
    detail = "".join(traceback.format_exception(failure))
    rows = [{"place": "", "what": what, "hint": "Your data and settings are kept; run again or change them"}]
    return {"title": f"{who} stopped because of an error", "rows": rows, "detail": detail}


def _place_words(fault: Fault) -> str:
    """Return where a fault is: "grammar, line 3, column 7", with the parts that are known."""
    numbered = (("line", fault.line), ("column", fault.column))
    places = [f"{word} {n}" for word, n in numbered if n is not None]
    return ", ".join([fault.file, *places] if fault.file else places)
