"""Minimalist grammars: edit a lexicon, see every derivation, induce its probabilities.

A lexicon is read, compiled to the string-free item graph, and parses sentences to
packed forests; learners work on a parsed corpus. Public names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "Derivation": "derivation",
    "Feature": "features",
    "Grammar": "parsing.grammar",
    "Induction": "learners.induction",
    "LEARNERS": "learners",
    "LexicalItem": "lexicon",
    "Lexicon": "lexicon",
    "Parse": "parsing.parse",
    "Comparison": "learners.comparison",
    "compare": "learners.comparison",
    "cross_check": "learners.cross_check",
    "shared_sentences": "learners.comparison",
    "dumps": "io.write",
    "generate": "parsing.generation",
    "induce": "learners.fit",
    "induce_lexicon": "learners.pool",
    "is_wellformed": "derivation",
    "lint": "linting",
    "loads": "io.read",
    "parse": "parsing.parse",
    "parse_corpus": "learners.corpus",
    "read": "io.read",
    "reading_labels": "views.readings",
    "StartNeeded": "io.read",
    "respell": "sentences",
    "split_sentence": "sentences",
    "surprisals": "parsing.prefix",
    "well_formed_mass": "parsing.prefix",
    "write": "io.write",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it."""
    if name in _WHERE:
        return getattr(import_module(f"otlab.mg.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'otlab.mg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
