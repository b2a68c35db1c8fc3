"""Induce the probabilities of a lexicon from sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from otlab import __version__
from otlab.errors import InputError, did_you_mean
from otlab.inference import run
from otlab.inference.random import run_seed
from otlab.mg.learners.common import Snapshot, dirichlet_intervals
from otlab.mg.learners.corpus import ParsedCorpus, parse_corpus
from otlab.mg.learners.draws import GibbsPosterior, posterior_of
from otlab.mg.learners.em import EM, MAP
from otlab.mg.learners.gibbs import Gibbs
from otlab.mg.learners.symmetry import symmetry_warning
from otlab.mg.learners.vb import VB
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.mg.sentences import sentence_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from otlab.inference import Run, Tick
    from otlab.mg.learners.common import CorpusLearner, Init
    from otlab.mg.lexicon import Lexicon

__all__ = [
    "LEARNERS",
    "Induction",
    "LearnerName",
    "conclude",
    "defaults",
    "induce",
    "make_learner",
    "pooled_snapshot",
]

LearnerName = Literal["vb", "em", "map", "gibbs"]
LEARNERS: tuple[LearnerName, ...] = get_args(LearnerName)
_CLASSES: dict[str, type[VB | EM | MAP | Gibbs]] = {"vb": VB, "em": EM, "map": MAP, "gibbs": Gibbs}


@dataclass(frozen=True, repr=False)
class Induction:
    """What was learnt.

    Attributes
    ----------
    grammar, corpus
        What was learnt from.
    snapshot : Snapshot
        The best restart's parameters, counts, ln Z and trace. Gibbs: means over all chains; the first
        chain's trace.
    objectives
        The last objective of each restart or chain.
    seeds
        The seed that repeats each of them alone.
    well_formed_mass
        W at the mean of the last omega.
    warnings
        ``symmetric start: ...`` where tied items exist.
    learner, seed, settings, versions
        With these it can be made again.
    alpha : ndarray of shape (items,)
        The pseudo-counts used.
    posterior : GibbsPosterior, optional
        Gibbs: draws of all chains, with intervals and diagnostics.
    """

    grammar: Grammar
    corpus: ParsedCorpus
    snapshot: Snapshot
    objectives: tuple[float, ...]
    seeds: tuple[int, ...]
    well_formed_mass: float
    warnings: tuple[str, ...]
    learner: str
    seed: int
    alpha: np.ndarray
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    posterior: GibbsPosterior | None = None

    @property
    def elbo(self) -> np.ndarray:
        """The ELBO of each iteration, from the start."""
        return self.snapshot.trace[:, 0]

    @property
    def parameters(self) -> pd.DataFrame:
        """Each item's category, probability with its 95 % interval, and expected uses.

        VB: a margin of the category's Dirichlet, a Beta; after EM and MAP the same says how far the
        counts would let the probability vary. Gibbs: quantiles of the draws, with R-hat and ESS.
        """
        import pandas as pd

        lexicon, found = self.grammar.lexicon, self.snapshot
        low, high = self.intervals()
        columns = {
            "category": [item.category for item in lexicon.items],
            "probability": found.theta,
            "low": low,
            "high": high,
            "uses": found.counts,
        }
        if self.posterior is not None:
            columns |= {"rhat": self.posterior.trust.rhat, "ess": self.posterior.trust.ess}
        return pd.DataFrame(columns, index=pd.Index(lexicon.texts, name="item"))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the 95 % interval of each item's probability; see :attr:`parameters`."""
        if self.posterior is not None:
            return self.posterior.low, self.posterior.high
        return dirichlet_intervals(self.snapshot.omega, self.grammar.lexicon.category_index)

    def __repr__(self) -> str:
        lexicon, corpus = self.grammar.lexicon, self.corpus
        return (
            f"<Induction by {self.learner}: {len(lexicon)} items of {lexicon.name or 'a lexicon'}, "
            f"{corpus.size} sentences, {self.snapshot.objective:.4f} nats, seed {self.seed}>"
        )

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
            sentence_text(s): float(z)
            for s, z in zip(self.corpus.sentences, self.snapshot.log_z, strict=True)
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
    alpha: float | np.ndarray | None = None,
    iterations: int | None = None,
    init: Init = "prior",
    restarts: int | None = None,
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
        One pseudo-count for all items, or one for each; the lexicon's own if None.
    iterations, tol
        How many (50; Gibbs: 2,000 sweeps); stop when the objective rises by no more than `tol`
        (0: never).
    init
        Where to start: ``prior``, ``jitter`` (random) or ``counts``.
    restarts
        Independent runs (1), the best objective is kept; for Gibbs chains (4), all are pooled.
    seed, threads
        Root seed, a fresh one if None; worker threads, which change no number.

    Raises
    ------
    InputError
        If no sentence has a derivation, or an option is impossible.
    """
    grammar = lexicon if isinstance(lexicon, Grammar) else Grammar(lexicon)
    alphas = grammar.lexicon.alphas()
    if alpha is not None:
        alphas = np.broadcast_to(np.asarray(alpha, dtype=float), alphas.shape).copy()
    if not ((alphas > 0) & (alphas < np.inf)).all():
        raise InputError(f"alpha = {alphas.min():g}: a pseudo-count is above 0; try 0.5")
    default_iterations, default_restarts = defaults(learner)
    iterations = default_iterations if iterations is None else iterations
    restarts = default_restarts if restarts is None else restarts
    sentences = grammar.lexicon.corpus if corpus is None else corpus
    parsed = sentences if isinstance(sentences, ParsedCorpus) else parse_corpus(grammar, sentences)
    made = make_learner(learner, parsed, alphas, init=init, tol=tol)
    going = run(made, sweeps=iterations, seed=seed, chains=restarts, threads=threads)
    return conclude(grammar, going, going.finish())


def defaults(learner: str) -> tuple[int, int]:
    """Return how many iterations and restarts (Gibbs: sweeps and chains) a learner does unless told.

    >>> defaults("vb"), defaults("gibbs")
    ((50, 1), (2000, 4))
    """
    return (2000, 4) if learner == "gibbs" else (50, 1)


def conclude(grammar: Grammar, going: Run[Any, Any], tick: Tick[Snapshot]) -> Induction:
    """Return what a run has found so far: the restart with the best objective; Gibbs pools its chains."""
    learner = cast("CorpusLearner", going.learner)  # runs here are over corpora
    posterior = None
    best = max(tick.views, key=lambda view: view.objective)
    if going.learner.name == "gibbs":
        posterior = posterior_of(grammar.lexicon, going, [view.draws for view in tick.views])
        best = pooled_snapshot(tick.views)
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
        tuple(run_seed(going.seed, k) for k in range(going.chains)),
        well_formed_mass(grammar, best.theta),
        (*_warnings(grammar, learner, best, posterior), *(posterior.warnings if posterior else ())),
        going.learner.name,
        going.seed,
        learner.alpha,
        settings,
        {"otlab": __version__, "numpy": np.__version__},
        posterior,
    )


def _shown(alpha: np.ndarray) -> float | list[float]:
    return float(alpha[0]) if np.ptp(alpha) == 0 else alpha.tolist()


def pooled_snapshot(views: Sequence[Snapshot]) -> Snapshot:
    """Return the means of several Gibbs chains of equal length; trace and ln Z of the first."""
    first = views[0]
    theta, counts, omega = (
        np.mean([getattr(view, name) for view in views], axis=0) for name in ("theta", "counts", "omega")
    )
    return Snapshot(omega, theta, counts, first.log_z, first.trace, first.draws)


def _warnings(
    grammar: Grammar, learner: CorpusLearner, best: Snapshot, posterior: GibbsPosterior | None
) -> list[str]:
    """Return what is suspicious; tied counts stay tied, so the last tell of the first."""
    # A sampler's mean counts may be tied without being stuck.
    symmetric = None if posterior else symmetry_warning(grammar.lexicon, learner.alpha, best.counts)
    missing = len(learner.corpus.unparsed)
    plural = "1 sentence has" if missing == 1 else f"{missing} different sentences have"
    lacking = f"{plural} no derivation and {'is' if missing == 1 else 'are'} left out" if missing else None
    return [w for w in (symmetric, lacking) if w]
