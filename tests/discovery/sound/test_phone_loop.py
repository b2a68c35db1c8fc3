"""The phone loop against enumeration, integration, planted units, and the wrong formulas of the paper."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from otlab.discovery.kernels import phone_loop as kernels
from otlab.discovery.learners.sticks import Sticks
from otlab.discovery.sound import phone_loop as model
from otlab.discovery.sound.decode import decode, frame_units
from otlab.discovery.sound.estep import Scores, expect
from otlab.discovery.sound.gaussians import Moments, NormalGamma
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import Speech
from otlab.errors import InputError
from otlab.inference import fit
from otlab.inference.blas import one_blas_thread
from tests.discovery.sound.naive import agreement, enumerate_loop, spoken

SIZES = [(4, 2, 2, 2), (5, 1, 3, 2), (3, 2, 3, 2), (4, 1, 1, 3)]


def case(size, seed=1, spread=2.0):
    """Scores and a loop with random weights."""
    _, _, states, units = size
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, spread, size)
    loop = kernels.Loop(
        *(rng.uniform(0.1, 0.9, shape) for shape in (units, (states, units), (states, units)))
    )
    return scores, loop


def outputs(length, states, units):
    counts = kernels.Counts(np.zeros(units), np.zeros((states, units)))
    frames = kernels.Frames(
        np.zeros(length, np.float32), np.zeros(length, np.int16), np.zeros(length, np.float32)
    )
    return counts, frames


def linear(scores, loop):
    length, _, states, units = scores.shape
    counts, frames = outputs(length, states, units)
    shape = (length, states, units)
    scratch = kernels.Scratch(np.empty(shape), np.empty(shape), np.empty(length), np.empty(length + 1))
    uses, log_z = scores.copy(), np.zeros(1)
    kernels.expected_counts(uses, np.array([0, length]), loop, scratch, counts, frames, log_z)
    return log_z[0], counts, uses, frames


def logarithmic(scores, loop):
    length, _, states, units = scores.shape
    counts, frames = outputs(length, states, units)
    uses = scores.copy()
    log_z = kernels.expected_counts_log(uses, loop, counts, frames, 0)
    return log_z, counts, uses, frames


@pytest.mark.parametrize("compute", [linear, logarithmic])
@pytest.mark.parametrize("size", SIZES)
def test_expected_counts_equal_enumeration(compute, size):
    scores, loop = case(size)
    z, entries, stays, uses, starts, _ = enumerate_loop(scores, loop)
    log_z, counts, found, frames = compute(scores, loop)
    assert log_z == pytest.approx(np.log(z))
    assert counts.entry == pytest.approx(entries)
    assert counts.stay == pytest.approx(stays)
    assert found == pytest.approx(uses)
    assert frames.start == pytest.approx(starts, abs=1e-6)
    by_unit = uses.sum(axis=(1, 2))
    np.testing.assert_array_equal(frames.unit, by_unit.argmax(axis=1))
    assert frames.probability == pytest.approx(by_unit.max(axis=1), abs=1e-6)


def test_scores_far_apart_are_left_to_the_logarithms():
    scores, loop = case((5, 1, 3, 2), spread=900.0)
    assert np.isnan(linear(scores, loop)[0])
    assert not np.isnan(logarithmic(scores, loop)[0])


def test_logarithms_and_plain_numbers_agree_on_long_utterances():
    scores, loop = case((80, 2, 3, 12), spread=15.0)
    one, other = linear(scores, loop), logarithmic(scores, loop)
    assert one[0] == pytest.approx(other[0], rel=1e-12)
    assert one[2] == pytest.approx(other[2], abs=1e-10)
    assert one[1].entry == pytest.approx(other[1].entry)
    assert one[1].stay == pytest.approx(other[1].stay)


def test_an_utterance_out_of_range_is_counted_by_logarithms():
    """Frames so far from every Gaussian of the states that can be reached that plain numbers underflow."""
    rng = np.random.default_rng(3)
    coefficients = np.zeros((1, 3, 2, 3))
    coefficients[0, :, :, 1] = rng.normal(0, 400, (3, 2))
    loop = case((5, 1, 3, 2))[1]
    features = np.array([[4.0], [-5.0], [6.0], [-4.0], [5.0]])
    speech = Speech("far", ("u",), features, np.array([0, 5]), np.zeros(1))
    scores = Scores(coefficients, loop)
    expected = expect(speech, scores, threads=1)
    table = np.concatenate([features**2, features, features**0], axis=1) @ coefficients.reshape(-1, 3).T
    log_z, _, uses, _ = logarithmic(table.reshape(5, 1, 3, 2), loop)
    assert np.isnan(linear(table.reshape(5, 1, 3, 2), loop)[0])
    assert expected.log_z[0] == pytest.approx(log_z)
    assert expected.moments.uses == pytest.approx(uses.sum(axis=0))
    assert expected.moments.first[..., 0] == pytest.approx(np.tensordot(features[:, 0], uses, 1))


@pytest.mark.parametrize("size", SIZES)
def test_the_best_path_is_the_best_of_all(size):
    scores, loop = case(size, seed=4)
    length, _, states, units = size
    weight = np.empty((length, states, units))
    kernels.unit_scores(scores, weight)
    path, left = np.zeros(length, np.int64), np.zeros(length, np.int64)
    logs = kernels.Loop(*map(np.log, loop))
    kernels.best_path(weight, logs, np.zeros(weight.shape, bool), left, path)
    best = enumerate_loop(scores, loop)[-1]
    assert path.tolist() == [-1 - m if entered else s * units + m for s, m, entered in best]


# Expectations and KL against integration.


def gaussian(seed=5):
    rng = np.random.default_rng(seed)
    uses = rng.uniform(1, 6, 2)
    data = rng.normal(0.4, 1.5, (2, 1))
    return NormalGamma.fitted(Moments(uses, uses[:, None] * data, uses[:, None] * (data**2 + 0.3)))


def grid(q, k):
    """Return precisions and means with the posterior's weight at each."""
    a, b = q.shape[k], q.rate[k, 0]
    precision = stats.gamma(a, scale=1 / b).ppf((np.arange(4000) + 0.5) / 4000)[:, None]
    sd = 1 / np.sqrt(q.pseudo_count[k] * precision)
    mean = stats.norm(q.mean[k, 0], sd).ppf((np.arange(400) + 0.5)[None, :] / 400)
    return precision, mean


