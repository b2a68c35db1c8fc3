"""Writing a specification: read back, it asks for the runs that were written."""

from __future__ import annotations

import io
import math
import stat
import tomllib
import zipfile
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab import __version__
from otlab.inference.random import run_seed
from otlab.samples import load_sample
from otlab.sweep import parse_plan
from otlab.sweep.systems import SYSTEMS, parameters
from otlab.sweep.write import Part, sweep_text, zipped

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(), TEXTS)


def same(one, other):
    """Whether two values are equal and of one type; NaN is the same as NaN."""
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    return type(one) is type(other) and one == other


@pytest.mark.slow
@given(st.dictionaries(TEXTS, st.one_of(VALUES, st.lists(VALUES))), TEXTS, st.lists(TEXTS))
def test_any_names_and_values_are_read_back_as_they_were(settings, data, remarks):
    part = Part(["em", "vb"], data, seed=3, settings=settings, remarks=tuple(remarks))
    read = tomllib.loads(sweep_text("tagging", [part, Part("em", "x\ny", seed=4)], remarks))
    first, second = read["sweep"]
    assert (read["system"], read["seeds"]) == ("tagging", 1)
    assert (first["learner"], first["data"], first["seed"]) == (["em", "vb"], data, 3)
    assert (second["data"], second["seed"]) == ("x\ny", 4)
    own = first.get("settings", {})
    assert own.keys() == settings.keys()
    assert all(same(value, own[name]) for name, value in settings.items())


@pytest.mark.parametrize("path", [PurePosixPath("a b/c.csv"), PureWindowsPath(r"a b\c.csv")])
def test_paths_have_slashes(path):
    assert tomllib.loads(sweep_text("ot", [Part("gla", str(path.as_posix()), 1, settings={"prior": path})]))[
        "sweep"
    ][0]["settings"] == {"prior": "a b/c.csv"}


def test_the_plan_has_the_runs_in_their_order(tmp_path):
    (tmp_path / 'my "words".txt').write_text("the dog barks\nthe cat sleeps\n", encoding="utf-8")
    parts = [
        Part("vb", ['my "words".txt', "ewt_sample"], 5, 2, {"states": [2, 3], "lowercase": True}),
        Part(["em", "vb"], "ewt_sample", 6, 1, {"jitter": 0.25, "init": "jitter", "dictionary": None}),
        Part("em", "ewt_sample", 2**40, 3),
    ]
    plan = parse_plan(sweep_text("tagging", parts), folder=tmp_path)
    runs = [(r.learner, r.data, r.seed, r.values["states"], r.values["jitter"]) for r in plan.runs]
    usual = parameters("tagging", "em")
    states, jitter = usual["states"].default, usual["jitter"].default
    assert runs == [
        *(
            ("vb", data, run_seed(5, k), size, jitter)
            for data in ('my "words".txt', "ewt_sample")
            for size in (2, 3)
            for k in range(2)
        ),
        ("em", "ewt_sample", 6, states, 0.25),
        ("vb", "ewt_sample", 6, states, 0.25),
        *(("em", "ewt_sample", run_seed(2**40, k), states, jitter) for k in range(3)),
    ]
    assert [r.values["lowercase"] for r in plan.runs] == [True] * 8 + [False] * 5


def test_what_all_tables_share_is_written_once_below_how_to_run_it():
    text = sweep_text("ot", [Part("gla", "ilokano", 7, 3), Part("gibbs", "ilokano", 7)], ["Of a class."])
    head = f"# Run it: otlab sweep sweep.toml\n# Written by otlab {__version__}.\n# Of a class.\n\n"
    assert text.startswith(f'{head}system = "ot"\nseed = 7\ndata = "ilokano"\n')
    assert [line for line in text.splitlines() if line.startswith("seeds")] == ["seeds = 3", "seeds = 1"]


def test_none_is_the_default_of_every_setting_that_may_be_none():
    for system in SYSTEMS:
        for learner in SYSTEMS[system].learners:
            for name, parameter in parameters(system, learner).items():
                none = getattr(parameter, "allow_None", False) and parameter.default is not None
                assert not none, f"{system} {learner} {name}: None cannot be written"


def test_files_are_packed_to_the_same_bytes_and_can_be_read_where_they_are_unpacked():
    files = {"sweep.toml": b"a", "ilokano_table.csv": load_sample("ilokano").name.encode() * 1000}
    assert zipped(files) == zipped(files)
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert all(stat.S_IMODE(each.external_attr >> 16) == 0o644 for each in archive.infolist())


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 0.1, True, [1.5, math.inf], 'a "b"\x7f\n'])
def test_every_kind_of_value_is_read_back(value):
    text = sweep_text("ot", [Part("gla", "ilokano", 1, settings={"prior": value})])
    assert same(value, tomllib.loads(text)["sweep"][0]["settings"]["prior"])
