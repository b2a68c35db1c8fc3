"""MaxEnt against published figures, finite differences and a second optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from otlab.errors import DataWarning, InputError
from otlab.inference import conclude, fit, run
from otlab.ot import Tableau, fit_maxent, read, read_text
from otlab.ot.learners.maxent import MaxEnt, _moves
from otlab.ot.learners.priors import NormalPrior
from otlab.samples import samples

SPANISH = read("spanish")
STANDARD = NormalPrior(np.zeros(4), np.ones(4))


def top(learner):
    return fit(learner, steps=100_000, seed=0).view


def firsts(learner):
    """Return the probability of the first candidate of each Spanish input."""
    return learner.probabilities(top(learner).weights)[[0, 2, 4]]


def test_lin_s_table_8_needs_percentages_and_either_sign():
    learner = MaxEnt(SPANISH, total=100, prior=STANDARD, weights="free")
    np.testing.assert_allclose(firsts(learner), [0.97466, 0.48758, 0.91355], atol=5e-6)
    np.testing.assert_allclose(top(learner).weights, [1.1789, -1.1789, -1.2422, -1.2919], atol=5e-5)


def test_table_8_is_a_prior_variance_of_ten_on_the_counts():
    wide = NormalPrior(np.zeros(4), np.full(4, np.sqrt(10)))
    np.testing.assert_allclose(
        firsts(MaxEnt(SPANISH, prior=wide, weights="free")), [0.97466, 0.48758, 0.91355], atol=5e-6
    )


@pytest.mark.parametrize(
    ("settings", "probabilities", "log_likelihood"),
    [
        ({"prior": STANDARD, "weights": "free"}, [0.9207, 0.4670, 0.8798], -11.05030),
        ({"prior": STANDARD}, [0.859, 0.500, 0.859], -11.77131),
        ({}, [0.95, 0.5, 0.95], -10.90178),
        ({"weights": "free"}, [1.0, 0.5, 0.9], -10.1823),
    ],
    ids=["normal prior", "nonnegative, normal prior", "nonnegative", "free"],
)
def test_spanish_on_the_printed_counts(settings, probabilities, log_likelihood):
    learner = MaxEnt(SPANISH, **settings)
    np.testing.assert_allclose(firsts(learner), probabilities, atol=5e-4)
    assert top(learner).log_likelihood == pytest.approx(log_likelihood, abs=5e-5)


def test_equal_counts_on_ilokano_need_no_weights():
    learner = MaxEnt(read("ilokano"), total=3)
    assert top(learner).log_likelihood == pytest.approx(-3 * np.log(3), abs=1e-6)
    np.testing.assert_allclose(learner.probabilities(top(learner).weights), 1 / 3, atol=1e-4)


def test_a_fit_without_finite_optimum_says_so():
    assert not MaxEnt(SPANISH, weights="free").finite_optimum
    assert MaxEnt(SPANISH, weights="free", prior=STANDARD).finite_optimum
    # Bounded below, Spanish has its optimum at D = B = M = 0; categorical data never have one.
    assert MaxEnt(SPANISH).finite_optimum
    assert not MaxEnt(read("dutch_final_devoicing")).finite_optimum


@pytest.mark.parametrize("name", ["finnish", "td_deletion_chicano", "tagalog", "lin2005_table1"])
def test_the_linear_programme_agrees_with_the_weights(name):
    tableau = read(name)
    loose = NormalPrior(np.zeros(tableau.n_constraints), np.full(tableau.n_constraints, 1e3))
    runs_off = abs(top(MaxEnt(tableau, prior=loose, weights="free")).weights).max() > 15
    assert MaxEnt(tableau, weights="free").finite_optimum is not runs_off


def test_gradient_and_curvature_against_finite_differences():
    learner = MaxEnt(read("finnish"), prior=NormalPrior(np.linspace(0, 1, 9), np.linspace(0.5, 2, 9)))
    at = np.linspace(0.2, 1.8, 9)
    np.testing.assert_allclose(
        learner.gradient(at), approx_fprime(at, learner.objective, 1e-6), rtol=1e-4, atol=5e-3
    )
    bent = -approx_fprime(at, learner.gradient, 1e-6)
    np.testing.assert_allclose(np.linalg.inv(learner.covariance(at)), bent, rtol=1e-3, atol=1e-3)


def test_another_optimiser_finds_no_better_optimum():
    learner = MaxEnt(read("tagalog"), prior=NormalPrior(np.zeros(6), np.full(6, 2.0)), weights="free")
    view = top(learner)
    other = minimize(
        lambda w: -learner.objective(w),
        np.ones(6),
        jac=lambda w: -learner.gradient(w),
        hess=lambda w: np.linalg.inv(learner.covariance(w)),
        method="trust-exact",
    )
    assert view.objective >= -other.fun - 1e-6
    np.testing.assert_allclose(view.weights, other.x, atol=1e-4)


def test_a_fit_that_is_stopped_says_after_how_many_iterations():
    started = run(MaxEnt(SPANISH, prior=STANDARD), sweeps=1000, seed=1, every=1)
    assert conclude(started, next(started), stopped=True).warnings == ("stopped after 1 iteration",)


def test_the_objective_never_falls():
    ticks = list(run(MaxEnt(SPANISH, prior=STANDARD, weights="free"), sweeps=1000, seed=0, every=1))
    objectives = [tick.view.objective for tick in ticks]
    assert np.all(np.diff(objectives) >= -1e-9)
    assert ticks[-1].finished


def test_huge_violations_do_not_overflow():
    tableau = Tableau.from_rows([("x", "a", 3, [900]), ("x", "b", 1, [0])], ["C"])
    view = top(MaxEnt(tableau, weights="free"))
    assert view.weights[0] == pytest.approx(-np.log(3) / 900, rel=1e-4)


def test_a_weight_at_its_bound_has_no_sd():
    learner = MaxEnt(SPANISH, prior=STANDARD)
    spread = np.diag(learner.covariance(top(learner).weights))
    assert spread[0] > 0
    assert np.isnan(spread[1:]).all()


def solved(matrix, right):
    """Return the solution of a positive definite system by elimination, in the precision of the arrays."""
    matrix, right = matrix.copy(), right.copy()
    for i in range(len(right)):
        for j in range(i + 1, len(right)):
            factor = matrix[j, i] / matrix[i, i]
            matrix[j] -= factor * matrix[i]
            right[j] -= factor * right[i]
    for i in reversed(range(len(right))):
        right[i] = (right[i] - matrix[i, i + 1 :] @ right[i + 1 :]) / matrix[i, i]
    return right


def precise_optimum(tableau, sd, nonnegative):
    """Return the weights by Newton's method with an active set, in extended precision."""
    v, counts = tableau.violations.astype(np.longdouble), MaxEnt(tableau).counts.astype(np.longdouble)
    k = tableau.n_constraints
    w, precision = np.ones(k, np.longdouble), np.longdouble(1) / np.longdouble(sd) ** 2
    free = np.full(k, True)
    for _ in range(300):
        slope, bent = -precision * w, precision * np.eye(k, dtype=np.longdouble)
        for rows in map(tableau.rows, range(len(tableau.inputs))):
            e = np.exp(-(v[rows] @ w) - (-(v[rows] @ w)).max())
            p, n = e / e.sum(), counts[rows].sum()
            mean = p @ v[rows]
            slope += n * mean - counts[rows] @ v[rows]
            bent += n * ((v[rows] - mean).T * p) @ (v[rows] - mean)
        if np.abs(slope[free]).max(initial=0) < 1e-14:
            if free.all() or slope[~free].max() <= 0:
                return w.astype(float)
            free[np.argmax(np.where(free, -np.inf, slope))] = True
            continue
        move = np.zeros(k, np.longdouble)
        move[free] = solved(bent[np.ix_(free, free)], slope[free])
        reach, falling = 1 / max(1, np.abs(move).max()), nonnegative & (move < 0)
        if falling.any():  # no further than to the first bound
            reach = min(reach, (w[falling] / -move[falling]).min())
        w = w + reach * move
        free[falling & (w < 1e-16)] = False
        w[~free] = 0
    raise AssertionError("no optimum found")


