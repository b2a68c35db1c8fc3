"""The note above a page whose document another page has open too, or has saved with other data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from otlab.ui.components.buttons import button
from otlab.ui.components.placeholders import banner

if TYPE_CHECKING:
    from otlab.ui.documents.keeper import Keeper

__all__ = ["SharedNotice"]

_OVERWRITTEN = (
    "What you see here is not what is saved. Your next edit here replaces what the other page has saved."
)
_NOTICE = {"padding": "14px 20px 0", "gap": "12px", "flex": "none"}


class SharedNotice:
    """The note of one page; what is known before the page is made is shown as soon as it is."""

    def __init__(self) -> None:
        self._known = self._shown = False, False, False
        self._place: pn.Column | None = None
        self._keeper: Keeper | None = None
        self._note: pn.Row | None = None

    def put_above(self, place: pn.Column, keeper: Keeper) -> None:
        """Show the note at the top of a column, about the document of a keeper."""
        self._place, self._keeper = place, keeper
        self.show(*self._known)

    def show(self, shared: bool, newest: bool, overwritten: bool) -> None:
        """Show, change or remove the note.

        Parameters
        ----------
        shared
            Whether another page has the document open too.
        newest
            Whether this page opened it last.
        overwritten
            Whether the other page has saved other data since.
        """
        self._known = shared, newest, overwritten
        if self._place is None or self._keeper is None or self._known == self._shown:
            return  # a button that someone is about to press stays
        self._shown = self._known
        if self._note is not None:
            self._place.remove(self._note)
            self._note = None
        if shared or overwritten:
            self._note = _note(self._keeper, newest, overwritten)
            self._place.insert(0, self._note)


def _note(keeper: Keeper, newest: bool, overwritten: bool) -> pn.Row:
    own = button("Open a copy", keeper.copy, align="center")
    note = banner("This document is open in another page too.", "What is saved last counts.", "plain")
    extra = [own] if newest else []
    if overwritten:
        note = banner("Another page has saved this document since.", _OVERWRITTEN, "warn")
        extra = [button("Show what is saved", keeper.show_saved, align="center"), own]
    return pn.Row(note, *extra, sizing_mode="stretch_width", margin=0, styles=_NOTICE)
