"""Cells counted by hand, and the same counts by plain Python."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.forms import (
    Forms,
    correspondence,
    count,
    hayes,
    parse_formula,
    read_features,
    read_tiers,
    segments,
)
from otlab.forms.correspondence import pair_costs
from otlab.forms.counting import Place
from otlab.forms.notation import Alphabet

BY_HAND = [  # formula, input, candidate, violations
    ("*[+voice,-son]#", "bed", "bed", 1),
    ("*[+voice,-son]#", "bed", "bet", 0),
    ("*[+voice,-son]", "bed", "bed", 2),
    ("*CC", "", "as.ta", 1),
    ("*.CC", "", "as.ta", 0),
    ("*.CC", "", "a.sta", 1),
    ("*.CC", "", "ˈsta", 1),
    ("*C.", "", "as.tat", 2),
    ("*CC", "", "strakt", 3),
    ("*[+labial][^+approximant,+coronal]", "", "pt", 1),
    ("*[+labial][^+approximant,+coronal]", "", "pl", 0),
    ("*[^+son]#", "", "ta", 0),
    ("*ti", "", "ti.ta.ti", 2),
    ("*t͡s", "", "t͡sat", 1),
    ("*ts", "", "t͡sat", 0),
    ("*V...V", "", "kitabu", 2),
    ("*[+high]...[-high]", "", "kitabu", 1),
    ("*VV (tier=[+syll])", "", "kitabu", 2),
    ("*{p,t,k}##", "", "pat ta", 0),
    ("*{p,t,k}#", "", "pat ta", 1),
    ("*V C₀ V", "", "astra", 1),
    ("/a.a/", "", "ababa", 2),
    ("*CC. or *.CC", "", "blakt", 2),
    ("Onset", "", "a.ta.ik", 2),
    ("NoCoda", "", "at.ta", 1),
    ("*Complex", "", "bla.akt", 2),
    ("Agree[voice]", "", "abta", 1),
    ("Agree[voice]", "", "anta", 0),
    ("Agree[place]", "", "anpa", 1),
    ("Agree[place]", "", "ampa", 0),
    ("OCP[place]", "", "atna", 1),
    ("NoGeminate", "", "gut.to", 1),
    ("NoGeminate", "", "gutːo", 1),
    ("Max", "pat", "pa", 1),
    ("Max[V]", "pata", "pt", 2),
    ("Dep[ʔ]", "a", "ʔa", 1),
    ("Dep[V]", "ak", "aki", 1),
    ("Ident[voice]", "bed", "pet", 2),
    ("Ident[+voice]", "pad", "bat", 1),
    ("Ident[voice] / _.V", "ad.a", "at.a", 1),
    ("Ident[voice] / _V", "guddo", "gutto", 1),
    ("Max[C] /in #_", "tapa", "apa", 1),
    ("Max[C] / #_", "tapat", "apa", 1),
    ("Max[t] /in _#V", "west end", "wes end", 1),
    ("Max[t] /in _##", "west", "wes", 1),
    ("*Map(n,m)", "an+pa", "ampa", 1),
    ("*Map(n,m) / _C", "an+pa", "ampa", 1),
    ("*Map(n,m) / _V", "an+pa", "ampa", 0),
    ("Max[k] /out a_a", "patka", "paa", 1),  # the t between is deleted, too
    ("*[]p", "", "ap", 1),
    ("*VV (tier=V)", "", "papa", 1),
    ("*VV (tier=default)", "", "papaa", 1),
    ("/a or b/ or *p", "", "pa or b", 2),
    ("Agree[voice]", "", "pt", 0),
    ("O-Contig", "ac", "abc", 1),
    ("Contiguity", "abc", "ac", 1),
    ("I-Contig", "abc", "ab", 0),
    ("Linearity", "p1 a2", "a2 p1", 1),
    ("Uniformity", "n1 p2 a3", "m1,2 a3", 1),
    ("Max", "n1 p2 a3", "m1,2 a3", 0),
    ("Integrity", "p1a2", "p1a2a2", 1),
    ("Parse", "", "(L1 L) H", 1),
    ("WSP", "", "(ˈta.ta)taː", 1),
    ("FtBin", "", "(ˈta)taː", 1),
    ("AFR", "", "(L1 L) L (L2)", 2),
    ("*Clash", "", "L1 L2 L", 1),
    ("*Lapse", "", "L1 L L", 1),
]


@pytest.mark.parametrize(("formula", "source", "candidate", "violations"), BY_HAND)
def test_cells_counted_by_hand(formula, source, candidate, violations):
    assert count(formula, source, candidate) == violations


@pytest.mark.slow
def test_all_rows_of_a_table_are_counted_as_each_alone():
    for formula in {
        formula for formula, *_ in BY_HAND if not formula.startswith(("Parse", "WSP", "FtBin", "AFR"))
    }:
        if formula in ("*Clash", "*Lapse"):
            continue
        rows = [(i, c) for _, i, c, _ in BY_HAND if "(" not in c and "L" not in c]
        together = Forms([i for i, _ in rows], [c for _, c in rows]).count(formula).counts
        assert together.tolist() == [count(formula, i, c) for i, c in rows], formula


@given(st.lists(st.text("ptbdaio.", min_size=1, max_size=8), min_size=1, max_size=6))
def test_sequences_as_in_plain_python(words):
    voiced, vowels = set("bd"), set("aio")

    def plain(word):
        letters = [one for one in word if one != "."]
        return sum(one in voiced and other in vowels for one, other in pairwise(letters))

    counts = Forms(words, words).count("*[+voice,-son]V").counts
    assert counts.tolist() == [plain(word) for word in words]


def _least(source, target):
    """Return the least cost and the possible numbers of deletions over all alignments, by trying them all."""
    alphabet = Alphabet()
    numbers = [[ord(alphabet.code(one)) - 0xE000 for one in form] for form in (source, target)]
    costs, width = pair_costs(alphabet)

    def walk(i, j):
        if i == len(source) and j == len(target):
            yield 0, 0
        if i < len(source):
            for cost, deleted in walk(i + 1, j):
                yield cost + width, deleted + 1
        if j < len(target):
            for cost, deleted in walk(i, j + 1):
                yield cost + width, deleted
        if i < len(source) and j < len(target):
            differ = int(costs[numbers[0][i], numbers[1][j]])
            for cost, deleted in walk(i + 1, j + 1):
                yield cost + differ, deleted

    found = [*walk(0, 0)]
    least = min(cost for cost, _ in found)
    return {deleted for cost, deleted in found if cost == least}


@given(st.text("ptai", min_size=1, max_size=4), st.text("ptai", min_size=1, max_size=4))
def test_deletions_over_all_alignments(source, target):
    found = Forms([source], [target]).count("Max")
    options = _least(source, target)
    assert found.counts[0] == min(options)
    assert set(found.readings.get(0, (min(options),))) == options


@pytest.mark.parametrize("kept", [correspondence.MOST_KEPT, 20])
@settings(max_examples=15)
@given(
    st.lists(st.tuples(*[st.text("pdai.", min_size=1, max_size=5)] * 2), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1), st.text("pdaiŋ", max_size=5)), max_size=5),
)
def test_counts_after_edits_are_those_of_a_first_count(kept, rows, edits):
    """Alignments are kept from count to count, in as little room as there is."""
    formulas = ("Max", "Dep[V]", "Ident", "Uniformity", "Contiguity", "Ident[voice] / _V", "NoCoda")
    alphabet = Alphabet(hayes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correspondence, "MOST_KEPT", kept)
        for row, side, text in [(0, 0, rows[0][0]), *edits]:
            pair = rows[row % len(rows)]
            rows[row % len(rows)] = (text, pair[1]) if side == 0 else (pair[0], text)
            forms, anew = (Forms(*zip(*rows, strict=True)) for _ in range(2))
            forms.alphabet, anew.alphabet = alphabet, Alphabet(hayes())
            for formula in formulas:
                ours, first = forms.count(formula), anew.count(formula)
                assert ours.counts.tolist() == first.counts.tolist()
                assert ours.readings == first.readings


def test_pairs_that_were_aligned_are_not_aligned_again(monkeypatch):
    forms = [Forms(["pata", "tap"], [candidate, "ta"]) for candidate in ("pat", "pta", "pat")]
    aligned = []
    plain = correspondence._aligned

    def counted(new, alphabet):
        aligned.append(len(new))
        return plain(new, alphabet)

    monkeypatch.setattr(correspondence, "_aligned", counted)
    shared = Alphabet(hayes())
    for one in forms:
        one.alphabet = shared
        one.count("Max")
        one.count("Ident")
    assert aligned == [2, 1]


def test_vowels_and_consonants_do_not_correspond():
    assert [count(formula, "bed", "edə") for formula in ("Max", "Dep", "Ident")] == [1, 1, 0]
    assert [count(formula, "ia", "ja") for formula in ("Max", "Dep", "Ident")] == [0, 0, 1]


def test_a_cell_that_depends_on_the_alignment_has_its_readings():
    found = Forms(["tata", "pat"], ["ta", "pa"]).count("Max /in #_")
    assert (found.counts.tolist(), found.readings) == ([0, 0], {0: (0, 1)})
    merged = Forms(["anpa"], ["ampa"]).count("Uniformity")
    assert not merged.readings
    assert Forms(["anpa"], ["ama"]).count("Uniformity").readings == {0: (0, 1)}
    rows = Forms(["tata", "anpa", "pat"], ["ta", "ama", "pa"])
    both = rows.count("Uniformity or Max /in _#")
    assert both.counts.tolist() == [0, 0, 1]
    assert both.readings == {0: (0, 1, 2, 3), 1: (0, 1), 2: (1, 2)}
    some = Forms(["n1 p a3"], ["m1,2 a3"])  # p has no index, so that none decides
    assert some.count("Uniformity").readings == {0: (0, 1)}
    assert Forms([], []).count("Max").counts.tolist() == []


def test_places_are_characters_of_the_written_form():
    forms = Forms(["ˈad.at͡s"], ["ˈad.a"])
    assert forms.places("*[+voice,-son].", 0) == [Place(2, 4)]
    assert forms.places("Max", 0) == [Place(5, 8, in_input=True)]
    assert Forms(["p1 a2"], ["a2 p1"]).places("Linearity", 0) == []  # it is about no single segment


def test_a_tier_by_name_and_the_edge_as_a_feature():
    table = read_features("\tsyllabic\thigh\na\t+\t-\ni\t+\t+\np\t-\t0\n")
    tiers = read_tiers("Vowel +syllabic : high, word_boundary  Grams: 3", table)

    def counted(formula, form):
        return int(Forms([form], [form], table).count(parse_formula(formula, table, tiers)).counts[0])

    assert counted("*[+high][-high] (tier=Vowel)", "p i p a") == 1
    assert counted("*[+word_boundary][+word_boundary] (tier=Vowel)", "p p") == 1
    assert counted("*[^+high][+word_boundary]", "p a") == 1
    assert counted("*[-word_boundary][-word_boundary]", "p a p") == 2


def test_segments_that_the_table_does_not_have_are_named_with_their_place():
    with pytest.raises(InputError, match="character 2 of 'a☃a': '☃' is not in the feature table"):
        count("*[+voice]", "", "a☃a")
    assert count("*a☃", "", "a☃a") == 1  # what is written needs no features
    added = hayes().with_segment("☃", "t", "+voice,")
    assert count("*[+voice,-son]", "", "a☃a", added) == 1


@pytest.mark.parametrize(
    ("segment", "like", "said"),
    [
        ("p", "t", "'p' is in the feature table already; choose another"),
        (" ", "t", "the new segment is empty; write its letter"),
        ("☃", "☂", "'☂' is not in the feature table; choose a segment that is"),
        ("☃", "t", "'voice' has no sign"),
    ],
)
def test_a_segment_that_cannot_be_added_is_told(segment, like, said):
    with pytest.raises(InputError) as error:
        hayes().with_segment(segment, like, "voice")
    assert said in str(error.value)


def test_a_table_of_ones_own_may_have_segments_of_two_letters_and_no_length():
    table = read_features(",syllabic,high,\na,+,-,\np,-,0,\npa,-,0,\n")
    assert table.features == ("syllabic", "high")  # an empty last column is none
    assert segments("pap", table) == ("pa", "p")
    assert count("NoGeminate", "", "p p", table) == 1
    assert read_tiers("V +syllabic", table)
    with pytest.raises(InputError, match="tiers:1: a tier holds segments; write their features"):
        read_tiers("Edge +word_boundary", table)


def test_so_many_segments_are_no_forms():
    with pytest.raises(InputError, match="more than 6000 segments; are they forms"):
        Alphabet(hayes()).encode("".join(map(chr, range(0x4E00, 0x4E00 + 6001))))


def test_all_feet_that_are_wrong_are_told():
    with pytest.raises(InputError) as error:
        Forms(["a", "b"], ["(ta", "(pa"]).count("AFL")
    assert [str(fault).partition(";")[0] for fault in error.value.faults] == [
        "'(ta' has a foot that is not closed",
        "'(pa' has a foot that is not closed",
    ]


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("t͡sãːⁿ", ("t͡s", "ãːⁿ")),
        ("bʱat˥˩", ("bʱ", "a", "t˥˩")),
        ("m a m p a", ("m", "a", "m", "p", "a")),
        ("west end", ("w", "e", "s", "t", "e", "n", "d")),
        ("(ˈta.ta)-ku", ("t", "a", "t", "a", "k", "u")),
        ("∅", ()),
    ],
)
def test_segments_of_a_form(form, found):
    assert segments(form) == found


def test_a_form_has_a_longest_length():
    assert len(segments("pa" * 10_000)) == 20_000
    with pytest.raises(InputError, match="a form of 20,001 characters, 'pa"):
        segments("pa" * 10_000 + "p")


def test_letters_as_one_or_two_characters_are_one_segment():
    assert count("*ã", "", "a\u0303") == 1
    assert count("*a\u0303", "", "ã") == 1
    assert count("*g", "", "ɡaga") == 2


def test_a_table_is_read_as_it_was_written():
    table = read_features(hayes().written(), "copy")
    assert table.segments == hayes().segments
    assert np.array_equal(table.values, hayes().values)


def test_faults_of_a_feature_table_are_told_together():
    with pytest.raises(InputError) as error:
        read_features("\tvoice\tvoice\np\t-\tx\np\t-\t-\n", "mine.txt")
    assert [str(fault).split(";")[0] for fault in error.value.faults] == [
        "mine.txt:1: two columns are called 'voice'",
        "mine.txt:2: 'x' is no value of voice",
        "mine.txt:3: 'p' has two rows",
    ]
