"""Formulas: each fault points at its character; names are offered."""

import time

import pytest

from otlab.errors import InputError
from otlab.forms import Forms, parse_formula, recognised
from otlab.forms.names import KNOWN
from otlab.forms.pattern import FormulaFault

FAULTS = [  # formula, character, what is said
    ("", 0, "empty"),
    ("*", 0, "nothing is looked for"),
    ("*[+voice", 1, "not closed"),
    ("*[voice]", 2, "no sign"),
    ("*[+vioce]", 2, "no feature is called 'vioce'"),
    ("*[+voice,]", 9, "a feature is missing"),
    ("*[+la]", 2, "could be"),
    ("*p]", 2, "not a segment or mark"),
    ("*{p,t", 1, "not closed"),
    ("*{}", 1, "nothing stands between"),
    ("*₀C", 1, "repeats nothing"),
    ("*C₀₁", 3, "repeats nothing"),
    ("*C₀", 1, "matches everywhere"),
    ("*...V", 1, "nothing stands before"),
    ("*V...", 4, "nothing stands behind"),
    ("*VV (tier=Nowhere)", 10, "no tier"),
    ("*VV (tier=[+vioce])", 11, "no feature"),
    ("*[+word_boundary,+voice]", 2, "the word edge has no other features"),
    ("*p7", 2, "not a segment or mark"),
    ("/a", 1, "has no end"),
    ("/a(b/", 2, "no regular expression"),
    ("/[/", 1, "no regular expression"),
    ("Maxx", 0, "no formula"),
    ("Max[V", 3, "not closed"),
    ("Max[]", 4, "nothing stands between"),
    ("Max[VC]", 4, "not one segment"),
    ("Ident[vioce]", 6, "no feature"),
    ("Ident[voice,]", 12, "a feature is missing"),
    ("Ident[voice] _V", 13, "does not belong here"),
    ("Ident[voice] / V", 13, "no place"),
    ("Ident[voice] / _V_", 13, "no place"),
    ("Uniformity[p]", 11, "takes nothing between brackets"),
    ("Agree", 4, "needs a feature"),
    ("Agree[voice] / _V", 13, "does not belong here"),
    ("*Map(n)", 4, "needs two"),
    ("*CC or ", 6, "missing"),
    ("*CC or Maxx", 7, "no formula"),
    ("*{[+word_boundary],p}", 1, "an edge cannot be one of several"),
    ("*VV (tier=[+word_boundary])", 10, "no tier is called '[+word_boundary]'"),
    ("Max[+word_boundary]", 4, "'+word_boundary' is not one segment or class"),
    ("NoGeminate[voice]", 11, "NoGeminate takes nothing between brackets"),
    ("Max / _C(tier=[+syll])", 7, "a context has no tier"),
    ("Max / V...C_", 5, "a context has no tier"),
]


@pytest.mark.parametrize(("formula", "at", "said"), FAULTS)
def test_a_fault_points_at_its_character(formula, at, said):
    with pytest.raises(InputError) as error:
        parse_formula(formula)
    fault = error.value.faults[0]
    assert isinstance(fault, FormulaFault)
    assert said in fault.what
    assert fault.hint
    assert fault.at == at


@pytest.mark.parametrize(
    "known", {known.name: known for known in KNOWN.values()}.values(), ids=lambda k: k.name
)
def test_each_well_known_name_is_a_formula(known):
    assert parse_formula(known.name).terms


@pytest.mark.parametrize(
    ("head", "formula"),
    [
        ("Ident-IO(voice)", "Ident[voice]"),
        ("IDENT(place)", "Ident[place]"),
        ("Max-IO", "Max"),
        ("Max[IO]", "Max"),
        ("DEP-V", "Dep[V]"),
        ("Id", "Ident"),
        ("NoCoda", "NoCoda"),
        ("no-coda", "NoCoda"),
        ("*NC", "*NT"),
        ("All-Ft-Left", "AFL"),
        ("Maximise", ""),
        ("C1", ""),
    ],
)
def test_heads_that_are_recognised(head, formula):
    assert recognised(head) == formula


@pytest.mark.parametrize(
    ("formula", "form"),
    [
        ("*C₀C₀C₀C₀C₀C₀C₀C₀V#", "p" * 10_000),
        ("/(a|b|ab)*(?=c)/", "ab" * 5_000),
        ("Max", "p" * 10_000),
        ("*" + "p" * 10_000, "p"),
    ],
)
def test_hostile_patterns_end_in_a_message(formula, form):
    begin = time.process_time()
    with pytest.raises(InputError):
        Forms([form], [form]).count(formula)
    assert time.process_time() - begin < 20  # of a busy machine; the message comes within a second


def test_nested_repeats_do_not_hang():
    assert Forms(["a" * 40], ["a" * 40]).count("/(a*)*b/").counts[0] == 0


def test_long_forms_are_counted_quickly_where_they_can_be():
    assert Forms(["p"], ["pa" * 5_000]).count("*[+syll]").counts[0] == 5_000
