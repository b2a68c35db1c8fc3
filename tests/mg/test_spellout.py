"""Spell-out: tables, application, inversion, and parses, learning and prefixes against enumeration."""

import itertools
import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.mg.derivation import derivations
from otlab.mg.io.read import loads
from otlab.mg.io.spell_out import read_spell_out
from otlab.mg.io.times import read_times
from otlab.mg.io.write import dumps, from_head_values, head_values, to_csv
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import induce
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import prefix_log_probabilities, surprisals, well_formed_mass
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.reading_times import predict_reading
from otlab.mg.spellout import SpellOut, lattice
from otlab.mg.views.exports import to_forest, to_json, to_qtree
from otlab.mg.views.show import draw
from otlab.viz.mg.tree import tree_svg

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
    assert read_spell_out(str(spell_out)) == spell_out


HARD = SpellOut({("a",): ("x",), ("a", "b"): ("y",), ("b", "b"): ("x",), ("b", "a"): ("x", "y")})
ENDLESS = SpellOut({("a", "a", "b"): ("x",), ("a", "b", "b", "a"): ("y", "x"), ("b",): ("a",)})
VOCABULARY = ("a", "b", "y")


def test_inversion_is_that_of_enumeration():
    sequences = [s for n in range(7) for s in itertools.product(VOCABULARY, repeat=n)]
    for n in range(4):
        for words in itertools.product("xyb", repeat=n):
            expected = {s for s in sequences if HARD.apply(s) == words}
            assert set(HARD.invert(words, VOCABULARY)) == expected, words


def paths(arcs, last, longest):
    """Return how often each sequence of items leads from the first state to the last."""
    after = defaultdict(list)
    for begin, end, item in arcs:
        after[begin].append((end, item))
    found, pending = Counter(), [(0, ())]
    while pending:
        state, made = pending.pop()
        if state == last:
            found[made] += 1
        pending += [(end, (*made, item)) for end, item in after[state] if len(made) < longest]
    return found


@pytest.mark.parametrize("spell_out", [HARD, ENDLESS])
@pytest.mark.parametrize("items", [[("a",), ("b",), ("y",)], [("a", "b"), ("a",), (), ("b",), ("y", "a")]])
def test_a_lattice_has_one_path_for_each_sequence(spell_out, items):
    spoken = [n for n, item in enumerate(items) if item]
    sequences = [s for n in range(6) for s in itertools.product(spoken, repeat=n)]
    for words in (w for n in (1, 2, 3) for w in itertools.product("xya", repeat=n)):
        for prefix in (False, True):
            expected = set()
            for s in sequences:
                spelled = spell_out.apply(tuple(word for item in s for word in items[item]))
                if (spelled[: len(words)] if prefix else spelled) == words:
                    expected.add(s)
            arcs, before = lattice(spell_out, items, words, prefix=prefix)
            last = len(before) - 1
            assert before == sorted(before)
            assert (before[0], before[last]) == (0, len(words))
            found = paths(arcs, last, 5)
            assert set(found) == expected, (words, prefix)
            assert set(found.values()) <= {1}
            assert all(a.begin < a.end or (prefix and a.begin == a.end == last - 1) for a in arcs)


LEXICON = """@start t
mary :: d
sheep :: d
fish :: V
-s :: =V d= t
ε :: =V d= t
-ed :: =V d= t
"""
SYNCRETIC = "-s fish -> fishes\n-ed fish -> fish\n"


def spelled(table, text=LEXICON):
    return loads(text).with_spell_out(read_spell_out(table))


def test_derivations_of_all_sequences_are_found():
    found = parse(spelled("-s fish -> fishes\n-ed fish -> fished\n"), "mary fishes")
    assert (found.words, found.derivations) == (("mary", "fishes"), 1)
    assert found.best(1)[0].derivation.words == ("mary", "-s", "fish")
    found = parse(spelled(SYNCRETIC), "mary fish.")
    assert sorted(r.derivation.words for r in found.best(9)) == [("mary", "-ed", "fish"), ("mary", "fish")]
    assert found.derivations == 2
    assert [r.posterior for r in found.best(9)] == pytest.approx([0.5, 0.5])
    assert {d.words for d in found.sample(20, seed=1)} == {("mary", "-ed", "fish"), ("mary", "fish")}


