"""What a file was taken for: its format, what each column or separator is, and its first lines.

The recogniser of each system, ``readings(data, file_name)`` in its ``io``, returns the best guess and the
other ways to read a file. Labs offer them, and the command line has them as ``--format``.

>>> two = ReadAs("columns", "columns by blanks", ("word", "tag", "not used"), roles=("word", "tag"))
>>> two.sentence("5 sentences")
'Read as columns by blanks: 5 sentences, column 1 is the word, 2 the tag'
>>> two.with_role(2, "tag").columns
('word', 'not used', 'tag')
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NOT_USED", "PREVIEW_LINES", "ReadAs"]

NOT_USED = "not used"
PREVIEW_LINES = 6  # lines of a file that a preview shows


@dataclass(frozen=True)
class ReadAs:
    """One way to read a file.

    Attributes
    ----------
    format
        Name of ``--format``: "conllu", "columns", "wordseg", "plain", ...
    label
        For people: "CoNLL-U", "columns by blanks", "phones by blanks".
    columns
        What each column, tier or separator is: ("word", "tag", "not used").
    options
        What else a reader needs, as on the command line: {"columns": "1,4"}, {"separator": " "}.
    preview
        The first lines as they would be read, as cells.
    note
        A remark: "-DOCSTART- lines are left out".
    heads
        Names of the columns, where the file has any; else they are numbered.
    roles
        What the user can choose a column to be, beside "not used"; empty if columns are fixed.
    """

    format: str
    label: str
    columns: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    preview: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    heads: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    def place(self, role: str) -> int | None:
        """Return the column that has a role, counted from 1; None if none has it."""
        return self.columns.index(role) + 1 if role in self.columns else None

    def with_role(self, column: int, role: str) -> ReadAs:
        """Return the reading with another role for a column (from 0).

        A column that had the role gets the former role of this one, so that each role is there once.
        """
        columns = list(self.columns)
        if role != NOT_USED and role in columns:
            columns[columns.index(role)] = columns[column]
        columns[column] = role
        return replace(self, columns=tuple(columns))

    def same_way(self, other: ReadAs) -> bool:
        """Return whether two readings read a file in the same way, whatever they show of it."""
        return (self.format, self.columns, self.options) == (other.format, other.columns, other.options)

    def sentence(self, found: str = "") -> str:
        """Return what the file was read as, what was found in it, and what each column is."""
        used = [
            (self.heads[n - 1] if self.heads else str(n), role)
            for n, role in enumerate(self.columns, start=1)
            if role != NOT_USED
        ]
        parts = [found] if found else []
        for i, (role, run) in enumerate(groupby(used, key=lambda column: column[1])):
            names = [name for name, _ in run]
            if len(names) > 1:
                verb = "columns {} to {} are the {}" if i == 0 else "{} to {} the {}"
                parts.append(verb.format(names[0], names[-1], role if role.endswith("s") else f"{role}s"))
            else:
                parts.append(f"column {names[0]} is the {role}" if i == 0 else f"{names[0]} the {role}")
        return f"Read as {self.label}: {', '.join(parts)}" if parts else f"Read as {self.label}"

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as values for JSON; :meth:`from_dict` reads them back."""
        return asdict(replace(self, options=dict(self.options)))

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> ReadAs:
        """Return the reading that :meth:`to_dict` wrote."""
        return ReadAs(
            format=str(values["format"]),
            label=str(values["label"]),
            columns=tuple(map(str, values["columns"])),
            options={str(key): str(value) for key, value in dict(values["options"]).items()},
            preview=tuple(tuple(map(str, line)) for line in values["preview"]),
            note=str(values["note"]),
            heads=tuple(map(str, values["heads"])),
            roles=tuple(map(str, values["roles"])),
        )
