"""The teacher's page: a live board of an exercise, with the class's answers and numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import panel as pn
import param
import segno

from otlab.errors import InputError, counted
from otlab.ui.background import Background
from otlab.ui.classroom.answers import answers_csv
from otlab.ui.classroom.board import STATES, Board, board_of
from otlab.ui.classroom.exercise import JOIN, exercise_of_board
from otlab.ui.classroom.handed_in import take_answers
from otlab.ui.classroom.maker import hosts
from otlab.ui.components import stylesheet
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.component import Component
from otlab.ui.components.downloads import send_file
from otlab.ui.components.icons import icon
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import empty
from otlab.ui.documents.store import open_store
from otlab.ui.server import shell
from otlab.ui.server.registry import lab
from otlab.ui.timers import Repeating, drawing
from otlab.viz.base.class_svg import class_svg

if TYPE_CHECKING:
    import panel_material_ui as pmui

    from otlab.ui.classroom.classwork import Report
    from otlab.ui.classroom.exercise import Exercise
    from otlab.viz.base.tokens import Hue

__all__ = ["BoardView", "board_page"]

_TICK_MS = 1000
_LONGEST_ADDRESS = 400
_CSS = stylesheet("states") + (
    ".layers { width: 100%; min-width: 600px; height: auto; } "
    ".svg-c { font-family: var(--ot-forms); font-size: 15px; "
    "font-variant-caps: small-caps; letter-spacing: .03em; }"
)
_NOTHING_YET = (
    f'<div class="empty">{icon("class", 28)}<h3>Nothing to compare yet</h3><p>What students guess, and '
    "each of their runs on the data of the exercise, is added here as it comes in.</p></div>"
)


class BoardList(Component):
    """The head of the board with its buttons, the pages, and the answers."""

    shown = param.Dict({}, doc="title, question, lab, link, hosts, pages, answers, revealed, hides.")

    script = "board"
    icons = ("eye", "reset", "link", "screen", "check", "dot", "download", "class")

    def __init__(self, view: BoardView, **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self.view = view

    def _handle_msg(self, data: dict[str, Any]) -> None:
        board = self.view.board
        if data["kind"] == "answers":
            send_file(self, (f"{self.view.file_stem}_answers.csv", answers_csv(board)), Background())
        elif data["kind"] == "qr":
            self._send_msg({"qr": qr_svg(str(data["address"])[:_LONGEST_ADDRESS])})
        elif data["kind"] == "handed_in":
            files = [(str(name), str(text)) for name, text in data["files"]]
            self._send_msg({"told": take_answers(board, self.view.exercise, files)})
        elif data["kind"] == "reveal":
            board.reveal(not board.revealed)
        elif data["kind"] == "start_over":
            board.start_over()
        self.view.draw()


class BoardView(pn.viewable.Viewer):
    """The board of an exercise on one page; it checks for changes once per second.

    Parameters
    ----------
    student, exercise, board
        The id of the students' link, what it asks, and its board.
    """

    def __init__(self, student: str, exercise: Exercise, board: Board) -> None:
        super().__init__()
        self.board, self._student, self.exercise = board, student, exercise
        self._drawn = -1
        board.open_code(self, exercise.lab)
        self.list = BoardList(self)
        self._numbers, self._guesses = _Picture("The class's runs"), _Picture("Guesses")
        self._guesses.card.body.visible = exercise.predict
        self._repeating = Repeating(self.draw, _TICK_MS)
        self.draw()

    def start(self) -> None:
        """Start looking for changes."""
        self._repeating.start()

    def close(self) -> None:
        """Let the short code end with the last teacher's page."""
        self.board.close_code(self)

    @property
    def file_stem(self) -> str:
        """What the names of its files begin with."""
        return "_".join(re.findall(r"[\w.-]+", self.exercise.title)) or "exercise"

    def draw(self) -> None:
        """Draw the board, if anything has changed since it was drawn."""
        board = self.board
        if board.version == self._drawn:
            return
        self._drawn = board.version
        with drawing():
            self.list.shown = board.once("list", self._listed)
            self._numbers.show(*board.once("numbers", lambda: _pooled(board.reports())))
            if self.exercise.predict:
                self._guesses.show(
                    *board.once("guesses", lambda: _pooled(board.guesses(self.exercise.guess)))
                )

    def _listed(self) -> dict[str, Any]:
        exercise, board = self.exercise, self.board
        pages = [
            {
                "name": entry.called,
                "page": f"page {entry.number}",
                "state": entry.state,
                "status": STATES[entry.state],
                "doing": entry.doing,
                "answer": entry.answer,
                "why": entry.why,
                "guess": _of_others(entry.guess_text) or ("guessed" if entry.guess is not None else ""),
                "here": entry.here,
            }
            for entry in sorted(board.entries.values(), key=lambda entry: entry.number)
        ]
        return {
            "title": exercise.title,
            "question": exercise.question,
            "lab": lab(exercise.lab).title,
            "link": f"{exercise.lab}?exercise={self._student}",
            "hosts": hosts(),
            "code": self.board.code,
            "join": JOIN,
            "pages": pages,
            "choices": list(exercise.choices),
            "answers": [[answer, names] for answer, names in board.answers()],
            "predict": exercise.predict,
            "revealed": board.revealed,
            "hides": bool(exercise.hidden) or exercise.predict,
        }

    def __panel__(self) -> Any:
        pictures = across(self._numbers.card, self._guesses.card, height=400, sizing_mode="stretch_width")
        styles = {"padding": "14px 20px", "max-width": "1400px", "margin": "0 auto"}
        return down(self.list, pictures, gap=14, sizing_mode="stretch_width", styles=styles)


