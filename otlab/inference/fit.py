"""Fit a learner: run its chains to the end and return the result.

::

    learner --run--> Tick, Tick, ... --fit--> Fitted

The command line, notebooks and labs all call :func:`fit`, or :func:`~otlab.inference.run.run`
and then :func:`conclude`, and so have the same chains, seeds and numbers. A learner's method
``conclude(run, tick)`` returns the result as its system's subclass of :class:`Fitted`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numba
import numpy as np

import otlab
from otlab.errors import Fault, InputError, counted
from otlab.inference.notebook import cell_progress
from otlab.inference.posterior import Posterior
from otlab.inference.random import run_seed
from otlab.inference.run import Run, run

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from otlab.inference.learner import Learner, Tick

__all__ = ["Fitted", "conclude", "fit", "versions"]

S = TypeVar("S")
V = TypeVar("V")


WARMUP_SHARE = 0.1
"""The share of a sampler's first draws that its :attr:`Fitted.sampled` leaves out."""


def versions() -> dict[str, str]:
    """Return the versions of the packages that the numbers depend on."""
    return {"otlab": otlab.__version__, "numpy": np.__version__, "numba": numba.__version__}


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(Generic[S, V]):
    """The result of a run, with all its chains.

    Attributes
    ----------
    run : Run
        The run; its learner, seed and number of chains can be read from the properties below.
    tick : Tick
        The state of the run when this was made: one view per chain.
    stopped : bool
        Whether the run was stopped before its last step.
    versions : dict
        Versions of otlab, NumPy and Numba.
    """

    run: Run[S, V]
    tick: Tick[V]
    stopped: bool = False
    versions: dict[str, str] = field(default_factory=versions)

    def __repr__(self) -> str:
        chains = counted(self.chains, "chain")
        steps = counted(self.tick.sweep, "step")
        return f"<Fitted by {self.learner.name}: {chains} of {steps}, seed {self.seed}>"

    @property
    def learner(self) -> Learner[S, V]:
        """The learner that was run."""
        return self.run.learner

    @property
    def seed(self) -> int:
        """The root seed of the run."""
        return self.run.seed

    @property
    def chains(self) -> int:
        """The number of chains."""
        return self.run.chains

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each chain: a run of one chain from it repeats the chain."""
        return tuple(run_seed(self.seed, chain) for chain in range(self.chains))

    @property
    def seconds(self) -> float:
        """The time spent in steps, pauses left out."""
        return self.tick.seconds

    @property
    def views(self) -> tuple[V, ...]:
        """The last snapshot of each chain."""
        return self.tick.views

    @property
    def view(self) -> V:
        """The last snapshot of the first chain."""
        return cast("V", self.tick.view)

    @property
    def settings(self) -> dict[str, Any]:
        """The learner's settings that are numbers, texts or truth values, with steps and chains."""
        return {**plain_settings(self.learner), "steps": self.run.total, "chains": self.chains}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to read before using the numbers."""
        if not self.stopped:
            return ()
        return (f"stopped after {self.tick.sweep:,} of {counted(self.tick.total, 'step')}",)

    @property
    def sampled(self) -> Posterior | None:
        """The draws of a sampler, its first tenth left out; None for a learner that draws no sample.

        The learner's method ``draws(views)`` returns them: name -> array of shape (chains, draws).
        """
        learner: Any = self.learner
        if not hasattr(learner, "draws"):
            return None
        named = learner.draws(self.views)
        kept = {name: values[:, int(WARMUP_SHARE * values.shape[1]) :] for name, values in named.items()}
        return Posterior(kept, {}, {}, learner.name, self.seed, self.settings, self.versions)

    def to_inferencedata(self) -> Any:
        """Return the draws of a sampler as an ArviZ ``DataTree`` (needs the ``stats`` extra).

        Raises
        ------
        InputError
            If the learner draws no sample.
        """
        if self.sampled is None:
            hint = "run a sampler: gibbs, or for Stochastic OT also exact or maxent-bayes"
            raise InputError(Fault(f"{self.learner.name} ends with one estimate and leaves no draws", hint))
        return self.sampled.to_inferencedata()

    def best(self, rule: Callable[[V], float]) -> int:
        """Return the chain whose view has the largest value of a rule; the first one on a tie."""
        values = [rule(view) for view in self.views]
        return values.index(max(values))

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per chain: its seed and the steps it made."""
        import pandas as pd

        rows = {"seed": self.seeds, "steps": [self.tick.sweep] * self.chains}
        return pd.DataFrame(rows, index=pd.RangeIndex(self.chains, name="chain"))

    def to_dict(self) -> dict[str, Any]:
        """Return settings, seed and results as values for JSON."""
        return {
            "learner": self.learner.name,
            "seed": self.seed,
            "settings": self.settings,
            "versions": self.versions,
            "seconds": self.seconds,
            "warnings": list(self.warnings),
        }


