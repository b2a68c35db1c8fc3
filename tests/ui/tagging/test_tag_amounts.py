"""Accuracy by the number of tagged sentences, as a sweep's runs have it."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from otlab.errors import InputError
from otlab.inference.executors import threads
from otlab.sweep.plan import parse_plan
from otlab.sweep.run import run_plan
from otlab.sweep.spec import content_hash
from otlab.sweep.systems import Tagging
from otlab.sweep.write import sweep_text
from otlab.tagging import Corpus, fit_em, fit_supervised, simulate_hmm
from otlab.tagging.io.read import read
from otlab.ui.tagging.lab import TaggingLab
from otlab.ui.tagging.tag_amounts import COUNTS, TagAmounts
from tests.ui.page import download, shown_text, waited
from tests.ui.tagging.helpers import view_of

AMOUNTS = [0, 5, 30]


@pytest.fixture
def lab():
    lab = TaggingLab(simulate_hmm(900, 1, tags=3, types=40))
    lab.settings.param.update(iterations=4, states=3, precision="f64", seed=3)
    lab.state.amounts.settings.param.update(amounts=[*AMOUNTS, 100_000], runs=2)
    yield lab
    lab.close()


@pytest.fixture
def tab(lab):
    lab.layout = lab.main()
    view = view_of(lab)
    view.go("Known tags")
    return view.tab("Known tags")


def test_the_curve_is_that_of_the_library_and_of_the_sweep_it_is_saved_as(lab, tab, tmp_path):
    assert "Nothing run yet" in shown_text(tab)
    tab.task.start()
    assert waited(tab.task, 120)
    assert tab.task.bar.state["fault"] is None or not tab.task.bar.state["fault"].get("rows")
    means = lab.state.amounts.means()
    assert list(means) == [COUNTS, "em", "vb"]
    assert list(means[COUNTS]) == AMOUNTS[1:]
    assert list(means["em"]) == AMOUNTS
    values = {name: getattr(lab.settings, name) for name in ("emission_prior", "transition_prior")}
    counted = fit_supervised(lab.corpus, known_tags="30", seed=1, **values).accuracy()["marginal"].all
    assert means[COUNTS][30] == (pytest.approx(counted), pytest.approx(np.nan, nan_ok=True), 1)
    run = next(run for run in lab.state.amounts.runs if run.spec.learner == "em" and _known(run) == "5")
    options = {"init": lab.settings.start, "jitter": lab.settings.jitter, "iterations": 4, "states": 3}
    fitted = fit_em(lab.corpus, known_tags="5", seed=run.spec.seed, **options)
    assert run.scores["accuracy"] == fitted.accuracy(0)["marginal"].all
    name, data = download(tab, "csv")
    assert name.endswith("known_tags.csv")
    assert len(pd.read_csv(io.BytesIO(data))) == len(lab.state.amounts.runs) == 2 + 2 * 3 * 2

    planned = tab._sweep()
    for file, content in planned.files.items():
        (tmp_path / file).write_bytes(content())
    (file,) = planned.files
    text = sweep_text("tagging", planned.parts)
    corpus = read(tmp_path / file, "tsv")
    plan = parse_plan(text, folder=tmp_path, data={file: (content_hash(tmp_path / file), corpus)})
    with threads(2) as workers:
        found = run_plan(plan, workers)
    assert [run.scores.get("accuracy") for run in found.runs] == [
        run.scores.get("accuracy") for run in lab.state.amounts.runs
    ]


def _known(run):
    return dict(run.spec.settings)["known_tags"]


def test_what_cannot_be_asked_is_refused(lab):
    amounts, settings = lab.state.amounts, lab.settings
    with pytest.raises(InputError, match="no tags to learn from"):
        amounts.runner(Corpus.from_sentences([["a", "b"]] * 5), settings)
    settings.states = 2
    with pytest.raises(InputError, match="2 states are too few for the 3 tags"):
        amounts.runner(lab.corpus, settings)
    settings.states, amounts.settings.amounts = 3, [0, 100_000]
    with pytest.raises(InputError, match="write smaller numbers"):
        amounts.runner(lab.corpus, settings)


def test_another_corpus_deletes_the_curve(lab, tab):
    tab.task.start()
    assert waited(tab.task, 120)
    lab.open_corpus(simulate_hmm(300, 8, tags=3, types=50))
    assert not lab.state.amounts.runs
    assert "Nothing run yet" in shown_text(tab)


@pytest.mark.parametrize(
    ("counted", "found", "words"),
    [
        ([0.5, 0.6, 0.7], [0.6, 0.6, 0.6], "up to 5 tagged sentences; from 10 on"),
        ([0.5, 0.6, 0.7], [0.4, 0.5, 0.6], "worse than counting tags alone"),
        ([0.5, 0.6, 0.7], [0.6, 0.7, 0.8], "up to 20 tagged sentences, the most tried"),
    ],
)
def test_words_say_where_untagged_text_stops_helping(monkeypatch, counted, found, words):
    def means(_):
        curves = {COUNTS: counted, "vb": found}
        return {
            learner: {n: (y, np.nan, 1) for n, y in zip((5, 10, 20), values, strict=True)}
            for learner, values in curves.items()
        }

    monkeypatch.setattr(TagAmounts, "means", means)
    (said,) = TagAmounts().words()
    assert words in said


@pytest.mark.parametrize("title", ["Known tags", "Which model?"])
def test_a_run_of_a_tab_ends_out_of_sight_when_other_results_are_opened(lab, title):
    """Those of the same text, as where an earlier state of the document is opened."""
    lab.layout = lab.main()
    view = view_of(lab)
    view.go(title)
    tab = view.tab(title)
    lab.state.choice.settings.param.update(states=[2], held_out=0, runs=1)
    tab.task.start()
    assert waited(tab.task, 120)
    results = lab.state.tab_results()
    assert any(results)
    lab.settings.iterations = 100_000
    tab.task.start()
    view.go("Watch")
    lab.state.put_tab_results(results)
    assert tab.task.runner.alive
    assert waited(tab.task, 60)
    assert not tab.task.runner.failures
    assert lab.state.tab_results() == results


def test_why_a_run_failed_is_said_once(lab, tab, monkeypatch):
    def refuse(*given, **options):
        raise InputError("this learner is out of order")

    monkeypatch.setattr(Tagging, "fit", refuse)
    tab.task.start()
    assert waited(tab.task, 60)
    assert [row["what"] for row in tab.task.bar.state["fault"]["rows"]] == ["this learner is out of order"]
    assert not lab.state.amounts.runs