def test_a_sentence_without_a_derivation_is_explained():
    found = parse(spelled("-s fish -> fishes"), "fishes mary")
    assert "'-s fish' selects d to its left" in str(found.diagnosis())
    unknown = parse(spelled("-s fish -> fishes"), "mary sleeps")
    assert "'sleeps' is not in the lexicon" in str(unknown.diagnosis())


# Head movement, a loop-free recursion, movement, and items of several words.
HEADS = """@start c
ε :: =t +wh c
ε :: =t c
-s :: =>V d= t | 2
-ed :: =>V d= t
see :: =d V
go :: V | 3
give up :: =d V
mary :: d
what :: d -wh
"""
FORMS = (
    "see -s -> sees\nsee -ed -> saw\ngo -s -> goes\ngo -ed -> went\nup -ed -> upped\nsee what -> see-what\n"
)


def all_sentences(lexicon, most_items=6):
    """Return the mass of each pronounced sentence, and its derivations' probabilities, by enumeration."""
    theta = lexicon.prior_mean()
    found = defaultdict(list)
    for n in range(1, most_items + 1):
        for sequence in itertools.product(range(len(lexicon.items)), repeat=n):
            items = [lexicon.items[k] for k in sequence]
            if items[0].category not in lexicon.start:
                continue
            for d in derivations(items, lexicon.start):
                found[lexicon.spell_out.apply(d.words)].append(float(np.prod(theta[list(sequence)])))
    return found


@pytest.mark.slow
def test_masses_surprisals_and_entropies_are_those_of_enumeration():
    lexicon = spelled(FORMS, HEADS)
    grammar, theta = Grammar(lexicon), lexicon.prior_mean()
    by_sentence = all_sentences(lexicon)
    total = sum(map(sum, by_sentence.values()))
    assert total == pytest.approx(well_formed_mass(grammar, theta), abs=1e-12)  # the language is finite
    assert ("mary", "sees", "mary") in by_sentence
    for words, probabilities in by_sentence.items():
        parsed = parse(grammar, words)
        assert parsed.derivations == len(probabilities)
        assert np.exp(parsed.log_probability) == pytest.approx(sum(probabilities), abs=1e-12)
        told = word_by_word(parsed)
        for k in range(len(words) + 1):
            ps = np.array([p for w, mine in by_sentence.items() if w[:k] == words[:k] for p in mine])
            mass = prefix_log_probabilities(grammar, words[:k], theta)[-1]
            assert np.exp(mass) == pytest.approx(ps.sum(), abs=1e-12)
            q = ps / ps.sum()
            assert told.entropy[k] == pytest.approx(-(q * np.log(q)).sum(), abs=1e-9)
        steps = surprisals(grammar, words, theta)
        assert steps.sum() == pytest.approx(np.log(total) - parsed.log_probability, abs=1e-9)


def test_learning_from_what_is_pronounced_is_that_from_sequences():
    plain = loads(HEADS)
    lexicon = plain.with_spell_out(read_spell_out(FORMS))
    sequences = {
        ("mary", "see", "-s", "mary"): 3,
        ("mary", "go", "-ed"): 2,
        ("mary", "give", "up", "-s", "mary"): 1,
    }
    counts = {lexicon.spell_out.apply(words): n for words, n in sequences.items()}
    assert ("mary", "went") in counts
    corpus = parse_corpus(Grammar(lexicon), counts)
    assert corpus.unparsed == ()
    found = induce(Grammar(lexicon), corpus, seed=1).snapshot.theta
    expected = induce(Grammar(plain), parse_corpus(Grammar(plain), sequences), seed=1).snapshot.theta
    assert np.allclose(found, expected, atol=1e-12)


