"""Shipped data, by name or by a unique beginning of the name.

>>> sample_path("ilokano").name
'ilokano_reduplication.csv'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from otlab.errors import Fault, InputError, did_you_mean

__all__ = ["Sample", "load_sample", "sample_path", "sample_times", "samples"]

_HERE = Path(__file__).resolve().parent
_KINDS = {"tableaux": ("ot", ".csv"), "lexicons": ("mg", ".mg"), "corpora": ("", "")}
_CORPUS_SYSTEMS = {".conllu": "tagging", ".txt": "discovery", ".tsv": "discovery", ".gr": "discovery"}


@dataclass(frozen=True)
class Sample:
    """One shipped data file or folder of sound.

    Attributes
    ----------
    name
        The file's name without its ending, or the folder's.
    system
        ``"ot"``, ``"tagging"``, ``"mg"`` or ``"discovery"``.
    title, source
        From its comment lines ``# title:`` and ``# source:``; those of a folder's ABOUT.txt.
    path
        Where it lies: a file, or a folder of sound.
    """

    name: str
    system: str
    title: str
    source: str
    path: Path


def _folder(kind: str) -> Path:
    """Return the folder of a kind of sample: inside the package in a wheel, beside it in a checkout."""
    inside = _HERE / "_samples" / kind
    return inside if inside.is_dir() else _HERE.parent / f"sample_{kind}"


@cache
def samples(system: str | None = None) -> tuple[Sample, ...]:
    """Return the shipped samples, of one system or of all, sorted by system and name."""
    all_samples = [
        _describe(path, owner or _CORPUS_SYSTEMS[path.suffix])
        for kind, (owner, suffix) in _KINDS.items()
        for path in sorted(_folder(kind).rglob("*"))
        if path.is_file() and (path.suffix == suffix if suffix else path.suffix in _CORPUS_SYSTEMS)
        if not path.stem.isupper()
    ]
    all_samples += [
        replace(_describe(about, "discovery"), name=about.parent.name, path=about.parent)
        for about in sorted(_folder("sounds").glob("*/ABOUT.txt"))
    ]
    return tuple(s for s in all_samples if system in (None, s.system))


def _describe(path: Path, system: str) -> Sample:
    header: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(("#", "%")):
                break
            key, _, value = line.lstrip("#% ").partition(":")
            header.setdefault(key.strip().lower(), value.strip())
    plain = path.stem.replace("_", " ")
    title = header.get("title") or plain[:1].upper() + plain[1:]
    return Sample(path.stem, system, title, header.get("source", ""), path)


def find_sample(name: str, system: str | None = None) -> Sample:
    """Return the sample of this name, or the only one that begins with it.

    Raises
    ------
    InputError
        If none or several match, naming them.
    """
    known = samples(system)
    exact = [s for s in known if s.name == name]
    matches = exact or [s for s in known if s.name.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(s.name for s in matches)
        raise InputError(Fault(f"{name!r} begins several samples: {names}", "write one of them in full"))
    raise InputError(
        Fault(f"no file or sample is called {name!r}", did_you_mean(name, [s.name for s in known]))
    )


def sample_path(name: str, system: str | None = None) -> Path:
    """Return the file of a sample; `name` may be a unique beginning."""
    return find_sample(name, system).path


def sample_times(name: str) -> Path | None:
    """Return the table of reading times that is shipped with a lexicon; None if there is none.

    Examples
    --------
    >>> sample_times("english_relative").name
    'english_relative_clauses_times.csv'
    """
    path = sample_path(name, "mg")
    times = path.with_name(f"{path.stem}_times.csv")
    return times if times.is_file() else None


def load_sample(name: str) -> Any:
    """Return a sample as the object its system works with.

    Parameters
    ----------
    name
        A sample's name or a unique beginning of one.

    Returns
    -------
    object
        A :class:`otlab.ot.Tableau`, :class:`otlab.mg.Lexicon`, a tagged corpus, a corpus of
        utterances, or :class:`otlab.discovery.Speech`.
    """
    from importlib import import_module

    sample = find_sample(name)
    system = import_module(f"otlab.{sample.system}")
    return system.read_speech(sample.path) if sample.path.is_dir() else system.read(sample.path)
