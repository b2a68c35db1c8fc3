"""Labels that distinguish the readings of a sentence."""

import pytest

from otlab.mg.io.read import loads
from otlab.mg.parsing.parse import parse
from otlab.mg.views.readings import reading_labels
from otlab.samples import load_sample, samples

OBJECTS = """
@start c
ε :: =t +wh c
did :: =v t
read :: d= d= v
which :: =n d -wh
book :: n
bill :: d
"""


def labels(lexicon, sentence, k=99):
    return reading_labels([r.derivation for r in parse(lexicon, sentence).best(k)])


def test_attachments_name_the_host():
    found = labels(load_sample("english_pp_attachment"), "john saw the man with the telescope with the hat")
    assert len(set(found)) == len(found) == 5
    assert all("attaches to" in label for label in found)
    assert any("*with* (2nd) attaches to *telescope*" in label for label in found)


def test_arguments_exchanged():
    found = labels(loads(OBJECTS), "which book did bill read")
    assert sorted(found) == [
        "*which book* is the complement of *read*",
        "*which book* is the specifier of *read*",
    ]


def test_compounds_by_their_constituents():
    found = labels(load_sample("noun_compounds"), "stone lion house")
    assert sorted(found) == ["*lion house* is a constituent", "*stone lion* is a constituent"]


def test_lexical_choice_and_silent_loops():
    assert sorted(labels(load_sample("gender_induction"), "le soleil"))[0].startswith("*")
    found = labels(load_sample("silent_loop"), "a", 3)
    assert len(set(found)) == 3
    assert "2 × ε :: =c c above *a*" in found


def test_one_reading_needs_no_label(figure1):
    assert labels(figure1, "what did you see") == ("",)


@pytest.mark.parametrize("name", [s.name for s in samples("mg")])
def test_readings_of_every_sample_are_told_apart(name):
    lexicon = load_sample(name)
    for sentence in lexicon.corpus:
        found = labels(lexicon, " ".join(sentence) or "ε", 12)
        assert len(set(found)) == len(found)


def test_readings_that_attach_the_same_words_are_told_apart_by_what_belongs_together():
    """[big [cat cat]] and [[big cat] cat]: in both, both modifiers attach to the first cat."""
    lexicon = loads("@start d\nthe :: =n d\ncat :: n\ncat :: n= n\nbig :: =n n")
    found = parse(lexicon, "the big cat cat").best(2)
    labels = reading_labels([r.derivation for r in found])
    assert sorted(labels) == ["*big cat* is a constituent", "*cat cat* is a constituent"]


def test_the_reading_without_the_silent_items_of_the_others_says_so():
    lexicon = loads("@start c\na :: c\nε :: =c c\nb :: =c c")
    labels = reading_labels([r.derivation for r in parse(lexicon, "b a").best(3)])
    assert labels[0] == "without further silent items"
    assert set(labels[1:]) == {"with ε :: =c c above *a*", "with ε :: =c c above *b a*"}
