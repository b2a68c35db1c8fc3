"""Signatures: which forests are shared, and which sentences an edit parses again."""

import pytest

from otlab.mg.lexicon import item
from otlab.mg.parsing import grammar as module
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.samples import load_sample

SENTENCES = [
    tuple(s.split())
    for s in ("the king drinks the beer", "the queen drinks the wine", "which king drinks the wine")
]


@pytest.fixture
def parsed(monkeypatch):
    """Counts the signatures that are parsed."""
    seen = []
    plain = Grammar.parse_signatures

    def counting(self, signatures):
        seen.extend(signatures)
        return plain(self, signatures)

    monkeypatch.setattr(module.Grammar, "parse_signatures", counting)
    return seen


def test_sentences_of_one_signature_share_a_forest(parsed):
    forests = Grammar(load_sample("stabler_king")).forests(SENTENCES)
    assert forests[0] is forests[1]
    assert forests[0] is not forests[2]
    assert len(parsed) == 2


def test_an_edit_parses_only_what_it_touches(parsed):
    lexicon = load_sample("stabler_king")
    before = Grammar(lexicon)
    before.forests(SENTENCES)
    parsed.clear()
    after = Grammar(lexicon.with_items([*lexicon.items, item("queen :: D")]), cache=before.cache)
    after.forests(SENTENCES)
    assert len(parsed) == 1
    parsed.clear()
    silent = Grammar(lexicon.with_items([*lexicon.items, item("ε :: D")]), cache=after.cache)
    silent.forests(SENTENCES)
    assert len(parsed) == 2


def test_a_cached_forest_gives_the_same_answer():
    lexicon = load_sample("english_pp_attachment")
    sentence = "john saw the man with the hat"
    edited = lexicon.with_items([*lexicon.items, item("mary :: d")])
    shared = Grammar(edited, cache=Grammar(lexicon).cache)
    assert parse(shared, sentence).log_probability == parse(edited, sentence).log_probability


def test_too_large_charts_are_named(monkeypatch):
    from otlab.errors import InputError

    monkeypatch.setattr(module, "MOST_PAIRS", 10)
    with pytest.raises(InputError, match=r"'stone lion house stone' is too large; shorten it"):
        Grammar(load_sample("noun_compounds")).forests([("stone", "lion", "house", "stone")])


def test_entries_of_a_word_are_prepared_when_it_is_first_asked_for(monkeypatch):
    prepared = []
    plain = module._parted

    def counting(spoken):
        prepared.append(spoken[0][0][0])
        return plain(spoken)

    monkeypatch.setattr(module, "_parted", counting)
    grammar = Grammar(load_sample("stabler_king"))
    assert prepared == []
    grammar.signature(("the", "king", "sees", "the", "king"))
    assert prepared == ["the", "king"]
