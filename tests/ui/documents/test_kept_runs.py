"""A finished run comes back by Undo and Redo, after a reload, and after a restart of the server."""

from __future__ import annotations

import random

import numpy as np
import pytest

from otlab.tagging.scores import Scorer
from otlab.ui import shared_corpora
from otlab.ui.documents import store as store_module
from otlab.ui.documents.runs import RUN
from otlab.ui.documents.store import open_store
from otlab.ui.documents.writer import writer
from otlab.ui.source import Source
from tests.test_every_learner import numbers
from tests.ui.documents.helpers import CASES, paged, reloaded
from tests.ui.waiting import until

SHOWN = {
    "ot": lambda state: state.gibbs and state.gibbs.chains,
    "tagging": lambda state: state.results["em"].views if "em" in state.results else None,
    "mg": lambda state: state.inductions["vb"].views if "vb" in state.rows_shown() else None,
    "lexicon": lambda state: state.results.get("batch"),
    "sound": lambda state: state.sound.view,
}
"""What the pictures of a lab are drawn from; None without results of a run."""


class Page:
    """A page with a model of what is seen at each step of its undo history."""

    def __init__(self, name, seed=0):
        self.name, self.case, self.rng = name, CASES[name], random.Random(seed)
        self.lab = paged(self.case)
        self.lab.runner.enable([self.case.learner])
        self.lab.settings.param.update(**self.case.short)
        self.past, self.future = [], []

    def seen(self):
        """Return the data and the results that are shown."""
        found = SHOWN[self.name](self.lab.state)
        return self.lab.to_dict()["document"], None if found is None else repr(
            numbers(found)
        )  # NaN is as NaN

    def edit(self):
        """Make one edit of the data that can be undone."""
        steps = len(self.lab.state.history.edits().past)
        while len(self.lab.state.history.edits().past) == steps:  # else nothing was changed, or could be lost
            before = self.seen()
            EDITS[self.name](self)
        self.past, self.future = [*self.past, before], []

    def load(self):
        """Show an example; it is a step of the history if something would be lost."""
        before = self.seen()
        self.lab.choose(self.rng.choice(list(self.lab.examples())[:2]))
        if self.lab.state.history.can_undo:
            self.past, self.future = [*self.past, before], []
        self.lab.settings.param.update(**self.case.short)

    def run(self):
        """Run the learner to its end."""
        self.lab.settings.seed = self.rng.randrange(1, 100)
        self.lab.runner.enable([self.case.learner])
        self.lab.runner.run()
        assert self.lab.runner.wait(120)
        assert self.lab.runner.phase == "done", self.lab.runner.runner.failures

    def undo(self):
        """Undo, and compare with what was seen then."""
        self._travel(self.lab.undo, self.past, self.future)

    def redo(self):
        """Redo, and compare with what was seen then."""
        self._travel(self.lab.redo, self.future, self.past)

    def _travel(self, move, source, target):
        if not source:
            return
        target.append(self.seen())
        move()
        data, results = source.pop()
        assert self.seen()[0] == data
        if results is not None:
            assert self.seen() == (data, results)

    def reload(self):
        """Open the document again; the same is seen."""
        before = self.seen()
        self.lab.changed()
        writer.flush()
        if self.lab.document:
            self.lab = reloaded(self.case, self.lab)
            until(lambda: self.lab.state.wanted is None)
        assert self.seen() == before

    def restart(self):
        """Open the document in a process that knows nothing but the store."""
        self.lab.changed()
        writer.flush()
        self.lab.close()
        shared_corpora._shown.clear()
        store_module._opened.cache_clear()
        self.reload()

    def walk(self, steps):
        """Do as many random steps, and end with a way through the whole history, after a reload."""
        done = []
        for _ in range(steps):
            step = self.rng.choices(STEPS, (3, 4, 2, 3, 2, 1, 1))[0]
            done.append(step)
            getattr(self, step)()
        self.restart()
        while self.past:
            self.undo()
        self.reload()
        while self.future:
            self.redo()
        return done


@pytest.mark.slow
def test_other_gold_tags_score_a_run_again_and_undo_and_a_reload_keep_it():
    """U1, U7: XPOS to UPOS and back; learners see no tags."""
    page = Page("tagging")
    page.lab.open_file("my.conllu", CONLLU.encode())
    page.run()
    lab, before = page.lab, page.seen()
    (showing,) = lab.showings
    showing.go("Data")
    tab = showing.tab("Data")
    tab.options.column = "upos"
    tab.zone.wait()
    result, scored = lab.results["em"], page.seen()
    assert lab.runner.phase == "done"
    assert result.corpus.tagset == ("NOUN", "DET")
    for view in result.views:
        scorer = Scorer(lab.corpus, 4)
        assert view.table.tolist() == scorer.table(view.labels).sum(0).tolist()
        assert view.scores[-1].tolist() == scorer.row(view.labels).tolist()
    page.reload()
    page.restart()
    assert page.seen() == scored
    page.lab.undo()
    assert page.seen() == before
    assert page.lab.state.reading.column == "xpos", "as the menu says"
    page.restart()
    assert page.seen() == before
    page.lab.redo()
    assert page.seen() == scored
    page.lab.state.reading.column = "xpos"
    assert page.lab.state.source is not None, "it can be read again"


