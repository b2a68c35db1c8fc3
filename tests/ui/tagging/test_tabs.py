"""The tagging lab without a browser: what its tabs show."""

from __future__ import annotations

import io
import threading
import time

import numpy as np
import pandas as pd
import pytest

from otlab.errors import InputError
from otlab.html import Markup
from otlab.sweep.systems import Tagging
from otlab.tagging import Corpus, Prior, baselines, compare, merge_states, score, simulate_hmm
from otlab.tagging.experiments.table1 import TABLE_1, Estimator
from otlab.tagging.hmm.decode import posteriors
from otlab.tagging.learners import LEARNERS
from otlab.tagging.scores import Scorer
from otlab.ui.components.cards import Html
from otlab.ui.fields import values_of
from otlab.ui.tagging.results import entropy
from otlab.ui.tagging.table import Row, Table, grid_rows
from otlab.ui.tagging.table_texts import table_csv, table_html, table_latex
from otlab.ui.tagging.tabs.data import file_bytes
from otlab.ui.tagging.tabs.sentences import Seen, disagreements
from otlab.ui.tagging.tabs.states import transition_rows
from otlab.viz.tagging.prior import mass_share, prior_advice, prior_is_usual
from otlab.viz.tagging.skew import skew_data, skew_top
from otlab.viz.tagging.traces import trace_data, trace_span
from tests.ui.page import column, control, download, figures, layer, layers, parts, shown_text, waited
from tests.ui.tagging.helpers import TABS, finished
from tests.ui.waiting import until


@pytest.mark.slow
def test_every_tab_shows_a_run(lab, view):
    finished(lab)
    for tab in TABS:
        view.go(tab)
    assert " → T0" in Markup(shown_text(view.tab("Sentences"))).striptags()


@pytest.mark.slow
def test_every_tab_opens_before_any_run(lab, view):
    for tab in TABS:
        view.go(tab)
    assert "Press Run to see the scores" in shown_text(view.tab("Watch").traces)


def test_results_that_come_back_are_drawn_at_once(lab, view):
    """A run that was paused when the page was closed sends one tick when it is opened again."""
    finished(lab)
    results, watch = dict(lab.state.results), view.tab("Watch")
    lab.state.clear()
    assert not len(column(layer(watch.skew, "bars em"), "top"))
    lab.state.results = results
    lab.state.progress += 1
    assert len(column(layer(watch.skew, "bars em"), "top")) == 5
    assert all(len(column(mean, "y")) for mean in layers(watch.traces, "mean em"))


def test_a_name_travels(lab, view):
    finished(lab)
    biggest = int(lab.state.result.portrait.order[0])
    lab.state.name_state(biggest, "determiners")
    watch = view.tab("Watch")
    assert watch.cards.cards[0]["name"] == "determiners"
    assert any(row["named"] for row in watch.grid.data["rows"])
    assert "determiners" in file_bytes(lab.state.result, "states").decode()
    assert "determiners" in file_bytes(lab.state.result, "labels").decode()
    lab.state.name_state(biggest, "")
    assert watch.cards.cards[0]["name"] == f"state {biggest}"


def test_a_selected_state_is_selected_everywhere_and_again_nowhere(lab, view):
    finished(lab)
    lab.state.select(3)
    watch = view.tab("Watch")
    assert watch.grid.selected == watch.cards.selected == 3
    assert 3 in [card["state"] for card in watch.cards.cards]
    lab.state.select(3)
    assert watch.grid.selected == -1


def test_curves_are_kept_until_the_corpus_changes(lab, corpus):
    finished(lab)
    lab.state.pin()
    assert lab.state.pinned[0].tokens == lab.state.result.skew.tokens
    finished(lab)
    assert lab.state.ghost is not None
    lab.open_corpus(corpus.first(50))
    assert lab.state.pinned == []
    assert lab.state.ghost is None


def test_a_name_stands_over_its_bar(lab, view):
    finished(lab)
    result = lab.state.result
    biggest = int(result.portrait.order[0])
    lab.state.name_state(biggest, "determiners")
    (text,) = (
        values
        for values in layer(view.tab("Watch").skew, "tall names").data_source.data.values()
        if values.dtype.kind == "U"
    )
    assert text.tolist() == ["\u2009determiners"]
    drawn = skew_data("em", [900, 300, 20], [], {}, [], names={0: "nouns", 2: "names of far places"})
    assert drawn["tall names"]["text"] == ["\u2009nouns"]
    assert drawn["names"]["text"] == ["\u2002names of far places"]
    assert skew_top([[900]], highest_name=900) > 900 * 1.1
    two = skew_data("em", [900, 880], [], {}, [], names={0: "nouns", 1: "verbs"})["tall names"]["y"]
    assert two[0] - two[1] >= 0.1 * 900  # a line of text


