"""How many of Tesar & Smolensky's 124 languages of stress each learner gets right, and its price.

    python -m benchmarks metrical FOLDER [--all] [--learners NAME ...] [--out FILE]
    python -m benchmarks metrical FOLDER --curve [--learners NAME ...]

``FOLDER`` is ``Input_Files/TesarSmolensky-TSOG`` in a copy of blprickett/Hidden-Structure-MaxEnt, or another
folder there of the same 62 words; nothing of it is part of otlab. A run hears the overt forms of a language,
each as often as any other. It is right if all of them come out as heard without noise, of all 15,344 parses.
RIP, RRIP and EIP are looked at every 5,000 trials, EDL every 5 iterations, and end when they are right; EDL
is right if what is heard is what most rankings drawn from its pairs say.
Without ``--all`` every eighth language is learnt once; with it all are, from five seeds. ``--out`` gets a
line of JSON a run, and runs that stand there are not repeated. ``--curve`` judges RIP, RRIP and EIP
once, after 1,000 to 80,000 trials, without an early end.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.forms import hearing, kept, languages, metrics, same_table
from otlab.errors import Fault, InputError
from otlab.inference.random import chain_generators
from otlab.ot.analysis.candidates import could_win
from otlab.ot.learners.edl import EDL
from otlab.ot.learners.interpretive import InterpretiveGLA
from otlab.ot.learners.maxent_overt import MaxEntOvert
from otlab.ot.learners.priors import equal_prior
from otlab.ot.learners.schedules import schedule
from otlab.ot.overt import reproduced_by_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from otlab.ot.tableau import Tableau

LEARNERS = ("rip", "rrip", "eip", "edl", "maxent-overt")
NOISE, PLASTICITY, MOST_TRIALS, LOOK_EVERY = 2.0, 1.0, 200_000, 5_000
MOST_ITERATIONS = 200
PRIOR_SD, STARTS = 100.0, 20
SEEDS, SHORT = 5, 8
JUDGED, CURVE_SEEDS = (1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 40_000, 80_000), 3
FIRST_VERSION = {"rip": 0.631, "rrip": 0.791, "eip": 0.915, "maxent-overt": 118 / 124}
"""What a first version found: MaxEnt from six starts, with a prior of sd 10."""


class Grammar:
    """The 62 words with all parses, those that win under some ranking, and those that may under weights."""

    def __init__(self) -> None:
        self.whole = metrics()
        self.rankable = kept(self.whole, could_win)
        self.unbounded = kept(self.whole, not_bounded)
        forms = zip(self.rankable.input_of_row.tolist(), self.rankable.overt, strict=True)
        self._winnable = {(self.rankable.inputs[k], overt) for k, overt in forms}

    def can_win(self, heard: dict[str, str]) -> bool:
        """Return whether each overt form has a parse that wins under some ranking."""
        return self._winnable >= heard.items()


def not_bounded(violations: np.ndarray) -> np.ndarray:
    """Return which candidates have no other one that is nowhere worse and somewhere better, bool (rows,)."""
    better = [((violations <= row).all(axis=1) & (violations < row).any(axis=1)).any() for row in violations]
    return ~np.array(better)


def right(name: str, grammar: Grammar, heard: dict[str, str], seed: int) -> bool:
    """Return whether a learner gets all words of a language right."""
    if not grammar.can_win(heard):
        return False
    (rng,) = chain_generators(seed, 1)
    if name == "maxent-overt":
        tableau = hearing(grammar.unbounded, heard)
        prior = equal_prior(tableau, PRIOR_SD)
        learner = MaxEntOvert(tableau, prior=prior, starts=STARTS, until_reproduced=True)
        weights = learner.init(rng).path[-1]
        return reproduced_by_weights(hearing(grammar.whole, heard), weights) == 1
    tableau = hearing(grammar.rankable, heard)
    if name == "edl":
        edl = EDL(tableau)
        return _looked_at(
            edl, edl._trials, MOST_ITERATIONS, 5, rng, lambda view: edl.predicted(view.pairs)[0]
        )
    gla = _by_trials(name, tableau)
    return _looked_at(gla, gla, MOST_TRIALS, LOOK_EVERY, rng, lambda view: view.values)


def _by_trials(name: str, tableau: Tableau) -> InterpretiveGLA:
    plan = schedule("constant", MOST_TRIALS, PLASTICITY, PLASTICITY)
    gla = InterpretiveGLA(tableau, NOISE, plan, how=name)
    gla.__dict__["can_win"] = np.ones(tableau.n_rows, bool)  # the others have been left out
    return gla


def curve(folder: Path, names: Sequence[str]) -> Iterator[str]:
    """Return a line for each learner: the share of runs that are right after so many trials."""
    grammar, heard = Grammar(), languages(folder)
    yield f"| learner | {' | '.join(f'{n:,}' for n in JUDGED)} |"
    yield f"|---{'|---' * len(JUDGED)}|"
    for name in names:
        right_then = np.zeros(len(JUDGED))
        for seed in range(CURVE_SEEDS):
            for forms in filter(grammar.can_win, heard):
                gla = _by_trials(name, hearing(grammar.rankable, forms))
                (rng,) = chain_generators(seed, 1)
                state = gla.init(rng)
                for k, trials in enumerate(JUDGED):
                    state = gla.step(rng, state, trials - (JUDGED[k - 1] if k else 0))
                    right_then[k] += gla.reproduced(gla.view(state).values) == 1
        shares = right_then / (CURVE_SEEDS * len(heard))
        yield f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |"


def _looked_at(
    learner: Any,
    trials: InterpretiveGLA,
    most: int,
    each: int,
    rng: np.random.Generator,
    grammar: Callable[[Any], np.ndarray],
) -> bool:
    """Return whether a learner is right at one of its looks, `each` steps apart."""
    trials.__dict__["can_win"] = np.ones(trials.tableau.n_rows, bool)  # the others have been left out
    state = learner.init(rng)
    for _ in range(most // each):
        state = learner.step(rng, state, each)
        if learner.reproduced(grammar(learner.view(state))) == 1:
            return True
    return False


def runs(
    folder: Path, names: Sequence[str], done: set[tuple[int, str, int]], whole: bool
) -> Iterator[dict[str, Any]]:
    """Learn each language by each learner, and return what came out of each run, as it ends."""
    heard = languages(folder)
    if not same_table(next(folder.glob("*.csv"))):
        raise InputError(Fault(f"{folder}: other parses than those of the metrics grammar"))
    grammar = Grammar()
    # Every eighth language first, so that a part of the runs stands for all.
    order = sorted(range(len(heard)), key=lambda n: (n % SHORT, n))
    order = order if whole else [n for n in order if n % SHORT == 0]
    for name in names:
        right(name, grammar, heard[0], 0)  # compiled before it is timed
    for seed in range(SEEDS if whole else 1):
        for n in order:
            for name in names:
                if (n + 1, name, seed) not in done:
                    begin = time.process_time()
                    found = right(name, grammar, heard[n], seed)
                    seconds = round(time.process_time() - begin, 3)
                    yield {"language": n + 1, "learner": name, "seed": seed, "right": found, "s": seconds}


def summary(records: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line of Markdown for each learner."""
    lines = [
        "| learner | runs | right | languages at least once | CPU seconds a run | first version |",
        "|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(record["learner"] for record in records):
        own = [record for record in records if record["learner"] == name]
        once = {record["language"] for record in own if record["right"]}
        share, seconds = (float(np.mean([record[key] for record in own])) for key in ("right", "s"))
        of = len({record["language"] for record in own})
        first = f"{FIRST_VERSION[name]:.3f}" if name in FIRST_VERSION else ""
        lines.append(f"| {name} | {len(own)} | {share:.3f} | {len(once)} of {of} | {seconds:.2f} | {first} |")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each learner."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks metrical", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="with a CSV file for each language")
    parser.add_argument("--all", action="store_true", help="all languages, five seeds")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS, help="of overt forms")
    parser.add_argument("--out", type=Path, metavar="FILE", help="gets a line of JSON a run; read first")
    parser.add_argument("--curve", action="store_true", help="RIP, RRIP and EIP, judged once at each length")
    args = parser.parse_args(argv)
    if args.curve:
        for line in curve(args.folder, [name for name in args.learners if name in ("rip", "rrip", "eip")]):
            print(line, flush=True)
        return 0
    records: list[dict[str, Any]] = []
    if args.out and args.out.exists():
        records = [json.loads(line) for line in args.out.read_text(encoding="utf-8").splitlines()]
    done = {(record["language"], record["learner"], record["seed"]) for record in records}
    for record in runs(args.folder, args.learners, done, args.all):
        records.append(record)
        if args.out:
            with args.out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(record) + "\n")
    print("\n".join(summary(records)))
    return 0


if __name__ == "__main__":
    main()
