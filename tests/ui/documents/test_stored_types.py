"""What a document may hold: every learner's runs, and all classes of the list."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

from otlab import ot
from otlab.discovery.parsing.parser import Parser
from otlab.discovery.presets import preset
from otlab.discovery.toy import ToyLanguage, generate
from otlab.inference import run
from otlab.mg.spellout import SpellOut
from otlab.ui.documents.encoding import NotStoredError, UnreadableError, dumps, loads
from otlab.ui.documents.stored_classes import CLASSES
from otlab.ui.documents.stored_types import stored_name, stored_type
from tests.test_every_learner import every_learner, numbers


@every_learner
def test_a_run_and_its_ticks_are_stored(case):
    """The same values come back, so that the run goes on as if it had never been stopped."""
    half = run(case.make(), sweeps=case.steps, seed=11, chains=2)
    tick = half.advance(case.steps // 2)
    record = loads(dumps(half.record()))
    assert [rng.bit_generator.state for rng, *_ in record.chains] == [
        rng.bit_generator.state for rng, *_ in half.record().chains
    ]
    assert numbers(loads(dumps(tick)).views) == numbers(tick.views)
    again = record.run()
    assert again.sweep == case.steps // 2
    assert numbers(again.advance(2).views) == numbers(half.advance(2).views)


def test_a_spell_out_is_stored():
    spell_out = SpellOut({("see", "-s"): ("sees",), ("a",): ("b", "c")})
    assert loads(dumps(spell_out)) == spell_out


def test_every_class_of_the_list_is_there_under_a_name_of_its_own():
    names = set()
    for module, classes in CLASSES.items():
        for own in classes.split():
            kind = getattr(importlib.import_module(f"otlab.{module}"), own)
            assert kind.__module__ == f"otlab.{module}"
            name = stored_name(kind)
            assert stored_type(name).name == name
            names.add(name)
    assert len(names) == sum(len(classes.split()) for classes in CLASSES.values())


def test_arrays_keep_type_layout_and_whether_they_can_be_written_to():
    grid = np.arange(24.0).reshape(2, 3, 4)
    frozen = np.arange(3, dtype=np.int16)
    frozen.flags.writeable = False
    arrays = {
        "C": grid,
        "Fortran": np.asfortranarray(grid),
        "turned": grid.transpose(1, 0, 2),
        "a part": grid[:, 1:, ::2],
        "frozen": frozen,
        "empty": np.empty((0, 3), np.float32),
        "one number": np.array(2.5),
        "booleans": np.array([True, False]),
    }
    again = loads(dumps(arrays))
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert again[name].tolist() == array.tolist()
        assert again[name].shape == array.shape
        assert again[name].flags.writeable == array.flags.writeable
        if name not in ("a part", "empty"):
            assert again[name].strides == array.strides


def test_plain_values_come_back_as_they_were():
    tableau = ot.read("ilokano")
    rng = np.random.default_rng(1)
    rng.random(3)
    children = np.random.default_rng(np.random.SeedSequence(5).spawn(2)[1])
    value = {
        "mixed": [1, -1.5, None, True, "ɲ", b"\0", 2**64 - 1, -(2**63), 3**90, float("inf"), (), [], {}],
        ("a", 1): {frozenset("ab"), "c"},
        "numbers": (np.float64(0.1), np.int16(-3), np.True_),
        "rng": rng,
        "child": children,
    }
    again = loads(dumps(value))
    for of in (value, again):
        of["drawn"] = [
            of.pop("rng").random(2).tolist(),
            of["child"].spawn(1)[0].random(),
            of.pop("child").random(),
        ]
    assert again == value
    assert [type(one) for one in again["numbers"]] == [type(one) for one in value["numbers"]]
    one, other = loads(dumps((tableau, [tableau])))
    assert one == tableau
    assert other[0] is one, "what occurs twice is written once"


def test_what_is_kept_elsewhere_is_written_as_a_name():
    tableau = ot.read("ilokano")
    data = dumps([tableau, {"again": tableau}], {"the table": tableau})
    assert len(data) < 100
    other = ot.read("ilokano")
    one, again = loads(data, {"the table": other})
    assert one is again["again"] is other
    with pytest.raises(UnreadableError, match="the table is not here"):
        loads(data)


def test_what_is_not_on_the_list_is_not_stored():
    deep = ()
    for _ in range(200):
        deep = (deep,)
    for value in (print, object(), ot.Tableau, np.array([None]), np.array(["a"]), lambda: 1, deep):
        with pytest.raises(NotStoredError):
            dumps({"a": value})


def test_only_the_generator_that_otlab_makes_is_stored():
    with pytest.raises(TypeError, match="a generator of MT19937 is not stored"):
        dumps(np.random.Generator(np.random.MT19937(1)))


def test_a_parser_of_utterances_that_its_text_does_not_have_is_refused():
    corpus = generate(ToyLanguage(words=3, utterances=4))
    parser = Parser(corpus, preset("word"))
    assert loads(dumps(parser)).items.tolist() == parser.items.tolist()
    parser.held_out = np.append(parser.held_out, [99])
    with pytest.raises(UnreadableError, match="utterances that the text does not have"):
        loads(dumps(parser))


NOT_STORED = {
    "ParsedCorpus": {"Packed"},  # parsed again
    "FitState": {"Expectation"},
}
"""Classes of fields that are made again."""


def named_in(kind):
    """Return the classes of otlab that the fields of a class name, as its module imports them."""
    tree = ast.parse(Path(inspect.getsourcefile(kind)).read_text())
    imports = {
        name.asname or name.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    }
    declared = {}
    for each in kind.__mro__:
        if each.__module__ == kind.__module__:
            declared |= vars(each).get("__annotations__", {})
    for text in declared.values():
        text = text if isinstance(text, str) else getattr(text, "__forward_arg__", "None")
        if text.startswith("ClassVar"):
            continue
        for name in re.findall(r"\b[A-Za-z_]\w*\b", text):
            module = imports.get(name, kind.__module__)
            if module.startswith("otlab"):
                found = getattr(importlib.import_module(module), name, None)
                if isinstance(found, type) and found.__module__.startswith("otlab"):
                    yield found


def is_data(kind):
    return is_dataclass(kind) or hasattr(kind, "_fields")


@pytest.mark.slow
def test_the_classes_of_all_fields_are_on_the_list():
    missing = set()
    for module, classes in CLASSES.items():
        for own in classes.split():
            kind = getattr(importlib.import_module(f"otlab.{module}"), own)
            for named in named_in(kind) if is_data(kind) else ():
                abstract = inspect.isabstract(named) or named.__name__ in NOT_STORED.get(own, ())
                if is_data(named) and not abstract and stored_name(named) is None:
                    missing.add(f"{module}.{own}: {named.__module__}.{named.__name__}")
    assert not missing


def test_all_that_a_stored_class_declares_is_stored():
    """But what the class leaves out itself, and what it computes."""
    for module, classes in CLASSES.items():
        for own in classes.split():
            kind = getattr(importlib.import_module(f"otlab.{module}"), own)
            stored = stored_type(stored_name(kind)).fields
            if is_dataclass(kind):
                made_of = [field.name for field in fields(kind) if field.init]
                assert len(stored) == 2 or list(stored) == made_of
