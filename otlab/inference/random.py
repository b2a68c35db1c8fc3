"""Seeds and generators: a root seed gives each chain a seed of its own.

The chains of a run, restarts, and the rows of a table of runs all get their seeds by one rule,
:func:`run_seed`. Each has an integer seed with which it can be repeated alone, and its result
depends only on the root seed and its number.
"""

from __future__ import annotations

import secrets

import numpy as np

__all__ = ["chain_generators", "fresh_seed", "run_seed"]


def fresh_seed() -> int:
    """Return a fresh random seed, short enough to read aloud."""
    return secrets.randbelow(10**9)


def run_seed(root: int, number: int) -> int:
    """Derive and return the seed of one run of several.

    Parameters
    ----------
    root
        The root seed, >= 0.
    number
        The run's number, from 0. Run 0 has the root seed itself.

    Returns
    -------
    int
        A seed below 2^32 that repeats the run: run 0 of seed ``run_seed(s, k)`` is run k of seed s.

    >>> [run_seed(2005, number) for number in range(3)]
    [2005, 3201858957, 336650979]
    """
    return int(np.random.SeedSequence(root).generate_state(number)[-1]) if number else root


def chain_generators(seed: int, chains: int) -> list[np.random.Generator]:
    """Return one independent generator per chain: that of a single chain from its :func:`run_seed`.

    >>> a, b = chain_generators(2005, 2)
    >>> b.random() == chain_generators(run_seed(2005, 1), 1)[0].random()
    True
    """
    roots = (np.random.SeedSequence(run_seed(seed, chain)) for chain in range(chains))
    return [np.random.Generator(np.random.PCG64(root.spawn(1)[0])) for root in roots]
