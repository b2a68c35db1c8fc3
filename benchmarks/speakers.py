"""Grammars with speakers: how well 400 of them mix, what each costs, how fast their tokens open, and NumPyro.

    python -m benchmarks speakers [--only PART ...] [--numpyro PYTHON]

``PART`` is of ``maxent``, ``ranking`` (R-hat and ESS of m and tau, and seconds on two threads), ``cost`` (a
sweep of 50, 100, 200, 400 speakers), ``open`` (CSV of a row for each token) and ``peer``, which samples the
same MaxEnt model by NUTS in NumPyro, non-centred. ``PYTHON`` is an interpreter that has it, in a place of its
own (``python -m venv FOLDER; FOLDER/bin/pip install numpyro``); without it the part is skipped. Effective
draws are the smallest of m and tau, of values and squares, per CPU second of all threads: with the
warm-up, and without compilation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.measure import Row, at_least, at_most, seconds, show
from otlab.inference.diagnostics import assess
from otlab.ot import Tableau, read_text
from otlab.ot.groups import Groups
from otlab.ot.learners.maxent_mixed import MixedMaxEnt, fit_maxent_mixed
from otlab.ot.learners.sot_mixed import MixedStochasticOT, fit_sot_mixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from otlab.ot.learners.mixed import MixedSampler

PARTS = ("maxent", "ranking", "cost", "open", "peer")
CONSTRAINTS, INPUTS, NOISE = 6, 10, 2.0
SPEAKERS, TOKENS = 400, 10_000
MAXENT_SWEEPS, RANKING_SWEEPS, CHAINS = 2_000, 1_200, 4
PEER = Path(__file__).with_name("speakers_numpyro.py")


class Planted(NamedTuple):
    """Generated tokens, and the m and tau that they are from."""

    tableau: Tableau
    m: NDArray[np.float64]
    tau: NDArray[np.float64]


def generate(speakers: int, tokens: int, *, ranking: bool = False, items: int = 0, seed: int = 1) -> Planted:
    """Return tokens of inputs with two candidates that both can win, of speakers who differ.

    Parameters
    ----------
    speakers, tokens, items
        How many there are; each token is of a speaker, an input and an item at random.
    ranking
        Whether the grammar is Stochastic OT with noise 2, or MaxEnt with nonnegative weights.
    seed
        Of all that is drawn.
    """
    rng = np.random.default_rng(seed)
    violations = np.empty((INPUTS, 2, CONSTRAINTS), np.int64)
    for x in range(INPUTS):
        difference = np.zeros(CONSTRAINTS, np.int64)
        while not (difference.min() < 0 < difference.max()):
            violations[x] = rng.integers(0, 3, (2, CONSTRAINTS))
            difference = violations[x, 1] - violations[x, 0]
    m = rng.normal(0, 3, CONSTRAINTS) if ranking else rng.uniform(0.5, 2.5, CONSTRAINTS)
    m -= m.mean() if ranking else 0
    tau = rng.uniform(0.3, 1.0, CONSTRAINTS) * (NOISE if ranking else 1.0)
    u, v = (
        tau * rng.standard_normal((speakers, CONSTRAINTS)),
        0.5 * tau * rng.standard_normal((max(items, 1), CONSTRAINTS)),
    )
    who, word = rng.integers(0, speakers, tokens), rng.integers(0, max(items, 1), tokens)
    x = rng.integers(0, INPUTS, tokens)
    theta = m + u[who] + (v[word] if items else 0)
    row = 2 * x + winners(rng, violations[x], theta, ranking)
    cells, counts = np.unique([who, word, row], axis=1, return_counts=True)
    speaker, item = [f"s{g}" for g in cells[0]], [f"w{i}" if items else "" for i in cells[1]]
    groups = Groups.of(speaker, item, cells[2].tolist(), counts.tolist())
    rows = [(f"x{r // 2}", f"c{r % 2}", 0, violations[r // 2, r % 2].tolist()) for r in range(2 * INPUTS)]
    bare = Tableau.from_rows(rows, [f"C{k}" for k in range(CONSTRAINTS)], noise=NOISE)
    return Planted(replace(bare, frequencies=groups.sums(bare.n_rows), groups=groups), m, tau)


def winners(
    rng: np.random.Generator, violations: NDArray[np.int64], theta: NDArray[np.float64], ranking: bool
) -> NDArray[np.int64]:
    """Return the winner, 0 or 1, of each token."""
    advantage = violations[:, 1] - violations[:, 0]  # of the first candidate
    if not ranking:
        chance = 1 / (1 + np.exp(-(np.maximum(theta, 0) * advantage).sum(axis=1)))
        return (rng.random(len(theta)) > chance).astype(np.int64)
    heard = np.where(advantage == 0, -np.inf, theta + NOISE * rng.standard_normal(theta.shape))
    decides = heard.argmax(axis=1)
    return (advantage[np.arange(len(theta)), decides] < 0).astype(np.int64)


def quality(draws: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the largest R-hat, and the smallest ESS, of draws (chains, n, K)."""
    found = [assess(each) for each in draws]
    return max(t.largest_rhat for t in found), min(t.smallest_ess for t in found)


