"""Pairs of a source string and the channel's output.

::

    # top TAB bottom, phones separated by blanks
    d ɔ g	d ɔ k
    k æ t	k æ

Either side may be empty; the tab is still needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from otlab.discovery.io.phones import phones_of
from otlab.discovery.kernels.layout import PairArrays
from otlab.errors import Fault, InputError
from otlab.files import file_text
from otlab.samples import sample_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Pairs", "parse_pairs", "read_pairs"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs in flat arrays, each string closed by an end marker -1.

    Attributes
    ----------
    name
        The file's name.
    symbols
        All phones, sorted.
    top, bottom : int32 ndarray
        Codes of the strings, one after another.
    top_rows, bottom_rows : int64 ndarray of shape (pairs + 1,)
        Beginning of each string.
    lines
        Line number of each pair in the file.
    """

    name: str
    symbols: tuple[str, ...]
    top: np.ndarray
    top_rows: np.ndarray
    bottom: np.ndarray
    bottom_rows: np.ndarray
    lines: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.lines)

    @property
    def arrays(self) -> PairArrays:
        """Both sides as a named tuple for the kernels."""
        return PairArrays(self.top, self.top_rows, self.bottom, self.bottom_rows)

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
        name: str = "pairs",
        lines: Sequence[int] | None = None,
    ) -> Pairs:
        """Return the given pairs of phone sequences.

        >>> len(Pairs.of([("dog", "dok"), ("cat", "ca")]))
        2
        """
        listed = [(tuple(top), tuple(bottom)) for top, bottom in pairs]
        symbols = tuple(sorted({phone for pair in listed for side in pair for phone in side}))
        code = {symbol: k for k, symbol in enumerate(symbols)}
        sides = [_flat([[code[p] for p in pair[side]] for pair in listed]) for side in (0, 1)]
        numbers = tuple(lines) if lines is not None else tuple(range(1, len(listed) + 1))
        return cls(name, symbols, *sides[0], *sides[1], numbers)

    def pair(self, p: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return one pair as phones."""
        sides = ((self.top, self.top_rows), (self.bottom, self.bottom_rows))
        top, bottom = (
            tuple(self.symbols[c] for c in codes[rows[p] : rows[p + 1] - 1]) for codes, rows in sides
        )
        return top, bottom


def _flat(strings: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    flat = [code for string in strings for code in (*string, -1)]
    rows = np.cumsum([0, *(len(string) + 1 for string in strings)])
    return np.array(flat, dtype=np.int32), rows.astype(np.int64)


def read_pairs(path: Path | str) -> Pairs:
    """Read a file of pairs.

    Raises
    ------
    InputError
        If the file is missing, is not UTF-8 or has NUL bytes; see also :func:`parse_pairs`.
    """
    found = Path(path) if Path(path).exists() else sample_path(str(path), "discovery")
    return parse_pairs(file_text(found), found.name)


def parse_pairs(text: str, name: str = "pairs") -> Pairs:
    """Read pairs from a string.

    Raises
    ------
    InputError
        With every line that has no tab or more than one, or if there is no pair.
    """
    pairs, lines, faults = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip(" "):
            continue
        if line.count("\t") != 1:
            what = f"{line.count(chr(9))} tabs instead of 1"
            faults.append(Fault(what, "write the top phones, a tab, the bottom phones", name, number, 1))
            continue
        top, bottom = line.split("\t")
        pairs.append((phones_of(top, " "), phones_of(bottom, " ")))
        lines.append(number)
    if not pairs and not faults:
        faults.append(
            Fault("no pair in the file", "write one per line: top phones, a tab, bottom phones", file=name)
        )
    if faults:
        raise InputError(faults)
    return Pairs.of(pairs, name, lines)
