from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from otlab.discovery.corpus import Corpus
from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners.mcmc import MCMC
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import fit, run
from otlab.inference.random import chain_generators
from tests.discovery import naive

TEXTS = (("aa", "aaa"), ("abab", "ab"))


def sampled(text, discount, sweeps, *, lattice, seed):
    """Segmentations visited, as counts of tuples of tuples of words."""
    corpus = Corpus.from_text("\n".join(text))
    grammar = parse_grammar(f"S -> Word+\n@Word 50 1.5 {discount}\nWord -> Phon+")
    parser = Parser(corpus, grammar, lattice=lattice)
    learner = MCMC(corpus, grammar, learn=False, thin=1, keep=sweeps, parser=parser)
    (rng,) = chain_generators(seed, 1)
    state = learner.step(rng, learner.init(rng), sweeps)
    seen = Counter()
    for ends in learner.samples(state)[1:]:
        seen[tuple(tuple(corpus.words(u, ends)) for u in range(len(corpus)))] += 1
    return seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "discount", "lattice"), [(TEXTS[0], 0.4, True), (TEXTS[0], 0, False), (TEXTS[1], 0.4, False)]
)
def test_segmentations_have_their_exact_posterior(text, discount, lattice):
    """Against all segmentations, all seatings; repeats within an utterance need the correction."""
    exact = naive.word_posterior(text, sorted(set("".join(text))), 1.5, discount)
    sweeps, chains = 5_000, 4
    shares = []
    for seed in range(chains):
        seen = sampled(text, discount, sweeps, lattice=lattice, seed=seed)
        shares.append([seen[cut] / sweeps for cut in exact])
    # Batch means over chains and within give the Monte Carlo error of correlated draws.
    mean = np.mean(shares, axis=0)
    wanted = np.array(list(exact.values()))
    independent = np.sqrt(wanted * (1 - wanted) / (sweeps * chains))
    between = np.std(shares, axis=0, ddof=1) / np.sqrt(chains)
    sigma = np.maximum(3.0 * independent, between)
    assert (np.abs(mean - wanted) < 4.5 * sigma + 1e-4).all()


def check_counts(learner, state):
    """Every total equals the sum over the derivations."""
    offset, parser = len(learner.corpus), learner.parser
    derivations, tables, restaurants = state.derivations, state.tables, state.restaurants
    rules = np.zeros_like(state.rule_count)
    customers = Counter()

    def walk(container):
        cell = derivations.first[container]
        while cell >= 0:
            value = int(derivations.value[cell])
            if value >= 0:
                rules[value] += 1
            else:
                customers[-value - 1] += 1
            cell = derivations.following[cell]

    live = np.flatnonzero((tables.string >= 0) & (tables.seated > 0))
    for container in [*parser.items, *(offset + live)]:
        walk(container)
    assert (rules == state.rule_count).all()
    assert {int(k): int(tables.seated[k]) for k in live} == dict(customers)
    for a in range(len(parser.adapted)):
        mine = live[tables.adaptor[live] == a]
        assert restaurants.tables[a] == mine.size
        assert restaurants.customers[a] == tables.seated[mine].sum()
        mass = np.zeros(restaurants.mass.shape[1])
        np.add.at(mass, tables.string[mine], tables.seated[mine] - restaurants.discount[a])
        assert restaurants.mass[a] == pytest.approx(mass)
    assert state.free.left[1] == tables.string.size - live.size


@pytest.mark.parametrize("name", ["word", "collocation", "morphology", "syllable"])
def test_counts_add_up(toy, name):
    learner = MCMC(toy, preset(name))
    run_ = run(learner, sweeps=4, seed=2)
    run_.finish()
    check_counts(learner, run_.states[0])


@pytest.fixture
def counted_arrays():
    """A function that returns how many arrays made by kernels are not freed."""
    _nrt_python.memsys_enable_stats()

    def alive():
        stats = rtsys.get_allocation_stats()
        return stats.mi_alloc - stats.mi_free

    yield alive
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("name", ["word", "collocation"])
def test_sweeps_free_the_arrays_they_make(toy, name, counted_arrays):
    """The kernel of a sweep counts no references, so it must make no arrays."""
    learner = MCMC(toy, preset(name))
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 1)
    before = counted_arrays()
    learner.step(rng, state, 5)
    assert counted_arrays() == before


def test_written_phones_and_long_rules(short):
    """Rules cut in two, phones inside rules, words that are not adapted."""
    grammar = parse_grammar("S -> P+\n@P 9 5 0.2\nP -> Word+\nWord -> 'a' X 'b'\nWord -> Phon\nX -> Phon+")
    learner = MCMC(short, grammar)
    run_ = run(learner, sweeps=30, seed=2)
    run_.finish()
    state = run_.states[0]
    check_counts(learner, state)
    ends = learner.samples(state)[-1]
    words = [w for u in range(len(short)) for w in short.words(u, ends)]
    assert all(len(w) == 1 or (w[0] == "a" and w[-1] == "b" and len(w) > 2) for w in words)


def test_results_do_not_depend_on_ticks(toy):
    views = [
        run(MCMC(toy, preset("collocation")), sweeps=6, seed=5, every=e).finish().view for e in (1, 4, 6)
    ]
    for view in views[1:]:
        assert (view.objective == views[0].objective).all()
        assert (view.ends == views[0].ends).all()


def test_log_joint_is_the_enumerated_one():
    """Seating and rules of a state, written out."""
    corpus = Corpus.from_text("abab\nab")
    grammar = parse_grammar("S -> Word+\n@Word 50 1.5 0.4\nWord -> Phon+")
    learner = MCMC(corpus, grammar, learn=False)
    (rng,) = chain_generators(1, 1)
    state = learner.step(rng, learner.init(rng), 5)
    live = np.flatnonzero(state.tables.seated > 0)
    tables = [["x"] * int(state.tables.seated[k]) for k in live]
    assert state.occupancy(0).log_probability(1.5, 0.4) == pytest.approx(naive.log_seating(tables, 1.5, 0.4))


@pytest.mark.slow
def test_hyperparameters_are_drawn_from_their_posterior(toy):
    """Slice draws of the concentration against quadrature, the trees held fixed."""
    learner = MCMC(toy, preset("word"))
    (rng,) = chain_generators(3, 1)
    state = learner.init(rng)
    drawn = []
    for _ in range(3_000):
        learner.draw_hyperparameters(rng, state)
        drawn.append(state.restaurants.concentration[0])
    grid = np.linspace(0.05, 400, 40_000)
    log_p = np.array([state.occupancy(0).log_p(x, 0.0) for x in grid[::40]])
    p = np.exp(log_p - log_p.max())
    mean = float((grid[::40] * p).sum() / p.sum())
    sd = float(np.sqrt((grid[::40] ** 2 * p).sum() / p.sum() - mean**2))
    assert abs(np.mean(drawn) - mean) < 4.5 * sd * np.sqrt(3.0 / len(drawn))


@pytest.mark.slow
def test_collocations_find_planted_words():
    corpus = generate(ToyLanguage(words=20, utterances=400, pairs=0.3, seed=4))
    view = fit(MCMC(corpus, preset("collocation")), steps=200, seed=1).view
    assert score(corpus, view.ends > 0.5).token.f > 0.85
