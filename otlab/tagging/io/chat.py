"""Read the words of a CHAT transcript (CHILDES, ``.cha``) with the parts of speech of its ``%mor`` lines.

::

    *MOT:   <I want> [//] I don't want , rocking+horse [: rocking+chair] &-uh xxx .
    %mor:   pro:sub|I mod|do~neg|not v|want cm|cm n|+n|rock+n|chair .

One part of speech belongs to each word of the main line, and to its marks, in order:

- what was retraced (``[/]``, ``[//]``, ``[///]``, ``[/-]``, ``[/?]``) or excluded (``[e]``) has none, nor
  have fragments and fillers (``&``), what was not understood (``xxx``), words left out (``0is``), and pauses;
- what replaces a word (``[: word]``, ``[:: word]``) is what is tagged;
- ``,`` is ``cm``, ``„`` ``end``, ``‡`` ``beg``, ``“`` ``bq``, and ``”`` ``eq``, if ``%mor`` has these;
- the end of the utterance (``.``, ``?``, ``+...``) is its own tag.

A tag is what is before ``|``, without prefixes (``un#v|tie`` is ``v``); of a word with clitics that of each
part, with the sign between them (``mod~neg``). A word with several analyses (``n|can^v|can``) whose tags
differ, or with ``?``, has none. See the chapter on the morphological tier of MacWhinney's manual of CHAT,
and that on MOR in his manual of CLAN.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from otlab.chat import MAIN, UNHEARD, Line, joined_lines, without_times
from otlab.errors import MOST_FAULTS, Fault, counted
from otlab.tagging.io.reading import Unpaired

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.tagging.io.reading import Reading

__all__ = [
    "MOR", "NO_TAG", "UNCERTAIN", "Transcript", "no_pairs", "pairs", "tag_of", "unpaired_remark",
    "words_of_main",
]  # fmt: skip

MOR = "%mor"
NO_TAG = "_"
"""What stands in place of a tag that is not certain."""

UNCERTAIN = "several analyses, or ?, on %mor"
"""Why a word has no tag, for messages."""

_MOST_NAMED = 5  # lines in a remark
_MARKS = {",": "cm", "„": "end", "‡": "beg", "“": "bq", "”": "eq"}
_MARK_TAGS = frozenset([*_MARKS.values(), "punct"])
_PIECE = re.compile(r"\+<|\[[^\]]*\]?|[<>]|[^\s<>\[\]]+")
_RETRACED = frozenset(["[/]", "[//]", "[///]", "[/-]", "[/?]", "[e]"])
_REPLACED = re.compile(r"\[::?\s+(.*)\]")
_END = re.compile(r"[.?!]|\+[\"/.?!]*[.?!]")
_PAUSE = re.compile(r"\(\.{1,3}\)|\([\d:]*\.?\d*\.?\)")
_EDGES = re.compile(r"([“]*)(.*?)([,„‡”]*)$")
_SIGNS = str.maketrans(
    "", "", "():^ˈˌ↑↓≠⌈⌉⌊⌋∆∇°▁▔☺♋⁇∬Ἡ↫‹›〔〕"
)  # left out, lengthened, stressed, ... within words
_CLITICS = re.compile(r"([~$])")


def words_of_main(words: str) -> list[str]:
    """Return the words and marks of a main line that the tags of ``%mor`` belong to.

    Examples
    --------
    >>> words_of_main("<the dog> [/] the dog wan(t)s [: wanted] &-uh xxx it , now .")
    ['the', 'dog', 'wanted', 'it', ',', 'now', '.']
    """
    groups: list[list[list[str]]] = [[]]
    for piece in _PIECE.findall(without_times(words)):
        if piece == "<":
            groups.append([])
        elif piece == ">":
            if len(groups) > 1:
                inner = groups.pop()
                groups[-1].append([word for item in inner for word in item])
        elif piece[0] == "[":
            _heed(piece, groups[-1])
        else:
            groups[-1] += [[word] for word in _cut(piece)]
    whole = [word for group in groups for item in group for word in item]
    return [clean for word in whole if (clean := _bare(word))]


def _heed(code: str, items: list[list[str]]) -> None:
    """Take out or replace the last item, if a code says so."""
    if not items:
        return
    replaced = _REPLACED.fullmatch(code)
    if code in _RETRACED:
        items.pop()
    elif replaced is not None:
        items[-1] = [word for piece in replaced[1].split() for word in _cut(piece)]


def _cut(piece: str) -> list[str]:
    """Return a word without the marks that are written on it, and these."""
    if piece[0] in "+&" or _END.fullmatch(piece):
        return [piece]
    match = _EDGES.match(piece)
    before, word, after = match.groups() if match else ("", piece, "")
    end = re.fullmatch(r"(.*[^\W\d_].*?)([.?!])", word)  # no blank before it, as in older transcripts
    inside = [end[1], end[2]] if end is not None else [word] if word else []
    return [*before, *inside, *after]


def _bare(word: str) -> str:
    """Return a word as it is tagged; empty if it is not."""
    if word in _MARKS or _END.fullmatch(word):
        return word
    if word[0] in "&0+#" or _PAUSE.fullmatch(word):
        return ""
    word = word.partition("@")[0]
    word = (word.partition("$")[0] or word).translate(_SIGNS)
    return word if word not in UNHEARD and any(map(str.isalnum, word)) else ""


def tag_of(item: str) -> str:
    """Return the tag of an item of ``%mor``.

    Examples
    --------
    >>> [tag_of(item) for item in ("un#v|tie&PAST", "mod|do~neg|not", "n|+adj|black+n|bird", "n|can^v|can")]
    ['v', 'mod~neg', 'n', '_']
    """
    parts = [part if part in "~$" else _part_of_speech(part) for part in _CLITICS.split(item) if part]
    return NO_TAG if NO_TAG in parts else "".join(parts)


def _part_of_speech(part: str) -> str:
    found = {each.partition("|")[0].rpartition("#")[2] for each in part.split("^") if "|" in each}
    tag = found.pop() if len(found) == 1 else ""
    return NO_TAG if tag in ("", "?", "unk") else tag


def pairs(words: str, mor: str) -> list[tuple[str, str]] | str:
    """Return the words of a main line, each with its tag; why there are no pairs if they do not fit.

    Examples
    --------
    >>> pairs("it's a dog .", "pro|it~cop|be&3S det|a n|dog .")
    [("it's", 'pro~cop'), ('a', 'det'), ('dog', 'n'), ('.', '.')]
    >>> pairs("a dog .", "n|dog .")
    '2 words and 1 tag'
    """
    items = [item for item in without_times(mor).split() if not _untold(item)]
    marks = [_mark(item) for item in items]
    main = [word for word in words_of_main(words) if word not in _MARKS or word in marks]
    ended = bool(items) and bool(main) and bool(_END.fullmatch(items[-1]) and _END.fullmatch(main[-1]))
    if not ended:
        main = [word for word in main if not _END.fullmatch(word)]
        marks = [mark for mark in marks if not _END.fullmatch(mark)]
        items = [item for item in items if not _END.fullmatch(item)]
    if [_kind(word) for word in main] != [_kind(mark) for mark in marks]:
        return _why(main, marks)
    return [
        (word, mark if mark and mark not in _MARKS else _tag(item))
        for word, mark, item in zip(main, marks, items, strict=True)
    ]


def _untold(item: str) -> bool:
    """Return whether an item is of a word that was left out or not understood."""
    tag, _, stem = item.partition("|")
    return (tag[:1] == "0" and bool(stem)) or (stem or tag) in UNHEARD


def _mark(item: str) -> str:
    """Return the mark or end of an utterance that an item stands for; empty if it is a word's."""
    tag, _, stem = item.rpartition("|")
    if stem in _MARKS or (not tag and _END.fullmatch(stem)):
        return stem
    if tag not in _MARK_TAGS:
        return ""
    return next((mark for mark, name in _MARKS.items() if name == tag), stem)


