"""The entry of a learner in its system's registry.

Each system lists its learners once, in ``learners/__init__.py``::

    LEARNERS = registry(LearnerEntry("gibbs", Gibbs, "Gibbs", "sweep", GibbsSettings), ...)

The choices and options of the command line, the learner rows of the lab and the tests of
every learner are drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from otlab.errors import Fault, InputError
from otlab.inference.fit import fit
from otlab.inference.run import run

if TYPE_CHECKING:
    from collections.abc import Callable

    import param

    from otlab.inference.fit import Fitted
    from otlab.inference.learner import Tick
    from otlab.inference.run import Run

__all__ = ["LearnerEntry", "Unit", "allowed_values", "registry"]

Unit = Literal["sweep", "trial", "iteration", "update"]


@dataclass(frozen=True)
class LearnerEntry:
    """One learner of a system.

    Attributes
    ----------
    name
        Its name on the command line and in results: ``"gibbs"``.
    make
        Returns the learner from the system's data and an instance of `settings`.
    label
        Its name in the labs: ``"Gibbs"``.
    unit
        What one step is called.
    settings
        The class of its settings: each parameter has a name, a default, bounds and a ``doc``
        of one sentence. The command line makes options of them and the lab fields. An instance may say
        how long a run is; see :meth:`length`.
    hue
        Name of its colour in every plot; see :mod:`otlab.viz.base.tokens`.
    usual
        Whether a lab runs it by default.
    """

    name: str
    make: Any
    label: str
    unit: Unit
    settings: type[param.Parameterized]
    hue: str = "other"
    usual: bool = True

    def length(
        self, learner: Any, settings: param.Parameterized, steps: int | None = None
    ) -> tuple[int, int]:
        """Return the number of steps and of chains that settings ask for; `steps` overrides theirs.

        Settings have ``steps``, or ``iterations`` of ``learner.steps_per_iteration`` steps each (one if
        the learner has no such attribute). They have ``chains``, or ``restarts``; one chain if neither.

        Raises
        ------
        InputError
            If neither the settings nor `steps` say how long a run is.
        """
        if steps is None:
            steps = getattr(settings, "steps", None)
        if steps is None and hasattr(settings, "iterations"):
            steps = settings.iterations * getattr(learner, "steps_per_iteration", 1)
        if steps is None:
            raise InputError(Fault(f"the settings of {self.name} give no length of a run", "pass steps"))
        return int(steps), int(getattr(settings, "chains", getattr(settings, "restarts", 1)))

    def run(
        self,
        data: Any,
        settings: param.Parameterized,
        *,
        steps: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> Run[Any, Any]:
        """Return a run of the learner on `data`; see :meth:`fit` for the parameters."""
        learner = self.make(data, settings)
        steps, chains = self.length(learner, settings, steps)
        return run(learner, sweeps=steps, seed=seed, chains=chains, threads=threads)

    def fit(
        self,
        data: Any,
        settings: param.Parameterized,
        *,
        steps: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        watch: Callable[[Tick[Any]], object] | None = None,
    ) -> Fitted[Any, Any]:
        """Return the result of fitting the learner to `data`.

        Parameters
        ----------
        data
            The system's data.
        settings
            An instance of `settings`.
        steps
            Number of steps of each chain; if None, that of the settings (:meth:`length`).
        seed, threads, watch
            As in :func:`otlab.inference.fit`.
        """
        learner = self.make(data, settings)
        steps, chains = self.length(learner, settings, steps)
        return fit(learner, steps=steps, chains=chains, seed=seed, threads=threads, watch=watch)


def registry(*entries: LearnerEntry) -> dict[str, LearnerEntry]:
    """Return name -> entry, in the order in which labs and help list the learners.

    Raises
    ------
    ValueError
        If two entries have the same name.
    """
    named = {entry.name: entry for entry in entries}
    if len(named) < len(entries):
        raise ValueError(f"two learners have one name: {[entry.name for entry in entries]}")
    return named


def allowed_values(parameter: Any) -> str:
    """Return in words which values a setting may take."""
    if hasattr(parameter, "objects"):
        return f"choose from {', '.join(str(value) for value in parameter.objects if value is not None)}"
    if isinstance(getattr(parameter, "default", None), bool):
        return "write true or false"
    if not hasattr(parameter, "bounds"):
        return "write a text"
    low, high = parameter.bounds or (None, None)
    low_in, high_in = parameter.inclusive_bounds
    kind = "a whole number" if type(parameter).__name__ == "Integer" else "a number"
    parts = []
    if low is not None:
        parts.append(f"{low} or more" if low_in else f"above {low}")
    if high is not None:
        parts.append(f"{high} or less" if high_in else f"below {high}")
    return f"write {kind}{', ' + ' and '.join(parts) if parts else ''}"
