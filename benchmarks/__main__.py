"""``python -m benchmarks [NAME ...] [--json]``: run benchmarks and print their ratios.

A benchmark is a module of this package with ``run() -> dict[str, Row]``; one with
options of its own has ``main(argv)`` and is called with what follows its name.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks import py_cfg
from benchmarks.measure import Row, show

if TYPE_CHECKING:
    from collections.abc import Sequence

# Name on the command line -> module. `LONG` ones run only when they are named.
REGISTRY = {
    "gla": "gla_praat",
    "praat_files": "praat_files",
    "gibbs": "gibbs_floor",
    "exact": "exact_probabilities",
    "sampler": "exact_sampler",
    "maxent": "maxent_fit",
    "tagging": "tagging",
    "tagging_depth": "tagging_depth",
    "mg": "mg",
    "discovery": "discovery",
    "sound": "sound",
    "lab": "lab_latency",
    "long_text": "long_text",
    "lexicon_lab": "lexicon_lab",
    "tagging_lab": "tagging_lab",
    "components": "components",
    "replay": "replay",
    "page": "page",
    "page_speed": "page_speed",
    "sweep": "sweep",
    "first_run": "first_run",
}
LONG = (
    "table1",
    "mg_induction",
    "published_lexicons",
    "calibration",
    "classroom",
    "crash",
    "documents",
    "environment",
    "library_changes",
    "forms",
    "kernels_as_python",
    "metrical",
    "mutants",
    "newcomer",
    "offline",
    "otsoft",
    "otsoft_page",
    "page_kernels",
    "published_grammars",
    "questions",
    "speakers",
)


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    if argv and argv[0] in LONG:
        return int(import_module(f"benchmarks.{argv[0]}").main(argv[1:]) or 0)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join([*REGISTRY, *LONG])}; all short ones if none"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--py-cfg", metavar="PATH", help="a py-cfg binary, run alternately with our sampler")
    parser.add_argument("--only", nargs="+", metavar="PART", help="parts of the one benchmark that is named")
    args = parser.parse_args(argv)
    if args.py_cfg:
        os.environ[py_cfg.ENVIRONMENT] = args.py_cfg
    unknown = [name for name in args.names if name not in REGISTRY]
    if unknown:
        parser.error(
            f"no benchmark is called {', '.join(unknown)}; choose from {', '.join([*REGISTRY, *LONG])}"
        )
    if args.only:
        parts = (
            getattr(import_module(f"benchmarks.{REGISTRY[args.names[0]]}"), "PARTS", {}) if args.names else {}
        )
        if len(args.names) != 1 or not set(args.only) <= set(parts):
            parser.error(f"--only takes parts of one benchmark: {', '.join(parts) or 'none has been named'}")
    rows: dict[str, Row] = {}
    for name in args.names or REGISTRY:
        module = import_module(f"benchmarks.{REGISTRY[name]}")
        measured = module.run(args.only) if args.only else module.run()
        rows |= measured
        if not args.json:
            show(measured)
            show_recorded(getattr(module, "RECORDED", ()))
    if args.json:
        print(json.dumps(rows))
    return 0


def show_recorded(figures: Sequence[tuple[str, str, str]]) -> None:
    """Print figures of peers that were recorded earlier: nothing here measures them."""
    if figures:
        print("Recorded earlier, not measured now; no goal is checked against these:")
    for peer, figure, how in figures:
        print(f"  {peer:30s} {figure:24s} {how}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
