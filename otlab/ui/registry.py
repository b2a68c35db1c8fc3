"""The labs there are: the home page, the bar's tabs and the server read them here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otlab.ui.lab import Lab

__all__ = ["LabEntry", "lab", "labs"]


@dataclass(frozen=True)
class LabEntry:
    """One lab, known without importing it.

    Attributes
    ----------
    route
        Its address, and the name of its file in ``apps/``.
    title, blurb, starts_with
        What its card on the home page says.
    module, name
        Where its class is.
    endings
        File endings it opens, in lower case.
    picture
        Name of its card's drawing.
    """

    route: str
    title: str
    blurb: str
    starts_with: str
    module: str
    name: str
    endings: tuple[str, ...]
    picture: str

    @property
    def ready(self) -> bool:
        """Whether the lab's package is there."""
        package = self.module.rpartition(".")[0]
        return find_spec(package) is not None and find_spec(self.module) is not None

    def make(self) -> Lab:
        """Return a new lab with its first example; each page gets its own."""
        made: Lab = getattr(import_module(self.module), self.name)()
        return made


_ALL = (
    LabEntry(
        "ot_lab", "OT", "Learn stochastic rankings from a tableau. Compare Gibbs, GLA and MaxEnt on the same data.",
        "Ilokano", "otlab.ui.ot.lab", "OTLab", (".csv", ".xlsx", ".txt", ".otgrammar"), "lab_ot",
    ),
    LabEntry(
        "tagging_lab", "Tagging", "Let an HMM find parts of speech by itself, and see where EM, VB and Gibbs part ways.",
        "EWT sample", "otlab.ui.tagging.lab", "TaggingLab", (".conllu", ".conllu.gz", ".pos"), "lab_tagging",
    ),
    LabEntry(
        "mg_lab", "Grammar", "Edit a minimalist lexicon. See every derivation and how probable each reading is.",
        "wh-movement", "otlab.ui.mg.lab", "MGLab", (".mg",), "lab_mg",
    ),
    LabEntry(
        "lexicon_lab", "Lexicon", "Find words in unsegmented phones or in recorded sound, one boundary at a time.",
        "toy phones", "otlab.ui.discovery.lab", "LexiconLab", (".gr", ".wav", ".flac", ".textgrid"), "lab_lexicon",
    ),
)  # fmt: skip


def labs() -> tuple[LabEntry, ...]:
    """Return the labs that can be opened, in the order of their tabs."""
    return tuple(entry for entry in _ALL if entry.ready)


def lab(route: str) -> LabEntry:
    """Return the lab at an address.

    Raises
    ------
    KeyError
        If there is none.
    """
    return {entry.route: entry for entry in labs()}[route]
