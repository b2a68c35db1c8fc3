"""Parts of a lab's page that redraw themselves when what they depend on changes.

::

    class WordsTab(Tab[LexiconState]):
        title = "Words"
        depends = ("progress", "settled", "threshold")

        def build(self):                  # when the tab is first opened
            self.table = WordTable()
            return Card("Words", self.table)

        def draw(self):                   # after that, and whenever one of these changes
            self.table.rows = self.state.words(60)

A lab names the classes of its tabs; each :class:`Showing`, a page or a notebook cell, makes its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import panel as pn

from otlab.ui.components.buttons import button, tabs, undo_buttons
from otlab.ui.components.cards import covered
from otlab.ui.components.layout import across, column_options, down
from otlab.ui.hiding import EVERY_CARD, HIDDEN, part_hidden
from otlab.ui.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Set

    from otlab.ui.classroom.classwork import Classwork
    from otlab.ui.documents.store import Saved
    from otlab.ui.history import Edits
    from otlab.ui.palette import Palette
    from otlab.ui.run_panel import RunPanel
    from otlab.ui.shown_runs import ShownRuns
    from otlab.ui.source import Source

__all__ = ["HIDDEN", "FileKeeper", "Host", "Part", "Showing", "Tab"]

_NOT_NEEDED = "ot-aside"  # the run panel beside a tab that needs no run, see sidebar.css

S = TypeVar("S", bound=State)
# Where there is no room for all buttons beside the tabs, they go to a second line.
_BREAKING = """
:host { flex: none !important; flex-wrap: wrap !important; height: auto !important;
  row-gap: 6px; justify-content: flex-end; }
"""


class FileKeeper(Protocol):
    """Opens documents of files: a :class:`~otlab.ui.documents.keeper.Keeper`."""

    def open_file(self, saved: Saved) -> bool:
        """Show a document of a file, as a new one; return whether documents are kept here."""


class Host(Protocol):
    """The part of a :class:`~otlab.ui.lab.Lab` that its tabs, keeper, link, lesson and exercise use."""

    route: ClassVar[str]
    tabs: ClassVar[tuple[type[Tab[Any]], ...]]
    classwork: ClassVar[Classwork[Any]]
    palette: Palette
    runner: RunPanel
    shown_runs: ShownRuns
    state: State
    settings: Any

    @property
    def document(self) -> str:
        """The id of the document that its page has open; empty until something is edited."""

    @property
    def example(self) -> str:
        """The value of the example shown; empty for the user's own data."""

    def examples(self) -> Mapping[str, str]:
        """Return value and label of each example."""

    def choose(self, example: str) -> None:
        """Load an example."""

    def new(self) -> None:
        """Start with empty data, or show where they can be typed."""

    def to_dict(self) -> dict[str, Any]:
        """Return the lab's route and its state as values for JSON."""

    def to_plain(self) -> Callable[[], dict[str, Any]]:
        """Return a function that returns :meth:`to_dict` of the present document, on any thread."""

    def from_dict(self, values: Mapping[str, Any]) -> None:
        """Show what :meth:`to_dict` returned."""

    def put_edits(self, edits: Edits) -> None:
        """Restore the undo history of the open document."""

    def document_changed(self, *, opened: bool) -> None:
        """Draw new data."""

    def restored_message(self) -> str:
        """Return the toast after data were restored."""

    def undo(self) -> None:
        """Undo the last edit."""

    def redo(self) -> None:
        """Redo the last undone edit."""

    def read(self, source: Source, progress: Callable[[float], None]) -> Any:
        """Return what the user's file holds; called on any thread."""

    def show_read(self, source: Source, result: Any) -> None:
        """Show what :meth:`read` returned."""

    def open_own(
        self, name: str, load: Callable[[], None], *, message: str = "", quietly: bool = False
    ) -> None:
        """Show the user's own data."""

    def open_file(self, name: str, data: bytes) -> None:
        """Read the user's file and show it."""

    def open_saved(self, saved: Saved, keeper: FileKeeper | None = None) -> None:
        """Show the document of a file."""

    def document_file(self) -> tuple[str, Callable[[], bytes]]:
        """Return the name of a file with all that is open, and a function that makes it."""

    def changed(self) -> None:
        """Store the open data in the browser."""

    def go(self, tab: str) -> None:
        """Open a tab, everywhere the lab is shown."""

    def toast(self, text: str, undo: Callable[[], None] | None = None, action: str = "Undo") -> None:
        """Show a message for some seconds."""

    def warn(self, text: str) -> None:
        """Show a message of something amiss for some seconds."""


