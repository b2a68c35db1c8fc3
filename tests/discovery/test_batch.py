from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

from otlab.discovery.grammar_file import parse_grammar
from otlab.discovery.learners import sticks as sticks_module
from otlab.discovery.learners import variational
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.starts import Geometric, Peaks, start_named
from otlab.discovery.learners.sticks import Sticks, learn_hyperparameters, prior, prior_mean
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import InputError
from otlab.inference import fit, run
from tests.discovery import naive

counts = st.lists(st.floats(0, 50), min_size=1, max_size=6)
hyper = st.tuples(st.floats(0.5, 200), st.sampled_from([0.0, 0.3, 0.8]))

DISCOUNT = parse_grammar("S -> Word+\n@Word 500 50 0.3\nWord -> Phon+", "discount")


def fitted(uses, new=3.0, concentration=50.0, discount=0.3):
    uses = np.array(uses, dtype=float)
    return Sticks.fitted(np.arange(uses.size), uses, new, concentration, discount)


@given(counts, hyper, st.floats(0, 20))
def test_sticks_follow_their_definitions(uses, ab, new):
    made = fitted(uses, new, *ab)
    log_weights, leftover = naive.stick_weights(sorted(uses, reverse=True), new, *ab)
    assert np.log(made.weights) == pytest.approx(log_weights, abs=1e-9)
    assert np.log(made.leftover) == pytest.approx(leftover, abs=1e-9)


@given(counts, hyper, st.randoms(use_true_random=False))
def test_no_order_of_sticks_beats_descending_uses(uses, ab, random):
    """What the bound gains from a Beta posterior fitted to counts is ln of a ratio of Betas."""
    from scipy.special import betaln

    def gain(order):
        n = np.array(order)
        first, second = prior(n.size, *ab)
        after = np.concatenate([np.cumsum(n[::-1])[::-1][1:], [0.0]])
        return float((betaln(first + n, second + after + 3.0) - betaln(first, second)).sum())

    shuffled = random.sample(uses, len(uses))
    assert gain(sorted(uses, reverse=True)) >= gain(shuffled) - 1e-9


def test_stick_moments_and_kl_by_quadrature():
    made = fitted([7, 2, 0.5])
    first, second = prior(3, 50.0, 0.3)
    expected = 0.0
    for k in range(3):
        q, p = beta_distribution(made.first[k], made.second[k]), beta_distribution(first[k], second[k])
        expected += quad(lambda x, q=q, p=p: q.pdf(x) * (q.logpdf(x) - p.logpdf(x)), 0, 1)[0]
    assert made.kl() == pytest.approx(expected, rel=1e-6)
    rng = np.random.default_rng(1)
    nu = rng.beta(made.first, made.second, size=(200_000, 3))
    pi = nu * np.cumprod(np.column_stack([np.ones(len(nu)), 1 - nu[:, :-1]]), axis=1)
    assert made.mean == pytest.approx(
        pi.mean(axis=0), abs=4.5 * float((pi.std(axis=0) / len(nu) ** 0.5).max())
    )
    assert made.sd == pytest.approx(pi.std(axis=0), rel=0.02)
    assert prior_mean(3, 50.0, 0.3)[0] == pytest.approx(0.7 / 51.0)


@given(counts, st.floats(1, 100), st.sampled_from([0.0, 0.2, 0.6]))
def test_refitted_hyperparameters_never_lower_the_bound(uses, concentration, discount):
    before = fitted(uses, 3.0, concentration, discount)
    after = learn_hyperparameters(before)

    def objective(s):
        return -s.kl() + sticks_module.hyper_log_prior(s.concentration)

    assert objective(after) >= objective(before) - 1e-9
    assert (after.discount == 0.0) == (discount == 0.0)


def falls(objective):
    """The largest relative fall between two iterations."""
    return float(np.max(-np.diff(objective) / np.abs(objective[:-1])))


@pytest.mark.parametrize("grammar", [preset("word"), preset("collocation"), preset("morphology"), DISCOUNT])
def test_bound_never_falls_for_a_fixed_lexicon(toy, grammar):
    learner = BatchVB(toy, grammar, births=0, prune_every=1_000)
    view = fit(learner, steps=25, seed=3).view
    assert falls(view.objective) <= 1e-6
    assert view.marks == ()
    assert view.objective[-1] > view.objective[0]


def test_marks_say_where_the_lexicon_changed(toy):
    view = fit(BatchVB(toy, preset("word"), Geometric(0.5), births=3, prune_every=5), steps=12, seed=3).view
    assert {m.iteration for m in view.marks} <= {1, 2, 3, 5, 10}
    fallen = np.flatnonzero(np.diff(view.objective) < -1e-6 * np.abs(view.objective[:-1])) + 1
    assert set(fallen.tolist()) <= {m.iteration for m in view.marks}