def mixing(name: str, ranking: bool, limit: float) -> dict[str, Row]:
    """Return rows of R-hat, ESS and seconds of 400 speakers and 10,000 tokens."""
    tableau = generate(SPEAKERS, TOKENS, ranking=ranking).tableau
    small = generate(4, 40, ranking=ranking).tableau
    fit, sweeps = (fit_sot_mixed, RANKING_SWEEPS) if ranking else (fit_maxent_mixed, MAXENT_SWEEPS)
    fit(small, sweeps=20, seed=1)  # compiles
    begin = time.perf_counter()
    found = fit(tableau, sweeps=sweeps, chains=CHAINS, seed=1, threads=2)
    took = time.perf_counter() - begin
    rhat, ess = quality(list(found.posterior.draws.values()))
    against = f"{SPEAKERS} speakers, {TOKENS:,} tokens, {CHAINS} chains of {sweeps:,} sweeps"
    return {
        f"{name}_rhat": at_most(rhat, "R-hat", against, 1.05, rhat, 1.05),
        f"{name}_ess": at_least(ess, "ESS", against, 200, ess / 200, 1.0),
        f"{name}_seconds": at_most(took, "s, two threads", against, limit, took / limit, 1.0),
    }


def cost_of(learner: MixedSampler, sweeps: int = 60) -> float:
    """Return the CPU seconds of a sweep after a short warm-up, least of three runs of sweeps."""
    rng = np.random.default_rng(1)
    state = learner.step(rng, learner.init(rng), 100)
    # a step size that all sizes share, so that a sweep is the same work
    for effects in (state.speakers, state.items):
        effects.tuning[2] = effects.chain.tuning[2] = 0.0
    taken = []
    for _ in range(3):
        begin = time.process_time()
        state = learner.step(rng, state, sweeps)
        taken.append((time.process_time() - begin) / sweeps)
    return min(taken)


def cost() -> dict[str, Row]:
    """Return the milliseconds of a sweep by the number of speakers, 25 tokens each."""
    rows = {}
    for name, make, ranking in (("maxent", MixedMaxEnt, False), ("ranking", MixedStochasticOT, True)):
        first = 0.0
        for speakers in (50, 100, 200, 400):
            tableau = generate(speakers, 25 * speakers, ranking=ranking).tableau
            each = cost_of(make(tableau, warmup=100)) / speakers
            first = first or each
            label = f"{name}_sweep_{speakers}"
            rows[label] = at_most(
                1e3 * each * speakers, "ms", "50 speakers, each", 1e3 * first, each / first, 1.5
            )
    return rows


