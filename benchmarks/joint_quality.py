"""Words from sound: the joint model beside its pipeline, what was tried, and ceilings.

    python -m benchmarks.joint_quality [reported] [lost] [edited] [tried] [--seeds 5]

Odd utterances of ``espeak_brent`` (synthetic speech, two voices; scores on it are optimistic) are for
trying, even ones for reporting. Each half is learnt from alone, without gold, and scored on
itself. The folder is not shipped: ``OTLAB_AUDIO`` names the one that holds it. Writes
``benchmarks/results/joint.md``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.joint_attempts import (
    AgreedBoundaries,
    Annealed,
    BehindChannel,
    BehindChannelMore,
    FromGold,
    MoreStrings,
    losses,
    renditions,
)
from benchmarks.sound import ESPEAK
from otlab.discovery.channel.channel import corrupt
from otlab.discovery.corpus import Corpus
from otlab.discovery.joint.learners.joint import Joint
from otlab.discovery.learners.batch import BatchVB
from otlab.discovery.learners.noisy import NoisyVB
from otlab.discovery.presets import preset
from otlab.discovery.scores import score
from otlab.discovery.sound.learners.phone_loop import PhoneLoop
from otlab.discovery.sound.speech import read_speech
from otlab.discovery.sound.tiers import PAUSES
from otlab.inference import fit, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from otlab.discovery.sound.speech import Speech

RESULTS = Path(__file__).parent / "results" / "joint.md"
ATTEMPTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "source strings also behind flatter posteriors": {"make": MoreStrings},
    "begun at source strings of the noisy learner": {"make": BehindChannel},
    "both": {"make": BehindChannelMore},
    "begun at boundaries five runs agree on": {"make": AgreedBoundaries},
    "first share of edits .3": {"first_rate": 0.3},
    "first share of edits 0": {"first_rate": 0.0},
    "words anew each round": {"relearn_every": 1},
    "words never anew": {"relearn_every": 100},
    "source strings fixed": {"propose": False},
    "variants moved as wholes": {"merge_variants": True},
    "band of 8": {"band": 8.0},
    "20 rounds": {"rounds": 20},
    "25 units": {"units": 25},
    "transitions learnt": {"learn_transitions": True},
}
EDITED = (0.05, 0.1, 0.2)
"""Shares of gold phones edited for the oracle."""

STARTS = {
    "1-best units": Joint,
    "boundaries five runs agree on": AgreedBoundaries,
    "words of an annealed search (the joint model alone)": Annealed,
}
NAMES = ("token F", "lexicon F", "boundary F", "NED", "phone boundary F", "NMI")
WON = ("higher token F", "higher lexicon F")


def both(speech: Speech, seed: int, **settings: Any) -> dict[str, list[float]]:
    """Return the scores of the pipeline and of the joint model that continues from it."""
    loop = {name: settings.pop(name) for name in ("units", "learn_transitions") if name in settings}
    learner = settings.pop("make", Joint)(PhoneLoop(speech, **loop), **settings)
    running = run(learner, sweeps=learner.steps, seed=seed, every=1)
    rows = {}
    for tick in running:
        view: Any = tick.view
        if (view.tokens is not None and view.edits is None) or tick.finished:
            found = learner.conclude(running, tick)
            units, words = found.scores, found.word_scores
            rows["joint" if tick.finished else "pipeline"] = [
                words.token.f, words.type.f, words.boundary.f, words.ned, units.boundary.f, units.nmi
            ]  # fmt: skip
    return rows


def corrupted(speech: Speech, seed: int) -> list[list[float]]:
    """Return what is found in gold phones with known edits, without and with a channel.

    The words of the half that is reported, as a text: the same words, phones and utterances, and no
    sound. Scores are those of texts, by the phones.
    """
    text = gold_text(speech)
    lines = []
    for rate in (0.0, *EDITED):
        damaged = corrupt(text, rate, np.random.default_rng(seed)).corpus
        row = []
        for learner in (BatchVB(damaged, preset("word")), NoisyVB(damaged)):
            found = score(damaged, fit(learner, steps=40, seed=seed).view.ends > 0.5)
            row += [found.token.f, found.lexicon.f]
        lines.append(row)
    return lines


def gold_text(speech: Speech) -> Corpus:
    """Return the gold phones of each utterance as a text, with blanks between gold words."""
    lines = []
    for phones, words in zip(speech.phones or (), speech.words or (), strict=True):
        inside = [[p for p in phones if w.start <= (p.start + p.end) / 2 < w.end] for w in words]
        labels = [[p.label for p in each if p.label not in PAUSES] for each in inside]
        lines.append([word for word in labels if word])
    names = sorted({label for line in lines for word in line for label in word})
    letter = {name: chr(0x4E00 + k) for k, name in enumerate(names)}
    return Corpus.from_text(
        "\n".join(" ".join("".join(letter[x] for x in w) for w in line) for line in lines)
    )


def row(label: str, values: list[list[float]]) -> str:
    """Return a line of the table: medians."""
    figures = " | ".join("" if np.isnan(x) else f"{x:.3f}" for x in np.median(values, axis=0))
    return f"| {label} | {figures} |"


def gold_start(speech: Speech, seed: int) -> list[float]:
    """Return J and token F at the end, begun at the words of the pipeline, of a search, and of gold."""
    out = []
    for make in (Joint, Annealed, FromGold):
        learner = make(PhoneLoop(speech))
        fitted: Any = fit(learner, steps=learner.steps, seed=seed)
        out += [fitted.view.bound, fitted.word_scores.token.f]
    return out


def table(heads: Iterable[str]) -> list[str]:
    """Return the head of a table whose first column is named by its rows."""
    heads = list(heads)
    return ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]


def reported(speech: Speech, seeds: range) -> list[str]:
    """Return both models on the reporting half, seed by seed, from three starts."""
    lines = ["## Reporting half", ""]
    plain: list[dict[str, list[float]]] = []
    for start, make in STARTS.items():
        found = [both(speech, seed, make=make) for seed in seeds]
        plain = plain or found
        lines += [f"Begun at {start}:", "", *table(NAMES)]
        for name in ("pipeline", "joint"):
            lines += [row(f"{name}, seed {k + 1}", [rows[name]]) for k, rows in enumerate(found)]
            lines.append(row(f"{name}, median", [rows[name] for rows in found]))
        for k, name in enumerate(NAMES[:2]):
            own, other = (
                sum(rows["joint"][k] > base["pipeline"][k] for rows, base in zip(found, bases, strict=True))
                for bases in (found, plain)
            )
            more = "" if plain is found else f", and than the pipeline of 1-best units on {other}"
            lines += [
                "",
                f"The joint model has higher {name} than its pipeline on {own} of {len(found)} seeds{more}.",
            ]
        lines.append("")
    return lines[:-1]


def where_lost(speech: Speech, seeds: range) -> list[str]:
    """Return ceilings with gold phones and boundaries, what words are heard as, and what J prefers."""
    found = [losses(speech, seed) for seed in seeds]
    lines = [f"## Where words are lost (reporting half, medians of {len(seeds)} seeds)", ""]
    lines += ["The word grammar alone, on strings from gold phones to units.", "", *table(NAMES[:4])]
    lines += [row(name, [rows[name] for rows in found]) for name in found[0]]
    heard = np.median([renditions(speech, seed) for seed in seeds], axis=0)
    tokens, types, strings, most, apart = heard
    lines += [
        "",
        f"{types:.0f} gold words occur twice or more, {tokens:.0f} times in all. Their best units are",
        f"{strings:.0f} different strings: {100 * most:.0f} % of the tokens have the most frequent one of",
        f"their word, and two tokens of a word are {apart:.2f} edits per unit apart.",
        "",
        "The end of the joint phase, begun at the words of the pipeline, at those of an annealed search",
        "behind the channel, and at gold words (each with the string of units nearest to all its tokens).",
        "From these two, strings behind flatter posteriors are proposed as well:",
        "",
        *table(
            [
                f"{x} from {words}"
                for words in ("the pipeline", "the search", "gold")
                for x in ("J", "token F")
            ]
        ),
    ]
    starts = [gold_start(speech, seed) for seed in seeds]
    for seed, figures in zip(seeds, starts, strict=True):
        shown = [f"{x:,.0f}" if abs(x) > 1 else f"{x:.3f}" for x in figures]
        lines.append(f"| seed {seed} | {' | '.join(shown)} |")
    return lines


def oracle(speech: Speech, seeds: range) -> list[str]:
    """Return what is found in gold phones with known edits."""
    found = np.median([corrupted(speech, seed) for seed in seeds], axis=0)
    heads = ("token F", "lexicon F", "token F behind a channel", "lexicon F behind a channel")
    lines = [
        f"## Gold phones with known edits (reporting half, medians of {len(seeds)} seeds)",
        "",
        *table(heads),
    ]
    return lines + [
        row(f"{rate:.0%}", [each.tolist()]) for rate, each in zip((0.0, *EDITED), found, strict=True)
    ]


def tried(speech: Speech, seeds: range) -> list[str]:
    """Return every attempt on the tuning half."""
    lines = [f"## What was tried (tuning half, medians of {len(seeds)} seeds)", "", *table((*NAMES, *WON))]
    for label, settings in ATTEMPTS.items():
        found = [both(speech, seed, **settings) for seed in seeds]
        own = {"units", "learn_transitions"} & settings.keys() or settings.get("make") is AgreedBoundaries
        if own or not settings:
            lines.append(row(f"{label}: pipeline", [rows["pipeline"] for rows in found]) + "  |  |")
        won = [sum(rows["joint"][k] > rows["pipeline"][k] for rows in found) for k in range(2)]
        marks = " | ".join(f"{each} of {len(seeds)}" for each in won)
        lines.append(f"{row(f'{label}: joint', [rows['joint'] for rows in found])} {marks} |")
        print(lines[-1], flush=True)
    return lines


PARTS = {"reported": reported, "lost": where_lost, "edited": oracle, "tried": tried}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=PARTS, help="only these, printed and not written")
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    whole = read_speech(ESPEAK)
    tuning, reporting = (whole.subset(list(range(k, len(whole), 2))) for k in (1, 0))
    lines = ["# Words from sound", "", *(__doc__ or "").split("\n\n")[2].strip().split("\n")]
    for name in args.parts or PARTS:
        made = PARTS[name](tuning if name == "tried" else reporting, range(1, args.seeds + 1))
        print("\n".join(made), flush=True)
        lines += ["", *made]
    if not args.parts:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
