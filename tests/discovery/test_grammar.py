from __future__ import annotations

import numpy as np
import pytest

from otlab.discovery.corpus import Corpus
from otlab.discovery.fit import discover
from otlab.discovery.grammar import phone_classes
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners.starts import lexicon_weights
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import PRESETS, load_grammar, preset
from otlab.errors import DataWarning, InputError


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_written_and_read_back(name):
    assert parse_grammar(str(preset(name)), name) == preset(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rule"),
        ("S -> A\nA -> S", "g:1:1: cycle: S can be rewritten as S alone"),
        ("S -> S 'a' S", "g:1:1: S is unproductive"),
        ("S -> Wrod+\nWord -> Phon+", r"g:1:6: Wrod is not defined; .*did you mean Word\?"),
        ("S -> W\n@W 10 1 0\nW -> 'a' W\nW -> 'a'", "g:3:1: cycle among adapted symbols: W can contain W"),
        ("@S 10 1 1\nS -> Phon+", r"g:1:9: discount 1 is outside \[0, 1\)"),
        ("@S 10 -1 .5\nS -> Phon+", "g:1:7: concentration -1 is not above minus the discount"),
        ("@S 0 1 0\nS -> Phon+", "g:1:4: truncation 0"),
        ("@S 10 1\nS -> Phon+", "g:1:1: an adapted symbol needs 3 numbers, not 2"),
        ("@S ten 1 0\nS -> Phon+", "g:1:4: 'ten 1 0' are not"),
        ("@S 9 1 0\n@S 9 1 0\nS -> Phon+", "g:2:1: S is adapted twice"),
        ("@T 9 1 0\nS -> Phon+", "g:1:2: T is adapted but has no rule"),
        ("S -> 'a' | 'b'", r"g:1:10: unexpected \|; write each alternative"),
        ("S ->", "g:1:3: nothing after the arrow"),
        ("S -> ''", "g:1:6: empty quotes"),
        ("S+ -> 'a'", r"g:1:1: S\+ on the left"),
        ("hello", "g:1:1: neither a rule"),
        ("0 S -> 'a'", "g:1:1: weight 0 is not a positive number"),
        ("S -> 'a'\nS -> 'a'", "g:2:1: S -> 'a' is there twice"),
    ],
)
def test_faults_name_the_place(text, message):
    with pytest.raises(InputError, match=message):
        parse_grammar(text, "g")


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        parse_grammar("S -> 'a' | 'b'\n@S 10 1 2\nhello")
    assert len(caught.value.faults) == 3
    with pytest.raises(InputError) as caught:
        parse_grammar("S -> Wrod\n@S 10 1 2")
    assert [f.line for f in caught.value.faults] == [2, 1]


def test_left_recursion_and_loose_rules_are_warned_of():
    with pytest.warns(DataWarning) as caught:
        parse_grammar("S -> S 'a'\nS -> 'a'\nX -> 'b'")
    messages = [str(w.message) for w in caught]
    assert any("S is left-recursive" in s for s in messages)
    assert any("nothing leads to X" in s for s in messages)


def test_weights_comments_and_quotes():
    grammar = parse_grammar("2.5 S -> '#' 'a'+  # a comment\nS -> Phon")
    assert [str(r) for r in grammar.rules] == [
        "S -> '#' 'a'+",
        "S -> Phon",
        "'a'+ -> 'a'",
        "'a'+ -> 'a' 'a'+",
    ]
    assert grammar.rules[0].prior == 2.5


def test_unknown_preset():
    with pytest.raises(InputError, match="did you mean word"):
        load_grammar("wrod")


def test_classes_from_the_header_or_by_alternation():
    assert phone_classes(Corpus.from_text("# vowels: a\nab"))["Vowel"] == ("a",)
    corpus = Corpus.from_text("tanopi\nnatopu\nsatrino\nputina")
    assert phone_classes(corpus)["Vowel"] == ("a", "i", "o", "u")


