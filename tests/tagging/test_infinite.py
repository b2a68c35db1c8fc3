"""The infinite HMM: its posterior over partitions against the Chinese restaurant franchise."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy.special import roots_genlaguerre, roots_legendre

from otlab.cli.main import main
from otlab.errors import InputError
from otlab.inference import fit, run
from otlab.tagging import Annealing, Corpus, KnownTags, Prior, compare, make_learner, simulate_hmm
from otlab.tagging.hmm.hdp import Concentration, parse_concentration

EMISSION = 0.4
END = -1  # the boundary, as a row and as an outcome
KEPT = {
    name: parse_concentration(value, "")
    for name, value in (("new_states", "1.5"), ("row_concentration", "0.8"))
}
GAMMA_PRIOR = Concentration(2.0, 1.0)  # of both, where they are learnt


def partitions(size):
    """Return every partition of `size` tokens, as states in the order of their first token."""
    found = [[]]
    for _ in range(size):
        found = [[*labels, k] for labels in found for k in range(max(labels, default=-1) + 2)]
    return found


def franchise(transitions, gamma, alpha, rho, seen, dishes):
    """Return the probability of transitions, summed over all ways to sit: at an old table, or a new one.

    `seen` counts customers by (row, dish) and row; `dishes` counts the tables of each dish.
    """
    if not transitions:
        return 1.0
    (row, dish), *rest = transitions
    customers = seen.get(row, 0)
    after = {**seen, row: customers + 1, (row, dish): seen.get((row, dish), 0) + 1}
    own = 0.0 if row == END else rho
    old = seen.get((row, dish), 0) + alpha * own * (row == dish)
    tables = sum(dishes.values())
    weight = dishes.get(dish, 0) + (dish == END) or gamma
    new = alpha * (1 - own) * weight / (tables + gamma + 1)
    grown = {**dishes, dish: dishes.get(dish, 0) + 1}
    total = alpha + customers
    kept = old / total * franchise(rest, gamma, alpha, rho, after, dishes)
    return kept + new / total * franchise(rest, gamma, alpha, rho, after, grown)


def log_words(words, labels, types, prior):
    total = 0.0
    for k in set(labels):
        counts = np.bincount(words[np.array(labels) == k], minlength=types)
        total += math.lgamma(types * prior) - math.lgamma(counts.sum() + types * prior)
        total += sum(math.lgamma(n + prior) - math.lgamma(prior) for n in counts)
    return total


def joint(corpus, labels, gamma, alpha, rho):
    """Return P(words, partition), for arrays of concentrations too."""
    transitions = []
    for begin, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        path = [END, *labels[begin:end], END]
        transitions += itertools.pairwise(path)
    words = math.exp(log_words(corpus.words, labels, corpus.types, EMISSION))
    return words * franchise(transitions, gamma, alpha, rho, {}, {})


@pytest.fixture(scope="module")
def tiny():
    return Corpus(np.array([0, 1, 0, 0, 1], np.int32), np.array([0, 4, 5]), ("a", "b"))


def canonical(labels):
    order = {}
    return tuple(order.setdefault(k, len(order)) for k in labels.tolist())


def sampled(learner, sweeps, of_state, seed=1):
    """Return the mean of what each sweep shows, and its standard error by batches."""
    rng = np.random.default_rng(seed)
    state = learner.step(rng, learner.init(rng), 20)
    rows = []
    for _ in range(sweeps):
        state = learner.step(rng, state, 1)
        rows.append(of_state(state))
    means = np.array(rows, float).reshape(40, sweeps // 40, -1).mean(1)
    return means.mean(0), means.std(0, ddof=1) / np.sqrt(40)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ihmm", "ihmm-beam"])
def test_partitions_have_their_probabilities_under_the_franchise(tiny, name):
    every = partitions(tiny.tokens)
    weights = np.array([joint(tiny, labels, 1.5, 0.8, 0.0) for labels in every])
    exact = weights / weights.sum()
    place = {tuple(labels): i for i, labels in enumerate(every)}
    learner = make_learner(name, tiny, states=2, prior=Prior(EMISSION), **KEPT)
    means, errors = sampled(learner, 12_000, lambda state: np.eye(len(every))[place[canonical(state.labels)]])
    assert np.all(np.abs(means - exact) < 4.5 * np.maximum(errors, 1e-4))
    assert exact.max() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ihmm", "ihmm-beam"])
@pytest.mark.parametrize("sticky", [False, True])
def test_concentrations_are_drawn_from_their_posterior(tiny, sticky, name):
    """Means by quadrature: both concentrations have gamma priors, rho a uniform one."""
    points, weights = roots_genlaguerre(24, GAMMA_PRIOR.shape - 1)
    nodes, shares = roots_legendre(8) if sticky else (np.array([-1.0]), np.ones(1))
    gamma, alpha, rho = np.meshgrid(points, points, (nodes + 1) / 2, indexing="ij")
    prior = np.einsum("i,j,k", weights, weights, shares)
    statistics = (np.log(gamma), np.log(alpha), rho)
    total, sums = 0.0, np.zeros(5)
    for labels in partitions(tiny.tokens):
        mass = prior * joint(tiny, labels, gamma, alpha, rho)
        same, states = float(labels[0] == labels[2]), max(labels) + 1
        total += mass.sum()
        sums += [*((mass * value).sum() for value in statistics), same * mass.sum(), states * mass.sum()]
    priors = {"new_states": GAMMA_PRIOR, "row_concentration": GAMMA_PRIOR}
    learner = make_learner(name, tiny, states=2, prior=Prior(EMISSION), sticky=sticky, **priors)

    def row(state):
        now, labels = state.franchise, state.labels
        return [np.log(now.gamma), np.log(now.alpha), now.rho, labels[0] == labels[2], np.unique(labels).size]

    means, errors = sampled(learner, 12_000, row)
    assert np.all(np.abs(means - sums / total) <= 4.5 * errors)
    assert (errors[2] > 0) == sticky


def planted(states, tokens, seed):
    """Return a text of as many states, each with three words of its own, and seldom all others."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(states, 0.5), size=states + 1)
    words = np.kron(np.eye(states), np.full(3, 0.33)) + 0.01 / (3 * states)
    sentences, size = [], 0
    while size < tokens:
        before, sentence = states, []
        while not sentence or rng.random() > 0.1:
            before = int(rng.choice(states, p=rows[before]))
            word = rng.choice(3 * states, p=words[before] / words[before].sum())
            sentence.append((f"w{word}", f"T{before}"))
        sentences.append(sentence)
        size += len(sentence)
    return Corpus.from_sentences(sentences)


