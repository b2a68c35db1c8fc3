"""The entry of a learner in its system's registry.

Each system lists its learners once, in ``learners/__init__.py``::

    LEARNERS = registry(LearnerEntry("gibbs", Gibbs, "Gibbs", "sweep", GibbsSettings), ...)

The choices and options of the command line, the learner rows of the lab and the tests of
every learner are drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import param

__all__ = ["LearnerEntry", "Unit", "registry"]

Unit = Literal["sweep", "trial", "iteration", "update"]


@dataclass(frozen=True)
class LearnerEntry:
    """One learner of a system.

    Attributes
    ----------
    name
        On the command line and in results: ``"gibbs"``.
    make
        Returns the learner from the system's data and an instance of `settings`.
    label
        The word users know it by: ``"Gibbs"``.
    unit
        What one step is called.
    settings
        The class of its settings: each parameter has a name, a default, bounds and a ``doc``
        of one sentence. Command line and lab draw their fields from it.
    hue
        Name of its colour in every plot (design.md, "learner").
    """

    name: str
    make: Any
    label: str
    unit: Unit
    settings: type[param.Parameterized]
    hue: str = "further"


def registry(*entries: LearnerEntry) -> dict[str, LearnerEntry]:
    """Return entries by name, in the order of the learner rows.

    Raises
    ------
    ValueError
        If two entries have the same name.
    """
    named = {entry.name: entry for entry in entries}
    if len(named) < len(entries):
        raise ValueError(f"two learners have one name: {[entry.name for entry in entries]}")
    return named