@pytest.mark.slow
def test_every_kept_curve_says_its_share(lab, view):
    finished(lab)
    for alpha in (0.1, 0.5, 2.0):
        lab.settings.param.update(emission_prior=alpha)
        finished(lab)
        lab.state.look_at("vb")
        lab.state.pin()
    assert [skew.label for skew in lab.state.pinned] == [f"VB 5, α {a}, seed 2005" for a in (0.1, 0.5, 2)]
    lab.state.pin()
    assert lab.state.pinned[-1].label == "VB 5, α 2, seed 2005 (2)"
    skew = view.tab("Watch").skew
    assert all(kept.label in shown_text(skew) for kept in lab.state.pinned)
    lines = [layer(skew, f"kept {at}") for at in range(4)]
    assert all(len(column) for line in lines for column in line.data_source.data.values())
    assert len({tuple(line.glyph.line_dash) for line in lines}) == 4


def test_scores_or_objectives_are_traced(lab, view):
    finished(lab)
    traces = view.tab("Watch").traces
    assert shown_text(traces).count("1-to-1") == 1
    control(traces, "What is traced").value = "Objective"
    result = lab.results["vb"]
    assert "ELBO" in shown_text(traces)
    assert f"{-result.objectives[:, -1].mean() / 1000:,.1f}".replace("-", "−") in shown_text(traces)
    mean = column(layers(traces, "mean vb")[1], "y")
    assert mean.size == 7
    assert mean[-1] == pytest.approx(-result.objectives[:, -1].mean() / 1000)


def test_a_sample_is_scored_as_it_is_and_by_marginals(lab):
    lab.runner.enable({"gibbs"})
    result = finished(lab).results["gibbs"]
    labels = result.model.label(lab.corpus)
    assert result.max_marginal == score(Scorer(lab.corpus, 5).table(labels))
    stat = lab.runner.report.stats[0]
    assert stat.value == f"{100 * result.score('one_to_one')[0]:.1f}\u00a0%"
    assert stat.note == f"by\N{NO-BREAK SPACE}marginals {100 * result.max_marginal.one_to_one:.1f}"


def test_merging_shows_scores_along_the_tree(lab, view):
    finished(lab)
    lab.state.name_state(0, "nouns")
    view.go("States")
    tab = view.tab("States")
    tab.merge()
    tree = merge_states(lab.corpus, lab.state.result.view.labels, 5)
    text = shown_text(tab)
    assert f"{100 * tree.scores[0].one_to_one:.1f}" in text
    assert ("nouns" in text) == any(0 in pair for pair in tree.merges[:4])


@pytest.mark.slow
def test_two_runs_of_one_estimator_can_be_compared(lab, view):
    finished(lab)
    view.go("Sentences")
    tab = view.tab("Sentences")
    left, right = control(tab, "Left run"), control(tab, "Right run")
    assert [left.value, right.value] == ["em 0", "vb 0"]
    right.value = "em 1"
    seeds = lab.results["em"].seeds
    assert all(f"EM, run {k + 1}, seed {seeds[k]}" in shown_text(tab) for k in (0, 1))


def test_a_grid_of_ones_own_is_run(lab, view):
    finished(lab)
    view.go("Table")
    tab = view.tab("Table")
    tab.choice.group = "grid"
    tab.grid.param.update(learners="em vb", states=[4, 3], emission=[0.1, 0.5])
    assert tab.rows() == grid_rows(["em", "vb"], (4, 3), (0.1, 0.5), (0.1,))
    assert len(tab.rows()) == 6
    lab.settings.param.update(iterations=2)
    tab.start()
    while lab.state.table.advance():
        time.sleep(0.01)
    assert set(tab.rows()) <= {row.estimator for row in lab.state.table.rows}


def test_the_skew_is_a_number_at_every_iteration(lab, view):
    finished(lab)
    result = lab.results["vb"]
    counts = result.views[1].tokens_per_state
    assert result.effective_states.shape == (2, 7)
    assert result.effective_states[1, -1] == pytest.approx(2 ** entropy(counts))
    traces = view.tab("Watch").traces
    assert "Effective states" in shown_text(traces)
    assert f"gold {2 ** entropy(lab.corpus.tag_counts):.1f}" in shown_text(traces)


