"""Pages of labs whose documents are kept in one store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.tagging import simulate_hmm
from otlab.ui.documents.writer import writer
from otlab.ui.lexicon.lab import LexiconLab
from otlab.ui.mg.lab import MGLab
from otlab.ui.ot.lab import OTLab
from otlab.ui.tagging.lab import TaggingLab
from tests.ui.page import one, page, sent

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Case:
    """A lab, two edits of its data that Undo takes back one by one, and settings of a short run."""

    make: Callable[[], Any]
    edits: tuple[Callable[[Any], object], ...]
    short: dict[str, Any]
    learner: str


def renamed_words(lab):
    lab.state.write_grammar(lab.state.grammar_text + "\n# mine")


def with_sound():
    lab = LexiconLab()
    lab.state.sound.open_example("spoken_toy")
    return lab


CASES = {
    "ot": Case(
        OTLab,
        (lambda lab: lab.state.document.type(0, "c_0", "3"), lambda lab: lab.state.document.add_constraint()),
        {"sweeps": 200, "chains": 2},
        "gibbs",
    ),
    "tagging": Case(
        TaggingLab,
        (
            lambda lab: lab.open_corpus(simulate_hmm(300, 8, tags=3, types=50)),
            lambda lab: lab.open_corpus(simulate_hmm(200, 9, tags=3, types=50)),
        ),
        {"iterations": 4, "runs": 2, "states": 4},
        "em",
    ),
    "mg": Case(
        MGLab,
        (lambda lab: lab.state.set_count(("you", "left"), 7), lambda lab: lab.state.add_item("yes :: c")),
        {"iterations": 20},
        "vb",
    ),
    "lexicon": Case(
        LexiconLab,
        (lambda lab: lab.open_file("my.txt", "ðə dɔɡ\nðə kæt\nə dɔɡ\n".encode()), renamed_words),
        {"iterations": 3},
        "batch",
    ),
    "sound": Case(
        with_sound,
        (lambda lab: lab.state.open_sound(lab.state.sound.example("digits")), renamed_words),
        {"iterations": 3, "units": 10, "components": 1},
        "units",
    ),
}

LONG = {"ot": {"sweeps": 60_000, "chains": 2}, "lexicon": {"iterations": 3000}, "sound": {"iterations": 400}}
"""Settings of runs that go on for some seconds."""


def paged(case, **query):
    """Return a lab with its page at this address, with the page's bar and the messages it was sent."""
    lab = case.make()
    lab.layout = page(lab, **query)
    lab.bar = one(lab.layout, "AppBar")
    lab.sent = sent(lab.bar)
    return lab


def reloaded(case, lab):
    """Return the same lab on a new page at the address of its document."""
    return paged(case, document=lab.document)


def saved(lab):
    """Save at once what waits to be saved; return the id of the document."""
    writer.flush(lab.document)
    return lab.document
