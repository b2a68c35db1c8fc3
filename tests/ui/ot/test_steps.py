"""Walking through the learners by hand, and summaries that grow with a run."""

import re
from threading import Event

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.inference import run
from otlab.ot import read
from otlab.ot.fitted import predict_from_draws
from otlab.ot.learners.draws import trust_and_peaks, usual_thin, usual_warmup
from otlab.ot.learners.gibbs import Gibbs
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.schedules import schedule
from otlab.ot.probability import predict
from otlab.ot.tableau import Tableau
from otlab.ui.ot.online_prediction import BackgroundFunction, RunningPrediction
from otlab.ui.ot.results import GibbsResult, GLAResult
from otlab.ui.ot.state import OTState
from otlab.ui.ot.step_through import GibbsWalk, GLAWalk
from otlab.ui.ot.tabs.drift import drifted, out_of_sight
from otlab.ui.ot.tabs.steps import StepView, gibbs_page, gla_page
from otlab.viz.ot.histograms import DrawHistogram
from tests.ui.page import control, shown_text
from tests.ui.waiting import until

ILOKANO = read("ilokano")


def gla() -> GLA:
    return GLA(ILOKANO, 2.0, schedule=schedule("otsoft", 100_000))


def walk_through(sweeps: int, seed: int = 5) -> GibbsWalk:
    walk = GibbsWalk(Gibbs(ILOKANO, total=6), seed)
    for _ in range(sweeps * len(walk.observations) - 1):
        walk.next_observation()
    walk.next_observation()
    return walk


def test_a_walk_makes_the_numbers_of_the_runs_first_chain():
    walk = walk_through(sweeps=3)
    learner = Gibbs(ILOKANO, total=6)
    run_ = run(learner, sweeps=3, seed=5, chains=2)
    run_.finish()
    np.testing.assert_array_equal(walk.values, run_.states[0].values)
    assert walk.sweep == 4


def test_back_undoes_forward_across_observations_and_sweeps():
    walk = walk_through(sweeps=1)
    at = (walk.sweep, walk.observation)
    before = []
    for _ in range(25):
        walk.forward()
        before.append((walk.sweep, walk.observation, walk.made, tuple(d.value for d in walk.draws)))
    while len(before) > 1:
        assert before.pop() == (walk.sweep, walk.observation, walk.made, tuple(d.value for d in walk.draws))
        walk.back()
    assert (walk.sweep, walk.observation) == at


def test_draws_observe_their_bounds():
    walk = walk_through(sweeps=1)
    for _ in range(30):
        walk.forward()
        draw = walk.draws[walk.made - 1]
        assert draw.low <= draw.value <= draw.high


def test_before_the_first_draw_there_is_no_way_back():
    walk = GibbsWalk(Gibbs(ILOKANO, total=6), 5)
    walk.back()
    assert (walk.sweep, walk.observation, walk.made) == (1, 0, 0)
    walk.forward()
    walk.back()
    walk.back()
    assert (walk.sweep, walk.observation, walk.made) == (1, 0, 0)


def test_a_click_goes_back_but_never_ahead():
    walk = walk_through(sweeps=1)
    while not walk.done:
        walk.forward()
    last = walk.made
    walk.go_to(0)
    assert walk.made == 1
    walk.go_to(last)
    assert walk.made == 1


def test_data_that_say_nothing_cannot_be_walked_through():
    with pytest.raises(InputError, match="says anything about the ranking"):
        GibbsWalk(Gibbs(Tableau.from_rows([("x", "a", 3, (1,))], ["A"]), 1.0, 6.0), 1)


def test_why_there_is_no_walk_is_said_in_a_sentence():
    cards = StepView(OTState(Tableau.from_rows([("x", "a", 3, (1,))], ["A"]))).layout()
    said = shown_text(cards)
    assert "No observation says anything about the ranking; count one that does.</p>" in said
    assert "So far" not in said
    cards = StepView(OTState(read("harmonic_bounding_demo"))).layout()
    assert "Set its count to 0 in the Learn tab" in shown_text(cards)


def test_a_gla_walk_makes_the_numbers_of_the_first_run():
    learner = GLA(ILOKANO, 2.0, schedule("otsoft", 1000))
    walk = GLAWalk(learner, 5)
    for _ in range(200):
        walk.forward()
    run_ = run(learner, sweeps=200, seed=5)
    run_.finish()
    np.testing.assert_array_equal(walk.trial.after, run_.states[0].values)
    assert walk.errors == run_.states[0].errors


