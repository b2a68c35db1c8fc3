"""Put the OT lab into one HTML file: kernels, scripts, style and a tableau.

The file needs no server, no network and no Python; its Content-Security-Policy forbids all requests. What it
computes is computed by the kernels of the labs (:mod:`otlab.web.build`).
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from otlab import __version__
from otlab.errors import Fault, InputError
from otlab.html import Markup, element, escape
from otlab.ot.fitted import Fit
from otlab.ot.io.read import read
from otlab.ot.io.write import to_csv
from otlab.ot.kernels.update_rules import RULES
from otlab.ot.learners.schedules import schedule
from otlab.ot.settings import resolve_settings
from otlab.samples import samples
from otlab.viz.base.css import sheet
from otlab.viz.base.js import script
from otlab.viz.base.page import colours, component_script
from otlab.web.digest import WASM
from otlab.web.exports import signatures
from otlab.web.js import room
from otlab.web.results import SCHEDULES, fit_data
from otlab.web.words import check_language, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otlab.ot.tableau import Tableau

__all__ = ["MOST_CONSTRAINTS", "PageExercise", "lab_page", "left_out", "tableau_data"]

MOST_CONSTRAINTS = 128
_SHARED = (
    "engine.js",
    "grammar.js",
    "apriori.js",
    "rank.js",
    "typology.js",
    "optimum.js",
    "runs.js",
)  # of the page and of its workers
_ROOMS = (
    "grid.js",
    "cells.js",
    "files.js",
    "remarks.js",
    "results.js",
    "kept.js",
    "documents.js",
    "memory.js",
    "latex.js",
    "saving.js",
    "trace.js",
)
_PICTURES = (
    "const {{ cardPicture, asPng, cardData, within }} = (() => {{\n{}\n{}\n"
    "return {{ cardPicture, asPng, cardData, within }}\n}})()"
)
_LEARNT_FROM = ("inputs", "candidates", "offsets", "constraints", "violations", "frequencies", "total")

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline';"
    " img-src data: blob:; worker-src blob:"
)


@dataclass(frozen=True)
class PageExercise:
    """An exercise in a page, and the components that ask it.

    Attributes
    ----------
    asked
        ``id``, ``title``, ``question``, ``choices``, ``locked`` (``"data"``, ``"settings"``, ``"learners"``),
        ``hides`` (whether results are hidden until it is ended) and ``guessing``: None, or ``question``,
        ``groups``, ``shares``, ``line``, ``names`` and ``rows``, the rows of the table by group.
    components
        JavaScript by the name that it gets in the page.
    styles
        Style sheets of ``exercise`` and ``guess``.
    """

    asked: Mapping[str, Any]
    components: Mapping[str, str] = field(default_factory=dict)
    styles: Mapping[str, str] = field(default_factory=dict)


def lab_page(
    tableau: Tableau,
    seed: int | None = None,
    results: Sequence[Fit | Mapping[str, Any]] = (),
    fields: Mapping[str, str] = MappingProxyType({}),
    document: Mapping[str, Any] | None = None,
    exercise: PageExercise | None = None,
    language: str | None = None,
) -> str:
    """Return the OT lab as one HTML page that opens with a tableau, and with results if there are any.

    Parameters
    ----------
    tableau
        What is in the grid at first; it can be edited in the page.
    seed
        What is in the field *Seed* at first; a fresh one each time the page is opened if None.
    results
        What learners have found, as fits or as :func:`~otlab.web.results.learnt_data` returns it.
    fields
        Further settings, as they are typed into the fields of the page.
    document
        What the lab's document has beside the table, if it was one: the page saves it again.
    exercise
        What is asked about the table, if anything is.
    language
        The language of the page's words, one of :data:`~otlab.web.words.LANGUAGES`; None for that of the
        reader's browser, with a control to choose another.

    Raises
    ------
    InputError
        If the page has no place for such a tableau, or no such language.

    Examples
    --------
    >>> from otlab.ot import read
    >>> lab_page(read("ilokano")).startswith("<!DOCTYPE html>")
    True
    """
    check_language(language)
    name = tableau.title or tableau.name or "A tableau"
    now = tableau_data(tableau)
    data = {
        "tableau": now,
        "seed": seed,
        "fields": dict(fields),
        "results": [_shown(result, now) for result in results],
        "left": left_out(tableau),
        "document": _document(tableau, document),
        "exercise": None if exercise is None else {**exercise.asked, "styles": dict(exercise.styles)},
        "samples": dict(_sample_files()),
        "otlab": __version__,
        "language": language,
        "words": words_of(language),
        "signatures": signatures(),
        "rules": list(RULES),
        "schedules": {preset: _levels(preset) for preset in SCHEDULES},
        "wasm": base64.b64encode(WASM.read_bytes()).decode("ascii"),
    }
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    shared = "\n".join(map(room, _SHARED))
    code = [
        'const DATA = JSON.parse(document.getElementById("data").textContent)\nconst ICONS = {}',
        script("common"),
        room("words.js"),
        script("page"),
        component_script("rankingLine", script("ranking_line")),
        _PICTURES.format(script("card_picture"), script("card_data")),
        *map(room, _ROOMS),
        *(component_script(*each) for each in ({} if exercise is None else exercise.components).items()),
        *map(room, () if exercise is None else ("course.js", "exercise.js")),
        room("lab.js"),
    ]
    heading = element("div", element("h1", name, id="title") + element("p", "OT lab"))
    switch = element("button", "Dark", type="button", id="mode", aria_pressed="false")
    choice = element("select", "", id="language", aria_label="Language of the page", hidden=True)
    controls = element("div", choice + switch, class_="bar")
    body = (
        element("header", heading + controls, class_="top")
        + element("main", "", id="lab")
        + element("script", Markup(written.replace("<", "\\u003c")), id="data", type="application/json")
        + element("script", Markup(shared), id="shared")
        + element("script", Markup(room("worker.js")), id="worker", type="text/plain")
        + element("script", Markup("\n".join(code)))
    )
    head = (
        Markup('<meta charset="utf-8">')
        + Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">')
        + Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
        + element("title", f"{name} · OT lab")
        + element("style", Markup("\n".join([colours(), sheet("page"), room("lab.css")])))
    )
    top = f'<!DOCTYPE html>\n<html lang="{escape(language or "en")}">'
    return f"{top}<head>{head}</head>\n<body>{body}</body></html>\n"


def tableau_data(tableau: Tableau) -> dict[str, Any]:
    """Return a tableau as values for JSON, as the scripts take it.

    Raises
    ------
    InputError
        If its candidates have overt forms, or there are more than :data:`MOST_CONSTRAINTS` constraints.
    """
    faults = []
    if tableau.overt:
        what = "it has overt forms, of which several candidates are parses; the page cannot learn from them"
        hint = (
            "learn from them in the OT lab or by otlab learn (maxent-overt, eip), "
            "or leave out the column Overt"
        )
        faults.append(Fault(what, hint, file=tableau.name))
    if tableau.n_constraints > MOST_CONSTRAINTS:
        what = f"it has {tableau.n_constraints} constraints"
        faults.append(Fault(what, f"keep {MOST_CONSTRAINTS} or fewer for a page", file=tableau.name))
    if faults:
        raise InputError(faults)
    settings = resolve_settings(tableau)
    return {
        "title": tableau.title or tableau.name,
        "inputs": list(tableau.inputs),
        "candidates": list(tableau.candidates),
        "offsets": tableau.offsets.tolist(),
        "constraints": list(tableau.constraints),
        "full_names": list(tableau.full_names) if tableau.full_names != tableau.constraints else [],
        "violations": tableau.violations.tolist(),
        "frequencies": tableau.frequencies.tolist(),
        "noise": settings.noise,
        "bound": settings.bound,
        "total": tableau.total,
        "source": tableau.source,
        "notes": list(tableau.notes),
    }


def _shown(result: Fit | Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result for the page, with what was learnt from if the tableau has changed since."""
    if not isinstance(result, Fit):
        return {**result, "source": None}
    learnt_from = tableau_data(result.tableau)
    same = all(learnt_from[key] == now[key] for key in _LEARNT_FROM)
    return {**fit_data(result), "source": None if same else learnt_from}


