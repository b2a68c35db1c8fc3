"""Read and write the address of a lab's page: 65 characters, where ``location.sync`` would write 431.

``?example=ilokano&seed=5`` asks for an example with settings, ``data=`` for what a link carries, ``file=``
for what was dropped on the home page, ``document=`` for a document of this computer, ``exercise=`` for a
copy of an exercise. Settings at their defaults are left out, which ``location.sync`` cannot do. It would
hold edited data as one more parameter: 15,556 characters for a table of 300 inputs, packed anew in 25 ms
at each edit, each edit a step for the Back button, while mail programs cut links beyond some 6,000
characters. Here they are saved with the document, whose id the address has. The figures are of the OT lab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import panel as pn

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ui import packing
from otlab.ui.background import Background
from otlab.ui.classroom.board import board_of
from otlab.ui.classroom.exercise import copied_from, load_exercise
from otlab.ui.classroom.student import StudentPage
from otlab.ui.components.cards import Card
from otlab.ui.components.placeholders import banner, faults
from otlab.ui.documents.archive import ENDING, read_archive
from otlab.ui.documents.store import open_store
from otlab.ui.fields import link_texts, values_of
from otlab.ui.server import uploads
from otlab.ui.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ui.documents.keeper import Keeper
    from otlab.ui.tab import Host

__all__ = ["Link"]

_READ_AT_ONCE = 200_000  # bytes: a larger file from the home page is read on another thread
_NOT_HERE = Fault(
    "this document is not on this computer",
    "it was deleted, or made on another computer",
)


class Link:
    """Open the data that a page's address asks for, and keep the address up to date.

    Parameters
    ----------
    lab
        The lab that the page shows.

    Attributes
    ----------
    asked
        Example and settings of the address; None before it was read.
    refused
        What it asks for and cannot have, with its name.
    above
        What is shown over the lab: a file being read, or its faults.
    student
        The exercise that the page is about; None for none.
    """

    def __init__(self, lab: Host) -> None:
        self._lab = lab
        self._reading = Background()
        self._brought_data = False  # whether the address brought a file, a table or a document
        self.asked: Mapping[str, str] | None = None
        self.refused: tuple[InputError, str] | None = None
        self.above: Any = None
        self.student: StudentPage | None = None

    def follow(self, keeper: Keeper) -> None:
        """Open the data that the page's address asks for; from then on keep the address up to date."""
        lab, location = self._lab, pn.state.location
        self.asked = {}
        if location is None:
            return
        asked = {name: str(value) for name, value in location.query_params.items()}
        self.asked = asked
        document, packed = asked.pop("document", ""), asked.pop("data", "")
        exercise = asked.get("exercise", "") or copied_from(open_store(), document)
        if exercise:
            self._open_exercise(keeper, exercise, document)
            return
        opened = bool(document) and self._open_document(keeper, document)
        file = asked.pop("file", "")
        fetched = not opened and self._fetch_file(keeper, file)
        example = asked.get("example", "")
        if example and not fetched and not opened:
            matches = [name for name in lab.examples() if name.startswith(example)]
            if example not in lab.examples() and len(matches) == 1:
                example = matches[0]
            if example not in lab.examples():
                fault = Fault(f"there is no example {example}", did_you_mean(example, list(lab.examples())))
                self.refused = (InputError(fault), "what this link asks for")
            lab.choose(example)
        if packed and not fetched and not opened:
            self._open_packed(packed)
        self._brought_data = fetched or opened or bool(packed)
        if not opened:
            self._put_settings(asked)
        self._follow_lab()
        if packed or document or file:
            pn.state.onload(self.write)  # changes made before the page is drawn do not reach the browser

    def _follow_lab(self) -> None:
        """Update the address when the lab changes."""
        lab = self._lab
        lab.settings.param.watch(lambda *_: self._setting_kept(), list(values_of(lab.settings)))
        lab.state.param.watch(lambda _: self.write(), "example")

    def _open_exercise(self, keeper: Keeper, exercise: str, document: str) -> None:
        """Open the student's copy of an exercise, or make one."""
        lab, store = self._lab, open_store()
        try:
            asked = load_exercise(store, exercise)
            if asked.lab != lab.route or store is None:
                raise InputError(Fault("this exercise belongs to another lab", "copy the whole link"))
            student = StudentPage(lab, asked, board_of(exercise, store), store)
            own = document or str(pn.state.cookies.get(f"otlab_{exercise}", ""))
            own = own if copied_from(store, own) == exercise else ""
            if not (own and self._open_document(keeper, own)):
                self.refused = None
                student.open_copy()
        except InputError as error:
            self.refused, self.asked = (error, "this exercise"), {}
            return
        self.student, self._brought_data = student, True
        self.asked = {"exercise": exercise}
        self._follow_lab()
        pn.state.onload(self.write)

    def write(self) -> None:
        """Put example, settings and document into the page's address."""
        location = pn.state.location
        if location is None or self.asked is None:  # the address has not been read yet
            return
        kept = {name: self.asked.get(name, "") for name in ("lesson", "exercise")}
        values = {"document": self._lab.document, **kept, "example": self._lab.example}
        location.search = _query({**values, **link_texts(self._lab.settings)})

    def restore_document(self, keeper: Keeper, document: str) -> None:
        """Reopen the document that this tab had open, unless the link asks for something else."""
        if copied_from(open_store(), document):  # opened by the exercise's link only
            return
        found = None if keeper.id else keeper.look_up(document)
        if found is None:
            return
        name, example = found
        if self._brought_data or (self.asked or {}).get("example", example) != example:
            words = f"Your earlier {name or self._lab.state.noun} is still here"
            self._lab.toast(words, lambda: self._bring_back(keeper, document), "Bring it back")
            return
        self._bring_back(keeper, document)

    def faults(self, error: InputError, name: str) -> Any:
        """Return a card with the faults of a file or a link, and the name of the data shown below."""

        def close() -> None:
            card.body.visible = False

        whose = banner(f"Below is {self._lab.state.source_name},", f"not {name}.", "plain")
        message = faults(error, name, ("Close", close))
        card = Card("Not loaded", message, whose, sizing_mode="stretch_width")
        return pn.Row(card, sizing_mode="stretch_width", margin=0, styles={"padding": "14px 20px 0"})

    def _open_document(self, keeper: Keeper, document: str) -> bool:
        try:
            if keeper.open(document):
                return True
            self.refused = (InputError(_NOT_HERE), "the document of this address")
        except InputError as error:
            self.refused = (error, "the document of this address")
        return False

    def _bring_back(self, keeper: Keeper, document: str) -> None:
        lab, before = self._lab, self._lab.to_dict()
        try:
            if not keeper.open(document):
                lab.warn("This document was deleted")
                return
        except InputError:
            return  # of another version of otlab
        self._put_settings(self.asked or {})
        self.write()
        lab.toast(lab.restored_message(), lambda: keeper.leave(lambda: lab.from_dict(before)), "Start over")

    def _put_settings(self, asked: Mapping[str, str]) -> None:
        """Set the settings of a link; a text that cannot be read stays in its field, with its error."""
        for name, text in asked.items():
            if name in values_of(self._lab.settings):
                self._lab.runner.form.type(name, text)

    def _setting_kept(self) -> None:
        self.write()
        self._lab.changed()

    def _open_packed(self, packed: str) -> None:
        try:
            self._lab.from_dict(packing.unpack(packed))
        except InputError as error:
            self.refused = (error, "this link")

    def _fetch_file(self, keeper: Keeper, key: str) -> bool:
        """Open the file dropped on the home page, if any; a refused file is shown with its faults."""
        found = uploads.fetch(key)
        if found is None:
            return False
        name, data = found
        if name.lower().endswith(ENDING):
            try:
                self._lab.open_saved(read_archive(data), keeper)
            except InputError as error:
                self.refused = (error, name)
            return True
        if len(data) > _READ_AT_ONCE:
            self._read_beside(name, data)
            return True
        try:
            self._lab.open_file(name, data)
        except InputError as error:
            self.refused = (error, name)
            return True
        self.write()
        return True

    def _read_beside(self, name: str, data: bytes) -> None:
        """Read a large file on another thread after the page is drawn; show a message until then."""
        message = banner(f"Reading {name}…", f"Below is {self._lab.state.source_name}.", "plain")
        place = pn.Column(message, sizing_mode="stretch_width", margin=0, styles={"padding": "14px 20px 0"})
        self.above = place

        source = Source(name, data)

        def read() -> Any:
            try:
                return self._lab.read(source, _unwatched)
            except InputError as error:
                return error

        def show(result: Any) -> None:
            if isinstance(result, InputError):
                place.styles = {"padding": "0"}
                place[:] = [self.faults(result, name)]
                return
            place.visible = False
            self._lab.show_read(source, result)
            self.write()

        pn.state.onload(lambda: self._reading.do(read, show))


def _unwatched(_share: float) -> None:
    """Ignore the progress of reading a file."""


def _query(values: Mapping[str, str]) -> str:
    return "?" + urlencode({name: value for name, value in values.items() if value})
