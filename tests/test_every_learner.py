"""Every learner of every registry keeps to the one shape of `otlab.inference.learner`.

A system is one entry of `SYSTEMS`: its registry, some data, and how many steps its tests
take. Settings other than the defaults are in `VARIANTS`.
"""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from otlab import discovery, ot, tagging
from otlab.discovery.joint.learners import LEARNERS as SOUND_LEARNERS
from otlab.discovery.parsing.parser import Parser
from otlab.errors import InputError
from otlab.inference import Job, Learner, fit, run
from otlab.inference.digest import digest
from otlab.inference.random import run_seed
from otlab.inference.registry import LearnerEntry
from otlab.mg.io.read import loads
from otlab.mg.learners import LEARNERS as MG_LEARNERS
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.parsing.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Callable

LEXICON = "@start p\nx y :: p\nx :: =p p\ny :: p\n"


class System(NamedTuple):
    """A registry, the data of all its learners, settings of all of them, and steps of a run."""

    learners: dict[str, LearnerEntry]
    data: Callable[[], Any]
    steps: int
    settings: dict[str, Any]


def lexicon_data():
    corpus = discovery.generate(discovery.ToyLanguage(words=6, utterances=12))
    return Parser(corpus, discovery.load_grammar("word"))


def grammar_data():
    return parse_corpus(Grammar(loads(LEXICON)), [("x", "y"), ("x", "x", "y"), ("y",)])


def speech_data():
    rng = np.random.default_rng(1)
    features = rng.normal(size=(90, 4)) + 3 * rng.integers(0, 3, 90)[:, None]
    offsets = np.array([0, 25, 50, 90])
    return discovery.Speech("noise", ("u", "v", "w"), features, offsets, np.zeros(3))


def speakers_data():
    """Return two inputs of two candidates, said by three speakers in two items."""
    said = ((3, 1, 2, 2), (1, 3, 0, 4), (2, 2, 4, 0))
    lines = [
        f"s{k},w{item},x{item},{form},{counts[2 * item + place]},{1 - place},{place}"
        for k, counts in enumerate(said)
        for item in range(2)
        for place, form in enumerate("ab")
    ]
    return ot.read_text("\n".join(["Speaker,Item,Input,Output,n,A,B", *lines]) + "\n")


SYSTEMS = {
    "speakers": System(
        {name: entry for name, entry in ot.LEARNERS.items() if name.endswith("-mixed")},
        cache(speakers_data),
        60,
        {},
    ),
    "ot": System(ot.LEARNERS, cache(lambda: ot.read("spanish")), 60, {}),
    "tagging": System(
        tagging.LEARNERS, cache(lambda: tagging.simulate_hmm(120, 1, tags=3, types=15)), 20, {"states": 4}
    ),
    "mg": System(MG_LEARNERS, cache(grammar_data), 40, {"restarts": 1}),
    "discovery": System(discovery.LEARNERS, cache(lexicon_data), 8, {}),
    "sound": System(SOUND_LEARNERS, cache(speech_data), 8, {"units": 4}),
}
# Learner -> other settings to test it with.
VARIANTS = {
    "ot gibbs": {
        "normal prior": {"prior_sd": 1.0},
        "as published": {"variant": "published"},
        "ranked a priori": {"apriori": (("D", "A"),)},
    },
    "ot gla": {
        **{name: {"schedule": name, "sweeps": 60} for name in ("praat", "geometric", "constant")},
        "symmetric one": {"rule": "symmetric-one"},
    },
    "ot hg": {"in each cell, free": {"place": "cell", "weights": "free"}},
    "ot maxent-bayes": {"random walk, free": {"move": "walk", "weights": "free", "prior_sd": 1.0}},
    "ot maxent-online": {"normal prior": {"prior_sd": 1.0}},
    "ot unknown-noise": {"normal prior": {"prior_sd": 1.0}},
    "ot mixtures": {"one mixture": {"mixed": "A"}},
    "ot latent-gibbs": {"temperatures": {"temperatures": 3}},
    "ot exact": {"random walk": {"move": "walk"}, "normal prior": {"prior_sd": 1.0}},
    "ot mle": {"normal prior": {"prior_sd": 1.0}, "ranked a priori": {"apriori": (("D", "A"),)}},
    "sound units": {"transitions learnt": {"learn_transitions": True}},
    "ot maxent": {"free, with a prior": {"weights": "free", "prior_sd": 1.0}},
}


