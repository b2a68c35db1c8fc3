"""Counting violations of forms, and learning from overt forms, against fixed goals, Praat and published runs.

    python -m benchmarks forms [--ucla PATH]

``--ucla`` names the folder ``data`` of a copy of GBS-Skile/finding-phonotactic-constraints: each of its three
runs of UCLA's learner is checked by ``otlab check``. Files are read where they are; none is part of otlab.
Praat runs inside praat-parselmouth.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import re
import time
import warnings
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, at_least, at_most, cpu_seconds, paired, show
from otlab.errors import DataWarning, Fault, InputError
from otlab.forms.feet import FOOT_CONSTRAINTS, read_footed
from otlab.forms.gen import footings
from otlab.inference.random import chain_generators
from otlab.ot import Tableau, read
from otlab.ot.formula_columns import Formulas, bare_form
from otlab.ot.learners.interpretive import InterpretiveGLA
from otlab.ot.learners.schedules import schedule
from otlab.ot.overt import overt_forms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMULAS = (
    *("Max", "Dep", "Max[V]", "Dep[V]", "Ident", "Ident[voice]", "Ident[place]"),
    *(
        "Onset",
        "NoCoda",
        "*Complex",
        "*[+voice,-son]#",
        "*NT",
        "*VV",
        "Agree[voice]",
        "OCP[place]",
        "NoGeminate",
        "*V...V",
    ),
    *("Ident[voice] / _V", "Max[C] / #_", "*[+high]...[-high]"),
)
RECOUNTS = ("one candidate renamed", "50 renamed, all counted again", "all counted for the first time")
SEGMENTS = tuple("ptkbdɡmnszlraeiou")
TWELVE = (
    *("WSP", "FootNonfinal", "Iambic", "Parse", "FtBin", "WFL", "WFR"),
    *("MainLeft", "MainRight", "AFL", "AFR", "Nonfinal"),
)
"""Of Tesar & Smolensky, in the order of Praat's metrics grammar."""
METRICS = ("Equal", "FtNonfinal", "no", "no", "no", "Nonfinal", "yes", "no", "no")
"""Praat's settings; the only `yes` is that secondary stress is heard."""
TROCHEES = (
    *("FtBin", "Iambic", "WSP", "Parse", "MainRight", "AFL", "WFL"),
    *("WFR", "MainLeft", "AFR", "Nonfinal", "FootNonfinal"),
)
"""A ranking whose language both sides of the race learn."""
WORDS = ["".join(word) for n in range(2, 6) for word in product("LH", repeat=n)] + ["L" * 6, "L" * 7]

TRIALS, PEER_TRIALS = 50_000, 2_000  # of the race with Praat
NOISE, PLASTICITY = 2.0, 1.0
PUBLISHED_CELLS = 141_640
UCLA = (
    ("englishonset", "EnglishFeatures.txt", ""),
    ("shonademo", "Features.txt", "Projections.txt"),
    ("stress", "StressFeatures.txt", "StressProjections.txt"),
)


# ---- counting


