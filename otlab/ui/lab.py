"""Base class of the labs: page, notebook cell, link, files, undo, dark mode, closing.

A lab is one object with one :class:`~otlab.ui.state.State`. As a page it gets the bar, the run
panel at the left and its content; in a notebook cell the same without the bar. Each showing
calls :meth:`Lab.main` again, because a plot belongs to one document: make figures
there, through :class:`otlab.viz.base.live.Pages`.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ui import packing
from otlab.ui.background import Background
from otlab.ui.components.cards import Card
from otlab.ui.components.file_zone import Source
from otlab.ui.components.layout import down
from otlab.ui.components.placeholders import banner, faults
from otlab.ui.components.theme import NOTEBOOK, THEME
from otlab.ui.fields import link_texts, values_of
from otlab.ui.lessons.player import opened_lesson
from otlab.ui.server import shell, uploads
from otlab.ui.tab import Part, Showing, Tab
from otlab.viz.base.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.ui.run_panel import RunPanel
    from otlab.ui.state import State

__all__ = ["Lab"]

_READ_AT_ONCE = 200_000  # bytes: a larger file from the home page is read beside the page
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
        Classes of its tabs, and of what stands to their right.
    state, settings
        What it knows; the settings of the run panel, which are part of that.
    runner
        The run panel.
    showings
        The pages and notebook cells that show it.
    """

    title: ClassVar[str] = ""
    route: ClassVar[str] = ""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    tabs: ClassVar[tuple[type[Tab[Any]], ...]] = ()
    actions: ClassVar[tuple[type[Part[Any]], ...]] = ()

    dark = param.Boolean(default=False, doc="Whether the page is dark.")

    runner: RunPanel
    _bar: shell.AppBar | None = None
    _refused: tuple[InputError, str] | None = None
    _above: Any = None  # what is shown over the content: a file being read, or its faults
    _opening = False  # while something else is loaded: nothing is kept halfway
    _asked: Mapping[str, str] | None = None  # settings and example of the link, once it has been read
    _came_with_data = False  # whether that link brought a file or a table

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state
        self.settings: Any = state.settings
        self._reading = Background()
        self.showings: weakref.WeakSet[Showing] = weakref.WeakSet()
        state.param.watch(self._state_changed, list(state.param), precedence=10)  # after all others

    def connect(self, runner: RunPanel) -> RunPanel:
        """Let the learners ticked in the run panel be those of the state; return the panel."""
        self.runner = runner
        runner.on_enable(lambda names: self.state.param.update(learners=names))
        self.state.learners = sorted(runner.runner.enabled)
        self.state.param.watch(lambda event: runner.enable(set(event.new)), "learners")
        self.state.mark_opened()
        return runner

    # What a lab writes.

    def read(self, source: Source, progress: Callable[[float], None]) -> Any:
        """Return what the user's file holds; called on any thread.

        It calls `progress` with the share that has been read, which ends the reading after a Cancel.

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
        """Draw data that have been opened, or else were brought back by Undo or Redo."""

    def came_back(self) -> str:
        """Return the toast after data were restored from the browser."""
        what = f"Your edited {self.state.noun}" if self.edited else self.own_name or "What you typed"
        return f"{what} is back"

    def main(self) -> Any:
        """Return a fresh view of the content, for one more page or cell."""
        showing = Showing(self, self.state, self.tabs, self.actions)
        self.showings.add(showing)
        return showing

    def recolor(self, tokens: Tokens) -> None:
        """Give plots the colours of these tokens; called when the page turns dark or light."""
        for showing in self.showings:
            showing.recolor(tokens)

    # What it may use.

    def open_file(self, name: str, data: bytes) -> None:
        """Read the user's file and show it; errors as in :meth:`read`."""
        source = Source(name, data)
        self.show_read(source, self.read(source, lambda _share: None))

    def go(self, tab: str) -> None:
        """Open a tab, everywhere the lab is shown."""
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
        """Store the open data in the browser, so that a reload restores them; call it after each edit."""
        state = self.state
        if self._bar is None or self._opening:
            return
        edited = state.edited
        kept = ""
        if state.own_name or edited or state.contents() != state.opened:
            values = self.to_dict()
            kept = packing.pack(values) if values["document"] is not None else ""
        self._bar.param.update(kept=kept, edited=edited, own=state.own_name)

    def open_own(self, name: str, load: Callable[[], None], *, said: str = "", quietly: bool = False) -> None:
        """Show the user's own data; edited data that were open come back by Undo.

        Parameters
        ----------
        name
            Of the file, or "pasted table".
        load
            Puts them into the state.
        said
            What the toast says; which data they replace if empty.
        quietly
            Whether there is no toast; Undo then brings back anything.
        """
        self._open("", name, load, said=said, quietly=quietly)

    def choose(self, example: str) -> None:
        """Load an example and update chooser and link; an unknown one is ignored."""
        if example in self.examples():
            self._open(example, "", lambda: self.state.load_example(example))

    def to_dict(self) -> dict[str, Any]:
        """Return the lab's route and its state as values for JSON."""
        return {"lab": self.route, **self.state.to_dict()}

    def from_dict(self, values: Mapping[str, Any]) -> None:
        """Show what :meth:`to_dict` returned, results forgotten; all or nothing.

        Raises
        ------
        InputError
            If it was changed on its way, or belongs to another lab.
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
        self._write_link()
        self.changed()

    def undo(self) -> None:
        """Undo the last edit."""
        self._travel(self.state.history.undo)

    def redo(self) -> None:
        """Redo the last undone edit."""
        self._travel(self.state.history.redo)

    def _travel(self, move: Callable[[], object]) -> None:
        with pn.io.hold():
            move()
            self.document_changed(opened=False)
            self._write_link()
            self.changed()

    def _open(
        self, example: str, name: str, load: Callable[[], None], *, said: str = "", quietly: bool = False
    ) -> None:
        """Open other data; edited data that were open come back by Undo.

        With `quietly` anything can, by Undo, and there is no toast.
        """
        state, before = self.state, self.state.source_name
        edited = "edited " if state.edited else ""
        keep, undo = state.precious or quietly, _nothing
        if keep:
            undo = state.history.record(f"{before} closed")
        else:
            state.history.clear()
        self._opening = True
        try:
            with pn.io.hold():
                load()
                state.param.update(example=example, own_name=name)
                state.mark_opened()
                self._draw_opened()
        except BaseException:
            undo()
            raise
        finally:
            self._opening = False
        self._write_link()
        self.changed()
        if quietly or not (keep or said):
            return
        said = said or f"{state.source_name} is open in place of your {edited}{before}"
        self.toast(said, (lambda: self._travel(undo)) if keep else None)

    def _draw_opened(self) -> None:
        self.runner.reset()
        self.document_changed(opened=True)

    @property
    def tokens(self) -> Tokens:
        """The current colours."""
        return DARK if self.dark else LIGHT

    def toast(self, text: str, undo: Callable[[], None] | None = None, action: str = "Undo") -> None:
        """Show a message for six seconds; does nothing without a page."""
        if self._bar is not None:
            self._bar.toast(text, undo, action)

    def close(self) -> None:
        """End the jobs; called when the page is closed."""
        self.runner.close()
        for showing in self.showings:
            showing.close()

    def _state_changed(self, *events: Any) -> None:
        changed = {event.name for event in events}
        with pn.io.hold():
            for showing in list(self.showings):
                showing.state_changed(changed)

    # How it is shown.

    def page(self) -> pmui.Page:
        """Return the whole page, for a server."""
        bar = self._bar = self._make_bar()
        self._follow_link()
        page = shell.page(bar, self._content(), self.title, self.dark)
        self.param.watch(lambda event: page.param.update(dark_theme=event.new), "dark")
        self.recolor(self.tokens)
        pn.state.on_session_destroyed(lambda _context: self.close())
        return page

    def _make_bar(self) -> shell.AppBar:
        self.dark = shell.prefers_dark()
        if self.state.opened is None:
            self.state.mark_opened()
        bar = shell.AppBar(
            self.choose,
            self._set_dark,
            self._came_in,
            {"undo": self.undo, "redo": self.redo},
            title=self.title,
            route=self.route,
            noun=self.state.noun,
            own=self.own_name,
            labs=shell.lab_links(self.route),
            dark=self.dark,
            examples=shell.example_options(self.examples()),
            example=self.example,
            own_keys=[list(pair) for pair in self.keys],
            drawer=True,
        )
        self.state.param.watch(lambda event: bar.param.update(example=event.new), "example")
        self.runner.param.watch(lambda event: bar.param.update(busy=event.new in _BUSY), "phase")
        return bar

    def __panel__(self) -> Any:
        return pmui.Row(
            self._content(),
            theme_config=THEME,
            sizing_mode="stretch_width",
            min_width=1160,
            height=820,
            stylesheets=NOTEBOOK,
        )

    def _content(self) -> Any:
        main = self.main()
        if self._refused is not None:
            self._above = self._faults(*self._refused)
        lesson = opened_lesson(self, (self._asked or {}).get("lesson", ""))
        for above in filter(None, (lesson, self._above)):
            main = down(above, main, gap=0, cards=True)
        return shell.columns(self.runner, main)

    def _faults(self, error: InputError, name: str) -> Any:
        def close() -> None:
            card.body.visible = False

        whose = banner(f"Below is {self.state.source_name},", f"not {name}.", "plain")
        said = faults(error, name, ("Close", close))
        card = Card("Your file", said, whose, sizing_mode="stretch_width")
        return pn.Row(card, sizing_mode="stretch_width", margin=0, styles={"padding": "14px 20px 0"})

    def _set_dark(self, dark: bool) -> None:
        with pn.io.hold():
            self.dark = dark
            if self._bar is not None:
                self._bar.dark = dark
            self.recolor(self.tokens)

    def _follow_link(self) -> None:
        """Read example and settings from the page's address, and keep the address up to date."""
        location = pn.state.location
        self._asked = {}
        if location is None:
            return
        asked = {name: str(value) for name, value in location.query_params.items()}
        self._asked = asked
        fetched = self._fetch_file(asked.pop("file", ""))
        packed = asked.pop("data", "")
        example = asked.get("example", "")
        if example and not fetched:
            beginning_so = [name for name in self.examples() if name.startswith(example)]
            if example not in self.examples() and len(beginning_so) == 1:
                example = beginning_so[0]
            if example not in self.examples():
                fault = Fault(f"there is no example {example}", did_you_mean(example, list(self.examples())))
                self._refused = (InputError(fault), "what this link asks for")
            self.choose(example)
        if packed and not fetched:
            self._open_packed(packed)
        self._came_with_data = fetched or bool(packed)
        self._put_settings(asked)
        self.settings.param.watch(lambda *_: self._setting_kept(), list(values_of(self.settings)))
        self.state.param.watch(lambda _: self._write_link(), "example")
        if packed:
            pn.state.onload(self._write_link)  # changes reach the browser only once the page is drawn

    def _put_settings(self, asked: Mapping[str, str]) -> None:
        """Set settings from a link; a text that cannot be read is shown in its field with an error."""
        for name, text in asked.items():
            if name in values_of(self.settings):
                self.runner.form.type(name, text)

    def _setting_kept(self) -> None:
        self._write_link()
        self.changed()

    def _open_packed(self, packed: str) -> None:
        try:
            self.from_dict(packing.unpack(packed))
        except InputError as error:
            self._refused = (error, "this link")

    def _came_in(self, packed: str) -> None:
        """Restore what the browser stored of this lab, unless the link names other data."""
        if not packed:
            return
        try:
            values = packing.unpack(packed)
            example = str(values.get("example", ""))
        except InputError:
            return  # of another version of otlab
        if self._came_with_data or (self._asked or {}).get("example", example) != example:
            words = f"Your {values.get('name') or self.state.noun} of before is still here"
            self.toast(words, lambda: self._bring_back(values), "Bring it back")
            return
        self._bring_back(values)

    def _bring_back(self, values: Mapping[str, Any]) -> None:
        undo = self.state.history.record(f"{self.state.source_name} closed")
        try:
            self.from_dict(values)
        except InputError:
            return  # kept by another version of otlab
        self._put_settings(self._asked or {})
        self.toast(self.came_back(), lambda: self._travel(undo), "Start over")

    def _fetch_file(self, key: str) -> bool:
        """Open the file dropped on the home page, if there is one; show all faults of a refused file."""
        found = uploads.fetch(key)
        if found is None:
            return False
        name, data = found
        if len(data) > _READ_AT_ONCE:
            self._read_beside(name, data)
            return True
        try:
            self.open_file(name, data)
        except InputError as error:
            self._refused = (error, name)
            return True
        self._write_link()
        return True

    def _read_beside(self, name: str, data: bytes) -> None:
        """Read a large file once the page is drawn, on another thread; say so meanwhile."""
        said = banner(f"Reading {name}…", f"Below is {self.state.source_name}.", "plain")
        place = pn.Column(said, sizing_mode="stretch_width", margin=0, styles={"padding": "14px 20px 0"})
        self._above = place

        source = Source(name, data)

        def read() -> Any:
            try:
                return self.read(source, lambda _share: None)
            except InputError as error:
                return error

        def show(result: Any) -> None:
            if isinstance(result, InputError):
                place.styles = {"padding": "0"}
                place[:] = [self._faults(result, name)]
                return
            place.visible = False
            self.show_read(source, result)
            self._write_link()

        pn.state.onload(lambda: self._reading.do(read, show))

    def _write_link(self) -> None:
        """Write example and changed settings into the address: 34 characters; `location.sync` writes 489."""
        location = pn.state.location
        if location is None or self._asked is None:  # what the address asks for has yet to be read
            return
        location.search = _query(
            {"lesson": self._asked.get("lesson", ""), "example": self.example, **link_texts(self.settings)}
        )


def _nothing() -> None:
    """Do nothing: the undo where there is nothing to bring back."""


def _query(values: Mapping[str, str]) -> str:
    return "?" + urlencode({name: value for name, value in values.items() if value})