@pytest.mark.slow
@pytest.mark.parametrize(("states", "tokens"), [(4, 600), (8, 1000), (12, 2000)])
def test_planted_states_are_found_within_one(states, tokens):
    """New states are seldom here: under vague priors small ones come and go beside those planted."""
    text = planted(states, tokens, 3)
    priors = {"new_states": parse_concentration("0.1", ""), "row_concentration": Concentration(1.0)}
    view = fit(make_learner("ihmm", text, states=20, **priors), steps=1000, seed=2).view
    median, low, high = view.states_interval()
    assert abs(median - states) <= 1
    assert low <= median <= high
    assert view.final.many_to_one > 0.8


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_the_tables_of_a_sampler_with_more_and_more_states_are_its_counts(precision):
    """There is room for 15 states at first; that it is enlarged within a sweep changes no number."""
    text = simulate_hmm(600, 1, tags=8, types=200)
    priors = {
        "new_states": parse_concentration("40", ""),
        "row_concentration": Concentration(60.0, kept=True),
    }
    learner = make_learner("ihmm", text, states=4, sticky=True, precision=precision, **priors)
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 6)
    other = learner.init(again)
    for _ in range(6):
        other.tables = learner.tables(other, more=64)
        other = learner.step(again, other, 1)
    assert max(state.state_counts) > 16
    assert state.trace.objective == other.trace.objective
    assert np.array_equal(state.labels, other.labels)
    emissions, transitions, per_state = learner.measured(state)
    counts = learner.counts(state)
    assert np.array_equal(emissions[:, : counts.states], counts.emissions)
    assert np.array_equal(transitions, counts.transitions)
    assert np.array_equal(per_state, counts.per_state)
    assert state.franchise.base.sum() <= 1 + 1e-6
    assert np.array_equal(state.franchise.base[:-1] > 0, per_state > 0)


@pytest.mark.parametrize("name", ["ihmm", "ihmm-beam"])
def test_states_appear_and_vanish(name):
    text = planted(3, 30, 1)
    view = fit(make_learner(name, text, states=1, prior=Prior(0.5)), steps=80, seed=1).view
    assert view.state_counts[0] == 1
    assert (np.diff(view.state_counts) > 0).any()
    assert (np.diff(view.state_counts) < 0).any()
    assert view.state_counts[-1] == view.states_used == np.unique(view.labels).size
    assert view.transitions.shape == (view.tokens_per_state.size + 1,) * 2
    assert view.table.sum() == text.tokens


