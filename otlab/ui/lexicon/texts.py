"""Read and write texts of phones, with warnings about what was left out."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.corpus import Corpus, read
from otlab.discovery.io.text import PLAIN, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["corpus_given", "corpus_of", "corpus_text", "read_message"]

_BETWEEN_PHONES = "\N{SYMBOL FOR UNIT SEPARATOR}"


def corpus_text(corpus: Corpus) -> str:
    """Return the text of a corpus, with blanks at gold word boundaries."""
    header = {"title": corpus.title, "source": corpus.source, "vowels": " ".join(corpus.vowels)}
    head = [f"# {key}: {value}" for key, value in header.items() if value]
    ends = np.zeros(corpus.phones.size, dtype=bool) if corpus.gold is None else corpus.gold
    lines = []
    for first, last in pairwise(corpus.offsets):
        phones = [corpus.symbols[p] for p in corpus.phones[first:last]]
        after = [" " if end else _BETWEEN_PHONES for end in ends[first : last - 1]]
        lines.append("".join(map("".join, zip(phones, [*after, ""], strict=True))))
    return "\n".join([*head, f"# separator: {_BETWEEN_PHONES}", *lines, ""])


def corpus_of(name: str, data: bytes, progress: Callable[[float], None] | None = None) -> Corpus:
    """Return the text of an uploaded file; `progress` is called with the share that has been read.

    Raises
    ------
    InputError
        If it is no text, or has no utterance, or holds times without their sound.
    """
    return Corpus.from_bytes(data, name, progress=progress)


def corpus_given(corpus: Corpus | str | Path | Sequence[str]) -> Corpus:
    """Return a corpus, or that of a file, of a sample's name, or of utterances as strings."""
    if isinstance(corpus, Corpus):
        return corpus
    if isinstance(corpus, str | Path):
        return read(corpus)
    text = "\n".join(corpus)
    return Corpus.from_text(text, "text", form=choose(text))


def read_message(corpus: Corpus) -> str:
    """Return the toast for a text that is not simply words of characters; empty for the usual one."""
    if not corpus.text or corpus.form == PLAIN:
        return ""
    return f"{corpus.name} read as {corpus.form.in_words}. The Data tab offers other ways"
