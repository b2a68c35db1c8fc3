"""Log-linear emissions: objective by enumeration, gradient by finite differences, what endings are worth."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from otlab.cli import main
from otlab.errors import InputError
from otlab.inference import fit
from otlab.inference.lbfgs import Ascent, ascend
from otlab.tagging import Annealing, Corpus, Jitter, KnownTags, LogLinear, fit_em, make_learner
from otlab.tagging.hmm.log_linear import LogLinearRows, word_features
from otlab.tagging.hmm.parameters import Counts
from otlab.tagging.learners.features import _Trials
from tests.tagging import naive
from tests.tagging.strategies import sentences_of

STATES = 2
WORDS = ("walking", "talking", "Bo-3", "B-4", "it")


@pytest.fixture(scope="module")
def few():
    """Return seven tokens, of which three have a tag."""
    words = np.array([0, 4, 2, 1, 3, 4, 0], np.int32)
    tags = np.array([0, -1, -1, 1, -1, -1, 0], np.int32)
    return Corpus(words, np.array([0, 3, 6, 7]), WORDS, tags, ("A", "B"))


def endings_text(tokens, seed):
    """Return a text in which tag k has the ending of k, and few stems come again."""
    rng = np.random.default_rng(seed)
    endings, sentences = ("ing", "able", "ous"), []
    stems = ["".join(rng.choice(list("bdfgklmnpt"), 4)) for _ in range(400)]
    while sum(map(len, sentences)) < tokens:
        tag, sentence = int(rng.integers(3)), []
        for _ in range(int(rng.integers(3, 9))):
            tag = (tag + int(rng.choice([0, 1, 2], p=[0.1, 0.7, 0.2]))) % 3
            sentence.append((stems[rng.integers(len(stems))] + endings[tag], endings[tag]))
        sentences.append(sentence)
    return Corpus.from_sentences(sentences)


def trials_of(learner, temperature):
    return _Trials(learner, learner.space(None), temperature)


CASES = {
    "plain": {},
    "known tags": {"known": KnownTags("all")},
    "dictionary": {"allowed": np.array([[1, 1], [1, 1], [0, 1], [1, 1], [1, 0]], bool)},
}


@pytest.mark.parametrize("temperature", [1.0, 2.5])
@pytest.mark.parametrize("case", list(CASES))
def test_objective_equals_enumeration_and_its_gradient_finite_differences(few, case, temperature):
    options = CASES[case]
    learner = LogLinear(few, states=STATES, weight_sd=1.5, **options)
    rows = learner.rows
    vector = np.random.default_rng(3).normal(0, 0.7, rows.size)
    vector[-1] = 0.0  # from the boundary to itself: an empty sentence
    value, gradient = trials_of(learner, temperature)(vector)

    of_words, of_states = (
        part / temperature for part in (vector[: -((STATES + 1) ** 2)], vector[-((STATES + 1) ** 2) :])
    )
    phi = np.exp(rows.features.toarray() @ of_words.reshape(-1, STATES))
    phi *= options.get("allowed", np.ones((len(WORDS), STATES)))
    phi /= phi.sum(0)
    theta = np.exp(of_states.reshape(STATES + 1, STATES + 1))
    theta[-1, -1] = 0
    theta /= theta.sum(1, keepdims=True)
    known = few.tags if "known" in options else np.full(few.tokens, -1)
    exact = -0.5 * float(vector @ vector) / 1.5**2
    for words, tags in zip(sentences_of(few), naive.split(known, few.offsets), strict=True):
        paths = itertools.product(*[range(STATES) if t < 0 else [t] for t in tags])
        exact += math.log(sum(naive.path_weight(words, path, theta, phi) for path in paths))
    assert value == pytest.approx(exact, abs=1e-10)

    function, h = trials_of(learner, temperature), 1e-5
    for i in range(rows.size - 1):
        step = np.zeros(rows.size)
        step[i] = h
        slope = (function(vector + step)[0] - function(vector - step)[0]) / (2 * h)
        assert gradient[i] == pytest.approx(slope, abs=1e-6)
    assert gradient[-1] == 0


def test_features_are_words_shared_suffixes_and_shapes():
    matrix, names = word_features(WORDS)
    assert names == (*WORDS, "-g", "-ng", "-ing", "capital", "digit", "hyphen")
    assert matrix.toarray()[:, :5].tolist() == np.eye(5).tolist()
    assert matrix.toarray()[:, 5:].sum(0).tolist() == [2, 2, 2, 2, 2, 2]
    assert matrix.toarray()[2, 5:].tolist() == [0, 0, 0, 1, 1, 1]
    # One that a single word has, or every word, is none.
    assert word_features(["aX", "bX"])[1] == ("aX", "bX")


def test_the_ascent_reaches_what_scipy_reaches():
    """The complete-data objective is concave: both find its one maximum."""
    rng = np.random.default_rng(5)
    matrix, _ = word_features(WORDS)
    rows = LogLinearRows(matrix, STATES, 1.5)
    counts = Counts(rng.gamma(1, 3, (STATES + 1, STATES + 1)), rng.gamma(1, 3, (len(WORDS), STATES)))
    counts.transitions[-1, -1] = 0

    def function(vector):
        theta, phi = rows.log_rows(vector)
        theta[-1, -1] = 0
        fitted = float((counts.transitions * theta).sum() + (counts.emissions * phi).sum())
        return fitted + rows.log_prior(vector), rows.gradient(vector, counts) - vector / 1.5**2

    at = Ascent(np.zeros(rows.size), *function(np.zeros(rows.size)))
    values = [at.value]
    for _ in range(60):
        at = ascend(at, function)
        values.append(at.value)
    assert np.all(np.diff(values) >= 0)
    best = minimize(lambda v: tuple(-x for x in function(v)), np.zeros(rows.size), jac=True, tol=1e-12)
    assert at.value == pytest.approx(-best.fun, abs=1e-9)
    assert at.point == pytest.approx(best.x, abs=1e-4)
    assert function(rows.fitted(counts))[0] == pytest.approx(at.value, abs=1e-4)


def test_a_direction_of_a_quadratic_is_newtons_once_all_axes_are_known():
    scale = np.array([1.0, 4.0, 9.0])
    at = Ascent(np.ones(3), -0.5 * float(scale.sum()), -scale)
    for _ in range(25):
        at = ascend(at, lambda x: (-0.5 * float(scale @ x**2), -scale * x))
    assert at.point == pytest.approx(np.zeros(3), abs=1e-6)
    ended = ascend(Ascent(np.zeros(3), 0.0, np.zeros(3)), lambda x: (-float(x @ x), -2 * x))
    assert ended.ended
    assert ascend(ended, None) is ended  # nothing is computed any more


@pytest.mark.parametrize("known", ["none", "20%"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_the_log_posterior_never_falls(known, precision):
    text = endings_text(600, 2)
    learner = make_learner("features", text, states=4, precision=precision, known=KnownTags(known))
    view = fit(learner, steps=30, seed=4).view
    assert np.all(np.diff(view.objective) >= 0)
    assert view.objective[-1] > view.objective[0] + 50


def test_while_annealing_the_objective_is_that_of_the_temperature():
    text = endings_text(300, 2)
    cold = LogLinear(text, states=3, annealing=Annealing(3.0, 4))
    fitted = fit(cold, steps=12, seed=1)
    assert np.isfinite(fitted.view.objective).all()
    assert np.all(np.diff(fitted.view.objective[5:]) >= 0)


@pytest.mark.slow
def test_endings_are_learnt_where_words_are_too_rare_for_em():
    """Of three starts the one with the highest objective finds the tags; EM's best does not."""
    text, best = endings_text(1500, 1), {}
    for name, options in (("features", {"weight_sd": 0.5}), ("em", {})):
        learner = make_learner(name, text, states=3, start=Jitter(), **options)
        runs = [fit(learner, steps=150, seed=seed).view for seed in range(3)]
        best[name] = max(runs, key=lambda view: view.objective[-1]).final.many_to_one
    assert best["features"] > 0.95
    assert best["em"] < 0.6


