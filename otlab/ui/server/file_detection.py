r"""Detect which lab opens a file: by its ending, or else by its first lines.

>>> lab_of_file("grammar.mg", b"")
'mg_lab'
>>> lab_of_file("data.txt", b"\t\t\t*C-Ons\tAl\nHRED-bwaja\tbu.bwa.ja\t33\t1\t0\n")
'ot_lab'
>>> lab_of_file("praat.txt", b'"ooTextFile"\n"OTGrammar 2"\n')
'ot_lab'
>>> lab_of_file("spr.csv", b"sentence,word,ms\n1,mary,310\n")
'mg_lab'
>>> lab_of_file("words.txt", b"j u w a n t t u s i D 6 b U k\n")
'lexicon_lab'
>>> refused("photo.png", b"\x89PNG\r\n")
'photo.png is a picture. Nothing was loaded.'
"""

from __future__ import annotations

import codecs
import re

from otlab.discovery.io.readings import readings as readings_of_phones
from otlab.discovery.sound import audio
from otlab.errors import InputError, collected_warnings
from otlab.mg.io.times import names_times
from otlab.ot.io.foreign import praat_class, refusal
from otlab.tagging.io.detection import readings

__all__ = ["lab_of_file", "refused", "taken_for"]

_TAKEN_FOR = {
    "ot_lab": "tableaux",
    "mg_lab": "a minimalist lexicon",
    "tagging_lab": "a text to tag",
    "lexicon_lab": "a phonemic text",
}

_ENDINGS = {
    ".mg": "mg_lab",
    ".conllu": "tagging_lab",
    ".conllu.gz": "tagging_lab",
    ".conllup": "tagging_lab",
    ".cupt": "tagging_lab",
    ".pos": "tagging_lab",
    ".xlsx": "ot_lab",
    ".otgrammar": "ot_lab",
    ".gr": "lexicon_lab",
    ".cha": "lexicon_lab",
    **dict.fromkeys(audio.ENDINGS, "lexicon_lab"),
}
_TIMES = ".textgrid"
_TAGGED = re.compile(r"^\S+[/_][A-Z$.,:'`-]+$")
_TAGGED_LINE = re.compile(r"^\S+\t[A-Z$.,:'`-]+$")  # a word, a tab, its tag
_TAG = re.compile(r"[A-Z$][A-Z0-9$:.-]*|[^\w\s]+")  # of TreeTagger and the like
_LEXICON_TABLE = re.compile(r"^[\"']?phon[\"']?[,;\t][\"']?features\b", re.MULTILINE)
_LEXICON_PYTHON = re.compile(r"\(\s*\[.*?\]\s*,\s*\[\s*\(\s*['\"](sel|cat|pos|neg)['\"]", re.DOTALL)
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_END_OF_CLAUSE = re.compile(r"[^\W\d_]{2,}[.,;:!?…][\"'”’)]*$")


def lab_of_file(name: str, head: bytes) -> str:
    """Return the route of the lab that opens a file; "" if there is none.

    Parameters
    ----------
    name
        The file's name.
    head
        Its first bytes; a few thousand are enough.
    """
    lower = name.lower()
    for ending, route in _ENDINGS.items():
        if lower.endswith(ending):
            return route
    if lower.endswith(_TIMES) or refusal(head, name) is not None:
        return ""
    if praat_class(head) is not None:
        return "ot_lab"
    return _by_content(lower, head)