def test_the_log_joint_is_that_of_a_walk_through_the_text(tiny):
    """Each transition and word has its probability given those before, at the weights of the sample."""
    learner = make_learner("ihmm", tiny, states=3, prior=Prior(EMISSION), sticky=True)
    rng = np.random.default_rng(4)
    state = learner.step(rng, learner.init(rng), 7)
    now, total, seen, words = state.franchise, 0.0, {}, {}
    for begin, end in zip(tiny.offsets[:-1], tiny.offsets[1:], strict=True):
        before = END
        for place in [*range(begin, end), END]:
            k = END if place == END else int(state.labels[place])
            own = 0.0 if before == END else now.rho
            mass = now.alpha * ((1 - own) * now.base[k] + own * (k == before))
            total += math.log((seen.get((before, k), 0) + mass) / (seen.get(before, 0) + now.alpha))
            for key in ((before, k), before):
                seen[key] = seen.get(key, 0) + 1
            if place != END:
                word = int(tiny.words[place])
                total += math.log((words.get((k, word), 0) + EMISSION) / (words.get(k, 0) + 2 * EMISSION))
                for key in ((k, word), k):
                    words[key] = words.get(key, 0) + 1
            before = k
    assert learner.view(state).objective[-1] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", ["ihmm", "ihmm-beam"])
@pytest.mark.parametrize("options", [{}, {"learn_priors": True, "sticky": True}, {"precision": "f32"}])
def test_known_tags_stay_and_new_states_come_after_them(options, name):
    text = simulate_hmm(900, 1, tags=3, types=40)
    learner = make_learner(name, text, states=5, known=KnownTags("40%"), **options)
    whole = run(learner, sweeps=12, seed=3).finish()
    known = learner.known_states()
    assert np.array_equal(whole.views[0].labels[known >= 0], known[known >= 0])
    first = run(learner, sweeps=12, seed=3)
    first.advance(5)
    again = first.record().run().finish().views[0]
    assert np.array_equal(again.labels, whole.views[0].labels)
    assert np.array_equal(again.concentrations, whole.views[0].concentrations)
    fitted = fit(learner, steps=12, seed=3)
    assert fitted.model.state_names[:3] == text.tagset
    assert fitted.accuracy()["viterbi"].all > 0.6
    assert (fitted.view.priors is not None) == ("learn_priors" in options)


def test_empty_sentences_count_as_transitions_of_the_boundary():
    text = Corpus(np.array([0, 1], np.int32), np.array([0, 1, 1, 2]), ("a", "b"))
    learner = make_learner("ihmm", text, states=2)
    state = learner.init(np.random.default_rng(1))
    assert np.array_equal(learner.measured(state)[1], learner.counts(state).transitions)
    assert learner.measured(state)[1][-1, -1] == 1


def test_annealed_runs_and_several_chains_have_draws_of_the_number_of_states():
    text = planted(3, 200, 2)
    learner = make_learner("ihmm", text, states=4, annealing=Annealing(2.0, 5))
    fitted = fit(learner, steps=12, chains=2, seed=1)
    draws = fitted.learner.draws(fitted.views)
    assert draws["states"].shape == draws["gamma"].shape == (2, 12)
    assert "rho" not in draws
    assert {"states_median", "states_low", "states_high"} <= set(fitted.summary().columns)


def test_what_it_cannot_do_is_said():
    text = planted(3, 100, 2)
    with pytest.raises(InputError, match="allows no new states"):
        make_learner("ihmm", text, states=3, allowed=np.ones((text.types, 3), bool))
    with pytest.raises(InputError, match="finds its number of states"):
        compare(text, [2, 3], ["ihmm"])
    for wrong in ("1:2:3", "0", "1:-1", "x", "inf"):
        with pytest.raises(InputError, match=r"--new-states .*: write shape and rate"):
            parse_concentration(wrong, "--new-states")


def test_the_command_line_prints_the_number_of_states(tmp_path, capsys):
    path = tmp_path / "text.tsv"
    path.write_text("\n".join("\n".join(f"{w}\t{t}" for w, t in s) + "\n" for s in planted(3, 200, 1)))
    command = ["tag", str(path), "--learner", "ihmm", "--states", "3", "--iterations", "20", "--seed", "1"]
    assert main([*command, "--sticky", "--new-states", "2", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["runs"][0]
    counts = row["state_counts"]
    assert len(counts) == 21
    assert row["states"]["draws"] == counts[10:]
    low, high = row["states"]["interval"]
    assert low <= row["states"]["median"] <= high
    assert set(row["concentrations"]["gamma"]) == {2.0}
    assert "scores_max_marginal" in row
    assert main(command) == 0
    assert f"{row['seed']}: " in (shown := capsys.readouterr().out)
    assert " states (95 %: " in shown
    assert ", gamma " in shown
    assert "rho" not in shown