def test_what_cannot_be_generated_is_named_and_left_out():
    corpus = Corpus.from_text("ab\nba\nac\nabab")
    with pytest.warns(DataWarning) as caught:
        parser = Parser(corpus, parse_grammar("S -> W+\n@W 9 1 0\nW -> 'a' 'b'", "g"))
    messages = [str(w.message) for w in caught]
    assert any("text:2: the grammar g cannot generate this utterance" in s for s in messages)
    assert any("text:3: the grammar g has no rule for 'c'" in s for s in messages)
    assert parser.items.tolist() == [0, 3]
    with pytest.warns(DataWarning) as caught:
        Parser(corpus, parse_grammar("S -> W+\n@W 9 1 0\nW -> 'a' 'b'"))
    assert any("text:3: the grammar has no rule for 'c'" in str(w.message) for w in caught)


def test_a_grammar_for_another_text():
    with pytest.warns(DataWarning), pytest.raises(InputError, match="generates no utterance"):
        Parser(Corpus.from_text("xyz"), parse_grammar("S -> 'a'", "g"))


@pytest.mark.parametrize("learner", ["batch", "online", "mcmc", "noisy"])
def test_a_grammar_that_remembers_nothing_is_refused_with_what_to_write(learner):
    grammar = parse_grammar("Utterance -> Word+\nWord -> Phon+")
    with pytest.raises(InputError, match=r"no symbol is adapted.*put a line such as @Word 5000 100 0 above"):
        discover(Corpus.from_text("wan tu\ntu wan\n"), grammar, learner, seed=1)


PY_CFG = """1 1 Sentence --> Words
1 1 Words --> Word
1 1 Words --> Word Words
Word --> Syllable
Word --> Syllable Syllable
1 0.5 20 Syllable --> Onset Nucleus
1 1 Onset -->b
2.5 1 Onset --> ch
1 1 Nucleus --> aa
"""


def test_grammars_of_py_cfg_are_read():
    with pytest.warns(
        DataWarning, match="g.lt: Word is adapted with concentration 100 and discount 0, for the"
    ):
        grammar = parse_grammar(PY_CFG, "g.lt")
    own = parse_grammar(
        "Sentence -> Words\nWords -> Word\nWords -> Word Words\nWord -> Syllable\nWord -> Syllable Syllable\n"
        "Syllable -> Onset Nucleus\nOnset -> 'b'\n2.5 Onset -> 'ch'\nNucleus -> 'aa'\n"
        "@Word 1500 100 0\n@Syllable 1500 20 0.5\n",
        "g.lt",
    )
    assert (grammar, [rule.prior for rule in grammar.rules]) == (own, [rule.prior for rule in own.rules])
    corpus = Corpus.from_text("b aa ch aa # ch aa\nch aa # b aa\n", separator=" ")
    assert Parser(corpus, grammar).items.size == 2
    with pytest.raises(InputError, match=r"g.lt:4:\d+: nothing after the arrow"):
        parse_grammar(PY_CFG.replace("Word --> Syllable\n", "1 0 5 Word -->\n", 1), "g.lt")


@pytest.mark.parametrize("learner", ["batch", "online", "mcmc", "noisy"])
def test_no_learner_stores_a_word_that_the_grammar_cannot_generate(learner):
    """The text has frequent consonants alone before words, which peaks of entropy cut off."""
    words = ["tado", "kapi", "stado", "skapi", "spi"]
    lines = [" ".join(words[(k * 7 + j * j) % 5] for j in range(3)) for k in range(60)]
    corpus = Corpus.from_text("# vowels: a i o\n" + "\n".join(lines))
    found = discover(corpus, "syllable", learner, iterations=3, seed=1)
    assert all(set("aio") & set(entry.string) for entry in found.lexicon)
    assert np.isfinite(found.to_dict()["objective"]).all()


def test_a_start_has_only_words_that_the_grammar_can_generate():
    corpus = Corpus.from_text("# vowels: a\nba s ba\ns ba\nba s\n")
    parser = Parser(corpus, preset("syllable"))
    weights = lexicon_weights(parser, corpus.gold, 0.02)
    stored = [parser.spell(k) for k in np.flatnonzero(weights.mass[parser.adapted.index("Word")])]
    assert stored == ["ba"]
