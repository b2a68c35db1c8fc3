"""Names of the formats of tagged text, as ``--format`` and ``format=`` take them."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["FORMATS", "Format", "TagColumn"]

Format = Literal[
    "conllu",
    "slash",
    "underscore",
    "tsv",
    "raw",
    "columns",
    "wsj",
    "trees",
    "brown",
    "treetagger",
    "conllu-plus",
    "cha",
]
TagColumn = Literal["xpos", "upos"]
FORMATS: tuple[Format, ...] = get_args(Format)
