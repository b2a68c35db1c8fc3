"""The tagging lab without a browser: runs, settings, names and files."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from otlab import inference
from otlab.cli import main
from otlab.errors import InputError
from otlab.tagging import Corpus, Model, simulate_hmm
from otlab.ui.components.cards import Html
from otlab.ui.fields import values_of
from otlab.ui.source import Source
from otlab.ui.tagging.lab import TaggingLab
from otlab.ui.tagging.matching import Named, carried_names, runs_agreement
from otlab.ui.tagging.results import runs_html
from otlab.ui.tagging.settings import allowed_of
from otlab.ui.tagging.tabs.data import FILES, file_bytes
from otlab.ui.tagging.trust import trust_report
from tests.ui.page import column, figures, layer, layers, messages, parts, press, shown_text
from tests.ui.tagging.helpers import TABS, finished, view_of
from tests.ui.waiting import until


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


def test_states_are_counted_in_whole_numbers_on_the_axis(lab, view):
    skew = figures(view.tab("Watch"))[0]
    assert [axis.ticker.min_interval for axis in skew.xaxis] == [1]


def test_pictures_of_one_run_say_which_it_is(lab, view):
    finished(lab)
    watch = view.tab("Watch")
    assert lab.state.result.point == f"run 1 of {len(lab.state.result.views)}"
    assert watch.states_card.remark.startswith(f"{lab.state.result.point}, ")
    assert watch.tags_card.remark == lab.state.result.point
    gibbs = replace(lab.state.result, hue="gibbs")
    assert gibbs.point == f"last sample of {lab.state.result.point}"


def test_another_corpus_has_no_states_in_use(lab, view, corpus):
    finished(lab)
    assert "5 of 5 in use" in view.tab("Watch").states_card.remark
    lab.corpus = corpus.first(20)
    assert view.tab("Watch").states_card.remark == "largest first"


def test_the_tiles_belong_to_the_learner_looked_at(lab):
    finished(lab)
    for row, label in (("vb", "VB"), ("em", "EM")):
        lab.state.look_at(row)
        report = lab.runner.report
        assert report.heading == f"{label}, mean of 2 runs"
        mean = 100 * lab.results[row].score("one_to_one")[0]
        assert report.stats[0].value == f"{mean:.1f}\u00a0%"


@pytest.mark.slow
def test_what_can_be_trusted_rests_on_the_spread_over_runs(lab):
    finished(lab)
    assert lab.runner.report.badge.text == "Too early to say"
    lab.settings.param.update(iterations=60)
    report = finished(lab).runner.report
    result = lab.state.result
    share = runs_agreement(result.views)
    assert 0 < share < 1
    assert f"{100 * share:.0f}\u2009%" in report.meaning
    assert "local optimum" in report.meaning
    assert report.badge.text in ("Runs agree", "Runs agree in part", "Runs disagree")
    lab.settings.param.update(runs=1)
    report = finished(lab).runner.report
    assert report.badge.text == "One run only"
    assert "Set Runs to 3" in report.meaning


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
    assert again.restored_message() == f"{lab.own_name} is back"
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
    assert set(kept["document"]) == {"names", "compare"}
    again = TaggingLab("ewt")
    again.from_dict(kept)
    assert again.state.named()["em"].names == {0: "everything"}
    assert "next run takes them over" in again.restored_message()


def test_what_is_to_be_compared_survives_a_reload_and_goes_into_the_link(lab):
    lab.state.choice.settings.param.update(states=[5, 7], held_out=3)
    again = TaggingLab("ewt")
    again.from_dict(json.loads(json.dumps(lab.to_dict())))
    assert again.state.choice.settings.states == [5, 7]
    assert again.state.choice.settings.held_out == 3
    plain = TaggingLab("ewt")
    plain.state.mark_opened()
    assert plain.to_dict()["document"] == {}
    plain.state.choice.settings.runs = 2
    assert plain.to_dict()["document"]["compare"]["runs"] == "2"


def test_names_are_carried_by_shared_tokens():
    before = np.array([0] * 10 + [1] * 10 + [2] * 10)
    after = np.array([2] * 9 + [0] * 11 + [1, 1, 1, 3, 3, 3, 4, 4, 5, 5])
    named = Named(before, {0: "a", 1: "b", 2: "c"})
    assert carried_names(named, after) == {2: "a", 0: "b"}  # no state has half of the third's tokens


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
    assert lab.runner.runner.jobs["gibbs"].run.learner.start.given is labels
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


def test_vb_goes_on_from_what_is_looked_at(lab, view):
    finished(lab)
    before = lab.results["em"].view.labels
    lab.settings.param.update(iterations=1)
    press(view, "Continue as VB")
    assert lab.runner.wait(60)
    assert lab.runner.runner.enabled == {"em", "vb"}  # the next run has both again
    assert lab.results["em"].view.labels is before
    assert np.mean(lab.results["vb"].view.labels == before) > 0.5


@pytest.mark.slow
def test_reset_forgets_results(lab, view):
    finished(lab)
    lab.runner.reset()
    assert lab.results == {}
    watch = view.tab("Watch")
    assert not watch.grid.visible
    assert not watch.cards.visible


@pytest.mark.slow
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


@pytest.mark.parametrize(("tags", "states", "said"), [(8, 8, True), (8, 5, False), (5, 8, False)])
def test_six_states_of_at_most_six_are_no_lesson(tags, states, said):
    """They hold every token, whatever was learnt."""
    lab = TaggingLab(simulate_hmm(600, 7, tags=tags, types=100))
    lab.settings.param.update(iterations=3, runs=1, states=states, start="dirichlet")
    lab.layout = lab.main()
    finished(lab)
    assert view_of(lab).tab("Watch").skew._lesson.visible is said
    assert said is ("most frequent gold tags cover" in shown_text(view_of(lab).tab("Watch").skew))
    lab.close()


def test_the_lesson_gives_the_numbers_of_the_picture(lab):
    lab.settings.param.update(states=8)
    lab.state.load(simulate_hmm(2500, 7, tags=8, types=300))
    lab.layout = lab.main()
    finished(lab)
    lesson = shown_text(view_of(lab).tab("Watch").skew)
    for result in lab.results.values():
        share = np.mean([view.share_of_biggest() for view in result.views])
        assert f"{100 * share:.0f}\u202f%" in lesson
    assert f"{100 * lab.state.gold.six_biggest:.0f}\u202f%" in lesson


def test_files_read_back(lab, tmp_path):
    finished(lab)
    result = lab.state.result
    assert set(FILES) == {"page", "labels", "states", "traces", "confusion", "model"}
    path = tmp_path / "model.npz"
    path.write_bytes(file_bytes(result, "model"))
    assert np.array_equal(Model.load(path).label(lab.corpus), result.view.labels)
    traces = pd.read_csv(io.BytesIO(file_bytes(result, "traces")), comment="#")
    assert len(traces) == 14
    confusion = pd.read_csv(io.BytesIO(file_bytes(result, "confusion")), index_col="state")
    assert confusion.to_numpy().sum() == lab.corpus.tokens


@pytest.mark.slow
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


@pytest.mark.slow
def test_reading_options_read_the_open_file_again_and_undo_brings_the_results_back(lab, view, monkeypatch):
    toasts = []
    monkeypatch.setattr(lab, "toast", lambda text, undo=None, action="Undo": toasts.append((text, undo)))
    finished(lab)
    corpus, found = lab.corpus, {row: each.view.scores.tolist() for row, each in lab.results.items()}
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
    assert {row: each.view.scores.tolist() for row, each in lab.results.items()} == found
    assert not tab.options.lowercase
    assert lab.source is None


def test_a_text_of_one_word_is_told_so(monkeypatch):
    lab = TaggingLab()
    layout = lab.main()
    view_of(lab).open("Data")
    toasts = []
    monkeypatch.setattr(lab, "toast", lambda text, *_: toasts.append(text))
    view_of(lab).tab("Data").zone.take("one.txt", b"word\n")
    assert view_of(lab).tab("Data").zone.wait()
    assert toasts == ["one.txt read as plain text: 1 word"]
    assert layout is not None


def test_a_tag_that_is_missing_is_named_beside_the_file(lab, view):
    view.go("Data")
    tab = view.tab("Data")
    tab.zone.open(Source("short.txt", b"the/DT dog/NN barks/VBZ\nthe/DT cat sleeps/VBZ\n"))
    assert tab.zone.wait()
    assert lab.corpus.tags is None
    assert "short.txt:" in messages(tab)
    assert "5 of 6 tokens have a tag" in messages(tab)
    assert "in line 2 has none. Give every token a tag." in messages(tab)
    tab.zone.open(Source("whole.txt", b"the/DT dog/NN barks/VBZ\n"))
    assert tab.zone.wait()
    assert not messages(tab)


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


def test_every_card_shows_a_run_that_comes_back(lab, view):
    """After a crash the results kept for Undo are those of an earlier iteration than the saved run."""
    finished(lab)
    watch, ended = view.tab("Watch"), lab.runner.runner.jobs["em"].run
    paused = inference.run(ended.learner, sweeps=ended.total, seed=ended.seed, chains=ended.chains)
    paused.advance(2)
    lab.state.expect_runs(lab.state.run_context(), {"em": paused})
    lab.runner.restore({"em": paused})
    assert [max(column(mean, "x")) for mean in layers(watch.traces, "mean em")] == [2] * 4
    tokens = np.sort(np.bincount(paused.tick().views[0].labels, minlength=5))[::-1]
    assert list(column(layer(watch.skew, "bars em"), "top")) == list(tokens)


def test_shares_stand_beside_bars_that_fill_the_picture():
    sentence = [("a", "A"), ("b", "B"), ("c", "C")]  # tags that are equally frequent
    lab = TaggingLab(Corpus.from_sentences([sentence] * 40))
    lab.settings.param.update(iterations=3, runs=1, states=3, emission_prior=0.1, start="dirichlet")
    lab.layout = lab.main()
    finished(lab)
    places = [pane for pane in parts(view_of(lab).tab("Watch").skew, Html) if "biggest states" in pane.object]
    assert [pane.width is not None for pane in places] == [True]  # a column of its own
    lab.close()


def test_names_that_were_carried_over_are_taken_away_by_the_offer_to_undo(lab, view, monkeypatch):
    toasts, warnings = [], []
    monkeypatch.setattr(lab, "toast", lambda text, undo=None, action="Undo": toasts.append((text, undo)))
    monkeypatch.setattr(lab, "warn", warnings.append)
    finished(lab)
    biggest = int(lab.state.result.portrait.order[0])
    lab.state.name_state(biggest, "nouns")
    finished(lab)
    (text, undo) = toasts[-1]
    assert text == "1 name carried over from the last run, by shared tokens"
    assert lab.state.result.names == {biggest: "nouns"}
    undo()
    assert lab.state.result.names == {}
    assert view.tab("Watch").cards.cards[0]["name"] == f"state {biggest}"
    unlike = Named(np.arange(lab.corpus.tokens) % 40, {0: "every fortieth token"})
    lab.state.expect_names({"em": unlike})
    assert warnings == []
    finished(lab)
    assert warnings == ["Names of the last run not carried over; 1 found no state with half of its tokens"]
    assert lab.state.result.names == {}


def test_other_tags_for_the_words_are_scored_while_the_run_goes_on(lab, corpus):
    lab.settings.iterations = 100_000
    lab.runner.run()
    until(lambda: lab.runner.tick() or len(lab.results) == 2)
    swapped = replace(corpus, tags=np.roll(corpus.tags, 1), name="swapped")
    lab.state.score_against(swapped)
    assert lab.runner.runner.alive
    assert all(result.corpus is swapped for result in lab.results.values())
    assert not lab.state.table.rows  # only what has ended is a row
    lab.runner.stop()
    assert lab.runner.wait(60)


def test_a_run_that_went_the_wrong_way_is_told(lab):
    result = finished(lab).state.result
    result.views = (result.views[0], replace(result.views[1], alarm="The log likelihood fell."))
    report = trust_report(result)
    assert (report.badge.text, report.advice) == ("Wrong direction", "The log likelihood fell.")


def test_a_sampler_that_still_climbs_is_told(lab):
    result = finished(lab).state.result
    tokens = lab.corpus.tokens
    reports = []
    for slope in (1.0, 0.0):
        objective = slope * tokens * np.linspace(0, 1, 200)
        views = tuple(replace(each, objective=objective) for each in result.views)
        reports.append(trust_report(replace(result, hue="gibbs", views=views)))
    climbing, still = reports
    assert climbing.badge.text == "Still climbing"
    (nats,) = re.findall(r"is ([\d,]+) nats higher in the last quarter", climbing.meaning)
    assert int(nats.replace(",", "")) == pytest.approx(tokens / 4, rel=0.05)
    assert still.badge.text.startswith("Runs ")
