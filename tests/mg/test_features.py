"""Features, and the three conventions of writing them."""

import pytest

from otlab.mg.features import FeatureFault, format_features, parse_features


@pytest.mark.parametrize(
    ("convention", "text", "kinds"),
    [
        ("seed", "=d d= v -k", "right left category licensee"),
        ("stabler2011", "=d d= v -k", "left right category licensee"),
        ("nondirectional", "=d +k =d v", "right licensor left category"),
    ],
)
def test_conventions_give_directions(convention, text, kinds):
    features = parse_features(text, convention)
    assert [f.kind for f in features] == kinds.split()
    assert format_features(features, convention) == text


@pytest.mark.parametrize("hyphen", "−–—‐‑")
def test_what_word_processors_make_of_a_hyphen_is_one(hyphen):
    assert parse_features(f"d {hyphen}wh") == parse_features("d -wh")


@pytest.mark.parametrize("token", ["=>n", "n<=", "<=d", "≈n", "n>>", "<<n", "==>v"])
def test_other_formalisms_are_named(token):
    with pytest.raises(FeatureFault, match="head movement and adjunction are not supported") as caught:
        parse_features(f"{token} v")
    assert caught.value.code == "E101"


@pytest.mark.parametrize(
    ("text", "blanks"), [("d,-wh", "d -wh"), ("[=d,v]", "=d v"), ("=d,d=,v", "=d d= v"), ("[d]", "d")]
)
def test_commas_and_brackets_are_taken_for_prolog(text, blanks):
    with pytest.raises(FeatureFault, match="separate features by blanks") as caught:
        parse_features(text)
    assert caught.value.hint.endswith(f": {blanks}")


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("=d= v", "E101", 0),
        ("v ++x", "E101", 2),
        ("=d", "E102", 2),
        ("", "E102", 0),
        ("=d v d", "E103", 5),
        ("v =d", "E104", 2),
        ("d -k +k", "E104", 5),
        ("-k d", "E104", 0),
    ],
)
def test_faults_have_code_and_place(text, code, offset):
    with pytest.raises(FeatureFault) as caught:
        parse_features(text)
    assert (caught.value.code, caught.value.offset) == (code, offset)


def test_directions_are_refused_without_a_convention_for_them():
    with pytest.raises(FeatureFault, match="direction"):
        parse_features("d= v", "nondirectional")
