"""Formats of phonemic text, and how one is recognised.

::

    plain     yu want tu si                    a blank between words; a phone is a character
              d.o.g b.a.r.k.s                  or what stands between separators
    blanks    d ɔ ɡ # b ɑː k s                 a blank between phones, a mark or two blanks between words,
                                               or nothing
    wordseg   d ɔ ɡ ;eword b ɑː k s ;eword     as wordseg and phonemizer write it, syllables with ;esyll
    bracketed /dɔɡ/ [bɑːks]                    as the first two, in slashes or brackets, which are left out
    cha       a transcript of CHILDES: see otlab.discovery.io.chat
"""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from otlab.chat import is_chat
from otlab.discovery.io import chat
from otlab.discovery.io.marks import bracketed, without_brackets
from otlab.discovery.io.phones import phones_of
from otlab.discovery.io.py_cfg import is_py_cfg
from otlab.errors import Fault, InputError, did_you_mean
from otlab.foreign_formats import is_conllu, named_lines, numbered_lines, other_trees, timed_format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FORMATS", "TextFormat", "bare_lines", "choose", "cut_line", "formats_of", "header_of", "lines_of",
    "refuse_times",
]  # fmt: skip

FORMATS = ("plain", "wordseg", "blanks", "cha", "bracketed")
"""Formats by the names of ``--format``."""

EWORD, ESYLL = ";eword", ";esyll"
MARKS = ("#", "##", "|", "||")
"""What stands between words where blanks stand between phones."""

WIDE = "  "
"""Two blanks or more, or a tab, between words."""

_WIDE_BLANKS = re.compile(r"\s*\t\s*|\s{2,}")
_WIDE_LINES = 0.2  # of the lines; fewer are slips of the hand
_TIMED = re.compile(r"\s*(?:\S+\s+\S+\s+)?\d+(\.\d+)?\s+\d+(\.\d+)?\s+\S")
_TAGGED = re.compile(r"[^/\s]+/(?:[A-Z]{2,}[A-Z$|+-]*|[.,:])|[A-Z]\.\d+:")
_DOTS = (".", "-", "_", "~")
_HEAD = 20_000  # characters that tell whether lines are utterances
_LONG_PHONE = 3  # characters of the longest phone between blanks, such as AH0 or t͡ʃ
_MOST_JUDGED = 200  # characters of a token
_MOST_TOKENS = 20_000  # different ones: the largest shipped corpus has fewer
_HEADER = re.compile(
    r"#\s*(title|source|licence|vowels|separator|parameters|shows)\s*:\s*(.*)", re.IGNORECASE
)


@dataclass(frozen=True)
class TextFormat:
    """How words and phones stand in a line.

    Attributes
    ----------
    name
        One of `FORMATS`.
    separator
        What stands between phones: nothing, a blank, or a text.
    word_separator
        What stands between words; empty if nothing says where they end.
    tier
        Of a transcript: which lines are read, such as ``%pho``.
    """

    name: str = "plain"
    separator: str = ""
    word_separator: str = " "
    tier: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the format as values for JSON."""
        return {
            "format": self.name,
            "separator": self.separator,
            "word_separator": self.word_separator,
            "tiers": {"phones": self.tier} if self.tier else None,
        }

    @property
    def in_words(self) -> str:
        """Say what stands between phones and words.

        >>> TextFormat("blanks", " ", "#").in_words
        'phones by blanks, words by #'
        """
        if self.name == "cha":
            what = "main lines" if self.tier == chat.MAIN else f"{self.tier} lines"
            return f"CHAT transcript, {what}, words by blanks"
        phones = {"": "a phone is a character", " ": "phones by blanks"}
        words = {"": "no word edges", " ": "words by blanks", WIDE: "words by two blanks"}
        first = phones.get(self.separator, f"phones by {self.separator}")
        if self.name == "bracketed":
            first = f"transcriptions in slashes or brackets, {first}"
        return f"{first}, {words.get(self.word_separator, f'words by {self.word_separator}')}"


PLAIN = TextFormat()
BLANKS = TextFormat("blanks", " ", "")
WORDSEG = TextFormat("wordseg", " ", EWORD)
BRACKETED = TextFormat("bracketed")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which may end in any of the usual ways."""
    return [line[:-1] if line[-1] == "\n" else line for line in io.StringIO(text, newline=None)]


