"""What is open in the OT lab, or was saved as a file, as one page that runs in a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from otlab.errors import Fault, InputError
from otlab.inference import conclude
from otlab.ot.learners import LEARNERS
from otlab.ui.fields import texts_of
from otlab.ui.opened_document import readable_runs, state_of
from otlab.web.page import lab_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.ot.fitted import Fit
    from otlab.ot.tableau import Tableau
    from otlab.ui.documents.store import Saved
    from otlab.ui.ot.state import OTState
    from otlab.web.page import PageExercise

__all__ = ["ROUTE", "page_of_file", "page_of_state"]

ROUTE = "ot_lab"
# Settings of the lab by the fields of the page; "none" is an empty field there.
_FIELDS = {
    **{
        name: name
        for name in ("sweeps", "chains", "noise", "bound", "total", "trials", "runs", "schedule", "rule")
    },
    "weight_sd": "sd",
    "weights": "sign",
}


def page_of_state(
    state: OTState,
    tableau: Tableau,
    fits: Iterable[Fit],
    exercise: PageExercise | None = None,
    *,
    own_seed: bool = False,
    language: str | None = None,
) -> str:
    """Return a page with a tableau, the settings of a lab, what was learnt there, and an exercise.

    With `own_seed` each page that is opened draws with a seed of its own. `language` as for
    :func:`~otlab.web.page.lab_page`.
    """
    texts, settings = texts_of(state.settings), state.settings
    fields = {
        field: "" if getattr(settings, name) is None else texts[name].replace(",", "")
        for name, field in _FIELDS.items()
    }
    fields["apriori"] = settings.apriori
    seed, document = None if own_seed else settings.seed, {"lab": ROUTE, **state.to_plain()()}
    return lab_page(tableau, seed, list(fits), fields, document, exercise, language)


def page_of_file(saved: Saved, language: str | None = None) -> tuple[str, Tableau]:
    """Return the page of a saved document, with the results that were in sight, and its tableau.

    Raises
    ------
    InputError
        If it is the document of another lab, or damaged.
    """
    state: Any = state_of(saved, "ot")[1]
    tableau = replace(state.tableau, title=saved.summary.name or state.tableau.title)
    return page_of_state(state, tableau, _fits(saved), language=language), tableau


def _fits(saved: Saved) -> list[Fit]:
    """Return what the runs in sight of a document have found; those without a step yet are left out."""
    runs, unreadable = readable_runs(saved)
    if unreadable:
        what = "its results cannot be read"
        raise InputError(Fault(what, "save it again, or save it without results"))
    fits: list[Any] = [conclude(runs[name]) for name in LEARNERS if name in runs]
    return fits
