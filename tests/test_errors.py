"""Messages state place, problem and remedy."""

from __future__ import annotations

import pickle

import pytest

from otlab import discovery, mg, tagging
from otlab.errors import Fault, InputError, counted, did_you_mean
from otlab.samples import load_sample


def test_a_fault_points_at_its_place():
    fault = Fault("count −4 is negative", "write 0 or more", "a.csv", 12, 3)
    assert str(fault) == "a.csv:12:3: count −4 is negative; write 0 or more"


def test_places_that_are_not_known_are_left_out():
    assert str(Fault("empty file", file="a.txt")) == "a.txt: empty file"
    assert str(Fault("nothing to do")) == "nothing to do"


def test_an_error_carries_every_fault_through_a_pickle():
    error = InputError([Fault("one", line=1), Fault("two", line=2)])
    again = pickle.loads(pickle.dumps(error))
    assert [f.what for f in again.faults] == ["one", "two"]
    assert str(again) == "1: one\n2: two"


def test_hints():
    assert did_you_mean("spansh", ["ilokano", "spanish"]) == "did you mean spanish?"
    assert did_you_mean("x", []) == "there are none to choose from"


def test_numbers_of_things():
    assert [counted(n, "input") for n in (0, 1, 2, 1200)] == [
        "0 inputs",
        "1 input",
        "2 inputs",
        "1,200 inputs",
    ]
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]


def tagger():
    return tagging.fit_em(tagging.Corpus.from_sentences([["a", "b"]]), states=2, iterations=1, seed=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tagging.fit_em("my.txt", states=2), r"fit_em takes a Corpus, but was given a str; .*read"),
        (lambda: tagging.fit_gibbs([["a"]], states=2), "fit_gibbs takes a Corpus, but was given a list"),
        (lambda: tagger().model.label("The dog"), "a tagger takes a Corpus, but was given a str"),
        (lambda: tagger().view.trace("one_to_on"), "no score is called 'one_to_on'; did you mean one_to_one"),
        (lambda: discovery.discover("ab cd"), r"discover takes a Corpus, but was given a str; .*from_text"),
        (lambda: mg.parse("my.mg", "a"), r"a grammar takes a Lexicon, but was given a str; .*mg\.read"),
        (lambda: mg.induce(None, ["a"]), "a grammar takes a Lexicon, but was given a NoneType"),
        (lambda: discovery.discover(load_sample("toy_phones"), threshold=2), "threshold 2; write a number"),
    ],
)
def test_data_of_another_type_are_refused_with_how_to_make_them(call, message):
    with pytest.raises(InputError, match=message):
        call()
