"""What tabs have computed comes back with the document: Table 1, comparisons, the lexicon learnt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from otlab.samples import load_sample
from otlab.sweep.run import BackgroundSweep
from otlab.tagging import simulate_hmm
from otlab.ui.documents.archive import read_archive
from otlab.ui.documents.store import open_store
from otlab.ui.documents.writer import writer
from otlab.ui.tagging import table as table_module
from otlab.ui.tagging.table_texts import table_csv
from tests.ui.documents.helpers import CASES, paged, reloaded, saved
from tests.ui.page import press, shown_text, waited
from tests.ui.waiting import until

pytestmark = pytest.mark.slow

CASE = CASES["tagging"]
GRID = {"learners": "em vb", "states": [3], "emission": [0.5]}


@pytest.fixture
def lab():
    """A tagging lab on its example, with the rows of a grid chosen on its Table tab."""
    made = paged(CASE)
    made.settings.param.update(iterations=3, runs=2)
    made.tab = table_tab(made)
    made.tab.choice.group = "grid"
    made.tab.grid.param.update(**GRID)
    yield made
    made.close()


def tab_of(lab, title):
    """Return a tab of the lab's page, opened."""
    (view,) = lab.showings
    view.go(title)
    return view.tab(title)


def table_tab(lab):
    return tab_of(lab, "Table")


def on_another_page(case, lab):
    """Return the lab on a new page at the address of its document; a page with its file shows the same."""
    document = saved(lab)
    _, make = lab.document_file()
    again, other = reloaded(case, lab), paged(case)
    other.open_saved(read_archive(make()))
    assert other.document not in ("", document)
    assert repr(other.state.tab_results()) == repr(again.state.tab_results()) != "None"
    return again


def run_rows(lab):
    """Press the button, and let the page's timer tick until all rows are there."""
    tab = lab.tab
    tab.start()
    until(lambda: tab.tick() or not lab.state.table.running)
    assert not lab.state.table.faults


def begun(monkeypatch):
    """Return the list of plans that are begun from now on, as the runs that are not yet finished."""
    plans = []
    start = BackgroundSweep.start

    def noted(sweep):
        plans.append([spec for spec in sweep.plan.runs if sweep.store.get(spec) is None])
        start(sweep)

    monkeypatch.setattr(BackgroundSweep, "start", noted)
    return plans


@pytest.mark.parametrize("own", [False, True], ids=["example", "own corpus"])
def test_the_table_comes_back_and_its_runs_are_not_repeated(lab, monkeypatch, own):
    if own:
        lab.open_corpus(simulate_hmm(300, 8, tags=3, types=50))
    run_rows(lab)
    assert saved(lab), "a table of an example that was not edited is a document too"
    again = reloaded(CASE, lab)
    again.tab = table_tab(again)
    assert table_csv(again.state.table) == table_csv(lab.state.table)
    assert f"<td>{lab.corpus.tokens:,}</td><td>3</td><td>2</td>" in shown_text(again.tab)
    plans = begun(monkeypatch)
    again.tab.choice.group = "grid"
    again.tab.grid.param.update(**{**GRID, "states": [3, 4]})
    run_rows(again)
    assert [{spec.values["states"] for spec in plan} for plan in plans] == [{4}]
    assert len(again.state.table.rows) == 4
    again.close()


def test_rows_of_the_run_panel_come_back_and_another_corpus_has_none(lab):
    lab.settings.states = 4
    lab.runner.enable(["em"])
    lab.runner.run()
    assert lab.runner.wait(120)
    assert len(lab.state.table.rows) == 1
    csv = table_csv(lab.state.table)
    saved(lab)
    again = reloaded(CASE, lab)
    assert table_csv(again.state.table) == csv
    again.open_corpus(simulate_hmm(300, 8, tags=3, types=50))
    saved(again)
    third = reloaded(CASE, again)
    assert not third.state.table.rows
    third.undo()
    assert table_csv(third.state.table) == csv
    again.close()
    third.close()


def test_a_table_that_was_left_in_mid_run_has_what_was_finished(lab):
    lab.tab.grid.param.update(states=[3, 4, 5])
    lab.tab.start()
    until(lambda: lab.tab.tick() or lab.state.table.rows)
    lab.close()
    saved(lab)
    again = reloaded(CASE, lab)
    assert again.state.table.rows
    assert 1 <= len(again.state.table.store.runs) <= len(lab.state.table.store.runs)
    again.close()


def test_of_a_table_of_very_many_runs_the_newest_are_saved(lab, monkeypatch):
    monkeypatch.setattr(table_module, "MOST_SAVED_RUNS", 3)
    run_rows(lab)
    saved(lab)
    again = reloaded(CASE, lab)
    table = again.state.table
    assert [len(runs) for runs in table.rows.values()] == [1, 2]
    assert list(table.store.runs) == list(lab.state.table.store.runs)[-3:]
    again.close()


