"""The colours are readable: contrast as WCAG computes it, in both modes."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
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


# Learners whose colours stand side by side. Words in these colours are distinguished by the words themselves.
TOGETHER = (("gibbs", "gla", "maxent", "other"), ("em", "vb", "gibbs", "other"))
LEAST_DIFFERENCE = 10  # CIE76, a few times what is seen at a glance
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def cie_lab(colour, vision):
    """Return L*, a*, b* of a colour as it is seen."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(vision @ linear, 0, 1) / (TO_XYZ @ np.ones(3))
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@MODES
@pytest.mark.parametrize("vision", VISION)
def test_learners_are_told_apart_whatever_colours_one_sees(tokens, vision):
    for hues in TOGETHER:
        for one, other in combinations(hues, 2):
            for shade in (fill, edge):
                a, b = (cie_lab(tokens[shade(hue)], VISION[vision]) for hue in (one, other))
                assert np.linalg.norm(a - b) >= LEAST_DIFFERENCE, (one, other, shade.__name__)