@pytest.mark.slow
def test_a_typed_text_that_replaces_one_with_a_run_is_taken_back_with_its_run():
    """U2: the text box of the lexicon lab, with words and sound in sight."""
    page = Page("lexicon", 3)
    page.run()
    before = page.seen()
    page.lab.open_own(
        "pasted text", lambda: page.lab.state.load(page.lab.read(Source("p", b"a b\nb a\n"), float)[0])
    )
    assert page.seen() != before
    assert page.lab.sent[-1]["action"] == "Undo"
    page.restart()
    page.lab.undo()
    assert page.seen() == before
    page.restart()
    assert page.seen() == before


@pytest.mark.slow
def test_a_run_of_another_learner_leaves_the_first_one_saved():
    for name, second in {"ot": "maxent", "mg": "em", "tagging": "vb", "lexicon": "mcmc"}.items():
        page = Page(name)
        page.run()
        state = page.lab.state
        shown = set(state.rows_shown())
        page.lab.runner.enable([second])
        page.lab.runner.run()
        assert page.lab.runner.wait(120)
        stays = set(state.rows_shown())
        assert second in stays
        page.restart()
        assert set(page.lab.state.rows_shown()) == stays, (name, shown)


@pytest.mark.slow
def test_runs_that_have_no_room_are_named_and_the_nearest_stay(monkeypatch):
    page = Page("ot")
    for _ in range(3):
        page.run()
        page.edit()
    page.reload()
    size = max(open_store().part_sizes(page.lab.document, RUN).values())
    monkeypatch.setattr("otlab.ui.documents.runs.MOST_PAST_BYTES", size + size // 2)
    page.edit()
    writer.flush()
    assert page.lab.bar.saved.startswith("Saved, without earlier results of Gibbs")
    assert len(open_store().part_names(page.lab.document, RUN)) == 2
    page.restart()
    for _ in range(4):
        page.lab.undo()
    assert page.lab.sent[-1]["toast"].startswith("The results of Gibbs")


def test_what_is_not_counted_costs_no_result_of_a_grammar():
    page = Page("mg")
    page.run()
    before = page.seen()[1]
    page.lab.state.set_count(("you", "you"), 0)
    page.lab.changed()
    assert page.seen()[1] == before
    page.lab.state.set_count(("you", "you"), 2)
    assert page.seen()[1] is None


CONLLU = "".join(
    f"1\tthe\t_\tDET\tDT\t_\t_\t_\t_\t_\n2\t{word}\t_\tNOUN\t{tag}\t_\t_\t_\t_\t_\n3\t{other}\t_\tNOUN\tNN\t_\t_\t_\t_\t_\n\n"
    for word, tag, other in [("dog", "NN", "cat"), ("dogs", "NNS", "cat"), ("cats", "NNS", "dog")] * 3
)
STEPS = ("edit", "run", "load", "undo", "redo", "reload", "restart")
WORDS = ("ðə", "dɔɡ", "kæt", "ə", "siː")


def _text(page, words):
    return "\n".join(" ".join(page.rng.choices(words, k=3)) for _ in range(5))


def _edit_lexicon(page):
    if page.rng.random() < 0.5:
        page.lab.open_file("my.txt", _text(page, WORDS).encode())
    else:
        page.lab.state._typed = 0.0, {}  # as if typed some seconds later
        page.lab.state.write_grammar(page.lab.state.grammar_text + f"\n# {page.rng.randrange(1000)}")
        page.lab.changed()


EDITS = {
    "ot": lambda page: page.lab.state.document.type(
        int(np.flatnonzero(page.lab.tableau.frequencies)[0]), "count", str(page.rng.randrange(1, 9))
    ),
    "tagging": lambda page: page.lab.open_file(
        "t.txt", _text(page, ("a/X", "a/Y", "b/X", "c/Z", "d/X", "e/Y")).encode()
    ),
    "mg": lambda page: page.lab.state.set_count(("you", "left"), page.rng.randrange(1, 9)),
    "lexicon": _edit_lexicon,
    "sound": lambda page: page.lab.state.open_sound(
        page.lab.state.sound.example(page.rng.choice(list(page.lab.state.sound.examples())))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_was_seen_comes_back(name):
    Page(name, 1).walk(6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", CASES)
def test_what_was_seen_comes_back_on_long_walks(name, seed):
    Page(name, seed).walk(25)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_run_panel_says_the_same_of_a_run_at_its_end_and_after_a_reload(name):
    """At the end it shows what the whole run comes to, not what was last computed on the way."""
    page = Page(name)
    page.lab.settings.param.update(**{"ot": {"sweeps": 5000, "chains": 4}}.get(name, {}))
    page.run()
    shown = said(page.lab)
    assert shown[1], "the panel says something"
    page.restart()
    assert said(page.lab) == shown


def said(lab):
    """Return the verdict and the figures that the run panel shows."""
    report = lab.runner.report
    return report.badge.text, [(stat.label, stat.value) for stat in report.stats], report.meaning
