"""Grammars to start from (Johnson 2008; Johnson & Goldwater 2009).

=============  =====================================================================
word           words of phones, drawn independently (the unigram model)
morphology     a word is a stem with or without a suffix
syllable       a word is syllables; onsets, nuclei and codas are learnt
collocation    words come in collocations: removes most of the unigram's undersegmentation
=============  =====================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from otlab.discovery.grammar_file import parse_grammar
from otlab.errors import Fault, InputError, not_a_preset
from otlab.files import file_text

if TYPE_CHECKING:
    from otlab.discovery.grammar import Grammar

__all__ = ["PRESETS", "load_grammar", "preset"]

PRESETS = {
    "word": """\
Utterance -> Word+
@Word 5000 100 0
Word -> Phon+
""",
    "morphology": """\
Utterance -> Word+
@Word 5000 100 0
Word -> Stem
Word -> Stem Suffix
@Stem 5000 100 0
Stem -> Phon+
@Suffix 1000 100 0
Suffix -> Phon+
""",
    "syllable": """\
Utterance -> Word+
@Word 5000 100 0
Word -> Syllable+
Syllable -> Onset Rhyme
Syllable -> Rhyme
Rhyme -> Nucleus Coda
Rhyme -> Nucleus
@Onset 200 10 0
Onset -> Consonant+
@Nucleus 200 10 0
Nucleus -> Vowel+
@Coda 200 10 0
Coda -> Consonant+
""",
    "collocation": """\
Utterance -> Collocation+
@Collocation 7500 500 0
Collocation -> Word+
@Word 5000 100 0
Word -> Phon+
""",
}


def preset(name: str) -> Grammar:
    """Return a preset by name.

    Raises
    ------
    InputError
        If there is no preset of this name.

    Examples
    --------
    >>> preset("word").start
    'Utterance'
    """
    if name not in PRESETS:
        raise InputError(not_a_preset("grammar", name, list(PRESETS)))
    return parse_grammar(PRESETS[name], name)


def load_grammar(source: str) -> Grammar:
    """Return a preset by name, or the grammar of a file.

    Raises
    ------
    InputError
        If it is neither, or the file has faults.

    Examples
    --------
    >>> print(load_grammar("word"))
    Utterance -> Word+
    @Word 5000 100 0
    Word -> Phon+
    """
    path = Path(source)
    if source in PRESETS or not path.is_file():
        return preset(source)
    try:
        return parse_grammar(file_text(path), path.name)
    except UnicodeDecodeError:
        raise InputError(Fault("not a UTF-8 text", "save it as UTF-8", file=path.name)) from None
