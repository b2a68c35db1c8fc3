"""What is stored of the objects that a document holds; ``stored_classes`` lists their classes.

An object is stored as its fields, under a name that stays when its class is moved: that of its system and of
the class. It is made again by calling the class, which checks the values. A field that the class has got
since has its default, one that has gone is ignored. To change a class in another way, raise its number in
:data:`~otlab.ui.documents.stored_classes.VERSIONS`, and add to ``MIGRATIONS`` what turns the fields of the
version before into the present ones; for one that is moved or renamed, change its line in ``CLASSES``, and
say in ``RENAMED`` and ``MOVED`` what its objects are stored as.
"""

from __future__ import annotations

import dataclasses
import importlib
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import DataWarning
from otlab.ui.documents.field_types import misfit
from otlab.ui.documents.stored_classes import CLASSES, MIGRATIONS, RENAMED, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "UNREADABLE",
    "StoredType",
    "UnreadableError",
    "stored_name",
    "stored_path_name",
    "stored_type",
]


class UnreadableError(ValueError):
    """What a document holds cannot be read: it is damaged, hostile, or of a class that has changed."""


class _Unreadable:
    """Stands for what could not be read; it cannot be written again."""


UNREADABLE: Any = _Unreadable()
"""Stands for what is left out of a value that is read."""


@dataclass(frozen=True)
class StoredType:
    """What is stored of the objects of a class, and how they are made again.

    Attributes
    ----------
    name, version
        The name under which they are stored, and the version of what is stored.
    fields
        Names of what is stored.
    taken
        Returns their values for an object.
    make
        Returns an object of values by name.
    """

    name: str
    version: int
    fields: tuple[str, ...]
    taken: Callable[[Any], list[Any]]
    make: Callable[[dict[str, Any]], Any]

    def made(self, version: int, values: dict[str, Any]) -> Any:
        """Return the object of values that some version stored.

        Raises
        ------
        UnreadableError, InputError, ValueError, TypeError
            If they are not what the class has.
        """
        if version > self.version:
            raise UnreadableError("it was saved by a later version of otlab")
        for earlier in range(version, self.version):
            values = MIGRATIONS[self.name, earlier](values)
        return self.make(values)


def stored_name(kind: type) -> str | None:
    """Return the name under which objects of a class are stored; None if they are not."""
    return stored_path_name(f"{kind.__module__}.{kind.__qualname__}")


def stored_path_name(path: str) -> str | None:
    """Return the name under which objects of a class are stored, by its module and own name."""
    return _names().get(path)


@cache
def _names() -> dict[str, str]:
    """Return the name of each class on the list, by its module and own name."""
    names = {"numpy.random._generator.Generator": "numpy.Generator"}
    for module, classes in CLASSES.items():
        parts = module.split(".")
        system = ".".join(parts[: 2 if parts[0] == "ui" else 1])
        for one in classes.split():
            path = f"otlab.{module}.{one}"
            names[path] = RENAMED.get(path, f"{system}.{one.lstrip('_')}")
    return names


@cache
def _paths() -> dict[str, str]:
    return {name: path for path, name in _names().items()}


def stored_type(name: str) -> StoredType:
    """Return what is stored under a name.

    Raises
    ------
    UnreadableError
        If the name is not on the list.
    """
    if name not in _paths():
        raise UnreadableError(f"{name!r} is nothing that a document holds")
    return _type(name)


@cache
def _type(name: str) -> StoredType:
    if name in _OTHERS:
        return _OTHERS[name](name)
    module, _, own = _paths()[name].rpartition(".")
    return _of_fields(name, getattr(importlib.import_module(module), own))


def _of_fields(name: str, kind: type) -> StoredType:
    """Return what is stored of a data class or a named tuple: its fields, as far as it is made of them."""
    if dataclasses.is_dataclass(kind):
        of_class = [field for field in dataclasses.fields(kind) if field.init]
        fields = tuple(field.name for field in of_class)
    else:
        fields = kind._fields  # type: ignore[attr-defined]  # a named tuple
    leaves_out = getattr(kind, "__getstate__", None) is not getattr(object, "__getstate__", None)
    by_state = leaves_out and hasattr(kind, "__dict__") and "__slots__" not in vars(kind)

    def taken(value: Any) -> list[Any]:
        if by_state:  # the class says what of itself is not saved
            state = value.__getstate__()
            return [state[field] for field in fields]
        return [getattr(value, field) for field in fields]

    def make(values: dict[str, Any]) -> Any:
        known = {field: values[field] for field in fields if field in values}
        wrong = misfit(kind, known)
        if wrong:
            raise UnreadableError(wrong)
        return kind(**known)

    return StoredType(name, VERSIONS.get(name, 1), fields, taken, make)


