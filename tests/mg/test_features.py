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


@pytest.mark.parametrize(
    ("text", "what", "hint", "offset"),
    [
        *((f"{token} v", "is not a feature", "≈x to adjoin", 0) for token in ("n>>", "<<n")),
        ("=n d.-k", "'d.-k' joins features", "blanks: d -k", 3),
        ("=n.d.-k", "joins features", "blanks: =n d -k", 0),
        ("n -o d", "second category", "for n -o d write: =n d", 5),
        ("d -k :: every(x)", "semantics after a second '::' is not supported: 'every(x)'", "leave it out", 5),
    ],
)
def test_other_formalisms_are_named(text, what, hint, offset):
    with pytest.raises(FeatureFault) as caught:
        parse_features(text)
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.offset == offset


def test_a_full_stop_may_be_part_of_a_name():
    assert [f.name for f in parse_features("=n.sg d")] == ["n.sg", "d"]


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
