"""The tagging lab without a browser: runs, names, curves, tables, files."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pandas as pd
import pytest

from otlab.cli import main
from otlab.errors import InputError
from otlab.tagging import Model, Prior, merge_states, score, simulate_hmm
from otlab.tagging.experiments.table1 import TABLE_1, Estimator
from otlab.tagging.hmm.decode import posteriors
from otlab.tagging.scores import Scorer
from otlab.ui.components.cards import Html
from otlab.ui.components.file_zone import Source
from otlab.ui.fields import values_of
from otlab.ui.tagging.lab import TaggingLab
from otlab.ui.tagging.matching import Named, carried_names, runs_agreement
from otlab.ui.tagging.results import entropy
from otlab.ui.tagging.settings import allowed_of
from otlab.ui.tagging.table import Row, Table, grid_rows, runs_html, table_csv, table_html, table_latex
from otlab.ui.tagging.tabs.downloads import FILES, file_bytes
from otlab.ui.tagging.tabs.sentences import Seen, disagreements
from otlab.ui.tagging.tabs.states import transition_rows
from otlab.viz.tagging.prior import mass_share, prior_advice, prior_is_usual
from otlab.viz.tagging.skew import skew_data, skew_top
from otlab.viz.tagging.traces import trace_data, trace_span
from tests.ui.page import column, control, figures, layer, layers, parts, press, shown_text

TABS = [tab.title for tab in TaggingLab.tabs]


@pytest.fixture(scope="module")
def corpus():
    return simulate_hmm(2500, 7, tags=6, types=300)


@pytest.fixture
def lab(corpus):
    """A lab without a page."""
    made = TaggingLab(corpus)
    made.settings.param.update(iterations=6, runs=2, states=5)
    yield made
    made.close()


@pytest.fixture
def view(lab):
    """The lab's page."""
    lab.layout = lab.main()
    return view_of(lab)


def view_of(lab):
    (showing,) = lab.showings
    return showing


def finished(lab):
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done", lab.runner.runner.failures
    return lab


def test_both_estimators_run_from_the_same_starts(lab):
    results = finished(lab).results
    assert set(results) == {"em", "vb"}
    for result in results.values():
        assert [view.iteration for view in result.views] == [6, 6]
        assert result.model is not None
        assert not result.view.alarm


@pytest.mark.parametrize(
    ("estimator", "row"),
    [("map-em", "em"), ("gibbs", "gibbs"), ("gibbs-blocked", "gibbs"), ("gibbs-collapsed-blocked", "gibbs")],
)
def test_a_row_runs_the_variant_chosen_and_no_other_row_is_unticked(lab, estimator, row):
    lab.settings.param.update(**{f"{row}_kind": estimator})
    assert lab.runner.runner.enabled == {"em", "vb"}
    lab.runner.enable({row})
    if estimator == "map-em":
        lab.settings.param.update(emission_prior=1, transition_prior=1)
    assert list(finished(lab).results) == [row]
    assert lab.results[row].view.learner == estimator


def test_the_tiles_belong_to_the_learner_looked_at(lab):
    finished(lab)
    for row, label in (("vb", "VB"), ("em", "EM")):
        lab.state.look_at(row)
        report = lab.runner.report
        assert report.heading == f"{label}, mean of 2 runs"
        mean = 100 * lab.results[row].score("one_to_one")[0]
        assert report.stats[0].value == f"{mean:.1f}\u00a0%"


def test_what_can_be_trusted_rests_on_the_spread_over_runs(lab):
    finished(lab)
    assert lab.runner.report.badge.text == "Too early to say"
    lab.settings.param.update(iterations=60)
    report = finished(lab).runner.report
    result = lab.state.result
    share = runs_agreement(result.views)
    assert 0 < share < 1
    assert f"{100 * share:.0f}\u2009%" in report.said
    assert "local optimum" in report.said
    assert report.badge.text in ("Runs agree", "Runs agree in part", "Runs disagree")
    lab.settings.param.update(runs=1)
    report = finished(lab).runner.report
    assert report.badge.text == "One run only"
    assert "Set Runs to 3" in report.said


def test_names_go_over_to_the_same_states_of_the_next_run(lab):
    finished(lab)
    first = lab.state.result
    biggest = [int(k) for k in first.portrait.order[:2]]
    for state, name in zip(biggest, ("nouns", "verbs"), strict=True):
        lab.state.name_state(state, name)
    again = finished(lab).state.result
    assert again is not first
    assert again.names == first.names  # the same seed finds the same states
    lab.runner.reset()
    assert finished(lab).state.result.names == first.names


