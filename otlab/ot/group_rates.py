"""Rates of speakers and items: what was said, what a grammar expects of them, and of new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from otlab.ot.fitted import LEVEL, spread_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from otlab.inference import Posterior
    from otlab.ot.kernels.mixed import Tokens
    from otlab.ot.kernels.mixed_moves import Level
    from otlab.ot.learners.mixed_tokens import LevelName, Pairs
    from otlab.ot.tableau import Tableau

__all__ = ["rates_of_groups", "rates_of_new_groups"]

_GRAMMARS, _FEWEST, _MOST = 40_000, 10, 100  # evaluated in all; draws
_NEW, _MATES = 200, 40  # draws, and those of the other level to each of them


class MixedGrammar(Protocol):
    """What a fit reads of its learner, :class:`~otlab.ot.learners.mixed.MixedSampler`."""

    @property
    def tableau(self) -> Tableau: ...
    @property
    def levels(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def pairs(self) -> Pairs: ...
    @property
    def both(self) -> tuple[Level, Level]: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def scale(self) -> float: ...
    def probabilities(self, theta: NDArray[np.float64], /) -> NDArray[np.float64]: ...
    def as_used(self, values: NDArray[np.float64], /) -> NDArray[np.float64]: ...


def rates_of_groups(
    learner: MixedGrammar, draws: dict[str, NDArray[np.float64]], which: int, level: LevelName
) -> pd.DataFrame:
    """Return the rate of each candidate of each speaker or item: of its tokens, and as expected of them.

    Parameters
    ----------
    learner, draws
        As in :class:`~otlab.ot.mixed_fitted.MixedFit`.
    which, level
        0 for speakers, 1 for items; the name of the column.

    Returns
    -------
    DataFrame
        ``tokens`` of the input; ``raw``, the share of the candidate; ``estimate``, its mean probability in
        the words (by the speakers) of these tokens. Inputs that a group has no token of are left out.
    """
    pairs, tableau = learner.pairs, learner.tableau
    names = pairs.names[which] if learner.both[which].on else ()
    shape = (len(pairs.names[which]), tableau.n_rows)
    said, of_input = np.zeros(shape), np.zeros((pairs.member.shape[1], len(tableau.inputs)))
    np.add.at(said, (pairs.member[which, pairs.pair], pairs.row), pairs.heard)
    np.add.at(of_input, (pairs.pair, tableau.input_of_row[pairs.row]), pairs.heard)
    tokens, expected = np.zeros(shape), np.zeros(shape)
    weights = of_input[:, tableau.input_of_row]
    np.add.at(tokens, pairs.member[which], weights)
    n = int(np.clip(_GRAMMARS // max(1, len(weights)), _FEWEST, _MOST))
    chosen = _evenly(len(draws["m"]), n)
    for at in chosen if names else ():
        theta = draws["m"][at] + draws["speaker"][at, pairs.member[0]] + draws["item"][at, pairs.member[1]]
        np.add.at(expected, pairs.member[which], weights * learner.probabilities(theta) / len(chosen))
    group, row = np.nonzero(tokens) if names else (np.empty(0, np.int64),) * 2
    heard = tokens[group, row]
    return pd.DataFrame(
        {
            level: np.array(names, dtype=object)[group],
            **_named(learner, row),
            "tokens": heard,
            "raw": said[group, row] / heard,
            "estimate": expected[group, row] / heard,
        }
    )


def rates_of_new_groups(learner: MixedGrammar, posterior: Posterior, seed: int) -> pd.DataFrame:
    """Return the rates of a speaker not yet heard, over words, and of a new word, over speakers.

    Parameters
    ----------
    learner
        Of the posterior.
    posterior
        Draws of m, tau and omega.
    seed
        Of the effects that are drawn.

    Returns
    -------
    DataFrame
        ``new``: speaker or item; ``mean`` and 95 % interval (``low``, ``high``) of its rate of each
        candidate, effects of the other level integrated out.
    """
    rng = np.random.default_rng(seed)
    found = []
    pooled = spread_out(posterior.pooled(learner.kind.replace(" ", "_")), learner.tableau)
    chosen = _evenly(len(pooled), _NEW)
    zero = np.zeros((len(chosen), pooled.shape[1]))
    spreads = [
        spread_out(posterior.pooled(name), learner.tableau)[chosen] if name in posterior.draws else zero
        for name in ("tau", "omega")
    ]
    for which, level in enumerate(("speaker", "item")):
        if not learner.both[which].on:
            continue
        mates = _MATES if learner.both[1 - which].on else 1
        own = pooled[chosen] + spreads[which] * rng.standard_normal(zero.shape)
        others = spreads[1 - which][:, None] * rng.standard_normal((len(chosen), mates, zero.shape[1]))
        theta = (own[:, None] + others).reshape(-1, zero.shape[1])
        rate = learner.probabilities(theta).reshape(len(chosen), mates, -1).mean(axis=1)
        low, high = np.quantile(rate, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        columns = {"mean": rate.mean(axis=0), "low": low, "high": high}
        rows = _named(learner, np.arange(learner.tableau.n_rows))
        found.append(pd.DataFrame({"new": level, **rows, **columns}))
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame({"new": []})


def _evenly(n: int, most: int) -> NDArray[np.int64]:
    return np.linspace(0, n - 1, min(n, most)).round().astype(np.int64)


def _named(learner: MixedGrammar, rows: NDArray[np.int64]) -> dict[str, Any]:
    tableau = learner.tableau
    inputs = np.array(tableau.inputs, dtype=object)[tableau.input_of_row]
    candidates = np.array(tableau.candidates, dtype=object)
    return {"input": inputs[rows], "candidate": candidates[rows]}
