"""How much of its undo history and of its files a document may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.ui.documents.encoding import dumps_storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ui.history import Edits
    from otlab.ui.state import DocumentFile

__all__ = ["MOST_FILE_BYTES", "MOST_UNDO_BYTES", "files_that_fit", "packed_edits"]

MOST_UNDO_BYTES = 30_000_000
"""Of a longer undo history the newest edits are saved, as many as fit."""
MOST_FILE_BYTES = 64_000_000
"""What the files of a document may take together, such as its recordings."""


def files_that_fit(files: Sequence[DocumentFile]) -> tuple[list[DocumentFile], list[str]]:
    """Return the files that are saved with a document, and the names of those that are too large."""
    kept, left_out, room = [], [], MOST_FILE_BYTES
    for file in files:
        if file.size <= room:
            kept.append(file)
            room -= file.size
        else:
            left_out.append(file.name)
    return kept, left_out


def packed_edits(changed: float, edits: Edits) -> bytes:
    """Return the undo history as bytes, the newest edits of it if it is too long.

    `changed` tells the values that it belongs to.
    """
    while True:
        data = dumps_storable((changed, edits))
        if len(data) <= MOST_UNDO_BYTES or not (edits.past or edits.future):
            return data
        edits = edits.newest(max(len(edits.past), len(edits.future)) // 2)