def test_no_panel_stays_empty(lab, view):
    finished(lab)
    traces = view.tab("Watch").traces
    assert shown_text(traces).count("panel-name") == 4
    control(traces, "What is traced").value = "Objective"
    assert shown_text(traces).count("panel-name") == 2
    assert [figure.xaxis[0].visible for figure in figures(traces)[:2]] == [False, True]


@pytest.mark.slow
def test_the_inset_stands_beside_the_bars_where_it_would_lie_on_them(lab, view):
    finished(lab)
    skew = view.tab("Watch").skew
    (text,) = [pane for pane in parts(skew, Html) if "6 biggest states" in pane.object]
    control(skew, "Scale of the counts").value = "Log"
    (beside,) = [pane for pane in parts(skew, Html) if "6 biggest states" in pane.object]
    assert beside is not text
    assert beside.visible


def test_a_chip_says_what_a_word_was_taken_for(lab):
    finished(lab)
    seen = Seen(lab.results["em"], 0)
    state, tag = next((k, t) for k, t in enumerate(seen.tag_of_state) if t >= 0)
    assert seen.chip(state).striptags() == f"{state} → {lab.corpus.tagset[tag]}"
    lab.results["em"].names[state] = "nouns"
    assert seen.chip(state).striptags() == f"nouns → {lab.corpus.tagset[tag]}"


@pytest.mark.slow
def test_every_state_and_tag_can_be_reached_in_the_grid(lab, view):
    lab.settings.param.update(states=40)
    finished(lab)
    watch = view.tab("Watch")
    assert len(watch.grid.data["rows"]) <= 26
    control(watch, "How many states and tags").value = "All"
    assert len(watch.grid.data["rows"]) == lab.state.result.view.states_used
    assert watch.grid.data["columns"] == list(lab.corpus.tagset)
    assert watch.grid.every
    states, tags = lab.state.result.view.states_used, len(lab.corpus.tagset)
    assert f"{states}/{states} states, {tags}/{tags} tags" in watch.grid.scale


def runs_of(table):
    return list(table.store.runs.values())


class TestTable:
    def test_a_run_of_the_lab_fills_its_row(self, lab):
        lab.settings.param.update(states=50, iterations=2)
        finished(lab)
        table = lab.state.table
        em, vb = (
            Row(Estimator("em", 50), 2, "dirichlet"),
            Row(Estimator("vb", 50, Prior(0.1, 0.1)), 2, "dirichlet"),
        )
        assert set(table.rows) == {em, vb}
        assert table.summary(em)[2] == 2
        finished(lab)
        assert table.summary(em)[2] == 2
        lab.settings.param.update(iterations=3)
        finished(lab)
        assert table.summary(em)[2] == 2  # runs of another length are never averaged with these
        assert Row(em.estimator, 3, "dirichlet") in table.rows

    def test_the_queue_runs_row_after_row(self, corpus, lab):
        table = Table()
        rows = list(TABLE_1)[:2]
        table.ask(rows, corpus, {**values_of(lab.settings), "iterations": 2})
        while table.advance():
            time.sleep(0.01)
        assert [row.estimator for row in table.rows] == rows
        mean, sd, runs = table.summary(next(iter(table.rows)))
        assert runs == 2
        assert np.isfinite(mean).all()
        assert np.isfinite(sd).all()
        markup = table_html(table)
        assert markup.count("<tr") == 1 + 2 + 1 + 12
        assert markup.count(f"<td>{corpus.tokens:,}</td><td>2</td><td>2</td>") == 2
        assert markup.count("<td>1.17 M</td><td>1,000</td><td>10</td>") == 8
        assert markup.count("<td>1.17 M</td><td>50,000</td><td>5</td>") == 4
        assert r"\textbf{" in table_latex(table)
        frame = pd.read_csv(io.StringIO(table_csv(table)))
        assert frame["runs"].tolist() == [2, 2]
        assert frame["tokens"].tolist() == [corpus.tokens] * 2
        assert frame["one_to_one_paper"].tolist() == [0.40, 0.47]

    def test_stop_forgets_the_rows_that_wait(self, corpus, lab):
        table = Table()
        table.ask(list(TABLE_1), corpus, {**values_of(lab.settings), "iterations": 100_000})
        assert table.now
        table.stop()
        assert not table.advance()

    def test_a_stopped_table_goes_on_without_repeating_finished_runs(self, corpus, lab, monkeypatch):
        table, whole, begun, stopped = Table(), Table(), [], threading.Event()
        rows = grid_rows(["em", "vb"], (3, 4), (0.1,), (0.1,))
        settings = {**values_of(lab.settings), "iterations": 3, "runs": 3}
        fit = Tagging.fit

        def held_from_the_fifth(*given, seed, **options):
            begun.append((given[2], given[3]["states"], seed))
            assert len(begun) < 5 or stopped.wait(20)
            return fit(*given, seed=seed, **options)

        monkeypatch.setattr(Tagging, "fit", held_from_the_fifth)
        table.ask(rows, corpus, settings)
        while len(runs_of(table)) < 4:
            table.advance()
            time.sleep(0.01)
        table.stop()
        stopped.set()
        (sweep,) = (thread for thread in threading.enumerate() if thread.name == "background work")
        sweep.join(20)
        finished = {(run.spec.learner, run.spec.values["states"], run.spec.seed) for run in runs_of(table)}
        assert len(finished) == 4
        assert finished <= set(begun)
        begun.clear()
        table.ask(rows, corpus, settings)
        while table.advance():
            time.sleep(0.01)
        assert not finished & set(begun)
        assert len(runs_of(table)) == 12
        whole.ask(rows, corpus, settings)
        while whole.advance():
            time.sleep(0.01)
        assert table_csv(table) == table_csv(whole)
        table.ask(rows[:1], corpus.first(5), settings)  # another text: other runs
        while table.advance():
            time.sleep(0.01)
        assert len(runs_of(table)) == 15

    def test_a_run_that_fails_is_named_and_the_others_are_shown(self, corpus, lab, monkeypatch):
        fit = Tagging.fit

        def too_many(*given, **options):
            if given[3]["states"] == 4:
                raise InputError("there are too many states")
            return fit(*given, **options)

        monkeypatch.setattr(Tagging, "fit", too_many)
        table = Table()
        settings = {**values_of(lab.settings), "iterations": 2, "runs": 2}
        table.ask(grid_rows(["em"], (3, 4), (0.1,), (0.1,)), corpus, settings)
        while table.advance():
            time.sleep(0.01)
        assert [row.estimator.states for row in table.rows] == [3]
        assert table.now == "EM (4): there are too many states"