def random_tableau(inputs: int = 50, candidates: int = 100, seed: int = 1) -> Tableau:
    """Return generated words and candidates a few changes away, with a formula for each column."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(inputs):
        word = list(rng.choice(SEGMENTS, rng.integers(4, 10)))
        forms = dict.fromkeys("".join(_changed(word, rng)) for _ in range(3 * candidates))
        rows += [("".join(word), form, 0.0, [0] * len(FORMULAS)) for form in list(forms)[:candidates]]
    tableau = Tableau.from_rows(rows, FORMULAS)
    return replace(tableau, formulas=Formulas(FORMULAS)).recounted()


def _changed(word: list[str], rng: np.random.Generator) -> list[str]:
    form = list(word)
    for _ in range(rng.integers(0, 4)):
        at, kind = rng.integers(len(form)), rng.random()
        if kind < 0.3 and len(form) > 2:
            del form[at]
        elif kind < 0.6:
            form.insert(at, rng.choice(SEGMENTS))
        else:
            form[at] = rng.choice(SEGMENTS)
        if rng.random() < 0.4:
            form.insert(rng.integers(len(form)), ".")
    return form


def counting() -> dict[str, Row]:
    """Return the lines on counting 20 formulas after an edit, and anew."""
    tableau = random_tableau()
    cells = f"{tableau.n_rows:,} candidates x {tableau.n_constraints} formulas"
    times: dict[str, list[float]] = {what: [] for what in RECOUNTS}
    one, fifty, first = times.values()
    for n in range(5):
        names = [*tableau.candidates]
        for row in range(n, tableau.n_rows, 100):
            names[row] += "pa"
        changed = replace(tableau, candidates=tuple(names))
        name = tableau.candidates[n] + "pi"
        one.append(cpu_seconds(lambda name=name, n=n: tableau.rename_candidate(n, name)))
        fifty.append(cpu_seconds(lambda changed=changed: changed.recounted()))
        # Under shorthands that were not used before, no form has been read and no pair aligned.
        shorthand = f"+syll,{'+-'[n % 2]}{('high', 'low', 'back')[n // 2]}"
        other = replace(tableau, formulas=Formulas(FORMULAS, shorthands=(("Q", shorthand),)))
        first.append(cpu_seconds(lambda other=other: other.recounted()))
    rows = {}
    for what, each in times.items():
        taken = 1000 * float(np.median(each))
        rows[f"formulas: {what}"] = at_most(taken, "ms", f"300 ms for {cells}", 300.0, taken / 300, 1)
    return rows


# ---- the metrics grammar


def metrics(names: tuple[str, ...] = TWELVE) -> Tableau:
    """Return all footings of the 62 words with their violations and overt forms."""
    rows, overt = [], []
    for word in WORDS:
        for form in footings([letter == "H" for letter in word]):
            marks = [FOOT_CONSTRAINTS[name](form) for name in names]
            rows.append((" ".join(word), str(form), 0.0, marks))
            overt.append(form.overt)
    return Tableau.from_rows(rows, names, overt=tuple(overt), name="metrics")


def kept(tableau: Tableau, which: Callable[[np.ndarray], np.ndarray]) -> Tableau:
    """Return the tableau of those candidates that a function of an input's violations keeps."""
    keep = [which(tableau.violations[tableau.rows(k)]) for k in range(len(tableau.inputs))]
    rows = np.flatnonzero(np.concatenate(keep)).tolist()
    made = [
        (tableau.inputs[tableau.input_of_row[n]], tableau.candidates[n], 0.0, tableau.violations[n].tolist())
        for n in rows
    ]
    overt = tuple(tableau.overt[n] for n in rows)
    return Tableau.from_rows(made, tableau.constraints, overt=overt, name=tableau.name)


def hearing(tableau: Tableau, heard: dict[str, str]) -> Tableau:
    """Return the tableau with one observation of each word's overt form, at its first parse."""
    frequencies = np.zeros(tableau.n_rows)
    for k, word in enumerate(tableau.inputs):
        rows = range(*tableau.rows(k).indices(tableau.n_rows))
        frequencies[next(row for row in rows if tableau.overt[row] == heard[word])] = 1
    return replace(tableau, frequencies=frequencies)


def language(tableau: Tableau, ranking: tuple[str, ...]) -> dict[str, str]:
    """Return the overt form of each word under a ranking."""
    order = [tableau.constraints.index(name) for name in ranking]
    heard = {}
    for k, word in enumerate(tableau.inputs):
        rows = tableau.rows(k)
        best = np.lexsort(tableau.violations[rows][:, order[::-1]].T)[0]
        heard[word] = tableau.overt[rows.start + best]
    return heard


def praat_metrics() -> object:
    """Return Praat's metrics grammar."""
    from parselmouth.praat import call

    made = call("Create metrics grammar...", *METRICS)
    return made[0] if isinstance(made, list) else made


def praat_cells(grammar: object) -> tuple[int, int]:
    """Return the cells of Praat's grammar, and how many of them our count gives otherwise."""
    from parselmouth.praat import call

    with TemporaryDirectory() as folder:
        path = Path(folder) / "metrics.OTGrammar"
        call(grammar, "Save as text file...", str(path))
        lines = re.findall(r'candidate \[\d+\]: "(.*)" ([\d ]+)$', path.read_text("utf-8"), re.MULTILINE)
    wrong = cells = 0
    for text, numbers in lines:
        form = read_footed(text)
        pairs = zip(TWELVE, numbers.split(), strict=True)
        wrong += sum(FOOT_CONSTRAINTS[name](form) != int(number) for name, number in pairs)
        cells += len(TWELVE)
    return cells, wrong


def footed() -> dict[str, Row]:
    """Return the lines on the metrics grammar: its size, its cells, and the time it takes."""
    made: list[Tableau] = []
    taken = cpu_seconds(lambda: made.append(metrics()))
    tableau, heard = made[0], len(overt_forms_of(made[0]).names)
    size = f"2 s; {tableau.n_rows:,} parses, {heard:,} overt forms"
    row = at_most(taken, "s", size, 2.0, taken / 2, 1)
    row["holds"] = row["holds"] and (tableau.n_rows, heard) == (15_344, 3_824)
    cells, wrong = praat_cells(praat_metrics())
    agree = at_least(cells - wrong, "cells", f"Praat's {cells:,}", cells, (cells - wrong) / cells, 1)
    return {"metrics grammar: made and counted": row, "metrics grammar: cells as Praat's": agree}


# ---- learning beside Praat