def header_of(lines: Sequence[str]) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Split the known header lines from the rest: its numbered lines that are not empty."""
    header: dict[str, str] = {}
    for number, line in enumerate(lines):
        match = _HEADER.fullmatch(line)
        if not match:
            rest = enumerate(lines[number:], number + 1)
            return header, [(n, each) for n, each in rest if each and not each.isspace()]
        header.setdefault(match[1].lower(), match[2].strip())
    return header, []


def bare_lines(numbered: Sequence[tuple[int, str]], form: TextFormat) -> list[tuple[int, str]]:
    """Return numbered lines without the slashes and brackets that a format leaves out."""
    if form.name != "bracketed":
        return list(numbered)
    return [(number, without_brackets(line)) for number, line in numbered]


def cut_line(line: str, form: TextFormat) -> list[list[str]]:
    """Return the words of a line as lists of phones; words without any are left out.

    >>> cut_line("d ɔ ɡ # r ʌ n z #", TextFormat("blanks", " ", "#"))
    [['d', 'ɔ', 'ɡ'], ['r', 'ʌ', 'n', 'z']]
    """
    if form.name == "wordseg":
        line = line.replace(ESYLL, " ").replace(EWORD, f" {EWORD} ")
    words = [phones_of(word, form.separator) for word in _words(line, form)]
    return [word for word in words if word]


def _words(line: str, form: TextFormat) -> list[str]:
    mark = form.word_separator
    if not mark:
        return [line] if form.separator else ["".join(line.split())]
    if mark == WIDE and form.separator == " ":
        return _WIDE_BLANKS.split(line.strip())
    if not mark.strip():
        return line.split()
    if form.separator != " ":
        return line.split(mark)
    words: list[list[str]] = [[]]
    for token in line.split():
        if token == mark:
            words.append([])
        else:
            words[-1].append(token)
    return [" ".join(word) for word in words]


def formats_of(text: str, name: str = "") -> tuple[TextFormat, ...]:
    """Return the formats in which a text can be read, the most probable first.

    Parameters
    ----------
    text
        All of it.
    name
        The file's name.

    Examples
    --------
    >>> formats_of("juː ɔɹ ɡʊd")[0].in_words
    'a phone is a character, words by blanks'
    >>> formats_of("j uː # ɔ ɹ # ɡ ʊ d")[0].in_words
    'phones by blanks, words by #'
    """
    lines = lines_of(text)
    if name.lower().endswith(".cha") or is_chat(text):
        tiers = chat.tiers_in(text) or (chat.MAIN,)
        return (*(TextFormat("cha", tier=tier) for tier in tiers), PLAIN)
    header, numbered = header_of(lines)
    return _formats_of_lines(numbered, header.get("separator", ""))


def _formats_of_lines(numbered: Sequence[tuple[int, str]], separator: str) -> tuple[TextFormat, ...]:
    """Return the formats of lines that are no transcript, those without slashes and brackets first."""
    as_written = _formats_as_written(numbered, separator)
    if not bracketed(numbered):
        return as_written
    bare = _formats_as_written(bare_lines(numbered, BRACKETED), separator)
    return (*(replace(form, name="bracketed") for form in bare if form.name != "wordseg"), *as_written)


def _formats_as_written(numbered: Sequence[tuple[int, str]], separator: str) -> tuple[TextFormat, ...]:
    """Return the formats of lines, whose phones may be separated by something."""
    if separator:
        return _for_separator(separator, numbered)
    tokens = Counter(token for _, line in numbered for token in line.split())
    if any(token.endswith((EWORD, ESYLL)) for token in tokens):
        return (WORDSEG, BLANKS, PLAIN)
    marked = [replace(BLANKS, word_separator=mark) for mark in MARKS if tokens[mark]]
    tokens = _beginnings(tokens)
    long = {token: n for token, n in tokens.items() if len(phones_of(token)) > 1}
    dotted = [TextFormat(separator=dot) for dot in _DOTS if _separates(dot, long)]
    blanks = [*marked, *_wide(numbered), BLANKS]
    if _phones_by_blanks(tokens):
        return (*blanks, PLAIN, *dotted)
    return (*dotted, PLAIN, *blanks) if dotted else (PLAIN, *blanks)


def _wide(numbered: Sequence[tuple[int, str]]) -> tuple[TextFormat, ...]:
    """Return the format with two blanks between words, if enough lines have them."""
    wide = sum(bool(_WIDE_BLANKS.search(line.strip())) for _, line in numbered)
    return (replace(BLANKS, word_separator=WIDE),) if wide and wide >= _WIDE_LINES * len(numbered) else ()


def _beginnings(tokens: Counter[str]) -> Counter[str]:
    """Return the first different tokens, cut, as many as are enough to judge by."""
    found = Counter[str]()
    for token, n in islice(tokens.items(), _MOST_TOKENS):
        found[token[:_MOST_JUDGED]] += n
    return found


def _for_separator(separator: str, numbered: Sequence[tuple[int, str]]) -> tuple[TextFormat, ...]:
    """Return the formats of a text whose phones are separated by this, the most probable first."""
    if separator.strip():
        return (TextFormat(separator=separator), PLAIN, BLANKS)
    tokens = {token for _, line in numbered for token in line.split()}
    if any(token.endswith((EWORD, ESYLL)) for token in tokens):
        return (WORDSEG, BLANKS)
    marked = (replace(BLANKS, word_separator=mark) for mark in MARKS if mark in tokens)
    return (*marked, *_wide(numbered), BLANKS)


def _phones_by_blanks(tokens: Counter[str]) -> bool:
    """Return whether what stands between blanks are phones: all short, most a single one."""
    sizes = {token: len(phones_of(token)) for token in tokens if token not in MARKS}
    if not sizes or max(sizes.values()) > _LONG_PHONE:
        return False
    total = sum(tokens[token] for token in sizes)
    single = sum(tokens[token] for token, size in sizes.items() if size == 1)
    arpabet = all(re.fullmatch(r"[A-Z]{1,2}[012]?|[a-z]{1,2}[012]?", token) for token in sizes)
    return single >= 0.6 * total or (arpabet and single >= 0.25 * total and len(sizes) >= 12)


def _separates(dot: str, long: Mapping[str, int]) -> bool:
    """Return whether a character stands between phones in nearly all of these words of two phones or more."""
    pieces = {token: token.strip(dot).split(dot) for token in long if dot in token[1:-1]}
    sizes = Counter[int]()
    for token, parts in pieces.items():
        for part in parts:
            sizes[len(phones_of(part))] += long[token]
    if not sizes or max(sizes) > _LONG_PHONE or sizes[0]:
        return False
    single = sizes[1] >= 0.6 * sizes.total()  # not the dots between syllables
    return single and sum(long[token] for token in pieces) > 0.9 * sum(long.values())


def refuse_times(text: str, name: str) -> None:
    """Refuse a file of gold times, whose lines would be read as utterances.

    Raises
    ------
    InputError
        If it is XML or a Praat TextGrid, if its lines are times with labels or begin with names of
        utterances, if it holds tags, or trees that are not in brackets alone.
    """
    if text[:60].lstrip("\ufeff \r\n").startswith("<?xml"):
        hint = "export its text, or in ELAN a Praat TextGrid, which goes with its recording"
        raise InputError(Fault("is XML, and no text with an utterance on each line", hint, file=name))
    lines = [line for line in lines_of(text[:_HEAD]) if line.strip()]
    if len(text) > _HEAD:  # the last one is cut
        lines = lines[:-1] or lines
    kind = timed_format(lines)
    timed = sum(bool(_TIMED.match(line)) for line in lines)
    if not kind and timed and timed >= 0.9 * len(lines):
        kind = "start, end and label"
    if kind or name.lower().endswith(".textgrid"):
        what = f"holds times ({kind or 'a Praat TextGrid'}), and no utterances"
        hint = (
            "pack it with its recording into a ZIP file, and open that on the Sound tab; or name their folder"
        )
        raise InputError(Fault(what, f"{hint} with --audio", file=name))
    _refuse_annotation(lines, name)


def _bracketed_trees(lines: Sequence[str]) -> bool:
    """Return whether lines are trees in brackets, of leaves such as (DT the); some begin with #."""
    tokens = [token for line in lines if line[0] != "#" for token in line.split()]
    leaves = sum(token[0] == "(" for token in tokens), sum(token[-1] == ")" for token in tokens)
    return bool(tokens) and tokens[0][0] == "(" and min(leaves) > 0 and sum(leaves) >= 0.9 * len(tokens)


