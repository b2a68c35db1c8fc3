"""Sentences as HTML: each word with what is known of it below, in the direction of its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.html import Markup, direction, element, isolated, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["sentence_html", "state_and_tag", "token_html"]


def token_html(word: str, below: Iterable[Markup], kind: str = "") -> Markup:
    """Return a word with parts below it, one under the other."""
    shown = element("span", word, class_="w", dir=direction([word]))
    return element("span", shown + joined(below), class_=f"token {kind}".strip())


def sentence_html(words: Iterable[str], tokens: Iterable[Markup]) -> Markup:
    """Return the tokens of a sentence, from the right if most of its words are read so."""
    return element("div", joined(tokens), class_="sentence", dir=direction(words))


def state_and_tag(state: str, tag: str) -> Markup:
    """Return a state and the tag matched with it, "46 → NNP"; the arrow points to the tag in any script."""
    return element("span", isolated(state) + " → " + isolated(tag), dir="ltr")
