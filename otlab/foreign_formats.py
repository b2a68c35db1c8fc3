"""Recognise texts of corpora whose lines are no sentences: times with labels, names of recordings, trees.

Readers of plain text refuse them: every line of such a file could be read as one, times and names included.

==========================  ============================================================
Praat                       a TextGrid, as text
xwaves (Buckeye)            after a line with ``#``: end, colour, label
TIMIT                       start, end, label
NIST's CTM                  recording, channel, start, length, label
Kaldi's ``segments``        utterance, recording, start, end
Kaldi's ``text``            the utterance's name, then its words
Sinica Treebank             ``#1:1.[0] NP(Head:Nep:...)#``
VISL (Floresta, ``.ad``)    ``=H:n('word' M S)``, a tab, and the word
==========================  ============================================================
"""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from otlab.chat import is_chat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["foreign_format", "is_conllu", "named_lines", "numbered_lines", "other_trees", "timed_format"]

_JUDGED = 400  # lines that are not blank
_SHARE = 0.9  # of them that must be as the format has them
_NUMBER = r"\d+(?:\.\d+)?"
_TEXTGRIDS = ('Filetype="ooTextFile', '"ooTextFile')
_XWAVES = re.compile(rf"\s*{_NUMBER}\s+\d+(?:\s.*)?")
_INTERVAL = re.compile(rf"\s*({_NUMBER})\s+({_NUMBER})\s+\S.*")
_CTM = re.compile(rf"\S+\s+\S+\s+{_NUMBER}\s+{_NUMBER}\s+\S+(?:\s+{_NUMBER})?\s*")
_SEGMENT = re.compile(rf"\S+\s+\S+\s+({_NUMBER})\s+({_NUMBER})\s*")
_NAME = re.compile(r"(?=\S*\d{3})(?=\S*[A-Za-z_-])[\w.-]+")
_SINICA = re.compile(r"#\S+\s+\w[\w‧·]*\(.*\)#.*")
_CHANNELS = {"1", "2", "A", "B"}  # of recordings, in CTM
_CONLLU = re.compile(r"\d+(?:[-.]\d+)?(?:\t[^\t]*){9}")
_VISL = re.compile(r"=*[^\s:=]+:[\w-]+\(.*\)\t\S.*")


def foreign_format(text: str) -> str:
    r"""Say what a text is that holds neither a table nor a lexicon; "" if it may hold one.

    Examples
    --------
    >>> foreign_format("signal a\n#\n 0.1 122 the\n 0.4 122 dog\n")
    'holds times (end, colour and label, as xwaves writes them for the Buckeye corpus)'
    >>> foreign_format("@UTF8\n@Begin\n*CHI:\tmore .\n"), foreign_format("1 mary 310\n1 sleeps 420\n")
    ('is a transcript of CHAT', '')
    """
    full = _full(text.splitlines())
    if not full:
        return ""
    if full[0].lstrip("\ufeff ").lower().startswith(("<?xml", "<!doctype", "<html")):
        return "is XML or HTML"
    if is_chat(text):
        return "is a transcript of CHAT"
    if is_conllu(full):
        return "is a treebank in CoNLL-U"
    times = timed_format(full)
    if times.endswith("CTM") and not _in_seconds([line.split() for line in full]):
        times = ""  # a table of words and numbers
    if times:
        return f"is {times}" if "TextGrid" in times else f"holds times ({times})"
    trees = other_trees(full)
    return trees and f"holds {trees}"


def is_conllu(lines: Iterable[str]) -> bool:
    """Return whether all lines but comments have the ten columns of CoNLL-U, the first of them a number."""
    rows = [line for line in _full(lines) if line[0] != "#"]
    return bool(rows) and all(map(_CONLLU.fullmatch, rows))