def _refuse_annotation(lines: Sequence[str], name: str) -> None:
    """Refuse rules of py-cfg, trees, tags behind words, and names of utterances before them."""
    if lines and all(map(is_py_cfg, lines)):
        hint = "name it with --grammar, or paste it under Grammar in the lab"
        raise InputError(Fault("is a grammar of py-cfg, and no text", hint, file=name))
    trees = other_trees(lines) or ("trees in brackets" if _bracketed_trees(lines) else "")
    if trees:
        hint = "write the words of each sentence on a line, as phones"
        raise InputError(Fault(f"holds {trees}, and no utterances", hint, file=name))
    if is_conllu(lines):
        hint = "write the words of each sentence on a line, as phones; otlab tag reads it as it is"
        raise InputError(Fault("is a treebank in CoNLL-U, and no utterances", hint, file=name))
    if named := named_lines(lines):
        what = f"has the name of an utterance at the beginning of each line ({named}), as Kaldi's text"
        raise InputError(Fault(what, "delete these names", file=name))
    if number := numbered_lines(lines):
        what = f"has the number of the line at the beginning of each line ({number}, ...)"
        raise InputError(Fault(what, "delete these numbers", file=name))
    tokens = [token for line in lines for token in line.split()]
    if sum(bool(_TAGGED.fullmatch(token)) for token in tokens) >= 0.9 * len(tokens) > 0:
        hint = "delete the tags, or open it in the tagging lab (otlab tag)"
        raise InputError(Fault("holds words with tags, and no phones", hint, file=name))


