"""The download "As a sweep": a :class:`~otlab.ui.sweep.planned.PlannedSweep` as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ui.components.downloads import Downloads

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.components.downloads import File
    from otlab.ui.state import State
    from otlab.ui.sweep.planned import PlannedSweep

__all__ = ["AS_SWEEP", "SWEEP_WIDTH", "sweep_button", "sweep_file"]

AS_SWEEP = ["sweep", "As a sweep"]
"""Key and label of the download."""
SWEEP_WIDTH = 124  # pixels


def sweep_file(state: State, planned: PlannedSweep) -> File:
    """Return name and content of the download; the content is made beside the page."""
    return state.file_name("sweep", "zip"), planned.zipped


def sweep_button(
    state: State, plan: Callable[[], PlannedSweep], refused: Callable[[str], None], **layout: Any
) -> Downloads:
    """Return the button for the head of a card.

    Parameters
    ----------
    state
        Its document names the file.
    plan
        Returns the runs when the button is pressed.
    refused
        Called with the reason, where `plan` raises :class:`~otlab.errors.InputError`.
    layout
        Layout options in place of the usual ones.
    """
    usual = {"width": SWEEP_WIDTH, "align": "center", "sizing_mode": "fixed"}
    return Downloads(
        lambda _: sweep_file(state, plan()), [AS_SWEEP], refused, state=state, **{**usual, **layout}
    )