def test_names_of_states_survive_a_reload(lab):
    finished(lab)
    first = lab.state.result
    biggest = [int(k) for k in first.portrait.order[:2]]
    for state, name in zip(biggest, ("nouns", "verbs"), strict=True):
        lab.state.name_state(state, name)
    kept = json.loads(json.dumps(lab.to_dict()))
    again = TaggingLab("ewt")
    again.from_dict(kept)
    assert again.came_back() == f"{lab.own_name} is back"
    assert finished(again).state.result.names == first.names
    for state in biggest:
        lab.state.name_state(state, "")
    assert not lab.to_dict()["document"]["names"]


def test_names_on_an_example_are_kept_without_its_text():
    lab = TaggingLab("ewt")
    lab.state.mark_opened()
    labels = np.zeros(lab.corpus.tokens, dtype=int)
    lab.state.expect_names({"em": Named(labels, {0: "everything"})})
    kept = lab.to_dict()
    assert set(kept["document"]) == {"names"}
    again = TaggingLab("ewt")
    again.from_dict(kept)
    assert again.state.named()["em"].names == {0: "everything"}
    assert "next run takes them over" in again.came_back()


def test_names_are_carried_by_shared_tokens():
    before = np.array([0] * 10 + [1] * 10 + [2] * 10)
    after = np.array([2] * 9 + [0] * 11 + [1, 1, 1, 3, 3, 3, 4, 4, 5, 5])
    named = Named(before, {0: "a", 1: "b", 2: "c"})
    assert carried_names(named, after) == {2: "a", 0: "b"}  # no state has half of the third's tokens


def test_every_tab_shows_a_run(lab, view):
    finished(lab)
    for tab in TABS:
        view.go(tab)
    assert " → T0" in shown_text(view.tab("Sentences"))


def test_every_tab_opens_before_any_run(lab, view):
    for tab in TABS:
        view.go(tab)


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
    names = layer(view.tab("Watch").skew, "names").data_source.data
    (text,) = (v for v in names.values() if v.dtype.kind == "U")
    assert [word.strip() for word in text] == ["determiners"]


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


def test_any_estimator_starts_from_the_states_of_another(lab):
    lab.settings.param.update(start="continued")
    lab.runner.run()
    assert lab.runner.phase == "failed"
    assert "no states to start from" in str(lab.runner.runner.failures[""])
    lab.runner.reset()
    lab.settings.param.update(start="dirichlet")
    labels = finished(lab).results["em"].view.labels
    lab.settings.param.update(start="continued", gibbs_kind="gibbs-blocked", iterations=1)
    lab.runner.enable({"gibbs"})
    lab.runner.run()
    assert lab.state._continued.given is labels
    assert lab.runner.wait(60)
    result = lab.results["gibbs"]
    assert result.settings["start"] == "continued"
    assert len(result.views) == 1


def test_a_tag_dictionary_bars_states(lab, corpus):
    lab.settings.param.update(dictionary="gold", states=len(corpus.tagset))
    finished(lab)
    allowed = allowed_of(values_of(lab.settings), corpus)
    for result in lab.results.values():
        assert allowed[corpus.words, result.view.labels].all()
    lab.settings.param.update(dictionary="none")
    assert allowed_of(values_of(lab.settings), corpus) is None


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
    assert stat.note == f"by marginals {100 * result.max_marginal.one_to_one:.1f}"


def test_merging_shows_scores_along_the_tree(lab, view):
    finished(lab)
    lab.state.name_state(0, "nouns")
    view.go("States")
    tab = view.tab("States")
    tab.merge()
    tree = merge_states(lab.corpus, lab.state.result.view.labels, 5)
    said = shown_text(tab)
    assert f"{100 * tree.scores[0].one_to_one:.1f}" in said
    assert ("nouns" in said) == any(0 in pair for pair in tree.merges[:4])


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


def test_vb_goes_on_from_what_is_looked_at(lab, view):
    finished(lab)
    before = lab.results["em"].view.labels
    lab.settings.param.update(iterations=1)
    press(view, "Continue as VB")
    assert lab.runner.wait(60)
    assert lab.runner.runner.enabled == {"em", "vb"}  # the next run has both again
    assert lab.results["em"].view.labels is before
    assert np.mean(lab.results["vb"].view.labels == before) > 0.5


