"""The store of documents: one SQLite file in the user's data folder.

The file is written ahead (WAL): what has been saved stays, even if the server is killed while it writes.
Two servers may use one store. ``OTLAB_DOCUMENTS`` names another file; ``off`` keeps nothing.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import sqlite3
import threading
import time
import zlib
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = [
    "COPIED",
    "COPY_OF",
    "EXERCISE",
    "FORMAT",
    "DocumentStore",
    "Saved",
    "Summary",
    "cannot_keep",
    "list_documents",
    "listed_store",
    "new_id",
    "open_store",
    "store_path",
    "unused_name",
]

FORMAT = 1
"""The format of the values of a document; a document of a later format is refused."""
COPIED = "changed before it was copied"
"""The part of a copy that says when its original was changed, which the undo history belongs to."""
COPY_OF = "exercise"
"""The part of a student's document that names its exercise."""
EXERCISE = "exercise"
"""The "lab" of exercises, which are left out of lists of documents."""
ENVIRONMENT = "OTLAB_DOCUMENTS"
UNDO_DELETE_SECONDS = 86_400.0
_BUSY_SECONDS = 5.0
_DAMAGED = Fault("this document is damaged and cannot be read", "open a copy of it")
_log = logging.getLogger(__name__)
_listed = threading.Event()
_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, lab TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, said TEXT NOT NULL,
    changed REAL NOT NULL, deleted REAL, format INTEGER NOT NULL, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS parts (
    document TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (document, name));
