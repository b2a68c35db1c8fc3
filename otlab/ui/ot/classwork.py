"""The OT lab's material for a class: every run of the GLA beside the posterior; candidates to guess."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from otlab.html import Markup, element
from otlab.ot.learners import LEARNERS
from otlab.ot.orders import order_of
from otlab.ui.classroom.classwork import RANKING, Classwork, Guessing, Report
from otlab.ui.classroom.one_page import page_exercise
from otlab.ui.ot.state import OTState
from otlab.ui.ot.tabs.drift import runs_in_sight
from otlab.ui.ot.tabs.one_page import page_of_state
from otlab.ui.ot.tabs.parameters import parameters_html
from otlab.viz.base.numbers import counted_text
from otlab.viz.base.page import Section, swatches
from otlab.viz.ot.leading import first_inputs, inputs_left_out, leading, left_out
from otlab.viz.ot.page import MOST_CANDIDATES, line_section, posterior_picture, predicted_picture
from otlab.viz.ot.tableau import order_html, tableau_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.ui.classroom.exercise import Exercise


__all__ = ["OTClasswork"]

MOST_DRAWS = 200  # of the posterior, from each page
MOST_RUNS = 50
MOST_OF_LINE = 10_000  # most numbers of a tableau whose ranking line is put on a lesson's page
MOST_INPUTS, MOST_GUESSED, MOST_RANKED = 6, 24, 12  # inputs, candidates, constraints


class OTClasswork(Classwork[OTState]):
    """Ranking values of runs, and probabilities of candidates."""

    has_page = True

    def report(self, state: OTState) -> Report | None:
        """Return the ranking values of every GLA run, or else the posterior's median, and its draws."""
        names = state.shown_tableau.constraints
        gla = None if state.gla is None else state.gla.values
        draws = _draws(state)
        if gla is not None:
            values, label, hue = gla[:MOST_RUNS], "GLA, each run", "gla"
        elif draws is not None:
            values, label, hue = np.median(draws, axis=0)[None], "median of each page's posterior", "other"
        else:
            return None
        return Report(
            "Ranking values",
            label,
            _columns(names, values),
            {} if draws is None else _columns(names, draws),
            "posterior",
            hue,
            constraints=True,
        )

    def guessings(self, state: OTState) -> tuple[Guessing, ...]:
        """Return the inputs with several candidates, as many as fit; then the ranking of the constraints."""
        groups = tuple((name, names) for name, names, _ in _groups(state))
        constraints, settings = state.tableau.constraints, state.settings
        found = []
        if groups:
            question = "How often will each candidate win?"
            found.append(Guessing(question, groups, label="how often each candidate wins"))
        if 2 <= len(constraints) <= MOST_RANKED:
            question = "How will the constraints be ranked? Drag each: the further right, the higher ranked."
            found.append(
                Guessing(
                    question,
                    tuple((name, ("ranking value",)) for name in constraints),
                    shares=False,
                    kind=RANKING,
                    label="the ranking of the constraints",
                    noise=settings.noise,
                    bound=settings.bound,
                )
            )
        return tuple(found)

    def outcome(self, state: OTState, kind: str = "") -> Sequence[Sequence[float]] | None:
        """Return the candidates' probabilities by the first learner that has run, or its ranking values."""
        if kind == RANKING:
            learnt = None if state.document.changed_since_run else state.learnt_values
            return None if learnt is None else [[round(float(value), 4)] for value in learnt]
        answers = state.answers
        if state.document.changed_since_run or not state.has_results:
            return None
        for found in (answers.gibbs, answers.gla, answers.maxent, *answers.further.values()):
            if found is not None:
                predicted = np.asarray(found)
                if found is answers.gibbs:
                    predicted = predicted[0]
                elif predicted.ndim > 1:
                    predicted = predicted.mean(axis=0)
                return [[round(float(predicted[row]), 6) for row in rows] for *_, rows in _groups(state)]
        return None

    def page(self, state: OTState, identity: str, exercise: Exercise, language: str | None = None) -> str:
        """Return an exercise about the open table as one page that needs no server."""
        guessing = self.guessing(state, exercise.guess) if exercise.predict else None
        rows = [rows for *_, rows in _groups(state)] if guessing is not None and guessing.shares else []
        tableau = replace(state.tableau, title=exercise.title)
        asked = page_exercise(identity, exercise, guessing, rows)
        return page_of_state(state, tableau, (), asked, own_seed=exercise.own_seed, language=language)

    def sections(self, state: OTState) -> list[Section]:
        """Return the tableau and the results, at the position of the replay."""
        tableau = state.shown_tableau
        present = first_inputs(state.tableau, MOST_CANDIDATES)
        order = order_of(state.values)
        ranking = Markup(order_html(state.tableau.constraints, order))
        heading = element("p", Markup("Ranked by {}: ").format(state.values_words) + ranking)
        sections = [
            Section("Tableau", heading + Markup(tableau_html(present, order)), inputs_left_out(state.tableau))
        ]
        if not state.has_results:
            return sections
        runs = None if state.gla is None else state.gla.values
        if state.gibbs is not None and state.gibbs.histogram.n:
            draws = state.gibbs.histogram
            picture = posterior_picture(tableau, draws, runs_in_sight(runs, draws))
            legend = swatches([("gibbs", "Gibbs"), *([("gla", "GLA, each run")] if runs is not None else [])])
            remark = counted_text(draws.n, "draw")
            sections = [Section("Posterior of the ranking values", _scroll(picture), remark, legend)]
        elif runs is not None:
            sections = [Section("Ranking values", _scroll(parameters_html(state)))]
        few, answers = leading(tableau, state.answers, MOST_CANDIDATES)
        names = ("gibbs", "gla", "maxent")
        learners = [(name, LEARNERS[name].label) for name in names if getattr(answers, name) is not None]
        legend = swatches([*learners, ("ink", "observed")])
        predicted = _scroll(predicted_picture(few, answers))
        sections.append(
            Section("Predicted against observed", predicted, left_out(tableau, MOST_CANDIDATES), legend)
        )
        learnt, settings = state.learnt_point, state.settings
        if learnt is not None and not state.document.changed_since_run:
            learner, point = learnt
            at = {"noise": settings.noise, "bound": settings.bound}
            line = line_section(tableau, point.values, point.words(learner), most=MOST_OF_LINE, **at)
            sections += [line] if line.live else []
        return sections


