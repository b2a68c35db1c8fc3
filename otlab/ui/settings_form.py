"""The fields of some settings in the browser, in two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param
from panel.custom import JSComponent

from otlab.inference.random import fresh_seed
from otlab.ui.components import esm, styles
from otlab.ui.fields import Fold

if TYPE_CHECKING:
    from otlab.ui.fields import Settings

__all__ = ["SettingsForm"]


class SettingsForm(JSComponent):
    """Draws settings, with what is wrong and what waits for the next run, and takes what is typed.

    Parameters
    ----------
    settings
        What is shown and changed.
    """

    spec = param.List(doc="Rows: a field's spec, or a fold's title, summary and fields.")
    state = param.Dict(doc="values, errors, pending, summaries, by name.")

    _esm = esm("fields")
    _stylesheets: ClassVar[list[str]] = styles("fields")

    def __init__(self, settings: Settings, **params: Any) -> None:
        spec = [
            {"kind": "fold", "label": row.title, "fields": [f.spec() for f in row.fields]}
            if isinstance(row, Fold)
            else row.spec()
            for row in settings.rows
        ]
        layout = {"sizing_mode": "stretch_width", "margin": 0, **params}
        super().__init__(spec=spec, state=settings.param.shown, **layout)
        self._settings = settings

    def _handle_msg(self, data: dict[str, Any]) -> None:
        typed = str(fresh_seed() % 10_000) if data.get("roll") else str(data["text"])
        self._settings.type(data["name"], typed)
