"""The page of a lab and its document: saved as it is edited, and opened again.

::

    keeper = Keeper(lab, open_store(), show)    # when the page is made
    keeper.take_for_unedited()                  # what is open now can be opened again without a document
    keeper.touch()                              # after each edit: a document is made, and saved soon
    keeper.open("its id")                       # from the address of the page
"""

from __future__ import annotations

import logging
import sqlite3
import time
import weakref
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import Fault, InputError
from otlab.ui.documents.encoding import dumps_storable, loads
from otlab.ui.documents.limits import files_that_fit, packed_edits
from otlab.ui.documents.runs import MOST_PAST_BYTES, REPLAY, RUN, SIGHT, Runs, data_digest
from otlab.ui.documents.store import COPIED, Saved, Summary, cannot_keep, new_id
from otlab.ui.documents.tab_results import show_tab_results
from otlab.ui.documents.writer import writer
from otlab.ui.fields import put_texts
from otlab.ui.timers import call_on_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from otlab.ui.documents.store import DocumentStore
    from otlab.ui.tab import Host

__all__ = ["NOT_KEPT", "SAVED", "SAVING", "Keeper", "rename"]

_log = logging.getLogger(__name__)
SAVING, SAVED = "Saving…", "Saved"
NOT_KEPT = "Not saved: the file of documents cannot be written"
FILE = "file "
"""What the names of the parts with files begin with."""
_CONTEXT = "context"  # what earlier versions of otlab saved in its place

_SETTLED_MS = 1000  # after which a page that was loaded again has given up its earlier connection

_pages: weakref.WeakSet[Keeper] = weakref.WeakSet()
_numbers = count()