def _scroll(inside: Markup) -> Markup:
    return element("div", inside, class_="scroll")


def _groups(state: OTState) -> list[tuple[str, tuple[str, ...], list[int]]]:
    """Return each input to guess: its name, its candidates, and their rows."""
    tableau, room = state.tableau, MOST_GUESSED
    found: list[tuple[str, tuple[str, ...], list[int]]] = []
    for k, name in enumerate(tableau.inputs):
        rows = [row for row, of in enumerate(tableau.input_of_row) if of == k]
        if len(rows) < 2 or len(rows) > room or len(found) == MOST_INPUTS:
            continue
        room -= len(rows)
        found.append((name, tuple(tableau.candidates[row] for row in rows), rows))
    return found


def _draws(state: OTState) -> np.ndarray | None:
    """Return draws of the posterior, thinned; None before there are any."""
    if state.gibbs is None or not state.gibbs.chains or state.posterior is None:
        return None
    draws = state.posterior.pooled("ranking_value")
    return np.asarray(draws[np.linspace(0, len(draws) - 1, min(len(draws), MOST_DRAWS)).astype(int)])


def _columns(names: Sequence[str], values: np.ndarray) -> dict[str, list[float]]:
    return {name: np.round(values[:, k], 4).tolist() for k, name in enumerate(names)}