def test_reset_forgets_results(lab, view):
    finished(lab)
    lab.runner.reset()
    assert lab.results == {}
    watch = view.tab("Watch")
    assert not watch.grid.visible
    assert not watch.cards.visible


def test_examples_bring_corpus_and_settings():
    lab = TaggingLab()
    for example in lab.examples():
        lab.choose(example)
        assert lab.example == example
    assert lab.corpus.name.startswith("simulated")
    lab.choose("classroom")
    assert (lab.settings.states, lab.corpus.sentences) == (50, 2000)
    lab.settings.param.update(corpus="simulated")
    assert lab.corpus.name.startswith("simulated")
    lab.close()


@pytest.mark.slow
def test_the_classroom_shows_johnsons_point():
    """EM spreads tokens over states, VB comes near the gold tags and scores no worse."""
    lab = TaggingLab()
    lab.choose("classroom")
    lab.layout = lab.main()
    finished(lab)
    gold = lab.state.gold.six_biggest
    em, vb = (lab.results[row] for row in ("em", "vb"))
    assert em.skew.six_biggest < gold - 0.1
    assert abs(vb.skew.six_biggest - gold) < 0.06
    assert vb.score("one_to_one")[0] > em.score("one_to_one")[0]
    assert vb.score("vi")[0] < em.score("vi")[0]
    lesson = shown_text(view_of(lab).tab("Watch").skew)
    assert "EM spreads tokens too evenly" in lesson
    assert "VB comes close" in lesson
    lab.close()


def test_the_lesson_gives_the_numbers_of_the_picture(lab, view):
    finished(lab)
    lesson = shown_text(view.tab("Watch").skew)
    for result in lab.results.values():
        share = np.mean([view.share_of_biggest() for view in result.views])
        assert f"{100 * share:.0f}\u202f%" in lesson
    assert f"{100 * lab.state.gold.six_biggest:.0f}\u202f%" in lesson


def test_the_skew_is_a_number_at_every_iteration(lab, view):
    finished(lab)
    result = lab.results["vb"]
    counts = result.views[1].tokens_per_state
    assert result.effective_states.shape == (2, 7)
    assert result.effective_states[1, -1] == pytest.approx(2 ** entropy(counts))
    traces = view.tab("Watch").traces
    assert "Effective number of states" in shown_text(traces)
    assert f"gold {2 ** entropy(lab.corpus.tag_counts):.1f}" in shown_text(traces)


def test_no_panel_stays_empty(lab, view):
    finished(lab)
    traces = view.tab("Watch").traces
    assert shown_text(traces).count("panel-name") == 4
    control(traces, "What is traced").value = "Objective"
    assert shown_text(traces).count("panel-name") == 2
    assert [figure.xaxis[0].visible for figure in figures(traces)[:2]] == [False, True]


def test_the_inset_stands_beside_the_bars_where_it_would_lie_on_them(lab, view):
    finished(lab)
    skew = view.tab("Watch").skew
    (text,) = [pane for pane in parts(skew, Html) if "6 biggest states" in pane.object]
    control(skew, "Scale of the counts").value = "Log"
    (beside,) = [pane for pane in parts(skew, Html) if "6 biggest states" in pane.object]
    assert beside is not text
    assert beside.visible


def test_files_read_back(lab, tmp_path):
    finished(lab)
    result = lab.state.result
    assert set(FILES) == {"labels", "states", "traces", "confusion", "model"}
    path = tmp_path / "model.npz"
    path.write_bytes(file_bytes(result, "model"))
    assert np.array_equal(Model.load(path).label(lab.corpus), result.view.labels)
    traces = pd.read_csv(io.BytesIO(file_bytes(result, "traces")), comment="#")
    assert len(traces) == 14
    confusion = pd.read_csv(io.BytesIO(file_bytes(result, "confusion")), index_col="state")
    assert confusion.to_numpy().sum() == lab.corpus.tokens


def test_an_untagged_corpus_runs_without_scores():
    from otlab.tagging import Corpus

    lab = TaggingLab(Corpus.from_sentences([["a", "b", "a"], ["b", "a"]] * 20))
    lab.settings.param.update(iterations=3, runs=1, states=2)
    lab.layout = lab.main()
    finished(lab)
    for tab in TABS:
        view_of(lab).go(tab)
    assert lab.state.gold is None
    watch = view_of(lab).tab("Watch")
    assert not watch.grid.visible
    assert "log likelihood" in shown_text(watch.traces)  # nothing else can be traced
    lab.close()


