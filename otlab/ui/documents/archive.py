"""A document as one file, ``.otlab``: a ZIP with a manifest, the values as JSON, and undo history and runs.

Format 2::

    manifest.json   format, otlab (its version), lab, name, title, said, changed, values (their format),
                    parts: file in the ZIP -> name of the part
    values.json     data, settings, seeds, names: what the lab's ``to_dict()`` returns, whole
    parts/0 ...     undo history and runs with their draws, as :mod:`~otlab.ui.documents.encoding` writes them

Format 1 had them as pickles.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

from otlab import __version__
from otlab.errors import Fault, InputError
from otlab.ui.documents.store import FORMAT as VALUES
from otlab.ui.documents.store import Saved, Summary

__all__ = ["ENDING", "FORMAT", "read_archive", "write_archive"]

ENDING = ".otlab"
FORMAT = 2
"""The format of the file; a later one is refused."""
_MOST_BYTES = 1_000_000_000
_MOST_TIMES, _SMALL = 100, 50_000_000  # draws of a run shrink to a tenth at least; only a bomb to a hundredth
_DAMAGED = Fault("is not a document of otlab, or is damaged", "save it again with “Save as file”")


def write_archive(saved: Saved) -> bytes:
    """Return a document as the bytes of a file."""
    summary, stream = saved.summary, io.BytesIO()
    parts = {f"parts/{n}": name for n, name in enumerate(sorted(saved.parts))}
    manifest = {
        "format": FORMAT,
        "otlab": __version__,
        "lab": summary.lab,
        "name": summary.name,
        "title": summary.title,
        "said": summary.status,
        "changed": summary.changed,
        "values": VALUES,
        "parts": parts,
    }
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        file.writestr("manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
        file.writestr("values.json", json.dumps(saved.values, ensure_ascii=False))
        for path, name in parts.items():
            file.writestr(path, saved.parts[name])
    return stream.getvalue()


def read_archive(data: bytes) -> Saved:
    """Return the document in a file, without an id.

    Raises
    ------
    InputError
        If it is none, is damaged, or was saved by a later version of otlab.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            _check_size(sum(info.file_size for info in file.infolist()), len(data))
            manifest = json.loads(file.read("manifest.json").decode())
            _check_format(manifest)
            values = json.loads(file.read("values.json").decode())
            parts = {str(name): file.read(path) for path, name in manifest["parts"].items()}
        lab, name, title, status = (str(manifest[key]) for key in ("lab", "name", "title", "said"))
        summary = Summary("", lab, name, title, status, float(manifest["changed"]))
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(_DAMAGED) from error
    except (NotImplementedError, RuntimeError, EOFError, OverflowError) as error:
        # compressed otherwise, with a password, cut off, or of an infinite format
        raise InputError(_DAMAGED) from error
    if not isinstance(values, dict):
        raise InputError(_DAMAGED)
    return Saved(summary, values, parts)


def _check_size(unpacked: int, packed: int) -> None:
    """Refuse a file that would fill the memory."""
    if unpacked > _MOST_BYTES or (unpacked > _SMALL and unpacked > _MOST_TIMES * packed):
        raise InputError(Fault(f"holds {unpacked / 1e6:,.0f} MB", "it was not made by otlab"))


def _check_format(manifest: dict[str, Any]) -> None:
    """Refuse the formats of later versions."""
    if int(manifest["format"]) > FORMAT or int(manifest["values"]) > VALUES:
        raise InputError(
            Fault(f"was saved by a later version of otlab ({manifest.get('otlab')})", "update otlab")
        )