def choose(
    text: str,
    name: str = "",
    *,
    form: str = "",
    separator: str = "",
    word_separator: str | None = None,
    tier: str = "",
) -> TextFormat:
    """Return the format in which to read a text: the most probable one that agrees with what is given.

    Parameters
    ----------
    text, name
        The text, and its file's name.
    form
        One of `FORMATS`; empty for any.
    separator, word_separator
        What stands between phones, and between words; empty and None if the text shall say.
    tier
        Which lines of a transcript.

    Raises
    ------
    InputError
        If there is no such format, or no such line in the transcript.
    """
    if form and form not in FORMATS:
        raise InputError(Fault(f"--format {form}", did_you_mean(form, FORMATS)))
    found = formats_of(text, name)
    if separator:
        found = _formats_of_lines(header_of(lines_of(text))[1], separator)
    tiers = [f.tier for f in found if f.tier]
    if tier and form in ("", "cha"):
        if tiers and tier not in tiers:
            raise InputError(
                Fault(f"there are no {tier} lines", f"choose from {', '.join(tiers)}", file=name)
            )
        found = (TextFormat("cha", tier=tier),)
    plain = TextFormat(separator=separator if separator.strip() else "")
    usual = {
        "plain": plain,
        "blanks": BLANKS,
        "wordseg": WORDSEG,
        "cha": TextFormat("cha", tier=chat.MAIN),
        "bracketed": replace(plain, name="bracketed"),
    }
    chosen = next((f for f in found if f.name == form), usual[form]) if form else found[0]
    return chosen if word_separator is None else replace(chosen, word_separator=word_separator)
