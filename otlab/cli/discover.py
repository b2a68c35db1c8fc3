"""``otlab discover``: find words in unsegmented phones, or with ``--audio`` phone-like units in sound."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from otlab.cli.documents import is_document, open_saved
from otlab.errors import Fault, InputError, counted

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.fit import Discovered
    from otlab.discovery.grammar import Grammar
    from otlab.discovery.sound.fitted import SoundFitted
    from otlab.discovery.sound.speech import Speech
    from otlab.inference import Tick

__all__ = ["discover_units", "show_units"]

HELP = "find the words of an unsegmented text, or the phone-like units of sound"

GRAMMAR_HELP = (
    "a preset (word, morphology, syllable, collocation) or a grammar file; '@Word T a b' adapts Word with "
    "truncation T, concentration a, discount b (py-cfg's -b is the concentration and its -a the discount)"
)

RULE_HELP = (
    "how the best restart is chosen: bigram, unigram, held-out, bound, or agreement with other runs. bigram "
    "follows token F more or less closely (rank correlation over 11 starts: .30 on Brent, .89 on German)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add text and sound, the learners' options and the files to write."""
    from otlab.cli.options import add_learner_options
    from otlab.discovery.joint.learners import LEARNERS as SOUND
    from otlab.discovery.learners import LEARNERS

    parser.add_argument(
        "file",
        nargs="?",
        help="phonemic text, one utterance a line, or a sample's name; '-' reads standard input",
    )
    parser.add_argument("--audio", metavar="DIR", help="a folder of WAV, FLAC, .npy or HTK files, no text")
    parser.add_argument(
        "--gold", metavar="DIR", help="the folder of the sound's gold times, used for scores only"
    )
    parser.add_argument("--grammar", help=f"{GRAMMAR_HELP} (default: word, or a document's own)")
    add_learner_options(parser, {**LEARNERS, **SOUND})
    parser.set_defaults(learner=None)  # batch for a text, units for sound
    parser.add_argument(
        "--restarts",
        type=int,
        default=1,
        help="number of runs, each with a seed derived from --seed (default: 1)",
    )
    parser.add_argument("--rule", default="bigram", help=RULE_HELP)
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        help="posterior probability above which there is a boundary (default: 0.5)",
    )
    parser.add_argument(
        "--decode",
        choices=("threshold", "minimum-risk"),
        default="threshold",
        help="how boundaries are decided from their probabilities (default: threshold)",
    )
    _add_reading(parser)
    parser.add_argument(
        "--segment-out",
        type=Path,
        metavar="F",
        help="write the segmented text to this file; for sound, a table of segments with their times "
        "(of words with pipeline and joint)",
    )
    parser.add_argument(
        "--classes-out", type=Path, metavar="F", help="write the units of sound as a ZeroSpeech class file"
    )
    parser.add_argument(
        "--agreed-out",
        type=Path,
        metavar="F",
        help="write a table of the segments between boundaries that most of several --restarts have",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    from otlab.discovery.io.text import FORMATS

    add = parser.add_argument
    add("--format", choices=FORMATS, help="format of the text (default: recognised, and printed)")
    add(
        "--separator",
        default="",
        help="text between the phones of a word, or ' ' for blanks (default: recognised, else none)",
    )
    add(
        "--word-separator",
        metavar="MARK",
        help="text between words, such as '#' where blanks are between phones (default: recognised)",
    )
    add(
        "--tiers",
        default="",
        metavar="TIERS",
        help="of sound: tiers of TextGrids, as words=NAME,phones=NAME; of a transcript: the lines that are "
        "read, as phones=%%pho, phones=%%mod, or phones=* for main lines",
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn from text or sound and return the result."""
    _choose_learner(args)
    return discover_units(args, console) if args.audio is not None else _discover_words(args, console)


def _choose_learner(args: argparse.Namespace) -> None:
    """Choose the default learner of text or sound if none is named; refuse conflicting options."""
    from otlab.discovery.joint.learners import LEARNERS as SOUND
    from otlab.discovery.learners import LEARNERS

    if (args.file is None) == (args.audio is None):
        what = "neither a text nor a folder of sound" if args.file is None else "both a text and sound"
        raise InputError(Fault(what, "name a text, or a folder with --audio"))
    allowed = LEARNERS if args.audio is None else SOUND
    args.learner = args.learner or next(iter(allowed))
    if args.learner not in allowed:
        other = "sound: name its folder with --audio" if args.audio is None else "a text, not from sound"
        choices = ", ".join(allowed)
        raise InputError(Fault(f"--learner {args.learner} learns from {other}", f"or choose from {choices}"))
    for name in ("gold", "classes_out", "agreed_out") if args.audio is None else ():
        if getattr(args, name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise InputError(Fault(f"{option} goes with --audio", "leave it out for a text"))


def _discover_words(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn, choose a restart, and return its words and scores."""
    from otlab.cli.progress import progress_bar
    from otlab.discovery.fit import discover

    settings = _checked(args)
    corpus, grammar = _data(args)
    with progress_bar(console, args.learner) as show_progress:

        def watch(restart: int, tick: Tick[Any]) -> None:
            done, total = restart * tick.total + tick.sweep, args.restarts * tick.total
            show_progress(replace(tick, sweep=done, total=total))

        fitted = discover(
            corpus, grammar, args.learner, restarts=args.restarts, rule=args.rule,
            threshold=args.threshold, decoding=args.decode, seed=args.seed, threads=args.threads,
            watch=watch, **settings,
        )  # fmt: skip
    if args.segment_out:
        _write(args.segment_out, corpus, fitted)
    return {
        **fitted.to_dict(),
        "reading": corpus.form.to_dict(),
        "seed": fitted.seed,
        "settings": _all_settings(args, settings),
        "stopped": fitted.stopped,
    }


def _checked(args: argparse.Namespace) -> dict[str, Any]:
    """Return the learner's settings; raise InputError with every wrong option."""
    from otlab.cli.options import learner_settings
    from otlab.discovery.learners import LEARNERS

    faults: list[Fault] = []
    settings: dict[str, Any] = {}
    try:
        settings = learner_settings(args, LEARNERS).param.values()
    except InputError as error:
        faults += error.faults
    if args.restarts < 1:
        faults.append(Fault(f"--restarts {args.restarts}", "write 1 or more"))
    if not 0 < args.threshold < 1:
        faults.append(Fault(f"--threshold {args.threshold:g}", "write a number between 0 and 1"))
    if args.segment_out and not args.segment_out.absolute().parent.is_dir():
        faults.append(Fault(f"no folder {args.segment_out.parent} to write to", "make it first"))
    if faults:
        raise InputError(faults)
    return {name: value for name, value in settings.items() if name != "name"}


def _write(path: Path, corpus: Corpus, found: Discovered) -> None:
    lines = [" ".join(corpus.words(u, found.ends)) for u in range(len(corpus))]
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(f"cannot write {path}: {error.strerror}", "choose another place")) from None


def _data(args: argparse.Namespace) -> tuple[Corpus, Grammar | str]:
    """Return the text and the grammar; a document of the Lexicon lab has both."""
    from otlab.discovery.grammar_file import parse_grammar

    if not is_document(args.file):
        args.grammar = args.grammar or "word"
        return _corpus(args), args.grammar
    names = ("format", "separator", "word_separator", "tiers")
    saved = open_saved(args.file, "discovery", {name: getattr(args, name) for name in names})
    if args.grammar:
        return saved.data, args.grammar
    args.grammar = saved.grammar
    return saved.data, parse_grammar(saved.grammar, Path(args.file).name)


def _corpus(args: argparse.Namespace) -> Corpus:
    """Return the text; print on standard error what it was taken for, unless that was said or is known."""
    import sys

    from otlab.discovery.corpus import Corpus
    from otlab.discovery.io.readings import tiers_named
    from otlab.discovery.io.text import choose, refuse_times
    from otlab.files import decode_any, file_bytes
    from otlab.samples import sample_path

    own = args.file == "-" or Path(args.file).exists()
    if args.file == "-":
        data, name = sys.stdin.buffer.read(), "-"
    else:
        path = Path(args.file) if own else sample_path(args.file, "discovery")
        data, name = file_bytes(path), path.name
    text = decode_any(data, name)
    refuse_times(text, name)
    form = choose(
        text, name, form=args.format or "", separator=args.separator, word_separator=args.word_separator,
        tier=tiers_named(args.tiers).get("phones", ""),
    )  # fmt: skip
    corpus = Corpus.from_text(text, name, form=form)
    if own and args.format is None:
        print(f"{name}: read as {form.name} ({form.in_words})", file=sys.stderr)
    return corpus


def _all_settings(args: argparse.Namespace, settings: dict[str, Any]) -> dict[str, Any]:
    names = (
        "file", "grammar", "learner", "restarts", "rule", "threshold", "decode",
        "format", "separator", "word_separator", "tiers", "threads",
    )  # fmt: skip
    segment_out = str(args.segment_out) if args.segment_out else None
    return {**{name: getattr(args, name) for name in names}, **settings, "segment_out": segment_out}


def show(result: dict[str, Any], console: Console) -> None:
    """Print the restarts, the scores and the most used words; for sound, the units."""
    from rich.table import Table

    if "units" in result:
        show_units(result, console)
        return
    runs = Table("", "start", "seed", "bound", "bigram code", "held out", "token F", box=None)
    for k, c in enumerate(result["choice"]["candidates"]):
        held = "" if c["held_out"] is None else f"{c['held_out']:.4f}"
        token = f"{c['scores']['token_f']:.3f}" if c["scores"] else "-"
        chosen = "chosen" if k == result["choice"]["chosen"] else ""
        runs.add_row(
            chosen, c["start"], str(c["seed"]), f"{c['bound']:,.0f}", f"{c['bigram']:,.0f}", held, token
        )
    console.print(runs)
    if result["scores"]:
        figures = {
            name: result["scores"][name]
            for name in ("token_f", "boundary_f", "boundary_f_with_edges", "lexicon_f")
        }
        console.print("  ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in figures.items()))
    words = Table("word", "expected count", box=None)
    for entry in result["lexicon"][:20]:
        words.add_row(entry["string"], f"{entry['expected_count']:,.1f}")
    console.print(words)
    console.print(f"seed {result['seed']}")


def discover_units(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Read the sound, learn, write the requested files, and return the result."""
    from otlab.cli.options import learner_settings
    from otlab.cli.progress import progress_bar
    from otlab.discovery.io.readings import tiers_named
    from otlab.discovery.joint.learners import LEARNERS as SOUND
    from otlab.discovery.sound.speech import read_speech
    from otlab.inference import fit

    settings = learner_settings(args, SOUND)
    _check_files(args)
    speech = read_speech(args.audio, args.gold, tiers=tiers_named(args.tiers))
    _tell_reading(speech)
    with progress_bar(console, args.learner) as show_progress:
        entry = SOUND[args.learner]
        learner = entry.make(speech, settings)
        steps, _ = entry.length(learner, settings)
        fitted = fit(
            learner, steps=steps, chains=args.restarts, seed=args.seed, threads=args.threads,
            watch=show_progress,
        )  # fmt: skip
    _write_units(args, cast("SoundFitted", fitted))
    values = {name: value for name, value in settings.param.values().items() if name != "name"}
    files = {name: getattr(args, name) for name in ("segment_out", "classes_out", "agreed_out", "gold")}
    plain = {name: None if path is None else str(path) for name, path in files.items()}
    plain["tiers"] = args.tiers
    return {
        **fitted.to_dict(),
        "reading": speech.reading.to_dict(),
        "settings": {"audio": str(args.audio), "learner": args.learner, **values, **plain},
        "warnings": list(speech.notes),
        "stopped": fitted.stopped,
    }


def _check_files(args: argparse.Namespace) -> None:
    """Refuse folders that are missing, all of them at once, before any sound is read."""
    from otlab.discovery.sound.speech import speech_folders

    faults = []
    if args.agreed_out is not None and args.restarts < 2:
        faults.append(Fault("--agreed-out compares runs", "set --restarts to 2 or more; 5 do well"))
    paths = [path for path in (args.segment_out, args.classes_out, args.agreed_out) if path is not None]
    for folder in dict.fromkeys(path.parent for path in paths):
        if not folder.absolute().is_dir():
            faults.append(Fault(f"no folder {folder} to write to", "make it first"))
    try:
        speech_folders(args.audio, args.gold)
    except InputError as error:
        faults += error.faults
    if faults:
        raise InputError(faults)


def _tell_reading(speech: Speech) -> None:
    """Print on standard error which tiers are gold and which folders are speakers, if there are any."""
    import sys

    reading = speech.reading
    parts = [f"{kind} from {tier}" for kind, tier in reading.tiers.items() if tier is not None]
    if reading.speakers:
        parts.append(f"{len(reading.speakers)} folders, each a speaker")
    if parts:
        n = len(set(speech.names))
        noun = "recording" if n == 1 else "recordings"
        print(f"{speech.name}: {n:,} {noun}; {', '.join(parts)}", file=sys.stderr)


def _write_units(args: argparse.Namespace, fitted: SoundFitted) -> None:
    from otlab.discovery.sound.tiers import units_list
    from otlab.discovery.sound.zerospeech import classes_of, write_classes

    speech = fitted.speech
    found = list(speech.in_recordings(getattr(fitted, "words", ()) or fitted.intervals))
    texts = {args.segment_out: lambda: units_list(found)}
    texts[args.classes_out] = lambda: write_classes(classes_of(found))
    texts[args.agreed_out] = lambda: units_list(speech.in_recordings(fitted.agreed))
    for path, text in texts.items():
        if path is not None:
            try:
                path.write_text(text(), encoding="utf-8")
            except OSError as error:
                fault = Fault(f"cannot write {path}: {error.strerror}", "choose another place")
                raise InputError(fault) from None


def show_units(result: dict[str, Any], console: Console) -> None:
    """Print the data, the scores, and the most used units."""
    from rich.table import Table

    data = f"{counted(result['utterances'], 'utterance')}, {counted(result['frames'], 'frame')}"
    console.print(
        f"{data}; {counted(result['units_used'], 'unit')} used, bound {result['objective'][-1]:,.0f}"
    )
    if result["scores"]:
        names = ["nmi", "nmi_symmetric", "purity", "boundary_f", "r_value"]
        names += [name for name in ("agreed_boundary_f", "token_f", "lexicon_f") if name in result["scores"]]
        shown = (f"{name.replace('_', ' ')} {result['scores'][name]:.3f}" for name in names)
        console.print("  ".join(shown))
    for phase in result.get("phases", ()):
        console.print(f"from iteration {phase['iteration']}: {phase['what']}, with an objective of its own")
    units = Table("unit", "expected count", "weight", box=None)
    for unit in result["units"][:20]:
        units.add_row(str(unit["unit"]), f"{unit['expected_count']:,.1f}", f"{unit['weight']:.4f}")
    console.print(units)
    console.print(f"seed {result['seed']}")
