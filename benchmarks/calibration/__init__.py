r"""Simulation-based calibration of the samplers: are what is planted and what is drawn exchangeable?

    python -m benchmarks calibration [--sampler NAME ...] [--sets 500] [--seed 1]

For each set, parameters and hidden structure :math:`\theta` are drawn from a sampler's prior, data from
:math:`P(x \mid \theta)`, and :math:`L = 63` draws from the sampler's posterior given the data. If the sampler
is right, the rank of each statistic :math:`s(\theta, x)` among those of the draws is uniform on 0 ... 63
(Talts, Betancourt, Simpson, Vehtari and Gelman 2018; ties are broken at random, Modrák et al. 2023). A
row is a statistic: its ranks in 16 bins, and p of the chi-square test. A sampler fails if any p is below
.001 divided by the number of its statistics.

Priors are proper and data few, so that posteriors are wide and a chain passes between their modes.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.calibration import adaptor, concentrations, items, mixed, ranking, taggers
from benchmarks.calibration.ranks import calibrate, is_right, table

__all__ = ["SAMPLERS", "main"]

_PARTS = (ranking, mixed, taggers, concentrations, items, adaptor)
SAMPLERS = {sampler.name: sampler for part in _PARTS for sampler in part.SAMPLERS}
"""The samplers by name."""


def main(argv: list[str] | None = None) -> int:
    """Print ranks and verdicts; return 1 if a sampler fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks calibration", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--sampler", nargs="+", choices=SAMPLERS, default=list(SAMPLERS), metavar="NAME")
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    wrong = 0
    for name in args.sampler:
        start = time.process_time()
        ranks = calibrate(SAMPLERS[name], args.sets, args.seed)
        wrong += not is_right(ranks)
        sys.stdout.write(table(SAMPLERS[name], ranks, time.process_time() - start) + "\n")
        sys.stdout.flush()
    return min(wrong, 1)
