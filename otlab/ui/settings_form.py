"""Form with the fields of a settings object, in two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.inference.random import fresh_seed
from otlab.ui.components.component import Component
from otlab.ui.fields import Field, Fold, Seed, field_of, put_text, texts_of, values_of
from otlab.ui.glossary import GLOSSARY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["SettingsForm"]


class SettingsForm(Component):
    """Form of settings that shows errors and values that wait for the next run.

    A field with text that cannot be read shows an error; its parameter keeps its value.

    Parameters
    ----------
    settings
        The settings to edit; see :mod:`otlab.ui.fields`.
    """

    spec = param.List(doc="Rows: what the browser needs to draw a field, or a fold's title and fields.")
    state = param.Dict(doc="values, errors, pending, summaries, by name; folds hidden; messages answered.")
    locked = param.Boolean(doc="Whether nothing can be changed here.")

    script = "fields"

    def __init__(self, settings: param.Parameterized, **params: Any) -> None:
        self._settings = settings
        self._folds: tuple[Fold, ...] = getattr(settings, "folds", ())
        self._refused: dict[str, tuple[str, str]] = {}  # the typed text and the error
        self._pending: list[str] = []
        self._hidden: list[str] = []
        self._answered = 0  # each answer is drawn, even if it changes no value: the field may show another
        layout = {"sizing_mode": "stretch_width", "margin": 0, **params}
        super().__init__(spec=self._rows(), state=self._drawn(), **layout)
        settings.param.watch(self._changed, list(values_of(settings)), onlychanged=False)

    @property
    def errors(self) -> dict[str, str]:
        """Errors of the typed texts, by name."""
        return {name: wrong for name, (_, wrong) in self._refused.items()}

    def type(self, name: str, text: str) -> None:
        """Set a parameter from typed text; a text that cannot be read stays in its field with an error."""
        try:
            put_text(self._settings, name, text)
        except ValueError as error:
            self._refused[name] = text, str(error)
            self.state = self._drawn()

    def show_learners(self, names: Collection[str]) -> None:
        """Hide the folds and fields that belong to learners other than these."""
        of: dict[str, Fold | Field] = {fold.title: fold for fold in self._folds}
        of |= {name: field_of(self._settings, name) for name in values_of(self._settings)}
        hidden = [name for name, each in of.items() if each.learners and not {*each.learners} & {*names}]
        if hidden != self._hidden:
            self._hidden = hidden
            self.state = self._drawn()

    def show_pending(self, names: Iterable[str] = ()) -> None:
        """Mark settings that the current run does not use as "from the next run"."""
        self._pending = sorted(names)
        self.state = self._drawn()

    def _changed(self, *events: Any) -> None:
        for event in events:
            self._refused.pop(event.name, None)
        self.state = self._drawn()

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self._answered += 1
        if not self.locked:
            self.type(data["name"], str(fresh_seed() % 10_000) if data.get("roll") else str(data["text"]))
        self.state = self._drawn()

    def _drawn(self) -> dict[str, Any]:
        typed = {name: text for name, (text, _) in self._refused.items()}
        return {
            "values": texts_of(self._settings) | typed,
            "errors": self.errors,
            "pending": self._pending,
            "summaries": {fold.title: fold.summary(self._settings) for fold in self._folds},
            "hidden": self._hidden,
            "answered": self._answered,
        }

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows in the order of the parameters; a fold is placed at its first parameter."""
        order = list(values_of(self._settings))
        folds = {min(fold.names, key=order.index): fold for fold in self._folds}
        folded = {name for fold in self._folds for name in fold.names}
        rows: list[dict[str, Any]] = []
        for name in order:
            if name in folds:
                fields = [self._field(other) for other in folds[name].names]
                rows.append({"kind": "fold", "label": folds[name].title, "fields": fields})
            elif name not in folded and not field_of(self._settings, name).elsewhere:
                rows.append(self._field(name))
        return rows

    def _field(self, name: str) -> dict[str, Any]:
        """Return the description of a field for the browser."""
        parameter, field = self._settings.param[name], field_of(self._settings, name)
        entry, tip = GLOSSARY.get(field.term), None
        if entry is not None:
            tip = {"name": entry.name, "text": f"{entry.meaning} {entry.threshold}".strip()}
        elif parameter.doc:
            tip = {"name": parameter.label, "text": parameter.doc}
        drawn = {"name": name, "label": parameter.label, "kind": "text", "wide": field.wide, "tip": tip}
        if field.slide is not None:
            drawn |= {"slide": parameter.softbounds, "ends": field.slide}
        if isinstance(parameter, Seed):
            drawn["kind"] = "seed"
        elif isinstance(parameter, param.Boolean):
            drawn["kind"] = "switch"
        elif isinstance(parameter, param.Selector):
            options = [[str(value), label] for label, value in parameter.get_range().items()]
            drawn |= {"kind": "choice", "options": options}
        return drawn
