"""Data and settings are hashed by value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from otlab.inference.digest import digest
from tests.inference.toys import Arrays

SETTINGS = Arrays(np.arange(4.0), (1.0, 2.5), {"b": None, "a": "x"})


def test_equal_settings_have_equal_digests():
    other = Arrays(np.arange(4.0), (1.0, 2.5), {"a": "x", "b": None})
    assert digest(SETTINGS) == digest(other)


@pytest.mark.parametrize(
    "change",
    [
        {"data": np.arange(5.0)},
        {"data": np.arange(4)},
        {"data": np.arange(4.0).reshape(2, 2)},
        {"weights": (1.0, 2.5000001)},
        {"weights": (1, 2.5)},
        {"options": {"a": "x"}},
        {"options": {"a": "y", "b": None}},
    ],
)
def test_any_change_changes_the_digest(change):
    assert digest(replace(SETTINGS, **change)) != digest(SETTINGS)


def test_what_has_no_value_is_refused():
    with pytest.raises(TypeError, match="cannot hash"):
        digest(object())
