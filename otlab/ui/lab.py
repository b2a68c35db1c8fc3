"""What every lab shares: a page, a widget, a link, dark mode, and an end.

A lab is one object with one state. As a page it gets the bar, the run panel at the
left and its content; in a notebook cell the same without the bar. Each showing
calls :meth:`Lab.main` anew, because a plot belongs to one document: make figures
there, through :class:`otlab.viz.base.live.Pages`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
import param

from otlab.errors import InputError
from otlab.ui import packing as keeping
from otlab.ui import shell
from otlab.ui import uploads as stash
from otlab.ui.cards import Card
from otlab.ui.layout import down
from otlab.ui.placeholders import banner, faults
from otlab.ui.theme import NOTEBOOK, THEME
from otlab.viz.base.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from otlab.ui.fields import Settings
    from otlab.ui.run_panel import RunPanel

__all__ = ["Lab"]

_BUSY = ("waiting", "preparing", "running", "paused")


@dataclass(frozen=True)
class _Held:
    """All that loading something else replaces."""

    document: Mapping[str, Any]
    clean: Mapping[str, Any] | None
    example: str
    name: str
    settings: Mapping[str, str]
    learners: tuple[str, ...]


class Lab(pn.viewable.Viewer):
    """Base of the labs.

    A lab sets the class attributes, builds ``self.settings`` and ``self.runner`` in
    ``__init__`` (after ``super().__init__()``), and writes :meth:`main`, :meth:`load`
    and :meth:`recolor`. If its data can be edited it also writes :meth:`document`,
    :meth:`open_document`, :meth:`written` and :meth:`read_back`, and calls :meth:`changed`
    after each edit; data of the user's own are shown through :meth:`open_own`.

    Attributes
    ----------
    title, route
        "OT", "ot_lab": its tab, and its address.
    noun
        What the user edits here: "table", "lexicon", ...
    keys
        Keys of its own, and what they do, for the list of keys.
    settings, runner
        What the run panel shows; a lab without learners leaves both out.
    """

    title: ClassVar[str] = ""
    route: ClassVar[str] = ""
    noun: ClassVar[str] = "table"
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()

    example = param.String(doc="Value of the example shown; empty for the user's own data.")
    own_name = param.String(doc="Name of the user's own data, such as a file's; empty for an example.")
    dark = param.Boolean(default=False, doc="Whether the page is dark.")

    settings: Settings | None = None
    runner: RunPanel | None = None
    _bar: shell.AppBar | None = None
    _refused: tuple[InputError, str] | None = None
    _clean: Mapping[str, Any] | None = None  # the document as it was loaded
    _asked: Mapping[str, str] = {}  # settings and example of the link that was followed
    _came_with_data = False  # whether that link brought a file or a table

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

    def document(self) -> Mapping[str, Any]:
        """Return what the user can edit, by name; values are compared to see what was edited.

        What is only looked at, such as a typed sentence, stands under ``"view"``: it is kept and
        goes into links, but is no edit.
        """
        return {}

    def open_document(self, document: Mapping[str, Any]) -> None:
        """Show what :meth:`document` once returned, results forgotten."""

    def written(self, document: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a document as values that JSON can hold; None if it is too large to be kept."""
        return dict(document)

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return the document of what :meth:`written` returned; `name` is that of the user's data.

        Raises
        ------
        InputError, KeyError, TypeError, ValueError
            If it was changed on its way.
        """
        return written

    def came_back(self) -> str:
        """Return what the toast says when the browser has brought back what it kept."""
        what = f"Your edited {self.noun}" if self.edited else self.own_name or "What you typed"
        return f"{what} is back"

    # What it may use.

    @property
    def source_name(self) -> str:
        """The name of what is open: an example's title, or the name of the user's file."""
        return self.own_name or self.examples().get(self.example, "") or f"Your {self.noun}"

    def file_name(self, what: str, ending: str) -> str:
        """Return the name of an export: what is open, what it holds, ending.

        >>> lab = Lab(own_name="my table.csv")
        >>> lab.file_name("Posterior of the ranking values", "png")
        'my_table_posterior_of_the_ranking_values.png'
        """
        stem = PurePath(self.own_name).stem or self.example or self.noun
        words = re.sub(r"[^\w.-]+", "_", f"{stem} {what.lower()}".strip())
        return f"{words}.{ending}"

    @property
    def edited(self) -> bool:
        """Whether what is open differs from the file or example it came from."""
        return self._clean is not None and _without_view(self.document()) != _without_view(self._clean)

    def changed(self) -> None:
        """Keep what is open in the browser, so that a reload brings it back; call it after each edit."""
        if self._bar is None or self._clean is None:
            return
        edited = self.edited
        kept = ""
        if self.own_name or edited or self.document() != self._clean:
            values = self.to_dict()
            kept = keeping.pack(values) if values["document"] is not None else ""
        self._bar.param.update(kept=kept, edited=edited, own=self.own_name)

    def loaded(self) -> None:
        """Take what is open now for unedited."""
        self._clean = self.document()
        self.changed()

    def open_own(self, name: str, load: Callable[[], None]) -> None:
        """Show the user's own data; the toast's Undo brings back what was edited before.

        Parameters
        ----------
        name
            Of the file, or "pasted table".
        load
            Shows them, results forgotten.
        """
        self._replace("", name, load)

    def to_dict(self) -> dict[str, Any]:
        """Return what is open and the settings, as values that JSON can hold.

        ``document`` is None if it is too large to be kept.
        """
        same = not self.own_name and self.example and self.document() == self._clean
        return {
            "lab": self.route,
            "example": self.example,
            "name": self.own_name,
            "settings": self.settings.texts() if self.settings is not None else {},
            "learners": self._learners(),
            "document": {} if same else self.written(self.document()),
        }

    def from_dict(self, values: Mapping[str, Any]) -> None:
        """Show what :meth:`to_dict` returned, results forgotten; all or nothing.

        Raises
        ------
        InputError
            If it was changed on its way, or belongs to another lab.
        """
        try:
            example, name = str(values["example"]), str(values["name"])
            written, settings = values["document"], dict(values["settings"])
            if values["lab"] != self.route or (example and example not in self.examples()):
                raise KeyError(example)
            document = self.read_back(written, name) if written else None
            learners = [str(learner) for learner in values["learners"]]
        except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise keeping.damaged() from error
        with pn.io.hold():
            if example:
                self.load(example)
                self._clean = self.document()
            if document is not None:
                self.open_document(document)
            if not example:
                self._clean = self.document()
            self._set_aside(settings, learners, example, name)

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return DARK if self.dark else LIGHT

    def choose(self, example: str) -> None:
        """Load an example and keep chooser and link in step; what is unknown is ignored."""
        if example in self.examples():
            self._replace(example, "", lambda: self.load(example))

    def _replace(self, example: str, name: str, load: Callable[[], None]) -> None:
        """Load something else; what cannot be loaded again can be brought back."""
        losing = self._bar is not None and (self.edited or bool(self.own_name))
        before, was = (self._held(), self.source_name) if losing else (None, "")
        edited = "edited " if self.edited else ""
        clean, self._clean = self._clean, None  # nothing is kept halfway
        try:
            with pn.io.hold():
                load()
                self.param.update(example=example, own_name=name)
        except BaseException:
            self._clean = clean
            raise
        self.loaded()
        if before is not None:
            held = before
            self.toast(f"{self.source_name} is open in place of your {edited}{was}", lambda: self._put(held))

    def _held(self) -> _Held:
        settings = self.settings.texts() if self.settings is not None else {}
        learners = tuple(self._learners())
        return _Held(self.document(), self._clean, self.example, self.own_name, settings, learners)

    def _put(self, held: _Held) -> None:
        """Bring back data, chooser, settings, link and address together."""
        with pn.io.hold():
            self.open_document(held.document)
            self._clean = held.clean
            self._set_aside(held.settings, held.learners, held.example, held.name)

    def _set_aside(
        self, settings: Mapping[str, str], learners: Iterable[str], example: str, name: str
    ) -> None:
        """Set what stands beside the data, and keep it all."""
        if self.settings is not None:
            self.settings.restore({key: str(value) for key, value in settings.items()})
        if self.runner is not None:
            self.runner.enable(set(learners) & self.runner.runner.lanes.keys())
        self.param.update(example=example, own_name=name)
        self._write_link()
        self.changed()

    def _learners(self) -> list[str]:
        return sorted(self.runner.runner.enabled) if self.runner is not None else []

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
        bar = self._bar = self._make_bar()
        self._follow_link()
        page = shell.page(bar, self._content(), self.title, self.dark)
        self.param.watch(lambda event: page.param.update(dark_theme=event.new), "dark")
        self.recolor(self.tokens)
        pn.state.on_session_destroyed(lambda _context: self.close())
        return page

    def _make_bar(self) -> shell.AppBar:
        self.dark = shell.prefers_dark()
        self._clean = self.document()
        bar = shell.AppBar(
            self.choose,
            self._set_dark,
            self._came_in,
            title=self.title,
            route=self.route,
            noun=self.noun,
            own=self.own_name,
            labs=shell.lab_links(self.route),
            dark=self.dark,
            examples=shell.example_options(self.examples()),
            example=self.example,
            own_keys=[list(pair) for pair in self.keys],
            drawer=self.sidebar() is not None,
        )
        self.param.watch(lambda event: bar.param.update(example=event.new), "example")
        if self.runner is not None:
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
        sidebar, main = self.sidebar(), self.main()
        if self._refused is not None:
            main = down(self._faults(*self._refused), main, gap=0, cards=True)
        return shell.only(main) if sidebar is None else shell.columns(sidebar, main)

    def _faults(self, error: InputError, name: str) -> Any:
        def close() -> None:
            card.body.visible = False

        whose = banner(f"Below is {self.source_name},", f"not {name}.", "plain")
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
        """Take example and settings from the page's address, and keep the address up to date."""
        location = pn.state.location
        if location is None:
            return
        asked = {name: str(value) for name, value in location.query_params.items()}
        self._asked = asked
        fetched = self._fetch_file(asked.pop("file", ""))
        packed = asked.pop("data", "")
        if "example" in asked and not fetched:
            self.choose(asked["example"])
        if packed and not fetched:
            self._open_packed(packed)
        self._came_with_data = fetched or bool(packed)
        if self.settings is not None:
            self.settings.restore(asked)
            self.settings.on_change(lambda _name, _value: self._setting_kept())
        self.param.watch(lambda _: self._write_link(), "example")
        if packed:
            pn.state.onload(self._write_link)  # the browser hears of no change before the page is drawn

    def _setting_kept(self) -> None:
        self._write_link()
        self.changed()

    def _open_packed(self, packed: str) -> None:
        try:
            self.from_dict(keeping.unpack(packed))
        except InputError as error:
            self._refused = (error, "this link")

    def _came_in(self, packed: str) -> None:
        """Bring back what the browser kept of this lab, unless the link asked for something else."""
        if not packed:
            return
        try:
            values = keeping.unpack(packed)
            example = str(values.get("example", ""))
        except InputError:
            return  # of another version of otlab
        if self._came_with_data or self._asked.get("example", example) != example:
            words = f"Your {values.get('name') or self.noun} of before is still here"
            self.toast(words, lambda: self._bring_back(values), "Bring it back")
            return
        self._bring_back(values)

    def _bring_back(self, values: Mapping[str, Any]) -> None:
        before = self._held()
        try:
            self.from_dict(values)
        except InputError:
            return  # kept by another version of otlab
        if self.settings is not None:
            self.settings.restore(self._asked)
        self.toast(self.came_back(), lambda: self._put(before), "Start over")

    def _fetch_file(self, key: str) -> bool:
        """Open what was dropped on the home page, if it is there; a refused file is shown with all faults."""
        found = stash.fetch(key)
        if found is None:
            return False
        name, data = found
        try:
            self.open_file(name, data)
        except InputError as error:
            self._refused = (error, name)
            return True
        self._write_link()
        return True

    def _write_link(self) -> None:
        location = pn.state.location
        if location is None:
            return
        settings = self.settings.query() if self.settings is not None else {}
        location.search = _query({"example": self.example, **settings})


def _without_view(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "view"}


def _query(values: Mapping[str, str]) -> str:
    return "?" + urlencode({name: value for name, value in values.items() if value})