class Case(NamedTuple):
    """One learner with its settings."""

    entry: LearnerEntry
    system: System
    settings: dict[str, Any]

    def make(self):
        return self.entry.make(self.system.data(), self.chosen())

    def chosen(self, **more):
        return self.entry.settings(**{**self.system.settings, **self.settings, **more})

    @property
    def steps(self):
        return self.system.steps


def _cases():
    for name, system in SYSTEMS.items():
        for learner, entry in system.learners.items():
            for variant, settings in {"": {}, **VARIANTS.get(f"{name} {learner}", {})}.items():
                yield pytest.param(Case(entry, system, settings), id=f"{name} {learner} {variant}".strip())


every_learner = pytest.mark.parametrize("case", list(_cases()))


def numbers(value):
    """Return all that a view holds, as plain values."""
    if is_dataclass(value):
        return [numbers(getattr(value, f.name)) for f in fields(value)]
    if isinstance(value, dict):
        return {key: numbers(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [numbers(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def ends(case, **how):
    """Return what each of three chains shows at its end."""
    ran = run(case.make(), sweeps=case.steps, seed=11, chains=3, **how).finish()
    return [numbers(view) for view in ran.views]


_ENDS: dict[int, list[Any]] = {}  # what several tests compare with, by case


def usual_ends(case):
    """Return :func:`ends` of a run with the usual ticks and threads, which is made once."""
    if id(case) not in _ENDS:
        _ENDS[id(case)] = ends(case)
    return _ENDS[id(case)]


@every_learner
def test_has_the_shape(case):
    learner = case.make()
    assert isinstance(learner, Learner)
    assert learner.name == case.entry.name
    with pytest.raises(FrozenInstanceError):
        learner.name = "other"
    view = learner.view(learner.init(np.random.default_rng(1)))
    assert is_dataclass(view)
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        setattr(view, fields(view)[0].name, 0)


@every_learner
@pytest.mark.slow
def test_same_numbers_for_any_tick_size(case):
    for every in (1, 7, case.steps):
        assert ends(case, every=every) == usual_ends(case)


@every_learner
def test_same_numbers_for_any_threads(case):
    assert ends(case, threads=1) == ends(case, threads=3)


@every_learner
def test_chain_k_is_the_run_from_its_own_seed(case):
    for k, chain in enumerate(usual_ends(case)):
        assert numbers(fit(case.make(), steps=case.steps, seed=run_seed(11, k)).view) == chain


@every_learner
def test_goes_on_from_a_record(case):
    first = run(case.make(), sweeps=case.steps, seed=11, chains=3)
    first.advance(case.steps // 3)
    second = pickle.loads(pickle.dumps(first.record())).run()
    assert [numbers(view) for view in second.finish().views] == usual_ends(case)


@every_learner
def test_a_view_is_a_snapshot(case):
    learner = case.make()
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view = learner.view(state)
    before = numbers(view)
    learner.step(rng, state, 3 * case.steps)
    assert numbers(view) == before


@every_learner
def test_writing_into_a_view_changes_no_state(case):
    learner = case.make()
    rng = np.random.default_rng(2)
    state = learner.step(rng, learner.init(rng), 10)
    view, before = learner.view(state), numbers(learner.view(state))
    for f in fields(view):
        array = getattr(view, f.name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[:] = array.dtype.type(-1)
    assert numbers(learner.view(state)) == before


@every_learner
def test_stops_when_a_job_is_cancelled(case):
    job = Job(run(case.make(), sweeps=10**6, seed=1, every=1), paused=True).start()
    job.cancel()
    assert job.join(60)
    assert job.state == "stopped"


@every_learner
def test_settings_have_a_digest(case):
    assert digest(case.make()) == digest(case.make())


@every_learner
def test_a_fit_says_how_to_repeat_it(case):
    fitted = fit(case.make(), steps=case.steps // 3, chains=2, seed=5)
    record = fitted.to_dict()
    assert (record["learner"], record["seed"]) == (case.entry.name, 5)
    assert {"settings", "versions"} <= record.keys()
    assert len(fitted.seeds) == 2


@every_learner
def test_the_entry_fits_as_long_as_the_settings_say(case):
    lengths = {name: 3 for name in ("sweeps", "trials", "iterations") if name in case.entry.settings.param}
    settings, learner = case.chosen(**lengths), case.make()
    if not lengths:  # a tagger's settings leave it to the caller
        with pytest.raises(InputError, match="no length of a run"):
            case.entry.fit(case.system.data(), settings, seed=5)
    steps = None if lengths else 3
    fitted = case.entry.fit(case.system.data(), settings, steps=steps, seed=5)
    assert fitted.tick.total == case.entry.length(learner, settings, steps)[0]
    assert fitted.tick.sweep > 0