class _Picture:
    """A card with the numbers of the class as histograms."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._picture = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.card = Card(title, self._picture, sizing_mode="stretch_both")

    def show(self, report: Report | None, pages: int) -> None:
        """Show the pooled numbers of several pages."""
        if report is None:
            self.card.param.update(title=self._title, remark="", legend=[])
            self._picture.show(_NOTHING_YET)
            return
        legend = [swatch(cast("Hue", report.hue), report.label)]
        if report.beside:
            legend.append(swatch("gibbs", report.beside_label))
        n = sum(map(len, report.values.values())) // max(1, len(report.values))
        remark = f"{n:,} from {counted(pages, 'page')}"
        self.card.param.update(title=report.title, remark=remark, legend=legend)
        svg = class_svg(report.values, report.beside, report.hue, constraints=report.constraints)
        self._picture.show(str(svg))


def _of_others(text: str) -> str:
    """Return what a page says of its guess, as it is said of somebody else's.

    >>> _of_others("Your guess is as good as right.")
    'The guess is as good as right.'
    >>> _of_others("Of 100 words, your guess puts 25 on another candidate than the result does.")
    'Of 100 words, the guess puts 25 on another candidate than the result does.'
    """
    return text.replace("Your guess", "The guess").replace("your guess", "the guess")


def qr_svg(address: str) -> str:
    """Return a QR code as SVG, black on white as every camera reads it, with the empty edge that it needs."""
    svg: str = segno.make(address, error="m", micro=False).svg_inline(
        scale=4, border=4, light="#fff", omitsize=True, svgclass="qr"
    )
    return svg


def _pooled(reports: list[Report]) -> tuple[Report | None, int]:
    """Return the numbers of several pages as those of one, and how many pages they are of."""
    if not reports:
        return None, 0
    first = reports[0]
    values = {row: [*chain.from_iterable(r.values[row] for r in reports)] for row in first.values}
    beside = {row: [*chain.from_iterable(r.beside.get(row, ()) for r in reports)] for row in first.values}
    kept = {row: x for row, x in beside.items() if x}
    label = next((report.beside_label for report in reports if report.beside), "")
    return replace(first, values=values, beside=kept, beside_label=label), len(reports)


def board_page() -> pmui.Page:
    """Return the teacher's page of the exercise that its address names."""
    bar = shell.AppBar(title="Class", runs=False)
    location = pn.state.location
    asked = "" if location is None else str(location.query_params.get("board", ""))
    store = open_store()
    view: BoardView | None = None
    try:
        student, exercise = exercise_of_board(store, asked)
        if store is not None:
            view = BoardView(student, exercise, board_of(student, store))
        content: Any = view
        bar.own = exercise.title
    except InputError as error:
        text = str(error)
        words = (
            f"{text[:1].upper()}{text[1:]}. Or open a lab, and make an exercise with the button in its bar."
        )
        content = empty("No exercise here", words)
    page = shell.page(bar, shell.only(content), "Class", meanwhile="Opening the board…")
    if view is not None:
        pn.state.onload(view.start)
        pn.state.on_session_destroyed(lambda _context: view.close())
    return page