def test_a_file_that_is_no_corpus_is_refused(lab):
    with pytest.raises(InputError):
        lab.open_file("x.tsv", b"a\tX\nb\n")
    lab.open_file("x.tsv", b"a\tX\nb\tY\n")
    assert lab.corpus.tokens == 2
    assert lab.settings.corpus == "own"


def test_reading_options_read_the_open_file_again_and_undo_brings_the_results_back(lab, view, monkeypatch):
    toasts = []
    monkeypatch.setattr(lab, "toast", lambda text, undo=None, action="Undo": toasts.append((text, undo)))
    finished(lab)
    corpus, results = lab.corpus, lab.results
    view.go("Data")
    tab = view.tab("Data")
    tab.zone.open(Source("t.txt", b"The/DT dog/NN the/DT Dog/NN\n" * 20))
    tab.zone.wait()
    assert lab.corpus.types == 4
    assert "as word/TAG: 80 words, 4 different" in toasts[-1][0]
    tab.options.lowercase = True
    tab.zone.wait()
    assert lab.corpus.types == 2
    assert "read again" in toasts[-1][0]
    toasts[-1][1]()
    assert lab.corpus.types == 4
    toasts[-2][1]()
    assert lab.corpus is corpus
    assert lab.state.results == results
    assert lab.source is None


def test_run_k_of_the_lab_is_run_k_of_the_command_line(lab, corpus, tmp_path, capsys):
    path = tmp_path / "corpus.tsv"
    path.write_text(
        "\n\n".join("\n".join(f"{word}\t{tag}" for word, tag in sentence) for sentence in corpus) + "\n"
    )
    lab.open_file(path.name, path.read_bytes())
    lab.settings.param.update(precision="f64", seed=11)
    finished(lab)
    settings = ["--states", "5", "--iterations", "6", "--seeds", "2", "--seed", "11", "--json"]
    for row, result in lab.results.items():
        assert main(["tag", str(path), "--learner", row, *settings]) == 0
        runs = json.loads(capsys.readouterr().out)["runs"]
        assert [run["seed"] for run in runs] == result.seeds
        for run, view in zip(runs, result.views, strict=True):
            np.testing.assert_allclose(run["objective"], view.objective, rtol=1e-12)
            assert run["tokens_per_state"] == view.tokens_per_state.tolist()
            assert str(run["seed"]) in runs_html([result])


def test_a_chip_says_what_a_word_was_taken_for(lab):
    finished(lab)
    seen = Seen(lab.results["em"], 0)
    state, tag = next((k, t) for k, t in enumerate(seen.tag_of_state) if t >= 0)
    assert seen.chip(state) == f"{state} → {lab.corpus.tagset[tag]}"
    lab.results["em"].names[state] = "nouns"
    assert seen.chip(state) == f"nouns → {lab.corpus.tagset[tag]}"


def test_every_state_and_tag_can_be_reached_in_the_grid(lab, view):
    lab.settings.param.update(states=40)
    finished(lab)
    watch = view.tab("Watch")
    assert len(watch.grid.data["rows"]) <= 26
    control(watch, "How many states and tags").value = "All"
    assert len(watch.grid.data["rows"]) == lab.state.result.view.states_used
    assert watch.grid.data["columns"] == list(lab.corpus.tagset)
    assert watch.grid.every


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
        said = table_html(table)
        assert said.count("<tr") == 1 + 2 + 1 + 12
        assert said.count(f"<td>{corpus.tokens:,}</td><td>2</td><td>2</td>") == 2
        assert said.count("<td>1.17 M</td><td>1,000</td><td>10</td>") == 8
        assert said.count("<td>1.17 M</td><td>50,000</td><td>5</td>") == 4
        assert r"\textbf{" in table_latex(table)
        frame = pd.read_csv(io.StringIO(table_csv(table)))
        assert frame["runs"].tolist() == [2, 2]
        assert frame["tokens"].tolist() == [corpus.tokens] * 2
        assert frame["one_to_one_paper"].tolist() == [0.40, 0.47]

    def test_stop_forgets_the_queue(self, corpus, lab):
        table = Table()
        table.ask(list(TABLE_1), corpus, {**values_of(lab.settings), "iterations": 100_000})
        assert table.now
        table.stop()
        assert not table.advance()


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