def praat_hears(heard: dict[str, str]) -> object:
    """Return Praat's distribution of the overt forms of a language."""
    import parselmouth

    lines = "".join(f'"[{form}]" 1\n' for form in heard.values())
    head = 'File type = "ooTextFile"\nObject class = "Distributions"\n\n'
    with TemporaryDirectory() as folder:
        path = Path(folder) / "heard.Distributions"
        path.write_text(f'{head}1 columns\n"heard"\n{len(heard)} rows\n{lines}', encoding="utf-8")
        return parselmouth.read(str(path))


def race() -> dict[str, Row]:
    """Return the line on steps of RIP a second beside Praat's; reading and laying out stay outside."""
    from parselmouth.praat import call

    whole = metrics()
    heard = language(whole, TROCHEES)
    grammar, distribution = praat_metrics(), praat_hears(heard)
    learner = InterpretiveGLA(
        hearing(whole, heard), NOISE, schedule("constant", TRIALS, PLASTICITY, PLASTICITY), how="rip"
    )
    (rng,) = chain_generators(1, 1)
    learner.step(rng, learner.init(rng), 100)
    learnt = []

    def ours() -> None:
        learnt.append(learner.step(rng, learner.init(rng), TRIALS))

    def theirs() -> None:
        call(grammar, "Reset all rankings...", 100)
        settings = (1, NOISE, "Symmetric all", PLASTICITY, PEER_TRIALS, 1.0, 1, 0.0, "no", 1, 0)
        call([grammar, distribution], "Learn from partial outputs...", *settings)

    mine, peer, ratio = paired(ours, theirs, 3)
    share = TRIALS / PEER_TRIALS
    against = "Praat's Learn from partial outputs"
    row = at_least(TRIALS / mine, "steps a second", against, PEER_TRIALS / peer, share * ratio, 3)
    values = np.array([call(grammar, "Get ranking value...", n + 1) for n in range(len(TWELVE))])
    right = min(learner.reproduced(learnt[-1].values), learner.reproduced(values))
    row["holds"] = row["holds"] and right > 0.9  # both have learnt the language
    return {"RIP on the metrics grammar": row}


# ---- published runs


def published_cells(folder: Path) -> dict[str, Row]:
    """Return the line on the cells of the three runs of UCLA's learner, by ``otlab check``."""
    from otlab.cli import main

    wrong = checked = 0
    begin = time.process_time()
    for run, features, tiers in UCLA:
        command = ["check", str(folder / run / "output" / "blickTestResults.txt"), "--json"]
        command += ["--features", str(folder / run / features)]
        command += ["--tiers", str(folder / run / tiers)] if tiers else []
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main(command)
        found = json.loads(out.getvalue())
        checked, wrong = checked + found["checked"], wrong + len(found["cells"])
    taken = time.process_time() - begin
    ratio = (checked - wrong) / PUBLISHED_CELLS
    return {
        "UCLA's runs: cells as published": at_least(
            checked - wrong, "cells", f"{PUBLISHED_CELLS:,}, in {taken:.1f} s", PUBLISHED_CELLS, ratio, 1
        )
    }


def languages(folder: Path) -> list[dict[str, str]]:
    """Return the overt form of each word of each language, in the order of the files' numbers."""
    paths = sorted(folder.glob("*.csv"), key=lambda path: int(re.sub(r"\D", "", path.stem)))
    if not paths:
        raise InputError(Fault(f"{folder} has no files such as ts1.csv", "name TesarSmolensky-TSOG"))
    return [_heard(path) for path in paths]


def _heard(path: Path) -> dict[str, str]:
    """Return what is heard of each word in a file; the table itself is that of all the others."""
    found, word = {}, ""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in list(csv.reader(lines))[1:]:
            word = bare_form(row[0]) if row[0] else word
            if len(row) > 2 and row[1] and float(row[2] or 0) > 0:
                found[word] = bare_form(row[1])
    return found


def same_table(path: Path) -> bool:
    """Return whether the CSV reader finds in a file the parses and violations that are generated here."""
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        theirs, ours = read(path), metrics()
    names = (bare_form(form) for form in theirs.candidates)
    marks = dict(zip(names, map(tuple, theirs.violations.tolist()), strict=True))
    heard = dict(zip(map(bare_form, theirs.candidates), map(bare_form, theirs.overt), strict=True))
    pairs = zip(ours.candidates, ours.violations.tolist(), ours.overt, strict=True)
    same = all(marks[form] == tuple(row) and heard[form] == overt for form, row, overt in pairs)
    return same and len(marks) == ours.n_rows


def run() -> dict[str, Row]:
    """Return the lines that need no files."""
    return counting() | footed() | race()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks forms", description=__doc__.split("\n")[0])
    parser.add_argument("--ucla", type=Path, metavar="PATH", help="with englishonset, shonademo, stress")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    rows: dict[str, Row] = {}
    if args.ucla:
        rows |= published_cells(args.ucla)
    rows = rows or run()
    print(json.dumps(rows)) if args.json else show(rows)
    return 0
