"""Settings as labelled fields: declared once, drawn in two columns, checked in Python.

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

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from otlab.inference.random import fresh_seed
from otlab.ui.components import esm, styles
from otlab.ui.glossary import GLOSSARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Choice", "Field", "Fold", "Integer", "Real", "Seed", "Settings", "Switch", "Text"]


@dataclass(frozen=True)
class Field:
    """One setting.

    Attributes
    ----------
    name
        Key in :class:`Settings` and in links.
    label
        The visible word; also its accessible name.
    default
        The value to begin with.
    term
        Glossary key that explains it, or "".
    wide
        Whether it takes both columns.
    """

    name: str
    label: str
    default: Any
    term: str = field(default="", kw_only=True)
    wide: bool = field(default=False, kw_only=True)
    kind: ClassVar[str] = "text"

    def parse(self, text: str) -> Any:
        """Return the value of what was typed.

        Raises
        ------
        ValueError
            With one sentence saying what is wrong and what to write.
        """
        raise NotImplementedError

    def show(self, value: Any) -> str:
        """Return the value as it is shown; :meth:`parse` reads it back."""
        return str(value)

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs to draw it."""
        entry = GLOSSARY.get(self.term)
        tip = {"name": entry.name, "text": f"{entry.meaning} {entry.threshold}".strip()} if entry else None
        return {"name": self.name, "label": self.label, "kind": self.kind, "wide": self.wide, "tip": tip}


@dataclass(frozen=True)
class Text(Field):
    """Free text."""

    def parse(self, text: str) -> str:
        """Return it without blanks at its ends."""
        return text.strip()


@dataclass(frozen=True)
class Integer(Field):
    """A whole number between `low` and `high`, both allowed."""

    low: int = 0
    high: int = 2**63 - 1

    def parse(self, text: str) -> int:
        """Read a whole number; commas and blanks between digits do not matter."""
        bare = "".join(text.split()).replace(",", "").replace("−", "-")
        try:
            value = int(bare)
        except ValueError:
            raise ValueError(f"Write a whole number, like {self.show(self.default)}.") from None
        if not self.low <= value <= self.high:
            raise ValueError(
                f"Write {self.low:,} or more." if value < self.low else f"Write at most {self.high:,}."
            )
        return value

    def show(self, value: int) -> str:
        """Return it with thousands commas."""
        return f"{value:,}"


@dataclass(frozen=True)
class Seed(Integer):
    """The seed, with a button that draws another one."""

    name: str = "seed"
    label: str = "Seed"
    default: int = 2005
    term: str = "seed"
    kind: ClassVar[str] = "seed"

    def show(self, value: int) -> str:
        """Return it without commas: a seed is a name."""
        return str(value)


@dataclass(frozen=True)
class Real(Field):
    """A number; `above` and `below` are excluded, `low` and `high` allowed.

    With ``optional=True`` an empty field means None, shown as `none`.
    """

    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    optional: bool = False
    none: str = "none"

    def parse(self, text: str) -> float | None:
        """Read a number; a decimal comma is told from a thousands comma by asking for a point."""
        bare = text.strip().replace("−", "-")
        if self.optional and bare.lower() in ("", self.none):
            return None
        try:
            value = float(bare)
        except ValueError:
            raise ValueError("Write a number with a point, like 0.5.") from None
        if not math.isfinite(value):
            raise ValueError("Write a finite number.")
        if not (self.above < value < self.below and self.low <= value <= self.high):
            raise ValueError(self._range())
        return value

    def show(self, value: float | None) -> str:
        """Return the shortest spelling."""
        return self.none if value is None else f"{value:.10g}"

    def _range(self) -> str:
        floor = f"above {self.above:g}" if math.isfinite(self.above) else f"from {self.low:g}"
        ceiling = f"below {self.below:g}" if math.isfinite(self.below) else f"up to {self.high:g}"
        has_floor = math.isfinite(self.above) or math.isfinite(self.low)
        has_ceiling = math.isfinite(self.below) or math.isfinite(self.high)
        ends = [words for words, there in ((floor, has_floor), (ceiling, has_ceiling)) if there]
        return f"Write a number {' and '.join(ends)}."


