"""Pipeline and joint model: phases, a monotone objective, threads, and what comes out."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from otlab.discovery.joint.bottom import expect_spoken
from otlab.discovery.joint.learners import LEARNERS
from otlab.discovery.joint.learners.joint import Joint, Pipeline
from otlab.discovery.sound.estep import expect
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.toy import ToySpeech, write_toy_speech
from otlab.discovery.toy import ToyLanguage
from otlab.inference import fit, run
from otlab.inference.random import chain_generators
from otlab.viz.discovery.sound import split_phases


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speech")
    write_toy_speech(folder, ToySpeech(ToyLanguage(words=5, utterances=12, mean_words=2.0, seed=3)))
    return read_speech(folder)


def joint(speech, **settings):
    units = PhoneLoop(speech, units=12, components=1)
    return Joint(units, unit_iterations=5, word_iterations=6, rounds=5, relearn_every=2, **settings)


@pytest.fixture(scope="module")
def fitted(speech):
    learner = joint(speech)
    return fit(learner, steps=learner.steps, seed=1)


@pytest.mark.slow
def test_the_objective_does_not_fall_within_a_phase(fitted):
    view = fitted.view
    marks = [(mark.iteration, mark.what) for mark in view.marks]
    assert marks == [(6, "words begin, 1 unused unit left out"), (7, "joint begins")]
    for phase in np.split(view.objective, [6, 7]):
        assert (np.diff(phase) >= -1e-6 * np.abs(phase[:-1])).all()
    assert view.objective[-1] > view.objective[7]


def test_the_objective_at_the_words_of_the_pipeline_is_where_the_joint_phase_starts(speech, fitted):
    """The same J as that of a learner that leaves the strings as they are; later values are no lower."""
    kept = joint(speech, propose=False)
    alone = fit(kept, steps=kept.steps - kept.rounds + 1, seed=1).view
    assert fitted.view.pipeline_objective == pytest.approx(alone.objective[-1], rel=1e-12)
    assert fitted.view.pipeline_objective == pytest.approx(alone.pipeline_objective, rel=1e-12)
    assert fitted.view.pipeline_objective <= fitted.view.objective[7:].min()
    assert fitted.to_dict()["objective_of_pipeline"] == fitted.view.pipeline_objective


def test_before_the_joint_phase_it_is_the_pipeline(speech, fitted):
    learner = Pipeline(PhoneLoop(speech, units=12, components=1), 5, 6)
    alone = fit(learner, steps=learner.steps, seed=1).view
    assert (alone.objective == fitted.view.objective[:7]).all()
    assert alone.edits is None


def test_words_cover_each_utterance(speech, fitted):
    for u, words in enumerate(fitted.words):
        assert words[0].start == 0.0
        assert [w.end for w in words[:-1]] == [w.start for w in words[1:]]
        assert all(w.end >= w.start for w in words)
        assert words[-1].end == pytest.approx((speech.lengths[u] - 1) * speech.hop + speech.window)
    assert fitted.word_scores.token.gold == sum(
        w.label not in ("_", "_:") for tier in speech.words for w in tier
    )


def test_results_do_not_depend_on_threads_or_ticks(speech, fitted):
    learner = joint(speech, threads=1)
    other = run(learner, sweeps=learner.steps, seed=1, every=3).finish().view
    assert (other.objective == fitted.view.objective).all()
    assert other.tokens.utterances == fitted.view.tokens.utterances


def test_moving_variants_as_wholes_does_not_lower_the_objective(speech, fitted):
    """The first round after which variants are looked for ends at least as high as without."""
    learner = joint(speech, merge_variants=True)
    view = fit(learner, steps=learner.steps, seed=1).view
    assert (np.diff(view.objective[7:]) >= -1e-6 * np.abs(view.objective[7:-1])).all()
    assert view.objective[8] >= fitted.view.objective[8] - 1e-6 * abs(fitted.view.objective[8])


def test_with_fixed_source_strings_only_sound_is_learnt_again(speech):
    learner = joint(speech, propose=False)
    view = fit(learner, steps=learner.steps, seed=1).view
    assert (np.diff(view.objective[7:]) >= -1e-6 * np.abs(view.objective[7:-1])).all()
    units = [tuple(k for token in u for k in token.units) for u in view.tokens.utterances]
    pipeline = fit(Pipeline(learner.units, 5, 6), steps=6, seed=1).view
    assert units == [tuple(k for token in u for k in token.units) for u in pipeline.tokens.utterances]


def test_settings_reach_the_learner(speech):
    entry = LEARNERS["joint"]
    settings = entry.settings(iterations=4, word_iterations=3, rounds=2, units=7, components=1)
    learner = entry.make(speech, settings)
    assert (learner.units.units, learner.steps) == (7, 4 + 1 + 2)
    assert entry.length(learner, settings)[0] == learner.steps


@pytest.fixture(scope="module")
def sparse(speech):
    """A phone loop with more units than the speech has uses for, and its state after some iterations."""
    loop = PhoneLoop(speech, units=90, components=1)
    return loop, run(loop, sweeps=5, seed=1, every=5)


@pytest.mark.slow
def test_pruned_units_cost_each_utterance_no_more_than_their_expected_uses(speech, sparse):
    loop, ran = sparse
    ran.finish()
    (state,) = ran.states
    for least in (0.5, 1.0):
        fewer = loop.pruned(state, least)
        size = fewer.posterior.prior.units
        assert size < 90
        assert (state.expected.entries[size:] < least).all()
        assert state.expected.entries[size - 1] >= least
        assert fewer.posterior.scores.loop.entry.tolist() == state.posterior.scores.loop.entry[:size].tolist()
        lost = state.expected.log_z - fewer.expected.log_z
        for u in range(len(speech)):
            gone = expect(speech.subset([u]), state.posterior.scores).entries[size:].sum()
            assert gone < 1
            rounding = 1e-9 + 1e-14 / (1 - gone)  # of the logarithm, where hardly anything is left
            assert -1e-9 <= lost[u] <= -np.log1p(-gone) + rounding
        assert fewer.posterior.penalty <= state.posterior.penalty * (1 + 1e-12)  # but for rounding
        assert fewer.expected.frames.unit.max() < size
    assert loop.pruned(state, 0.0) is state


@pytest.mark.slow
def test_words_and_edits_are_of_the_units_that_are_left(speech, sparse):
    loop, _ = sparse
    learner = Joint(loop, unit_iterations=5, word_iterations=6, rounds=4, relearn_every=2)
    fitted = fit(learner, steps=learner.steps, seed=1)
    view = fitted.view
    size = view.entries.size
    assert [mark.what for mark in view.marks] == [
        f"words begin, {90 - size} unused units left out",
        "joint begins",
    ]
    assert [phase.tolist() for phase in split_phases(view)] == [
        view.objective[:6].tolist(),
        view.objective[7:].tolist(),
    ]
    assert view.edits.insertion.size == view.weight.size == size < 90
    used = {k for u in view.tokens.utterances for token in u for k in token.units}
    assert max(used) < size
    joint_phase = view.objective[7:]
    assert (np.diff(joint_phase) >= -1e-6 * np.abs(joint_phase[:-1])).all()
    assert fitted.to_dict()["units"][-1]["unit"] < size
    whole = fit(replace(learner, least_uses=0.0), steps=learner.steps, seed=1).view
    assert whole.entries.size == 90


def test_nothing_changes_where_every_unit_is_used(speech):
    learner = Joint(PhoneLoop(speech, units=7, components=1), 5, 6, rounds=3)
    left = fit(learner, steps=learner.steps, seed=1).view
    whole = fit(replace(learner, least_uses=0.0), steps=learner.steps, seed=1).view
    assert left.entries.size == 7
    assert (left.objective == whole.objective).all()


def test_memory_of_a_round_does_not_grow_with_the_number_of_utterances(speech):
    """Long sound is cut into utterances, and one at a time has its lattice in memory."""
    learner = joint(speech)
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 8)
    longest, peaks = int(np.argmax(speech.lengths)), []
    for copies in (2, 16):
        many, tops = speech.subset([longest] * copies), [state.tops[longest]] * copies
        tracemalloc.start()
        expect_spoken(many, state.loop.posterior.scores, state.edits, learner.limits, tops, threads=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
