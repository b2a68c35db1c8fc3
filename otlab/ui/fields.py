"""Settings as fields: parse typed text into values, and format values as text. Panel is not imported.

Settings are any :class:`param.Parameterized`; each of its parameters is a field. What a
field needs besides its parameter's label, bounds, choices and ``doc`` is declared beside it::

    class WalkSettings(param.Parameterized):
        sweeps = param.Integer(20_000, bounds=(1, 10_000_000))
        seed = Seed()
        prior = param.Selector(default="flat", objects={"Flat": "flat", "Normal": "normal"})

        fields: ClassVar = {"sweeps": Field("sweep")}
        folds: ClassVar = (Fold("Priors", ("prior",), lambda s: text_of(s, "prior")),)

    settings = WalkSettings()
    put_text(settings, "sweeps", "1,500")     # as typed into the field
    texts_of(settings)                        # {"sweeps": "1,500", "seed": "2005", ...}
"""

from __future__ import annotations

import copy
import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import param

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "Field",
    "Fold",
    "Seed",
    "defaults_of",
    "field_of",
    "label_of",
    "labelled",
    "like",
    "link_texts",
    "put_text",
    "put_texts",
    "text_of",
    "texts_of",
    "values_of",
]

_LARGEST = 2**63 - 1


class Seed(param.Integer):
    """A seed: the form has a button that draws another one."""

    def __init__(self, default: int = 2005) -> None:
        super().__init__(default, bounds=(0, _LARGEST))


@dataclass(frozen=True)
class Field:
    """Layout of a parameter's field, and its term in the glossary.

    Attributes
    ----------
    term
        Glossary key of its tooltip, if that is not the parameter's name; the parameter's ``doc`` if there is
        no such key.
    wide
        Whether it takes both columns.
    none
        The text for None.
    slide
        The two ends of a slider, in words; it goes from one soft bound of the parameter to the
        other on a logarithmic scale. What is typed may lie outside.
    elsewhere
        Whether the lab has another place for it, so that the form leaves it out.
    learners
        Rows of the run panel that use it: shown while one is ticked. Always if empty.
    """

    term: str = ""
    wide: bool = False
    none: str = "none"
    slide: tuple[str, str] | None = None
    elsewhere: bool = False
    learners: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fold:
    """Rare settings behind one line that shows their value.

    Attributes
    ----------
    title
        Text of the line.
    names
        The parameters that it opens; the fold is placed where the first of them is declared.
    summary
        Given the settings, the value shown at the right of the line.
    learners
        Rows of the run panel whose settings these are: shown while one is ticked. Always if empty.
    """

    title: str
    names: tuple[str, ...]
    summary: Callable[[Any], str]
    learners: tuple[str, ...] = ()


def like(settings: type[param.Parameterized], name: str, **changes: Any) -> Any:
    """Return a copy of a parameter of a learner's settings, with another label, default or bounds."""
    made = copy.copy(settings.param[name])
    for slot in ("owner", "name"):  # both are set by its new class
        object.__setattr__(made, slot, None)
    for slot, value in changes.items():
        setattr(made, slot, value)
    return made


def labelled(options: Mapping[str, str]) -> dict[str, str]:
    """Return value and label of each option as the objects of a :class:`param.Selector`."""
    return {label: value for value, label in options.items()}


def field_of(settings: param.Parameterized, name: str) -> Field:
    """Return the layout of a parameter's field."""
    fields: Mapping[str, Field] = getattr(settings, "fields", {})
    return fields.get(name, Field(name.replace("_", " ")))


def values_of(settings: param.Parameterized) -> dict[str, Any]:
    """Return all values by name."""
    return {name: getattr(settings, name) for name in _names(settings)}


def defaults_of(settings: param.Parameterized) -> dict[str, Any]:
    """Return the default values of the fields, by name."""
    return {name: settings.param[name].default for name in _names(settings)}


def text_of(settings: param.Parameterized, name: str) -> str:
    """Return a value as the text of its field; :func:`put_text` reads it back."""
    return _format(settings.param[name], field_of(settings, name), getattr(settings, name))


def label_of(settings: param.Parameterized, name: str) -> str:
    """Return a value as shown: the label of the chosen option, or the text of the field."""
    parameter = settings.param[name]
    if isinstance(parameter, param.Selector):
        value = getattr(settings, name)
        return next(str(label) for label, other in parameter.get_range().items() if other == value)
    return text_of(settings, name)


def texts_of(settings: param.Parameterized) -> dict[str, str]:
    """Return all values as text, by name; :func:`put_texts` takes them back."""
    return {name: text_of(settings, name) for name in _names(settings)}


