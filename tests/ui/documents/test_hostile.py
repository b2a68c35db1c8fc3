"""Documents made to do harm: nothing in them makes an object, calls a function, or takes for ever."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import struct
import zipfile
from collections import Counter
from pathlib import Path

import msgpack
import numpy as np
import pytest

from otlab import ot
from otlab.errors import InputError
from otlab.inference import run
from otlab.ui.documents import archive, encoding
from otlab.ui.documents.archive import read_archive, write_archive
from otlab.ui.documents.encoding import MAGIC, UNREADABLE, UnreadableError, dumps, loads, loads_readable
from otlab.ui.documents.store import Saved, Summary
from tests.ui.documents.helpers import CASES, paged
from tests.ui.documents.make_fixtures import shown

FIXTURE = Path(__file__).parent / "fixtures" / "format_1" / "ot_edited_since.otlab"
HUGE = 2**40


def packed(classes=(), arrays=(), value=None, buffers=b""):
    """Return bytes of format 2 with this head."""
    head = msgpack.packb([classes, arrays, value])
    return MAGIC + len(head).to_bytes(8, "little") + head + buffers


def nested(depth):
    value = None
    for _ in range(depth):
        value = [-1, value]
    return value


def doubled(times):
    """Return a value each part of which names the one before twice: 2 to the power of `times` in all."""
    value = [-1, [-1, "a"]]
    for number in range(times):
        value.append([-1, [-10, number], [-10, number]])
    return value


TABLEAU = [["ot.Tableau", 1, ["inputs", "candidates", "offsets"]]]
FORMAT_2 = {
    "a class of Python's": packed([["builtins.print", 1, ["a"]]], [], [0, "x"]),
    "a path": packed([["pathlib.Path", 1, ["a"]]], [], [0, "/tmp/x"]),
    "a class of otlab's that is no data": packed(
        [["ui.documents.store.DocumentStore", 1, ["path"]]], [], [0, "/tmp/x"]
    ),
    "a module": packed([["otlab.cli.main", 1, []]], [], [0]),
    "a class that is not there": packed([], [], [3, "x"]),
    "other types of fields": packed([["ot.Stage", 1, ["trials"]]], [], [0, "x"]),
    "missing fields": packed(TABLEAU, [], [0, [-1], [-1]]),
    "more values than fields": packed(TABLEAU, [], [0, [-1], [-1], None, 3, 4]),
    "a table that does not fit": packed(
        [["ot.Tableau", 1, ["inputs", "candidates", "offsets", "constraints", "violations", "frequencies"]]],
        [],
        [0, [-1, "a"], [-1, "b"], [-2, 0, 99], [-1, "C"], [-2, [-2, 1]], [-2, 1.0]],
    ),
    "deep": packed(value=nested(300)),
    "deeper than the reader": MAGIC
    + (3_000_003).to_bytes(8, "little")
    + b"\x93\x90\x90"
    + b"\x91" * 3_000_000,
    "doubled": packed(value=doubled(60)),
    "doubled as a key": packed(value=[-3, doubled(60), 1]),
    "itself": packed(value=[-1, [-10, 0]]),
    "a later part": packed(value=[-1, [-10, 5]]),
    "a negative part": packed(value=[-1, [-1], [-10, -1]]),
    "no tag": packed(value=[[], 1]),
    "an unknown tag": packed(value=[-99, 1]),
    "a map": packed(value={"a": 1}),
    "an extension": packed(value=msgpack.ExtType(5, b"x")),
    "a list as a key": packed(value=[-3, [-2], 1]),
    "half a pair": packed(value=[-3, 1]),
    "objects": packed([], [["|O", [1], [0], True]], [-8, 0], b"\0" * 8),
    "a record": packed([], [["<i4,<f8", [1], [0], True]], [-8, 0], b"\0" * 16),
    "a huge shape": packed([], [["<f8", [HUGE, HUGE], [0, 1], True]], [-8, 0], b"\0" * 8),
    "a shape that overflows": packed([], [["<f8", [2**62, 4], [0, 1], True]], [-8, 0], b"\0" * 8),
    "a negative shape": packed([], [["<f8", [-1], [0], True]], [-8, 0], b"\0" * 8),
    "no whole shape": packed([], [["<f8", [1.5], [0], True]], [-8, 0], b"\0" * 8),
    "many dimensions": packed([], [["<f8", [1] * 40, list(range(40)), True]], [-8, 0], b"\0" * 8),
    "other axes": packed([], [["<f8", [1], [3], True]], [-8, 0], b"\0" * 8),
    "an array cut off": packed([], [["<f8", [4], [0], True]], [-8, 0], b"\0" * 8),
    "an array that is not there": packed(value=[-8, 7]),
    "a number of another type": packed(value=[-9, "|O", 1]),
    "a number that is none": packed(value=[-9, "<f8", "x"]),
    "a long number": packed(value=[-12, "9" * 5000]),
    "a head longer than the file": MAGIC + (2**60).to_bytes(8, "little") + b"\x90",
    "a huge list": MAGIC + (6).to_bytes(8, "little") + b"\xdd" + struct.pack(">I", 2**32 - 1) + b"\xc0",
    "what is kept elsewhere": packed(value=[-11, "/etc/passwd"]),
    "nothing": MAGIC,
    "a state of a generator": packed([["numpy.Generator", 1, ["state", "inc"]]], [], [0, "x", 1]),
    "draws that do not fit": packed(
        [["mg.DrawStore", 1, ["capacity", "items", "block", "full", "sweeps", "rows"]]],
        [],
        [0, HUGE, HUGE, 1, 0, 0, None],
    ),
}


class Calls:
    """Pickled, it is the call of a function."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