def test_expected_log_density_equals_integration():
    q = gaussian()
    for k in range(2):
        precision, mean = grid(q, k)
        x = 0.7
        exact = (0.5 * (np.log(precision / (2 * np.pi)) - precision * (x - mean) ** 2)).mean()
        found = q.coefficients()[k] @ [x**2, x, 1.0]
        assert found == pytest.approx(exact, rel=2e-3)


def test_kl_of_gaussians_equals_integration():
    q, total = gaussian(), 0.0
    for k in range(2):
        precision, mean = grid(q, k)
        a, b, kappa = q.shape[k], q.rate[k, 0], q.pseudo_count[k]
        log_q = stats.gamma(a, scale=1 / b).logpdf(precision)
        log_q = log_q + stats.norm(q.mean[k, 0], 1 / np.sqrt(kappa * precision)).logpdf(mean)
        log_p = stats.gamma(1.0).logpdf(precision) + stats.norm(0, 1 / np.sqrt(precision)).logpdf(mean)
        total += (log_q - log_p).mean()
    assert q.kl() == pytest.approx(total, rel=5e-3)


# Learning.


def learn(speech, steps=25, seed=3, **settings):
    return fit(PhoneLoop(speech, **{"units": 8, "components": 2, **settings}), steps=steps, seed=seed)


@pytest.mark.parametrize(
    "settings", [{}, {"learn_transitions": True}, {"concentration": 0.1}, {"components": 1}]
)
def test_the_bound_never_falls(settings):
    objective = learn(spoken()[0], **settings).view.objective
    assert (np.diff(objective) >= -1e-6 * np.abs(objective[1:])).all()
    assert np.diff(objective)[:3].min() > 0


