"""The runs of a view, planned as a file for ``otlab sweep``, with their data; without Panel.

::

    view's runs --> PlannedSweep --> ilokano_sweep.zip: sweep.toml, and what is no shipped sample
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from otlab.errors import counted
from otlab.samples import load_sample, samples
from otlab.sweep.write import SPECIFICATION, sweep_text, zipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference import Run
    from otlab.sweep.write import Part

    Content = bytes | Callable[[], bytes]

__all__ = ["PlannedSweep", "shipped_name", "unfinished"]


@dataclass(frozen=True)
class PlannedSweep:
    """The runs of a view, and the files that their specification names.

    Attributes
    ----------
    system, parts, remarks
        As for :func:`~otlab.sweep.write.sweep_text`.
    files
        Content of each file, or what makes it, on any thread.
    """

    system: str
    parts: tuple[Part, ...]
    files: Mapping[str, Content] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def zipped(self) -> bytes:
        """Return the ZIP file with the specification and its files."""
        text = sweep_text(self.system, self.parts, self.remarks)
        made = {name: content() if callable(content) else content for name, content in self.files.items()}
        return zipped({SPECIFICATION: text.encode(), **made})


def shipped_name(system: str, name: str, same: Callable[[Any], bool]) -> str:
    """Return the name of the shipped sample that data are; empty if they are others, or edited.

    Parameters
    ----------
    name
        That of the data.
    same
        Returns whether a sample's data are these.
    """
    known = name in {sample.name for sample in samples(system)}
    return name if known and same(load_sample(name)) else ""


def unfinished(run: Run[Any, Any]) -> tuple[str, ...]:
    """Return the remark on a run that did not reach its end on the page; none on one that did."""
    if run.finished:
        return ()
    return (
        f"On the page it had done {run.sweep:,} of {counted(run.total, 'step')}; here it goes to its end.",
    )
