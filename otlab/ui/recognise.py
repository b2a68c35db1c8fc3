r"""Which lab opens a file: by its ending, and where that does not tell, by how it begins.

>>> recognise("grammar.mg", b"")
'mg_lab'
>>> recognise("data.txt", b"\t\t\t*C-Ons\tAl\nHRED-bwaja\tbu.bwa.ja\t33\t1\t0\n")
'ot_lab'
>>> recognise("words.txt", b"j u w a n t t u s i D 6 b U k\n")
'lexicon_lab'
"""

from __future__ import annotations

import codecs
import re

__all__ = ["recognise"]

_ENDINGS = {
    ".mg": "mg_lab",
    ".conllu": "tagging_lab",
    ".conllu.gz": "tagging_lab",
    ".pos": "tagging_lab",
    ".xlsx": "ot_lab",
    ".csv": "ot_lab",
    ".otgrammar": "ot_lab",
    ".gr": "lexicon_lab",
    ".wav": "lexicon_lab",
    ".flac": "lexicon_lab",
    ".textgrid": "lexicon_lab",
}
_PRAAT = re.compile(r'OTGrammar|Object class\s*=\s*"(OTGrammar|PairDistribution)')
_TAGGED = re.compile(r"^\S+[/_][A-Z$.,:'`-]+$")


def recognise(name: str, head: bytes) -> str:
    """Return the route of the lab that opens a file; "" if none is known to.

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
    return _by_content(head)


def _by_content(head: bytes) -> str:
    if head.startswith(b"PK\x03\x04"):
        return "ot_lab"
    text = _decode(head)
    lines = [line for line in text.splitlines()[:40] if line.strip() and not line.startswith(("#", "%"))]
    if not lines:
        return ""
    if _PRAAT.search(text) or sum(line.count("\t") >= 3 for line in lines) > len(lines) / 2:
        return "ot_lab"
    if any("::" in line for line in lines):
        return "mg_lab"
    words = " ".join(lines).split()
    if sum(bool(_TAGGED.match(word)) for word in words) > 0.9 * len(words):
        return "tagging_lab"
    return "lexicon_lab" if text.isprintable() or "\n" in text else ""


def _decode(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", errors="replace")
    return head.decode("utf-8-sig", errors="replace")