def test_next_error_stops_at_an_error_and_back_returns():
    walk = GLAWalk(GLA(ILOKANO, 2.0, schedule("otsoft", 1000)), 5)
    walk.to_next_error()
    assert walk.trial.error
    there = walk.at
    walk.back()
    assert walk.at == there - 1
    walk.forward()
    assert walk.trial.error


def test_where_no_error_comes_the_walk_to_the_next_one_ends():
    learner = GLA(Tableau.from_rows([("x", "a", 3, (1,))], ["A"]), 2.0, schedule=schedule("otsoft", 1000))
    walk = GLAWalk(learner, 5)
    walk.to_next_error(at_most=20)
    assert (walk.at, walk.errors) == (20, 0)
    assert not walk.trial.error


def test_pages_show_the_draw_and_the_trial():
    walk = walk_through(sweeps=1)
    walk.forward()
    page = gibbs_page(ILOKANO, walk)
    assert f"drawn: {abs(walk.draws[0].value):.2f}" in page.picture.replace("−", "")
    assert "Observation <b>1</b> of 6" in page.where
    assert 'data-draw="0"' in page.table
    gla = GLAWalk(GLA(ILOKANO, 2.0, schedule("otsoft", 1000)), 5)
    assert "first form" in gla_page(ILOKANO, gla).picture
    gla.to_next_error()
    assert "the learner heard" in gla_page(ILOKANO, gla).why


def test_playing_ends_in_play_and_stops_when_the_learner_changes():
    view = StepView(OTState(ILOKANO))
    cards = view.layout()
    play = control(cards, "Play")
    icon = play.icon
    view.play()
    assert play.label == "Pause"
    assert play.icon != icon
    control(cards, "Speed").value = 8
    assert play.label == "Pause"
    view.play()
    assert (play.label, play.icon) == ("Play", icon)
    control(cards, "Speed").value = 2
    assert play.label == "Play"
    view.play()
    control(cards, "Learner walked through").value = "gla"
    assert (play.label, play.icon) == ("Play", icon)


def test_data_no_ranking_fits_are_refused_one_reason_a_paragraph():
    cards = StepView(OTState(read("finnish"))).layout()
    paragraphs = re.findall("<p>.*?</p>", shown_text(cards))
    assert len(paragraphs) == 4
    assert "'" not in "".join(paragraphs)
    assert control(cards, "Next draw").disabled


def test_predictions_in_passing_agree_with_those_of_the_whole_run():
    run_ = run(Gibbs(ILOKANO), sweeps=3000, seed=3, chains=2, every=100)
    result = GibbsResult(run_)
    for tick in run_:
        result.take(tick)
    passing = result.predicted
    result.settle()
    np.testing.assert_allclose(passing, result.predicted, atol=0.03)
    exact = predict_from_draws(ILOKANO, np.concatenate(result.chains), 1.0)
    np.testing.assert_allclose(result.predicted, np.stack([exact.mean, exact.low, exact.high]), atol=0.01)