def test_generated_sentences_are_pronounced_and_parse():
    lexicon = spelled(FORMS, HEADS)
    made = generate(lexicon, 20, seed=3)
    assert {"sees", "saw", "goes", "went"} & {word for words in made.sentences for word in words}
    assert all(parse(lexicon, words).derivations for words in made.sentences)


def test_tenure_of_a_word_is_the_longest_of_those_it_is_pronounced_for():
    lexicon = spelled(FORMS, HEADS)
    plain = replace(lexicon, spell_out=SpellOut())
    read = read_times("s\tmary\t310\ns\tsees\t320\ns\tmary\t330")
    taken = read_times("s\tmary\t310\ns\tsee\t320\ns\t-s\t320\ns\tmary\t330")
    one, two, three, four = (p.tenure for p in predict_reading(plain, taken))
    assert [p.tenure for p in predict_reading(lexicon, read)] == [one, max(two, three), four]


def test_what_is_pronounced_stands_below_the_tree():
    derivation = parse(spelled(FORMS, HEADS), "mary sees mary").best(1)[0].derivation
    assert to_forest(derivation).endswith("\\end{forest}\n\n\\emph{mary sees mary}")
    assert to_qtree(derivation, "bare").endswith("\n\n\\emph{mary sees mary}")
    assert json.loads(to_json(derivation))["spelled"] == ["mary", "sees", "mary"]
    svg = tree_svg(draw(derivation))
    assert "<title>mary sees mary</title>" in svg
    assert ">mary sees mary</text></svg>" in svg
    plain = tree_svg(draw(replace(derivation, spell_out=SpellOut())))
    assert "<title>mary see -s mary</title>" in plain
    assert "sees" not in plain


def test_a_lexicon_keeps_its_table():
    text = "@start t\n@spell-out -s fish -> fishes\n@spell-out -ed fish → fish\n" + LEXICON.partition("\n")[2]
    lexicon = loads(text)
    assert lexicon.spell_out == read_spell_out(SYNCRETIC)
    assert loads(dumps(lexicon)) == lexicon
    assert loads(to_csv(lexicon), kind=".csv").spell_out == lexicon.spell_out
    assert from_head_values(head_values(lexicon)).spell_out == lexicon.spell_out
    old = {key: value for key, value in head_values(loads(LEXICON)).items() if key != "spell_out"}
    assert not from_head_values(old).spell_out  # a document of an earlier version
    own = loads(LEXICON + "@sentence 1 | mary -s fish").with_spell_out(lexicon.spell_out)
    assert own.corpus == (("mary", "fishes"),)


def test_all_faults_of_a_table_are_told_at_their_lines():
    with pytest.raises(InputError) as caught:
        read_spell_out("see -s -> sees\nsee -s sees\n-> x\nsee -s -> seez\nsee ->\n", "table.txt")
    assert [(f.file, f.line) for f in caught.value.faults] == [("table.txt", n) for n in (2, 3, 4, 5)]
    assert "is spelled out in line 1 already" in caught.value.faults[2].what
    with pytest.raises(InputError, match="there is no line of spell-out"):
        read_spell_out("# nothing\n")
    with pytest.raises(InputError) as caught:
        loads("@start t\nmary :: t\n@spell-out a b\n@spell-out\nx :: \n")
    assert [f.line for f in caught.value.faults] == [3, 4, 5]


def test_too_many_sequences_are_refused():
    with pytest.raises(InputError, match="more than 10,000 sequences"):
        SpellOut({("b",): ("a",)}).invert(("a",) * 20, {"a", "b"})
    # They are parsed all the same, as one lattice.
    lexicon = loads("@start c\na :: c\na :: =c c\nb :: =c c\nb :: c\n@spell-out b -> a\n")
    assert parse(lexicon, " ".join("a" * 20)).derivations == 2**20