class Keeper:
    """Save the document of one lab page, and open it again.

    Parameters
    ----------
    lab
        Whose state is saved.
    store
        Where; None keeps nothing.
    show
        Called on the page's thread with id, name, and whether it is saved, whenever that changes.
    show_shared
        Called on the page's thread when another page opens or saves the same document, or no other has it
        open any more; with whether there is another, whether this one opened it last, and whether the other
        one has saved something else than what is shown here.

    Attributes
    ----------
    id
        The document's; empty until something is edited.
    """

    def __init__(
        self,
        lab: Host,
        store: DocumentStore | None,
        show: Callable[[str, str, str], None],
        show_shared: Callable[[bool, bool, bool], None],
    ) -> None:
        self.id = self._status = ""
        self._lab, self._store, self._show, self._show_shared = lab, store, show, show_shared
        self._number, self._closed = next(_numbers), False
        self._page = pn.state.curdoc
        self._unedited: tuple[Any, ...] = ()
        self._opening = False
        self._files_left_out: list[str] = []
        self._digest = ""  # of the data that were opened or saved here last
        self._overwritten = False  # whether another page has saved other data since
        self._crowded: set[str] = set()  # rows of which earlier runs have no room
        self._last = 0.0  # time of the last request to save, increasing
        self.runs = (
            None if store is None else Runs(store, lambda: self.id, self.begin, lab.to_plain, lab.state)
        )
        lab.runner.runner.saver = self.runs
        _pages.add(self)

    # Methods that the lab calls.

    def rename(self, name: str) -> None:
        """Give the document a name, here and in the store; an empty one restores the name of its data."""
        self.begin()
        if self._store is not None:
            writer.flush(self.id)
            rename(self._store, self.id, name)

    def take_for_unedited(self) -> None:
        """Mark what is open now as unedited; until it is edited, it needs no document."""
        self._unedited = self._beside()

    def touch(self) -> None:
        """Schedule the saving of the open document, unless it is unedited."""
        if self._opening or not (self.id or self._edited()):
            return
        if self._store is None or self.runs is None:
            if cannot_keep():
                self._show_status(NOT_KEPT)
            return
        if not self.id:
            self.id = new_id()
        self._show_status(SAVING)
        writer.put(self.id, self._order(self._store, self.runs))

    def begin(self) -> None:
        """Save what is open as a document, whether edited or not."""
        if self._store is not None and not self.id:
            self.id = new_id()
            self.touch()

    def open(self, document: str) -> bool:
        """Show a document, with its undo history; return whether it is there.

        Raises
        ------
        InputError
            If it cannot be read, or belongs to another lab.
        """
        if self._store is None:
            return False
        left = self.id
        writer.flush(f"{left} runs")
        self._take_over(document)
        saved = self._store.load(document, (RUN, REPLAY))
        if saved is None:
            return False
        if saved.summary.lab != self._lab.route:
            raise InputError(
                Fault("this document belongs to another lab", "open it from the home page of otlab")
            )
        with self._unsaved():
            self._lab.state.put_files(
                {name.removeprefix(FILE): data for name, data in saved.parts.items() if name.startswith(FILE)}
            )
            self._lab.from_dict(saved.values)
            self._put_edits(saved)
            self._lab.runner.clear()
            self._put_tab_results(saved)
        self.id, self._lab.state.called, self._number = document, saved.summary.name, next(_numbers)
        self._digest, self._overwritten = data_digest(saved.values), False
        self.take_for_unedited()
        self._show_status(SAVED)
        ids, context = self._in_sight(saved)
        self._lab.state.wanted = ids, context
        pn.state.onload(lambda: self._show_runs(saved, ids))  # once the page is drawn
        pn.state.onload(lambda: self._meet(document))
        if left:
            self._show_shared(False, False, False)
            _share(left)
        return True

    def open_file(self, saved: Saved) -> bool:
        """Show a document of a file, as a new one; return whether documents are kept here.

        Raises
        ------
        InputError
            As :meth:`open`; nothing is kept then.
        """
        if self._store is None:
            return False
        document = self._store.add(saved)
        try:
            return self.open(document)
        except InputError:
            self._store.delete(document)
            raise

    def whole(self) -> Callable[[], Saved | None]:
        """Return a function that reads the saved document with its runs, on any thread; None without one."""
        document, store = self.id, self._store

        def load() -> Saved | None:
            writer.flush(document)
            writer.flush(f"{document} runs")
            return store.load(document) if store is not None and document else None

        return load

    def _take_over(self, document: str) -> None:
        """Let all pages save their version of a document now; from then on this page saves its runs."""
        for page in list(_pages):
            if page is not self and page.id == document and page.runs is not None:
                page.runs.superseded = True
        writer.flush(document)
        writer.flush(f"{document} runs")

    def leave(self, load: Callable[[], None]) -> None:
        """Close the document, which stays as it was saved last; what is shown is no document yet."""
        left = self.id
        writer.flush(f"{left} runs")
        with self._unsaved():
            self._lab.state.put_files({})
            load()
            self._lab.state.history.clear()
        self.id = self._lab.state.called = ""
        self.take_for_unedited()
        self._show_status("")
        self._show_shared(False, False, False)
        _share(left)

    def copy(self) -> None:
        """Continue in a copy of the document with all that is shown; the document itself stays as saved."""
        document, store = self.id, self._store
        if store is None or not document:
            return
        name = f"{self._lab.state.called or self._lab.state.source_name} (copy)"
        writer.flush(document)
        writer.flush(f"{document} runs")
        try:
            copy = store.duplicate(document)
        except KeyError:  # it was deleted meanwhile: what is shown becomes a new document
            copy = new_id()
        except sqlite3.Error as error:
            self._show_status(f"Not saved: {error}")
            return
        self.id, self._lab.state.called = copy, name
        self._overwritten = False
        self.touch()
        self._show_shared(False, False, False)
        _share(document)

    def close(self) -> None:
        """Release the document to other pages; called when this page is closed."""
        self._closed = True
        _share(self.id)

    def look_up(self, document: str) -> tuple[str, str] | None:
        """Return own name and example of a document's data; None if it cannot be opened here."""
        if self._store is None or not document:
            return None
        writer.flush(document)
        try:
            saved = self._store.load(document, (RUN, REPLAY, FILE))
        except InputError:
            return None
        if saved is None or saved.summary.lab != self._lab.route:
            return None
        return str(saved.values.get("name", "")), str(saved.values.get("example", ""))

    @contextmanager
    def _unsaved(self) -> Iterator[None]:
        """Save nothing in this context, while one document replaces another."""
        self._set_opening(True)
        try:
            yield
        finally:
            self._set_opening(False)

    def _set_opening(self, opening: bool) -> None:
        self._opening = opening
        if self.runs is not None:
            self.runs.opening = opening

    def _meet(self, document: str) -> None:
        """Show on each page of this document whether others show it too, once closing pages have gone."""
        page = self._page
        if page is None or page.session_context is None:
            _share(document)
        else:
            page.add_timeout_callback(lambda: _share(document), _SETTLED_MS)

    @property
    def gone(self) -> bool:
        """Whether its page has been closed."""
        session = getattr(getattr(self._page, "session_context", None), "session", None)
        lost = session is not None and bool(session.destroyed or not session.connection_count)
        return self._closed or lost

    # Saving.

    def _beside(self) -> tuple[Any, ...]:
        state = self._lab.state
        return state.example, state.own_name, state.setting_texts(), list(state.learners)

    def _edited(self) -> bool:
        state = self._lab.state
        if (
            state.own_name
            or self._lab.runner.phase != "idle"
            or state.history.can_undo
            or state.history.can_redo
            or state.tab_results() is not None
        ):
            return True
        return self._beside() != self._unedited or state.contents() != state.opened

    def _order(self, store: DocumentStore, runs: Runs) -> Callable[[], None]:
        """Return a function that saves the lab as it is now, on any thread."""
        lab, document = self._lab, self.id
        values, edits, context = lab.to_plain(), lab.state.edits_made(), lab.state.run_context()
        in_sight, keys, wanted = dict(lab.state.runs_in_sight()), lab.state.runs_kept(), lab.state.wanted
        if wanted is not None:  # about to be shown
            in_sight, context = {**in_sight, **wanted[0]}, wanted[1]
        runs.keep(keys)
        results = lab.state.tab_results()
        files, self._files_left_out = files_that_fit(lab.state.files())
        self._last = max(time.time(), self._last + 1e-6)
        summary = Summary(
            document, lab.route, self._lab.state.called, lab.state.source_name, lab.runner.status, self._last
        )

        def save() -> None:
            try:
                parts = {"undo": packed_edits(summary.changed, edits)}
                parts |= {SIGHT: dumps_storable((in_sight, context)), "tabs": dumps_storable(results)}
                there = store.part_names(document, FILE)
                parts |= {FILE + file.key: file.read() for file in files if FILE + file.key not in there}
                gone, self._crowded = runs.unwanted(document, keys, in_sight.items())
                gone |= there - {FILE + file.key for file in files} | {_CONTEXT}
                saved = Saved(summary, values(), parts)
                store.save(saved, gone)
            except Exception as error:
                self._show_status_later(document, f"Not saved: {error}")
                raise  # the writer tries again
            self._show_status_later(document, SAVED + self._without())
            self._tell_others(document, data_digest(saved.values))

        return save

    def _tell_others(self, document: str, digest: str) -> None:
        """Tell other pages of a document that data were saved here that differ from theirs."""
        self._digest, told = digest, self._overwritten
        self._overwritten = False
        pages = [page for page in list(_pages) if page.id == document and not page.gone]
        for page in pages:
            if page is not self and page._digest != digest and not page._overwritten:
                page._overwritten = told = True
        if told and len(pages) > 1:
            _share(document)

    def show_saved(self) -> None:
        """Show the document as another page has saved it."""
        writer.forget(self.id)
        self.open(self.id)

    def _without(self) -> str:
        """Return a sentence on the draws and files that are too large to be saved; empty if none are."""
        rows = self._lab.runner.runner.rows
        left_out = [] if self.runs is None else [rows[name].label for name in sorted(self.runs.left_out)]
        words = [f"the results of {', '.join(left_out)} (more than 64 MB)"] if left_out else []
        words += [f"{name} (more than 64 MB)" for name in self._files_left_out]
        crowded = ", ".join(rows[name].label for name in sorted(self._crowded) if name in rows)
        most = f"more than {MOST_PAST_BYTES / 1e6:.0f} MB together"
        words += [f"earlier results of {crowded} ({most})"] if crowded else []
        return f", without {' and '.join(words)}" if words else ""

    def _put_edits(self, saved: Saved) -> None:
        """Restore the undo history, if it belongs to these values and can be read."""
        try:
            of, edits = loads(saved.parts["undo"])
            if of in (saved.summary.changed, float(saved.parts.get(COPIED, b"nan"))):
                self._lab.put_edits(edits)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            _log.info("the undo history of a document was left out: %s", error)

    def _put_tab_results(self, saved: Saved) -> None:
        """Show what the tabs have computed; say what cannot be read."""
        message = show_tab_results(self._lab.state, saved.parts["tabs"]) if "tabs" in saved.parts else ""
        if message:
            pn.state.onload(lambda: self._lab.warn(message))

    def _in_sight(self, saved: Saved) -> tuple[dict[str, str], Any]:
        """Return the ids of the runs that were in sight, by row, and their context."""
        try:
            if SIGHT in saved.parts:
                ids, context = loads(saved.parts[SIGHT])
                return dict(ids), context
            names = [] if self._store is None else self._store.part_names(saved.summary.id, RUN)
            return {name.removeprefix(RUN): "" for name in names}, loads(saved.parts[_CONTEXT])
        except (KeyError, TypeError, ValueError) as error:
            _log.info("the runs of a document were left out: %s", error)
            return {}, None

    def _show_runs(self, saved: Saved, ids: Mapping[str, str]) -> None:
        """Show the runs of a document that can be read, unless the user has begun others meanwhile."""
        runs = self.runs

        def begin_again() -> None:
            resting = self._lab.runner.phase in ("idle", "done", "paused")  # with what was just restored
            if runs is not None and self.id == saved.summary.id and resting:
                self._begin_again(runs.waiting(ids.items()), data_digest(saved.values))

        state = self._lab.state
        if self.id == saved.summary.id and self._lab.runner.phase == "idle":
            with self._unsaved():
                self._lab.shown_runs.show(begin_again)
        elif state.wanted is not None and state.wanted[0] is ids:
            state.wanted = None

    def _begin_again(self, waiting: Mapping[str, Mapping[str, Any]], data: str) -> None:
        """Make again, with their settings, runs that had no turn yet, unless the data were edited since."""
        names = [name for name, one in waiting.items() if one["data"] == data]
        if not names:
            return
        settings, now = self._lab.state.settings, self._lab.state.setting_texts()
        then = waiting[names[0]]["settings"]
        differ = [name for name, text in then.items() if text != now.get(name, text)]
        with self._unsaved(), pn.io.hold():
            put_texts(settings, {name: then[name] for name in differ})
            self._lab.runner.restart_paused(names)
            put_texts(settings, {name: now[name] for name in differ})

    # Messages on the page.

    def _show_status(self, status: str) -> None:
        self._status = status
        name = self._lab.state.called or (self._lab.state.source_name if self.id else "")
        self._show(self.id, name, status)

    def _take_name(self, name: str) -> None:
        self._lab.state.called = name
        self._show_status(self._status)

    def _show_status_later(self, document: str, status: str) -> None:
        """Show on the page's thread that it is saved, unless it was edited in the meantime."""
        asked = self._last

        def tell() -> None:
            if self.id == document and self._last == asked:
                self._show_status(status)

        self._later(tell)

    def _announce_shared(self, document: str, shared: bool, newest: bool) -> None:
        """Show whether another page has the document open, and let the newest page save its runs."""
        if self.runs is not None:
            self.runs.superseded = not newest

        def tell() -> None:
            if self.id == document:
                self._show_shared(shared, newest, self._overwritten)

        self._later(tell)

    def _later(self, do: Callable[[], None]) -> None:
        """Call a function soon on the page's thread, connected or not yet; not if the page is closed."""
        if not self._closed:
            call_on_page(self._page, do)


def rename(store: DocumentStore, document: str, name: str) -> None:
    """Give a document a name, in the store and on all pages that have it open."""
    name = name.strip()
    store.rename(document, name)
    for page in [page for page in list(_pages) if page.id == document]:
        page._later(partial(page._take_name, name))


def _share(document: str) -> None:
    """Show on each page of a document whether other pages show it too."""
    pages = [page for page in list(_pages) if document and page.id == document and not page.gone]
    pages.sort(key=lambda page: page._number)
    for page in pages:
        page._announce_shared(document, len(pages) > 1, page is pages[-1])
