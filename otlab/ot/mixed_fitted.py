"""The fit of a grammar with speakers and items in it: what they share, how much they differ, each of them.

Predictions are those of a new speaker who says a new word: u and v are drawn anew from their distributions.
The probability at u = v = 0, of the average speaker and word, is another number, and is given beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from otlab.errors import counted
from otlab.ot.fitted import LEVEL, Fit, Predicted, fit_of_rows, spread_out
from otlab.ot.group_rates import MixedGrammar, rates_of_groups, rates_of_new_groups
from otlab.ot.kernels.mixed import likelihoods
from otlab.ot.learners.mixed_tokens import LEVELS, LevelName

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Posterior, Run, Tick

__all__ = ["MixedFit", "describe", "mixed_fit"]

SPREADS = ("tau", "omega")
"""How much speakers, and items, differ."""
_SCORED = 50  # draws
_LEANS = 0.85  # of the prior's standard deviation: the data say little
_FEW_TOKENS, _SOME_ASTRAY = 5, 0.001


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixedFit(Fit):
    """The fit of a grammar of speakers and items; `mean`, `sd` and `median` are of m.

    Attributes
    ----------
    draws : dict of ndarray
        Draws of m, tau and omega, (n, constraints), and of the effects of speakers (``"speaker"``) and items
        (``"item"``), (n, groups, constraints), of the same sweeps, chain after chain.
    typical : ndarray of shape (rows,)
        Mean probability of each candidate of the average speaker and item, with effects of 0.
    """

    draws: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    typical: NDArray[np.float64]

    @cached_property
    def speakers(self) -> pd.DataFrame:
        """Mean, sd and 95 % interval of the values of each speaker in an average item, with tokens."""
        return self._groups("speaker", 0)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Mean, sd and 95 % interval of the values of each item said by an average speaker, with tokens."""
        return self._groups("item", 1)

    @cached_property
    def speaker_rates(self) -> pd.DataFrame:
        """Of each speaker and candidate the tokens, the raw rate, and the estimate in the same words."""
        return self._rates("speaker", 0)

    @cached_property
    def item_rates(self) -> pd.DataFrame:
        """Of each item and candidate the tokens, the raw rate, and the estimate by the same speakers."""
        return self._rates("item", 1)

    @cached_property
    def new_rates(self) -> pd.DataFrame:
        """Mean and 95 % interval of the rates of a new speaker, over words, and of a new item."""
        assert self.posterior is not None  # every mixed fit has draws
        return rates_of_new_groups(self._grammar, self.posterior, self.seed)

    def effects(self, level: LevelName) -> pd.DataFrame:
        """Return mean, sd and 95 % interval of how far each speaker or item is from what all share."""
        return self._groups(level, LEVELS.index(level), from_all=True)

    def effects_of_new(self, level: LevelName) -> NDArray[np.float64]:
        """Return the ends of the 95 % interval of how far a new speaker or item is from what all share.

        Two rows, a column for each constraint; for a weight it is before those below 0 count as 0.
        """
        assert self.posterior is not None  # every mixed fit has draws
        spread = self.posterior.pooled(SPREADS[LEVELS.index(level)])
        drawn = spread * np.random.default_rng(self.seed).standard_normal(spread.shape)
        if self.kind == "ranking value":
            drawn = self._grammar.as_used(drawn)
        ends: NDArray[np.float64] = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return ends

    @property
    def predictions(self) -> pd.DataFrame:
        """As of every fit, for a new speaker and item; ``typical`` is of the average ones."""
        return super().predictions.assign(typical=self.typical)

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as ``otlab learn --json`` prints it."""
        groups = {"speakers": self.speakers, "items": self.items}
        return {**super().to_dict(), **{name: frame.to_dict("records") for name, frame in groups.items()}}

    def to_inferencedata(self) -> Any:
        """Return the draws as an ArviZ ``DataTree`` (needs the ``stats`` extra).

        The group ``posterior`` has m, tau and omega; the group ``effects`` those of the speakers and items,
        with the dimensions ``speaker``, ``item`` and ``constraint``, of fewer sweeps.
        """
        import arviz_base

        tree = super().to_inferencedata()
        learner = self._grammar
        on = [(k, level) for k, level in enumerate(LEVELS) if learner.both[k].on]
        chains = len(next(iter(self.sampled.draws.values()))) if self.sampled is not None else 1
        made = {f"{level}_effect": self._by_chain(level, chains) for _, level in on}
        names = {level: list(learner.pairs.names[k]) for k, level in on}
        if made:
            tree["effects"] = arviz_base.from_dict(
                {"effects": made},
                coords={**names, "constraint": list(self.tableau.constraints)},
                dims={f"{level}_effect": [level, "constraint"] for level in names},
            )["effects"]
        return tree

    def _by_chain(self, level: LevelName, chains: int) -> NDArray[np.float64]:
        """Return the draws of the effects of a level, (chains, draws, groups, constraints)."""
        drawn = self.draws[level]
        together = len(drawn) % chains  # nothing was kept of a run that has just begun
        return drawn.reshape(1 if together else chains, -1, *drawn.shape[1:])

    @property
    def _grammar(self) -> MixedGrammar:
        return cast("MixedGrammar", self.learner)

    def _rates(self, level: LevelName, which: int) -> pd.DataFrame:
        return rates_of_groups(self._grammar, self.draws, which, level)

    def _groups(self, level: LevelName, which: int, *, from_all: bool = False) -> pd.DataFrame:
        """Return a row for each group and constraint; none if the groups do not differ."""
        learner = self._grammar
        names, constraints = learner.pairs.names[which], self.tableau.constraints
        if not learner.both[which].on:
            names = ()
        values = learner.as_used(self.draws["m"][:, None] + self.draws[level])[:, : len(names)]
        if from_all:
            values = values - learner.as_used(self.draws["m"])[:, None]
        tail = (1 - LEVEL) / 2
        low, high = np.quantile(values, [tail, 1 - tail], axis=0)
        tokens = learner.pairs.tokens_of(which)[: len(names)]
        columns = {"mean": values.mean(axis=0), "sd": values.std(axis=0), "low": low, "high": high}
        frame = {name: column.reshape(-1) for name, column in columns.items()}
        return pd.DataFrame(
            {
                level: np.repeat(np.array(names, dtype=object), len(constraints)),
                "constraint": list(constraints) * len(names),
                **frame,
                "tokens": np.repeat(tokens, len(constraints)),
            }
        )


def mixed_fit(
    run: Run[Any, Any], tick: Tick[Any], posterior: Posterior, draws: dict[str, Any], **others: Any
) -> MixedFit:
    """Return the fit of draws.

    Parameters
    ----------
    run, tick
        The run and its last tick.
    posterior
        Draws of m, tau and omega.
    draws
        As :attr:`MixedFit.draws`.
    others
        The remaining fields of :class:`~otlab.ot.fitted.Fit`.
    """
    learner = cast("MixedGrammar", run.learner)
    pooled = posterior.pooled(learner.kind.replace(" ", "_"))
    predicted, typical = _predicted(learner, posterior, pooled, draws, run.seed)
    fit = fit_of_rows(
        run,
        tick,
        pooled,
        kind=learner.kind,
        predicted=predicted,
        multimodal=False,
        used=dict(posterior.settings),
        converged=others["trust"].verdict in ("Converged", "Keep running"),
        posterior=posterior,
        further=_further(posterior),
        **others,
    )
    return MixedFit(**vars(fit), draws=draws, typical=typical)


def _further(posterior: Posterior) -> dict[str, NDArray[np.float64]]:
    """Return mean and sd of tau and omega, as columns of the constraints."""
    found = {}
    for name in SPREADS:
        if name in posterior.draws:
            pooled = posterior.pooled(name)
            found[name], found[f"{name} sd"] = pooled.mean(axis=0), pooled.std(axis=0, ddof=1)
    return found


def _predicted(
    learner: MixedGrammar,
    posterior: Posterior,
    pooled: NDArray[np.float64],
    draws: dict[str, Any],
    seed: int,
) -> tuple[Predicted, NDArray[np.float64]]:
    """Return the predictions for a new speaker and item, and mean probabilities of the average ones."""
    rng = np.random.default_rng(seed)
    on = [name for name in SPREADS if name in posterior.draws]
    every = np.concatenate([pooled, *map(posterior.pooled, on)], axis=1)
    common, *spreads = np.split(spread_out(every, learner.tableau), 1 + len(on), axis=1)
    effects = sum((spread * rng.standard_normal(spread.shape) for spread in spreads), np.zeros_like(common))
    average = learner.probabilities(common)
    new = learner.probabilities(common + effects) if on else average
    low, high = np.quantile(new, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    scored, scores = _scored(learner, draws)
    best = scored[int(np.argmax(scores))]
    at_best = learner.probabilities(best[None])[0]
    top, typical = float(scores.max()), float(np.median(scores))
    return Predicted(new.mean(axis=0), low, high, at_best, best, top, typical), average.mean(axis=0)


def _scored(learner: MixedGrammar, draws: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return evenly spaced draws of m, and the log likelihood of all tokens under them and their effects."""
    n = len(draws["m"])
    chosen = np.linspace(0, n - 1, min(n, _SCORED)).round().astype(int)
    parts = [np.ascontiguousarray(draws[name][chosen]) for name in ("m", "speaker", "item")]
    scores = np.empty(chosen.size)
    likelihoods(learner.tokens, parts[0], parts[1], parts[2], scores)
    return parts[0], scores