def _in_seconds(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows of CTM are of one or two channels, and begin at parts of a second."""
    return {row[1] for row in rows} <= _CHANNELS and any("." in row[2] for row in rows)


def timed_format(lines: Iterable[str]) -> str:
    """Return what a text is whose lines are times with labels; "" if it is none.

    Examples
    --------
    >>> timed_format(["0 7470 h#", "7470 9840 sh", "9840 11362 iy"])
    'start, end and label, as of TIMIT'
    >>> timed_format(["1 1 the", "1 2 dog", "2 1 cats"])
    ''
    """
    full = _full(lines)
    if not full:
        return ""
    if "".join(full[:2]).lstrip("\ufeff").replace(" ", "").startswith(_TEXTGRIDS) and any(
        "TextGrid" in line for line in full[:2]
    ):
        return "a Praat TextGrid"
    head = [line.strip() for line in full[:40]]
    if "#" in head and _most(_XWAVES, full[head.index("#") + 1 :]):
        return "end, colour and label, as xwaves writes them for the Buckeye corpus"
    if _most(_INTERVAL, full) and _in_time([m for line in full if (m := _INTERVAL.fullmatch(line))]):
        return "start, end and label, as of TIMIT"
    if _most(_CTM, full):
        return "recording, channel, start, length and label, as in CTM"
    segments = [m for line in full if (m := _SEGMENT.fullmatch(line))]
    if len(segments) == len(full) and all(float(m[1]) < float(m[2]) for m in segments) and _named(full):
        return "utterance, recording, start and end, as in Kaldi's segments"
    return ""


def named_lines(lines: Iterable[str]) -> str:
    """Return the name of the first utterance if each line begins with another one, as in Kaldi's ``text``.

    Examples
    --------
    >>> named_lines(["103-1240-0000 CHAPTER ONE", "103-1240-0001 THAT HAD ITS SOURCE"])
    '103-1240-0000'
    >>> named_lines(["the dog barks", "a cat sleeps"])
    ''
    """
    full = _full(lines)
    return full[0].split()[0] if _named(full) else ""


def numbered_lines(lines: Iterable[str]) -> str:
    """Return the number of the first line if each line begins with its own, counted from there.

    Examples
    --------
    >>> numbered_lines(["1 yu want tu", "2 lUk D*z", "3 6 dOgi"]), numbered_lines(["1 a", "3 b", "5 c"])
    ('1', '')
    """
    full = _full(lines)
    first = [line.split()[0].rstrip(".:)") for line in full]
    counted = all(map(str.isdecimal, first)) and all(int(b) == int(a) + 1 for a, b in pairwise(first))
    return first[0] if len(full) > 2 and counted and all(len(line.split()) > 1 for line in full) else ""


def other_trees(lines: Iterable[str]) -> str:
    """Return what a text of trees is that are not in brackets alone; "" if it is none.

    Examples
    --------
    >>> other_trees(["#1:1.[0] NP(Head:Nep:這)#", "#2:1.[0] VP(Head:VC2:打破)#。(PERIODCATEGORY)"])
    'trees of the Sinica Treebank'
    """
    full = _full(lines)
    if full and _most(_SINICA, full):
        return "trees of the Sinica Treebank"
    visl = sum(bool(_VISL.fullmatch(line)) for line in full)
    return "trees of VISL, as in Floresta's .ad files" if 5 * visl >= len(full) > 0 else ""


def _full(lines: Iterable[str]) -> list[str]:
    return list(islice((line for line in lines if line.strip()), _JUDGED))


def _most(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    fitting = sum(bool(pattern.fullmatch(line)) for line in lines)
    return fitting > 0 and fitting >= _SHARE * len(lines)


def _in_time(intervals: Sequence[re.Match[str]]) -> bool:
    """Return whether intervals last, and nearly all begin after the ones before: numbers of words do not."""
    starts = [float(m[1]) for m in intervals]
    lasting = sum(start < float(m[2]) for start, m in zip(starts, intervals, strict=True))
    later = sum(a < b for a, b in pairwise(starts))
    return lasting >= _SHARE * len(starts) and later >= _SHARE * (len(starts) - 1)


def _named(lines: Sequence[str]) -> bool:
    names = [line.split()[0] for line in lines]
    if len(names) < 2 or len(set(names)) < len(names) or not all(map(_NAME.fullmatch, names)):
        return False
    return all(len(line.split()) > 1 for line in lines)
