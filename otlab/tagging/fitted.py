"""The result of fitting a tagger: its taggers, scores and labels, chain by chain."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.inference.fit import Fitted as ChainsFitted
from otlab.inference.notebook import result_html
from otlab.tagging.accuracy import Accuracy, accuracy
from otlab.tagging.model import Model, unseen_mass
from otlab.tagging.scores import Scores
from otlab.tagging.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from otlab.inference import Run
    from otlab.tagging.corpus import Corpus

__all__ = ["Fitted", "model_of", "tagger"]


def model_of(run: Run[Any, View], chain: int = 0) -> Model:
    """Return the tagger of one chain of a run; call it between ticks."""
    return tagger(run.learner, run.states[chain], run.seeds[chain])


def tagger(learner: Any, state: Any, seed: int) -> Model:
    """Return the tagger of a learner's state, with the seed of its run."""
    corpus: Corpus = learner.corpus
    return Model.of(
        learner.weights(state),
        corpus.vocabulary,
        probabilities=learner.probabilities(state),
        unseen=unseen_mass(corpus),
        learner=learner.name,
        seed=seed,
        normalize=corpus.normalize,
    ).named(dict(enumerate(learner.state_names())))


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(ChainsFitted[Any, View]):
    """Taggers learnt from one corpus, one per chain.

    ``view`` has the traces, labels and counts of the first chain, ``views`` those of all.
    """

    def __repr__(self) -> str:
        return f"<Fitted {self.model!r}, {self.view!r}>"

    def _repr_html_(self) -> str:
        return result_html(repr(self), self.summary().round(3), warnings=self.warnings)

    @cached_property
    def model(self) -> Model:
        """The tagger of the first chain, to label new text with."""
        return self.model_of(0)

    def model_of(self, chain: int) -> Model:
        """Return the tagger of a chain."""
        return model_of(self.run, chain)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to read before using the numbers."""
        return (*(view.alarm for view in self.views if view.alarm), *super().warnings)

    def matched(self) -> tuple[Model, ...]:
        """Return the taggers of all chains, their states numbered as those of the first chain."""
        first = self.model
        return (first, *(self.model_of(chain).like(first) for chain in range(1, len(self.views))))

    def best(self, rule: Callable[[View], float] | None = None) -> int:
        """Return the chain whose view has the largest value of a rule; the first one on a tie.

        Parameters
        ----------
        rule
            By default the objective: the log likelihood or log joint, or the free energy's negative.
        """
        sign = -1 if getattr(self.learner, "direction", 1) < 0 else 1
        return super().best(rule or (lambda view: sign * view.objective[-1]))

    def max_marginal_scores(self, chain: int, threads: int = 1) -> Scores:
        """Return the scores of each word's most probable state under the chain's parameters.

        A sampler's ``view.final`` scores the last sample itself.
        """
        learner: Any = self.learner
        labels = self.model_of(chain).label(learner.corpus, threads=threads)
        return Scores(*learner.new_scorer().row(labels))

    def accuracy(self, chain: int = 0, threads: int = 1) -> dict[str, Accuracy]:
        """Return the accuracy of a chain's tagger on tags it did not know, by decoding.

        ``marginal`` labels each word by its most probable state, ``viterbi`` each sentence by its most
        probable sequence.

        Raises
        ------
        InputError
            If no tag was known: states then stand for no tags.
        """
        learner: Any = self.learner
        known = learner.known_states()
        if known is None:
            raise InputError("no tag was known, so states stand for no tags; see the scores instead")
        model = self.model_of(chain)
        return {
            decode: accuracy(learner.corpus, model.label(learner.corpus, decode, threads), known)
            for decode in ("marginal", "viterbi")
        }

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per chain: seed, steps, objective and scores."""
        table = super().summary()
        table["objective"] = [view.objective[-1] for view in self.views]
        if self.view.state_counts is not None:
            names = ("states_median", "states_low", "states_high")
            for name, values in zip(
                names, zip(*(v.states_interval() for v in self.views), strict=True), strict=True
            ):
                table[name] = values
        scores = [asdict(view.final) for view in self.views]
        return table.assign(**{name: [row[name] for row in scores] for name in scores[0]})

    def to_dict(self) -> dict[str, Any]:
        """Return settings and seed, and each chain's traces and scores, as values for JSON."""
        runs = [
            {
                "seed": seed,
                "objective": view.objective.tolist(),
                "scores": asdict(view.final),
                "tokens_per_state": view.tokens_per_state.tolist(),
                "seconds": seconds,
                **({} if view.priors is None else {"priors": view.priors.tolist()}),
                **({} if view.discounts is None else {"discounts": view.discounts.tolist()}),
                **_of_states(view),
            }
            for seed, view, seconds in zip(self.seeds, self.views, self.run.chain_seconds, strict=True)
        ]
        return {**super().to_dict(), "runs": runs, **mean_and_sd([row["scores"] for row in runs])}


def _of_states(view: View) -> dict[str, Any]:
    """Return the numbers of states that an infinite HMM drew, and its concentrations."""
    if view.state_counts is None or view.concentrations is None:
        return {}
    median, low, high = view.states_interval()
    return {
        "states": {"median": median, "interval": [low, high], "draws": view.state_draws.tolist()},
        "state_counts": view.state_counts.tolist(),
        "concentrations": dict(zip(("gamma", "alpha", "rho"), view.concentrations.T.tolist(), strict=True)),
    }


def mean_and_sd(rows: list[dict[str, float]], suffix: str = "") -> dict[str, dict[str, Any]]:
    """Return the mean and the standard deviation of each score over runs; no sd for one run."""
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    sds = {name: values.std(ddof=1) if values.size > 1 else None for name, values in table.items()}
    return {f"mean{suffix}": {name: values.mean() for name, values in table.items()}, f"sd{suffix}": sds}
