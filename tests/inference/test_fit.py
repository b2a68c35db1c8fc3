"""Fitting is running to the end: the same numbers however it is watched, stopped or cut up."""

import param
import pytest

from otlab.errors import InputError
from otlab.inference import conclude, fit, run
from otlab.inference.fit import Fitted
from otlab.inference.random import run_seed
from otlab.inference.registry import LearnerEntry, allowed_values
from tests.inference.toys import Countdown, Walk


def test_a_fit_is_the_end_of_a_run():
    fitted, watched = (
        fit(Walk(), steps=50, chains=3, seed=7),
        run(Walk(), sweeps=50, chains=3, seed=7, every=1),
    )
    assert fitted.views == watched.finish().views
    assert (fitted.seed, fitted.chains, fitted.stopped) == (7, 3, False)


def test_each_chain_is_the_run_of_its_own_seed():
    fitted = fit(Walk(), steps=20, chains=3, seed=7)
    alone = [fit(Walk(), steps=20, seed=seed).view for seed in fitted.seeds]
    assert list(fitted.views) == alone
    assert fitted.seeds == tuple(run_seed(7, k) for k in range(3))


def test_watching_changes_nothing_and_may_stop():
    ticks = []
    fitted = fit(Walk(), steps=5_000, seed=3, watch=lambda tick: ticks.append(tick) or tick.sweep > 10)
    assert fitted.stopped
    assert fitted.tick is ticks[-1]
    assert fitted.warnings == (f"stopped after {ticks[-1].sweep:,} of 5,000 steps",)
    assert fitted.view == fit(Walk(), steps=ticks[-1].sweep, seed=3).view


def test_a_run_that_ends_on_a_watched_tick_was_not_stopped():
    assert not fit(Countdown(3), steps=3, seed=1, watch=lambda tick: tick.finished).stopped


def test_interrupting_a_watched_fit_keeps_what_is_there():
    def interrupt(tick):
        raise KeyboardInterrupt

    assert fit(Walk(), steps=5_000, seed=3, watch=interrupt).stopped


def test_interrupting_a_fit_that_nobody_watches_ends_it():
    class Interrupted(Walk):
        def step(self, rng, state, n):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(Interrupted(), steps=5_000, seed=3)


def test_the_best_chain_has_the_largest_value():
    fitted = fit(Walk(), steps=20, chains=5, seed=7)
    best = fitted.best(lambda view: view[0])
    assert fitted.views[best][0] == max(view[0] for view in fitted.views)


def test_a_fit_says_how_it_was_made():
    values = fit(Walk(size=2), steps=4, chains=2, seed=7).to_dict()
    assert values["settings"] == {"size": 2, "name": "walk", "steps": 4, "chains": 2}
    assert (values["learner"], values["seed"], values["warnings"]) == ("walk", 7, [])
    assert set(values["versions"]) == {"otlab", "numpy", "numba"}


def test_a_learner_may_return_its_own_result():
    class OfWalks(Fitted):
        pass

    class Named(Walk):
        def conclude(self, run, tick, *, stopped):
            return OfWalks(run, tick, stopped)

    assert isinstance(fit(Named(), steps=2, seed=1), OfWalks)
    assert isinstance(conclude(run(Named(), sweeps=2, seed=1)), OfWalks)


def test_impossible_numbers_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        fit(Walk(), steps=1, chains=0)


def test_a_registered_learner_says_how_long_it_runs():
    class Settings(param.Parameterized):
        steps = param.Integer(None, allow_None=True)

    class Iterated(param.Parameterized):
        iterations, restarts = param.Integer(7), param.Integer(2)

    entry = LearnerEntry("walk", lambda data, settings: Walk(), "Walk", "sweep", Settings)
    assert entry.fit(None, Settings(steps=3), seed=1).run.total == 3
    assert entry.length(Walk(), Iterated()) == (7, 2)
    with pytest.raises(InputError, match="the settings of walk give no length of a run; pass steps"):
        entry.fit(None, Settings(), seed=1)


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (param.Selector(default="a", objects=["a", None, "b"]), "choose from a, b"),
        (param.Boolean(False), "write true or false"),
        (param.String(""), "write a text"),
        (param.Integer(1, bounds=(1, 9)), "write a whole number, 1 or more and 9 or less"),
        (param.Number(0.5, bounds=(None, 1), inclusive_bounds=(True, False)), "write a number, below 1"),
        (param.Number(0.5), "write a number"),
    ],
)
def test_allowed_values_are_told_in_words(parameter, words):
    assert allowed_values(parameter) == words