def _earlier_tokens(strings, uses, new, concentration, discount):
    """gamma 2 as printed: j < i."""
    made = Sticks.fitted(strings, uses, new, concentration, discount)
    uses = np.sort(uses)[::-1]
    before = np.concatenate([[0.0], np.cumsum(uses)[:-1]])
    return replace(made, second=prior(uses.size, concentration, discount)[1] + before)


def _printed_weights(sticks):
    """phi as printed: E ln nu again in the sum."""
    before = np.concatenate([[0.0], np.cumsum(sticks.log_taken)])[: len(sticks)]
    return np.exp(sticks.log_taken + before)


def _no_prior(parser, found, active, hyper, *, learn):
    """tau as printed: without alpha."""
    right = variational_fitted(parser, found, active, hyper, learn=learn)
    return replace(right, tau=np.maximum(found.rule, 1e-6))


def _only_grammatons(parser, found, active, hyper, *, learn):
    """Rule counts of adapted strings only: data sentences forgotten below a start that is not adapted."""
    right = variational_fitted(parser, found, active, hyper, learn=learn)
    top = [k for k, rule in enumerate(parser.grammar.rules) if rule.left in ("Utterance", "Word+")]
    tau = right.tau.copy()
    tau[top] = parser.chart.prior[top]
    return replace(right, tau=tau)


variational_fitted = variational.fitted


@pytest.mark.parametrize(
    ("target", "name", "wrong"),
    [
        (variational.Sticks, "fitted", staticmethod(_earlier_tokens)),
        (variational.Sticks, "weights", property(_printed_weights)),
        (variational, "fitted", _no_prior),
        (variational, "fitted", _only_grammatons),
    ],
)
def test_the_formulas_as_printed_make_the_bound_fall_or_stay_below(toy, monkeypatch, target, name, wrong):
    def learnt():
        learner = BatchVB(toy, preset("word"), births=0, prune_every=1_000, learn=False, spread=0.0)
        return fit(learner, steps=12, seed=3).view.objective

    right = learnt()
    original = Sticks.fitted
    if name == "fitted" and target is variational.Sticks:
        monkeypatch.setitem(
            _earlier_tokens.__globals__, "Sticks", type("Plain", (), {"fitted": staticmethod(original)})
        )
    monkeypatch.setattr(target, name, wrong)
    printed = learnt()
    assert falls(printed) > 1e-6 or printed[-1] < right[-1] - 1.0


@pytest.mark.parametrize(("concentration", "discount"), [(3.0, 0.0), (3.0, 0.3), (0.5, 0.4)])
def test_two_tokens_share_a_type_as_in_a_pitman_yor_process(concentration, discount):
    """E[sum of pi_i^2] is (1 - b)/(1 + a); the Beta(1 - b, a - i b) printed gives another, or none."""
    first, second = prior(200_000, concentration, discount)
    both = first + second
    taken = first * (first + 1) / (both * (both + 1))
    passed = second * (second + 1) / (both * (both + 1))
    together = (taken * np.concatenate([[1.0], np.cumprod(passed)[:-1]])).sum()
    assert together == pytest.approx((1 - discount) / (1 + concentration), rel=1e-4)


def test_results_do_not_depend_on_ticks_or_threads(toy):
    views = [
        run(BatchVB(toy, preset("word"), threads=t), sweeps=6, seed=5, every=e).finish().view
        for t, e in ((1, 1), (2, 6), (3, 4))
    ]
    for view in views[1:]:
        assert (view.objective == views[0].objective).all()
        assert (view.ends == views[0].ends).all()


def test_planted_words_are_found():
    corpus = generate(
        ToyLanguage(words=60, utterances=1000, onsets="ptkbdgmnslrwfvzjh", codas="nslrmkt", exponent=0.8)
    )
    view = fit(BatchVB(corpus, preset("word")), steps=30, seed=1).view
    found = score(corpus, view.ends > 0.5)
    assert found.token.f > 0.8
    assert found.boundary.f > 0.85


def test_starts():
    assert start_named("peaks") == Peaks()
    assert start_named("0.25") == Geometric(0.25)
    for text in ("1.5", "peak"):
        with pytest.raises(InputError):
            start_named(text)


def test_branching_entropy_by_hand(short):
    from math import log

    from otlab.discovery.learners.starts import branching_entropy
    from otlab.discovery.parsing.spans import number_spans

    def entropy(following):
        times = [following.count(x) for x in set(following)]
        return -sum(n / len(following) * log(n / len(following)) for n in times)

    lines = ["".join(short.utterance(u)) for u in range(len(short))]
    after = {x: [f"{line}$"[k + 1] for line in lines for k, y in enumerate(line) if y == x] for x in "abc"}
    before = {x: [f"^{line}"[k] for line in lines for k, y in enumerate(line) if y == x] for x in "abc"}
    found = branching_entropy(short, number_spans(short), 1)
    for u, line in enumerate(lines):
        for k in range(len(line) - 1):
            wanted = entropy(after[line[k]]) + entropy(before[line[k + 1]])
            assert found[short.offsets[u] + k] == pytest.approx(wanted)
