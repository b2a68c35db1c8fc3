"""The runs that a specification in TOML asks for.

::

    seed = 2005                     the root; seeds = 3 stands for run_seed(2005, 0), (2005, 1), (2005, 2)
    seeds = 3                       or the seeds themselves: [1, 2, 3]
    system = "tagging"
    learner = ["em", "vb"]
    data = "ewt"                    a sample, or a path from the specification's folder

    [settings]                      lists are crossed
    states = [10, 20]
    emission_prior = [0.1, 0.0001]  only VB has it: EM is run once

Several ``[[sweep]]`` tables, each with keys of its own and ``[sweep.settings]``, are crossed one by one;
keys that a table does not have are taken from the top of the file.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import param

from otlab.errors import MOST_FAULTS, Fault, InputError, counted, did_you_mean
from otlab.files import file_text
from otlab.inference.random import fresh_seed, run_seed
from otlab.inference.registry import allowed_values
from otlab.samples import find_sample
from otlab.sweep.spec import RunSpec, content_hash, numbers_version
from otlab.sweep.systems import SYSTEMS, parameters

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

__all__ = ["Plan", "parse_plan", "read_plan"]

MOST_SEEDS = 10_000
MOST_RUNS = 1_000_000
_TOO_MUCH = "brackets are nested too deeply, or a number has too many digits"
_KEYS = ("seed", "seeds", "system", "learner", "data", "settings")


@dataclass(frozen=True, repr=False)
class Plan:
    """The runs of a sweep and their data.

    Attributes
    ----------
    runs
        All runs in the order of the specification, each once.
    data
        What the runs learn from, by the key that :meth:`data_of` returns for a run.
    seed
        The root seed; None if the specification lists the seeds themselves.
    """

    runs: tuple[RunSpec, ...]
    data: Mapping[Hashable, Any]
    seed: int | None

    def __repr__(self) -> str:
        return f"<Plan of {counted(len(self.runs), 'run')} on {counted(len(self.data), 'set')} of data>"

    @staticmethod
    def data_of(spec: RunSpec) -> Hashable:
        """Return the key of a run's data: their content and the settings with which they are read."""
        names = SYSTEMS[spec.system].reading.param
        settings = tuple((name, value) for name, value in spec.settings if name in names)
        return (spec.system, spec.content, settings, tuple(f for f in spec.files if f[0] in names))


def read_plan(path: str | Path, seed: int | None = None) -> Plan:
    """Return the plan of a specification file.

    Parameters
    ----------
    path
        A file in TOML; the module describes it.
    seed
        Root seed, instead of the file's.

    Raises
    ------
    InputError
        With every fault of the file and of the data that it names.
    """
    path = Path(path)
    return parse_plan(file_text(path), path.name, path.parent, seed)


