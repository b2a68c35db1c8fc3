"""A lesson as one page of HTML: its steps one below the other, each with what the lab shows at it.

The page needs no Python, server or network. Each step is carried out in a lab without a page.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError, counted
from otlab.html import Markup, element, escape, joined
from otlab.ui.components.placeholders import banner
from otlab.ui.lessons.lesson import shipped_lesson
from otlab.ui.lessons.player import LessonBar
from otlab.ui.server import uploads
from otlab.ui.server.registry import lab
from otlab.viz.base.css import sheet
from otlab.viz.base.page import MOST_BYTES, Section, open_again, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.lessons.lesson import Lesson, Step
    from otlab.ui.tab import Host

__all__ = ["lesson_page", "opened_lesson", "shipped_lesson_page"]

_STYLES = ("tableau", "figures", "bars", "names", "ranking")
_PATIENCE = 600.0  # seconds for one run


def opened_lesson(lab: Host, name: str) -> Any:
    """Return the bar of a shipped lesson, or of a file's by its key; None if the name is empty.

    If the lesson cannot be shown, it returns why.
    """
    if not name:
        return None
    try:
        own = uploads.lesson(name)
        if own is not None:
            return LessonBar(lab, own, lesson_page).view
        return LessonBar(lab, shipped_lesson(name), lambda lesson: shipped_lesson_page(lesson.name)).view
    except InputError as error:
        return banner("This lesson cannot be shown:", str(error), "warn")


@cache
def shipped_lesson_page(name: str) -> str:
    """Return the page of a shipped lesson; it is made once.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    return lesson_page(shipped_lesson(name))


def lesson_page(lesson: Lesson, watch: Callable[[int], None] = lambda _: None) -> str:
    """Return a lesson as one page of HTML.

    Parameters
    ----------
    lesson
        The lesson.
    watch
        Called with the number of steps that are done, after each.

    Raises
    ------
    InputError
        If a step cannot be carried out, or the page would be larger than 1.5 MB.
    """
    made: Any = lab(lesson.lab).make()
    try:
        bar = LessonBar(made, lesson)
        sections = []
        for at, step in enumerate(lesson.steps):
            bar.show(at)
            if not made.runner.wait(_PATIENCE) or made.runner.phase == "failed":
                raise InputError(Fault(f"the run of step {at + 1} did not end", "try it in the lab"))
            sections.append(_section(step, made.classwork.sections(made.state)))
            watch(at + 1)
    finally:
        made.close()
    sections.append(
        Section("Try it", open_again(f"{made.title} lab", f"{lesson.lab}?lesson={lesson.name}"), wide=True)
    )
    steps = f"{counted(len(lesson.steps), 'step')} in the {made.title} lab"
    subtitle = f"{steps}, {lesson.goal}" if lesson.goal else steps
    text = page(lesson.title, sections, subtitle=subtitle, styles=[sheet(name) for name in _STYLES])
    if len(text.encode()) > MOST_BYTES:
        raise InputError(
            Fault("the page would be larger than 1.5 MB", "give the lesson smaller data or fewer runs")
        )
    return text


def _section(step: Step, shown: list[Section]) -> Section:
    """Return a step as a card: its caption, then the cards of the lab."""
    inside = element("p", stressed(step.caption), class_="caption")
    cards = [_card(card) for card in shown]
    if cards:
        inside += element("div", joined(cards), class_="shown")
    remark = f"after {100 * step.replay:.2g} % of the run" if step.ran is not None and step.replay < 1 else ""
    live = tuple(part for card in shown for part in card.live)
    return Section(step.title, inside, remark, wide=True, live=live)


def _card(card: Section) -> Markup:
    head = escape(card.title)
    if card.remark:
        head += element("span", card.remark, class_="remark")
    if card.legend:
        head += element("span", card.legend, class_="legend")
    return element("div", element("h3", head) + card.body, class_="wide" if card.wide else "")


def stressed(text: str) -> Markup:
    """Return a caption as HTML: words between asterisks are stressed.

    >>> str(stressed("after *one* sweep"))
    'after <em>one</em> sweep'
    """
    parts = text.split("*")
    return joined(element("em", part) if k % 2 else escape(part) for k, part in enumerate(parts))
