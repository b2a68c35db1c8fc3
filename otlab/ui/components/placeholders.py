"""Placeholders, banners and lists of faults, shown in place of a result.

Wording: what happened, why, and the next step. At most two actions. Nothing is lost
or half-loaded, and the words say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import panel as pn

from otlab.errors import condensed, sentence_case
from otlab.html import Markup, escape, table, td, tr
from otlab.ui.components import stylesheet
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Html
from otlab.ui.components.icons import drawing, icon
from otlab.ui.components.layout import down

if TYPE_CHECKING:
    from otlab.errors import Fault, InputError

__all__ = ["Action", "banner", "empty", "faults", "no_result_yet", "warned"]

Action = tuple[str, Callable[[], None]]

_CSS = stylesheet("states")

_BELL = drawing("bell")


def _actions(actions: Iterable[Action], *, align: str) -> list[Any]:
    row = [button(name, do, primary=i == 0) for i, (name, do) in enumerate(actions)]
    return [pn.Row(*row, align=align, margin=0, styles={"gap": "8px"})] if row else []


def empty(title: str, sentence: str, *actions: Action, shape: str = "") -> pn.Column:
    """Return the state of a card without data.

    Parameters
    ----------
    title
        "No tableau yet".
    sentence
        How to get one, in a sentence.
    actions
        At most two (words, what to do); the first is the primary one.
    shape
        SVG with the shape of the picture to come; an upload arrow if not given.
    """
    picture = shape or icon("upload", 28)
    words = f'<div class="empty">{picture}<h3>{escape(title)}</h3><p>{escape(sentence)}</p></div>'
    return down(
        pn.VSpacer(),
        Html(words, _CSS, align="center"),
        *_actions(actions, align="center"),
        pn.VSpacer(),
        gap=12,
    )


def no_result_yet(
    what: str = "the posterior",
    first: str = "The first histogram appears in a second or two.",
    *,
    learner: str = "",
) -> pn.Column:
    """Return the state of a result card before the first run, and until that run has its first result.

    The head of the run panel chooses between the two texts. `learner` is the one that has to be ticked
    for this result, if only one has it.
    """
    do = f"Tick {learner} and press Run" if learner else "Press Run"
    key = "" if learner else " <kbd>Space</kbd>"
    words = (
        f'<div class="empty">{_BELL}'
        f'<div class="at-rest"><h3>{escape(do)} to see {escape(what)}</h3>'
        f"<p>{escape(first)}{key}</p></div>"
        '<div class="begun"><h3>The run is being prepared</h3>'
        "<p>The first result is drawn here as soon as there is one.</p></div></div>"
    )
    return down(pn.VSpacer(), Html(words, _CSS, align="center"), pn.VSpacer(), gap=0)


def faults(error: InputError, name: str, *actions: Action) -> pn.Column:
    """Return the list of everything wrong with a file: where, what, what to do.

    Parameters
    ----------
    error
        With its faults in the order of the file.
    name
        The file's name, for the headline.
    """
    n = len(error.faults)
    problems = "1 problem" if n == 1 else f"{n:,} problems"
    title = f"{escape(name)} was not loaded: {problems}"
    words = (
        f'<div class="faults" role="alert"><h3>{icon("warn")}{title}</h3>{_fault_table(error.faults)}</div>'
    )
    return down(
        Html(words, _CSS, **_SCROLLING),
        *_actions(actions, align="start"),
        gap=12,
        sizing_mode="stretch_width",
    )


# As high as its lines, which scroll beyond a third of the window: it never collapses between cards.
_SCROLLING: dict[str, Any] = {
    "sizing_mode": "stretch_width",
    "styles": {"overflow": "auto", "max-height": "34vh"},
}


def warned(bold: str, warnings: Iterable[Fault]) -> Html:
    """Return a banner with a list of warnings below it."""
    words = (
        f'<div class="banner warn" role="status"><b>{escape(bold)}</b></div>'
        f'<div class="faults">{_fault_table(warnings)}</div>'
    )
    return Html(words, _CSS, **_SCROLLING)


def _fault_table(faults: Iterable[Fault]) -> Markup:
    return table([], map(_fault_row, condensed(faults)))


def _fault_row(fault: Fault) -> Markup:
    place = ", ".join(
        f"{word} {n}" for word, n in (("line", fault.line), ("column", fault.column)) if n is not None
    )
    place = fault.cell or place or fault.spot
    return tr([td(place), td(fault.what), td(sentence_case(fault.hint))])


def banner(bold: str, sentence: str = "", kind: str = "bad") -> Html:
    """Return a persistent banner: ``kind`` is bad, warn, good or plain."""
    words = f'<div class="banner {kind}" role="status"><b>{escape(bold)}</b> {escape(sentence)}</div>'
    return Html(words, _CSS, sizing_mode="stretch_width")
