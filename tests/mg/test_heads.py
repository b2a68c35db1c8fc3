"""Head movement and affix hopping: features, charts, forests and trees, against enumeration."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otlab.mg.features import FeatureFault, format_features, parse_features
from otlab.mg.io.read import loads
from otlab.mg.io.write import dumps
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import induce, make_learner
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.mg.views.exports import to_brackets, to_forest, to_json, to_qtree
from otlab.mg.views.show import draw, steps
from tests.mg import naive
from tests.mg.strategies import WORDS, lexicons
from tests.mg.test_learners import brute_force_elbo

# Twelve small lexicons: each kind of head selector, alone, in chains, with movers, with specifiers.
LEXICONS = {
    "left": "a :: V\nb :: =>V c",
    "right": "a :: V\nb :: V<= c",
    "left past a complement": "a :: =d V\nb :: d\nε :: =>V v\na :: =>v c",
    "past specifiers": "a :: d= V\nb :: d\nb :: =>V d= v\nε :: v<= c",
    "chain": "a :: =d V\nb :: d\nb :: V<= v\na :: =>v t\nε :: =>t c",
    "hop": "a :: d= V\nb :: d\nb :: ==>V c",
    "hop to the left": "a :: d= V\nb :: d\nb :: V<== c",
    "hop past a silent head": "a :: V\nε :: =>V d= v\nb :: d -k\na :: ==>v +k c\nb :: =v +k c",
    "remnant": "a :: =d V -r\nb :: d\nb :: =>V +r c",
    "host that moves": "a :: d= V -r\nb :: d\nb :: ==>V +r c",
    "mover inside": "a :: =d V\nb :: d -k\nb :: d\nε :: =>V d= v\nε :: v<= +k c",
    "ambiguous": "a :: V\na :: =V V\nb :: =>V V\nb :: V<= V\nε :: =V c",
}


@pytest.mark.parametrize("name", LEXICONS)
def test_all_short_sentences_agree_with_an_independent_enumerator(name):
    lexicon = loads(f"@start c\n{LEXICONS[name]}")
    grammar = Grammar(lexicon)
    grammatical = 0
    for length in range(5):
        for number in range(2**length):
            words = tuple("ab"[number >> i & 1] for i in range(length))
            expected = naive.derivations(lexicon, words, most_items=8)
            parsed = parse(grammar, words)
            assert parsed.derivations == len(expected), words
            found = sorted(r.derivation.texts for r in parsed.best(1000))
            assert found == sorted(tuple(i.text() for i in d) for d in expected)
            grammatical += len(expected) > 0
    assert grammatical


@settings(max_examples=300, deadline=None)
@given(lexicons(heads=True), st.lists(st.sampled_from(WORDS), max_size=4))
@pytest.mark.slow
def test_random_lexicons_agree_with_an_independent_enumerator(lexicon, words):
    parsed = parse(lexicon, tuple(words))
    assume(parsed.derivations <= 200)
    expected = naive.derivations(lexicon, words, most_items=9)
    found = [r.derivation for r in parsed.best(200) if len(r.derivation.items) <= 9]
    assert sorted(d.texts for d in found) == sorted(tuple(i.text() for i in d) for d in expected)
    for derivation in found[:5]:
        for view in ("x-bar", "bare", "movement"):
            tree = draw(derivation, view).tree
            pronounced = [n for n in tree.walk() if n.style == "word"]
            assert " ".join(n.label for n in pronounced).split() == words


ENGLISH = """@start c
mary :: d -k
bill :: d
sleep :: V
see :: =d V
ε :: =>V d= v
-s :: ==>v +k t
will :: =v +k t
ε :: =t c
ε :: =>t c
have :: =u have
-en :: ==>v u
-s :: =>have +k t
"""


def reading(sentence):
    (found,) = parse(loads(ENGLISH), sentence).best(2)
    return found.derivation


def test_an_auxiliary_inverts_and_an_affix_hops():
    lexicon = loads(ENGLISH)
    counts = {
        "mary will see bill": 1,
        "will mary see bill": 1,
        "mary see -s bill": 2,  # T is empty after hopping: with =>t nothing moves
        "mary have -s see -en bill": 1,
        "have -s mary see -en bill": 1,
        "see mary will bill": 0,
        "mary see bill -s": 0,
    }
    assert {s: parse(lexicon, s).derivations for s in counts} == counts


def test_every_generated_derivation_parses_back():
    lexicon = loads(ENGLISH)
    grammar = Grammar(lexicon)
    made = generate(lexicon, 60, seed=2)
    assert len(made.derivations) == 60
    for derivation in made.derivations:
        assert derivation.texts in [r.derivation.texts for r in parse(grammar, derivation.words).best(100)]


@pytest.mark.slow
def test_well_formed_mass_and_surprisal_are_those_of_enumeration():
    lexicon = loads(ENGLISH)
    grammar, theta = Grammar(lexicon), lexicon.prior_mean()
    made = generate(lexicon, 4000, theta=theta, seed=5)
    mass = well_formed_mass(grammar, theta)
    spread = np.sqrt(mass * (1 - mass) / made.attempts)
    assert abs(made.acceptance_rate - mass) < 4.5 * spread
    # The language is finite: its sentences' probabilities sum to the mass.
    sentences = set(made.sentences)
    total = sum(np.exp(parse(grammar, s).log_probability) for s in sentences)
    assert total == pytest.approx(mass, abs=1e-12)
    for words in list(sentences)[:5]:
        parsed = parse(grammar, words)
        assert parsed.surprisal().sum() == pytest.approx(np.log(mass) - parsed.log_probability, abs=1e-9)


def test_the_elbo_is_that_of_every_derivation_one_by_one():
    grammar = Grammar(loads(ENGLISH))
    sentences = [tuple(s.split()) for s in ("mary see -s bill", "will mary see bill", "mary will sleep")]
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


@pytest.mark.slow
def test_gibbs_agrees_with_enumeration_on_an_ambiguous_head():
    lexicon = loads("@start c\na :: V\nε :: =>V c\nε :: V<= c")
    found = induce(lexicon, [("a",)] * 3, alpha=1.0, learner="gibbs", iterations=4000, restarts=2, seed=1)
    # Three uses, each of either silent item, are exchangeable: the mean is one half.
    assert found.snapshot.theta[1:] == pytest.approx([0.5, 0.5], abs=0.03)


def test_trees_show_the_moved_head_and_its_trace():
    assert to_brackets(reading("will mary see bill")) == (
        "[CP [C [T_3 will] [C ε]] [TP [DP_2 [D mary]] [T′ [T t_3] [VP t_2 [V′ [V [V_1 see] [V ε]] "
        "[VP [V t_1] [DP [D bill]]]]]]]]"
    )
    (hopped,) = (
        r.derivation
        for r in parse(loads(ENGLISH), "mary see -s bill").best(2)
        if "ε :: =t c" in r.derivation.texts
    )
    brackets = to_brackets(hopped)
    assert "[T t_3] [VP t_2 [V′ [V [V [V_1 see] [V ε]] [T_3 -s]] [VP [V t_1]" in brackets


def test_movement_arrows_join_the_head_and_its_trace():
    drawing = draw(reading("will mary see bill"), "movement")
    nodes = list(drawing.tree.walk())
    ends = [(nodes[a.source].label, nodes[a.target].label, a.label) for a in drawing.arrows]
    assert ("see", "see", "=>V") in ends
    assert ("will", "will", "=>t") in ends
    assert [nodes[a.source].style for a in drawing.arrows] == ["copy"] * 3


def test_steps_say_where_a_head_goes():
    told = [s.what for s in steps(reading("will mary see bill"))]
    assert "ε selects V: see bill; its head see moves to the left of ε" in told
    told = [s.what for s in steps(parse(loads(ENGLISH), "mary see -s bill").best(1)[0].derivation)]
    assert any("; -s hops behind its head see" in t for t in told)


def test_exports_are_written():
    derivation = reading("will mary see bill")
    assert r"t\textsubscript{3}" in to_qtree(derivation)
    assert r"{\scriptsize =$>$t}" in to_forest(derivation)
    assert "v$^0$" in to_forest(derivation)  # V and v, two adjoined heads
    assert json.loads(to_json(derivation))["words"] == ["will", "mary", "see", "bill"]


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("=>v c", "head-left", "=>v c"),
        ("v<= c", "head-right", "v<= c"),
        ("==>v c", "hop-right", "==>v c"),
        ("v==> c", "hop-right", "==>v c"),
        ("v<== c", "hop-left", "v<== c"),
        ("<==v c", "hop-left", "v<== c"),
    ],
)
@pytest.mark.parametrize("convention", ["seed", "stabler2011", "nondirectional"])
def test_head_selectors_are_the_same_in_all_conventions(text, kind, written, convention):
    features = parse_features(text, convention)
    assert features[0].kind == kind
    assert format_features(features, convention) == written


@pytest.mark.parametrize(
    ("text", "what"),
    [("<=v c", "'<=v' is not a feature"), ("=d =>v c", "'=>v' moves a head"), ("=>=v c", "is not a feature")],
)
def test_other_head_selectors_are_refused(text, what):
    with pytest.raises(FeatureFault, match=what):
        parse_features(text)


def test_a_lexicon_is_written_and_read_back():
    lexicon = loads(ENGLISH)
    assert loads(dumps(lexicon)).items == lexicon.items


PROLOG = """[]::[='T','C'].  []::[=>'T','C'].  [mary]::['D',-k].  [bill]::['D'].
[see]::[='D','V'].  []::[=>'V',='D',v].  ['-s']::[v==>,+k,'T'].  [will]::[=v,+k,'T'].
startCategory('C').
"""
PYTHON = """[([],[('sel','T'),('cat','C')]), ([],[('=>','T'),('cat','C')]),
(['mary'],[('cat','D'),('neg','k')]),
(['bill'],[('cat','D')]), (['see'],[('sel','D'),('cat','V')]), ([],[('=>','V'),('sel','D'),('cat','v')]),
(['-s'],[('==>','v'),('pos','k'),('cat','T')]), (['will'],[('sel','v'),('pos','k'),('cat','T')])]
start = 'C'
"""


@pytest.mark.parametrize(("kind", "text"), [(".pl", PROLOG), (".py", PYTHON)])
def test_other_formats_have_head_movement(kind, text):
    lexicon = loads(text, kind=kind)
    assert [parse(lexicon, s).derivations for s in ("will mary see bill", "mary see -s bill")] == [1, 2]


def test_diagnosis_of_a_head_in_the_wrong_place():
    found = parse(loads(ENGLISH), "mary see will bill").diagnosis()
    assert found is not None
    assert found.reason == "pieces"
    (lack,) = parse(loads(ENGLISH), "mary see bill").diagnosis().lines[:1]
    assert lack.startswith("Everything fits except that")
