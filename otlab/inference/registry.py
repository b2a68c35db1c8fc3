"""The entry of a learner in its system's registry.

Each system lists its learners once, in ``learners/__init__.py``::

    LEARNERS = registry(LearnerEntry("gibbs", Gibbs, "Gibbs", "sweep", GibbsSettings), ...)

The choices and options of the command line, the learner rows of the lab and the tests of
every learner are drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from otlab.inference.fit import fit
from otlab.inference.run import run

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from otlab.inference.fit import Fitted
    from otlab.inference.learner import Tick
    from otlab.inference.run import Run

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
        of one sentence. Command line and lab draw their fields from it. An instance says how
        long a run is: ``steps``, and ``chains`` where there may be several.
    hue
        Name of its colour in every plot (design.md, "learner").
    """

    name: str
    make: Any
    label: str
    unit: Unit
    settings: type[param.Parameterized]
    hue: str = "other"

    def run(
        self, data: Any, settings: Any, *, seed: int | None = None, threads: int | None = None
    ) -> Run[Any, Any]:
        """Return a run of the learner on `data`, as long as its settings say."""
        learner = self.make(data, settings)
        return run(learner, sweeps=settings.steps, seed=seed, chains=_chains(settings), threads=threads)

    def fit(
        self,
        data: Any,
        settings: Any,
        *,
        seed: int | None = None,
        threads: int | None = None,
        watch: Callable[[Tick[Any]], object] | None = None,
    ) -> Fitted[Any, Any]:
        """Return what the learner finds in `data`; see :func:`otlab.inference.fit`."""
        return fit(
            self.make(data, settings),
            steps=settings.steps,
            chains=_chains(settings),
            seed=seed,
            threads=threads,
            watch=watch,
        )


def _chains(settings: Any) -> int:
    return int(getattr(settings, "chains", 1))


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
