"""Settings as labelled fields: declared once, checked in Python. No Panel in here.

::

    settings = Settings([
        Integer("sweeps", "Sweeps", 20_000, low=1, high=10_000_000),
        Seed(),
        Real("noise", "Noise σ", 2.0, above=0.0, term="noise"),
        Fold("Priors", [Choice("prior", "Prior", "flat", {"flat": "Flat", "normal": "Normal"})],
             summary=lambda s: s.label("prior")),
    ])
    settings["sweeps"]; settings.set(sweeps=500); settings.on_change(lambda name, value: ...)

A field that does not parse keeps its last good value and says what is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import param

from otlab.ui.field_kinds import Choice, Field, Integer, Numbers, Real, Seed, Switch, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Choice", "Field", "Fold", "Integer", "Numbers", "Real", "Seed", "Settings", "Switch", "Text"]


@dataclass(frozen=True)
class Fold:
    """Rare settings behind one line that shows their value.

    Attributes
    ----------
    title
        The line's words.
    fields
        What it opens.
    summary
        Given the settings, the value shown at the right of the line.
    """

    title: str
    fields: tuple[Field, ...] | list[Field]
    summary: Callable[[Settings], str]


class Settings(param.Parameterized):
    """The values of some fields; :class:`~otlab.ui.settings_form.SettingsForm` draws them.

    Parameters
    ----------
    rows
        Fields and folds, in order.
    """

    shown = param.Dict(doc="What a form shows: values as typed, errors, pending, summaries, by name.")

    def __init__(self, rows: Iterable[Field | Fold]) -> None:
        super().__init__()
        self.rows = tuple(rows)
        listed = [row.fields if isinstance(row, Fold) else (row,) for row in self.rows]
        self.fields: dict[str, Field] = {f.name: f for group in listed for f in group}
        self._values = self.defaults
        self._typed: dict[str, str] = {}
        self._errors: dict[str, str] = {}
        self._pending: frozenset[str] = frozenset()
        self._watchers: list[Callable[[str, Any], None]] = []
        self._refresh()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def values(self) -> dict[str, Any]:
        """All values by name: a copy."""
        return dict(self._values)

    @property
    def defaults(self) -> dict[str, Any]:
        """The values that the fields begin with, by name."""
        return {name: f.default for name, f in self.fields.items()}

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong with what is typed now, by name; these keep their last good value."""
        return dict(self._errors)

    def label(self, name: str) -> str:
        """Return a value as it is shown; for a choice, its label."""
        chosen = self.fields[name]
        value = self._values[name]
        return chosen.options[value] if isinstance(chosen, Choice) else chosen.show(value)

    def set(self, **values: Any) -> None:
        """Set values and tell the watchers of those that changed.

        Raises
        ------
        ValueError
            If one is out of its range; nothing is set then.
        KeyError
            If there is no such setting.
        """
        parsed = {
            name: self.fields[name].parse(self.fields[name].show(value)) for name, value in values.items()
        }
        for name in parsed:
            self._errors.pop(name, None)
            self._typed.pop(name, None)
        self._store(parsed)

    def reset(self) -> None:
        """Back to the defaults."""
        self.set(**self.defaults)

    def on_change(self, callback: Callable[[str, Any], None]) -> None:
        """Call back with the name and the new value of each setting that changes."""
        self._watchers.append(callback)

    def pending(self, names: Iterable[str] = ()) -> None:
        """Mark settings that the present run does not use: they say "from the next run"."""
        self._pending = frozenset(names)
        self._refresh()

    def texts(self) -> dict[str, str]:
        """Return all values as they are typed, by name; :meth:`restore` takes them back."""
        return {name: f.show(self._values[name]) for name, f in self.fields.items()}

    def query(self) -> dict[str, str]:
        """Return what differs from the defaults, as strings for a link; the seed always."""
        told = {n: f for n, f in self.fields.items() if isinstance(f, Seed) or self._values[n] != f.default}
        return {name: f.show(self._values[name]).replace(",", "") for name, f in told.items()}

    def restore(self, query: Mapping[str, str]) -> None:
        """Take values from a link; what does not parse is left at its value."""
        for name in [name for name in self.fields if name in query]:
            self.type(name, query[name])

    def type(self, name: str, typed: str) -> None:
        """Take what was typed into a field; what does not parse is an error, and the value stays."""
        try:
            value = self.fields[name].parse(typed)
        except ValueError as error:
            self._errors[name], self._typed[name] = str(error), typed
            self._refresh()
            return
        self._errors.pop(name, None)
        self._typed.pop(name, None)
        self._store({name: value})

    def _store(self, values: Mapping[str, Any]) -> None:
        changed = {name: value for name, value in values.items() if self._values[name] != value}
        self._values.update(changed)
        self._refresh()
        for name, value in changed.items():
            for watcher in self._watchers:
                watcher(name, value)

    def _refresh(self) -> None:
        values = {name: self._typed.get(name, f.show(self._values[name])) for name, f in self.fields.items()}
        self.shown = {
            "values": values,
            "errors": dict(self._errors),
            "pending": sorted(self._pending),
            "summaries": {row.title: row.summary(self) for row in self.rows if isinstance(row, Fold)},
        }
