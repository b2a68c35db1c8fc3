"""VB, EM, MAP and Gibbs: reference numbers, brute force, and the learners' protocol."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma, gammaln
from scipy.stats import dirichlet

from otlab.errors import InputError
from otlab.inference.dirichlet import log_marginal
from otlab.inference.learner import Learner
from otlab.mg.io.read import loads
from otlab.mg.learners import LEARNERS
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.fit import induce, make_learner
from otlab.mg.learners.snapshot import dirichlet_intervals
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.sentences import read_corpus_text
from otlab.samples import load_sample, samples


def by_category(grammar, values):
    index = grammar.lexicon.category_index
    return [np.asarray(values)[index == k] for k in range(index.max() + 1)]


def brute_force_elbo(grammar, sentences, alpha, omega):
    """E_q[log p] - E_q[log q], derivation by derivation; also ln Z and expected counts."""
    numbers = {t: i for i, t in enumerate(grammar.lexicon.texts)}
    groups = by_category(grammar, range(len(alpha)))
    expected_log = np.empty(len(alpha))
    value = 0.0
    for group in groups:
        expected_log[group] = digamma(omega[group]) - digamma(omega[group].sum())
        value += gammaln(alpha[group].sum()) - gammaln(alpha[group]).sum()
        value += ((alpha[group] - 1) * expected_log[group]).sum()
        value += dirichlet(omega[group]).entropy() if len(group) > 1 else 0.0
    counts = np.zeros(len(alpha))
    for sentence in sentences:
        readings = [r.derivation for r in parse(grammar, tuple(sentence)).best(10_000)]
        uses = np.array([np.bincount([numbers[t] for t in d.texts], minlength=len(alpha)) for d in readings])
        weights = uses @ expected_log
        q = np.exp(weights - np.logaddexp.reduce(weights))
        value += q @ weights - q @ np.log(q)
        counts += q @ uses
    return value, counts


def test_figure_1_is_solved_after_one_iteration(figure1, figure1_corpus):
    found = induce(figure1, figure1_corpus, alpha=1.0, iterations=3)
    assert found.elbo[1] == pytest.approx(-6.4457198194, abs=1e-10)
    assert found.elbo[1:] == pytest.approx([found.elbo[1]] * 3, abs=1e-12)
    assert found.snapshot.trace[:, 0] == pytest.approx(
        found.snapshot.trace[:, 1] - found.snapshot.trace[:, 2]
    )


@pytest.mark.parametrize("name", ["stabler_king", "english_np_movement", "dutch_cross_serial", "copy_ww"])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 7.0])
def test_unambiguous_corpora_give_the_exact_log_evidence(name, alpha):
    lexicon = load_sample(name)
    found = induce(lexicon, alpha=alpha, iterations=1)
    evidence = sum(
        log_marginal(c, np.full(len(c), alpha)) for c in by_category(found.grammar, found.snapshot.counts)
    )
    assert found.elbo[1] == pytest.approx(evidence, rel=1e-12)


def test_gender_induction_is_stuck_at_the_prior_and_warned_of(gender, gender_corpus):
    found = induce(gender, gender_corpus, alpha=0.5, iterations=100)
    assert found.elbo[-1] == pytest.approx(-28.308258, abs=5e-7)
    assert found.warnings[0].startswith("symmetric start: tied items le :: =n1 d, le :: =n2 d")


@pytest.mark.parametrize("seed", range(5))
def test_gender_induction_finds_the_classes_from_jitter(gender, gender_corpus, seed):
    found = induce(gender, gender_corpus, alpha=0.5, iterations=300, init="jitter", seed=seed)
    assert found.elbo[-1] == pytest.approx(-23.191948, abs=5e-7)
    assert not found.warnings
    counts = found.by_item(found.snapshot.counts)
    for word, total in (("le", 5), ("la", 5)):
        share = max(counts[f"{word} :: =n1 d"], counts[f"{word} :: =n2 d"]) / total
        assert share > 0.996


@pytest.mark.parametrize(
    "name", ["english_pp_attachment", "gender_induction", "noun_compounds", "smc_two_wh"]
)
def test_elbo_counts_and_updates_by_brute_force(name):
    grammar = Grammar(load_sample(name))
    sentences = [s for s in grammar.lexicon.corpus for _ in range(2)]
    alpha = np.random.default_rng(3).uniform(0.2, 2.0, len(grammar.lexicon))
    learner = make_learner("vb", parse_corpus(grammar, sentences), alpha, init="jitter")
    rng = np.random.default_rng(4)
    state = learner.init(rng)
    for _ in range(4):
        elbo, counts = brute_force_elbo(grammar, sentences, alpha, state.parameter)
        assert state.trace[-1, 0] == pytest.approx(elbo, abs=1e-9)
        assert state.count == pytest.approx(counts, abs=1e-10)
        state = learner.step(rng, state, 1)
        assert state.parameter == pytest.approx(alpha + counts, abs=1e-10)


@pytest.mark.parametrize("name", [s.name for s in samples("mg")])
@pytest.mark.parametrize("init", ["prior", "jitter", "counts"])
def test_the_elbo_never_falls(name, init):
    elbo = induce(load_sample(name), alpha=0.3, iterations=60, init=init, seed=1).elbo
    assert np.diff(elbo).min() >= -1e-9 * abs(elbo[-1])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.5, 3.0]))
def test_the_elbo_never_falls_on_random_corpora(seed, alpha):
    lexicon = load_sample("english_pp_attachment")
    corpus = generate(lexicon, 15, seed=seed, most_words=9).sentences
    elbo = induce(lexicon, corpus, alpha=alpha, iterations=30, init="jitter", seed=seed).elbo
    assert np.diff(elbo).min() >= -1e-9 * abs(elbo[-1])


def test_em_and_map_never_fall_and_em_reaches_relative_frequencies(figure1, figure1_corpus):
    lexicon = load_sample("english_pp_attachment")
    for learner in ("em", "map"):
        objective = induce(lexicon, alpha=2.0, iterations=60, learner=learner).elbo
        assert np.diff(objective).min() >= -1e-9 * abs(objective[-1])
    found = induce(figure1, figure1_corpus, learner="em", iterations=2)
    assert found.by_item(found.snapshot.theta)["what :: d -wh"] == pytest.approx(0.5)


def test_map_needs_pseudo_counts_of_one(figure1):
    with pytest.raises(InputError, match="MAP needs"):
        induce(figure1, learner="map", alpha=0.5)


def exact_posterior_mean_counts(grammar, sentences, alpha):
    """E[counts | corpus] with theta integrated out, over every combination of readings."""
    numbers = {t: i for i, t in enumerate(grammar.lexicon.texts)}
    readings = [
        [
            np.bincount([numbers[t] for t in r.derivation.texts], minlength=len(alpha))
            for r in parse(grammar, s).best(99)
        ]
        for s in sentences
    ]
    groups = by_category(grammar, range(len(alpha)))
    totals = [sum(combination) for combination in itertools.product(*readings)]
    logs = np.array([sum(log_marginal(t[g], alpha[g]) for g in groups) for t in totals])
    weights = np.exp(logs - np.logaddexp.reduce(logs))
    return weights @ np.array(totals), weights @ np.array(totals) ** 2


@pytest.mark.slow
def test_gibbs_agrees_with_the_exact_posterior():
    lexicon = load_sample("english_pp_attachment")
    grammar = Grammar(lexicon)
    sentences = [
        "john saw the man with the telescope",
        "john slept with the hat",
        "john saw the man with the hat",
    ]
    corpus = [tuple(s.split()) for s in sentences]
    alpha = np.full(len(lexicon), 0.5)
    mean, square = exact_posterior_mean_counts(grammar, corpus, alpha)
    sweeps = 4000
    found = induce(grammar, corpus, alpha=0.5, learner="gibbs", iterations=sweeps, seed=2)
    sd = np.sqrt(np.maximum(0, square - mean**2))
    # Successive sweeps are correlated: allow for a quarter of them being worth a draw.
    assert (np.abs(found.snapshot.counts - mean) <= 4.5 * sd / math.sqrt(sweeps / 4) + 1e-12).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_keep_to_the_protocol(name, gender, gender_corpus):
    grammar = Grammar(gender)
    learner = make_learner(name, parse_corpus(grammar, gender_corpus), np.ones(len(gender)), init="jitter")
    assert isinstance(learner, Learner)
    views = []
    for cuts in ((6,), (1, 2, 3)):
        rng = np.random.default_rng(11)
        state = learner.init(rng)
        for n in cuts:
            state = learner.step(rng, state, n)
        views.append(learner.view(state))
    assert (views[0].trace == views[1].trace).all()
    assert (views[0].counts == views[1].counts).all()
    assert len(views[0].trace) == 7
    before = views[0].omega.copy()
    learner.step(rng, state, 1)
    assert (views[1].omega == before).all()


def test_tolerance_stops_and_does_not_depend_on_ticks(gender, gender_corpus):
    grammar = Grammar(gender)
    learner = make_learner(
        "vb", parse_corpus(grammar, gender_corpus), np.full(12, 0.5), init="jitter", tol=1e-6
    )
    traces = []
    for cut in (1, 7, 500):
        rng = np.random.default_rng(2)
        state = learner.init(rng)
        while not learner.finished(state) and len(state.trace) <= 500:
            state = learner.step(rng, state, cut)
        traces.append(state.trace)
    assert len(traces[0]) < 400
    assert all((t == traces[0]).all() for t in traces)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_corpus_with_a_silent_loop(learner):
    lexicon = load_sample("silent_loop")
    found = induce(lexicon, alpha=2.0, iterations=30, learner=learner, seed=3)
    assert np.isfinite(found.snapshot.trace).all()
    assert found.by_item(found.snapshot.counts)["a :: c"] == pytest.approx(2.0)


def test_a_loop_by_hand():
    """One sentence, one loop: the expected count of VB is t / (1 - t) at theta*."""
    lexicon = load_sample("silent_loop")
    learner = make_learner("vb", parse_corpus(Grammar(lexicon), [("a",)]), np.ones(3))
    state = learner.init(np.random.default_rng(0))
    t = math.exp(digamma(1.0) - digamma(3.0))
    assert state.count == pytest.approx([1.0, t / (1 - t), 0.0], rel=1e-10)
    assert state.log_z[0] == pytest.approx(math.log(t / (1 - t)), rel=1e-10)


def test_sentences_without_derivation_are_listed_and_left_out(figure1, figure1_corpus):
    with_bad = induce(figure1, [*figure1_corpus, ["did", "what"], ["fish"]], iterations=2)
    without = induce(figure1, figure1_corpus, iterations=2)
    assert with_bad.corpus.unparsed == (("did", "what"), ("fish",))
    assert (with_bad.elbo == without.elbo).all()
    assert "2 different sentences have no derivation" in with_bad.warnings[-1]
    one_bad = induce(figure1, [*figure1_corpus, ["fish"], ["fish"]], iterations=2)
    assert one_bad.warnings[-1] == "1 sentence has no derivation and is left out"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "above 0"),
        ({"learner": "gibs"}, "did you mean gibbs"),
        ({"init": "piror"}, "choose from prior"),
        ({"corpus": []}, "empty"),
        ({"corpus": [["fish"]]}, "nothing can be learnt"),
    ],
)
def test_impossible_settings(figure1, options, message):
    with pytest.raises(InputError, match=message):
        induce(figure1, **options)


def test_multiplicities_equal_repetitions(gender, gender_corpus):
    grammar = Grammar(gender)
    corpus = parse_corpus(grammar, gender_corpus)
    assert corpus.packed.weight.tolist() == [3, 2, 3, 2]
    assert (corpus.size, corpus.words) == (10, 20)
    # Four sentences, one signature: one forest.
    assert len(corpus.packed.node_ptr) == 2


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "text", ["le soleil | 3\nla lune | 2\nle jour", "3 le soleil\n2\tla lune\n1 le jour"]
)
def test_counts_of_a_corpus_weigh_as_repetitions(gender, learner, text):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        counts = read_corpus_text(text, Grammar(gender).vocabulary)
    assert len(told) == (not text.startswith("le"))
    assert dict(counts) == {("le", "soleil"): 3, ("la", "lune"): 2, ("le", "jour"): 1}
    repeated = [s.split() for s in ["le soleil"] * 3 + ["la lune"] * 2 + ["le jour"]]
    options = {"learner": learner, "seed": 3, "iterations": 5, "alpha": 1.5}
    counted, written_out = (
        induce(gender, parse_corpus(Grammar(gender), corpus), **options) for corpus in (counts, repeated)
    )
    assert np.array_equal(counted.snapshot.theta, written_out.snapshot.theta)
    assert np.array_equal(counted.snapshot.counts, written_out.snapshot.counts)
    once = induce(gender, parse_corpus(Grammar(gender), list(counts)), **options)
    assert not np.allclose(once.snapshot.theta, counted.snapshot.theta)


def test_intervals_are_quantiles_of_the_dirichlet():
    omega, groups = np.array([3.0, 0.5, 7.0, 2.0]), np.array([0, 1, 0, 0])
    low, high = dirichlet_intervals(omega, groups, level=0.9)
    drawn = np.random.default_rng(1).dirichlet(omega[[0, 2, 3]], size=200_000)
    expected = np.quantile(drawn, [0.05, 0.95], axis=0)
    np.testing.assert_allclose([low[[0, 2, 3]], high[[0, 2, 3]]], expected, atol=0.005)
    assert (low[1], high[1]) == (1.0, 1.0), "alone in its category"


def test_parameters_lie_within_their_intervals(gender, gender_corpus):
    found = induce(gender, gender_corpus, init="jitter", seed=3)
    table = found.parameters
    assert table.index.tolist() == list(gender.texts)
    assert table.groupby("category").probability.sum().tolist() == pytest.approx([1] * len(gender.categories))
    assert (table.low <= table.probability).all()
    assert (table.probability <= table.high).all()
    assert table.uses.tolist() == found.snapshot.counts.tolist()


def test_pseudo_counts_of_items_and_categories_are_used():
    lexicon = loads("@start c\n@alpha c 4\na :: c\nb :: c | 0.25\nd :: =c d\n")
    found = induce(lexicon, [["a"]], iterations=1)
    assert found.snapshot.omega.tolist() == [5.0, 0.25, 1.0]
