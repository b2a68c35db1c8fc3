"""Record what every command prints as JSON on the shipped samples; compare two recordings.

Before a change that is to leave all numbers alone::

    python -m tests.recording before.json
    (change)
    python -m tests.recording after.json
    python -m tests.recording before.json after.json

``--only ot`` records the commands of one system, ``--only sweep`` a sweep over all systems. The comparison
covers the cases that both recordings have, and lists each case and key that differ. Seconds, versions and
the hashes of runs, which depend on the version of the numerical code, are left out. Of the files that a
command writes, their digests are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import json
import shutil
import sys
import tempfile
from pathlib import Path

from otlab import ot, samples
from otlab.cli import main
from otlab.discovery.presets import PRESETS

LEFT_OUT = {"seconds", "otlab", "versions", "ess_per_second", "rate", "hash"}
TEXT_FORMATS = (
    *("csv", "maxent.ot", "otsoft", "praat", "praat-pairs", "praat-collection"),
    *("ot-tableau", "tabular", "html", "svg"),
)
"""Formats of ``otlab convert`` that are the same to the byte each time, unlike archives and pictures."""

CHANNEL_PAIRS = "k a t\tk a t\nk a t\tk a d\nd o g\td o\ns u n\ts u n a\n"

SWEEP = """
seed = 3
seeds = 2
[[sweep]]
system = "ot"
learner = ["gibbs", "gla", "maxent"]
data = ["ilokano", "nasal_place"]
[sweep.settings]
noise = [1, 2]
sweeps = 60
runs = 2
[[sweep]]
system = "tagging"
learner = ["em", "vb", "gibbs"]
data = "ewt_sample"
[sweep.settings]
states = [5, 9]
iterations = 3
[[sweep]]
system = "mg"
learner = ["em", "vb"]
data = "attachment_wh"
[sweep.settings]
iterations = 8
[[sweep]]
system = "discovery"
learner = ["batch", "online", "mcmc"]
data = "toy_phones"
[sweep.settings]
grammar = "word"
iterations = 4
[[sweep]]
system = "sound"
learner = "units"
data = "digits"
[sweep.settings]
iterations = 2
units = 12
"""
"""Runs of every system, small enough for a recording: each learner, crossed settings, two seeds."""


def cases(folder, only=""):
    """Yield a name and the command's arguments for every case, of one system or of all."""
    makers = {"ot": _ot_cases, "mg": _grammar_cases, "tagging": _tagging_cases, "discovery": _discovery_cases}
    makers["sweep"] = _sweep_cases
    for system, make in makers.items():
        if only in ("", system):
            yield from make(folder)


def _names(system):
    return [sample.name for sample in samples.samples(system)]


def _ot_cases(folder):
    yield "samples", ["samples"]
    for name in _names("ot"):
        yield from _cases_of_a_tableau(name)
        yield from _cases_of_an_analysis(name, folder)


def _cases_of_an_analysis(name, folder):
    for algorithm in ("rcd", "bcd", "lfcd"):
        yield f"rank {name} {algorithm}", ["rank", name, "--algorithm", algorithm, "--seed", "1"]
    yield f"rank {name} typology", ["rank", name, "--typology", "--max-languages", "40", "--seed", "1"]
    models = ["--models", "maxent,partial", "--prior-sd", "5", "--no-posterior"]
    yield f"compare {name}", ["compare", name, *models, "--seed", "1"]
    for form in TEXT_FORMATS:
        yield f"convert {name} {form}", ["convert", name, str(Path(folder) / "converted"), "--to", form]


def _cases_of_a_tableau(name):
    constraints = ot.read(name).constraints
    for spread in (0.3, 1.7):
        values = ",".join(f"{c}={spread * i:.2f}" for i, c in enumerate(constraints))
        yield f"predict {name} {spread}", ["predict", name, "--values", values]
    for seed in ("1", "7"):
        for options in (
            ["--learner", "gibbs", "--sweeps", "400", "--chains", "2"],
            ["--learner", "gibbs", "--sweeps", "300", "--prior-sd", "10", "--variant", "published"],
            ["--learner", "gla", "--runs", "3", "--schedule", "praat"],
            ["--learner", "maxent", "--prior-sd", "1"],
            ["--learner", "maxent", "--weights", "free", "--prior-sd", "10"],
        ):
            yield f"learn {name} {' '.join(options)} {seed}", ["learn", name, *options, "--seed", seed]


def _grammar_cases(_folder):
    for name in _names("mg"):
        yield from _cases_of_a_lexicon(name)


def _cases_of_a_lexicon(name):
    lexicon = samples.load_sample(name)
    sentences = sorted({" ".join(words) for words in lexicon.corpus})[:6]
    for form in ("brackets", "forest", "qtree"):
        yield f"parse {name} {form}", ["parse", name, *filter(None, sentences), "--format", form]
    for learner in ("vb", "em", "map", "gibbs"):
        for init in ("prior", "jitter"):
            arguments = ["induce", name, "--learner", learner, "--init", init, "--iterations", "12"]
            if learner == "map":
                arguments += ["--alpha", "1.5"]
            yield f"induce {name} {learner} {init}", [*arguments, "--restarts", "2", "--seed", "3"]