CREATE INDEX IF NOT EXISTS documents_by_time ON documents (deleted, changed);
"""


@dataclass(frozen=True)
class Summary:
    """One line of the list of documents.

    Attributes
    ----------
    id, lab
        Its random id, which cannot be guessed, and the route of its lab.
    name, title
        The name the user gave it, if any, and what it is called without one: its data.
    status
        Where it was left: "Converged", "Sweep 3,180 of 20,000".
    changed
        When it was saved last, in seconds since 1970.
    """

    id: str
    lab: str
    name: str = ""
    title: str = ""
    status: str = ""
    changed: float = 0.0

    @property
    def called(self) -> str:
        """What lists and headers call it."""
        return self.name or self.title or "Untitled"


@dataclass(frozen=True)
class Saved:
    """A whole document.

    Attributes
    ----------
    summary
        What lists show of it.
    values
        What the lab's ``to_dict()`` returned, whole.
    parts
        Undo history, runs and files, as bytes by name; others stay in the store as they are.
    """

    summary: Summary
    values: Mapping[str, Any]
    parts: Mapping[str, bytes] = field(default_factory=dict)


def new_id() -> str:
    """Return an id of 128 random bits, as letters of an address."""
    return secrets.token_urlsafe(16)


class DocumentStore:
    """Documents in one SQLite file; may be used from any thread.

    Parameters
    ----------
    path
        The file; made if it is not there.

    Raises
    ------
    OSError, sqlite3.Error
        If it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            with self._lock, self._connection as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(_SCHEMA)
                path.chmod(0o600)
                self._forget_deleted(connection)
        except (OSError, sqlite3.Error):
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def save(self, saved: Saved, without: Collection[str] = ()) -> None:
        """Write a document in one transaction, and remove parts; a name given meanwhile stays."""
        summary = saved.summary
        row = (summary.id, summary.lab, summary.name, summary.title, summary.status, summary.changed)
        with self._lock, self._connection as connection:
            connection.execute(
                "INSERT INTO documents (id, lab, name, title, said, changed, format, content) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
                "said = excluded.said, changed = excluded.changed, format = excluded.format, "
                "content = excluded.content, deleted = NULL",
                (*row, FORMAT, _packed(saved.values)),
            )
            _remove_parts(connection, summary.id, without)
            _put_parts(connection, summary.id, saved.parts)

    def part_names(self, document: str, beginning: str) -> set[str]:
        """Return the names of a document's parts that begin so."""
        return set(self.part_sizes(document, beginning))

    def part_sizes(self, document: str, beginning: str) -> dict[str, int]:
        """Return the size in bytes of each part of a document whose name begins so."""
        return dict(
            self._rows(
                "SELECT name, length(data) FROM parts WHERE document = ? AND substr(name, 1, ?) = ?",
                (document, len(beginning), beginning),
            )
        )

    def part(self, document: str, name: str) -> bytes:
        """Return a part of a document; empty if there is none of this name."""
        rows = self._rows("SELECT data FROM parts WHERE document = ? AND name = ?", (document, name))
        return bytes(rows[0][0]) if rows else b""

    def with_part(self, name: str) -> set[str]:
        """Return the ids of the documents that have a part of this name."""
        return {row[0] for row in self._rows("SELECT document FROM parts WHERE name = ?", (name,))}

    def put_parts(self, document: str, parts: Mapping[str, bytes]) -> None:
        """Write parts of a document."""
        with self._lock, self._connection as connection:
            _put_parts(connection, document, parts)

    def load(self, document: str, without: Collection[str] = ()) -> Saved | None:
        """Return a document; None if there is none of this id, or if it was deleted.

        Parameters
        ----------
        document
            Its id.
        without
            Beginnings of the names of parts that are not read.

        Raises
        ------
        InputError
            If it was saved by a later version of otlab, or its file is damaged.
        """
        more = "".join(" AND substr(name, 1, length(?)) != ?" for _ in without)
        with self._lock:  # nothing is written in between
            rows = self._rows(
                "SELECT id, lab, name, title, said, changed, format, content FROM documents "
                "WHERE id = ? AND deleted IS NULL",
                (document,),
                InputError(_DAMAGED),
            )
            parts = self._rows(
                f"SELECT name, data FROM parts WHERE document = ?{more}",
                (document, *(text for beginning in without for text in (beginning, beginning))),
            )
        if not rows:
            return None
        *summary, form, content = rows[0]
        return Saved(Summary(*summary), read_values(content, form), dict(parts))

    def recent(self, most: int = -1, lab: str = "", without: str = "") -> list[Summary]:
        """Return the documents that were saved last, newest first: all, or those of one lab.

        Those that have a part called `without` are left out.
        """
        rows = self._rows(
            "SELECT id, lab, name, title, said, changed FROM documents WHERE deleted IS NULL "
            "AND lab != ? AND ? IN ('', lab) AND id NOT IN (SELECT document FROM parts WHERE name = ?) "
            "ORDER BY changed DESC LIMIT ?",
            (EXERCISE, lab, without, most),
        )
        return [Summary(*row) for row in rows]

    def summary(self, document: str) -> Summary | None:
        """Return the summary of one document; None if it is not there."""
        rows = self._rows(
            "SELECT id, lab, name, title, said, changed FROM documents WHERE id = ? AND deleted IS NULL",
            (document,),
        )
        return Summary(*rows[0]) if rows else None

    def names(self, beginning: str) -> set[str]:
        """Return what documents are called that begin so."""
        rows = self._rows(
            "SELECT name, title FROM documents WHERE deleted IS NULL "
            "AND ? IN (substr(name, 1, ?), substr(title, 1, ?))",
            (beginning, len(beginning), len(beginning)),
        )
        return {name or title for name, title in rows}

    def rename(self, document: str, name: str) -> None:
        """Give a document a name; an empty one restores the name of its data."""
        with self._lock, self._connection as connection:
            connection.execute("UPDATE documents SET name = ? WHERE id = ?", (name.strip(), document))

    def duplicate(self, document: str) -> str:
        """Copy a document; return the id of the copy.

        Raises
        ------
        KeyError
            If there is no such document.
        """
        summary, copy = self.summary(document), new_id()
        if summary is None:
            raise KeyError(document)
        name = f"{summary.called} (copy)"
        with self._lock, self._connection as connection:
            connection.execute(
                "INSERT INTO documents SELECT ?, lab, ?, title, said, ?, NULL, format, content "
                "FROM documents WHERE id = ?",
                (copy, name, time.time(), document),
            )
            connection.execute(
                "INSERT INTO parts SELECT ?, name, data FROM parts WHERE document = ?", (copy, document)
            )
            _put_parts(connection, copy, {COPIED: repr(summary.changed).encode()})
        return copy

    def add(self, saved: Saved) -> str:
        """Write a document of a file as a new one; return its id."""
        old = saved.summary
        new = Summary(new_id(), old.lab, old.name, old.title, old.status, time.time())
        self.save(Saved(new, saved.values, {**saved.parts, COPIED: repr(old.changed).encode()}))
        return new.id

    def delete(self, document: str) -> None:
        """Delete a document; :meth:`restore` can undo this for a day."""
        self._mark(document, time.time())

    def restore(self, document: str) -> None:
        """Restore a deleted document."""
        self._mark(document, None)

    def _rows(
        self, query: str, values: Sequence[Any], damaged: InputError | None = None
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a query; of a damaged file none, or the error that is given."""
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.ProgrammingError:  # closed
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:
            if getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            _log.warning("the file of documents is damaged: %s", error)
            if damaged is not None:
                raise damaged from error
            return []

    def _mark(self, document: str, deleted: float | None) -> None:
        with self._lock, self._connection as connection:
            connection.execute("UPDATE documents SET deleted = ? WHERE id = ?", (deleted, document))

    def _forget_deleted(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM documents WHERE deleted < ?", (time.time() - UNDO_DELETE_SECONDS,))
        connection.execute("DELETE FROM parts WHERE document NOT IN (SELECT id FROM documents)")


def _put_parts(connection: sqlite3.Connection, document: str, parts: Mapping[str, bytes]) -> None:
    rows = [(document, name, data) for name, data in parts.items()]
    connection.executemany("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", rows)


def _remove_parts(connection: sqlite3.Connection, document: str, names: Collection[str]) -> None:
    rows = [(document, name) for name in names]
    connection.executemany("DELETE FROM parts WHERE document = ? AND name = ?", rows)


def read_values(content: bytes, form: int) -> dict[str, Any]:
    """Return the values of a document from their compressed JSON.

    Raises
    ------
    InputError
        If their format is a later one, or they are damaged.
    """
    if not isinstance(form, int):
        raise InputError(_DAMAGED)
    if form > FORMAT:
        raise InputError(
            Fault("this document was saved by a later version of otlab", "update otlab, then open it again")
        )
    try:
        values = json.loads(zlib.decompress(content))
    except (ValueError, TypeError, zlib.error) as error:
        raise InputError(_DAMAGED) from error
    if not isinstance(values, dict):
        raise InputError(_DAMAGED)
    return values


def _packed(values: Mapping[str, Any]) -> bytes:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 1)


def store_path() -> Path | None:
    """Return the file of the store: that of ``OTLAB_DOCUMENTS``, else the user's; None if it is "off"."""
    named = os.environ.get(ENVIRONMENT)
    if named == "off":
        return None
    return Path(named) if named else user_data_path("otlab", appauthor=False) / "documents.sqlite"


def open_store() -> DocumentStore | None:
    """Return the store of this process; None if nothing is to be kept, or its file cannot be written."""
    path = store_path()
    return None if path is None else _opened(path)


def cannot_keep() -> bool:
    """Return whether documents shall be kept, but their file cannot be written."""
    return store_path() is not None and open_store() is None


def list_documents(allowed: bool) -> None:
    """Set whether the pages of this process may list the documents of the store."""
    (_listed.set if allowed else _listed.clear)()


def listed_store() -> DocumentStore | None:
    """Return the store if its documents may be listed: only on a server that no one else can reach."""
    return open_store() if _listed.is_set() else None


def unused_name(stem: str, *taken: str) -> str:
    """Return a name that no document has: the stem, or the stem with the first free number from 2 on."""
    store = open_store()
    names = {*taken, *(() if store is None else store.names(stem))}
    numbered = (f"{stem} {n}" for n in count(2))
    return stem if stem not in names else next(name for name in numbered if name not in names)


@cache
def _opened(path: Path) -> DocumentStore | None:
    try:
        return DocumentStore(path)
    except (OSError, sqlite3.OperationalError) as error:  # cannot be made or written
        _log.warning("documents are not kept: %s cannot be written (%s)", path, error)
        return None
    except sqlite3.DatabaseError as error:
        return _begun_anew(path, error)


def _begun_anew(path: Path, error: Exception) -> DocumentStore | None:
    """Set a damaged file aside, which may be repaired, and return a new store in its place."""
    aside = path.with_name(f"{path.stem}.damaged-{time.time_ns()}{path.suffix}")
    _log.warning("the file of documents is damaged (%s): it is now %s, and a new one is begun", error, aside)
    try:
        for ending in ("", "-wal", "-shm"):
            if path.with_name(path.name + ending).exists():
                path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
        return DocumentStore(path)
    except (OSError, sqlite3.Error):
        return None
