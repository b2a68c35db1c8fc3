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


SAFE = b"cotlab.ui.documents.safe_pickle\n"
LABEL = b"\x8c\x04ruin"
LARGE = b"(J\xff\xff\xff\x7fJ\xff\xff\xff\x7ft"
FORMAT_1 = {
    "a function": pickle.dumps(print),
    "a call": pickle.dumps(Calls(os.mkdir, "ruin")),
    "a call of eval": pickle.dumps(Calls(eval, "open('ruin', 'w')")),
    "a path": pickle.dumps(Path("ruin")),
    "a state": pickle.dumps(Builds()),
    "a call of a class of otlab's": b"cotlab.ot.tableau\nTableau\n(\x8c\x01atR.",
    "a class that is no data": b"cotlab.ui.documents.store\nDocumentStore\n(" + LABEL + b"tR.",
    "a new object": b"cpathlib\nPath\n" + LABEL + b"\x85\x81.",
    "INST": b"(Vruin\nios\nmkdir\n.",
    "OBJ": b"(cos\nmkdir\n" + LABEL + b"o.",
    "an attribute of a module": b"\x8c\x08otlab.ot\x8c\x0ctableau.open\x93.",
    "a persistent object": b"Pruin\n.",
    "an extension": b"\x82\x01.",
    "a method": SAFE + b"_Method\n(cotlab.inference.posterior\nPosterior\nVpooled\ntR(Vx\ntR.",
    "what makes objects, of another class": SAFE + b"_made\n(cbuiltins\nobject\n}tR.",
    "what makes objects, of no class": SAFE + b"_made\n(" + LABEL + b"}tR.",
    "what is kept elsewhere": SAFE + b"_elsewhere\n(Vruin\ntR.",
    "an array of objects": pickle.dumps(np.array([print, None]), protocol=5),
    "a huge array": b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n" + LARGE + b"C\x01btR.",
    "the constructor of arrays": b"cnumpy\nndarray\n((J\xff\xff\xff\x7fttR.",
    "a structured type": b"cnumpy\ndtype\n(\x8c\x05f8,O8\x89\x88tR.",
    "a huge number of items": b"\x96" + struct.pack("<Q", 2**62) + b"x.",
    "a set as a function": b"cbuiltins\nset\n(Vx\ntb.",
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


def test_keys_that_take_for_ever_to_look_at_are_refused():
    key = ()
    for _ in range(60):
        key = (key, key)
    file = io.BytesIO()
    pickler = pickle._Pickler(file, protocol=5)
    pickler.save(key)
    data = b"\x80\x05}" + file.getvalue() + b"K\x01s."
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
