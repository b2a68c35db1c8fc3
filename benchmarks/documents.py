"""Measure what a run takes in a document, in bytes and milliseconds, beside a pickle of it.

    python -m benchmarks documents

A pickle is what Python itself makes of the same run; it can call any function when it is read. Both sides do
the same work alternately, and the quickest of seven is printed.
"""

from __future__ import annotations

import argparse
import pickle
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab import discovery, ot, tagging
from otlab.discovery.parsing.parser import Parser
from otlab.inference import run
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.gibbs import Gibbs
from otlab.mg.parsing.grammar import Grammar
from otlab.samples import load_sample
from otlab.ui.documents.encoding import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 7


def records() -> dict[str, Callable[[], Any]]:
    """Return what makes the record of each run."""

    def gibbs() -> Any:
        return run(ot.Gibbs(ot.read("ilokano")), sweeps=20_000, chains=4, seed=1)

    def em() -> Any:
        learner = tagging.LEARNERS["em"]
        corpus = tagging.simulate_hmm(100_000, 1, tags=50, types=10_000)
        return run(learner.make(corpus, learner.settings(states=100)), sweeps=1, seed=1)

    def derivations() -> Any:
        lexicon = load_sample("english_pp_attachment")
        corpus = parse_corpus(Grammar(lexicon), [one.words for one in lexicon.sentences])
        return run(Gibbs(corpus, np.full(len(lexicon), 0.5)), sweeps=200, seed=1)

    def words() -> Any:
        learner = discovery.LEARNERS["batch"]
        parser = Parser(discovery.read("toy_phones"), discovery.load_grammar("word"))
        return run(learner.make(parser, learner.settings()), sweeps=2, seed=1)

    return {
        "OT, Gibbs, 4 x 20,000 sweeps": gibbs,
        "tagging, EM, 100,000 words": em,
        "grammar, Gibbs": derivations,
        "lexicon, batch": words,
    }


def quickest(*works: Callable[[], Any]) -> list[float]:
    """Return the shortest time of each of several works, done in turn, in milliseconds."""
    best = [float("inf")] * len(works)
    for _ in range(TIMES):
        for k, work in enumerate(works):
            begin = time.perf_counter()
            work()
            best[k] = min(best[k], 1000 * (time.perf_counter() - begin))
    return best


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks documents", description=__doc__.split("\n")[0]
    )
    parser.parse_args(argv)
    print(f"{'run':32}{'bytes':>12}{'pickle':>12}{'write':>9}{'pickle':>9}{'read':>9}{'pickle':>9}")
    for name, make in records().items():
        going = make()
        going.finish()
        record = going.record()
        data = dumps(record)
        try:
            other = pickle.dumps(record, protocol=5)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            print(f"{name:32}{len(data):12,}  a pickle cannot hold it: {error}")
            continue
        write, write_pickle = quickest(partial(dumps, record), partial(pickle.dumps, record, protocol=5))
        read, read_pickle = quickest(partial(loads, data), partial(pickle.loads, other))
        times = (write, write_pickle, read, read_pickle)
        print(f"{name:32}{len(data):12,}{len(other):12,}" + "".join(f"{ms:9.1f}" for ms in times))
    return 0
