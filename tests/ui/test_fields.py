"""Settings: what is typed, what is kept, what a link carries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.ui.fields import Choice, Fold, Integer, Real, Seed, Settings, Switch, Text
from otlab.ui.settings_form import SettingsForm


@pytest.fixture
def settings():
    prior = Choice("prior", "Prior", "flat", {"flat": "Flat", "normal": "Normal"})
    return Settings(
        [
            Integer("sweeps", "Sweeps", 20_000, low=1, high=1_000_000),
            Seed(),
            Real("noise", "Noise", 2.0, above=0.0),
            Real("sd", "Prior sd", None, above=0.0, optional=True),
            Switch("centred", "Centred", True),
            Text("note", "Note", ""),
            Fold("Priors", [prior], summary=lambda s: s.label("prior")),
        ]
    )


def type_in(settings, name, text):
    settings.type(name, text)


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("sweeps", "1,500", 1500),
        ("sweeps", " 7 ", 7),
        ("seed", "0", 0),
        ("noise", "0.25", 0.25),
        ("sd", "", None),
        ("sd", "none", None),
        ("sd", "3", 3.0),
        ("prior", "normal", "normal"),
        ("centred", "off", False),
        ("note", " a b ", "a b"),
    ],
)
def test_what_is_typed_becomes_a_value(settings, name, typed, value):
    type_in(settings, name, typed)
    assert settings[name] == value
    assert settings.errors == {}


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("sweeps", "12x", "whole number"),
        ("sweeps", "2.5", "whole number"),
        ("sweeps", "", "whole number"),
        ("sweeps", "0", "1 or more"),
        ("sweeps", "1000001", "at most 1,000,000"),
        ("noise", "0", "above 0"),
        ("noise", "nan", "finite"),
        ("noise", "1,5", "point"),
        ("prior", "gamma", "flat, normal"),
    ],
)
def test_a_bad_value_is_refused_with_a_reason_and_the_old_one_kept(settings, name, typed, said):
    before = settings[name]
    type_in(settings, name, typed)
    assert settings[name] == before
    assert said in settings.errors[name]
    assert settings.shown["values"][name] == typed, "what was typed must stay to be mended"
    type_in(settings, name, settings.fields[name].show(before))
    assert settings.errors == {}


def test_set_is_all_or_nothing(settings):
    with pytest.raises(ValueError, match="1 or more"):
        settings.set(seed=4, sweeps=0)
    assert settings["seed"] == 2005


def test_watchers_hear_of_changes_only(settings):
    heard = []
    settings.on_change(lambda name, value: heard.append((name, value)))
    settings.set(seed=2005, sweeps=10)
    assert heard == [("sweeps", 10)]


def test_a_link_carries_what_differs_and_always_the_seed(settings):
    assert settings.query() == {"seed": "2005"}
    settings.set(sweeps=30_000, prior="normal")
    assert settings.query() == {"seed": "2005", "sweeps": "30000", "prior": "normal"}


@given(
    sweeps=st.integers(1, 1_000_000),
    seed=st.integers(0, 2**40),
    noise=st.floats(1e-6, 1e6),
    prior=st.sampled_from(["flat", "normal"]),
)
def test_a_link_brings_the_settings_back(sweeps, seed, noise, prior):
    rows = [
        Integer("sweeps", "Sweeps", 20_000, low=1),
        Seed(),
        Real("noise", "Noise", 2.0, above=0.0),
        Choice("prior", "Prior", "flat", {"flat": "Flat", "normal": "Normal"}),
    ]
    sent, received = Settings(rows), Settings(rows)
    sent.set(sweeps=sweeps, seed=seed, noise=float(f"{noise:.10g}"), prior=prior)
    received.restore(sent.query())
    assert received.values == sent.values


def test_a_broken_link_changes_nothing(settings):
    settings.restore({"sweeps": "many", "unheard": "1"})
    assert settings["sweeps"] == 20_000


def test_the_dice_draws_another_seed(settings):
    seeds = set()
    form = SettingsForm(settings)
    for _ in range(5):
        form._handle_msg({"name": "seed", "roll": True})
        seeds.add(settings["seed"])
    assert len(seeds) > 1
    assert seeds <= set(range(10_000))


def test_a_fold_shows_its_value(settings):
    assert settings.shown["summaries"] == {"Priors": "Flat"}
    settings.set(prior="normal")
    assert settings.shown["summaries"] == {"Priors": "Normal"}


def test_a_form_follows_its_settings(settings):
    form = SettingsForm(settings)
    form._handle_msg({"name": "noise", "text": "0"})
    assert form.state["values"]["noise"] == "0"
    assert "above 0" in form.state["errors"]["noise"]
    settings.set(noise=3.0)
    assert (form.state["values"]["noise"], form.state["errors"]) == ("3", {})
    settings.pending(["seed"])
    assert form.state["pending"] == ["seed"]
