"""Praat's own updates after one error, recorded: ``python -m tests.ot.praat_updates`` writes them anew.

Each case is one input: ranking values, plasticities, violations, the candidate that is heard.
Praat's "Learn one..." is called with evaluation noise 0 and spreading 0 (praat-parselmouth, of the
`bench` extra); what is recorded is by how much each ranking value moves. "Symmetric one" draws a
constraint: for it, how often each constraint moved in 2,000 repeats of a few cases.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

RECORD = Path(__file__).with_name("praat_updates.json")
CASES, DRAWN_CASES, REPEATS = 200, 4, 2000
STEP = 0.1
NAMES = {
    "demotion-only": "Demotion only",
    "symmetric-one": "Symmetric one",
    "symmetric-all": "Symmetric all",
    "symmetric-all-skippable": "Symmetric all (skippable)",
    "weighted-uncancelled": "Weighted uncancelled",
    "weighted-all": "Weighted all",
    "edcd": "EDCD",
    "edcd-with-vacation": "EDCD with vacation",
    "weighted-all-up-highest-down": "Weighted all up, highest down",
    "weighted-all-up-highest-down-2012": "Weighted all up, highest down (2012)",
    "weighted-all-up-high-down": "Weighted all up, high down",
    "weighted-all-up-high-down-2012": "Weighted all up, high down (2012)",
}


def cases(seed: int = 2005) -> list[dict[str, Any]]:
    """Return random inputs on which the grammar errs, with distinct ranking values."""
    rng = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    while len(found) < CASES:
        k, n = int(rng.integers(2, 7)), int(rng.integers(2, 5))
        values = rng.choice(np.arange(9000, 11000), k, replace=False) / 100
        marks = rng.integers(0, 3, (n, k))
        order = np.argsort(-values)
        profiles = [tuple(row) for row in marks[:, order].tolist()]
        produced, heard = profiles.index(min(profiles)), int(rng.integers(n))
        if profiles[heard] != profiles[produced]:
            plasticities = np.round(rng.uniform(0.2, 2, k), 2) if len(found) % 2 else np.ones(k)
            found.append(
                {
                    "values": values.tolist(),
                    "plasticities": plasticities.tolist(),
                    "violations": marks.tolist(),
                    "produced": produced,
                    "heard": heard,
                }
            )
    return found


def praat(case: dict[str, Any], rule: str, repeats: int = 1, fixed: tuple[tuple[int, int], ...] = ()) -> Any:
    """Return by how much Praat moves each ranking value, of shape (repeats, K)."""
    import parselmouth
    from parselmouth.praat import call

    size = len(case["values"])
    constraints = "".join(
        f'"C{i}" {case["values"][i]} {case["values"][i]} {case["plasticities"][i]}\n' for i in range(size)
    )
    candidates = " ".join(f'"c{c}" {" ".join(map(str, row))}' for c, row in enumerate(case["violations"]))
    pairs = f"{len(fixed)}\n" + "".join(f"{a + 1} {b + 1}\n" for a, b in fixed)
    text = f'"ooTextFile"\n"OTGrammar 2"\n<OptimalityTheory> 0.0\n{size}\n{constraints}{pairs}1\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.OTGrammar"
        path.write_text(f'{text}"x" {len(case["violations"])} {candidates}\n', encoding="utf-8")
        grammar = parselmouth.read(str(path))
    moves = []
    for _ in range(repeats):
        for i, value in enumerate(case["values"]):
            call(grammar, "Set ranking...", i + 1, value, value)
        call(grammar, "Learn one...", "x", f"c{case['heard']}", 0.0, NAMES[rule], STEP, 0.0, "yes")
        after = [call(grammar, "Get ranking value...", i + 1) for i in range(size)]
        moves.append(np.round(np.array(after) - case["values"], 9) + 0.0)
    return np.array(moves)


def record() -> dict[str, Any]:
    """Return every case with Praat's updates."""
    every = cases()
    for case in every:
        case["moves"] = {rule: praat(case, rule)[0].tolist() for rule in NAMES if rule != "symmetric-one"}
    for case in every[:DRAWN_CASES]:
        case["moved"] = np.count_nonzero(praat(case, "symmetric-one", REPEATS), axis=0).tolist()
    return {"praat": _version(), "step": STEP, "repeats": REPEATS, "cases": every}


def _version() -> str:
    import parselmouth

    return str(parselmouth.PRAAT_VERSION)


if __name__ == "__main__":
    made = record()
    lines = ",\n".join(json.dumps(case) for case in made["cases"])
    head = json.dumps({key: made[key] for key in ("praat", "step", "repeats")})[:-1]
    RECORD.write_text(f'{head}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
