"""The colours are readable: contrast as WCAG computes it, in both modes."""

from __future__ import annotations

import re

import pytest

from otlab.viz.base.tokens import DARK, HUES, LIGHT, edge, fill, text

MODES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_modes_have_the_same_tokens():
    assert LIGHT.keys() == DARK.keys()


@MODES
def test_every_colour_is_written_alike(tokens):
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in tokens.values())


@MODES
@pytest.mark.parametrize("ground", ["surface", "inset", "bg"])
@pytest.mark.parametrize("ink", ["ink", "ink2", "ink3", "accent", "good", "bad"])
def test_words_are_readable(tokens, ink, ground):
    assert contrast(tokens[ink], tokens[ground]) >= 4.5


@MODES
def test_words_on_coloured_grounds_are_readable(tokens):
    pairs = [("on", "accent"), ("accent", "soft"), ("ink3", "shade"), ("surface", "ink")]
    pairs += [(kind, f"{kind}-bg") for kind in ("good", "warn", "bad")]
    ratios = {pair: contrast(tokens[pair[0]], tokens[pair[1]]) for pair in pairs}
    assert min(ratios.values()) >= 4.5, ratios


@MODES
@pytest.mark.parametrize("hue", HUES)
def test_a_learner_is_seen(tokens, hue):
    assert contrast(tokens[text(hue)], tokens["surface"]) >= 4.5
    assert contrast(tokens[edge(hue)], tokens["surface"]) >= 3.0
    assert fill(hue) in tokens


@MODES
def test_controls_have_a_visible_border(tokens):
    assert contrast(tokens["ctl"], tokens["surface"]) >= 3.0
