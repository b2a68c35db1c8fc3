"""Settings: what is typed, what is kept, what a link carries."""

from __future__ import annotations

from itertools import chain
from typing import ClassVar

import param
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab import discovery, mg, ot, tagging, ui
from otlab.ui.fields import Field, Fold, Seed, label_of, like, link_texts, put_texts, text_of, values_of
from otlab.ui.settings_form import SettingsForm
from tests.ui.page import send


def every_entry():
    """Return the entries of all four registries."""
    return list(chain(*(system.LEARNERS.values() for system in (ot, tagging, mg, discovery))))


class WalkSettings(param.Parameterized):
    sweeps = param.Integer(20_000, bounds=(1, 1_000_000))
    seed = Seed()
    noise = param.Number(2.0, bounds=(0, None), inclusive_bounds=(False, True))
    sd = param.Number(None, bounds=(0, None), inclusive_bounds=(False, True), allow_None=True)
    total = param.Integer(None, bounds=(1, None), allow_None=True)
    share = param.Number(0.5, bounds=(0, 1), inclusive_bounds=(True, False))
    centred = param.Boolean(default=True)
    note = param.String("")
    sizes = param.List(default=[50, 25], item_type=int)
    prior = param.Selector(default="flat", objects={"Flat": "flat", "Normal": "normal"})

    fields: ClassVar = {"total": Field("sample size", none="as counted")}
    folds: ClassVar = (Fold("Priors", ("prior",), lambda s: label_of(s, "prior")),)


@pytest.fixture
def settings():
    return WalkSettings()


@pytest.fixture
def form(settings):
    return SettingsForm(settings)


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
        ("total", "as counted", None),
        ("total", "1 000", 1000),
        ("sizes", "4, 3 4", [4, 3]),
        ("prior", "normal", "normal"),
        ("centred", "off", False),
        ("note", " a b ", "a b"),
    ],
)
def test_what_is_typed_becomes_a_value(settings, form, name, typed, value):
    form.type(name, typed)
    assert getattr(settings, name) == value
    assert form.errors == {}
    form.type(name, text_of(settings, name))
    assert getattr(settings, name) == value, "what is shown reads back"


@pytest.mark.parametrize(
    ("name", "typed", "message"),
    [
        ("sweeps", "12x", "Write a whole number, like 20,000."),
        ("total", "many", "Write a whole number."),
        ("share", "1", "Write a number from 0 and below 1."),
        ("sizes", "2.5", "Write whole numbers above 0, like 50, 25."),
        ("centred", "maybe", "on or off"),
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
def test_a_bad_value_is_refused_with_a_reason_and_the_old_one_kept(settings, form, name, typed, message):
    before, shown = getattr(settings, name), text_of(settings, name)
    form.type(name, typed)
    assert getattr(settings, name) == before
    assert message in form.errors[name]
    assert form.state["values"][name] == typed, "what was typed must stay to be mended"
    form.type(name, shown)
    assert form.errors == {}


def test_a_link_carries_what_differs_and_always_the_seed(settings):
    assert link_texts(settings) == {"seed": "2005"}
    settings.param.update(sweeps=30_000, prior="normal")
    assert link_texts(settings) == {"seed": "2005", "sweeps": "30000", "prior": "normal"}


@pytest.mark.slow
@given(
    sweeps=st.integers(1, 1_000_000),
    seed=st.integers(0, 2**40),
    noise=st.floats(1e-6, 1e6),
    sd=st.none() | st.floats(1e-6, 1e6),
    centred=st.booleans(),
    sizes=st.lists(st.integers(1, 500), min_size=1, unique=True),
    prior=st.sampled_from(["flat", "normal"]),
)
def test_a_link_brings_the_settings_back(noise, sd, **others):
    sd = None if sd is None else float(f"{sd:.10g}")
    sent, received = WalkSettings(noise=float(f"{noise:.10g}"), sd=sd, **others), WalkSettings()
    put_texts(received, link_texts(sent))
    assert values_of(received) == values_of(sent)


def test_a_broken_link_changes_nothing(settings):
    put_texts(settings, {"sweeps": "many", "unheard": "1"})
    assert settings.sweeps == 20_000


def test_the_dice_draws_another_seed(settings, form):
    seeds = set()
    for _ in range(5):
        send(form, {"name": "seed", "roll": True})
        seeds.add(settings.seed)
    assert len(seeds) > 1
    assert seeds <= set(range(10_000))


def test_a_fold_shows_its_value(settings, form):
    assert form.state["summaries"] == {"Priors": "Flat"}
    settings.prior = "normal"
    assert form.state["summaries"] == {"Priors": "Normal"}


def test_a_form_follows_its_settings(settings, form):
    send(form, {"name": "noise", "text": "0"})
    assert form.state["values"]["noise"] == "0"
    assert "above 0" in form.state["errors"]["noise"]
    settings.noise = 2.0  # its value all along
    assert (form.state["values"]["noise"], form.state["errors"]) == ("2", {})
    form.show_pending(["seed"])
    assert form.state["pending"] == ["seed"]


def test_a_choice_that_is_taken_back_is_drawn():
    """The field shows what was chosen until the form is drawn, though no value is another than before."""

    class Adding(param.Parameterized):
        sample = param.Selector(default="", objects=["", "one"])

    settings = Adding()
    settings.param.watch(lambda _: settings.param.update(sample=""), "sample")
    form, drawn = SettingsForm(settings), []
    form.param.watch(lambda event: drawn.append(event.new["values"]), "state")
    send(form, {"name": "sample", "text": "one"})
    assert drawn[-1] == {"sample": ""}


def test_a_form_draws_any_settings():
    class Plain(param.Parameterized):
        size = param.Number(1.0, doc="Size of a step.")
        rule = param.Selector(default="one", objects=["one", "two"])

    form = SettingsForm(Plain())
    assert [row["label"] for row in form.spec] == ["Size", "Rule"]
    assert form.spec[0]["tip"] == {"name": "Size", "text": "Size of a step."}
    assert form.spec[1]["options"] == [["one", "one"], ["two", "two"]]


@pytest.mark.parametrize("entry", every_entry(), ids=lambda entry: f"{entry.label}-{entry.unit}")
def test_a_form_draws_the_settings_of_every_learner(entry):
    settings = entry.settings()
    form = SettingsForm(settings)
    assert {row["name"] for row in form.spec} == set(values_of(settings))
    before = values_of(settings)
    for name, text in form.state["values"].items():
        form.type(name, text)
    assert (form.errors, values_of(settings)) == ({}, before)


def test_a_parameter_like_a_learners_leaves_the_learners_alone():
    class Mine(param.Parameterized):
        trials = like(WalkSettings, "sweeps", default=7, bounds=(1, 9), label="Trials")

    assert (Mine().trials, Mine.param.trials.label, Mine.param.trials.bounds) == (7, "Trials", (1, 9))
    assert (WalkSettings().sweeps, WalkSettings.param.sweeps.name) == (20_000, "sweeps")


def test_what_the_interface_offers_is_there():
    assert all(getattr(ui, name) is not None for name in ui.__all__)


def test_a_fold_of_a_learner_is_shown_while_the_learner_is_ticked():
    class Two(param.Parameterized):
        first = param.Integer(1)
        second = param.Integer(2)
        folds: ClassVar = (
            Fold("Always", ("first",), lambda s: str(s.first)),
            Fold("Walk", ("second",), lambda s: str(s.second), learners=("walk",)),
        )

    form = SettingsForm(Two())
    form.show_learners(set())
    assert form.state["hidden"] == ["Walk"]
    form.show_learners({"walk", "other"})
    assert form.state["hidden"] == []
