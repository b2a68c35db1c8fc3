"""Spell-out: tables, application, inversion against enumeration, counts."""

import itertools

import pytest

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.spellout import SpellOut, parse_spelled, read_spell_out

TABLE = """# verbs
see -s -> sees
see → see
do -s -> does
do not -s -> does n't
"""


def test_the_longest_sequence_is_spelled_out_from_left_to_right():
    spell_out = read_spell_out(TABLE)
    assert spell_out.apply(("mary", "do", "not", "-s", "see", "-s")) == ("mary", "does", "n't", "sees")
    assert spell_out.apply(("do", "see")) == ("do", "see")
    assert spell_out.apply(()) == ()


def test_inversion_is_that_of_enumeration():
    spell_out = SpellOut({("a",): ("x",), ("a", "b"): ("y",), ("b", "b"): ("x",), ("b", "a"): ("x", "y")})
    vocabulary = ("a", "b", "y")
    sequences = [s for n in range(7) for s in itertools.product(vocabulary, repeat=n)]
    for n in range(4):
        for words in itertools.product("xyb", repeat=n):
            expected = {s for s in sequences if spell_out.apply(s) == words}
            assert set(spell_out.invert(words, vocabulary)) == expected, words


LEXICON = """@start t
mary :: d
sheep :: d
fish :: V
-s :: =V d= t
ε :: =V d= t
-ed :: =V d= t
"""


def test_derivations_of_all_sequences_are_found():
    lexicon = loads(LEXICON)
    spell_out = read_spell_out("-s fish -> fishes\n-ed fish -> fished\n")
    found = parse_spelled(lexicon, "mary fishes", spell_out)
    assert [(p.words, p.derivations) for p in found] == [(("mary", "-s", "fish"), 1)]
    syncretic = read_spell_out("-s fish -> fishes\n-ed fish -> fish\n")
    found = parse_spelled(lexicon, "mary fish.", syncretic)
    assert sorted(p.words for p in found) == [("mary", "-ed", "fish"), ("mary", "fish")]
    assert sum(p.derivations for p in found) == 2


def test_a_sentence_without_a_derivation_is_explained():
    (found,) = parse_spelled(loads(LEXICON), "fishes mary", read_spell_out("-s fish -> fishes"))
    assert found.words == ("-s", "fish", "mary")
    assert found.diagnosis() is not None
    (unknown,) = parse_spelled(loads(LEXICON), "mary sleeps", read_spell_out("-s fish -> fishes"))
    assert "'sleeps' is not in the lexicon" in str(unknown.diagnosis())


def test_all_faults_of_a_table_are_told_at_their_lines():
    with pytest.raises(InputError) as caught:
        read_spell_out("see -s -> sees\nsee -s sees\n-> x\nsee -s -> seez\nsee ->\n", "table.txt")
    assert [(f.file, f.line) for f in caught.value.faults] == [("table.txt", n) for n in (2, 3, 4, 5)]
    assert "is spelled out in line 1 already" in caught.value.faults[2].what
    with pytest.raises(InputError, match="there is no line of spell-out"):
        read_spell_out("# nothing\n")


def test_too_many_sequences_are_refused():
    with pytest.raises(InputError, match="more than 10,000 sequences"):
        SpellOut({("b",): ("a",)}).invert(("a",) * 20, {"a", "b"})
