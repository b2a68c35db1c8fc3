"""Options come from the settings of the learners in a registry."""

import argparse

import param
import pytest

from otlab.cli.options import add_learner_options, learner_settings
from otlab.errors import DataWarning, InputError
from otlab.inference.registry import LearnerEntry, registry


class Walking(param.Parameterized):
    steps = param.Integer(10, bounds=(1, None), doc="Steps to take.")
    noise = param.Number(2.0, bounds=(0, None), inclusive_bounds=(False, True), doc="Noise.")
    gait = param.Selector(default="walk", objects=["walk", "run"], doc="How to move.")


class Resting(param.Parameterized):
    steps = param.Integer(5, bounds=(1, None), doc="Steps to take.")
    noise = param.Number(None, allow_None=True, doc="Noise of sleep.")
    deep = param.Boolean(False, doc="Rest deeply.")


LEARNERS = registry(
    LearnerEntry("walk", None, "Walk", "sweep", Walking),
    LearnerEntry("rest", None, "Rest", "iteration", Resting),
)


def parsed(*arguments):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_learner_options(parser, LEARNERS)
    return learner_settings(parser.parse_args(arguments), LEARNERS)


def test_defaults_are_those_of_the_settings():
    assert (parsed().steps, parsed("--learner", "rest").steps) == (10, 5)


def test_the_help_names_learners_only_where_texts_or_defaults_differ():
    parser = argparse.ArgumentParser(formatter_class=lambda prog: argparse.HelpFormatter(prog, width=200))
    add_learner_options(parser, LEARNERS)
    shown = parser.format_help()
    assert "Steps to take (default: 10; rest: 5)" in shown
    assert "How to move (default: walk)" in shown
    assert "walk: Noise (default: 2.0); rest: Noise of sleep (default: none)" in shown
    assert shown.rstrip().endswith("Rest deeply")  # a flag has no default


def test_values_are_taken():
    settings = parsed("--steps", "3", "--noise", "0.5", "--gait", "run")
    assert (settings.steps, settings.noise, settings.gait) == (3, 0.5, "run")
    assert parsed("--learner", "rest", "--deep").deep


def test_an_option_of_another_learner_is_left_out_and_named():
    with pytest.warns(DataWarning, match="--gait does not apply to rest"):
        assert parsed("--learner", "rest", "--gait", "run").steps == 5


def test_all_values_that_are_not_allowed_are_named():
    with pytest.raises(InputError) as error:
        parsed("--steps", "0", "--noise", "0")
    assert [str(fault) for fault in error.value.faults] == [
        "--steps 0: write a whole number, 1 or more",
        "--noise 0.0: write a number, above 0",
    ]


def test_two_learners_of_one_name_are_refused():
    with pytest.raises(ValueError, match="one name"):
        registry(*LEARNERS.values(), LEARNERS["walk"])