class Part(pn.viewable.Viewer, Generic[S]):
    """Something on the page that depends on the state.

    Parameters
    ----------
    lab, state, showing
        What it may ask to be done, what it shows, and the page or cell that it belongs to.

    Attributes
    ----------
    depends
        Parameters of the state: it is redrawn when one of them changes.
    at_opening
        Parameters whose changes are drawn only when it is opened the next time.
    """

    depends: ClassVar[tuple[str, ...]] = ()
    at_opening: ClassVar[tuple[str, ...]] = ()

    def __init__(self, lab: Host, state: S, showing: Showing) -> None:
        super().__init__()
        self.lab, self.state, self.showing = lab, state, showing
        self._layout: Any = None
        self._stale: set[str] = set()
        self._at_close: list[Callable[[], object]] = []

    def build(self) -> Any:
        """Return its layout; called once, when it is first shown."""
        raise NotImplementedError

    def redraw(self, changed: Set[str]) -> None:
        """Draw what has changed; `changed` are the parameters that changed since the last time."""
        self.draw()

    def draw(self) -> None:
        """Draw the state as it is now."""

    def at_close(self, *stop: Callable[[], object]) -> None:
        """Call these functions when the page is closed: they stop background work."""
        self._at_close += stop

    def close(self) -> None:
        """Stop background work; called when the page is closed."""
        for stop in self._at_close:
            stop()

    def tab_opened(self, tab: Tab[Any]) -> None:
        """Record which tab is open; called for parts beside the tabs."""

    # Methods that a showing calls.

    @property
    def built(self) -> bool:
        """Whether it has been shown."""
        return self._layout is not None

    @property
    def due(self) -> bool:
        """Whether something that it depends on has changed since it was drawn."""
        return not self._stale.isdisjoint(self.depends)

    def show(self) -> Any:
        """Return its layout, built now if it never was, and drawn as the state is now."""
        if self._layout is None:
            self._layout = self.build()
            self._stale = {*self.depends, *self.at_opening}
        if self._stale:
            changed, self._stale = self._stale, set()
            self.redraw(changed)
        return self._layout

    def mark(self, changed: Set[str]) -> None:
        """Record what has changed, for the next :meth:`show`."""
        if self.built:
            self._stale |= changed & {*self.depends, *self.at_opening}

    def __panel__(self) -> Any:
        return self.show()


class Tab(Part[S]):
    """One of the tabs of a lab.

    Attributes
    ----------
    title
        What its tab says.
    listed
        Whether it stands in the bar of tabs; else something beside the bar opens it.
    answers
        Cards that an exercise can hide: the attribute that holds each, and its label.
    repeats
        Cards that show what cards of other tabs show, and are hidden with them: the attribute that holds
        each, empty for the whole tab, and the beginnings of the names of those, such as "Learn: Posterior".
        A tab that does not say is hidden with any of them.
    needs_run
        Whether it shows what a run has found: a wide window then has the run panel beside it.
    """

    title: ClassVar[str] = ""
    listed: ClassVar[bool] = True
    answers: ClassVar[tuple[tuple[str, str], ...]] = ()
    repeats: ClassVar[Mapping[str, tuple[str, ...]]] = {"": EVERY_CARD}
    needs_run: ClassVar[bool] = True

    def leave(self) -> None:
        """Stop animations and the like; called when another tab is opened."""

    def hide(self, hides: Collection[str]) -> None:
        """Hide exactly the cards that are named, such as "Learn: Posterior", or that repeat one of these."""
        cards = dict(self.answers)
        for name in {**cards, **self.repeats}:
            if name:
                part, repeats = getattr(self, name), self.repeats.get(name, ())
                hidden = part_hidden(hides, self.title, cards.get(name, name), repeats)
                getattr(part, "card", part).cover(HIDDEN if hidden else "")

    @classmethod
    def hidden(cls, hides: Collection[str]) -> bool:
        """Return whether the whole tab is hidden."""
        return part_hidden(hides, cls.title, repeats=cls.repeats.get("", ()))


