"""Induce the probabilities of a lexicon from sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from otlab import __version__
from otlab.errors import InputError, did_you_mean
from otlab.inference.run import fit, run
from otlab.mg.corpus import ParsedCorpus, parse_corpus
from otlab.mg.em import EM, MAP
from otlab.mg.gibbs import Gibbs
from otlab.mg.grammar import Grammar
from otlab.mg.learners import dirichlet_intervals
from otlab.mg.prefix import well_formed_mass
from otlab.mg.sentences import sentence_text
from otlab.mg.symmetry import symmetry_warning
from otlab.mg.vb import VB

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from otlab.inference import Run, Tick
    from otlab.mg.learners import CorpusLearner, Init, Snapshot
    from otlab.mg.lexicon import Lexicon

__all__ = [
    "LEARNERS",
    "Induction",
    "LearnerName",
    "conclude",
    "induce",
    "make_learner",
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

    @property
    def parameters(self) -> pd.DataFrame:
        """Each item's category, probability with its 95 % interval, and expected uses.

        The interval is that of a margin of the category's Dirichlet, a Beta; after EM and MAP it
        says how far the counts would let the probability vary.
        """
        import pandas as pd

        lexicon, found = self.grammar.lexicon, self.snapshot
        low, high = dirichlet_intervals(found.omega, lexicon.category_index)
        columns = {
            "category": [item.category for item in lexicon.items],
            "probability": found.theta,
            "low": low,
            "high": high,
            "uses": found.counts,
        }
        return pd.DataFrame(columns, index=pd.Index(lexicon.texts, name="item"))

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
    learner = cast("CorpusLearner", going.learner)  # runs here are over corpora
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
