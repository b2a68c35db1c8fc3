"""Base class of the labs: page, notebook cell, link, files, undo, dark mode, closing.

A lab is one object with one :class:`~otlab.ui.state.State`. As a page it gets the bar, the run
panel at the left and its content; in a notebook cell the same without the bar. Each page or cell
calls :meth:`Lab.main` again, because a plot belongs to one document: tabs make their figures in
:meth:`~otlab.ui.tab.Part.build`.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from otlab.ui import packing
from otlab.ui.classroom.classwork import Classwork
from otlab.ui.classroom.maker import kept_exercise_file, make_exercise, offer_exercise
from otlab.ui.components.layout import down
from otlab.ui.components.theme import NOTEBOOK, THEME, EditorTheme
from otlab.ui.documents.archive import ENDING, read_archive, write_archive
from otlab.ui.documents.keeper import Keeper
from otlab.ui.documents.store import Saved, Summary, open_store
from otlab.ui.lessons.page import opened_lesson
from otlab.ui.link import Link
from otlab.ui.palette import Palette
from otlab.ui.server import notebook, notebook_size, shell
from otlab.ui.server.shared_notice import SharedNotice
from otlab.ui.shown_runs import ShownRuns
from otlab.ui.source import Source
from otlab.ui.tab import FileKeeper, Part, Showing, Tab

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.ui.history import Edits
    from otlab.ui.run_panel import RunPanel
    from otlab.ui.state import State

__all__ = ["Lab"]

_BUSY = ("waiting", "preparing", "running", "paused")


class Lab(pn.viewable.Viewer):
    """Base of the labs.

    A lab sets the class attributes, and builds its state and its run panel in ``__init__``. After
    each edit of its data it calls :meth:`changed`; data of the user's own are shown through
    :meth:`open_own`.

    Parameters
    ----------
    state
        What the lab knows.

    Attributes
    ----------
    title, route
        "OT", "ot_lab": its tab, and its address.
    keys
        Keys of its own, and what they do, for the list of keys.
    tabs, actions
        Classes of its tabs, and of the part to their right.
    classwork
        What it has for a class.
    state, settings
        What it knows; the settings of the run panel, which are part of that.
    runner
        The run panel.
    palette
        Its present colours, which plots are drawn in.
    showings
        The pages and notebook cells that show it.
    """

    title: ClassVar[str] = ""
    route: ClassVar[str] = ""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    tabs: ClassVar[tuple[type[Tab[Any]], ...]] = ()
    actions: ClassVar[tuple[type[Part[Any]], ...]] = ()
    classwork: ClassVar[Classwork[Any]] = Classwork()

    dark = param.Boolean(default=False, doc="Whether the page is dark.")

    runner: RunPanel
    shown_runs: ShownRuns
    _bar: shell.AppBar | None = None
    _keeper: Keeper | None = None  # the keeper of the lab's document; None in a notebook
    _repr_mimebundle_ = notebook_size.mimebundle
    _opening = False  # whether other data are being loaded; nothing is saved then

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state
        self.settings: Any = state.settings
        self.palette = Palette()
        self.param.watch(lambda event: self.palette.darken(event.new), "dark")
        self._link = Link(self)
        self.showings: weakref.WeakSet[Showing] = weakref.WeakSet()
        self._first_tab = ""
        state.param.watch(self._state_changed, list(state.param), precedence=10)  # after all others

    def connect(self, runner: RunPanel) -> RunPanel:
        """Link the learners ticked in the run panel with those of the state; return the panel."""
        self.runner = runner
        runner.on_enable(lambda names: self.state.param.update(learners=names))
        self.state.learners = sorted(runner.runner.enabled)
        self.state.param.watch(lambda event: runner.enable(set(event.new)), "learners")
        self.state.param.watch(lambda *_: self.changed(), ["learners", "settled"], precedence=10)
        runner.param.watch(lambda _: self.changed(), ["phase", "verdict"])
        self.state.mark_opened()
        self.shown_runs = ShownRuns(self.state, runner, self.warn)
        return runner

    # Methods to override.

    def read(self, source: Source, progress: Callable[[float], None]) -> Any:
        """Return what the user's file holds; called on any thread.

        It calls `progress` with the share that has been read; this raises an exception after a Cancel.

        Raises
        ------
        InputError
            With all its faults.
        """
        raise NotImplementedError

    def show_read(self, source: Source, result: Any) -> None:
        """Show what :meth:`read` returned."""
        raise NotImplementedError

    def document_changed(self, *, opened: bool) -> None:
        """Draw new data: opened, or restored by Undo or Redo."""

    def new(self) -> None:
        """Show where data can be typed, pasted or loaded, or begin with empty ones."""
        self.go("Data" if "Data" in {tab.title for tab in self.tabs} else "")

    def restored_message(self) -> str:
        """Return the toast after data were restored from the browser."""
        what = f"Your edited {self.state.noun}" if self.edited else self.own_name or "What you typed"
        return f"{what} is back"

    def main(self) -> Any:
        """Return a fresh view of the content, for one more page or cell."""
        showing = Showing(self, self.state, self.tabs, self.actions)
        if self._first_tab:
            showing.go(self._first_tab)
        self.showings.add(showing)
        return showing

    # Methods to call.

    def open_file(self, name: str, data: bytes) -> None:
        """Read the user's file and show it; errors as in :meth:`read`."""
        if name.lower().endswith(ENDING):
            self.open_saved(read_archive(data))
            return
        source = Source(name, data)
        self.show_read(source, self.read(source, lambda _share: None))

    def open_saved(self, saved: Saved, keeper: FileKeeper | None = None) -> None:
        """Show the document of a file, as a new one where documents are kept.

        Raises
        ------
        InputError
            If it belongs to another lab, or cannot be read.
        """
        if self._link.student is not None and self._link.student.refuses_data():
            return
        keeper = keeper or self._keeper
        before, source = self.to_plain()(), self.state.source_name
        if keeper is not None and keeper.open_file(saved):
            self._link.write()
            self.toast(f"{saved.summary.called} is open as a new document")
            return
        self.from_dict(saved.values)
        self.toast(f"{saved.summary.called} is open in place of {source}", lambda: self.from_dict(before))

    def document_file(self) -> tuple[str, Callable[[], bytes]]:
        """Return name and maker (for any thread) of a file of what is open; without results if they hide."""
        values, keeper = self.to_plain(), None if self.state.hides else self._keeper
        kept = None if keeper is None else keeper.whole()
        summary = Summary("", self.route, self.state.called, self.state.source_name)

        def make() -> bytes:
            return write_archive((kept and kept()) or Saved(summary, values()))

        return self.state.file_stem + ENDING, make

    def go(self, tab: str) -> None:
        """Open a tab, everywhere the lab is shown; if it is nowhere yet, as the first one."""
        self._first_tab = "" if self.showings else tab
        for showing in self.showings:
            showing.go(tab)

    @property
    def example(self) -> str:
        """The value of the example shown; empty for the user's own data."""
        return self.state.example

    @property
    def own_name(self) -> str:
        """The name of the user's own data, such as a file's; empty for an example."""
        return self.state.own_name

    @property
    def edited(self) -> bool:
        """Whether the open data differ from their file or example."""
        return self.state.edited

    def examples(self) -> Mapping[str, str]:
        """Return value and label of each example; none hides the chooser."""
        return self.state.examples()

    def changed(self) -> None:
        """Save what is open, and update the link; call this after each edit."""
        if self._bar is None or self._opening:
            return
        if self._link.student is not None:
            self._link.student.changed()
        if self._keeper is not None:
            self._keeper.touch()
        self._show_kept(self._bar)

    def _show_kept(self, bar: shell.AppBar) -> None:
        """Send the bar the values that a link carries."""
        state, kept = self.state, ""
        if state.own_name or state.edited or state.contents() != state.opened:
            values = self.to_dict()
            kept = packing.pack(values) if values["document"] is not None else ""
        bar.param.update(kept=kept, edited=state.edited, own=state.own_name)

    def open_own(
        self, name: str, load: Callable[[], None], *, message: str = "", quietly: bool = False
    ) -> None:
        """Show the user's own data; Undo restores edited data that were open.

        Parameters
        ----------
        name
            Of the file, or "pasted table".
        load
            Puts them into the state.
        message
            Text of the toast; if empty, it names the data that are replaced.
        quietly
            Whether there is no toast; Undo then brings back anything.
        """
        self._open("", name, load, message=message, quietly=quietly)

    @property
    def document(self) -> str:
        """The id of the document that its page has open; empty until something is edited."""
        return "" if self._keeper is None else self._keeper.id

    def choose(self, example: str) -> None:
        """Load an example and update chooser and link; an unknown one is ignored."""
        if example in self.examples():
            self._open(example, "", lambda: self.state.load_example(example))

    def to_dict(self) -> dict[str, Any]:
        """Return the lab's route and its state as values for JSON."""
        return {"lab": self.route, **self.state.to_dict()}

    def to_plain(self) -> Callable[[], dict[str, Any]]:
        """Return a function that returns :meth:`to_dict` of the document, of any size, on any thread."""
        state = self.state.to_plain()
        return lambda: {"lab": self.route, **state()}

    def from_dict(self, values: Mapping[str, Any]) -> None:
        """Show what :meth:`to_dict` returned, without results; nothing changes if that fails.

        Raises
        ------
        InputError
            If it is damaged, or belongs to another lab.
        """
        if values.get("lab") != self.route:
            raise packing.damaged()
        self._opening = True
        try:
            with pn.io.hold():
                self.state.from_dict(values)
                self._draw_opened()
        finally:
            self._opening = False
        self._link.write()
        self.changed()

    def put_edits(self, edits: Edits) -> None:
        """Restore the undo history of the open document."""
        self._travel(lambda: self.state.put_edits(edits))

    def undo(self) -> None:
        """Undo the last edit; a message that offers to undo an earlier one goes."""
        self.toast("")
        self._travel(self.state.history.undo)

    def redo(self) -> None:
        """Redo the last undone edit."""
        self.toast("")
        self._travel(self.state.history.redo)

    def _travel(self, move: Callable[[], object]) -> None:
        with pn.io.hold():
            move()
            self.document_changed(opened=False)
            self.shown_runs.show()
            self._link.write()
            self.changed()

    def _open(
        self, example: str, name: str, load: Callable[[], None], *, message: str = "", quietly: bool = False
    ) -> None:
        """Open other data; Undo restores those that were open, if they are edited or have results.

        With `quietly` Undo restores any data, and there is no toast.
        """
        if self._link.student is not None and self._link.student.refuses_data():
            return
        state, before = self.state, self.state.source_name
        edited = "edited " if state.edited else ""
        results = state.rows_shown() or self.runner.runner.alive or state.tab_results() is not None
        keep = bool(results) or state.only_copy or quietly or state.history.can_undo
        undo = state.history.record(f"{before} closed") if keep else None
        if undo is None:
            state.history.clear()
        self._opening = True
        try:
            with pn.io.hold():
                load()
                state.param.update(example=example, own_name=name)
                state.mark_opened()
                if state.rows_shown():  # results that the new data leave as they are
                    self.document_changed(opened=True)
                else:
                    self._draw_opened()
        except BaseException:
            if undo is not None:
                undo()
            raise
        finally:
            self._opening = False
        if not keep and self._keeper is not None and not self._keeper.id:
            self._keeper.take_for_unedited()
        self._link.write()
        self.changed()
        if quietly or not (keep or message):
            return
        message = message or f"{state.source_name} is open in place of your {edited}{before}"
        self.toast(message, None if undo is None else lambda: self._travel(undo))

    def _draw_opened(self) -> None:
        self.runner.reset()
        self.document_changed(opened=True)

    def toast(self, text: str, undo: Callable[[], None] | None = None, action: str = "Undo") -> None:
        """Show a message for six seconds, or none if it is empty; does nothing without a page."""
        if self._bar is not None:
            self._bar.toast(text, undo, action)

    def warn(self, text: str) -> None:
        """Show a message of something amiss for six seconds; does nothing without a page."""
        if self._bar is not None:
            self._bar.warn(text)

    def close(self) -> None:
        """Stop all jobs; called when the page is closed."""
        self.runner.close()
        if self._link.student is not None:
            self._link.student.close()
        if self._keeper is not None:
            self._keeper.close()
        for showing in self.showings:
            showing.close()

    def _state_changed(self, *events: Any) -> None:
        changed = {event.name for event in events}
        with pn.io.hold():
            for showing in list(self.showings):
                showing.state_changed(changed)

    # Display.

    def page(self) -> pmui.Page:
        """Return the whole page, for a server."""
        notice = SharedNotice()
        keeper = Keeper(self, open_store(), lambda *told: self._show_document(bar, *told), notice.show)
        bar = self._bar = self._make_bar(keeper)
        self._link.follow(keeper)
        content = self._content()  # with a lesson, whose first step is no edit
        keeper.take_for_unedited()
        self._keeper = keeper
        notice.put_above(content[1], keeper)
        self._link.write()
        self._show_kept(bar)
        if self._link.student is not None:
            keeper.begin()
            self._link.student.enter()
            bar.exercise = (self._link.asked or {})["exercise"]
            bar.examples = [] if "data" in self.state.locks else bar.examples
        else:
            bar.documents = shell.other_documents(self.route, keeper.id)
            if not keeper.id:
                keeper.touch()  # a file or a link may have brought data of the user's own
        page = shell.page(bar, content, self.title)
        pn.state.on_session_destroyed(lambda _context: self.close())
        return page

    def _make_bar(self, keeper: Keeper) -> shell.AppBar:
        self.dark = shell.prefers_dark()
        bar = shell.AppBar(
            self.choose,
            self._set_dark,
            partial(self._link.restore_document, keeper),
            {"undo": self.undo, "redo": self.redo, "new": self.new},
            lambda asked: offer_exercise(self) if asked is None else make_exercise(self, asked),
            keeper.rename,
            self.document_file,
            partial(kept_exercise_file, self),
            **shell.bar_values(self.title, self.route, self.state, self.keys),
            dark=self.dark,
        )
        state, names = self.state, ["example", "own_name", "called"]
        state.param.watch(lambda *_: bar.param.update(example=state.example, stem=state.file_stem), names)
        self.runner.param.watch(lambda event: bar.param.update(busy=event.new in _BUSY), "phase")
        return bar

    def __panel__(self) -> Any:
        notebook.prepare()
        return pmui.Row(
            self._content(),
            EditorTheme(self._set_dark),
            theme_config=THEME,
            sizing_mode="stretch_width",
            height=820,
            stylesheets=NOTEBOOK,
        )

    def _content(self) -> Any:
        main = showing = self.main()
        if self._link.refused is not None:
            self._link.above = self._link.faults(*self._link.refused)
        lesson = opened_lesson(self, (self._link.asked or {}).get("lesson", ""))
        exercise = None if self._link.student is None else self._link.student.build()
        for above in filter(None, (lesson, exercise, self._link.above)):
            main = down(above, main, gap=0, cards=True)
        columns = shell.columns(self.runner, main)
        showing.run_panel = columns[0]
        return columns

    def _show_document(self, bar: shell.AppBar, document: str, name: str, status: str) -> None:
        """Show name and state of the document in the bar, and its id in the address."""
        another = document != bar.document_id
        bar.param.update(document_id=document, called=name, saved=status)
        if another:
            self._link.write()

    def _set_dark(self, dark: bool) -> None:
        with pn.io.hold():
            self.dark = dark
