"""Minimalist grammars: edit a lexicon, see every derivation, induce its probabilities.

A lexicon is read, compiled to the string-free item graph, and parses sentences to
packed forests; learners work on a parsed corpus. Names below are fetched when first
used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "Derivation": "derivation",
    "Feature": "features",
    "Grammar": "grammar",
    "Induction": "induction",
    "LexicalItem": "lexicon",
    "Lexicon": "lexicon",
    "Parse": "parsing",
    "Comparison": "comparison",
    "compare": "comparison",
    "cross_check": "cross_check",
    "shared_sentences": "comparison",
    "dumps": "writing",
    "generate": "generation",
    "induce": "induction",
    "induce_lexicon": "pool",
    "is_wellformed": "derivation",
    "lint": "linting",
    "loads": "reading",
    "parse": "parsing",
    "parse_corpus": "corpus",
    "read": "reading",
    "reading_labels": "readings",
    "StartNeeded": "reading",
    "respell": "sentences",
    "split_sentence": "sentences",
    "surprisals": "prefix",
    "well_formed_mass": "prefix",
    "write": "writing",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name in _WHERE:
        return getattr(import_module(f"otlab.mg.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'otlab.mg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
