"""Kinds of settings: how each is read from what was typed, and shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from otlab.ui.glossary import GLOSSARY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Choice", "Field", "Integer", "Numbers", "Real", "Seed", "Switch", "Text"]


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
class Numbers(Field):
    """Some numbers above 0, separated by commas or blanks; `whole` ones if asked for."""

    whole: bool = False

    def parse(self, text: str) -> tuple[float, ...]:
        """Read the numbers, each once, in their order."""
        try:
            values = [(int if self.whole else float)(part) for part in text.replace(",", " ").split()]
        except ValueError:
            values = []
        if not values or not all(0 < value < math.inf for value in values):
            kind = "whole numbers" if self.whole else "numbers"
            raise ValueError(f"Write {kind} above 0, like {self.show(self.default)}.")
        return tuple(dict.fromkeys(values))

    def show(self, value: tuple[float, ...]) -> str:
        """Return them with commas between."""
        return ", ".join(f"{number:g}" for number in value)


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

    With ``optional=True`` an empty field means None, shown as `none`. With ``slide`` a
    slider stands below the field, on a logarithmic scale between these two numbers, its
    ends named by ``ends``; what is typed may lie outside. The name of the setting stays
    the field's alone: the slider is called by its ends.
    """

    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    optional: bool = False
    none: str = "none"
    slide: tuple[float, float] | None = None
    ends: tuple[str, str] = ("less", "more")

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs, with the slider's scale."""
        return {**super().spec(), **({"slide": self.slide, "ends": self.ends} if self.slide else {})}

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
