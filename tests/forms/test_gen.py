"""Candidates by operations: counted by hand, and all parses of the metrics grammar by number."""

from itertools import product

import pytest

from otlab.errors import InputError
from otlab.forms import read_features
from otlab.forms.feet import read_footed
from otlab.forms.gen import footings, parse_operations


@pytest.mark.parametrize(
    ("operations", "depth", "source", "candidates"),
    [
        ("delete", 1, "pat", ["pat", "at", "pt", "pa"]),
        ("delete", 2, "pat", ["pat", "at", "pt", "pa", "t", "a", "p"]),
        ("insert:ʔ", 1, "pa", ["pa", "ʔpa", "pʔa", "paʔ"]),
        ("change:voice", 1, "bad", ["bad", "pad", "bat"]),
        ("swap", 1, "pat", ["pat", "apt", "pta"]),
        ("syllabify", 1, "patka", ["pa.tka", "pat.ka", "patk.a"]),
        ("delete", 1, "a", ["a", "∅"]),
        ("change:anterior", 1, "p", ["p"]),  # which has no value of it
        ("change:lateral", 1, "k", ["k"]),  # nothing but that differs in too much
        ("syllabify", 1, "pst", ["pst"]),
        ("foot", 1, "L H", ["(L1) H", "(L1) (H2)", "(L2) (H1)", "(L1 H)", "(L H1)", "L (H1)"]),
    ],
)
def test_small_cases_by_hand(operations, depth, source, candidates):
    found = parse_operations(operations, depth).candidates(source)
    assert found.candidates[0] == candidates[0]
    assert sorted(found.candidates) == sorted(candidates)
    assert not found.capped


def test_footings_of_the_metrics_grammar():
    inputs = ["".join(word) for n in range(2, 6) for word in product("LH", repeat=n)] + ["LLLLLL", "LLLLLLL"]
    parses = {word: [*footings([letter == "H" for letter in word])] for word in inputs}
    assert len(inputs) == 62
    assert sum(map(len, parses.values())) == 15_344
    assert sum(len({form.overt for form in forms}) for forms in parses.values()) == 3_824


def test_each_footing_is_written_as_it_is_read():
    for form in footings([False, True, False]):
        assert read_footed(str(form)) == form


def test_feet_over_a_transcription():
    found = parse_operations("foot").candidates("tata").candidates
    assert "(ˈta.ta)" in found
    assert "ta(ˈta)" in found
    assert len(found) == 6


def test_the_cap_is_told():
    found = parse_operations("insert:ptkaiu", 3).candidates("patika")
    assert (len(found.candidates), found.capped) == (5_000, True)


@pytest.mark.parametrize(
    ("operations", "depth", "said"),
    [
        ("", 1, "no operation"),
        ("remove", 1, "no operation"),
        ("insert", 1, "needs segments"),
        ("change", 1, "change needs features"),
        ("change:vioce", 1, "no feature"),
        ("delete", 0, "the depth 0 is below 1"),
    ],
)
def test_wrong_operations_are_told(operations, depth, said):
    with pytest.raises(InputError, match=said):
        parse_operations(operations, depth)


def test_segments_that_would_be_read_as_one_are_written_apart():
    table = read_features("\tsyllabic\na\t+\np\t-\npa\t-\n")
    found = parse_operations("swap", 1, table).candidates("a p").candidates
    assert found == ("ap", "p a")
