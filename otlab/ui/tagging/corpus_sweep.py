"""Sweeps on the corpus of the lab: its file, and the sample that it may be; without Panel."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from otlab.inference.digest import digest
from otlab.sweep.plan import parse_plan
from otlab.sweep.write import sweep_text
from otlab.ui.sweep.planned import PlannedSweep, shipped_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from otlab.sweep.plan import Plan
    from otlab.sweep.write import Part
    from otlab.tagging.corpus import Corpus

__all__ = ["corpus_bytes", "corpus_plan", "corpus_sweep"]

_CORPUS = "corpus"  # what the lab's corpus is called in a plan


def corpus_plan(corpus: Corpus, parts: Callable[[str], list[Part]]) -> Plan:
    """Return the plan of runs on a corpus; `parts` returns them given the name of their data.

    Raises
    ------
    InputError
        If a sweep has no such settings.
    """
    text = sweep_text("tagging", parts(_CORPUS))
    return parse_plan(text, data={_CORPUS: (digest(corpus), corpus)})


def corpus_sweep(
    corpus: Corpus, file: str, parts: Callable[[str], list[Part]], remarks: Iterable[str] = ()
) -> PlannedSweep:
    """Return runs on a corpus as a sweep to be downloaded, with the corpus unless it is a shipped one.

    Parameters
    ----------
    corpus
        As it is open.
    file
        The name of its file, if it is no shipped one.
    parts
        Returns the runs, given the name of their data.
    remarks
        What a reader should know of them.
    """
    shipped = shipped_name("tagging", PurePath(corpus.name).stem, lambda sample: _same(sample, corpus))
    made, files = parts(shipped or file), {}
    if not shipped:
        files[file] = partial(corpus_bytes, corpus)
        form = "raw" if corpus.tags is None else "tsv"
        made = [replace(part, settings={**part.settings, "format": form}) for part in made]
    return PlannedSweep("tagging", tuple(made), files, tuple(remarks))


def _same(one: Corpus, other: Corpus) -> bool:
    """Return whether two corpora have the same sentences and tags."""
    names = (one.vocabulary, one.tagset) == (other.vocabulary, other.tagset)
    return names and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("words", "offsets", "tags")
    )


def corpus_bytes(corpus: Corpus) -> bytes:
    """Return a corpus as it is, for the format tsv, ``_`` as a tag that is missing; without tags for raw."""
    if corpus.tags is None:
        return "".join(" ".join(word for word, _ in sentence) + "\n" for sentence in corpus).encode()
    blocks = ("".join(f"{word}\t{tag or '_'}\n" for word, tag in sentence) for sentence in corpus)
    return "\n".join(blocks).encode()
