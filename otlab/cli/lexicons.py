"""Read lexicons and sentences from files, samples or standard input, for ``parse`` and ``induce``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otlab.cli.documents import is_document, open_saved
from otlab.errors import Fault, InputError, all_results, did_you_mean
from otlab.files import decode, file_bytes, file_text
from otlab.mg.io.read import StartNeeded, loads, read
from otlab.mg.io.rows import categories
from otlab.mg.io.spell_out import read_spell_out
from otlab.mg.sentences import read_corpus_lines
from otlab.samples import sample_path

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from otlab.mg.features import Convention
    from otlab.mg.lexicon import Lexicon
    from otlab.mg.remarks import Remark
    from otlab.mg.sentences import CorpusLine
    from otlab.mg.spellout import SpellOut

__all__ = ["add_reading", "lint_rows", "open_lexicon", "open_sentences"]


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options for the start category, the notation of features, and spell-out."""
    parser.add_argument(
        "--start",
        default="",
        metavar="C",
        help="start category (default: the lexicon's own; blanks separate)",
    )
    parser.add_argument(
        "--convention",
        choices=("seed", "stabler2011", "nondirectional"),
        help="how selectors are written, if the lexicon does not say",
    )
    parser.add_argument(
        "--spell-out",
        metavar="TABLE",
        help="a table of lines 'see -s -> sees': sentences are given, and shown, as they are pronounced",
    )


def open_lexicon(
    name: str, start: str = "", convention: Convention | None = None, spell_out: str | None = None
) -> Lexicon:
    """Return the lexicon of a file, of a sample, or of standard input (``-``).

    Parameters
    ----------
    name
        The file, the sample, or ``-``.
    start, convention
        As :func:`~otlab.mg.io.read.read` takes them.
    spell_out
        The file of a table of spell-out, in place of the lexicon's own.

    Raises
    ------
    InputError
        If it cannot be read, names no start category, or has no item of the one given.
    """
    if spell_out is None:
        return _open_lexicon(name, start, convention)
    lexicon, table = all_results(
        lambda: _open_lexicon(name, start, convention), lambda: _open_table(spell_out)
    )
    spelled: Lexicon = lexicon.with_spell_out(table)
    return spelled


def _open_lexicon(name: str, start: str, convention: Convention | None) -> Lexicon:
    if is_document(name):
        options = {"start": start, "convention": convention}
        saved: Lexicon = open_saved(name, "mg", options).data
        return saved
    try:
        if name == "-":
            lexicon = loads(
                decode(sys.stdin.buffer.read(), "-"), file="-", start=start, convention=convention
            )
        else:
            path = Path(name)
            lexicon = read(
                path if path.is_file() else sample_path(name, "mg"), start=start, convention=convention
            )
    except StartNeeded as error:
        fault = error.faults[0]
        hint = f"give one with --start: {', '.join(error.categories)}"
        raise InputError(Fault(fault.what, hint, fault.file)) from None
    unknown = [c for c in categories(start) if c not in lexicon.categories]
    if unknown:
        hint = did_you_mean(unknown[0], lexicon.categories)
        raise InputError(f"--start {start}: no item has category {unknown[0]}; {hint}")
    return lexicon


def _open_table(name: str) -> SpellOut:
    if not Path(name).is_file():
        raise InputError(Fault(f"there is no file {name!r}", "give a table of lines: see -s -> sees"))
    return read_spell_out(file_text(name), name)


def open_sentences(name: str, vocabulary: Collection[str] = ()) -> list[CorpusLine]:
    """Return the sentences of a file with their counts and lines, as the grammar lab reads a corpus.

    Parameters
    ----------
    name
        A file, or ``-`` for standard input.
    vocabulary
        The words of the lexicon. Final punctuation that is not among them is dropped.

    Raises
    ------
    InputError
        If there is no such file, or no sentence in it; with a fault for each line that is not understood.
    """
    path = Path(name)
    if name != "-" and not path.is_file():
        raise InputError(Fault(f"there is no file {name!r}", "give a text file, one sentence a line"))
    data = sys.stdin.buffer.read() if name == "-" else file_bytes(path)
    sentences = read_corpus_lines(decode(data, path.name), vocabulary, path.name)
    if not sentences:
        raise InputError(Fault("the corpus is empty", "write one sentence a line", path.name))
    return sentences


def lint_rows(remarks: list[Remark]) -> list[dict[str, Any]]:
    """Return the linter's remarks as ``--json`` prints them."""
    return [{"code": r.code, "line": r.line, "column": r.column, "message": r.message} for r in remarks]
