"""Run learners: seeds, chains, ticks, jobs, posteriors and diagnostics, without any linguistics.

A :class:`Learner` has data and settings; :func:`run` steps it and yields a :class:`Tick` at a time;
:func:`fit` runs it to its end and returns a :class:`Fitted`. A :class:`Job` is a run on a thread, a
:class:`Posterior` the draws of a sampler.
"""

from __future__ import annotations

from otlab.inference.fit import Fitted, conclude, fit
from otlab.inference.job import Job
from otlab.inference.learner import Learner, Tick
from otlab.inference.posterior import Posterior
from otlab.inference.run import Preparation, Run, RunRecord, check_interrupt, run

__all__ = [
    "Fitted",
    "Job",
    "Learner",
    "Posterior",
    "Preparation",
    "Run",
    "RunRecord",
    "Tick",
    "check_interrupt",
    "conclude",
    "fit",
    "run",
]