@pytest.mark.parametrize("sd", [1.0, 10.0])
@pytest.mark.parametrize("weights", ["free", "nonnegative"])
@pytest.mark.parametrize("name", [sample.name for sample in samples("ot")])
def test_the_optimum_in_extended_precision(name, weights, sd):
    tableau = read(name)
    k = tableau.n_constraints
    learner = MaxEnt(tableau, prior=NormalPrior(np.zeros(k), np.full(k, sd)), weights=weights)
    found = top(learner).weights
    np.testing.assert_allclose(found, precise_optimum(tableau, sd, weights == "nonnegative"), atol=1e-8)
    slope = learner.gradient(found)
    slope[(found <= 0) & (slope < 0) & (weights == "nonnegative")] = 0
    assert np.linalg.norm(slope) < 1e-6


def test_repeated_blocks_of_an_input_are_one_input():
    rows = [("x", "a", 3, [1, 0]), ("x", "b", 1, [0, 1])]
    once = Tableau.from_rows([(i, c, 2 * f, v) for i, c, f, v in rows], ["A", "B"])
    lines = "".join(f"{i},{c},{f},{v[0]},{v[1]}\n" for i, c, f, v in [*rows, ("y", "z", 0, [0, 0]), *rows])
    with pytest.warns(DataWarning, match="x"):
        twice = read_text("Input,Output,Frequency,A,B\n" + lines)
    prior = NormalPrior(np.zeros(2), np.ones(2))
    np.testing.assert_allclose(
        top(MaxEnt(once, prior=prior)).weights, top(MaxEnt(twice, prior=prior)).weights, atol=1e-10
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"weights": "positive"}, "choose from nonnegative, free"),
        ({"prior": NormalPrior(np.zeros(3), np.ones(3))}, "one mean and sd a constraint"),
        ({"total": 0}, "total"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(InputError, match=message):
        top(MaxEnt(SPANISH, **wrong))


def test_weights_that_are_not_the_only_ones_are_named():
    rows = [
        ("x", "a", 3, [1, 0, 0]),
        ("x", "b", 1, [0, 1, 0]),
        ("y", "a", 2, [0, 0, 1]),
        ("y", "b", 5, [0, 0, 0]),
    ]
    tableau = Tableau.from_rows(rows, ["A", "B", "C"])
    learner = MaxEnt(tableau)
    found = fit_maxent(tableau)
    assert learner.ridge(found.mean) == (0, 1)
    assert found.warnings == (
        "other weights fit as well: they differ from these in A, B; a prior would choose among them",
    )
    other = found.mean + np.array([2.0, 2.0, 0.0])
    np.testing.assert_allclose(learner.log_likelihood(other), learner.log_likelihood(found.mean), rtol=1e-12)
    assert fit_maxent(tableau, prior=NormalPrior(np.zeros(3), np.ones(3))).warnings == ()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0)])
