"""The registry of labs, read by the home page, the bar's tabs and the server."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from otlab.importing import import_alone

if TYPE_CHECKING:
    from panel.viewable import Viewer

__all__ = ["LabEntry", "lab", "labs"]


@dataclass(frozen=True)
class LabEntry:
    """The description of a lab, which is read without importing the lab.

    Attributes
    ----------
    route
        The address of its page, and the name of its file in ``apps/``.
    title, blurb, starts_with
        The texts of its card on the home page.
    formats
        The files that it opens, as the home page lists them.
    picture
        Name of its card's drawing.
    module, name
        Module and name of its class.
    system
        The package whose kernels it needs.
    """

    route: str
    title: str
    blurb: str
    starts_with: str
    formats: str
    picture: str
    module: str
    name: str
    system: str

    @property
    def ready(self) -> bool:
        """Whether the lab's package is installed."""
        package = self.module.rpartition(".")[0]
        return find_spec(package) is not None and find_spec(self.module) is not None

    def load(self) -> type[Viewer]:
        """Return the lab's class; the first time its module is imported, which takes a second."""
        kind: type[Viewer] = getattr(import_alone(self.module), self.name)
        return kind

    def make(self) -> Viewer:
        """Return a new lab with its first example; each page gets its own."""
        return self.load()()


_ALL = (
    LabEntry(
        route="ot_lab",
        title="OT",
        blurb="Learn stochastic rankings from a tableau. Compare Gibbs, GLA and MaxEnt on the same data.",
        starts_with="Ilokano",
        formats="OTSoft, Praat, CSV, Excel",
        picture="lab_ot",
        module="otlab.ui.ot.lab",
        name="OTLab",
        system="ot",
    ),
    LabEntry(
        route="tagging_lab",
        title="Tagging",
        blurb="Let an HMM find parts of speech by itself, and see where EM, VB and Gibbs part ways.",
        starts_with="EWT sample",
        formats="CoNLL-U",
        picture="lab_tagging",
        module="otlab.ui.tagging.lab",
        name="TaggingLab",
        system="tagging",
    ),
    LabEntry(
        route="mg_lab",
        title="Grammar",
        blurb="Edit a minimalist lexicon. See every derivation and how probable each reading is.",
        starts_with="wh-movement",
        formats=".mg",
        picture="lab_mg",
        module="otlab.ui.mg.lab",
        name="MGLab",
        system="mg",
    ),
    LabEntry(
        route="lexicon_lab",
        title="Lexicon",
        blurb="Find words in unsegmented phones or in recorded sound, boundary by boundary.",
        starts_with="toy phones",
        formats="phones as text, WAV, FLAC",
        picture="lab_lexicon",
        module="otlab.ui.lexicon.lab",
        name="LexiconLab",
        system="discovery",
    ),
)


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