def taken_for(name: str, head: bytes, route: str) -> str:
    r"""Return what a lab takes a file for; the parameters are those of :func:`lab_of_file`, and its result.

    >>> taken_for("train.txt", b"EU NNP B-NP\nsends VBZ B-VP\n\nAnn NNP B-NP\n", "tagging_lab")
    'a text to tag, columns by blanks'
    >>> taken_for("a.wav", b"RIFF", "lexicon_lab"), taken_for("my.csv", b"a,b\n", "ot_lab")
    ('recorded sound', 'tableaux')
    """
    if route == "mg_lab" and not name.lower().endswith(".mg") and names_times(_decode(head)):
        return "a table of reading times"
    what = _TAKEN_FOR[route]
    ways = {"tagging_lab": readings, "lexicon_lab": readings_of_phones}
    if route == "lexicon_lab" and (name.lower().endswith(tuple(audio.ENDINGS)) or head.startswith(b"PK")):
        return "recorded sound"
    if name.lower().endswith(".gr") or route not in ways:
        return "a grammar of words" if name.lower().endswith(".gr") else what
    try:
        with collected_warnings():
            whole_lines = head[: head.rfind(b"\n") + 1] or head
            return f"{what}, {ways[route](whole_lines, name)[0].label}"
    except InputError:
        return what


def refused(name: str, head: bytes) -> str:
    """Return, in one sentence, why no lab opens a file; the parameters are those of :func:`lab_of_file`."""
    if name.lower().endswith(_TIMES):
        what = "holds times without their sound: pack it with its recording into a ZIP file, and open that"
        return f"{name} {what}. Nothing was loaded."
    fault = refusal(head, name)
    if fault is not None:
        what = f"{name} {fault.what}".removesuffix(", not a tableau")
        if what == f"{name} {fault.what}":
            return f"{what}: {fault.hint}. Nothing was loaded."
        return f"{what}. Nothing was loaded."
    if _reads_like_prose(_decode(head)):
        return f"{name} reads like ordinary prose, which no lab opens by itself. Nothing was loaded."
    return f"{name} is in no format that a lab here reads. Nothing was loaded."


def _by_content(name: str, head: bytes) -> str:
    if head.startswith(b"PK\x03\x04"):
        if any(ending.encode() in head.lower() for ending in audio.ENDINGS):
            return "lexicon_lab"
        return "ot_lab" if b"xl/" in head else ""
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ""
    text = _decode(head)
    lines = [line for line in text.splitlines()[:40] if line.strip() and not line.startswith(("#", "%"))]
    if not lines:
        return ""
    if names_times(text):
        return "mg_lab"
    if _tagged_text(name, head):
        return "tagging_lab"
    if _LEXICON_TABLE.search(text) or _LEXICON_PYTHON.search(text):
        return "mg_lab"
    if name.endswith(".csv") or sum(line.count("\t") >= 3 for line in lines) > len(lines) / 2:
        return "ot_lab"
    if any("::" in line for line in lines):
        return "mg_lab"
    if sum(bool(_TAGGED_LINE.match(line)) for line in lines) > 0.5 * len(lines):
        return "tagging_lab"
    words = " ".join(lines).split()
    if sum(bool(_TAGGED.match(word)) for word in words) > 0.9 * len(words):
        return "tagging_lab"
    return "" if _reads_like_prose(text) or _UNKNOWN in text[:-4] else "lexicon_lab"


def _tagged_text(name: str, head: bytes) -> bool:
    """Return whether a text has the tags of a format that nothing but a tagged text is in."""
    try:
        reading = readings(head[: head.rfind(b"\n") + 1] or head, name)[0]
    except InputError:
        return False
    place = reading.place("tag")
    if reading.format in ("columns", "treetagger") and place is not None:
        tags = [line[place - 1] for line in reading.preview if len(line) >= place]
        if "header" in reading.options:  # a column is called the word's, another the tag's
            return True
        return reading.options["by"] == "blanks" or all(map(_TAG.fullmatch, tags))
    return reading.format in ("conllu", "conllu-plus", "wsj", "trees", "brown")


def _reads_like_prose(text: str) -> bool:
    """Return whether some words end in punctuation marks, as in no list of phones; comments do not count."""
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    marked = sum(bool(_END_OF_CLAUSE.search(word)) for word in words)
    return marked >= 2 and marked >= 0.03 * len(words)


def _decode(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace")
    text = head.decode("utf-8-sig", errors="replace")
    if _UNKNOWN not in text[:-4]:  # the last character may be cut
        return text
    return head.decode("cp1252", errors="replace")
