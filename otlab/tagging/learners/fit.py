"""Fit a tagger to a corpus: ``fit_em``, ``fit_vb``, ``fit_gibbs``, ``fit_supervised``.

>>> from otlab.tagging import simulate_hmm
>>> fitted = fit_vb(simulate_hmm(2000, 1), states=8, iterations=5, seed=1)
>>> fitted.view.objective.size, fitted.seed
(6, 1)
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

from otlab.errors import InputError, check_data, check_options, did_you_mean
from otlab.inference import fit
from otlab.tagging.corpus import Corpus
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.em import EM
from otlab.tagging.learners.gibbs import CollapsedGibbs
from otlab.tagging.learners.supervised import Supervised
from otlab.tagging.learners.vb import VB

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.tagging.fitted import Fitted
    from otlab.tagging.learners.expectation import ExpectationLearner
    from otlab.tagging.learners.sampling import GibbsSampler

    Tagger = ExpectationLearner | GibbsSampler[Any]

__all__ = ["fit_em", "fit_gibbs", "fit_supervised", "fit_vb", "make_learner"]


def make_learner(name: str, corpus: Corpus, **settings: Any) -> Tagger:
    """Return a learner by its name in :data:`~otlab.tagging.learners.LEARNERS`.

    Parameters
    ----------
    name
        One of the registry, such as em, vb, vb-hdp, gibbs, ihmm or supervised.
    corpus
        What to learn from.
    **settings
        Arguments of the learners' classes. Those it does not have (EM's prior, Gibbs's decoding)
        are left out.

    Raises
    ------
    InputError
        If there is no learner of this name, or no learner has such a setting.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> make_learner("vb", corpus, states=3).name
    'vb'
    """
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}; {did_you_mean(name, list(LEARNERS))}")
    check_options("make_learner", settings, _OF_SOME_LEARNER)
    entry = LEARNERS[name]
    learner: Tagger = entry.make(corpus, entry.settings())
    known = {f.name for f in fields(learner)}
    return replace(learner, **{key: value for key, value in settings.items() if key in known})


_OF_SOME_LEARNER = (
    "states", "prior", "start", "precision", "decode", "annealing", "allowed", "known",
    "learn_priors", "weight_sd", "new_states", "row_concentration", "sticky", "state_priors", "discount",
    "threads",
)  # fmt: skip


def _learner(name: str, make: Callable[..., Any], corpus: Corpus, given: dict[str, Any]) -> Any:
    """Return a learner from arguments of its class and settings as the command line names them."""
    function = f"fit_{name}"
    check_data(function, corpus, Corpus, "make one with otlab.tagging.read or Corpus.from_sentences")
    own = [f.name for f in fields(cast("Any", make)) if f.name != "corpus"]
    settings = LEARNERS[name].settings
    named = [key for key in settings.param if key != "name"]
    check_options(function, given, [*dict.fromkeys([*named, *own]), "iterations", "chains", "seed"])
    arguments = {key: value for key, value in given.items() if key in own}
    if given.keys() - arguments.keys():
        try:
            chosen: Any = settings(**{key: value for key, value in given.items() if key in named})
        except ValueError as error:
            raise InputError(f"{function}: {error}") from None
        arguments = {**chosen.arguments(corpus), **arguments}
    return make(corpus, **arguments)


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
        Settings as the command line has them (``states``, ``init``, ``dictionary``, ...), or arguments
        of :class:`~otlab.tagging.learners.em.EM` (``start``, ``allowed``, ...).

    Raises
    ------
    InputError
        If there is no such setting, one is out of range, or no state sequence can produce a sentence.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_em(corpus, states=3, iterations=5, seed=1)
    <Fitted <Model by em: 3 states, 20 words, seed 1>, <View of em: iteration 5, 3 of 3 states used>>
    """
    learner = _learner("em", EM, corpus, settings)
    return cast("Fitted", fit(learner, steps=iterations, chains=chains, seed=seed))


def fit_vb(
    corpus: Corpus, *, iterations: int = 200, chains: int = 1, seed: int | None = None, **settings: Any
) -> Fitted:
    """Fit by Variational Bayes (Johnson 2007).

    Parameters and errors are those of :func:`fit_em`; settings are also ``emission_prior`` and
    ``transition_prior``, or the ``prior`` of :class:`~otlab.tagging.learners.vb.VB`.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_vb(corpus, states=3, iterations=5, seed=1).view
    <View of vb: iteration 5, 3 of 3 states used>
    """
    learner = _learner("vb", VB, corpus, settings)
    return cast("Fitted", fit(learner, steps=iterations, chains=chains, seed=seed))


def fit_gibbs(
    corpus: Corpus, *, iterations: int = 1000, chains: int = 1, seed: int | None = None, **settings: Any
) -> Fitted:
    """Sample by collapsed Gibbs (Johnson 2007).

    Parameters and errors are those of :func:`fit_vb`, `iterations` being sweeps.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> fit_gibbs(corpus, states=3, iterations=5, seed=1).view
    <View of gibbs: iteration 5, 3 of 3 states used>
    """
    learner = _learner("gibbs", CollapsedGibbs, corpus, settings)
    return cast("Fitted", fit(learner, steps=iterations, chains=chains, seed=seed))


def fit_supervised(corpus: Corpus, *, seed: int | None = None, **settings: Any) -> Fitted:
    """Count the known tags of a text (Merialdo 1994), and label the rest.

    Parameters
    ----------
    corpus
        A tagged text, whole or in part.
    seed
        Kept in the result; nothing is random.
    **settings
        ``known_tags`` (the first 90 % of sentences by default; what they leave is scored),
        ``emission_prior``, ``transition_prior``, ``decode``, ``dictionary``, or arguments of
        :class:`~otlab.tagging.learners.supervised.Supervised`. There are as many states as tags by default.

    Raises
    ------
    InputError
        If no tag is known, there is no such setting or one is out of range.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(2000, 1, tags=3, types=40)
    >>> fitted = fit_supervised(corpus, known_tags="50%", seed=1)
    >>> round(fitted.accuracy()["viterbi"].all, 2)
    0.97
    """
    states = {"states": max(len(corpus.tagset), 1)}
    learner = _learner("supervised", Supervised, corpus, {**states, **settings})
    return cast("Fitted", fit(learner, steps=1, seed=seed))