def _tagging_cases(_folder):
    samplers = ("gibbs", "gibbs-explicit", "gibbs-blocked", "gibbs-collapsed-blocked")
    for learner in ("em", "map-em", "vb", *samplers):
        for init in ("dirichlet", "jitter", "random"):
            arguments = ["tag", "ewt_sample", "--learner", learner, "--states", "9", "--iterations", "3"]
            arguments += ["--init", init, "--seeds", "2", "--seed", "5"]
            if learner == "map-em":
                arguments += ["--emission-prior", "1.5", "--transition-prior", "1.5"]
            yield f"tag {learner} {init}", arguments


def _discovery_cases(folder):
    for grammar in PRESETS:
        for learner in ("batch", "online", "mcmc", "noisy"):
            arguments = ["discover", "toy_phones", "--grammar", grammar, "--learner", learner]
            yield f"discover {grammar} {learner}", [*arguments, "--iterations", "6", "--seed", "4"]
    for learner in ("units", "pipeline", "joint"):
        arguments = ["discover", "--audio", "spoken_toy", "--learner", learner, "--units", "20"]
        arguments += ["--iterations", "3", "--seed", "4"]
        if learner != "units":
            arguments += ["--word-iterations", "3"]
        yield f"discover audio {learner}", [*arguments, *(["--rounds", "2"] if learner == "joint" else [])]
    pairs = Path(folder) / "pairs.tsv"
    pairs.write_text(CHANNEL_PAIRS, encoding="utf-8")
    for seed in ("1", "2"):
        yield f"channel {seed}", ["channel", str(pairs), "--iterations", "8", "--seed", seed]


def _sweep_cases(folder):
    spec = Path(folder) / "sweep.toml"
    spec.write_text(SWEEP, encoding="utf-8")
    yield "sweep", ["sweep", str(spec), "--workers", "2"]


def run_case(arguments, folder):
    """Return the command's exit code, its JSON without what may differ, its messages, and files' digests."""
    out, err = io.StringIO(), io.StringIO()
    there = set(Path(folder).iterdir())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([*arguments, "--json"])
        except SystemExit as left:
            code = left.code
        except Exception as error:
            code = f"{type(error).__name__}: {error}"
    printed = out.getvalue().strip().replace(folder, "FOLDER")
    return {
        "code": code,
        "json": _kept(json.loads(printed)) if printed else None,
        "messages": err.getvalue().replace(folder, "FOLDER"),
        "files": _digests(set(Path(folder).iterdir()) - there),
    }


def _digests(written):
    """Return the digest of each file by its name, and remove what was written.

    Of a sweep's table the columns that may differ are left out; of its folder of runs, the number is kept.
    """
    found = {}
    for path in sorted(written):
        if path.is_dir():
            found[path.name] = len(list(path.iterdir()))
            shutil.rmtree(path)
            continue
        content = _table(path) if path.suffix == ".csv" else path.read_bytes()
        found[path.name] = hashlib.sha256(content).hexdigest()
        path.unlink()
    return found


def _table(path):
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in row if name not in LEFT_OUT] for row in csv.DictReader(file)]
    return json.dumps(rows).encode()


def _kept(value):
    if isinstance(value, dict):
        return {key: _kept(v) for key, v in value.items() if key not in LEFT_OUT}
    return [_kept(v) for v in value] if isinstance(value, list) else value


def differences(before, after, path=""):
    """Yield the path of every value that differs, with both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differences(before.get(key), after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (a, b) in enumerate(zip(before, after, strict=True)):
            yield from differences(a, b, f"{path}/{i}")
    elif before != after:
        yield f"{path}: {str(before)[:80]} -> {str(after)[:80]}"


def record(path, only):
    """Run every case and write what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        found = {name: run_case(arguments, folder) for name, arguments in cases(folder, only)}
    Path(path).write_text(json.dumps(found, ensure_ascii=False, indent=0), encoding="utf-8")
    bad = sum(case["code"] != 0 for case in found.values())
    print(f"{len(found)} cases recorded, {bad} of them refused or failed")  # noqa: T201


def compare(before, after):
    """Print what differs between two recordings; return how many values do."""
    one, two = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (before, after))
    both = one.keys() & two.keys()
    found = [line for name in sorted(both) for line in differences(one[name], two[name], name)]
    print("\n".join(found) or f"all {len(both)} cases are equal")  # noqa: T201
    return len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", nargs="+")
    parser.add_argument("--only", default="", choices=["ot", "mg", "tagging", "discovery", "sweep"])
    asked = parser.parse_args()
    if len(asked.recording) == 2:
        sys.exit(bool(compare(*asked.recording)))
    record(asked.recording[0], asked.only)