def test_posteriors_sum_to_1_and_agree_with_the_labels(lab):
    finished(lab)
    result = lab.results["em"]
    begin, end = lab.corpus.offsets[3:5]
    shares = posteriors(lab.corpus.words[begin:end], result.model.weights)
    np.testing.assert_allclose(shares.sum(1), 1)
    assert np.array_equal(shares.argmax(1), result.view.labels[begin:end])


def test_disagreements_are_counted_by_sentence(lab):
    finished(lab)
    found = disagreements(Seen(lab.results["em"], 0), Seen(lab.results["vb"], 1))
    assert found.shape == (lab.corpus.sentences,)
    assert (found <= lab.corpus.lengths).all()


def test_transitions_of_the_boundary_stand_last(lab):
    finished(lab)
    data = transition_rows(lab.state.result)
    assert data["columns"][-1] == data["rows"][-1]["name"] == "boundary"
    assert data["rows"][-1]["shares"][-1] == 0


def test_pictures_from_plain_numbers():
    layers = skew_data("em", [5, 3], [4, 4], {"vb": [[8]]}, [[6, 2]], selected=1)
    assert layers["bars em"]["top"].tolist() == [5, 3]
    assert layers["selected"]["top"].tolist() == [3]
    assert layers["bars vb"]["top"].size == 0
    assert skew_top([[5, 3], [8]]) == pytest.approx(8.32)
    traces = trace_data("em", np.arange(3.0), np.array([[1.0, 2, 3], [3, 4, 5]]))
    assert traces["mean em"]["y"].tolist() == [2, 3, 4]
    assert trace_span([np.array([np.nan])]) == (0, 1)


def test_the_hint_follows_the_ratio():
    assert mass_share(49_000, 1_170_000, 50, 0.1) == pytest.approx(0.209, abs=1e-3)
    assert "few, large states" in prior_advice(19_674, 204_577, 50, 0.2)
    assert "rare words settle" in prior_advice(19_674, 204_577, 50, 1e-4)
    assert prior_is_usual(49_000, 1_170_000, 50, 0.1)
    assert not prior_is_usual(19_674, 204_577, 50, 0.2)
    assert not prior_is_usual(19_674, 204_577, 50, 1e-4)


def test_baselines_are_lines_of_the_scores(lab, view, corpus):
    finished(lab)
    watch = view.tab("Watch")
    assert not any(column(line, "y").size for line in layers(watch, "base one_tag"))
    control(watch, "What is traced").value = "Baselines"
    known = baselines(corpus, 5, lab.settings.seed)
    for panel, (score_name, factor) in enumerate((("one_to_one", 100), ("many_to_one", 100), ("vi", 1))):
        for name, scores in known.items():
            line = layers(watch, f"base {name}")[panel]
            assert set(column(line, "y")) == {factor * getattr(scores, score_name)}
    assert "word&#39;s tag" in shown_text(watch)