def _generator(name: str) -> StoredType:
    """Return what is stored of a random generator: the whole state of PCG64, and the seed that it is of."""

    def taken(rng: np.random.Generator) -> list[Any]:
        bits: Any = rng.bit_generator
        seed, state = bits.seed_seq, bits.state
        if not isinstance(bits, np.random.PCG64):
            raise TypeError(f"a generator of {type(bits).__name__} is not stored")
        numbers = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]]
        return [*numbers, seed.entropy, tuple(seed.spawn_key), seed.n_children_spawned]

    def make(values: dict[str, Any]) -> np.random.Generator:
        spawned = {"spawn_key": values["spawn_key"], "n_children_spawned": values["spawned"]}
        bits = np.random.PCG64(np.random.SeedSequence(values["entropy"], **spawned))
        pair = {"state": values["state"], "inc": values["inc"]}
        rest = {"has_uint32": values["has_uint32"], "uinteger": values["uinteger"]}
        whole: Any = {"bit_generator": "PCG64", "state": pair, **rest}
        bits.state = whole
        return np.random.Generator(bits)

    fields = ("state", "inc", "has_uint32", "uinteger", "entropy", "spawn_key", "spawned")
    return StoredType(name, 1, fields, taken, make)


def _mg_grammar(name: str) -> StoredType:
    """Return what is stored of a compiled lexicon: the lexicon; forests are made again."""
    from otlab.mg.parsing.grammar import Grammar

    def make(values: dict[str, Any]) -> Grammar:
        return Grammar(values["lexicon"], smc=bool(values["smc"]))

    return StoredType(name, 1, ("lexicon", "smc"), lambda one: [one.lexicon, one.smc], make)


def _parsed_corpus(name: str) -> StoredType:
    """Return what is stored of a parsed corpus: the sentences, which are parsed again."""
    from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus

    def make(values: dict[str, Any]) -> ParsedCorpus:
        return parse_corpus(values["grammar"], values["counts"])

    return StoredType(name, 1, ("grammar", "counts"), lambda one: [one.grammar, one.counts], make)


def _draw_store(name: str) -> StoredType:
    """Return what is stored of a store of draws: the rows that it has used."""
    from otlab.mg.learners.draws import DrawStore

    fields = ("capacity", "items", "block", "full", "sweeps", "rows")
    return StoredType(name, 1, fields, DrawStore.to_parts, lambda values: DrawStore.of_parts(**values))


def _parser(name: str) -> StoredType:
    """Return what is stored of a text ready for parsing: text, grammar, and what is learnt from."""
    from otlab.discovery.parsing.parser import Parser

    def taken(parser: Parser) -> list[Any]:
        return [parser.corpus, parser.grammar, parser.lattice is not None, parser.items, parser.held_out]

    def make(values: dict[str, Any]) -> Parser:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # they were given when the text was opened
            parser = Parser(values["corpus"], values["grammar"], lattice=bool(values["lattice"]))
        learnt, held_out = values["items"], values["held_out"]
        if not np.isin(np.concatenate([learnt, held_out]), parser.items).all():
            raise UnreadableError("utterances that the text does not have")
        parser.items, parser.held_out = learnt, held_out
        return parser

    return StoredType(name, 1, ("corpus", "grammar", "lattice", "items", "held_out"), taken, make)


def _source(name: str) -> StoredType:
    """Return what is stored of a user's file: nothing, since it is on the disk of one session."""
    return StoredType(name, 1, (), lambda source: [], lambda values: None)


_OTHERS: Mapping[str, Callable[[str], StoredType]] = {
    "numpy.Generator": _generator,
    "mg.Grammar": _mg_grammar,
    "mg.ParsedCorpus": _parsed_corpus,
    "mg.DrawStore": _draw_store,
    "discovery.Parser": _parser,
    "ui.components.Source": _source,
}
"""Those that are stored otherwise than as their fields."""