def describe(learner: MixedGrammar, posterior: Posterior, astray: int) -> list[str]:
    """Return what to know of the levels before using the numbers."""
    said = []
    if learner.tableau.groups is None and learner.levels != "none":
        said.append("the data name no speakers and no items: one grammar was learnt for all tokens")
    trajectories = int(posterior.settings["sweeps"]) * int(posterior.settings["chains"])
    if astray > _SOME_ASTRAY * trajectories * sum(map(len, learner.pairs.names)):
        said.append(
            f"{counted(astray, 'trajectory', 'trajectories')} went astray: run more warm-up sweeps, or set "
            "a smaller spread"
        )
    for which, (level, name) in enumerate((("speakers", "tau"), ("items", "omega"))):
        if name not in posterior.draws:
            continue
        typical = float(np.median(learner.pairs.tokens_of(which)))
        if typical < _FEW_TOKENS:
            said.append(f"too few tokens to tell {level} apart: the median is {typical:g} of each")
        usual = learner.scale * np.sqrt(1 - 2 / np.pi)
        wide = posterior.pooled(name).std(axis=0) > _LEANS * usual
        unsure = [constraint for constraint, so in zip(learner.tableau.constraints, wide, strict=True) if so]
        if unsure:
            said.append(
                f"the data hardly say how much {level} differ in {', '.join(unsure)}:"
                f" {name} leans on its prior"
            )
    return said
