"""Adjunction: features, charts, forests and trees, against enumeration."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.mg.features import FeatureFault, format_features, parse_features
from otlab.mg.io.read import loads
from otlab.mg.io.write import dumps
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import induce, make_learner
from otlab.mg.linting import lint
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.mg.processing.memory import memory_use
from otlab.mg.views.exports import to_brackets, to_forest, to_json, to_qtree
from otlab.mg.views.readings import reading_labels
from otlab.mg.views.show import draw, steps
from tests.mg import naive
from tests.mg.strategies import WORDS, lexicons
from tests.mg.test_learners import brute_force_elbo

# Twelve small lexicons: adjuncts on each side, of phrases and heads that move, with specifiers, in adjuncts.
LEXICONS = {
    "before": "a :: c\nb :: ≈c",
    "behind": "a :: c\nb :: c≈",
    "both sides": "a :: =d c\nb :: d\nb :: ≈c\na :: d≈",
    "with a complement": "a :: c\nb :: =d c≈\na :: d\nb :: ≈d",
    "host that moves": "a :: =d v\nb :: d -k\na :: ≈d\nb :: v≈\nε :: =v +k c",
    "mover inside": "a :: v\nb :: d -k\nε :: =d ≈v\na :: ≈d\nε :: =v +k c",
    "host whose head moves": "a :: =d V\nb :: d\nb :: ≈V\na :: V≈\nε :: =>V c",
    "affix and adjunct": "a :: d= V\nb :: d\nb :: ≈V\na :: =d V≈\nb :: ==>V c",
    "with a specifier of its own": "a :: c\nb :: =d =d ≈c\na :: d\nb :: d",
    "of a specifier that moves": "a :: =d v\nb :: d -k -q\na :: d≈\nε :: =v +k t\nb :: =t +q c",
    "adjunct that moves": "a :: v\nb :: p -f\nε :: =p v≈\na :: =v t\nε :: =t +f c\nε :: =t c",
    "mover out of a mover": "a :: n -w\nb :: =n d -k\na :: ≈d\nε :: =d v\nb :: =v +k t\nε :: =t +w c",
}


@pytest.mark.parametrize("name", LEXICONS)
def test_all_short_sentences_agree_with_an_independent_enumerator(name):
    lexicon = loads(f"@start c\n{LEXICONS[name]}")
    grammar = Grammar(lexicon)
    grammatical = 0
    for length in range(5):
        for number in range(2**length):
            words = tuple("ab"[number >> i & 1] for i in range(length))
            expected = naive.derivations(lexicon, words, most_items=9)
            parsed = parse(grammar, words)
            assert parsed.derivations == len(expected), words
            found = sorted(r.derivation.texts for r in parsed.best(1000))
            assert found == sorted(tuple(i.text() for i in d) for d in expected)
            grammatical += len(expected) > 0
    assert grammatical >= 2


@settings(max_examples=300, deadline=None)
@given(lexicons(heads=True, adjoining=True), st.lists(st.sampled_from(WORDS), max_size=4))
@pytest.mark.slow
def test_random_lexicons_agree_with_an_independent_enumerator(lexicon, words):
    parsed = parse(lexicon, tuple(words))
    assume(parsed.derivations <= 200)
    expected = naive.derivations(lexicon, words, most_items=9)
    found = [r.derivation for r in parsed.best(200) if len(r.derivation.items) <= 9]
    assert sorted(d.texts for d in found) == sorted(tuple(i.text() for i in d) for d in expected)
    for derivation in found[:5]:
        assert memory_use(derivation).visits
        for view in ("x-bar", "bare", "movement"):
            tree = draw(derivation, view).tree
            pronounced = [n for n in tree.walk() if n.style == "word"]
            assert " ".join(n.label for n in pronounced).split() == words


def test_adjuncts_are_optional_iterable_and_unordered():
    lexicon = loads("@start v\nmary :: d\nsleeps :: d= v\noften :: ≈v\nthere :: v≈\nin :: =d v≈\nLyon :: d")
    counts = {
        "mary sleeps": 1,
        "often often mary sleeps": 1,
        "often mary sleeps there": 2,  # either of the two is the higher one
        "often mary sleeps there in Lyon": 3,  # there below in Lyon, often at any of three heights
        "mary often sleeps": 0,  # often adjoins to all of v
        "there mary sleeps": 0,
    }
    assert {s: parse(lexicon, s).derivations for s in counts} == counts


def test_an_order_of_adjuncts_is_said_by_a_category_between_them():
    lexicon = loads("@start nx\nstones :: n\nbig :: ≈n\nold :: ≈n\nε :: =n nx\nthree :: ≈nx")
    for words, count in (("three old big stones", 1), ("three big old stones", 1), ("big three stones", 0)):
        assert parse(lexicon, words).derivations == count


def test_a_silent_adjunct_has_infinitely_many_derivations_of_the_mass_of_the_series():
    lexicon = loads("@start c\na :: c\nε :: ≈c\nb :: ≈c")
    theta = np.array([0.5, 0.3, 0.2])
    for words, mass in (("a", 0.5 / 0.7), ("b a", 0.5 * 0.2 / 0.7**2)):
        parsed = parse(lexicon, words, theta=theta)
        assert parsed.derivations == np.inf
        assert np.exp(parsed.log_probability) == pytest.approx(mass, abs=1e-12)
    assert any(r.code == "W303" and "ε :: ≈c" in r.what for r in lint(lexicon))


ENGLISH = """@start c
mary :: d -k
bill :: d
what :: d -w
sleep :: V
see :: =d V
quietly :: V≈
in :: =d p
ε :: =p V≈
often :: ≈v
Lyon :: d
old :: ≈d
ε :: =>V d= v
-s :: ==>v +k t
will :: =v +k t
ε :: =t c
ε :: =>t c
ε :: =>t +w c
"""


def test_every_generated_derivation_parses_back():
    lexicon = loads(ENGLISH)
    grammar = Grammar(lexicon)
    made = generate(lexicon, 60, seed=2)
    assert len(made.derivations) == 60
    assert sum(any("≈" in text for text in d.texts) for d in made.derivations) > 10
    for derivation in made.derivations:
        assert derivation.texts in [r.derivation.texts for r in parse(grammar, derivation.words).best(200)]


def test_well_formed_mass_and_surprisal_are_those_of_generation():
    lexicon = loads(ENGLISH)
    grammar, theta = Grammar(lexicon), lexicon.prior_mean()
    made = generate(lexicon, 4000, theta=theta, seed=5)
    mass = well_formed_mass(grammar, theta)
    spread = np.sqrt(mass * (1 - mass) / made.attempts)
    assert abs(made.acceptance_rate - mass) < 4.5 * spread
    for words in ("mary will sleep quietly", "what will mary often see"):
        parsed = parse(grammar, words)
        assert parsed.surprisal().sum() == pytest.approx(np.log(mass) - parsed.log_probability, abs=1e-9)


def test_a_phrase_in_an_adjunct_can_move_out_of_it():
    found = parse(loads(ENGLISH), "what will mary sleep in").best(5)
    # What is below in and mary the subject, or the other way round: each moves to its own licensor.
    below = sorted(texts[texts.index("in :: =d p") + 1] for texts in (r.derivation.texts for r in found))
    assert below == ["mary :: d -k", "what :: d -w"]


def test_the_elbo_is_that_of_every_derivation_one_by_one():
    grammar = Grammar(loads(ENGLISH))
    sentences = [tuple(s.split()) for s in ("mary see -s bill quietly", "will mary often sleep")]
    corpus = parse_corpus(grammar, sentences)
    alpha = np.full(len(grammar.lexicon), 0.5)
    learner = make_learner("vb", corpus, alpha, init="jitter")
    rng = np.random.default_rng(1)
    state = learner.init(rng)
    for _ in range(3):
        elbo, counts = brute_force_elbo(grammar, sentences, alpha, state.parameter)
        assert state.trace[-1, 0] == pytest.approx(elbo, abs=1e-9)
        state = learner.step(rng, state, 1)
        assert state.parameter == pytest.approx(alpha + counts, abs=1e-10)


def test_gibbs_agrees_with_enumeration_on_an_ambiguous_attachment():
    lexicon = loads("@start c\na :: c\nb :: c≈\nε :: =d c≈\nb :: d")
    found = induce(lexicon, [("a", "b")], alpha=1.0, learner="gibbs", iterations=4000, restarts=2, seed=1)
    # Of the three items of category c, a is used once, and either of the others once, as likely as the other.
    assert found.snapshot.theta[:3] == pytest.approx([2 / 5, 1.5 / 5, 1.5 / 5], abs=0.02)


def reading(sentence):
    return parse(loads(ENGLISH), sentence).best(1)[0].derivation


def test_trees_have_the_adjunct_beside_its_host():
    lexicon = loads("@start v\nmary :: d\nsleeps :: d= v\noften :: ≈v\nthere :: v≈")
    (higher, lower) = (r.derivation for r in parse(lexicon, "often mary sleeps there").best(2))
    trees = {to_brackets(d) for d in (higher, lower)}
    inner = "[VP [DP [D mary]] [V sleeps]]"
    assert trees == {
        f"[VP [VP [≈VP [≈V often]] {inner}] [≈VP [≈V there]]]",
        f"[VP [≈VP [≈V often]] [VP {inner} [≈VP [≈V there]]]]",
    }
    assert next(draw(lower, "memory").tree.walk()).label == "VP"


def test_the_head_of_a_modified_phrase_moves():
    assert "[VP [VP [V t_1]] [≈VP [≈V quietly]]]" in to_brackets(reading("mary will sleep quietly"))


def test_steps_say_what_adjoins_to_what():
    told = [(s.rule, s.what) for s in steps(reading("mary will sleep quietly"))]
    assert ("Adjoin", "quietly adjoins to V, behind sleep") in told
    assert "ε selects V: sleep quietly; its head sleep moves to the left of ε" in [what for _, what in told]


def test_exports_are_written():
    derivation = reading("mary will sleep quietly")
    assert r"{$\approx$VP}" in to_qtree(derivation)
    assert r"{\scriptsize V$\approx$}" in to_forest(derivation)
    assert '"rule": "adjoin"' in json.dumps(json.loads(to_json(derivation)))


def test_two_readings_differ_in_what_the_adjunct_attaches_to():
    lexicon = loads("@start v\nsee :: =d v\nbill :: d\nwith :: =n v≈\nwith :: =n d≈\nglasses :: n")
    made = [r.derivation for r in parse(lexicon, "see bill with glasses").best(2)]
    assert set(reading_labels(made)) == {"*with* attaches to *bill*", "*with* attaches to *see*"}


@pytest.mark.parametrize("convention", ["seed", "stabler2011", "nondirectional"])
@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("=d ≈v", "adjoin-right", "≈v"),
        ("=d v≈", "adjoin-left", "v≈"),
        ("=d >>v", "adjoin-right", "≈v"),
        ("=d v<<", "adjoin-left", "v≈"),
    ],
)
def test_features_of_adjunction_are_the_same_in_all_conventions(text, kind, written, convention):
    features = parse_features(text, convention)
    assert features[-1].kind == kind
    assert format_features(features, convention) == f"=d {written}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<<v", "'<<v' is not a feature; write ≈x"),
        ("v>>", "'v>>' is not a feature"),
        ("≈v≈", "'≈v≈' is not a feature"),
        ("≈", "'≈' is not a feature"),
        ("=d p ≈v", "'≈v' comes after the category 'p'; an adjunct has no category"),
        ("≈v p", "second category"),
        ("≈v -w", "'-w' comes after '≈v': an adjunct's own"),
        ("≈v =d", "'=d' comes after"),
    ],
)
def test_other_adjuncts_are_refused(text, what):
    with pytest.raises(FeatureFault, match=what):
        parse_features(text)


def test_a_lexicon_is_written_and_read_back():
    lexicon = loads(ENGLISH)
    assert loads(dumps(lexicon)).items == lexicon.items


def test_a_category_that_only_an_adjunct_names_is_missing():
    remarks = [str(r) for r in lint(loads("@start c\na :: c\nb :: ≈v\n"))]
    assert any("E202 '≈v' adjoins to a category that no item has" in r for r in remarks)


def test_diagnosis_of_an_adjunct_on_the_wrong_side():
    lexicon = loads("@start c\na :: c\nb :: ≈c\n")
    found = parse(lexicon, "a b").diagnosis()
    assert found is not None
    assert "'b' adjoins to c to its right (≈c), and none is there" in str(found)


PROLOG = """[mary]::[n].  [v]<<[p].  ['Adv'] >> [ v ].
[sleeps]::[=n,v].  [on]::[=n,p].  [often]::['Adv'].
startCategory(v).
"""


def test_clauses_of_adjunction_are_silent_items():
    lexicon = loads(PROLOG, kind=".pl")
    assert lexicon.texts[1:3] == ("ε :: =p v≈", "ε :: =Adv ≈v")
    assert parse(lexicon, "often sleeps mary on mary").derivations == 2


def test_other_clauses_and_tables_of_adjunction_are_refused():
    with pytest.raises(InputError, match="adjunction of this form is not supported"):
        loads("[a]::[c].\n[c,-k]<<[c].\nstartCategory(c).", kind=".pl")
    with pytest.raises(InputError, match="adjunction in a table is not supported: 'adjuncts'"):
        loads("g = [(['a'],[('cat','c')])]\nadjuncts = {'c': ['p']}\nstart = 'c'\n", kind=".py")