def _tag(item: str) -> str:
    return _MARKS[item] if item in _MARKS else tag_of(item)


def _kind(word: str) -> str:
    """Return what a word can be paired with: the same mark, any end of an utterance, or any word."""
    return word if word in _MARKS else "end" if _END.fullmatch(word) else ""


def _why(main: list[str], marks: list[str]) -> str:
    words, tags = sum(not _kind(word) for word in main), sum(not _kind(mark) for mark in marks)
    if words == tags:
        return "marks in other places"
    return f"{counted(words, 'word')} and {counted(tags, 'tag')}"


def unpaired_remark(unpaired: Sequence[Unpaired]) -> str:
    """Say which utterances were left out, and why.

    Examples
    --------
    >>> unpaired_remark([Unpaired(4, "2 words and 1 tag"), Unpaired(9, ""), Unpaired(12, "")])
    'Left out: line 4, whose words and tags on %mor do not pair (2 words and 1 tag); 2 utterances without
    %mor (lines 9, 12).'
    """
    odd, bare = [each for each in unpaired if each.why], [each.line for each in unpaired if not each.why]
    parts = []
    if len(odd) == 1:
        parts.append(f"line {odd[0].line}, whose words and tags on %mor do not pair ({odd[0].why})")
    elif odd:
        named = ", ".join(f"line {each.line}: {each.why}" for each in odd[:_MOST_NAMED])
        what = f"{len(odd):,} utterances whose words and tags on %mor do not pair"
        parts.append(f"{what} ({named}{' …' if len(odd) > _MOST_NAMED else ''})")
    if bare:
        lines = f"{'line' if len(bare) == 1 else 'lines'} {', '.join(map(str, bare[:_MOST_NAMED]))}"
        more = " …" if len(bare) > _MOST_NAMED else ""
        parts.append(f"{counted(len(bare), 'utterance')} without %mor ({lines}{more})")
    return f"Left out: {'; '.join(parts)}."


