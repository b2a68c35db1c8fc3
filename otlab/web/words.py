"""The words of the page in other languages: ``words.json``, ``{language: {English text: text}}``.

The scripts of the page look up each of their texts by the English one (``js/words.js``). A text has places
such as ``{n}``, which are filled there.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LANGUAGES", "check_language", "words_of"]

LANGUAGES = ("en", "de", "fr", "es", "ja")
"""Languages of the page: English, German, French, Spanish, Japanese."""


def words_of(language: str | None = None) -> dict[str, Mapping[str, str]]:
    """Return the words of a page by language: those of one language, or of all; English is in the scripts."""
    return {name: words for name, words in _words().items() if language in (None, name)}


def check_language(language: str | None) -> None:
    """Raise InputError if the page has no such language; None stands for the browser's."""
    if language not in (None, *LANGUAGES):
        raise InputError(
            Fault(f"the page has no language {language}", did_you_mean(str(language), LANGUAGES))
        )


@cache
def _words() -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = json.loads(
        files(__package__).joinpath("words.json").read_text(encoding="utf-8")
    )
    return found