class Showing(pn.Column):
    """A lab on one page, or in one cell of a notebook: the bar of tabs, what stands beside it, one tab.

    Parameters
    ----------
    lab, state
        What is shown.
    tabs
        Classes of the tabs; the first is open to begin with.
    actions
        Classes of the part to the right of the tabs.

    Attributes
    ----------
    run_panel
        The column of the run panel on the same page, if there is one.
    """

    def __init__(
        self, lab: Host, state: State, tabs_: tuple[type[Tab[Any]], ...], actions: tuple[type[Part[Any]], ...]
    ) -> None:
        self._tabs = {kind.title: kind(lab, state, self) for kind in tabs_}
        self._actions = [kind(lab, state, self) for kind in actions]
        titles = self._listed = [kind.title for kind in tabs_ if kind.listed]
        self._bar = tabs(titles, align="center")
        self._bar.param.watch(lambda event: self.open(titles[event.new]), "active")
        export = button("Export", lambda: self.go("Data"), icon="download", align="center")
        export.visible = "Data" in titles
        row = across(
            self._bar,
            pn.HSpacer(),
            *undo_buttons(state.history, lab.undo, lab.redo),
            *(action.show() for action in self._actions),
            export,
            gap=6,
            height=38,
            sizing_mode="stretch_width",
            stylesheets=[_BREAKING],
        )
        self._state, self._open = state, titles[0]
        self._place = down(self._shown(self._open))
        self.run_panel: pn.Column | None = None
        parts = (row, self._place)
        super().__init__(*parts, **column_options(*parts, gap=8, styles={"padding": "8px 20px 14px"}))

    def tab(self, title: str) -> Any:
        """Return a tab by its title."""
        return self._tabs[title]

    @property
    def shown(self) -> Any:
        """The layout of the tab that is open."""
        return self._place[0]

    def go(self, tab: str) -> None:
        """Switch to a tab as if it had been clicked; to the one chosen in the bar if `tab` is empty."""
        tab = tab or self._listed[self._bar.active]
        if tab in self._listed and self._listed[self._bar.active] != tab:
            self._bar.active = self._listed.index(tab)
        else:
            self.open(tab)

    def open(self, tab: str) -> None:
        """Show a tab, built now if it never was."""
        with pn.io.hold():
            if tab != self._open and self._tabs[self._open].built:  # one that is hidden may not be
                self._tabs[self._open].leave()
            self._open = tab
            if self.run_panel is not None:
                mark = [] if self._tabs[tab].needs_run else [_NOT_NEEDED]
                self.run_panel.css_classes = [
                    *(c for c in self.run_panel.css_classes if c != _NOT_NEEDED),
                    *mark,
                ]
            self._place[:] = [self._shown(tab)]
            for action in self._actions:
                action.tab_opened(self._tabs[tab])

    def _shown(self, tab: str) -> Any:
        """Return the layout of a tab, or a sentence in its place if an exercise hides it."""
        hides = self._state.hides
        if self._tabs[tab].hidden(hides):
            return down(covered(HIDDEN))
        layout = self._tabs[tab].show()
        if hides:
            self._tabs[tab].hide(hides)
        return layout

    def hide(self) -> None:
        """Hide the tabs and cards that the state names, and no others."""
        for tab in self._tabs.values():
            if tab.built:
                tab.hide(self._state.hides)
        self._place[:] = [self._shown(self._open)]

    def state_changed(self, changed: Set[str]) -> None:
        """Redraw what is in sight and depends on this; the rest is redrawn when it is opened."""
        if "hides" in changed:
            self.hide()
        for part in (*self._actions, *self._tabs.values()):
            part.mark(changed)
        for part in (*self._actions, self._tabs[self._open]):
            if part.due:
                part.show()

    def close(self) -> None:
        """Stop the background work of the tabs."""
        for part in self._tabs.values():
            part.close()