@pytest.mark.slow
def test_numbers_of_states_are_compared_as_the_library_does(lab, view, corpus):
    lab.settings.param.update(emission_prior=0.02, precision="f64", seed=7)
    lab.state.choice.settings.param.update(states=[3, 6], held_out=2, runs=2)
    view.go("Which model?")
    tab = view.tab("Which model?")
    assert "Nothing compared yet" in shown_text(tab)
    lab.settings.iterations = 8
    assert "8 iterations, priors 0.02 and 0.1, seed 7" in shown_text(tab)
    lab.settings.iterations = 6
    tab.task.start()
    assert waited(tab.task, 300)
    expected = compare(
        corpus, [3, 6], iterations=6, chains=2, folds=2, seed=7, emission_prior=0.02, init="dirichlet"
    )
    compared = lab.state.choice.compared
    assert repr(compared.rows) == repr(expected.rows)
    perplexity, information, energy, agreement = (
        {name: layers(tab, name)[panel] for name in ("line em", "line em 2", "line vb", "best em")}
        for panel in range(4)
    )
    em, vb = expected.rows[:2], expected.rows[2:]
    assert column(perplexity["line em"], "x").tolist() == [3, 6]
    assert column(perplexity["line em"], "y").tolist() == [row.perplexity for row in em]
    assert column(information["line em 2"], "y") == pytest.approx([row.bic / 1000 for row in em])
    assert column(energy["line vb"], "y") == pytest.approx([row.free_energy / 1000 for row in vb])
    assert column(agreement["best em"], "x").tolist() == [expected.chosen()["em"]["v_measure"]]
    random = column(layers(tab, "base random")[3], "y")
    assert random[1:3].tolist() == [baselines(corpus, size, 7)["random"].v_measure for size in (3, 6)]
    assert f"<td>{expected.chosen()['vb']['free_energy']}</td>" in shown_text(tab)
    assert "best at 3, the fewest tried; try fewer as well." in shown_text(tab)
    name, data = download(tab, "csv")
    assert name.endswith("numbers_of_states.csv")
    table = pd.read_csv(io.BytesIO(data))
    assert table["perplexity"].tolist() == [row.perplexity for row in expected.rows]
    lab.open_corpus(simulate_hmm(300, 8, tags=3, types=50))
    assert lab.state.choice.compared is None
    assert "Nothing compared yet" in shown_text(tab)


@pytest.mark.parametrize("learner", ["em", "vb-state-priors", "gibbs", "features"])
def test_numbers_of_states_of_any_learner_are_compared(lab, view, corpus, learner):
    lab.settings.param.update(precision="f64", seed=7, iterations=3)
    lab.state.choice.settings.param.update(states=[3, 5], held_out=0, runs=1, learners=learner)
    view.go("Which model?")
    tab = view.tab("Which model?")
    tab.task.start()
    assert waited(tab.task, 120)
    given = {"emission_prior": 0.1, "transition_prior": 0.1} if learner not in ("em", "features") else {}
    expected = compare(
        corpus, [3, 5], learner, iterations=3, folds=0, seed=7, precision="f64", init="dirichlet", **given
    )
    assert repr(lab.state.choice.compared.rows) == repr(expected.rows)
    assert expected.rows[1].v_measure == column(layers(tab, f"line {LEARNERS[learner].hue}")[3], "y")[1]


def test_learners_that_find_their_number_of_states_are_not_compared(lab):
    offered = lab.state.choice.settings.param.learners.objects
    assert not {"ihmm", "vb-hdp", "supervised"} & set(offered)
    assert {"em vb", "em", "vb", "pitman-yor"} <= set(offered)


@pytest.mark.slow
def test_a_comparison_that_is_cancelled_keeps_what_is_known(lab, view):
    lab.settings.iterations = 100_000
    lab.state.choice.settings.param.update(states=[2, 3], held_out=2)
    view.go("Which model?")
    tab = view.tab("Which model?")
    tab.task.start()
    until(lambda: tab.task.tick() or tab.task.bar.state["progress"]["share"])
    tab.task.cancel()
    assert not tab.task.bar.state["running"]
    lab.settings.iterations = 2
    lab.state.choice.settings.held_out = 20
    lab.open_corpus(Corpus.from_sentences([["a", "b"]] * 5))
    tab.task.start()
    assert waited(tab.task, 300)
    assert "20 folds" in tab.task.bar.state["fault"]["rows"][0]["what"]
