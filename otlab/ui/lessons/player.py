"""A lesson in its lab: one step after another, by buttons and arrow keys."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ui.background import Background
from otlab.ui.classroom.guess import HELD, GuessCard
from otlab.ui.components.component import Component
from otlab.ui.components.layout import down
from otlab.ui.fields import put_text, text_of, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ui.lessons.lesson import Lesson, Step
    from otlab.ui.tab import Host

__all__ = ["LessonBar"]


class LessonBar(Component):
    """The caption of a step, with buttons for the other steps.

    Parameters
    ----------
    lab
        The lab that shows the steps.
    lesson
        The lesson.
    make_page
        Returns it as a page of HTML.

    Raises
    ------
    InputError
        If a step names an example, a learner or a setting that the lab does not have.
    """

    shown = param.Dict({}, doc="Texts and progress: lesson, title, caption, at, of.")

    script = "bar"

    def __init__(
        self, lab: Host, lesson: Lesson, make_page: Callable[[Lesson], str] = str, **params: Any
    ) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        _check(lab, lesson)
        self.lab, self.lesson = lab, lesson
        self._saving, self._make_page = Background(), make_page
        self.guess: GuessCard | None = None
        self._guess_place = down(gap=0, sizing_mode="stretch_width", styles={"flex": "none"})
        self.at = 0
        self._ran: int | None = None
        self._before = _texts(lab, lesson)
        lab.runner.param.watch(self._run_ended, "phase")
        lab.state.param.watch(lambda _: self._compare(), "settled", precedence=10)
        self.show(0)

    @property
    def view(self) -> Any:
        """The bar, and below it the guess where a step asks for one."""
        return down(self, self._guess_place, gap=0, sizing_mode="stretch_width", styles={"flex": "none"})

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.lesson.steps[self.at]

    def show(self, at: int) -> None:
        """Show a step, numbered from 0; the first or the last one where there is none."""
        lab, steps = self.lab, self.lesson.steps
        self.at = max(0, min(len(steps) - 1, at))
        step = self.step
        with pn.io.hold():
            if step.example and step.example != lab.state.example:
                lab.choose(step.example)
                self._ran = None
                self._before = _texts(lab, self.lesson)
            for name, text in {**self._before, **step.settings}.items():
                if text_of(lab.settings, name) != text:
                    put_text(lab.settings, name, text)
            if step.learners:
                lab.runner.enable(step.learners)
            if step.sentence:
                lab.state.param.update(sentence=tuple(step.sentence.split()))
                lab.document_changed(opened=False)
            if step.tab:
                lab.go(step.tab)
            self._ask(step)
            self._run(step)
            of = len(steps)
            self.shown = {
                "lesson": self.lesson.title,
                "goal": self.lesson.goal,
                "title": step.title,
                "caption": step.caption,
                "at": self.at,
                "of": of,
            }

    def _ask(self, step: Step) -> None:
        """Ask for a guess if the step asks for one; Run is disabled until it is given or a step runs."""
        lab = self.lab
        asked = lab.classwork.guessing(lab.state, step.guess) if step.predict else None
        if asked is None:
            self.guess, self._guess_place[:] = None, []
        elif self.guess is None:
            self.guess = GuessCard(lab, asked, lambda _: self._hold())
            self._guess_place[:] = [self.guess]
        self._hold()

    def _hold(self) -> None:
        if self.guess is not None:  # of a result that is in sight nothing is left to guess
            self.guess.visible = self.guess.guess is not None or self.step.ran is None
        waits = self.visible and self.guess is not None and self.guess.guess is None and self.step.ran is None
        self.lab.runner.held = HELD if waits else ""

    def _compare(self) -> None:
        """Show the result beside the guess, once a run has ended."""
        if self.guess is not None and self.lab.runner.phase in ("done", "stopped"):
            self.guess.compare()

    def _run(self, step: Step) -> None:
        """Show the run of the step: the one that is there already, a new one, or none."""
        runner = self.lab.runner
        if step.ran is None:
            if runner.phase != "idle":
                runner.reset()
        elif step.ran != self._ran:
            runner.run()
        self._ran = step.ran
        runner.replay(step.replay)

    def _run_ended(self, event: Any) -> None:
        """Replay the run that has ended, if the step asks for that."""
        self._compare()
        if event.new in ("done", "stopped") and self.visible and self.step.ran is not None:
            self.lab.runner.replay(self.step.replay)

    def _handle_msg(self, data: dict[str, Any]) -> None:
        if data["kind"] == "go":
            self.show(self.at + int(data["by"]))
        elif data["kind"] == "leave":
            self.visible = self._guess_place.visible = False
            self._hold()
        elif data["kind"] == "save":
            self._saving.do(self._page, self._send_page)

    def _page(self) -> str:
        """Return the lesson as a page, made in a separate lab in its own context."""
        return contextvars.Context().run(self._make_page, self.lesson)

    def _send_page(self, text: str) -> None:
        self._send_msg({"name": f"{self.lesson.name}.html", "text": text})


def _texts(lab: Host, lesson: Lesson) -> dict[str, str]:
    """Return the settings that the lesson changes, as they are before it does."""
    names = {name for step in lesson.steps for name in step.settings}
    return {name: text_of(lab.settings, name) for name in sorted(names)}


def _check(lab: Host, lesson: Lesson) -> None:
    """Raise an error that names every line with something the lab does not have."""
    known = {"example": list(lab.examples()), "learner": list(lab.runner.runner.rows)}
    known["setting"] = list(values_of(lab.settings))
    faults = []
    for step in lesson.steps:
        used = {"example": [step.example] if step.example else [], "learner": step.learners}
        used["setting"] = list(step.settings)
        faults += [
            Fault(
                f"there is no {what} {name}",
                did_you_mean(name, known[what]),
                file=lesson.name,
                line=step.line,
            )
            for what, names in used.items()
            for name in names
            if name not in known[what]
        ]
    if faults:
        raise InputError(faults)