def test_sorting_is_the_best_order():
    speech, _ = spoken(utterances=10)
    state = PhoneLoop(speech, units=6).init(np.random.default_rng(1))
    entries, rng = state.expected.entries, np.random.default_rng(2)

    def gain(order):
        """The bound's part that depends on the order: expected log weights less KL."""
        sticks = sticks_in_order(entries[order])
        return float(entries[order] @ np.log(sticks.weights)) - sticks.kl()

    best = gain(np.argsort(-entries))
    assert all(gain(rng.permutation(6)) <= best + 1e-9 for _ in range(50))


def sticks_in_order(uses, concentration=1.0):
    """Sticks for uses in the order given, by the update's formula."""
    passed = np.cumsum(uses[::-1])[::-1] - uses
    return Sticks(np.arange(uses.size), 1 + uses, concentration + passed, concentration, 0.0)


def test_planted_units_are_recovered():
    speech, gold = spoken()
    found = learn(speech, steps=30, units=12, components=1, seed=1)
    units = np.concatenate([frame_units(segments) for segments in found.segments])
    assert agreement(units, gold) > 0.95
    assert found.view.objective[-1] > found.view.objective[0]


def test_segments_cover_each_utterance():
    speech, _ = spoken(utterances=5)
    view = learn(speech, steps=5).view
    for u in range(5):
        segments = decode(speech, view.posterior, u)
        assert segments[0].first == 0
        assert [s.stop for s in segments[:-1]] == [s.first for s in segments[1:]]
        assert segments[-1].stop == speech.lengths[u]
        assert min(s.stop - s.first for s in segments) >= 3


def test_numbers_do_not_depend_on_threads():
    speech, _ = spoken()
    one, other = (fit(PhoneLoop(speech, units=9, threads=n), steps=4, seed=1).view for n in (1, 2))
    np.testing.assert_array_equal(one.objective, other.objective)
    np.testing.assert_array_equal(one.start, other.start)


def test_an_utterance_shorter_than_a_unit_is_refused():
    speech, _ = spoken(utterances=2)
    short = replace(speech, offsets=np.array([0, 2, speech.frames]))
    with pytest.raises(InputError, match="u0 has 2 frames: a unit takes 3"):
        PhoneLoop(short)


# The wrong formulas of the paper (discovery.md, 3.0, by number), each put in the place of the right one.


def wrong_passed(monkeypatch):
    """4: gamma 2 sums the uses before stick i instead of those after it."""

    def fitted(strings, uses, new, concentration, discount):
        order = np.argsort(-uses, kind="stable")
        before = np.cumsum(uses[order]) - uses[order]
        return Sticks(strings[order], 1 + uses[order], concentration + before, concentration, discount)

    monkeypatch.setattr(model.Sticks, "fitted", staticmethod(fitted))


def wrong_total(monkeypatch):
    """4: gamma 2 has the total instead of the uses that passed."""

    def fitted(strings, uses, new, concentration, discount):
        order = np.argsort(-uses, kind="stable")
        total = np.full(uses.size, uses.sum())
        return Sticks(strings[order], 1 + uses[order], concentration + total, concentration, discount)

    monkeypatch.setattr(model.Sticks, "fitted", staticmethod(fitted))


def wrong_index(monkeypatch):
    """3: gamma 1 by the number of the unit instead of that of its stick."""
    right = Sticks.fitted

    def fitted(strings, uses, *rest):
        sticks = right(strings, uses, *rest)
        return replace(sticks, first=1 + uses)

    monkeypatch.setattr(model.Sticks, "fitted", staticmethod(fitted))


def wrong_weight(monkeypatch):
    """5: E ln nu appears twice in the sum of E ln pi."""

    def weights(self):
        return np.exp(self.log_taken + np.cumsum(self.log_taken) - self.log_taken)

    monkeypatch.setattr(model.Sticks, "weights", property(weights))


