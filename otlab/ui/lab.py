"""What every lab shares: a page, a widget, a link, dark mode, and an end.

A lab is one object with one state. As a page it gets the bar, the run panel at the
left and its content; in a notebook cell the same without the bar. Each showing
calls :meth:`Lab.main` anew, because a plot belongs to one document: make figures
there, through :class:`otlab.viz.live.Pages`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param

from otlab.errors import InputError
from otlab.ui import shell, stash
from otlab.ui.cards import Card
from otlab.ui.states import faults
from otlab.ui.theme import NOTEBOOK, THEME
from otlab.viz.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.ui.fields import Settings
    from otlab.ui.run_panel import RunPanel

__all__ = ["Lab"]


class Lab(pn.viewable.Viewer):
    """Base of the labs.

    A lab sets the class attributes, builds ``self.settings`` and ``self.runner`` in
    ``__init__`` (after ``super().__init__()``), and writes :meth:`main`, :meth:`load`
    and :meth:`recolor`.

    Attributes
    ----------
    title, route
        "OT", "ot_lab": its tab, and its address.
    settings, runner
        What the run panel shows; a lab without learners leaves both out.
    """

    title: ClassVar[str] = ""
    route: ClassVar[str] = ""

    example = param.String(doc="Value of the example shown; empty for the user's own data.")
    dark = param.Boolean(default=False, doc="Whether the page is dark.")

    settings: Settings | None = None
    runner: RunPanel | None = None
    _bar: shell.AppBar | None = None
    _refused: tuple[InputError, str] | None = None

    # What a lab writes.

    def examples(self) -> Mapping[str, str]:
        """Return value and label of each example; none hides the chooser."""
        return {}

    def load(self, example: str) -> None:
        """Show an example's data, results forgotten. `example` is one of the values."""

    def main(self) -> Any:
        """Return a fresh view of the content. One child with ``sizing_mode="stretch_both"``."""
        raise NotImplementedError

    def sidebar(self) -> Any:
        """Return what stands at the left; the run panel, unless a lab says otherwise."""
        return self.runner

    def recolor(self, tokens: Tokens) -> None:
        """Give plots the colours of these tokens; called when the page turns dark or light."""

    def open_file(self, name: str, data: bytes) -> None:
        """Load the user's file; raise :class:`~otlab.errors.InputError` with all its faults."""
        raise NotImplementedError

    # What it may use.

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return DARK if self.dark else LIGHT

    def choose(self, example: str) -> None:
        """Load an example and keep chooser and link in step; what is unknown is ignored."""
        if example in self.examples():
            with pn.io.hold():
                self.load(example)
                self.example = example

    def toast(self, text: str, undo: Callable[[], None] | None = None, action: str = "Undo") -> None:
        """Say for six seconds that something happened; without a page, nothing."""
        if self._bar is not None:
            self._bar.toast(text, undo, action)

    def close(self) -> None:
        """End its jobs; called when the page goes away."""
        if self.runner is not None:
            self.runner.close()

    # How it is shown.

    def page(self) -> pmui.Page:
        """Return the whole page, for a server."""
        self.dark = shell.prefers_dark()
        self._bar = shell.AppBar(
            self.choose,
            self._set_dark,
            labs=shell.lab_links(self.route),
            dark=self.dark,
            examples=shell.example_options(self.examples()),
            example=self.example,
            drawer=self.sidebar() is not None,
        )
        bar = self._bar
        self.param.watch(lambda event: bar.param.update(example=event.new), "example")
        self._follow_link()
        page = shell.page(bar, self._content(), self.title, self.dark)
        self.param.watch(lambda event: page.param.update(dark_theme=event.new), "dark")
        self.recolor(self.tokens)
        pn.state.on_session_destroyed(lambda _context: self.close())
        return page

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
        sidebar, main = self.sidebar(), self.main()
        if self._refused is not None:
            main = pn.Column(self._faults(*self._refused), main, sizing_mode="stretch_both", margin=0)
        return shell.only(main) if sidebar is None else shell.columns(sidebar, main)

    def _faults(self, error: InputError, name: str) -> Any:
        def close() -> None:
            card.body.visible = False

        card = Card("Your file", faults(error, name, ("Go on", close)), sizing_mode="stretch_width")
        return pn.Row(card, sizing_mode="stretch_width", margin=0, styles={"padding": "14px 20px 0"})

    def _set_dark(self, dark: bool) -> None:
        with pn.io.hold():
            self.dark = dark
            if self._bar is not None:
                self._bar.dark = dark
            self.recolor(self.tokens)

    def _follow_link(self) -> None:
        """Take example and settings from the page's address, and keep the address up to date."""
        location = pn.state.location
        if location is None:
            return
        asked = dict(location.query_params)
        self._fetch_file(str(asked.pop("file", "")))
        if "example" in asked:
            self.choose(str(asked["example"]))
        if self.settings is not None:
            self.settings.restore({name: str(value) for name, value in asked.items()})
            self.settings.on_change(lambda _name, _value: self._write_link())
        self.param.watch(lambda _: self._write_link(), "example")

    def _fetch_file(self, key: str) -> None:
        """Open what was dropped on the home page; a file with faults is shown with all of them."""
        found = stash.fetch(key)
        if found is None:
            return
        try:
            self.open_file(*found)
        except InputError as error:
            self._refused = (error, found[0])
            return
        self.example = ""
        self._write_link()

    def _write_link(self) -> None:
        location = pn.state.location
        if location is None:
            return
        settings = self.settings.query() if self.settings is not None else {}
        location.search = _query({"example": self.example, **settings})


def _query(values: Mapping[str, str]) -> str:
    return "?" + urlencode({name: value for name, value in values.items() if value})
