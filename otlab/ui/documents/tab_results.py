"""Results of tabs, opened with their document; what cannot be read is left out, with a message."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from otlab.ui.documents.encoding import UNREADABLE, loads_readable

if TYPE_CHECKING:
    from otlab.ui.state import State

__all__ = ["show_tab_results"]

_log = logging.getLogger(__name__)


def show_tab_results(state: State, data: bytes) -> str:
    """Show what tabs had computed; return a message on what is left out, empty if nothing is.

    Parameters
    ----------
    state
        Of the lab that shows the document.
    data
        What its ``tab_results()`` had returned, as bytes.
    """
    names = state.tab_result_names
    try:
        found = loads_readable(data)
        items = found if isinstance(found, tuple) else (found,)
        names = tuple(name for name, item in zip(names, items, strict=False) if item is UNREADABLE)
        state.put_tab_results(_none_if_unreadable(found))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        _log.info("the results of a document's tabs were left out: %s", error)
        state.put_tab_results(None)
        names = state.tab_result_names
    if not names:
        return ""
    what = " and ".join(names)
    return (
        f"{what[:1].upper()}{what[1:]}: saved by another version of otlab, and left out. Compute again what"
        " you need; everything else is as it was saved."
    )


def _none_if_unreadable(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(None if item is UNREADABLE else item for item in found)
    return None if found is UNREADABLE else found
