"""Compile the kernels of Stochastic OT, by fitting every learner to a tiny tableau."""

from __future__ import annotations

import numpy as np

from otlab.ot.analysis.typology import typology
from otlab.ot.learners.exact import fit_exact
from otlab.ot.learners.gibbs import fit_gibbs
from otlab.ot.learners.gla import fit_gla
from otlab.ot.learners.hg import fit_hg
from otlab.ot.learners.maxent import fit_maxent
from otlab.ot.learners.maxent_bayes import fit_maxent_bayes
from otlab.ot.learners.maxent_online import fit_maxent_online
from otlab.ot.probability import predict
from otlab.ot.tableau import Tableau

__all__ = ["warm"]


def warm() -> None:
    """Compile every kernel, so that the first run of a user does not wait for the compiler."""
    rows = [("in", "a", 2, (1, 0, 0)), ("in", "b", 1, (0, 1, 0)), ("in", "c", 1, (0, 0, 1))]
    tableau = Tableau.from_rows(rows, ("A", "B", "C"))
    predict(tableau, np.zeros(3), 1.0)
    fit_gibbs(tableau, sweeps=20, warmup=4, chains=2, seed=0)
    fit_exact(tableau, sweeps=20, warmup=4, chains=2, seed=0)
    fit_exact(tableau, sweeps=20, warmup=4, chains=2, seed=0, move="walk")
    fit_gla(tableau, trials=20, runs=2, seed=0)
    fit_hg(tableau, trials=20, runs=2, seed=0)
    fit_maxent(tableau, seed=0)
    fit_maxent_bayes(tableau, sweeps=20, warmup=4, chains=2, seed=0)
    fit_maxent_online(tableau, trials=20, runs=2, seed=0)
    typology(tableau).to_dict()
