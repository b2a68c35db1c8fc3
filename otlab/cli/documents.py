"""Take the data of a document that a lab saved (``.otlab``), for all commands that read data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ui.opened_document import OpenedDocument

__all__ = ["is_document", "open_saved"]


def is_document(name: str) -> bool:
    """Return whether a file has the name of a lab's document; nothing of the labs is imported."""
    return name.lower().endswith(".otlab")


def open_saved(name: str, system: str, reading: Mapping[str, object]) -> OpenedDocument:
    """Return a document of one system's lab; what was opened is said on standard error.

    Parameters
    ----------
    name, system
        As :func:`~otlab.ui.opened_document.open_document` takes them.
    reading
        Values of the options of reading a file, by name; a document was read by its lab.

    Raises
    ------
    InputError
        If the document cannot be opened, or an option of reading is given.
    """
    from otlab.ui.opened_document import open_document

    given = [f"--{option.replace('_', '-')}" for option, value in reading.items() if value]
    if given:
        hint = f"leave out {', '.join(given)}"
        raise InputError(Fault("is a document, which its lab has read", hint, Path(name).name))
    document = open_document(name, system)
    print(f"{Path(name).name}: the data of “{document.name}”, with the settings given here", file=sys.stderr)
    return document