def opening() -> dict[str, Row]:
    """Return the seconds in which tokens open, a row each."""
    rows = {}
    for tokens, limit in ((4_500, 1.0), (50_000, 5.0)):
        tableau = generate(tokens // 25, tokens, items=40).tableau
        groups = tableau.groups
        assert groups is not None
        lines = [f"Speaker,Item,Input,Output,{','.join(tableau.constraints)}"]
        for speaker, item, row, n in zip(groups.speaker, groups.item, groups.row, groups.count, strict=True):
            form = ",".join(map(str, tableau.violations[row].tolist()))
            who = f"{groups.speakers[speaker]},{groups.items[item]}"
            lines += [f"{who},x{row // 2},c{row % 2},{form}"] * int(n)
        text = "\n".join(lines)
        took = seconds(lambda text=text: read_text(text))
        rows[f"open_{tokens}"] = at_most(took, "s", "CSV, a row a token", limit, took / limit, 1.0)
    return rows


def largest_difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return how many standard errors the means of draws (chains, n, K) are apart at most."""
    variance = [np.var(draws, axis=(0, 1)) / assess(draws).ess for draws in (first, second)]
    apart = np.abs(first.mean(axis=(0, 1)) - second.mean(axis=(0, 1)))
    return float((apart / np.sqrt(variance[0] + variance[1])).max())


def peer(python: str) -> dict[str, Row]:
    """Return effective draws per CPU second beside NumPyro's, of the same posterior."""
    tableau = generate(100, 2_500).tableau
    learner, sweeps = MixedMaxEnt(tableau, weights="free", warmup=500), 3_000
    tokens, prior = learner.tokens, learner.prior
    pair = np.repeat(np.arange(tokens.member.shape[1]), np.diff(tokens.cell_start))
    fit_maxent_mixed(generate(4, 40).tableau, sweeps=20, seed=1)  # compiles
    begin = time.process_time()
    found = fit_maxent_mixed(
        tableau, weights="free", sweeps=sweeps, warmup=500, chains=CHAINS, seed=1, threads=1
    )
    mine = quality(list(found.posterior.draws.values()))[1] / (time.process_time() - begin)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        np.savez(
            data,
            x=tokens.violations[2 * tokens.cell],
            first=tokens.heard[0::2],
            second=tokens.heard[1::2],
            group=tokens.member[0, pair],
            sd=1 / np.sqrt(np.diag(prior.precision)),
            spread=prior.spread,
        )
        command = [python, str(PEER), str(data), "2"]
        printed = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""}
        )
        theirs = json.loads(printed.stdout.splitlines()[-1])
        other = np.load(theirs["draws"])
        draws = [other["m"], other["tau"]]
    rhat, ess = quality(draws)
    rate = ess / theirs["seconds"]
    ours = [found.posterior.draws[name] for name in ("weight", "tau")]
    agree = all(largest_difference(a, b) < 4.5 for a, b in zip(ours, draws, strict=True))
    against = f"NumPyro (R-hat {rhat:.3f}, ESS {ess:.0f}), 100 speakers, 2,500 tokens"
    ratio = mine / rate if agree else 0.0
    return {"numpyro_ess_per_cpu_second": at_least(mine, "ESS a CPU second", against, rate, ratio, 3.0)}


def main(argv: list[str] | None = None) -> int:
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks speakers", description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to measure")
    parser.add_argument("--numpyro", metavar="PYTHON", help="an interpreter that has NumPyro")
    args = parser.parse_args(argv)
    work = {
        "maxent": lambda: mixing("maxent", False, 60.0),
        "ranking": lambda: mixing("ranking", True, 180.0),
        "cost": cost,
        "open": opening,
    }
    for part in args.only:
        if part in work:
            show(work[part]())
        elif args.numpyro:
            show(peer(args.numpyro))
        else:
            print("peer: skipped, since --numpyro names no interpreter that has NumPyro")
    return 0