def no_pairs(unpaired: Sequence[Unpaired], file: str) -> Fault | list[Fault]:
    """Return why a transcript of which nothing could be read has no words with tags."""
    odd = [each for each in unpaired if each.why]
    if not odd:
        return Fault("no utterance with words", "its main lines begin with * and a speaker: *CHI:", file=file)
    hint = "one tag for each word of the main line; run MOR again, or save the words alone"
    what = "the words and their tags on %mor do not pair"
    return [Fault(f"{what} ({each.why})", hint, file=file, line=each.line) for each in odd[:MOST_FAULTS]]


class Transcript:
    """Reads the lines of a transcript into a corpus, an utterance at a time.

    Parameters
    ----------
    tagged
        Whether the tags of ``%mor`` are read; else the words of the main lines alone.
    """

    def __init__(self, *, tagged: bool) -> None:
        self._tagged = tagged
        self._begun: list[tuple[int, str]] = []

    def __call__(self, into: Reading, lines: list[str], first: int) -> None:
        """Read some lines; the last utterance waits for the lines that may still depend on it."""
        for number, line in enumerate(lines, start=first):
            if line[:1] in ("*", "@"):
                self._end(into)
            if line:
                self._begun.append((number, line))
        into.unfinished = lambda: self._end(into)

    def _end(self, into: Reading) -> None:
        """Put in the utterance whose lines have been read."""
        main: Line | None = None
        mor = ""
        for line in joined_lines(self._begun):
            if line.name.startswith(MAIN):
                main = line
            elif line.name == MOR:
                mor = mor or line.words
        self._begun = []
        if main is None:
            return
        words = words_of_main(main.words)
        if all(map(_kind, words)):
            return  # nothing was understood
        if self._tagged:
            _add_tagged(into, main, mor)
        else:
            for word in words:
                into.text.word_of.append(into.text.words[word])
            into.text.end_sentence()


def _add_tagged(into: Reading, main: Line, mor: str) -> None:
    """Add an utterance with its tags; one without is left out."""
    found = pairs(main.words, mor) if mor else ""
    if isinstance(found, str):
        into.unpaired.append(Unpaired(main.number, found))
        return
    text = into.text
    for word, tag in found:
        text.word_of.append(text.words[word])
        text.tag_of.append(text.tags[tag])
    text.end_sentence()