@dataclass(frozen=True)
class Choice(Field):
    """One of a few values; `options` maps each value to its label."""

    options: Mapping[str, str] = field(default_factory=dict)
    kind: ClassVar[str] = "choice"

    def parse(self, text: str) -> str:
        """Accept the values offered."""
        if text not in self.options:
            raise ValueError(f"Choose one of {', '.join(self.options)}.")
        return text

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs, with the options."""
        return {**super().spec(), "options": [[value, label] for value, label in self.options.items()]}


@dataclass(frozen=True)
class Switch(Field):
    """On or off."""

    kind: ClassVar[str] = "switch"

    def parse(self, text: str) -> bool:
        """Read ``on`` or ``off``."""
        if text not in ("on", "off"):
            raise ValueError("Write on or off.")
        return text == "on"

    def show(self, value: bool) -> str:
        """Return ``on`` or ``off``."""
        return "on" if value else "off"


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


class FieldsView(pn.custom.JSComponent):
    """The fields in the browser."""

    spec = param.List(doc="Rows: a field's spec, or a fold's title, summary and fields.")
    state = param.Dict(doc="values, errors, pending, summaries, by name.")

    _esm = esm("fields")
    _stylesheets: ClassVar[list[str]] = styles("fields")

    def __init__(self, answer: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self._answer(data)


class Settings(pn.viewable.Viewer):
    """The values of a lab's fields.

    Parameters
    ----------
    rows
        Fields and folds, in order.
    """

    def __init__(self, rows: Iterable[Field | Fold]) -> None:
        super().__init__()
        self._rows = tuple(rows)
        listed = [row.fields if isinstance(row, Fold) else (row,) for row in self._rows]
        self.fields: dict[str, Field] = {f.name: f for group in listed for f in group}
        self._values = {name: f.default for name, f in self.fields.items()}
        self._typed: dict[str, str] = {}
        self._errors: dict[str, str] = {}
        self._pending: frozenset[str] = frozenset()
        self._watchers: list[Callable[[str, Any], None]] = []
        self._view = FieldsView(
            self._message, spec=self._spec(), state=self._state(), sizing_mode="stretch_width", margin=0
        )

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def values(self) -> dict[str, Any]:
        """All values by name: a copy."""
        return dict(self._values)

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
        self.set(**{name: f.default for name, f in self.fields.items()})

    def on_change(self, callback: Callable[[str, Any], None]) -> None:
        """Call back with the name and the new value of each setting that changes."""
        self._watchers.append(callback)

    def pending(self, names: Iterable[str] = ()) -> None:
        """Mark settings that the present run does not use: they say "from the next run"."""
        self._pending = frozenset(names)
        self._refresh()

    def query(self) -> dict[str, str]:
        """Return what differs from the defaults, as strings for a link; the seed always."""
        told = {n: f for n, f in self.fields.items() if isinstance(f, Seed) or self._values[n] != f.default}
        return {name: f.show(self._values[name]).replace(",", "") for name, f in told.items()}

    def restore(self, query: Mapping[str, str]) -> None:
        """Take values from a link; what does not parse is left at its value."""
        for name in query.keys() & self.fields.keys():
            self._type(name, query[name])

    def _message(self, data: dict[str, Any]) -> None:
        name = data["name"]
        self._type(name, str(fresh_seed() % 10_000) if data.get("roll") else str(data["text"]))

    def _type(self, name: str, typed: str) -> None:
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
        state = self._state()
        if state != self._view.state:
            self._view.state = state

    def _spec(self) -> list[dict[str, Any]]:
        return [
            {"kind": "fold", "label": row.title, "fields": [f.spec() for f in row.fields]}
            if isinstance(row, Fold)
            else row.spec()
            for row in self._rows
        ]

    def _state(self) -> dict[str, Any]:
        shown = {name: self._typed.get(name, f.show(self._values[name])) for name, f in self.fields.items()}
        summaries = {row.title: row.summary(self) for row in self._rows if isinstance(row, Fold)}
        return {
            "values": shown,
            "errors": dict(self._errors),
            "pending": sorted(self._pending),
            "summaries": summaries,
        }

    def __panel__(self) -> Any:
        return self._view
