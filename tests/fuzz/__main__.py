"""Print what each reader does with damaged files: ``python -m tests.fuzz --inputs 1000000 --seed 1``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import HEAD, campaign, shortened
from tests.fuzz.readers import READERS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", help="names of readers; all by default")
    parser.add_argument("--inputs", type=int, default=50_000, help="for all readers together")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each reader")
    parser.add_argument("--keep", type=Path, help="folder for the inputs of faults")
    asked = parser.parse_args()
    unknown = set(asked.readers) - {reader.name for reader in READERS}
    if unknown:
        known = ", ".join(reader.name for reader in READERS)
        parser.error(f"no reader is called {', '.join(sorted(unknown))}; there are {known}")
    chosen = [reader for reader in READERS if not asked.readers or reader.name in asked.readers]
    each, start = -(-asked.inputs // max(len(chosen), 1)), time.monotonic()
    out = sys.stdout.write
    out(f"{HEAD}\n")
    outcomes = []
    for reader in chosen:
        outcome = campaign(reader, each, asked.seed, first=asked.first, seconds=asked.seconds)
        outcomes.append(outcome)
        out(f"{outcome.line}\n")
        for number, (key, (data, fault)) in enumerate(sorted(outcome.faults.items())):
            data = shortened(reader, data, key)
            out(f"    {key}: {data[:80]!r}\n        {fault.report.strip().splitlines()[-1][:200]}\n")
            if asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{reader.name.replace(' ', '_')}__{number}_{asked.seed}.bin").write_bytes(data)
        sys.stdout.flush()
    total, faults = sum(o.inputs for o in outcomes), sum(len(o.faults) for o in outcomes)
    out(f"{total:,} inputs in {time.monotonic() - start:,.0f} s, {faults} faults\n")
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
