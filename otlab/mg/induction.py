"""Induce the probabilities of a lexicon from sentences, and compare lexicons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from otlab import __version__
from otlab.errors import InputError, did_you_mean
from otlab.inference.run import fit, run
from otlab.mg.corpus import ParsedCorpus, parse_corpus
from otlab.mg.em import EM, MAP
from otlab.mg.gibbs import Gibbs
from otlab.mg.grammar import Grammar
from otlab.mg.prefix import well_formed_mass
from otlab.mg.symmetry import symmetry_warning
from otlab.mg.vb import VB

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otlab.inference import Run, Tick
    from otlab.mg.learners import CorpusLearner, Init, Snapshot
    from otlab.mg.lexicon import Lexicon

__all__ = [
    "LEARNERS",
    "Comparison",
    "Induction",
    "LearnerName",
    "compare",
    "conclude",
    "induce",
    "make_learner",
]

LearnerName = Literal["vb", "em", "map", "gibbs"]
LEARNERS: tuple[LearnerName, ...] = get_args(LearnerName)
_CLASSES: dict[str, type[VB | EM | MAP | Gibbs]] = {"vb": VB, "em": EM, "map": MAP, "gibbs": Gibbs}


@dataclass(frozen=True)
class Induction:
    """What was learnt.

    Attributes
    ----------
    grammar, corpus
        What was learnt from.
    snapshot : Snapshot
        The best restart's parameters, counts, ln Z and trace.
    objectives
        The last objective of each restart.
    well_formed_mass
        W at the mean of the last omega.
    warnings
        ``symmetric start: ...`` where tied items exist.
    learner, seed, settings, versions
        With these it can be made again.
    """

    grammar: Grammar
    corpus: ParsedCorpus
    snapshot: Snapshot
    objectives: tuple[float, ...]
    well_formed_mass: float
    warnings: tuple[str, ...]
    learner: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def elbo(self) -> np.ndarray:
        """The ELBO of each iteration, from the start."""
        return self.snapshot.trace[:, 0]

    def by_item(self, values: np.ndarray) -> dict[str, float]:
        """Return values by item as the file writes it."""
        return {t: float(v) for t, v in zip(self.grammar.lexicon.texts, values, strict=True)}

    def by_category(self, values: np.ndarray) -> dict[str, dict[str, float]]:
        """Return values by category and item."""
        lexicon = self.grammar.lexicon
        found: dict[str, dict[str, float]] = {c: {} for c in lexicon.categories}
        for item, text, value in zip(lexicon.items, lexicon.texts, values, strict=True):
            found[item.category][text] = float(value)
        return found

    def log_z(self) -> dict[str, float]:
        """Return ln Z of each parsed sentence."""
        return {
            " ".join(s): float(z) for s, z in zip(self.corpus.sentences, self.snapshot.log_z, strict=True)
        }


def make_learner(
    name: str, corpus: ParsedCorpus, alpha: np.ndarray, *, init: Init = "prior", tol: float = 0.0
) -> VB | EM | MAP | Gibbs:
    """Return a learner by its name.

    Raises
    ------
    InputError
        If there is no such learner, or its settings are impossible.
    """
    if name not in _CLASSES:
        raise InputError(f"there is no learner {name!r}; {did_you_mean(name, LEARNERS)}")
    return _CLASSES[name](corpus, alpha, init, tol)


def induce(
    lexicon: Lexicon | Grammar,
    corpus: Iterable[Sequence[str]] | ParsedCorpus | None = None,
    *,
    learner: LearnerName = "vb",
    alpha: float | None = None,
    iterations: int = 50,
    init: Init = "prior",
    restarts: int = 1,
    tol: float = 0.0,
    seed: int | None = None,
    threads: int | None = None,
) -> Induction:
    """Induce the probabilities of lexical items.

    Parameters
    ----------
    lexicon
        The grammar, perhaps compiled.
    corpus
        Sentences as sequences of words, repetitions counted; the lexicon's own if None.
    learner
        ``vb``, ``em``, ``map`` or ``gibbs``.
    alpha
        One pseudo-count for all items; the lexicon's own if None.
    iterations, tol
        How many; stop when the objective rises by no more than `tol` (0: never).
    init
        Where to start: ``prior``, ``jitter`` (random) or ``counts``.
    restarts
        Independent runs; the best objective is kept.
    seed, threads
        Root seed, a fresh one if None; worker threads, which change no number.

    Raises
    ------
    InputError
        If no sentence has a derivation, or an option is impossible.
    """
    grammar = lexicon if isinstance(lexicon, Grammar) else Grammar(lexicon)
    if alpha is not None and not 0 < alpha < np.inf:
        raise InputError(f"alpha = {alpha:g}: a pseudo-count is above 0; try 0.5")
    alphas = grammar.lexicon.alphas() if alpha is None else np.full(len(grammar.lexicon), float(alpha))
    sentences = grammar.lexicon.corpus if corpus is None else corpus
    parsed = sentences if isinstance(sentences, ParsedCorpus) else parse_corpus(grammar, sentences)
    made = make_learner(learner, parsed, alphas, init=init, tol=tol)
    going = run(made, sweeps=iterations, seed=seed, chains=restarts, threads=threads)
    return conclude(grammar, going, fit(going))


def conclude(grammar: Grammar, going: Run[Any, Any], tick: Tick[Snapshot]) -> Induction:
    """Return what a run has found so far: the restart with the best objective."""
    learner: CorpusLearner = going.learner  # type: ignore[assignment]  # runs here are over corpora
    best = max(tick.views, key=lambda view: view.objective)
    settings = {
        "learner": going.learner.name,
        "alpha": _shown(learner.alpha),
        "iterations": going.total,
        "init": learner.start_at,
        "restarts": going.chains,
        "tol": learner.tol,
    }
    return Induction(
        grammar,
        learner.corpus,
        best,
        tuple(view.objective for view in tick.views),
        well_formed_mass(grammar, best.theta),
        tuple(_warnings(grammar, learner, best)),
        going.learner.name,
        going.seed,
        settings,
        {"otlab": __version__, "numpy": np.__version__},
    )


def _shown(alpha: np.ndarray) -> float | list[float]:
    return float(alpha[0]) if np.ptp(alpha) == 0 else alpha.tolist()


def _warnings(grammar: Grammar, learner: CorpusLearner, best: Snapshot) -> list[str]:
    """Return what is suspicious; tied counts stay tied, so the last tell of the first."""
    symmetric = symmetry_warning(grammar.lexicon, learner.alpha, best.counts)
    lacking = f"{len(learner.corpus.unparsed)} different sentences have no derivation and are left out"
    return [w for w in (symmetric, lacking if learner.corpus.unparsed else None) if w]


@dataclass(frozen=True)
class Comparison:
    """How one lexicon does on a corpus.

    Attributes
    ----------
    name
        The lexicon's.
    elbo
        Of the training sentences it parses.
    held_out_log_z
        ln Z a word of the held-out sentences it parses, at the posterior mean, not
        divided by W; nan if it parses none.
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
    """Compare theories of grammar by how well they predict sentences they have not seen.

    Parameters
    ----------
    lexicons
        The theories.
    corpus
        Sentences; a random share is held out, the same for all.
    held_out
        That share, between 0 and 1.
    alpha, iterations, restarts
        As for :func:`induce`; the starts are jittered.
    seed
        For the split and the starts.

    Notes
    -----
    ELBOs are comparable only between lexicons that parse the same sentences.
    """
    if not 0 < held_out < 1 or len(corpus) < 2:
        raise InputError("to compare, give at least 2 sentences and a held-out share between 0 and 1")
    order = np.random.default_rng(seed).permutation(len(corpus))
    cut = min(len(corpus) - 1, max(1, round(held_out * len(corpus))))
    test, train = ([tuple(corpus[i]) for i in part] for part in (order[:cut], order[cut:]))
    return [_compared(lexicon, train, test, alpha, iterations, restarts, seed) for lexicon in lexicons]


def _compared(
    lexicon: Lexicon,
    train: list[tuple[str, ...]],
    test: list[tuple[str, ...]],
    alpha: float | None,
    iterations: int,
    restarts: int,
    seed: int,
) -> Comparison:
    grammar = Grammar(lexicon)
    found = induce(
        grammar, train, alpha=alpha, iterations=iterations, init="jitter", restarts=restarts, seed=seed
    )
    unseen = parse_corpus(grammar, test)
    log_z, parsed = 0.0, 0
    with np.errstate(divide="ignore"):
        log_theta = np.log(found.snapshot.theta)
    for words in unseen.sentences:
        forest = grammar.forest(words)
        z = forest.log_z(log_theta[grammar.slot_items(words, forest)]) - unseen.packed.log_starts
        log_z += unseen.counts[words] * z
    parsed = unseen.size
    return Comparison(
        lexicon.name,
        float(found.elbo[-1]),
        log_z / unseen.words if parsed else float("nan"),
        found.corpus.size / len(train),
        parsed / len(test),
        found.well_formed_mass,
    )