def parse_plan(
    text: str,
    name: str = "sweep",
    folder: Path = Path(),
    seed: int | None = None,
    data: Mapping[str, tuple[str, Any]] | None = None,
) -> Plan:
    """Return the plan of a specification as text; see :func:`read_plan`.

    Parameters
    ----------
    text, name
        The specification, and its name in messages.
    folder
        The folder that relative paths begin at.
    seed
        Root seed, instead of the text's.
    data
        Data that are not in a file: name in the specification -> (digest of the content, the data as the
        system's ``read`` returns them).
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of tomllib, or of an integer of thousands of digits
        where = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(where[1]), int(where[2])) if where else (len(text.splitlines()), None)
        what = str(error).split(" (at ")[0] if isinstance(error, tomllib.TOMLDecodeError) else _TOO_MUCH
        raise InputError(
            Fault(f"this is not TOML: {what}", "see the guide 'Run a sweep'", name, line, column)
        ) from None
    return _Reader(text, name, folder, data or {}).plan(values, seed)


@dataclass
class _Crossing:
    """One ``[[sweep]]`` table, completed from the top of the file."""

    number: int
    system: str = ""
    learners: list[str] = field(default_factory=list)
    data: list[tuple[str, Path, str]] = field(default_factory=list)
    settings: dict[str, list[Any]] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)

    @property
    def most_runs(self) -> int:
        """The number of runs if each learner had all settings."""
        sizes = (len(values) for values in self.settings.values() if values)
        return prod(sizes) * len(self.seeds) * len(self.data) * len(self.learners)


class _Reader:
    """Checks a specification, collects all its faults, and makes the plan."""

    def __init__(self, text: str, name: str, folder: Path, given: Mapping[str, tuple[str, Any]]) -> None:
        self.name, self.folder, self.given = name, folder, given
        self.faults: dict[Fault, None] = {}
        self.lines = dict(_lines_of_keys(text))
        self.root: int | None = None

    def plan(self, values: dict[str, Any], seed: int | None) -> Plan:
        """Return the plan; raise InputError with all faults."""
        tables = values.pop("sweep", [])
        self._known_keys(values, 0)
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._fault("sweep", 0, "'sweep' is not a list of tables", "write [[sweep]] above each")
            tables = []
        crossings = [self._crossing(values, table, k, seed) for k, table in enumerate(tables, 1)]
        crossings = crossings or [self._crossing(values, {}, 0, seed)]
        most = sum(crossing.most_runs for crossing in crossings)
        if most > MOST_RUNS:
            self._fault("settings", 0, f"{most:,} runs", f"write at most {MOST_RUNS:,}, in several files")
            raise InputError(self.faults)
        specs = [spec for crossing in crossings for spec in self._specs(crossing)]
        runs = tuple({spec.hash: spec for spec in specs}.values())
        data = self._data(runs)
        if self.faults:
            raise InputError(self.faults)
        return Plan(runs, data, self.root)

    def _fault(self, key: str, number: int, what: str, hint: str) -> None:
        line = self.lines.get((number, key)) or self.lines.get((0, key)) or self.lines.get((number, ""))
        fault = Fault(what, hint, self.name, line)
        self.faults[fault] = None
        if len(self.faults) > MOST_FAULTS:
            raise InputError(self.faults)

    def _known_keys(self, table: Mapping[str, Any], number: int) -> None:
        for key in table:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS)
                hint += "; settings of a learner belong under [settings] or [sweep.settings]"
                self._fault(key, number, f"there is no key '{key}'", hint)

    def _crossing(
        self, top: dict[str, Any], table: dict[str, Any], number: int, seed: int | None
    ) -> _Crossing:
        """Return the contents of one table, checked."""
        if number:
            self._known_keys(table, number)
        own = {**top, **table}
        parts = [part.get("settings", {}) for part in (top, table)]
        crossing = _Crossing(number, seeds=self._seeds(own, number, seed))
        crossing.data = self._paths(own, number)
        crossing.system = self._system(own.get("system"), number)
        if not crossing.system:
            return crossing
        crossing.learners = self._learners(own, crossing.system, number)
        if not all(isinstance(part, dict) for part in parts):
            self._fault("settings", number, "'settings' is not a table", "write [settings] above them")
        elif crossing.learners:
            merged = {name: _listed(value) for part in parts for name, value in part.items()}
            crossing.settings = {n: self._values(crossing, n, values) for n, values in merged.items()}
        return crossing

    def _system(self, value: Any, number: int) -> str:
        if isinstance(value, str) and value in SYSTEMS:
            return value
        if value is None:
            self._fault("system", number, "no system is named", f"write system = one of {', '.join(SYSTEMS)}")
        else:
            self._fault(
                "system", number, f"there is no system '{value}'", did_you_mean(str(value), list(SYSTEMS))
            )
        return ""

    def _learners(self, table: dict[str, Any], system: str, number: int) -> list[str]:
        known = list(SYSTEMS[system].learners)
        names = _listed(table.get("learner", []))
        if not names:
            self._fault(
                "learner", number, "no learner is named", f"write learner = one of {', '.join(known)}"
            )
        for name in names:
            if name not in known:
                hint = did_you_mean(str(name), known)
                self._fault("learner", number, f"{system} has no learner '{name}'", hint)
        return [name for name in names if name in known]

    def _seeds(self, table: dict[str, Any], number: int, seed: int | None) -> list[int]:
        root = table.get("seed") if seed is None else seed
        seeds = table.get("seeds", 1)
        for key, value in (("seed", root), ("seeds", seeds)):
            for each in [] if value is None else _listed(value):
                if not isinstance(each, int) or isinstance(each, bool) or each < 0:
                    self._fault(key, number, f"{key} = {each!r}", "write whole numbers, 0 or more")
                    return []
        if isinstance(seeds, list):
            return list(dict.fromkeys(seeds))
        if isinstance(root, list):
            self._fault("seed", number, "seed is a list", "write one number, or seeds = [...]")
            return []
        if seeds == 0:
            self._fault("seeds", number, "seeds = 0", "write 1 or more, or the seeds themselves")
        if root is None:
            hint = f"write seed = {fresh_seed()}, or another number, so that the same runs are found again"
            self._fault("seeds", number, "no seed is given", hint)
            return []
        if seeds > MOST_SEEDS:
            self._fault("seeds", number, f"seeds = {seeds}", f"write at most {MOST_SEEDS:,}")
            return []
        self.root = root if self.root is None else self.root
        return [run_seed(root, k) for k in range(seeds)]

    def _paths(self, table: dict[str, Any], number: int) -> list[tuple[str, Path, str]]:
        """Return name, path and content hash of each set of data."""
        names = _listed(table.get("data", []))
        if not all(names) or not names:
            self._fault(
                "data", number, "no data are named", "write data = a file, a sample's name, or a list"
            )
            return []
        data = []
        for name in names:
            path = self.folder / str(name)
            if name in self.given:
                data.append((name, path, self.given[name][0]))
                continue
            try:
                path = _located(path, str(name))
                if path.is_dir() and table.get("system") != "sound":
                    raise InputError(Fault(f"{name} is a folder", "name a file in it"))
                data.append((str(name), path, content_hash(path)))
            except InputError as error:
                hint = f"{error.faults[0].hint}; paths begin at the specification's folder"
                self._fault("data", number, error.faults[0].what, hint)
            except OSError as error:
                self._fault("data", number, f"{name} cannot be read: {error.strerror}", "name another file")
        return data

    def _values(self, crossing: _Crossing, name: str, values: list[Any]) -> list[Any]:
        """Return the allowed values of a setting, converted as the learners' settings store them."""
        each = [parameters(crossing.system, learner) for learner in crossing.learners]
        owners = [settings[name] for settings in each if name in settings]
        if not owners:
            known = sorted({known for settings in each for known in settings})
            what = f"{' or '.join(crossing.learners)} has no setting '{name}'"
            self._fault(name, crossing.number, what, did_you_mean(name, known))
            return []
        kept = []
        for value in values:
            try:
                kept.append(_taken(owners[0], value))
            except ValueError:
                self._fault(name, crossing.number, f"{name} = {value!r}", allowed_values(owners[0]))
        return kept

    def _specs(self, crossing: _Crossing) -> Iterator[RunSpec]:
        """Yield one run for each combination of data, learner, settings and seed."""
        for (data, _, content), learner in product(crossing.data, crossing.learners):
            known = parameters(crossing.system, learner)
            axes = {name: values for name, values in crossing.settings.items() if name in known}
            usual = {name: _plain(parameter.default) for name, parameter in known.items()}
            for chosen in product(*axes.values()):
                settings = {**usual, **dict(zip(axes, chosen, strict=True))}
                files = self._files(crossing, settings)
                numbers = numbers_version(SYSTEMS[crossing.system].package)
                for seed in crossing.seeds:
                    spec = RunSpec.of(crossing.system, learner, data, content, settings, seed, numbers, files)
                    yield spec

    def _files(self, crossing: _Crossing, settings: dict[str, Any]) -> dict[str, tuple[str, str]]:
        """Return setting -> (path, content hash) for the settings that name a file."""
        files = {}
        for name, presets in SYSTEMS[crossing.system].presets.items():
            value = settings.get(name)
            if value is None or value in presets:
                continue
            path = (self.folder / str(value)).absolute()
            if path.exists():
                files[name] = (str(path), content_hash(path))
            else:
                hint = f"{did_you_mean(value, presets)} Or name a file" if presets else "name another"
                self._fault(name, crossing.number, f"{name} = {value!r}: there is no such file", hint)
        return files

    def _data(self, runs: tuple[RunSpec, ...]) -> dict[Hashable, Any]:
        """Read the data of all runs, each once."""
        data: dict[Hashable, Any] = {}
        faulty: set[Hashable] = set()
        for spec in runs:
            key = Plan.data_of(spec)
            if key in data or key in faulty:
                continue
            if spec.data in self.given:
                data[key] = self.given[spec.data][1]
                continue
            path = self.folder / spec.data
            path = _located(path, spec.data)
            try:
                data[key] = SYSTEMS[spec.system].read(path, spec.values)
            except InputError as error:
                faulty.add(key)
                faults = [f if f.file else replace(f, file=path.name) for f in error.faults]
                self.faults |= dict.fromkeys(faults)
        return data


