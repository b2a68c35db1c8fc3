"""Minimalist grammars: edit a lexicon, see every derivation, induce its probabilities.

A lexicon is read, compiled to the string-free item graph, and parses sentences to
packed forests; learners work on a parsed corpus. Public names are imported when they are first used.
"""

from __future__ import annotations

from otlab.importing import lazy_names

_MODULES = {
    "Alternative": "processing.alternatives",
    "Derivation": "derivation",
    "Feature": "features",
    "Grammar": "parsing.grammar",
    "Induction": "learners.induction",
    "LEARNERS": "learners",
    "LexicalItem": "lexicon",
    "Lexicon": "lexicon",
    "Parse": "parsing.parse",
    "Comparison": "learners.comparison",
    "alternatives": "processing.alternatives",
    "compare": "learners.comparison",
    "cross_check": "learners.cross_check",
    "shared_sentences": "learners.comparison",
    "dumps": "io.write",
    "generate": "parsing.generation",
    "memory_use": "processing.memory",
    "Metric": "processing.metrics",
    "read_metrics": "processing.metrics",
    "induce": "learners.fit",
    "induce_lexicon": "learners.pool",
    "is_wellformed": "derivation",
    "lint": "linting",
    "loads": "io.read",
    "parse": "parsing.parse",
    "parse_corpus": "learners.corpus",
    "read": "io.read",
    "read_corpus_text": "sentences",
    "predict_reading": "processing.reading_times",
    "read_times": "io.times",
    "reading_labels": "views.readings",
    "SpellOut": "spellout",
    "StartNeeded": "io.read",
    "read_spell_out": "io.spell_out",
    "respell": "sentences",
    "split_sentence": "sentences",
    "surprisals": "parsing.prefix",
    "well_formed_mass": "parsing.prefix",
    "word_by_word": "processing.entropy",
    "write": "io.write",
}

__all__ = sorted(_MODULES)

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
