"""Compile the kernels of Stochastic OT, by fitting every learner to a tiny tableau."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.ot.analysis.typology import typology
from otlab.ot.learners import LEARNERS, OVERT
from otlab.ot.learners.edcd import fit_edcd
from otlab.ot.learners.exact import fit_exact
from otlab.ot.learners.gibbs import fit_gibbs
from otlab.ot.learners.gla import fit_gla
from otlab.ot.learners.hg import fit_hg
from otlab.ot.learners.hg_mixed import fit_hg_mixed
from otlab.ot.learners.maxent import fit_maxent
from otlab.ot.learners.maxent_bayes import fit_maxent_bayes
from otlab.ot.learners.maxent_mixed import fit_maxent_mixed
from otlab.ot.learners.maxent_online import fit_maxent_online
from otlab.ot.learners.mixtures import fit_mixtures
from otlab.ot.learners.mle import fit_mle
from otlab.ot.learners.sot_mixed import fit_sot_mixed
from otlab.ot.learners.unknown_noise import fit_unknown_noise
from otlab.ot.probability import predict
from otlab.ot.tableau import Tableau

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STEPS"]

_ROWS = [("in", "a", 2, (1, 0, 0)), ("in", "b", 1, (0, 1, 0)), ("in", "c", 1, (0, 0, 1))]
_SAMPLER: dict[str, Any] = {"sweeps": 20, "warmup": 4, "chains": 2, "seed": 0}
_ONLINE: dict[str, Any] = {"trials": 20, "runs": 2, "seed": 0}


def _tableau() -> Tableau:
    return Tableau.from_rows(_ROWS, ("A", "B", "C"))


def _page() -> None:
    predict(_tableau(), np.zeros(3), 1.0)


def _fit(learn: Callable[..., Any], **settings: Any) -> None:
    learn(_tableau(), **settings)


def _exact() -> None:
    _fit(fit_exact, **_SAMPLER)
    _fit(fit_exact, **_SAMPLER, move="walk")


def _overt(name: str) -> None:
    entry = LEARNERS[name]
    heard = replace(_tableau(), overt=("x", "x", "y"))
    short = {"sweeps": 20, "chains": 2} if name == "latent-gibbs" else {"sweeps": 20}
    entry.fit(heard, entry.settings(**short), seed=0)


def _mixed(learn: Callable[..., Any]) -> None:
    two = Tableau.from_rows([("in", "a", 2, (1, 0)), ("in", "b", 1, (0, 1))], ("A", "B"))
    learn(two, **_SAMPLER)


def _typology() -> None:
    typology(_tableau()).to_dict()


STEPS: Mapping[str, Callable[[], None]] = {
    "page": _page,
    "gibbs": partial(_fit, fit_gibbs, **_SAMPLER),
    "gla": partial(_fit, fit_gla, **_ONLINE),
    "maxent": partial(_fit, fit_maxent, seed=0),
    "exact": _exact,
    "mle": partial(_fit, fit_mle, seed=0),
    "hg": partial(_fit, fit_hg, **_ONLINE),
    "maxent-online": partial(_fit, fit_maxent_online, **_ONLINE),
    "maxent-bayes": partial(_fit, fit_maxent_bayes, **_SAMPLER),
    "edcd": partial(_fit, fit_edcd, trials=20, seed=0),
    "unknown-noise": partial(_fit, fit_unknown_noise, **_SAMPLER),
    **{name: partial(_overt, name) for name in OVERT},
    "mixtures": partial(_fit, fit_mixtures, **_SAMPLER),
    "maxent-mixed": partial(_mixed, fit_maxent_mixed),
    "sot-mixed": partial(_mixed, fit_sot_mixed),
    "hg-mixed": partial(_mixed, fit_hg_mixed),
    "typology": _typology,
}
"""What compiles the kernels of the page, of each learner and of the analyses."""
