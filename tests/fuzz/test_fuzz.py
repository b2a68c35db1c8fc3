"""Damaged files: a few seconds of the campaign, and every input that once did harm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fuzz.campaign import campaign, fault_of
from tests.fuzz.readers import FEATURE_TABLE, READERS

BY_NAME = {reader.name: reader for reader in READERS}
CRASHES = sorted((Path(__file__).parent / "crashes").glob("*.bin"))
MEGABYTE = 1_000_000
LARGE = {
    "a table of 500,000 columns": ("tableau", b"Input,Output,Frequency" + b",A" * 488_000),
    "twenty thousand winners and losers": (
        "tableau",
        b"Input,Winner,Loser,A\n" + b"".join(b"x%d,o,p,W\n" % n for n in range(20_000)),
    ),
    "empty lines in a distribution": ("pairs", b"F" + b"\n" * 999_999),
    "a number of a million digits": ("tableau", b"Input,Output,Frequency,A\ni,o," + b"9" * MEGABYTE),
    "a number for a name": ("home page", b"Input," + b"9" * 4900),
    "a number in a TextGrid": (
        "times .TextGrid",
        b'"ooTextFile short"\n"TextGrid"\n' + b"9" * 900_000 + b"x",
    ),
    "a number in an OTGrammar": ("praat", b'"ooTextFile"\n"OTGrammar 2"\n' + b"9" * 900_000 + b"x"),
    "quotes in Prolog": ("prolog", b"[] :: [=" + b"'" * 901 + b",'C']."),
    "a megabyte of Python": ("mgtdb", b"x = [([], [('sel','V')])]\n" * 38_000),
    "a thousand names that are no constraints": ("bias", b"Constraint,Mu,Sigma\n" * 50_000),
    "one segment a hundred thousand times": ("features", FEATURE_TABLE.encode() + b"t\t-\t-\n" * 150_000),
    "a deep list": ("mgtdb", b"(" * 200_000),
    "a deep document": ("link", b"[" * MEGABYTE),
    "a line of a megabyte": ("reading times", b"1,mary," + b"3" * MEGABYTE),
    "a word of a megabyte": ("tagged text", b"a" * MEGABYTE),
    "a phone a word, of a megabyte": ("phones", "# separator: .\nð.ə d".encode() + b" 1" * 499_000),
    "blank lines of a megabyte": ("phones", b"\n" * MEGABYTE),
    "fifty thousand clauses": ("prolog", b"[] :: [='V','C'].\n" * 55_000),
    "fifty thousand symbols": ("grammar", b"".join(b"x%d -> Phon+\n" % n for n in range(55_000))),
    "a thousand rules of undefined symbols": (
        "grammar",
        b"".join(b"x%d -> y%d z%d\n" % (n % 999, n, n) for n in range(40_000)),
    ),
    "a chain of rules": (
        "grammar",
        b"".join(b"x%d -> x%d\n" % (n, n + 1) for n in range(999)) + b"x999 -> Phon+\n",
    ),
    "fifty thousand names that are no constraints": (
        "apriori",
        b"\tAL\nAL\t\n" + b"".join(b"x%d\t\n" % n for n in range(90_000)),
    ),
    "a table of no tableau": ("pasted", b",,,Onset,NoCoda,Max\r\n" + b",,,Ons,NoC,\r\n" * 70_000 + b"xx"),
    "blanks in a formula": ("formula", b"*a" + b"\t" * 900_000),
    "a formula of words": ("formula", b"/a" + b" or b" * 180_000),
    "operations without commas": ("operations", b"change:voice/nasaldelete,insert:a," * 29_000),
    "fifty thousand keys": ("sweep", b"".join(b"x%d = 5\n" % n for n in range(80_000))),
    "a phone of a megabyte": ("phones", "ə".encode() * (MEGABYTE // 2)),
}
"""Inputs too large for a file beside this test: reader and bytes."""


def no_fault(reader, data):
    fault = fault_of(BY_NAME[reader], data)[0]
    for _ in range(2):  # processes beside this one may have slowed it
        if fault is not None and fault.key == "slow":
            fault = fault_of(BY_NAME[reader], data)[0]
    assert fault is None, f"{fault.key}\n{fault.report}"


@pytest.mark.parametrize("reader", BY_NAME)
def test_every_reader_reads_one_of_its_samples(reader):
    assert any(fault_of(BY_NAME[reader], sample)[1] for sample in BY_NAME[reader].samples())


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.stem)
def test_what_once_crashed_is_refused(path):
    no_fault(re.sub("_", " ", path.stem.partition("__")[0]), path.read_bytes())


@pytest.mark.parametrize("name", LARGE)
def test_what_once_took_for_ever_is_refused_soon(name):
    no_fault(*LARGE[name])


@pytest.mark.parametrize("reader", BY_NAME)
def test_damaged_files_are_refused(reader):
    """The short form: the same inputs on every machine."""
    outcome = campaign(BY_NAME[reader], 25, seed=1)
    assert not outcome.faults, next(iter(outcome.faults.values()))[1].report
    assert outcome.inputs == 25


@pytest.mark.slow
@pytest.mark.parametrize("reader", BY_NAME)
def test_many_damaged_files_are_refused(reader):
    outcome = campaign(BY_NAME[reader], 1000, seed=2)
    assert not outcome.faults, next(iter(outcome.faults.values()))[1].report


def test_an_input_depends_on_its_number_alone():
    """A campaign can be run in parts, on any machine."""
    from tests.fuzz.readers import Reader

    def inputs(first, number):
        seen = []
        campaign(Reader("list", seen.append, lambda: [b"a b c\n"]), number, 3, first=first)
        return seen[1:]  # the first is the sample

    assert inputs(0, 40) == inputs(0, 15) + inputs(15, 25)


def test_a_reader_that_raises_something_else_is_reported():
    """The campaign itself finds what it looks for."""
    from tests.fuzz.readers import Reader

    broken = Reader("broken", lambda data: data.decode("ascii"), lambda: [b"abc"])
    outcome = campaign(broken, 300, seed=1)
    assert [key.split()[0] for key in outcome.faults] == ["UnicodeDecodeError"]
    hog = Reader("hog", lambda data: bytearray(300_000_000), lambda: [b"abc"])
    assert fault_of(hog, b"")[0].key == "memory"
