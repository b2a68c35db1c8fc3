"""Fit a tagger to a corpus: ``fit_em``, ``fit_vb``, ``fit_gibbs``.

>>> from otlab.tagging import simulate_hmm
>>> fitted = fit_vb(simulate_hmm(2000, 1), states=8, iterations=5, seed=1)
>>> fitted.view.objective.size, fitted.seed
(6, 1)
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.em import EM
from otlab.tagging.learners.gibbs import CollapsedGibbs
from otlab.tagging.learners.vb import VB

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.fitted import Fitted
    from otlab.tagging.learners.expectation import ExpectationLearner
    from otlab.tagging.learners.sampling import GibbsSampler

    Tagger = ExpectationLearner | GibbsSampler[Any]

__all__ = ["fit_em", "fit_gibbs", "fit_vb", "make_learner"]


def make_learner(name: str, corpus: Corpus, **settings: Any) -> Tagger:
    """Return a learner by its name in :data:`~otlab.tagging.learners.LEARNERS`.

    Parameters
    ----------
    name
        em, map-em, vb, gibbs, gibbs-explicit, gibbs-blocked, gibbs-collapsed-blocked.
    corpus
        What to learn from.
    **settings
        Arguments of the learner's class. Those it does not have (EM's prior, Gibbs's decoding)
        are left out.

    Raises
    ------
    InputError
        If there is no learner of this name.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> make_learner("vb", corpus, states=3).name
    'vb'
    """
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}; {did_you_mean(name, list(LEARNERS))}")
    entry = LEARNERS[name]
    learner: Tagger = entry.make(corpus, entry.settings())
    known = {f.name for f in fields(learner)}
    return replace(learner, **{key: value for key, value in settings.items() if key in known})


def fit_em(
    corpus: Corpus, *, iterations: int = 200, chains: int = 1, seed: int | None = None, **settings: Any
) -> Fitted:
    """Fit by EM.

    Parameters
    ----------
    corpus
        The text; gold tags only score the result.
    iterations
        Updates of each chain.
    chains
        Runs from different starts; chain k has the seed ``run_seed(seed, k)``.
    seed
        Root seed; a fresh one if None. It is kept in the result.
    **settings
        Arguments of :class:`~otlab.tagging.learners.em.EM`: ``states``, ``start``, ...

    Raises
    ------
    InputError
        If a setting is out of range, or no state sequence can produce a sentence.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_em(corpus, states=3, iterations=5, seed=1)
    <Fitted <Model by em: 3 states, 20 words, seed 1>, <View of em: iteration 5, 3 of 3 states used>>
    """
    return cast("Fitted", fit(EM(corpus, **settings), steps=iterations, chains=chains, seed=seed))


def fit_vb(
    corpus: Corpus, *, iterations: int = 200, chains: int = 1, seed: int | None = None, **settings: Any
) -> Fitted:
    """Fit by Variational Bayes (Johnson 2007).

    Parameters and errors are those of :func:`fit_em`; settings are arguments of
    :class:`~otlab.tagging.learners.vb.VB`: ``states``, ``emission_prior``, ``transition_prior``, ...

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_vb(corpus, states=3, iterations=5, seed=1).view
    <View of vb: iteration 5, 3 of 3 states used>
    """
    return cast("Fitted", fit(VB(corpus, **settings), steps=iterations, chains=chains, seed=seed))


def fit_gibbs(
    corpus: Corpus, *, iterations: int = 1000, chains: int = 1, seed: int | None = None, **settings: Any
) -> Fitted:
    """Sample by collapsed Gibbs (Johnson 2007).

    Parameters and errors are those of :func:`fit_em`, `iterations` being sweeps; settings are
    arguments of :class:`~otlab.tagging.learners.gibbs.CollapsedGibbs`.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_gibbs(corpus, states=3, iterations=5, seed=1).view
    <View of gibbs: iteration 5, 3 of 3 states used>
    """
    return cast("Fitted", fit(CollapsedGibbs(corpus, **settings), steps=iterations, chains=chains, seed=seed))