def plain_settings(learner: Any) -> dict[str, Any]:
    """Return a learner's fields that are numbers, texts, truth values or None."""
    values = {f.name: getattr(learner, f.name) for f in fields(learner) if f.compare}
    return {name: v for name, v in values.items() if v is None or isinstance(v, bool | int | float | str)}


def conclude(run: Run[S, V], tick: Tick[V] | None = None, *, stopped: bool = False) -> Fitted[S, V]:
    """Return the result of a run so far, of the class of its learner's system.

    Parameters
    ----------
    run
        A run, at any point of its progress.
    tick
        Its latest tick; taken from the run if None, which only the run's own thread may do while
        it is running.
    stopped
        Whether it was stopped before its end.

    Examples
    --------
    >>> from otlab.inference import run
    >>> from otlab.ot import Gibbs, read
    >>> started = run(Gibbs(read("ilokano")), sweeps=20, seed=1)
    >>> next(started).sweep > 0
    True
    >>> conclude(started, stopped=True).warnings[0][:13]
    'not converged'
    """
    tick = run.tick() if tick is None else tick
    own: Callable[..., Fitted[S, V]] | None = getattr(run.learner, "conclude", None)
    return Fitted(run, tick, stopped) if own is None else own(run, tick, stopped=stopped)


def fit(
    learner: Learner[S, V],
    *,
    steps: int,
    chains: int = 1,
    seed: int | None = None,
    threads: int | None = None,
    watch: Callable[[Tick[V]], object] | None = None,
) -> Fitted[S, V]:
    """Run a learner to its end and return the result.

    Parameters
    ----------
    learner
        The learner to run.
    steps
        Sweeps, iterations or trials in each chain, >= 0.
    chains
        Independent chains, stepped in parallel; chain k of seed s is a run of one chain from
        ``run_seed(s, k)``.
    seed
        Root seed; a fresh one if None. The result has it as ``Fitted.seed``.
    threads
        Worker threads; one per core if None. The numbers do not depend on them.
    watch
        Called with each tick; without it a notebook shows a progress bar. The run stops if it
        returns true, or at Ctrl-C while it is watched; the result up to then is returned.

    Raises
    ------
    InputError
        If `steps`, `chains` or `seed` is impossible, or the learner cannot start on its data.

    Examples
    --------
    >>> from otlab.ot import Gibbs, read
    >>> fit(Gibbs(read("ilokano")), steps=20, seed=1)
    <Fit by gibbs: 3 ranking values from ilokano_reduplication, seed 1>
    """
    started = run(learner, sweeps=steps, seed=seed, chains=chains, threads=threads)
    tick, stopped = started.tick(), False
    try:
        with cell_progress(learner.name, hidden=watch is not None) as show:
            for tick in started:
                show(tick)
                if watch is not None and watch(tick):
                    stopped = not tick.finished
                    break
    except KeyboardInterrupt:
        if watch is None:
            raise
        stopped = True
    return conclude(started, tick, stopped=stopped)
