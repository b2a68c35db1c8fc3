"""Candidates by operations: counted by hand, and all parses of the metrics grammar by number."""

from itertools import product

import pytest

from otlab.errors import InputError
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
    ("operations", "said"),
    [
        ("", "no operation"),
        ("remove", "no operation"),
        ("insert", "needs segments"),
        ("change:vioce", "no feature"),
    ],
)
def test_wrong_operations_are_told(operations, said):
    with pytest.raises(InputError, match=said):
        parse_operations(operations)
