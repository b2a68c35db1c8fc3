"""The document of the grammar lab as values for JSON, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.mg.io.read import loads
from otlab.mg.io.times import read_times
from otlab.mg.io.write import dumps, from_head_values, head_values
from otlab.ui.mg.reading import ReadingInputs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_back", "written"]


def written(contents: Mapping[str, Any]) -> dict[str, Any]:
    """Return what :meth:`~otlab.ui.mg.document.GrammarDocument.contents` returned, as values for JSON."""
    view = contents["view"]
    reading: ReadingInputs = view["reading"]
    other = reading.other
    return {
        "lexicon": head_values(contents["lexicon"]),
        "rows": [list(row) for row in contents["rows"]],
        "counts": [[list(words), n] for words, n in contents["counts"]],
        "sentence": list(view["sentence"]),
        "theories": [[name, own.name, dumps(own)] for name, own in view["theories"]],
        "compare": view["compare"],
        "pool": view["pool"],
        "reading": {
            "name": reading.name,
            "text": reading.text,
            "other": [] if other is None else [other[0], other[1].name, dumps(other[1])],
        },
    }


def read_back(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what :func:`written` was given.

    Raises
    ------
    InputError
        If a lexicon or the reading times have faults.
    """
    return {
        "lexicon": from_head_values(values["lexicon"]),
        "rows": tuple((str(p), str(f), str(a)) for p, f, a in values["rows"]),
        "counts": tuple((tuple(map(str, words)), int(n)) for words, n in values["counts"]),
        "view": {
            "sentence": tuple(map(str, values["sentence"])),
            "theories": tuple(
                (str(name), loads(text, name=str(own))) for name, own, text in values.get("theories", ())
            ),
            "compare": dict(values.get("compare", {})),
            "pool": dict(values.get("pool", {})),
            "reading": _inputs(values.get("reading", {})),
        },
    }


def _inputs(values: Mapping[str, Any]) -> ReadingInputs:
    name, text, other = str(values.get("name", "")), str(values.get("text", "")), values.get("other")
    if text:
        read_times(text, name)  # raises for one that was damaged
    lexicon = (str(other[0]), loads(str(other[2]), name=str(other[1]))) if other else None
    return ReadingInputs(name, text, lexicon)
