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

    def open_corpus(self, corpus: Corpus, source: Source | None = None, *, said: str = "") -> None:
        """Show a corpus, keep the file it was read from, and say so."""

    def undo(self) -> None:
        """Take back the last edit."""

    def redo(self) -> None:
        """Make the last undone edit again."""

    def toast(self, text: str, undo: Callable[[], None] | None = None) -> None:
        """Show a message for some seconds."""
