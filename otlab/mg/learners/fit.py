"""Induce the probabilities of a lexicon from sentences."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from otlab.errors import InputError, did_you_mean
from otlab.inference import fit
from otlab.mg.learners import LEARNERS
from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus
from otlab.mg.parsing.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np

    from otlab.inference import Learner, Tick
    from otlab.mg.learners.corpus_learner import Init
    from otlab.mg.learners.induction import Induction
    from otlab.mg.learners.snapshot import Snapshot, State
    from otlab.mg.lexicon import Lexicon

__all__ = ["induce", "make_learner"]


def make_learner(
    name: str,
    corpus: ParsedCorpus,
    alpha: float | np.ndarray | None = None,
    *,
    init: Init = "prior",
    tol: float = 0.0,
) -> Learner[State, Snapshot]:
    """Return a learner by its name.

    Parameters
    ----------
    name
        One of :data:`~otlab.mg.learners.LEARNERS`.
    corpus
        The parsed sentences.
    alpha
        One pseudo-count for all items, or one for each; the lexicon's own if None.
    init, tol
        As for :func:`induce`.

    Raises
    ------
    InputError
        If there is no such learner, or a setting has an impossible value.
    """
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}; {did_you_mean(name, list(LEARNERS))}")
    learner: Learner[State, Snapshot] = LEARNERS[name].make(
        corpus, SimpleNamespace(alpha=alpha, init=init, tol=tol)
    )
    return learner


def induce(
    lexicon: Lexicon | Grammar,
    corpus: Iterable[Sequence[str]] | Mapping[tuple[str, ...], int] | ParsedCorpus | None = None,
    *,
    learner: str = "vb",
    alpha: float | np.ndarray | None = None,
    iterations: int | None = None,
    init: Init = "prior",
    restarts: int | None = None,
    tol: float = 0.0,
    seed: int | None = None,
    threads: int | None = None,
    watch: Callable[[Tick[Snapshot]], object] | None = None,
) -> Induction:
    """Induce the probabilities of lexical items.

    Parameters
    ----------
    lexicon
        A lexicon, or the grammar made of it.
    corpus
        Sentences, each a string or a sequence of words, repetitions counted, or a mapping of
        sentences to their counts; the lexicon's own if None.
    learner
        ``vb``, ``em``, ``map`` or ``gibbs``.
    alpha
        One pseudo-count for all items, or one for each; the lexicon's own if None.
    iterations, tol
        Number of iterations (default 50; Gibbs: 2,000 sweeps); the run ends earlier when one raises the
        objective by no more than `tol` (0: never).
    init
        Where to start: ``prior``, ``jitter`` (random) or ``counts``.
    restarts
        Independent starts (default 1), of which that with the best objective is kept; for Gibbs, chains
        (default 4), which are pooled.
    seed, threads
        Root seed, a fresh one if None; worker threads, which change no number.
    watch
        Called with each tick; the run stops if it returns true, or at Ctrl-C. See
        :func:`otlab.inference.fit`.

    Raises
    ------
    InputError
        If no sentence has a derivation, or an option has an impossible value.

    Examples
    --------
    >>> from otlab.samples import load_sample
    >>> found = induce(load_sample("figure1_wh"), ["what did you see"] * 3 + ["what did see you"], seed=1)
    >>> found.parameters[["category", "uses"]].round(1)
                   category  uses
    item
    what :: d -wh         d   4.0
    see :: d= =d v        v   4.0
    you :: d              d   4.0
    did :: =v i           i   4.0
    ε :: =i +wh c         c   4.0
    """
    grammar = Grammar.of(lexicon)
    sentences = grammar.lexicon.corpus if corpus is None else corpus
    parsed = sentences if isinstance(sentences, ParsedCorpus) else parse_corpus(grammar, sentences)
    made = make_learner(learner, parsed, alpha, init=init, tol=tol)
    usual = LEARNERS[learner].settings()
    fitted = fit(
        made,
        steps=usual.iterations if iterations is None else iterations,
        chains=usual.restarts if restarts is None else restarts,
        seed=seed,
        threads=threads,
        watch=watch,
    )
    return cast("Induction", fitted)