class Builds:
    """Pickled, it is an object that is given a state."""

    def __reduce__(self):
        return np.ndarray, ((0,),), {"x": 1}


def text(word):
    """Return the operation that puts a word on the stack."""
    return b"\x8c" + bytes([len(word)]) + word.encode()


def named(module, name):
    """Return the operations that put on the stack what a name stands for."""
    return text(module) + text(name) + b"\x93"


def array_of(shape, dtype, data):
    """Return the operations that make an array, and give it this state."""
    return EMPTY + b"(K\x01" + shape + dtype + b"\x89" + data + b"tb."


SAFE = "otlab.ui.documents.safe_pickle"
MADE, TABLE = named(SAFE, "_made") + b"(", named("otlab.ot.tableau", "Tableau")
NDARRAY, FLOAT = named("numpy", "ndarray"), named("numpy", "dtype") + text("f8") + b"\x85R"
RECONSTRUCT = named("numpy._core.multiarray", "_reconstruct") + b"("
EMPTY = RECONSTRUCT + NDARRAY + b"K\x00\x85C\x01btR"
LABEL, EIGHT = text("ruin"), b"C\x08" + b"x" * 8
LARGE = b"(J\xff\xff\xff\x7fJ\xff\xff\xff\x7ft"
NO_CALL, NO_CLASS, NO_BYTES = (
    "a call of something",
    "an object of an unknown class",
    "something else than bytes",
)
SAID = {
    "a function": (pickle.dumps(print), "builtins.print is no data"),
    "a call": (pickle.dumps(Calls(os.mkdir, "ruin")), "mkdir is no data"),
    "a call of eval": (pickle.dumps(Calls(eval, "open('ruin', 'w')")), "builtins.eval is no data"),
    "a state": (pickle.dumps(Builds()), NO_CALL),
    "a call of a class of otlab's": (TABLE + b"(" + text("a") + b"tR.", NO_CALL),
    "a class that is no data": (named("otlab.ui.documents.store", "DocumentStore") + b".", "is no data"),
    "an attribute of a module": (named("otlab.ot", "tableau.open") + b".", "tableau.open is no data"),
    "a new object of no class": (LABEL + LABEL + b"\x85\x81.", NO_CLASS),
    "a new object with other fields": (TABLE + LABEL + b"\x85\x81.", "has other fields"),
    "an object of another class": (MADE + NDARRAY + b"}tR.", NO_CLASS),
    "an object of no class": (MADE + LABEL + b"}tR.", NO_CLASS),
    "an object without fields": (MADE + TABLE + b"}tR.", "ot.Tableau"),
    "an object of one": (MADE + TABLE + b"}" + text("inputs") + MADE + TABLE + b"}tRstR.", "ot.Tableau"),
    "what is kept elsewhere": (named(SAFE, "_elsewhere") + LABEL + b"\x85R.", "ruin is not here"),
    "an array of objects": (pickle.dumps(np.array([print, None]), protocol=5), "type 'O8'"),
    "a huge array": (RECONSTRUCT + NDARRAY + LARGE + b"C\x01btR.", "an array of another kind"),
    "an array of a text": (
        named("numpy._core.numeric", "_frombuffer") + b"(" + LABEL + FLOAT + b"K\x01" + text("C") + b"tR.",
        NO_BYTES,
    ),
    "a huge array of few bytes": (array_of(LARGE, FLOAT, EIGHT), "an array of an impossible shape"),
    "an array that holds a text": (array_of(b"K\x01\x85", FLOAT, LABEL), NO_BYTES),
    "an array of no type": (array_of(b"K\x01\x85", LABEL, EIGHT), NO_BYTES),
    "the constructor of arrays": (NDARRAY + b"(" + LARGE + b"tR.", NO_CALL),
    "a structured type": (named("numpy", "dtype") + b"(" + text("f8,O8") + b"\x89\x88tR.", "type 'f8,O8'"),
    "a number of no type": (
        named("numpy._core.multiarray", "scalar") + b"(" + LABEL + EIGHT + b"tR.",
        "a number of an unknown type",
    ),
    "other bits": (
        named("numpy.random._pickle", "__bit_generator_ctor") + NDARRAY + b"\x85R.",
        "another bit",
    ),
    "another seed": (
        named("numpy.random.bit_generator", "__pyx_unpickle_SeedSequence") + NDARRAY + b"\x85R.",
        "another seed",
    ),
    "a generator of a text": (
        named("numpy.random._pickle", "__generator_ctor") + LABEL + b"\x85R.",
        "a generator without its bits",
    ),
    "a state of a function": (named("builtins", "set") + b"(" + LABEL + b"tb.", "a state of something else"),
}
"""Pickles, and a part of what is said of each: so that it is refused for what it is."""
FORMAT_1 = {
    **{name: data for name, (data, _) in SAID.items()},
    "a path": pickle.dumps(Path("ruin")),
    "GLOBAL": b"cpathlib\nPath\n" + LABEL + b"\x85\x81.",
    "INST": b"(Vruin\nios\nmkdir\n.",
    "OBJ": b"(cos\nmkdir\n" + LABEL + b"o.",
    "a persistent object": b"Pruin\n.",
    "an extension": b"\x82\x01.",
    "a huge number of items": b"\x96" + struct.pack("<Q", 2**62) + b"x.",
    "cut off": pickle.dumps([1, 2, 3])[:-2],
    "no pickle": b"no pickle",
    "nothing": b"",
    "deep": b"(" * 100_000 + b"t" * 100_000 + b".",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder in which nothing may be made."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "ruin").exists()


@pytest.mark.parametrize(
    "data", [*FORMAT_2.values(), *FORMAT_1.values()], ids=[*FORMAT_2, *(f"1: {n}" for n in FORMAT_1)]
)
def test_a_hostile_part_is_refused(data, folder):
    if data == FORMAT_1["deep"]:
        assert loads(data) is not None, "tuples in tuples alone are no harm"
        return
    with pytest.raises(UnreadableError):
        loads(data)
    with contextlib.suppress(UnreadableError):
        assert loads_readable(data) is UNREADABLE


@pytest.mark.parametrize("name", SAID)
def test_a_hostile_pickle_is_refused_for_what_it_is(name, folder):
    data, words = SAID[name]
    with pytest.raises(UnreadableError) as refused:
        loads(data)
    assert words in str(refused.value)


def test_sets_of_format_1_are_read():
    value = {"a": {1, 2}, "b": frozenset({("x", 3)}), "c": set()}
    assert loads(pickle.dumps(value, protocol=5)) == value


@pytest.mark.parametrize(("empty", "add"), [(b"}", b"K\x01s."), (b"\x8f(", b"\x90."), (b"(", b"\x91.")])
def test_keys_that_take_for_ever_to_look_at_are_refused(empty, add):
    key = ()
    for _ in range(60):
        key = (key, key)
    file = io.BytesIO()
    pickler = pickle._Pickler(file, protocol=5)
    pickler.save(key)
    data = b"\x80\x05" + empty + file.getvalue() + add
    with pytest.raises(UnreadableError, match="too many parts"):
        loads(data)


def test_a_damaged_part_is_refused_or_is_another_value():
    """Bytes changed one after the other: no error but the one that callers know."""
    data = bytearray(dumps(run(ot.MaxEnt(ot.read("ilokano")), sweeps=3, seed=1).record()))
    outcomes = Counter()
    for at in range(0, min(len(data), 900)):
        for value in (0, 0x93, 0xFF):
            changed = bytes(data[:at]) + bytes([value]) + bytes(data[at + 1 :])
            try:
                loads(changed)
                outcomes["read"] += 1
            except UnreadableError:
                outcomes["refused"] += 1
    assert outcomes["refused"] > outcomes["read"] / 10


def file_with(**parts):
    """Return a document of the OT lab in which these parts are others."""
    saved = read_archive(FIXTURE.read_bytes())
    more = {name.replace("_", " "): data for name, data in parts.items()}
    return write_archive(Saved(saved.summary, saved.values, {**saved.parts, **more}))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a class of Python's", "deep", "a huge shape", "doubled"])
def test_the_rest_of_a_document_with_a_hostile_part_opens(kind, folder):
    bad = FORMAT_2[kind]
    lab = paged(CASES["ot"])
    lab.open_file("mine.otlab", file_with(undo=bad, tabs=bad, run_gla=bad))
    messages = [message["toast"] for message in lab.sent if "left out" in message.get("toast", "")]
    assert len(messages) == 1
    found = shown(lab)
    assert set(found["runs"]) == {"maxent"}
    assert not found["undo"]
    assert lab.tableau.constraints == ("Max", "Dep", "Ident")


@pytest.mark.parametrize("limit", ["_MOST_BYTES", "_SMALL"])
def test_a_file_that_unpacks_to_very_much_is_refused_before_it_is_unpacked(monkeypatch, limit):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", "{}")
        with file.open("values.json", "w") as part:
            for _ in range(40):
                part.write(b"\0" * 1_000_000)
    monkeypatch.setattr(archive, limit, 30_000_000)
    with pytest.raises(InputError, match="holds 40 MB; it was not made by otlab"):
        read_archive(stream.getvalue())


def test_a_file_that_says_it_is_small_and_is_not_is_refused():
    """The sizes in a ZIP's list of contents are what its maker wrote there."""
    document = Saved(Summary("", "ot_lab"), {"a": "b" * 100_000}, {})
    data = bytearray(write_archive(document))
    true, wrong = struct.pack("<I", 100_009), struct.pack("<I", 9)
    assert data.count(true) == 2
    with pytest.raises(InputError, match="damaged"):
        read_archive(bytes(data).replace(true, wrong))


def test_arrays_take_no_memory_before_their_size_is_known(monkeypatch):
    monkeypatch.setattr(encoding, "MOST_BYTES", 100)
    with pytest.raises(UnreadableError, match="too large"):
        loads(dumps(np.zeros(100)))