def wrong_product(monkeypatch):
    """8: the product of the unit's weight runs over nothing."""
    monkeypatch.setattr(model.Sticks, "weights", property(lambda self: np.exp(self.log_taken)))


def wrong_mixture(monkeypatch):
    """6: the Dirichlet's update omits its prior."""
    right = model.LoopPosterior.updated

    def updated(self, expected):
        found = right(self, expected)
        return replace(found, mixture=np.maximum(found.mixture - model.MIXTURE_PRIOR, 1e-10))

    monkeypatch.setattr(model.LoopPosterior, "updated", updated)


def wrong_precision(monkeypatch):
    """8: lambda is used as the variance instead of the precision."""
    monkeypatch.setattr(NormalGamma, "precision", property(lambda self: self.rate / self.shape[..., None]))


def wrong_shared_counts(monkeypatch):
    """9: Gaussians are treated as local: their counts are not added over utterances."""
    right = NormalGamma.fitted

    def fitted(moments):
        uses = moments.uses / 40
        return right(Moments(uses, moments.first / 40, moments.second / 40))

    monkeypatch.setattr(model.NormalGamma, "fitted", staticmethod(fitted))


def wrong_units(monkeypatch):
    """11: what is drawn for a cluster is its label: Gaussians stay where they are when units are sorted."""
    monkeypatch.setattr(Moments, "ordered", lambda self, order: self)


def faults_of_a_run():
    """Return the checks that a run fails; the right formulas pass all of them."""
    speech, _ = spoken(utterances=40)
    with one_blas_thread():
        learner = PhoneLoop(speech, units=10, components=2)
        first = learner.init(np.random.default_rng(3))
        second = learner.step(np.random.default_rng(0), first, 1)
        state = learner.step(np.random.default_rng(0), second, 12)
    objective = np.array(state.likelihood) - np.array(state.penalty)
    falls = (np.diff(objective) < -1e-6 * np.abs(objective[1:])).any()
    return ({"bound"} if falls else set()) | faults_of_an_update(first.expected, second.posterior)


def faults_of_an_update(expected, posterior):
    """Return which parts of an update differ from their definitions: prior plus counts, and integrals."""
    order, sticks = np.argsort(-expected.entries, kind="stable"), posterior.sticks
    n = expected.entries[order]
    uses = expected.moments.uses[..., order]
    betas = [stats.beta(a, b) for a, b in zip(sticks.first, sticks.second, strict=True)]
    taken = np.array([beta.expect(np.log) for beta in betas])
    passed = np.array([beta.expect(lambda nu: np.log1p(-nu)) for beta in betas])
    mean = expected.moments.first[..., order, :] / (1 + uses[..., None])
    parts = {
        "sticks": (
            np.stack([sticks.first, sticks.second]),
            [1 + n, [1 + n[k + 1 :].sum() for k in range(10)]],
        ),
        "weights": (np.log(sticks.weights), [taken[k] + passed[:k].sum() for k in range(10)]),
        "mixtures": (posterior.mixture, 1 + uses),
        "Gaussians": (posterior.gaussians.pseudo_count, 1 + uses),
        "means": (posterior.gaussians.mean, mean),
        "precision": (posterior.gaussians.precision * posterior.gaussians.rate, (1 + uses / 2)[..., None]),
    }
    return {part for part, (found, right) in parts.items() if not np.allclose(found, right, rtol=1e-5)}


def test_the_right_formulas_pass():
    assert faults_of_a_run() == set()


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        (wrong_passed, {"sticks"}),
        (wrong_total, {"sticks"}),
        (wrong_index, {"sticks"}),
        (wrong_weight, {"weights"}),
        (wrong_product, {"weights"}),
        (wrong_mixture, {"bound", "mixtures"}),
        (wrong_precision, {"bound", "precision"}),
        (wrong_shared_counts, {"Gaussians", "means"}),
        (wrong_units, {"bound", "mixtures"}),
    ],
)
@pytest.mark.slow
def test_every_wrong_formula_is_found(wrong, where, monkeypatch):
    wrong(monkeypatch)
    assert where <= faults_of_a_run()
