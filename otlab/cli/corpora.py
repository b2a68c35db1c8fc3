"""Read a corpus of words, with or without tags, from a file, a sample or standard input."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.documents import is_document, open_saved
from otlab.errors import counted
from otlab.reading import ReadAs
from otlab.tagging.io.formats import FORMATS

if TYPE_CHECKING:
    import argparse

    from otlab.tagging.corpus import Corpus

__all__ = ["add_reading", "open_corpus", "read_line"]


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading a corpus."""
    add = parser.add_argument
    add("--format", choices=FORMATS, help="format of the corpus (default: guessed, and printed)")
    help_text = "columns of the word and its tag, from 1; of the word alone if there are no tags"
    add("--columns", metavar="WORD,TAG", help=help_text)
    help_text = "where sentences end: at ends of lines, at blank lines, or also after full stops"
    add("--ends", choices=("lines", "blank", "marks"), help=help_text)
    help_text = "tags of a CoNLL-U file (default: xpos)"
    add("--tag-column", choices=("xpos", "upos"), default="xpos", help=help_text)
    add("--lowercase", action="store_true", default=None, help="lowercase all words")
    add("--digits", action="store_true", default=None, help="replace every digit by 0")
    add("--min-count", type=int, metavar="N", help="words seen fewer times become UNK (default 1: none)")


def open_corpus(args: argparse.Namespace) -> tuple[Corpus, ReadAs, str]:
    """Return a corpus from a file, a sample or standard input (``-``), how it was read, and a remark."""
    from otlab.samples import sample_path
    from otlab.tagging.corpus import Normalize
    from otlab.tagging.io.read import columns_of, open_text

    if is_document(args.file):
        return _saved_corpus(args)
    path = Path(args.file)
    if args.file != "-" and not path.is_file():
        path = sample_path(args.file, "tagging")
    # A saved tagger normalises words itself, as it did with its training text.
    ways = Normalize() if args.model else Normalize(args.lowercase, args.digits, args.min_count)
    how: dict[str, Any] = {
        "columns": columns_of(args.columns or ""),
        "ends": args.ends,
        "tag_column": args.tag_column,
    }
    with io.BytesIO(sys.stdin.buffer.read()) if args.file == "-" else path.open("rb") as stream:
        text = open_text(stream, path.name, args.format, **how)
        corpus = text.corpus(normalize=ways)
    remark = text.remark
    if remark.startswith("Read as plain text"):
        remark = f"{remark} --format slash or underscore names each fault."
    elif text.other_tags:
        remark = f"{remark} --tag-column {text.other_tags} has tags."
    remark = " ".join(filter(None, (remark, text.encoding_remark)))
    return corpus, corpus.reading or text.how, remark


def _saved_corpus(args: argparse.Namespace) -> tuple[Corpus, ReadAs, str]:
    """Return the corpus of a document of the Tagging lab, how the lab read it, and no remark."""
    options = {name: getattr(args, name) for name in ("format", "columns", "ends", "lowercase", "digits")}
    options |= {"tag_column": args.tag_column != "xpos", "min_count": args.min_count not in (None, 1)}
    corpus: Corpus = open_saved(args.file, "tagging", options).data
    return corpus, corpus.reading or ReadAs("document", "a corpus of words"), ""


def read_line(corpus: Corpus, how: ReadAs, remark: str) -> str:
    """Return in one line what the text was read as; what the remark says is left to it."""
    sentence = how.sentence(counted(corpus.sentences, "sentence"))
    notes = [note for note in how.note.split("; ") if note not in remark]
    return "; ".join([f"{corpus.name}: {sentence[0].lower()}{sentence[1:]}", *notes])