def test_a_long_run_keeps_few_draws_and_shows_where_it_is_before_the_first():
    sweeps = 10**8
    thin = usual_thin(sweeps)
    assert sweeps // thin < 100_000
    run_ = run(Gibbs(ILOKANO, thin=thin), sweeps=sweeps, seed=1, chains=2)
    result = GibbsResult(run_)
    for _ in range(3):
        result.take(run_.advance(thin // 4))
    assert result.warming
    assert result.histogram.n == 2 * 3
    result.take(run_.advance(4 * thin))
    assert not result.warming
    assert [len(draws) for draws in result.chains] == [4, 4]
    assert result.histogram.n == 8
    assert run_.states[0].draws.shape[0] <= 1024


def test_in_a_short_run_thinned_by_hand_kept_draws_replace_those_that_were_shown_before_them():
    run_ = run(Gibbs(ILOKANO, thin=10), sweeps=1000, seed=1, chains=2)
    result = GibbsResult(run_)
    for _ in range(4):
        result.take(run_.advance(2))
    assert (result.warming, result.histogram.n, result.posterior) == (True, 2 * 4, None)
    result.take(run_.advance(2))
    assert (result.warming, result.histogram.n) == (True, 2)
    result.take(run_.advance(200))
    assert not result.warming
    assert result.posterior.draws["ranking_value"].shape[:2] == (2, len(result.chains[0]))
    np.testing.assert_array_equal(result.fit.mean, np.concatenate(result.chains).mean(axis=0))


def test_predictions_of_a_large_table_come_from_another_thread_and_follow_the_run(monkeypatch):
    monkeypatch.setattr("otlab.ui.ot.online_prediction.MANY_RELATIONS", 0)
    gibbs_run = run(Gibbs(ILOKANO), sweeps=200_000, seed=1, chains=2)
    gla_run = run(gla(), sweeps=100_000, seed=1)
    gibbs, runs = GibbsResult(gibbs_run), GLAResult(gla_run)
    gibbs.take(gibbs_run.advance(2000))
    runs.take(gla_run.advance(100))
    assert gibbs.predicted is runs.predicted is None  # they are on their way

    def come():
        gibbs.take(gibbs_run.advance(10))
        runs.take(gla_run.advance(10))
        return gibbs.predicted is not None and runs.predicted is not None

    until(come)
    np.testing.assert_allclose(gibbs.predicted[0].sum(), 1)
    np.testing.assert_allclose(runs.predicted.sum(axis=1), 1)
    runs.settle()
    np.testing.assert_allclose(
        runs.predicted[0], predict(ILOKANO, runs.values[0], runs.noise).probability, atol=1e-6
    )


def test_a_call_on_another_thread_is_not_made_twice_at_once():
    go_on, asked = Event(), []

    def slow(argument):
        asked.append(argument[0])
        assert go_on.wait(20)
        return 2 * argument

    beside = BackgroundFunction(slow)
    assert beside(np.array([1])) is None
    assert beside(np.array([2])) is None
    go_on.set()
    answers = []
    until(lambda: answers.append(beside(np.array([3]))) or answers[-1] is not None)
    assert (answers[-1][0].tolist(), answers[-1][1].tolist()) == ([1], [2])
    assert 2 not in asked


@pytest.mark.slow
def test_the_kept_draws_stay_few_and_evenly_spread():
    running = RunningPrediction(ILOKANO, 1.0)
    draws = np.random.default_rng(0).normal(size=(30_000, 3))
    for part in np.split(draws, 60):
        running.feed(part, seconds=0.05)
    assert running.kept <= 600
    everything = predict_from_draws(ILOKANO, draws, 1.0)
    np.testing.assert_allclose(running.summary()[0], everything.mean, atol=0.06)
    assert running.best is not None


def drawn(*chains):
    """A result whose chains drew this."""
    result = GibbsResult(run(Gibbs(ILOKANO), sweeps=1000, seed=1))
    result.warming = False
    result.chains = list(chains)
    result.trust, result.modes = trust_and_peaks(np.stack(chains), ILOKANO.constraints)
    return result


def test_modes_are_looked_for_where_the_chains_agree():
    rng = np.random.default_rng(1)
    side = np.where(rng.random((2, 4000, 1)) < 0.5, 3.0, -3.0)
    two = drawn(*(rng.normal(size=(2, 4000, 3)) * 0.3 + side * np.array([1, -1, 0])))
    assert two.modes
    assert not two.readable
    assert two.point().words("Gibbs") == "the posterior median of Gibbs, between two modes"
    one = drawn(*rng.normal(size=(2, 4000, 3)))
    assert one.trust.verdict == "Converged"
    assert one.readable
    apart = drawn(*(rng.normal(size=(2, 4000, 3)) + np.array([3.0, -3.0])[:, None, None]))
    assert apart.trust.largest_rhat > 2
    assert apart.modes == []
    assert not apart.readable


def test_drift_is_told_from_spread():
    posterior, near, far = DrawHistogram(1), DrawHistogram(1), DrawHistogram(1)
    draws = np.random.default_rng(2).normal(size=(2000, 1))
    posterior.add(draws)
    near.add(2 * draws)
    far.add(np.linspace(0, 500, 2000)[:, None])
    assert not drifted(near, posterior)
    assert drifted(far, posterior)
    assert out_of_sight(100.0, posterior)
    assert not out_of_sight(100.0, DrawHistogram(1))


def test_warmup_is_a_tenth_but_never_long():
    assert [usual_warmup(n) for n in (1, 50, 20_000, 10**8)] == [0, 5, 1000, 1000]


@pytest.mark.parametrize("sweeps", [1, 60_000, 170_000, 10**6, 10**8])
def test_a_longer_run_keeps_a_part_of_a_shorter_ones_draws(sweeps):
    assert usual_thin(3 * sweeps) % usual_thin(sweeps) == 0
    assert sweeps // usual_thin(sweeps) <= 100_000