def _document(tableau: Tableau, opened: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a document of the lab has beside the table."""
    example = tableau.name if tableau.name in dict(_sample_files()) else ""
    usual = {"example": example, "name": "" if example else tableau.name, "settings": {}, "learners": []}
    beside = dict((opened or {}).get("document") or {"name": tableau.name})
    beside.pop("csv", None)
    return {**usual, **(opened or {}), "document": beside}


@cache
def _sample_files() -> tuple[tuple[str, str], ...]:
    """Return the name of each sample that the page has a place for, and its table as CSV."""
    tableaux = [(sample.name, read(sample.name)) for sample in samples("ot")]
    return tuple(
        (name, to_csv(replace(tableau, groups=None))) for name, tableau in tableaux if not tableau.overt
    )


def left_out(tableau: Tableau) -> list[str]:
    """Return what a page does not keep of a tableau, as words."""
    kept = {"speakers and items": tableau.groups, "formulas": tableau.formulas}
    return [words for words, value in kept.items() if value is not None]


def _levels(name: str) -> dict[str, Any]:
    """Return the plasticity of each stage of a preset, where it ends if it falls, and how updates vary."""
    plan = schedule(name, 4)
    levels, spread = [stage.markedness for stage in plan.stages], plan.spread
    (*_, stage) = plan.stages
    falls = stage.ratio != 1
    last = schedule(name, 2).stages[0].ratio * levels[0] if falls else None
    return {"levels": levels, "spread": spread, "last": last}