def link_texts(settings: param.Parameterized) -> dict[str, str]:
    """Return settings that differ from the defaults, as strings for a link; the seed always."""
    names = [
        name
        for name, default in defaults_of(settings).items()
        if isinstance(settings.param[name], Seed) or getattr(settings, name) != default
    ]
    texts = {name: text_of(settings, name) for name in names}
    others = [name for name in names if not isinstance(settings.param[name], param.String)]
    return texts | {name: texts[name].replace(",", "") for name in others}


def put_text(settings: param.Parameterized, name: str, text: str) -> None:
    """Set a parameter from typed text.

    Raises
    ------
    ValueError
        With a sentence on what is wrong and what to write; nothing is set then.
    """
    value = _parse(settings.param[name], field_of(settings, name), text)
    settings.param.update(**{name: value})


def put_texts(settings: param.Parameterized, given: Mapping[str, str]) -> None:
    """Set parameters to what :func:`texts_of` or :func:`link_texts` returned; skip what cannot be read."""
    for name in [name for name in _names(settings) if name in given]:
        with suppress(ValueError):
            put_text(settings, name, str(given[name]))


def _names(settings: param.Parameterized) -> list[str]:
    return [name for name in settings.param if name != "name"]


def _format(parameter: Any, field: Field, value: Any) -> str:
    """Return a value as text: the shortest spelling, with commas between thousands."""
    if value is None:
        return field.none
    if isinstance(parameter, param.Boolean):
        return "on" if value else "off"
    if isinstance(parameter, param.List):
        return ", ".join(str(each) if isinstance(each, int) else f"{each:g}" for each in value)
    if isinstance(parameter, param.Integer):
        return str(value) if isinstance(parameter, Seed) else f"{value:,}"  # a seed is a name
    return f"{value:.10g}" if isinstance(parameter, param.Number) else str(value)


def _parse(parameter: Any, field: Field, text: str) -> Any:
    """Return the value of typed text.

    Raises
    ------
    ValueError
        With one sentence saying what is wrong and what to write.
    """
    bare = text.strip()
    if parameter.allow_None and bare.lower() in ("", field.none):
        return None
    if isinstance(parameter, param.Selector):
        return _parse_choice(parameter, text)
    if isinstance(parameter, param.Boolean):
        if text not in ("on", "off"):
            raise ValueError("Write on or off.")
        return text == "on"
    if isinstance(parameter, param.List):
        return _parse_list(parameter, field, text)
    if isinstance(parameter, param.Integer):
        return _parse_integer(parameter, field, bare)
    return _parse_number(parameter, bare) if isinstance(parameter, param.Number) else bare


def _parse_choice(parameter: param.Selector, text: str) -> Any:
    chosen = {str(value): value for value in parameter.get_range().values()}
    if text not in chosen:
        raise ValueError(f"Choose one of {', '.join(chosen)}.")
    return chosen[text]


def _parse_integer(parameter: param.Integer, field: Field, bare: str) -> int:
    """Read a whole number; commas and blanks between digits are ignored."""
    digits = "".join(bare.split()).replace(",", "").replace("−", "-")
    try:
        value = int(digits)
    except ValueError:
        raise ValueError(f"Write a whole number{_example(parameter, field)}.") from None
    low, high = parameter.bounds or (None, None)
    if low is not None and value < low:
        raise ValueError(f"Write {low:,} or more.")
    high = _LARGEST if high is None else high
    if value > high:
        raise ValueError(f"Write at most {high:,}.")
    return value


def _parse_number(parameter: param.Number, bare: str) -> float:
    """Read a number; a comma is refused, because it may be a decimal or a thousands comma."""
    try:
        value = float(bare.replace("−", "-"))
    except ValueError:
        raise ValueError("Write a number with a point, like 0.5.") from None
    if not math.isfinite(value):
        raise ValueError("Write a finite number.")
    low, high = parameter.bounds or (None, None)
    with_low, with_high = parameter.inclusive_bounds
    ends = []
    if low is not None:
        ends.append((f"from {low:g}", value >= low) if with_low else (f"above {low:g}", value > low))
    if high is not None:
        ends.append((f"up to {high:g}", value <= high) if with_high else (f"below {high:g}", value < high))
    if not all(inside for _, inside in ends):
        raise ValueError(f"Write a number {' and '.join(words for words, _ in ends)}.")
    return value


def _parse_list(parameter: param.List, field: Field, text: str) -> list[float]:
    """Read numbers above 0 between commas or blanks, each once, in their order."""
    whole = parameter.item_type is int
    try:
        numbers = [(int if whole else float)(part) for part in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < value < math.inf for value in numbers):
        kind = "whole numbers" if whole else "numbers"
        raise ValueError(f"Write {kind} above 0{_example(parameter, field)}.")
    return list(dict.fromkeys(numbers))


def _example(parameter: Any, field: Field) -> str:
    return "" if parameter.default is None else f", like {_format(parameter, field, parameter.default)}"
