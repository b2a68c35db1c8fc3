"""Read a dropped file: a table, or priors, frequencies or rankings for the open table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import collected_warnings
from otlab.ot.constraint_names import numbered_pairs
from otlab.ot.io.apriori import parse_apriori
from otlab.ot.io.bias import parse_bias
from otlab.ot.io.foreign import constraint_file, praat_class
from otlab.ot.io.praat import parse_praat
from otlab.ot.io.praat_tableau import with_pairs
from otlab.ot.io.read import read_bytes
from otlab.ot.io.read_as import options_of
from otlab.ui.ot.constraint_settings import put_apriori, put_prior

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.io.cells import Reading
    from otlab.reading import ReadAs
    from otlab.ui.ot.constraint_settings import ConstraintSettings
    from otlab.ui.ot.state import OTState
    from otlab.ui.source import Source

__all__ = ["TableFile", "read_file"]


class TableFile(NamedTuple):
    """A table with warnings, and the constraints that its file ranks above others."""

    reading: Reading
    apriori: tuple[tuple[str, str], ...]

    def open_in(self, state: OTState, source: Source) -> None:
        """Load the table; *Read as* can read its file again."""
        reading = self.reading
        state.load(reading.tableau, self.apriori, reading.readings, source)


def read_file(
    state: OTState,
    data: bytes,
    name: str,
    progress: Callable[[float], None] | None = None,
    how: ReadAs | None = None,
) -> TableFile | Callable[[], str]:
    """Return the table of a file, or a function that applies the file to the present table.

    A table is read as `how` says, which is guessed if None.

    The latter returns a message with its warnings: of a PairDistribution of Praat, of a bias file, or
    of a priori rankings.

    Raises
    ------
    InputError
        With all faults of the file, or if it names something that the present table does not have.
    """
    with collected_warnings() as notes:
        read = _read(state, data, name, progress, how)
    return read if isinstance(read, TableFile) else lambda: " ".join([read(), *notes])


def _read(
    state: OTState,
    data: bytes,
    name: str,
    progress: Callable[[float], None] | None,
    how: ReadAs | None,
) -> TableFile | Callable[[], str]:
    table, kind = state.tableau, praat_class(data) or constraint_file(data)
    if kind == "PairDistribution":
        pairs = parse_praat(data, name, progress).pairs
        filled = with_pairs(table, pairs, name) if pairs else table
        return partial(_take, partial(state.document.put, filled, "Frequencies read"), "frequencies", name)
    if kind == "bias":
        prior = parse_bias(data, name, table)
        return partial(_set, state, lambda draft: put_prior(draft, prior), "priors", name)
    if kind == "apriori":
        ranked = parse_apriori(data, name, table)
        numbered_pairs(table, ranked)
        return partial(_set, state, lambda draft: put_apriori(draft, ranked), "a priori rankings", name)
    reading = read_bytes(data, name, progress, **options_of(how))
    fixed = parse_apriori(data, name, reading.tableau) if kind in ("OTGrammar", "Collection") else ()
    numbered_pairs(reading.tableau, fixed)
    return TableFile(reading, fixed)


def _set(state: OTState, change: Callable[[ConstraintSettings], None], what: str, name: str) -> str:
    """Set single constraints from a file; return a message about it."""
    return _take(lambda: state.set_single(change, f"{what.capitalize()} read"), what, name)


def _take(take: Callable[[], object], what: str, name: str) -> str:
    """Apply a file; return a message about it."""
    take()
    return f"The {what} are those of {name}."
