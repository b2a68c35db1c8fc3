"""The results of a sweep: one row per run, as a data frame, CSV, NetCDF or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from otlab import __version__
from otlab.errors import Fault, InputError, counted, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from otlab.sweep.spec import RunSpec
    from otlab.sweep.store import FinishedRun

__all__ = ["ENDINGS", "FailedRun", "ResultSet", "best_run", "check_ending", "write_table"]

ENDINGS = (".csv", ".nc")
SMALL_IS_GOOD = frozenset(
    (
        "free_energy", "vi", "h_t_given_y", "h_y_given_t", "largest_rhat", "multimodal", "unparsed",
        "bigram", "unigram", "ned",
    )
)  # fmt: skip
"""Scores for which smaller is better."""


@dataclass(frozen=True)
class FailedRun:
    """A run that failed, with the reason."""

    spec: RunSpec
    reason: str

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.spec.settings)
        return f"{self.spec.data}, {self.spec.learner} ({settings}), seed {self.spec.seed}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return hash, specification and reason as values for JSON."""
        return {"hash": self.spec.hash, **self.spec.to_dict(), "reason": self.reason}


@dataclass(frozen=True, repr=False)
class ResultSet:
    """The runs of a sweep.

    Attributes
    ----------
    runs
        Finished runs, in the order of the plan.
    failed
        Runs that ended with an error.
    skipped
        Hashes of the runs that were in the store before.
    seed
        The root seed; None if the specification lists the seeds themselves.
    stopped
        Whether the user stopped before the last run.
    """

    runs: tuple[FinishedRun, ...]
    failed: tuple[FailedRun, ...] = ()
    skipped: tuple[str, ...] = ()
    seed: int | None = None
    stopped: bool = False

    def __repr__(self) -> str:
        return f"<ResultSet of {counted(len(self.runs), 'run')}, {len(self.failed)} failed>"

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per run: hash, system, learner, data, seed, settings, scores, seconds.

        The columns of scores begin with ``score:``; a setting or score that a run does not have is missing.
        """
        import pandas as pd

        rows = [
            {
                "hash": run.spec.hash,
                "system": run.spec.system,
                "learner": run.spec.learner,
                "data": run.spec.data,
                "seed": run.spec.seed,
                **dict(run.spec.settings),
                **{f"score:{name}": value for name, value in run.scores.items()},
                "seconds": run.seconds,
            }
            for run in self.runs
        ]
        names = list(dict.fromkeys(name for row in rows for name in row))
        first = [n for n in names if not n.startswith("score:") and n != "seconds"]
        scores = [n for n in names if n.startswith("score:")]
        return pd.DataFrame(rows, columns=[*first, *scores, "seconds"])

    def to_dict(self) -> dict[str, Any]:
        """Return the runs as ``otlab sweep --json`` prints them."""
        return {
            "seed": self.seed,
            "runs": [run.to_dict() for run in self.runs],
            "skipped": list(self.skipped),
            "failed": [run.to_dict() for run in self.failed],
        }


def best_run(runs: Sequence[FinishedRun], score: str) -> FinishedRun | None:
    """Return the run with the best value of a score, the first on a tie; None if no run has it."""
    sign = -1 if score in SMALL_IS_GOOD else 1
    known = {run: sign * value for run in runs if (value := run.scores.get(score)) is not None}
    return max(known, key=lambda run: known[run], default=None)


def check_ending(path: Path) -> None:
    """Raise InputError if a table of results cannot be written to a path.

    Raises
    ------
    InputError
        If its ending is unknown, its folder is missing, or NetCDF is not installed.
    """
    if path.suffix not in ENDINGS:
        hint = did_you_mean(path.suffix, ENDINGS)
        raise InputError(Fault(f"--out {path}: no result set is written as {path.suffix or 'this'}", hint))
    if not path.absolute().parent.is_dir():
        raise InputError(Fault(f"--out {path}: there is no folder {path.parent}", "make it first"))
    if path.suffix == ".nc":
        from importlib.util import find_spec

        if not (find_spec("xarray") and find_spec("h5netcdf")):
            hint = "install the extra: pip install 'otlab[stats]', or write .csv"
            raise InputError(Fault(f"--out {path}: NetCDF needs xarray and h5netcdf", hint))


def write_table(results: ResultSet, path: Path) -> None:
    """Write the table of a result set as CSV or NetCDF; the file is written whole or not at all.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    check_ending(path)
    table = results.to_frame()
    data = table.to_csv(index=False).encode() if path.suffix == ".csv" else _netcdf(table)
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        what = f"--out {path}: cannot be written: {error.strerror}"
        raise InputError(Fault(what, "choose another place")) from None


def _netcdf(table: pd.DataFrame) -> bytes:
    """Return the table as NetCDF: a variable per column over the dimension ``run``."""
    import xarray as xr

    columns = {}
    for name in table:
        values = table[name]
        if values.dtype == object:
            known = values.dropna()
            numbers = len(known) > 0 and all(isinstance(v, int | float) for v in known)
            values = values.astype(float) if numbers else values.map(_text).astype(str)
        columns[str(name).replace(":", "_")] = ("run", values.to_numpy())
    dataset = xr.Dataset(columns, attrs={"otlab": __version__, "title": "Results of otlab sweep"})
    with TemporaryDirectory() as folder:  # into a stream, some versions of xarray close it
        dataset.to_netcdf(Path(folder, "runs.nc"), engine="h5netcdf")
        return Path(folder, "runs.nc").read_bytes()


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value)
