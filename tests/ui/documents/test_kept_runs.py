"""A finished run comes back by Undo and Redo, after a reload, and after a restart of the server."""

from __future__ import annotations

import random

import numpy as np
import pytest

from otlab.ui import shared_corpora
from otlab.ui.documents import store as store_module
from otlab.ui.documents.writer import writer
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
        return self.lab.to_dict()["document"], None if found is None else numbers(found)

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


STEPS = ("edit", "run", "load", "undo", "redo", "reload", "restart")
WORDS = ("ðə", "dɔɡ", "kæt", "ə", "siː")


def _text(page, words):
    return "\n".join(" ".join(page.rng.choices(words, k=3)) for _ in range(5))


def _edit_lexicon(page):
    if page.rng.random() < 0.5:
        page.lab.open_file("my.txt", _text(page, WORDS).encode())
    else:
        page.lab.state._typed = 0.0  # as if typed some seconds later
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


@pytest.mark.parametrize("name", CASES)
def test_what_was_seen_comes_back(name):
    Page(name, 1).walk(6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", CASES)
def test_what_was_seen_comes_back_on_long_walks(name, seed):
    Page(name, seed).walk(25)
