"""Scores on cases worked by hand, and class files."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from otlab.discovery.scores import Ratio
from otlab.discovery.sound.scores import Contingency, boundary_ratio, contingency, gold_frames, r_value
from otlab.discovery.sound.speech import Speech
from otlab.discovery.sound.tiers import Interval
from otlab.discovery.sound.zerospeech import (
    Fragment,
    classes_of,
    parse_classes,
    term_scores,
    write_classes,
)
from otlab.errors import InputError


def tier(*cuts):
    """Intervals from one cut to the next, labelled by number."""
    return [Interval(a, b, str(k)) for k, (a, b) in enumerate(pairwise(cuts))]


def test_nmi_by_hand():
    # X says which half, Y which quarter: I = 1 bit, H(Y) = 2 bits, H(X) = 1 bit
    table = Contingency(np.array([[5, 5, 0, 0], [0, 0, 5, 5]]), tuple("abcd"))
    assert table.information == pytest.approx(1.0)
    assert table.nmi == pytest.approx(0.5)
    assert table.nmi_symmetric == pytest.approx(2 / 3)
    assert table.purity == pytest.approx(0.5)


def test_symmetric_nmi_equals_the_known_one():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 9, (5, 4))
    units, phones = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
    known = normalized_mutual_info_score(phones, units)
    assert Contingency(table, tuple("abcd")).nmi_symmetric == pytest.approx(known)


def test_frames_are_labelled_at_their_centre():
    phones = ((Interval(0.0, 0.02, "a"), Interval(0.02, 0.05, "b")),)
    speech = Speech("s", ("u",), np.zeros((5, 1)), np.array([0, 5]), np.zeros(1), phones=phones)
    # centres 12.5, 22.5, 32.5, 42.5, 52.5 ms
    gold, phones = gold_frames(speech)
    assert (gold.tolist(), phones) == ([0, 1, 1, 1, -1], ("a", "b"))
    table = contingency(speech, np.array([0, 1, 1, 0, 0]), 2)
    assert table.phones == ("a", "b")
    assert table.table.tolist() == [[1, 1], [0, 2]]


def test_boundaries_are_paired_one_to_one_within_the_tolerance():
    gold = [tier(0, 0.100, 0.200, 0.300, 0.4)]
    # .09 and .11 are both near .1: one counts; .22 is just near enough, .321 is not
    found = [tier(0, 0.090, 0.110, 0.220, 0.321, 0.4)]
    assert boundary_ratio(found, gold) == Ratio(found=4, gold=3, right=2)
    assert boundary_ratio(found, gold, tolerance=0.005) == Ratio(found=4, gold=3, right=0)
    assert boundary_ratio([tier(0, 0.4)], gold) == Ratio(found=0, gold=3, right=0)


def test_r_value_by_hand():
    # recall 1/2, over-segmentation 0: 1 - (.5 + .5 / sqrt 2) / 2
    assert r_value(Ratio(found=10, gold=10, right=5)) == pytest.approx(1 - (0.5 + 0.5 / np.sqrt(2)) / 2)
    # everything found twice over: recall 1, over-segmentation 1
    assert r_value(Ratio(found=20, gold=10, right=10)) == pytest.approx(1 - (1 + 1 / np.sqrt(2)) / 2)
    assert r_value(Ratio(found=0, gold=0, right=0)) == 0.0


PHONES = {
    "u": [Interval(0.0, 0.1, "a"), Interval(0.1, 0.2, "b"), Interval(0.2, 0.3, "a"), Interval(0.3, 0.4, "b")],
    "v": [Interval(0.0, 0.1, "a"), Interval(0.1, 0.2, "c"), Interval(0.2, 0.5, "_")],
}
WORDS = {"u": [Interval(0.0, 0.2, "ab"), Interval(0.2, 0.4, "ab")], "v": [Interval(0.0, 0.2, "ac")]}
CLASSES = {
    "1": [Fragment("u", 0.0, 0.2), Fragment("v", 0.0, 0.2)],  # ab, ac
    "2": [Fragment("u", 0.2, 0.4)],  # ab
    "3": [Fragment("v", 0.2, 0.5)],  # a pause
}


def test_term_scores_by_hand():
    found = term_scores(CLASSES, PHONES, WORDS)
    assert found.ned == pytest.approx(0.5)  # one pair: ab, ac
    assert found.coverage == 1.0
    assert (found.grouping_p, found.grouping_r) == (0.0, 0.0)
    assert found.token == Ratio(found=3, gold=3, right=3)
    assert found.type == Ratio(found=2, gold=2, right=2)
    assert found.boundary == Ratio(found=5, gold=5, right=5)


def test_grouping_by_hand():
    classes = {"1": [*CLASSES["1"], *CLASSES["2"]]}  # ab, ac, ab in one class
    found = term_scores(classes, PHONES)
    # pairs with ab: 3, one of them right; with ac: 2, none right; weights 2/3 and 1/3
    assert found.grouping_p == pytest.approx(2 / 3 * 1 / 3)
    assert found.grouping_r == 1.0
    assert found.ned == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert found.token is None


def test_a_phone_belongs_by_30_ms_or_half():
    phones = {"u": [Interval(0.0, 0.2, "a"), Interval(0.2, 0.24, "b"), Interval(0.24, 0.5, "c")]}
    # 30 ms of a, all of b, 29 ms of c
    found = term_scores({"1": [Fragment("u", 0.17, 0.269)]}, phones, {"u": [Interval(0.0, 0.24, "ab")]})
    assert found.token == Ratio(found=1, gold=1, right=1)
    assert found.coverage == pytest.approx(2 / 3)


def test_class_files_are_read_back():
    assert parse_classes(write_classes(CLASSES)) == CLASSES
    rows = [("u", Interval(0.0, 0.2, "7")), ("v", Interval(0.0, 0.2, "7")), ("u", Interval(0.2, 0.4, "3"))]
    assert list(classes_of(rows)) == ["7", "3"]


def test_every_fault_of_a_class_file_is_named():
    text = "u 0 1\nClass 1\nu 0 1\nu 2 1\nu x 1\n\nClass 2\nv 0.5\n"
    with pytest.raises(InputError) as caught:
        parse_classes(text, "found.classes")
    assert [fault.line for fault in caught.value.faults] == [1, 4, 5, 8]
