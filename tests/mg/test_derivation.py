"""The evaluator of Polish sequences against the paper and the plain twin."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.mg.derivation import derivations, is_wellformed
from otlab.mg.io.read import loads
from otlab.mg.lexicon import item
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.views.show import steps
from tests.mg import naive
from tests.mg.strategies import lexicons

WHAT_DID_YOU_SEE = ("ε :: =i +wh c", "did :: =v i", "see :: d= =d v", "you :: d", "what :: d -wh")


def test_figure_1(figure1):
    (derivation,) = derivations([item(t) for t in WHAT_DID_YOU_SEE], ("c",))
    assert [str(s) for s in steps(derivation)] == [
        "1. Merge: see::d= =d v + you::d ⇒ you see:=d v",
        "2. Merge: you see:=d v + what::d -wh ⇒ you see:v, what:-wh",
        "3. Merge: did::=v i + you see:v, what:-wh ⇒ did you see:i, what:-wh",
        "4. Merge: ε::=i +wh c + did you see:i, what:-wh ⇒ did you see:+wh c, what:-wh",
        "5. Move: did you see:+wh c, what:-wh ⇒ what did you see:c",
        "6. All features are checked.",
    ]
    expressions = [n.text() for n in derivation.root.walk() if n.children]
    assert expressions[2] == "[did you see:i, what:-wh]"
    assert is_wellformed(derivation.items, figure1)


def test_short_sequences_over_figure_1(figure1):
    """19,530 sequences; 5 derive something of some category, as counted for the specification."""
    every = (s for n in range(1, 7) for s in itertools.product(figure1.items, repeat=n))
    assert sum(bool(derivations(s, figure1.categories)) for s in every) == 5


@pytest.mark.parametrize(
    "texts",
    [
        ("h :: =x +wh =d c", "x :: x", "what :: d -wh"),  # nothing to move yet
        ("see :: d= =d v", "you :: d", "you :: d"),  # a verb is no sentence
        (*WHAT_DID_YOU_SEE, "you :: d"),  # one item too many
        WHAT_DID_YOU_SEE[:-1],  # one too few
    ],
)
def test_what_the_printed_procedure_gets_wrong(texts):
    assert not derivations([item(t) for t in texts], ("c",))


@pytest.mark.slow
@given(lexicons(), st.data())
def test_agrees_with_the_plain_twin(lexicon, data):
    sequence = data.draw(st.lists(st.sampled_from(lexicon.items), min_size=1, max_size=6))
    try:
        expected = [naive.evaluate(sequence, lexicon.start)]
    except naive.IllFormed:
        expected = []
    assert [d.words for d in derivations(sequence, lexicon.start)] == expected


def test_without_the_shortest_move_constraint_there_are_more():
    lexicon = loads("@start c\n :: =v +wh +wh c\nbought :: =d d= v\nwhat :: d -wh\nwho :: d -wh\n")
    sequence = [item(t) for t in ("ε :: =v +wh +wh c", "bought :: =d d= v", "what :: d -wh", "who :: d -wh")]
    assert not derivations(sequence, ("c",))
    orders = {d.words for d in derivations(sequence, ("c",), smc=False)}
    assert orders == {("who", "what", "bought"), ("what", "who", "bought")}
    # Two ways: either wh-word may be the object, and the other moves last.
    assert parse(Grammar(lexicon, smc=False), "who what bought").derivations == 2
    assert parse(lexicon, "who what bought").derivations == 0
