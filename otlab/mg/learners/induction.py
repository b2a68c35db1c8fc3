"""The result of learning the probabilities of a lexicon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import counted
from otlab.inference.fit import Fitted
from otlab.inference.notebook import result_html
from otlab.inference.rest import NOT_CONVERGED, unrest
from otlab.mg.learners.draws import WARMUP_SHARE, pool
from otlab.mg.learners.snapshot import Snapshot, State, dirichlet_intervals
from otlab.mg.learners.symmetry import symmetry_warning
from otlab.mg.parsing.prefix import well_formed_mass
from otlab.mg.sentences import sentence_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from otlab.inference.posterior import Posterior
    from otlab.mg.learners.corpus import ParsedCorpus
    from otlab.mg.learners.draws import GibbsPosterior
    from otlab.mg.parsing.grammar import Grammar

__all__ = ["Induction", "pooled_snapshot"]

_POINTS = {"vb": "posterior mean of VB", "em": "EM estimate", "map": "MAP estimate"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Induction(Fitted[State, Snapshot]):
    """Probabilities of lexical items, induced from sentences.

    Attributes
    ----------
    corpus : ParsedCorpus
        The parsed sentences that were learnt from.
    alpha : ndarray of shape (items,)
        The pseudo-counts used.
    start_at : {"prior", "jitter", "counts"}
        Where the learner started.
    tol : float
        The run was to end when an iteration raised the objective by no more than this; 0: never.
    """

    corpus: ParsedCorpus
    alpha: np.ndarray
    start_at: str
    tol: float

    @property
    def grammar(self) -> Grammar:
        """The grammar whose lexicon has the probabilities."""
        return self.corpus.grammar

    @cached_property
    def snapshot(self) -> Snapshot:
        """Parameters, counts, ln Z and trace of the best restart.

        Gibbs: means over all chains, and the first chain's ln Z and trace.
        """
        if self._sampled:
            return pooled_snapshot(self.views)
        return self.views[self.best(lambda view: view.objective)]

    @property
    def _sampled(self) -> bool:
        return self.view.draws is not None

    @cached_property
    def posterior(self) -> GibbsPosterior | None:
        """Gibbs: the draws of all chains, with intervals and diagnostics; None for other learners."""
        chains = [view.draws for view in self.views if view.draws is not None]
        settings = {"sweeps": self.tick.sweep, "chains": self.chains, "warmup": WARMUP_SHARE}
        return pool(self.grammar.lexicon, chains, seed=self.seed, settings=settings) if chains else None

    @property
    def sampled(self) -> Posterior | None:
        """The draws of Gibbs; None for other learners."""
        return None if self.posterior is None else self.posterior.draws

    @property
    def point(self) -> str:
        """What the probabilities are: posterior mean, estimate, or mean of draws; and of which restart."""
        if self._sampled:
            return "mean of Gibbs draws"
        several = f", best of {self.chains} restarts" if self.chains > 1 else ""
        return f"{_POINTS.get(self.learner.name, 'estimate')}{several}"

    @cached_property
    def unsettled(self) -> str:
        """Why the probabilities may not be used yet, such as "not converged"; empty if they may."""
        if self.posterior is not None:
            return "" if self.posterior.trust.verdict in ("Converged", "Keep running") else NOT_CONVERGED
        if self.tick.finished and self.tick.sweep < self.tick.total:  # it rose by no more than `tol`
            return ""
        return unrest(self.snapshot.trace[None, :, 0], self.corpus.words)

    @property
    def objectives(self) -> tuple[float, ...]:
        """The last objective of each restart or chain."""
        return tuple(view.objective for view in self.views)

    @property
    def elbo(self) -> np.ndarray:
        """The ELBO of each iteration, from the start."""
        return self.snapshot.trace[:, 0]

    @cached_property
    def well_formed_mass(self) -> float:
        """The probability W of a well-formed derivation at the learnt probabilities."""
        return well_formed_mass(self.grammar, self.snapshot.theta)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the learner."""
        return {
            "learner": self.learner.name,
            "alpha": float(self.alpha[0]) if np.ptp(self.alpha) == 0 else self.alpha.tolist(),
            "iterations": self.run.total,
            "init": self.start_at,
            "restarts": self.chains,
            "tol": self.tol,
        }

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to read before using the numbers."""
        drawn = self.posterior.warnings if self.posterior is not None else ()
        return (*super().warnings, *self._symmetry(), *self._left_out(), *drawn)

    def _symmetry(self) -> list[str]:
        """Return the warning that tied items keep the learner at a saddle point; a sampler leaves it."""
        if self._sampled:
            return []
        warning = symmetry_warning(self.grammar.lexicon, self.alpha, self.snapshot.counts)
        return [warning] if warning else []

    def _left_out(self) -> list[str]:
        missing = len(self.corpus.unparsed)
        if missing == 1:
            return ["1 sentence has no derivation and is left out"]
        return [f"{missing} different sentences have no derivation and are left out"] if missing else []

    @property
    def parameters(self) -> pd.DataFrame:
        """Each item's category, probability with its 95 % interval, and expected uses.

        The interval of VB is that of the item's Beta, a margin of the category's Dirichlet; for EM and MAP
        it is computed from their counts in the same way. That of Gibbs is made of quantiles of the draws,
        with R-hat and ESS beside it.
        """
        import pandas as pd

        lexicon, snapshot = self.grammar.lexicon, self.snapshot
        low, high = self.intervals()
        columns = {
            "category": [item.category for item in lexicon.items],
            "probability": snapshot.theta,
            "low": low,
            "high": high,
            "uses": snapshot.counts,
        }
        if self.posterior is not None:
            columns |= {"rhat": self.posterior.trust.rhat, "ess": self.posterior.trust.ess}
        return pd.DataFrame(columns, index=pd.Index(lexicon.texts, name="item"))

    def summary(self) -> pd.DataFrame:
        """Return :attr:`parameters`."""
        return self.parameters

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the 95 % interval of each item's probability; see :attr:`parameters`."""
        if self.posterior is not None:
            return self.posterior.low, self.posterior.high
        return dirichlet_intervals(self.snapshot.omega, self.grammar.lexicon.category_index)

    def __repr__(self) -> str:
        lexicon, corpus = self.grammar.lexicon, self.corpus
        return (
            f"<Induction by {self.learner.name}: {counted(len(lexicon), 'item')} of "
            f"{lexicon.name or 'a lexicon'}, {counted(corpus.size, 'sentence')}, "
            f"{self.snapshot.objective:.4f} nats, seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        return result_html(repr(self), self.parameters.round(3), warnings=self.warnings)

    def by_item(self, values: np.ndarray) -> dict[str, float]:
        """Return item -> value, each item written as in a lexicon file."""
        return {t: float(v) for t, v in zip(self.grammar.lexicon.texts, values, strict=True)}

    def by_category(self, values: np.ndarray) -> dict[str, dict[str, float]]:
        """Return category -> item -> value."""
        lexicon = self.grammar.lexicon
        grouped: dict[str, dict[str, float]] = {c: {} for c in lexicon.categories}
        for item, text, value in zip(lexicon.items, lexicon.texts, values, strict=True):
            grouped[item.category][text] = float(value)
        return grouped

    def log_z(self) -> dict[str, float]:
        """Return ln Z of each parsed sentence."""
        return {
            sentence_text(s): float(z)
            for s, z in zip(self.corpus.sentences, self.snapshot.log_z, strict=True)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return settings, seed and results as values for JSON."""
        snapshot, (low, high) = self.snapshot, self.intervals()
        names = ("elbo", "sum_log_z", "kl")
        rows = enumerate(snapshot.trace.tolist())
        return {
            **super().to_dict(),
            "iterations": [{"iteration": i, **dict(zip(names, row, strict=True))} for i, row in rows],
            **self._posterior_to_dict(),
            "theta": self.by_category(snapshot.theta),
            "low": self.by_category(low),
            "high": self.by_category(high),
            "expected_counts": self.by_item(snapshot.counts),
            "log_z": self.log_z(),
            "unparsed": [sentence_text(s) for s in self.corpus.unparsed],
            "restarts": list(self.objectives),
            "restart_seeds": list(self.seeds),
            "well_formed_mass": self.well_formed_mass,
        }

    def _posterior_to_dict(self) -> dict[str, Any]:
        if self.posterior is None:
            return {"omega": self.by_category(self.snapshot.omega)}
        trust = self.posterior.trust
        return {"rhat": self.by_category(trust.rhat), "ess": self.by_category(trust.ess)}


def pooled_snapshot(views: Sequence[Snapshot]) -> Snapshot:
    """Return the means of several Gibbs chains of equal length; trace and ln Z of the first."""
    first = views[0]
    theta, counts, omega = (
        np.mean([getattr(view, name) for view in views], axis=0) for name in ("theta", "counts", "omega")
    )
    return Snapshot(omega, theta, counts, first.log_z, first.trace, first.draws)