def test_a_ridge_is_found_whatever_directions_are_flat_beside_it(order):
    """A and B are alike and needed; C and D are alike and at their bounds, where neither may fall."""
    rows = [
        ("x", "a", 3, [0, 0, 0, 0]),
        ("x", "b", 1, [1, 1, 0, 0]),
        ("y", "a", 3, [0, 0, 1, 1]),
        ("y", "b", 1, [0, 0, 0, 0]),
    ]
    names = [name for _, name in sorted(zip(order, "ABCD", strict=True))]
    columns = ["ABCD".index(name) for name in names]
    turned = [(i, c, n, [violations[k] for k in columns]) for i, c, n, violations in rows]
    learner = MaxEnt(Tableau.from_rows(turned, names))
    weights = np.where(np.isin(names, ["A", "B"]), np.log(3) / 2, 0.0)
    assert [names[c] for c in learner.ridge(weights)] == [name for name in names if name in "AB"]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(2, 2)))[0]  # any other basis of flat directions
    flat = np.array([[1, -1, 0, 0], [0, 0, 1, -1]]).T @ turn
    assert [_moves(row, flat[2:]) for row in flat] == [True, True, False, False]


def test_a_weight_at_its_bound_may_only_grow():
    rows = [("x", "a", 3, [1, 0]), ("x", "b", 1, [0, 1]), ("y", "a", 1, [0, 1]), ("y", "b", 3, [0, 0])]
    assert fit_maxent(Tableau.from_rows(rows, ["A", "B"])).warnings == ()
    ties = [("x", "a", 1, [1, 1]), ("x", "b", 1, [0, 0])]  # only A = -B leaves the harmonies as they are
    assert MaxEnt(Tableau.from_rows(ties, ["A", "B"])).ridge(np.zeros(2)) == ()
    assert MaxEnt(Tableau.from_rows(ties, ["A", "B"]), weights="free").ridge(np.zeros(2)) == (0, 1)