def test_a_few_known_tags_are_carried_over_by_endings():
    text = endings_text(1500, 1)
    options = {"states": 3, "known": KnownTags("10")}
    found = fit(make_learner("features", text, **options), steps=20, seed=1).accuracy()["marginal"].all
    plain = fit_em(text, iterations=20, seed=1, **options).accuracy()["marginal"].all
    assert found > 0.95
    assert found > plain + 0.1


def test_the_prior_is_a_setting_and_is_checked(few):
    loose, tight = (
        fit(LogLinear(few, states=2, weight_sd=sd), steps=20, seed=1).model.weights.emissions
        for sd in (10.0, 0.05)
    )
    assert np.ptp(tight, axis=0).max() < 0.05 < np.ptp(loose, axis=0).max()
    with pytest.raises(InputError, match="--weight-sd 0: write a number above 0"):
        LogLinear(few, weight_sd=0)


def test_the_command_line_runs_it(tmp_path, capsys):
    path = tmp_path / "text.tsv"
    path.write_text("\n".join(f"{w}\t{t}" for s in endings_text(200, 3) for w, t in s), encoding="utf-8")
    command = ["tag", str(path), "--learner", "features", "--states", "3", "--iterations", "5"]
    assert main([*command, "--weight-sd", "1", "--seed", "1", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert len(run["objective"]) == 6
    learner = make_learner("features", Corpus.from_sentences(endings_text(200, 3)), states=3)
    assert learner.weight_sd == 2.0
