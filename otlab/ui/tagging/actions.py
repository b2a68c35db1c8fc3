"""What the tabs of the tagging lab may read of it and ask it to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging import Corpus
    from otlab.ui.run_panel import RunPanel
    from otlab.ui.tagging.results import Result
    from otlab.ui.tagging.state import TaggingState
    from otlab.ui.tagging.upload import Source

__all__ = ["LabActions"]


class LabActions(Protocol):
    """The part of a :class:`~otlab.ui.tagging.lab.TaggingLab` that its tabs use."""

    state: TaggingState
    runner: RunPanel

    @property
    def source(self) -> Source | None:
        """The file that is open."""

    @property
    def corpus(self) -> Corpus:
        """The corpus as it is now."""

    @property
    def results(self) -> dict[str, Result]:
        """The results by row of the run panel."""

    def select(self, state: int) -> None:
        """Select one state everywhere, or none if it is selected already."""

    def name_state(self, state: int, name: str) -> None:
        """Rename a state in every plot and export; an empty name removes the name."""

    def look_at(self, lane: str) -> None:
        """Show another learner's states and scores."""

    def pin(self) -> None:
        """Keep the curve of the run that is shown."""

    def continue_as_vb(self) -> None:
        """Run VB from the labels of the run that is shown."""

    def open_corpus(self, corpus: Corpus, source: Source | None = None) -> Callable[[], None]:
        """Show a corpus and keep the file it was read from; return the function that undoes this."""

    def toast(self, text: str, undo: Callable[[], None] | None = None) -> None:
        """Show a message for some seconds."""

    def file_name(self, what: str, ending: str) -> str:
        """Return the name of an export, beginning with what is open."""
