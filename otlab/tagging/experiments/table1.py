"""Table 1 of Johnson (2007): its estimators, and their scores on the Penn Treebank."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.learners.fit import make_learner

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.learners.fit import Tagger

__all__ = ["COLUMNS", "TABLE_1", "Estimator"]

# The table's columns: name of the score, heading, whether small is good.
COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("one_to_one", "1-to-1", False),
    ("many_to_one", "Many-to-1", False),
    ("vi", "VI", True),
    ("h_t_given_y", "H(T|Y)", True),
    ("h_y_given_t", "H(Y|T)", True),
)


_Cells = tuple[tuple[float, float], ...]


WITHOUT_PRIOR = ("em", "em-trigram", "entropic", "features")
"""Learners that have none of the two priors."""


_SHORT = {
    "em": "EM", "entropic": "EM, entropic", "features": "EM, features", "map-em": "MAP-EM", "vb": "VB",
    "gibbs": "GS", "ihmm": "iHMM", "ihmm-beam": "iHMM, beams", "em-trigram": "EM, trigrams",
    "vb-trigram": "VB, trigrams", "vb-hdp": "VB, HDP", "vb-state-priors": "VB, priors of states",
    "gibbs-trigram": "GS, trigrams", "pitman-yor": "GS, PY",
}  # fmt: skip


@dataclass(frozen=True)
class Estimator:
    """A way of estimating, as the rows of Table 1 name it.

    Attributes
    ----------
    learner
        Its name on the command line.
    states
        Hidden states.
    prior
        alpha_x and alpha_y; without meaning for EM.
    """

    learner: str
    states: int
    prior: Prior = field(default_factory=Prior)

    @property
    def label(self) -> str:
        """The name in the table: ``VB(0.1, 0.0001)``, ``EM``."""
        short = _SHORT.get(self.learner, self.learner)
        return (
            short
            if self.learner in WITHOUT_PRIOR
            else f"{short}({self.prior.emission:g}, {self.prior.transition:g})"
        )

    def make(self, corpus: Corpus, **settings: Any) -> Tagger:
        """Return the learner on a corpus."""
        return make_learner(self.learner, corpus, states=self.states, prior=self.prior, **settings)


def _row(learner: str, states: int, priors: tuple[float, float], *cells: float) -> tuple[Estimator, _Cells]:
    pairs = tuple(zip(cells[::2], cells[1::2], strict=True))
    return Estimator(learner, states, Prior(*priors)), pairs


# Mean, then standard deviation, of each column, over 10 runs of 1,000 iterations (GS: 5 of 50,000).
_ANY, _TINY = 0.1, 1e-4
TABLE_1: dict[Estimator, _Cells] = dict(
    (
        _row("em", 50, (_ANY, _ANY), 0.40, 0.02, 0.62, 0.01, 4.46, 0.08, 1.75, 0.04, 2.71, 0.06),
        _row("vb", 50, (0.1, 0.1), 0.47, 0.02, 0.50, 0.02, 4.28, 0.09, 2.39, 0.07, 1.89, 0.06),
        _row("vb", 50, (0.1, _TINY), 0.46, 0.03, 0.50, 0.02, 4.28, 0.11, 2.39, 0.08, 1.90, 0.07),
        _row("vb", 50, (_TINY, 0.1), 0.42, 0.02, 0.60, 0.01, 4.63, 0.07, 1.86, 0.03, 2.77, 0.05),
        _row("vb", 50, (_TINY, _TINY), 0.42, 0.02, 0.60, 0.01, 4.62, 0.07, 1.85, 0.03, 2.76, 0.06),
        _row("gibbs", 50, (0.1, 0.1), 0.37, 0.02, 0.51, 0.01, 5.45, 0.07, 2.35, 0.09, 3.20, 0.03),
        _row("gibbs", 50, (0.1, _TINY), 0.38, 0.01, 0.51, 0.01, 5.47, 0.04, 2.26, 0.03, 3.22, 0.01),
        _row("gibbs", 50, (_TINY, 0.1), 0.36, 0.02, 0.49, 0.01, 5.73, 0.05, 2.41, 0.04, 3.31, 0.03),
        _row("gibbs", 50, (_TINY, _TINY), 0.37, 0.02, 0.49, 0.01, 5.74, 0.03, 2.42, 0.02, 3.32, 0.02),
        _row("em", 40, (_ANY, _ANY), 0.42, 0.03, 0.60, 0.02, 4.37, 0.14, 1.84, 0.07, 2.55, 0.08),
        _row("em", 25, (_ANY, _ANY), 0.46, 0.03, 0.56, 0.02, 4.23, 0.17, 2.05, 0.09, 2.19, 0.08),
        _row("em", 10, (_ANY, _ANY), 0.41, 0.01, 0.43, 0.01, 4.32, 0.04, 2.74, 0.03, 1.58, 0.05),
    )
)
