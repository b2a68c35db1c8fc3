"""Truncated VB of the infinite HMM: its bound against enumeration, its point estimates, and their climb."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from otlab.cli.main import main
from otlab.inference import fit
from otlab.inference.dirichlet import log_marginal
from otlab.tagging import Concentration, Corpus, KnownTags, Prior, make_learner, simulate_hmm
from otlab.tagging.hmm.hdp import Franchise
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.hmm.weak_limit import climb, log_prior, prior_masses
from otlab.tagging.learners.sampling import log_emissions
from tests.tagging.test_infinite import planted

PRIORS = Concentration(1.5, 0.7), Concentration(2.0, 0.5)
OPTIONS = {"new_states": PRIORS[0], "row_concentration": PRIORS[1], "prior": Prior(0.4)}


def log_joint(corpus, labels, franchise):
    """Return ln P(words, labels) given the weights and concentrations, by counts alone."""
    labels, states = np.array(labels), franchise.base.size - 1
    counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
    return log_emissions(counts, Prior(0.4)) + log_marginal(counts.transitions, prior_masses(franchise))


@pytest.mark.parametrize("sticky", [False, True])
def test_the_bound_is_below_the_enumerated_probability_at_the_same_weights(sticky):
    text = Corpus(np.array([0, 1, 0, 0, 1, 2], np.int32), np.array([0, 4, 6]), ("a", "b", "c"))
    learner = make_learner("vb-hdp", text, states=3, sticky=sticky, **OPTIONS)
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 40)
    every = [log_joint(text, labels, state.franchise) for labels in itertools.product(range(3), repeat=6)]
    exact = np.logaddexp.reduce(every) + log_prior(state.franchise, PRIORS)
    bound = -learner.view(state).objective[-1]
    assert exact - 5 < bound < exact


def test_with_all_tags_known_the_objective_is_exact():
    text = simulate_hmm(80, 1, tags=3, types=12)
    learner = make_learner("vb-hdp", text, states=4, known=KnownTags("all"), sticky=True, **OPTIONS)
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 5)
    exact = log_joint(text, text.tags, state.franchise) + log_prior(state.franchise, PRIORS)
    assert learner.view(state).objective[-1] == pytest.approx(-exact, abs=1e-8)


@pytest.mark.parametrize("sticky", [False, True])
def test_the_climb_ends_where_no_direction_leads_up(sticky):
    rng = np.random.default_rng(4)
    counts = rng.gamma(0.7, 6.0, size=(5, 5))
    counts[-1, -1] = 0
    point = Franchise(1.0, 3.0, 0.4 if sticky else 0.0, np.full(5, 0.2))

    def height(at):
        return log_marginal(counts, prior_masses(at)) + log_prior(at, PRIORS)

    heights = [height(point)]
    for _ in range(400):
        point = climb(counts, point, PRIORS)
        heights.append(height(point))
    assert (np.diff(heights) >= 0).all()
    step = 1e-4
    for sign in (1, -1):
        factor = np.exp(sign * step)
        moved = [replace(point, gamma=point.gamma * factor), replace(point, alpha=point.alpha * factor)]
        for k in range(5):
            base = point.base.copy()
            base[k] *= factor
            moved.append(replace(point, base=base / base.sum()))
        if sticky:
            odds = point.rho / (1 - point.rho) * factor
            moved.append(replace(point, rho=odds / (1 + odds)))
        # Uphill by less than the square of the step: the slope is 0.
        assert all(height(at) - heights[-1] < step**1.5 * 1e-2 for at in moved)


@pytest.mark.parametrize("options", [{}, {"sticky": True}, {"learn_priors": True}, {"precision": "f32"}])
def test_the_objective_never_rises(options):
    text = simulate_hmm(900, 2, tags=4, types=60)
    for known in (KnownTags(), KnownTags("30%")):
        view = fit(make_learner("vb-hdp", text, states=9, known=known, **options), steps=40, seed=3).view
        assert not view.alarm
        assert view.objective[-1] < view.objective[0]
        assert (view.concentrations[:, 2] > 0).all() == ("sticky" in options)
        assert (view.priors is not None) == ("learn_priors" in options)


def test_states_that_are_not_needed_lose_their_tokens():
    text = planted(4, 600, 1)
    view = fit(make_learner("vb-hdp", text, states=20), steps=150, seed=1).view
    assert view.state_counts[0] > view.state_counts[-1]
    assert view.state_counts[-1] <= 12
    assert view.states_interval() == (view.state_counts[-1],) * 3
    assert view.tokens_per_state.size == 20


def test_the_command_line_says_how_many_states_have_words(tmp_path, capsys):
    path = tmp_path / "text.tsv"
    path.write_text("\n".join("\n".join(f"{w}\t{t}" for w, t in s) + "\n" for s in planted(3, 200, 1)))
    command = ["tag", str(path), "--learner", "vb-hdp", "--states", "9", "--iterations", "20", "--seed", "1"]
    assert main([*command, "--sticky", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    assert len(row["state_counts"]) == 21
    assert row["states"]["draws"] == row["state_counts"][-1:]
    assert min(row["concentrations"]["rho"]) > 0
    assert main(command) == 0
    assert "states of one expected word or more, gamma " in capsys.readouterr().out
