"""Footed forms: all constraints on small forms, by hand; what cannot be read is told."""

import pytest

from otlab.errors import InputError
from otlab.forms.feet import FOOT_CONSTRAINTS, read_footed

NAMES = ("Parse", "MainLeft", "MainRight", "AFL", "AFR", "WFL", "WFR")
MORE = ("Iambic", "Trochaic", "FootNonfinal", "Nonfinal", "FtBin", "WSP")
BY_HAND = [
    ("(L1 L) L", [1, 0, 1, 0, 1, 0, 1], [1, 0, 0, 0, 0, 0]),
    ("L (L H1)", [1, 1, 0, 1, 0, 1, 0], [0, 1, 1, 1, 0, 0]),
    ("(L2) (H1) H", [1, 1, 1, 1, 3, 0, 1], [0, 0, 2, 0, 1, 1]),
    ("(H1)", [0, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0]),
    ("[L1 L] \\-> /(L1) L/", [1, 0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 0]),
]


@pytest.mark.parametrize(("form", "first", "second"), BY_HAND)
def test_constraints_counted_by_hand(form, first, second):
    footed = read_footed(form)
    assert [FOOT_CONSTRAINTS[name](footed) for name in NAMES] == first
    assert [FOOT_CONSTRAINTS[name](footed) for name in MORE] == second


@pytest.mark.parametrize(
    ("form", "letters"),
    [
        ("(ˈta.ta)(ˌtaː)ku", "(L1 L) (H2) L"),
        ("(ˈtan.da)", "(H1 L)"),
        ("ˈtai.ku", "H1 L"),
        ("(taˈta)ta", "(L L1) L"),
    ],
)
def test_transcriptions_are_cut_into_syllables(form, letters):
    assert str(read_footed(form)) == letters
    assert str(read_footed(letters)) == letters


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("(L L) H", "without stress"),
        ("(L1 L2)", "two stresses"),
        ("(L1 (L", "in a foot"),
        ("L1)", "not open"),
        ("(L1", "not closed"),
        ("", "no syllables"),
    ],
)
def test_what_cannot_be_read_is_told(form, said):
    with pytest.raises(InputError, match=said):
        read_footed(form)
