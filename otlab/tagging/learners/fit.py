"""The learners by name, and fitting one in a line.

>>> from otlab.tagging import simulate_hmm
>>> fitted = fit_vb(simulate_hmm(2000, 1), states=8, iterations=5, seed=1)
>>> fitted.view.objective.size, fitted.seed
(6, 1)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from otlab.errors import InputError, did_you_mean
from otlab.inference import run
from otlab.tagging.learners.blocked import CollapsedBlockedGibbs
from otlab.tagging.learners.em import EM, MapEM
from otlab.tagging.learners.explicit import BlockedGibbs, ExplicitGibbs
from otlab.tagging.learners.gibbs import CollapsedGibbs
from otlab.tagging.learners.vb import VB
from otlab.tagging.model import Model

if TYPE_CHECKING:
    from otlab.inference import Run
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.view import View

__all__ = ["LEARNERS", "Fitted", "Tagger", "fit_em", "fit_gibbs", "fit_vb", "make_learner"]

Tagger = EM | VB | CollapsedGibbs | ExplicitGibbs | BlockedGibbs | CollapsedBlockedGibbs

_CLASSES: tuple[type[Tagger], ...] = (
    EM, MapEM, VB, CollapsedGibbs, ExplicitGibbs, BlockedGibbs, CollapsedBlockedGibbs,
)  # fmt: skip
LEARNERS: dict[str, type[Tagger]] = {each.name: each for each in _CLASSES}


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """A finished run of one seed.

    Attributes
    ----------
    view
        Traces, labels and counts at its end.
    model
        The tagger, to label new text with.
    seed, seconds
        The run's root seed, and the time its updates took.
    """

    view: View
    model: Model
    seed: int
    seconds: float

    def __repr__(self) -> str:
        return f"<Fitted {self.model!r}, {self.view!r}>"


def make_learner(name: str, corpus: Corpus, **settings: Any) -> Tagger:
    """Return a learner by its name on the command line.

    Parameters
    ----------
    name
        em, map-em, vb, gibbs, gibbs-explicit, gibbs-blocked, gibbs-collapsed-blocked.
    corpus
        What to learn from.
    **settings
        Those the learner has no use for (EM's prior, Gibbs's decoding) are left out.
    """
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}; {did_you_mean(name, list(LEARNERS))}")
    known = {f.name for f in fields(LEARNERS[name])}
    return LEARNERS[name](corpus, **{key: value for key, value in settings.items() if key in known})


def finish(going: Run[Any, View]) -> Fitted:
    """Exhaust a run of one chain and return its end."""
    tick = going.finish()
    return Fitted(tick.view, model_of(going), going.seed, tick.seconds)


def model_of(going: Run[Any, View]) -> Model:
    """Return the tagger of a run's first chain; call it between ticks."""
    learner: Any = going.learner
    corpus: Corpus = learner.corpus
    return Model.of(
        learner.weights(going.states[0]),
        corpus.vocabulary,
        learner=learner.name,
        seed=going.seed,
        normalize=corpus.normalize,
    )


def fit_em(corpus: Corpus, *, iterations: int = 200, seed: int | None = None, **settings: Any) -> Fitted:
    """Fit by EM; settings are those of :class:`~otlab.tagging.learners.em.EM`."""
    return finish(run(EM(corpus, **settings), sweeps=iterations, seed=seed))


def fit_vb(corpus: Corpus, *, iterations: int = 200, seed: int | None = None, **settings: Any) -> Fitted:
    """Fit by Variational Bayes; settings are those of :class:`~otlab.tagging.learners.vb.VB`."""
    return finish(run(VB(corpus, **settings), sweeps=iterations, seed=seed))


def fit_gibbs(corpus: Corpus, *, iterations: int = 1000, seed: int | None = None, **settings: Any) -> Fitted:
    """Sample by collapsed Gibbs.

    Settings are those of :class:`~otlab.tagging.learners.gibbs.CollapsedGibbs`.
    """
    return finish(run(CollapsedGibbs(corpus, **settings), sweeps=iterations, seed=seed))
