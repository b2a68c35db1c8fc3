"""Neighbouring consonants compared: ``Agree``, ``OCP``, ``NoGeminate``, as regular expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.forms.notation import MARKS

if TYPE_CHECKING:
    from otlab.forms.formula import Neighbours
    from otlab.forms.notation import Alphabet

__all__ = ["neighbour_expression"]


def neighbour_expression(term: Neighbours, alphabet: Alphabet) -> str:
    """Return the expression that matches two neighbours that violate the constraint.

    Marks between the two are skipped, word edges are not.
    """
    skip = f"[{''.join(code for mark, code in MARKS.items() if mark != '#')}]*"
    among = term.among.codes(alphabet)
    if term.kind == "NoGeminate":
        long = _long_ones(among, alphabet)
        doubled = f"(?P<one>[{among}]){skip}(?P=one)" if among else "(?!)"
        return f"{doubled}|[{long}]" if long else doubled
    groups: dict[tuple[int, ...], str] = {}
    for code in among:
        values = tuple(alphabet.values_of(code)[list(term.features)].tolist())
        if any(values):  # a consonant without any of these values neither agrees nor disagrees
            groups[values] = groups.get(values, "") + code
    pairs = []
    for values, codes in groups.items():
        others = "".join(rest for key, rest in groups.items() if _violates(term.kind, values, key))
        if others:
            pairs.append(f"[{codes}]{skip}[{others}]")
    return "|".join(pairs) or "(?!)"


def _violates(kind: str, first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    return first == second if kind == "OCP" else first != second


def _long_ones(codes: str, alphabet: Alphabet) -> str:
    table = alphabet.table
    if "long" not in table.features:
        return ""
    long = table.feature("long")
    return "".join(code for code in codes if alphabet.values_of(code)[long] == 1)
