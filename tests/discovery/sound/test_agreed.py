"""Boundaries that several runs agree on."""

import json

import numpy as np
import pytest

from otlab.cli import main
from otlab.discovery.sound.decode import agreed_boundaries
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.scores import boundary_ratio
from otlab.discovery.sound.speech import Speech, read_speech
from otlab.inference import fit


def speech(*lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    names = tuple(f"u{k}" for k in range(len(lengths)))
    return Speech("s", names, np.zeros((int(offsets[-1]), 1)), offsets, np.zeros(len(lengths)))


def starts(size, *frames):
    out = np.zeros(size, np.float32)
    out[list(frames)] = 1.0
    return out


def inner(segments):
    """The boundaries of each utterance, in frames."""
    return [[round((i.start - 0.0075) / 0.01, 3) for i in each[1:]] for each in segments]


def test_a_boundary_of_most_runs_is_at_their_mean_and_one_of_few_is_none():
    data = speech(20, 12)
    runs = [
        starts(32, 0, 5, 12, 20, 25),
        starts(32, 0, 6, 16, 20, 26, 29),
        starts(32, 0, 6, 9, 20, 22, 29),
    ]
    # 5, 6, 6; 9, 12 and 16 are of one run each. In the second utterance: 5, 6 of two runs, 9 of two.
    found = agreed_boundaries(data, runs)
    assert inner(found) == [[pytest.approx(17 / 3, abs=1e-3)], [5.5, 9.0]]
    assert [each[0].start for each in found] == [0.0, 0.0]
    assert found[1][-1].end == pytest.approx(11 * 0.01 + 0.025)


def test_half_of_the_runs_are_not_most_and_no_boundary_is_shared_by_two_utterances():
    data = speech(6, 6)
    runs = [starts(12, 0, 4, 6), starts(12, 0, 6, 10)]
    assert inner(agreed_boundaries(data, runs)) == [[], []]
    assert inner(agreed_boundaries(speech(3), [starts(3, 0)])) == [[]]


def test_one_sure_run_agrees_with_itself():
    run = starts(40, 0, 3, 6, 11, 25, 28, 35)
    assert inner(agreed_boundaries(speech(25, 15), [run])) == [[3, 6, 11], [3, 10]]


@pytest.mark.slow
def test_the_result_of_several_chains_has_them_and_the_command_line_scores_them(capsys):
    options = ["--units", "8", "--components", "1", "--iterations", "3", "--seed", "1"]
    main(["discover", "--audio", "spoken_toy", *options, "--restarts", "3", "--json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    data = read_speech("spoken_toy")
    fitted = fit(PhoneLoop(data, units=8, components=1), steps=3, chains=3, seed=1)
    assert scores["agreed_boundary_f"] == fitted.agreed_boundary_f
    assert fitted.agreed_boundary_f == boundary_ratio(fitted.agreed, data.phones).f
    alone = fit(PhoneLoop(data, units=8, components=1), steps=3, seed=1)
    assert scores["boundary_f"] == alone.scores.boundary.f
    assert "agreed_boundary_f" not in alone.to_dict()["scores"]