def _located(path: Path, name: str) -> Path:
    """Return a file or folder if there is one of this path, else the sample of this name."""
    with suppress(OSError):  # a name that no file can have
        if path.is_file() or path.is_dir():
            return path
    return find_sample(name).path


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _taken(parameter: Any, value: Any) -> Any:
    """Return a value as a parameter stores it; raise ValueError if it is not allowed."""
    if isinstance(value, bool) is not isinstance(parameter, param.Boolean):
        raise ValueError(value)
    if isinstance(value, list | dict):
        raise ValueError(value)
    if isinstance(parameter, param.Number) and not isinstance(parameter, param.Integer):
        value = float(value)
    elif type(parameter) is param.Parameter:
        value = str(value)  # where learning starts: a name, or a probability
    owner = parameter.owner if isinstance(parameter.owner, type) else type(parameter.owner)
    return _plain(getattr(owner(**{parameter.name: value}), parameter.name))


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def _lines_of_keys(text: str) -> Iterator[tuple[tuple[int, str], int]]:
    """Yield ((number of the [[sweep]] table, key), line) for each key; the key of a heading is empty."""
    number = 0
    for line, content in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*sweep\s*\]\]", content):
            number += 1
            yield (number, ""), line
        elif match := re.match(r"\s*(?:settings\s*\.\s*)?([A-Za-z0-9_-]+|\"[^\"]*\")\s*=", content):
            yield (number, match[1].strip('"')), line