def test_two_thousand_runs_take_about_a_megabyte(lab):
    table = lab.state.table
    run_rows(lab)
    (row, runs), run = next(iter(table.rows.items())), next(iter(table.store.runs.values()))
    scores = next(iter(runs.values()))
    many = {(seed, 0): scores + seed for seed in range(table_module.MOST_SAVED_RUNS)}
    table.rows[row] = many
    for seed in range(table_module.MOST_SAVED_RUNS):
        scores_of_one = {name: value + seed for name, value in run.scores.items()}
        table.store.put(replace(run, spec=replace(run.spec, seed=seed), scores=scores_of_one))
    lab.state.table_changes += 1
    document = saved(lab)
    size = len(open_store().load(document).parts["tabs"])
    assert 100_000 < size < 2_000_000


def test_the_comparison_of_numbers_of_states_comes_back(lab):
    tab = tab_of(lab, "Which model?")
    lab.state.choice.settings.param.update(states=[3, 4], runs=1, held_out=2)
    tab.task.start()
    assert waited(tab.task, 120)
    expected = repr(lab.state.choice.compared.rows)
    assert expected != "()"
    saved(lab)
    again = reloaded(CASE, lab)
    assert repr(again.state.choice.compared.rows) == expected
    assert "Nothing compared yet" not in shown_text(tab_of(again, "Which model?"))
    again.close()


def test_accuracies_by_tagged_sentences_come_back(lab):
    tab = tab_of(lab, "Known tags")
    lab.settings.states = len(lab.corpus.tagset)
    lab.state.amounts.settings.param.update(amounts=[2, 4], runs=1)
    tab.task.start()
    assert waited(tab.task, 120)
    expected = lab.state.amounts.means()
    assert expected["vb"]
    saved(lab)
    again = reloaded(CASE, lab)
    assert repr(again.state.amounts.means()) == repr(expected)
    assert "Nothing run yet" not in shown_text(tab_of(again, "Known tags"))
    again.close()


def test_models_compared_come_back_and_stay_those_of_their_table():
    case = CASES["ot"]
    lab = paged(case)
    tab = tab_of(lab, "Compare")
    press(tab, "Compare models")
    until(lambda: "token" in lab.state.compared)
    card = shown_text(tab.models)
    assert "Noisy HG" in card
    again = on_another_page(case, lab)
    assert shown_text(tab_of(again, "Compare").models) == card
    assert "of the table before" not in card
    again.state.document.type(0, "c_0", "3")
    saved(again)
    third = reloaded(case, again)
    tab = tab_of(third, "Compare")
    assert "of the table before" in shown_text(tab.models)
    third.undo()
    assert shown_text(tab.models) == card
    third.choose("spanish_diminutive")
    assert "Which model fits" in shown_text(tab.models)
    saved(third)
    assert reloaded(case, third).state.compared == {}


def test_theories_compared_come_back():
    case = CASES["mg"]
    lab = paged(case)
    lab.state.theories.add("Questions", load_sample("figure1_wh"))
    tab = tab_of(lab, "Compare")
    tab.task.start()
    assert waited(tab.task, 60)
    rows, shown = tab.verdicts, shown_text(tab)
    assert "you see the park" in shown
    again = on_another_page(case, lab)
    assert repr(tab_of(again, "Compare").verdicts) == repr(rows)
    assert shown_text(tab_of(again, "Compare")) == shown
    again.state.theories.remove(0)
    saved(again)
    third = reloaded(case, again)
    assert repr(tab_of(third, "Compare").verdicts) == repr(rows), "theories removed since are still compared"
    third.runner.reset()
    third.changed()
    saved(third)
    assert reloaded(case, third).state.tab_results() is None


def test_the_lexicon_learnt_comes_back():
    case = CASES["mg"]
    lab = paged(case)
    tab = tab_of(lab, "Learn lexicon")
    lab.state.pool.settings.param.update(sentences="generated", restarts=2, iterations=20)
    tab.task.start()
    assert waited(tab.task, 60)
    survivors, shown = lab.state.pool.survivors, shown_text(tab)
    assert survivors
    again = on_another_page(case, lab)
    assert again.state.pool.survivors == survivors
    assert again.state.pool.seeds == lab.state.pool.seeds
    tab = tab_of(again, "Learn lexicon")
    assert shown_text(tab) == shown
    again.state.pool.settings.threshold = 60.0
    assert len(again.state.pool.survivors) < len(survivors)
    tab.adopt()
    assert list(again.lexicon.items) == again.state.pool.survivors


def test_what_was_cancelled_before_it_began_is_not_saved():
    lab = paged(CASES["mg"])
    tab = tab_of(lab, "Learn lexicon")
    lab.state.pool.settings.param.update(iterations=10_000, restarts=50)
    tab.task.start()
    tab.task.cancel()
    assert waited(tab.task, 20)
    assert (lab.state.pool.ended is None) == (not lab.state.pool.starts)
    lab.close()


def test_a_document_without_such_results_opens(case):
    """As one of an earlier version."""
    lab = paged(case)
    case.edits[0](lab)
    lab.changed()
    document = saved(lab)
    store = open_store()
    store.save(store.load(document, without=["tabs"]), without=["tabs"])
    assert "tabs" not in store.load(document).parts
    again = reloaded(case, lab)
    assert again.to_dict() == lab.to_dict()
    writer.flush()
