"""``otlab discover --audio``: phone-like units from a folder of sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

    from otlab.discovery.sound.fitted import SoundFitted
    from otlab.discovery.sound.tiers import Interval

__all__ = ["discover_units", "show_units"]


def discover_units(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Read the sound, learn, write the files that are asked for, and return what was found."""
    from otlab.cli.options import learner_settings
    from otlab.cli.progress import progress_bar
    from otlab.discovery.sound.learners import LEARNERS as SOUND
    from otlab.discovery.sound.speech import read_speech

    settings = learner_settings(args, SOUND)
    for path in (args.segment_out, args.classes_out):
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(Fault(f"no folder {path.parent} to write to", "make it first"))
    speech = read_speech(args.audio, args.gold)
    with progress_bar(console, args.learner) as show_progress:
        fitted = SOUND[args.learner].fit(
            speech, settings, seed=args.seed, threads=args.threads, watch=show_progress
        )
    _write(args, cast("SoundFitted", fitted))
    values = {name: value for name, value in settings.param.values().items() if name != "name"}
    files = {"segment_out": args.segment_out, "classes_out": args.classes_out, "gold": args.gold}
    plain = {name: None if path is None else str(path) for name, path in files.items()}
    return {
        **fitted.to_dict(),
        "settings": {"audio": str(args.audio), "learner": args.learner, **values, **plain},
        "warnings": list(speech.notes),
        "stopped": fitted.stopped,
    }


def _write(args: argparse.Namespace, fitted: SoundFitted) -> None:
    from otlab.discovery.sound.tiers import units_list
    from otlab.discovery.sound.zerospeech import classes_of, write_classes

    texts = {args.segment_out: lambda: units_list(_rows(fitted))}
    texts[args.classes_out] = lambda: write_classes(classes_of(_rows(fitted)))
    for path, text in texts.items():
        if path is not None:
            try:
                path.write_text(text(), encoding="utf-8")
            except OSError as error:
                fault = Fault(f"cannot write {path}: {error.strerror}", "choose another place")
                raise InputError(fault) from None


def _rows(fitted: SoundFitted) -> Iterator[tuple[str, Interval]]:
    """Yield each segment with its recording, in seconds from the beginning of the recording."""
    speech = fitted.speech
    for name, begin, intervals in zip(speech.names, speech.begins, fitted.intervals, strict=True):
        for i in intervals:
            yield name, i._replace(start=i.start + float(begin), end=i.end + float(begin))


def show_units(result: dict[str, Any], console: Console) -> None:
    """Print what was learnt from, the scores, and the most used units."""
    from rich.table import Table

    data = f"{result['utterances']:,} utterances, {result['frames']:,} frames"
    console.print(f"{data}; {result['units_used']} units used, bound {result['objective'][-1]:,.0f}")
    if result["scores"]:
        names = ("nmi", "nmi_symmetric", "purity", "boundary_f", "r_value")
        shown = (f"{name.replace('_', ' ')} {result['scores'][name]:.3f}" for name in names)
        console.print("  ".join(shown))
    units = Table("unit", "expected count", "weight", box=None)
    for unit in result["units"][:20]:
        units.add_row(str(unit["unit"]), f"{unit['expected_count']:,.1f}", f"{unit['weight']:.4f}")
    console.print(units)
    console.print(f"seed {result['seed']}")
