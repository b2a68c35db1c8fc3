"""Compare lexicons, as theories of grammar, on one corpus.

Portelance et al. (2022, section 1) name this the purpose of their model. Every theory learns by VB
from the same training sentences and is judged on the same held-out sentences, at the mean of its
posterior, by four figures: the ELBO, ln Z per held-out word, the share of sentences with a derivation,
and the well-formed mass W.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from otlab.errors import InputError
from otlab.inference import fit
from otlab.mg.kernels.learn import em
from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus
from otlab.mg.learners.corpus_learner import advance, blank
from otlab.mg.learners.vb import VB
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.prefix import well_formed_mass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.lexicon import Lexicon

__all__ = ["Comparison", "Trial", "compare", "prepare", "shared_sentences", "split"]

Words = tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Figures of one lexicon on a corpus.

    Attributes
    ----------
    name
        The lexicon's name.
    elbo
        ELBO of the training sentences that it parses, in nats; nan if it parses none.
    held_out_log_z
        ln Z per word of the held-out sentences that it parses, in nats, at the posterior mean and
        not divided by W; nan if it parses none.
    parsed, held_out_parsed
        Share of sentences with a derivation.
    well_formed_mass
        W at the posterior mean.
    """

    name: str
    elbo: float
    held_out_log_z: float
    parsed: float
    held_out_parsed: float
    well_formed_mass: float


@dataclass(frozen=True)
class Trial:
    """One theory with its training and test sentences, parsed.

    Attributes
    ----------
    grammar
        The theory.
    train, test
        The two parts of the corpus.
    """

    grammar: Grammar
    train: ParsedCorpus
    test: ParsedCorpus

    def learner(self, alpha: float | None = None) -> VB:
        """Return VB from jittered starts, with the lexicon's own pseudo-counts if `alpha` is None.

        Raises
        ------
        InputError
            If the theory parses no training sentence.
        """
        lexicon = self.grammar.lexicon
        alphas = lexicon.alphas() if alpha is None else np.full(len(lexicon), float(alpha))
        return VB(self.train, alphas, "jitter")

    def judge(self, snapshot: Snapshot | None) -> Comparison:
        """Return the figures of the learnt grammar; of the prior mean if nothing was learnt from."""
        theta = self.grammar.lexicon.prior_mean() if snapshot is None else snapshot.theta
        test = self.test
        log_z = float(test.packed.weight @ _log_z(test, theta)) if test.sentences else np.nan
        return Comparison(
            self.grammar.lexicon.name,
            np.nan if snapshot is None else snapshot.objective,
            log_z / test.words if test.words else np.nan,
            self.train.size / sum(self.train.counts.values()),
            test.size / sum(test.counts.values()),
            well_formed_mass(self.grammar, theta),
        )

    @cached_property
    def parses(self) -> frozenset[Words]:
        """The sentences of both parts that have a derivation."""
        return frozenset((*self.train.sentences, *self.test.sentences))


def _log_z(corpus: ParsedCorpus, theta: np.ndarray) -> np.ndarray:
    state = advance(em, corpus, np.zeros_like(theta), blank(corpus, theta.copy()), 0, 0.0)
    return state.log_z


def split(
    corpus: Sequence[Sequence[str]], held_out: float = 0.25, seed: int = 0
) -> tuple[list[Words], list[Words]]:
    """Return the training and the held-out sentences, chosen at random, at least one of each.

    Raises
    ------
    InputError
        If there are fewer than 2 sentences, or the share is not between 0 and 1.
    """
    if not 0 < held_out < 1 or len(corpus) < 2:
        raise InputError("to compare, give at least 2 sentences and a held-out share between 0 and 1")
    order = np.random.default_rng(seed).permutation(len(corpus))
    cut = min(len(corpus) - 1, max(1, round(held_out * len(corpus))))
    test, train = ([tuple(corpus[i]) for i in part] for part in (order[:cut], order[cut:]))
    return train, test


def prepare(lexicon: Lexicon | Grammar, train: Sequence[Words], test: Sequence[Words]) -> Trial:
    """Return a theory with both parts of the corpus parsed."""
    grammar = Grammar.of(lexicon)
    return Trial(grammar, parse_corpus(grammar, train), parse_corpus(grammar, test))


def shared_sentences(lexicons: Sequence[Lexicon], corpus: Sequence[Sequence[str]]) -> list[Words]:
    r"""Return the sentences, repetitions kept, that every lexicon parses.

    ELBOs are comparable only between lexicons that parse the same sentences.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> free = loads("@start v\nMary :: d\nJohn :: d\nsleeps :: d= v")
    >>> strict = loads("@start v\nMary :: d\nsleeps :: d= v")
    >>> shared_sentences([free, strict], [("Mary", "sleeps"), ("John", "sleeps")])
    [('Mary', 'sleeps')]
    """
    kept = [tuple(words) for words in corpus]
    for lexicon in lexicons:
        parsed = frozenset(parse_corpus(Grammar(lexicon), kept).sentences) if kept else frozenset()
        kept = [words for words in kept if words in parsed]
    return kept


def compare(
    lexicons: Sequence[Lexicon],
    corpus: Sequence[Sequence[str]],
    *,
    held_out: float = 0.25,
    alpha: float | None = None,
    iterations: int = 50,
    restarts: int = 5,
    seed: int = 0,
) -> list[Comparison]:
    r"""Compare theories of grammar by how well they predict held-out sentences.

    Parameters
    ----------
    lexicons
        The theories.
    corpus
        Sentences; a random share is held out, the same for all.
    held_out
        That share, between 0 and 1.
    alpha
        One pseudo-count for all items; each lexicon's own if None.
    iterations, restarts
        Of VB, from jittered starts; the best ELBO is kept.
    seed
        For the split and the starts.

    Raises
    ------
    InputError
        If the corpus cannot be split, or a chart is too large.

    Notes
    -----
    ELBOs are comparable only between lexicons that parse the same sentences; see
    :func:`shared_sentences`. A theory that parses no training sentence is judged at its
    prior mean, its ELBO is nan.

    Examples
    --------
    >>> from otlab.mg import loads
    >>> free = loads("@start v\nMary :: d\nJohn :: d\nsleeps :: d= v")
    >>> strict = loads("@start v\nMary :: d\nsleeps :: d= v")
    >>> sentences = [("Mary", "sleeps"), ("John", "sleeps")] * 4
    >>> [round(found.parsed, 2) for found in compare([free, strict], sentences)]
    [1.0, 0.33]
    """
    train, test = split(corpus, held_out, seed)
    trials = [prepare(lexicon, train, test) for lexicon in lexicons]
    return [t.judge(_learnt(t, alpha, iterations, restarts, seed)) for t in trials]


def _learnt(trial: Trial, alpha: float | None, iterations: int, restarts: int, seed: int) -> Snapshot | None:
    if not trial.train.sentences:
        return None
    fitted = fit(trial.learner(alpha), steps=iterations, seed=seed, chains=restarts)
    return fitted.views[fitted.best(lambda view: view.objective)]
