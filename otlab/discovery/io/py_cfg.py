"""Translate grammars of py-cfg (Johnson), also those of wordseg, into the rules that are read here.

::

    1 1 Words --> Word Words       weight, discount, concentration, or the first of these; discount 1: none
    Word --> Phons                 without a discount: adapted, with those of py-cfg's command line
    1 1 Phon --> aa                a phone is a symbol that no rule rewrites

See the usage message of ``py-cfg``: ``[weight [pya [pyb]]] Parent --> Child1 Child2 ...``.
"""

from __future__ import annotations

import re

__all__ = ["is_py_cfg", "translated"]

CONCENTRATION, DISCOUNT, TRUNCATION = 100, 0, 1500
"""Of adapted symbols for which the grammar gives none."""

_RULE = re.compile(r"\s*((?:[-+.\deE]+\s+){0,3})(\S+?)\s*-->\s*(.*)")


def is_py_cfg(text: str) -> bool:
    """Return whether a grammar is written as for py-cfg."""
    return any(_RULE.fullmatch(line) for line in text.splitlines())


def translated(text: str) -> tuple[str, str]:
    r"""Return a grammar of py-cfg in the format of grammar files, and a remark on what it does not say.

    Lines keep their numbers; adapted symbols stand at the end.

    Examples
    --------
    >>> grammar, remark = translated("1 1 S --> Word\n1 1 S --> Word S\nWord --> Ph Ph\n1 1 Ph --> aa\n")
    >>> print(grammar)
    1 S -> Word
    1 S -> Word S
    Word -> Ph Ph
    1 Ph -> 'aa'
    @Word 1500 100 0
    >>> remark
    'Word is adapted with concentration 100 and discount 0, for the grammar gives none (py-cfg: -b, -a)'
    """
    lines = text.splitlines()
    found = [_RULE.fullmatch(line) for line in lines]
    symbols = {match[2] for match in found if match}
    out, adapted, unsaid = [], {}, []
    for line, match in zip(lines, found, strict=True):
        if match is None:
            out.append(line)
            continue
        weight, discount, concentration = (*match[1].split(), "", "", "")[:3]
        left = match[2]
        right = [each if each in symbols else f"'{each}'" for each in match[3].split()]
        out.append(" ".join([*([weight] if weight else []), left, "->", *right]))
        if left in adapted or (discount and float(discount) == 1):
            continue
        adapted[left] = f"@{left} {TRUNCATION} {concentration or CONCENTRATION} {discount or DISCOUNT}"
        unsaid += [] if discount else [left]
    remark = ""
    if unsaid:
        are = "is" if len(unsaid) == 1 else "are"
        numbers = f"concentration {CONCENTRATION} and discount {DISCOUNT}"
        remark = (
            f"{', '.join(unsaid)} {are} adapted with {numbers}, for the grammar gives none (py-cfg: -b, -a)"
        )
    return "\n".join([*out, *adapted.values()]), remark
