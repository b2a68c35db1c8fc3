"""The runs of the grammar lab as a sweep: theories compared, and learners of the lab's own lexicon."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError, counted
from otlab.mg.io.write import dumps
from otlab.mg.learners import LEARNERS
from otlab.mg.sentences import sentence_text
from otlab.sweep.write import Part
from otlab.ui.fields import values_of
from otlab.ui.sweep.names import sweep_settings
from otlab.ui.sweep.planned import PlannedSweep, shipped_name, unfinished

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from otlab.mg.learners.induction import Induction
    from otlab.mg.lexicon import Lexicon
    from otlab.ui.mg.comparison import Theory
    from otlab.ui.mg.document import Words
    from otlab.ui.mg.state import MGState
    from otlab.ui.sweep.planned import Content

__all__ = ["learners_sweep", "theories_sweep"]

_TRAINING, _SENTENCES = "training.txt", "sentences.txt"
_REOPENED = (
    "Compared before the document was opened: settings and sentences are those that Compare would use now."
)


def theories_sweep(state: MGState) -> PlannedSweep:
    """Return the runs of VB on every theory compared; of those to compare where nothing has been compared.

    Raises
    ------
    InputError
        If there is nothing to compare.
    """
    theories = state.theories
    compared = theories.shown or theories.all
    asked = theories.asked if theories.shown else None
    remarks = [_REOPENED] if theories.shown and asked is None else []
    if asked is None:
        asked, _ = theories.planned(compared)
    names, files, named = _named(compared)
    remarks += [
        *named,
        f"Left out: {counted(asked.held_out, 'sentence')} held out, on which a sweep scores nothing; "
        f"{_TRAINING} has the {len(asked.train):,} others.",
    ]
    files[_TRAINING] = _lines(asked.train)
    chosen = {key: asked.settings[key] for key in ("iterations", "start")}
    settings = sweep_settings("mg", "vb", {**chosen, "start": "jitter", "alpha": asked.alpha})
    settings = {"sentences": _TRAINING, **settings}
    part = Part("vb", names, asked.settings["seed"], asked.settings["restarts"], settings)
    return PlannedSweep("mg", (part,), files, tuple(remarks))


def _named(theories: Sequence[Theory]) -> tuple[list[str], dict[str, Content], list[str]]:
    """Return the theories' names in the specification, the files of those not shipped, and which is which."""
    names: list[str] = []
    files: dict[str, Content] = {}
    for number, theory in enumerate(theories, start=1):
        shipped = _shipped(theory.lexicon)
        name = shipped or f"theory_{number}.mg"
        names.append(name)
        if not shipped:
            files[name] = dumps(theory.lexicon).encode()
    named = [f"{n}: {t.name}" for n, t in zip(names, theories, strict=True) if n in files]
    return list(dict.fromkeys(names)), files, named


def learners_sweep(state: MGState) -> PlannedSweep:
    """Return the runs of every learner that has results; where none has, of the learners ticked.

    Starts of an optimiser are as many runs, each with a seed of its own; the chains of Gibbs are one run,
    as they are one posterior on the page.

    Raises
    ------
    InputError
        If nothing has been run, and no learner is ticked or the shortest move constraint is off.
    """
    names = [name for name in LEARNERS if name in (state.inductions or state.learners)]
    if not names:
        raise InputError("There are no runs to write down: tick a learner")
    if not state.inductions and not state.smc:
        raise InputError("Nothing is learnt without the shortest move constraint; switch it on")
    learnt = next(iter(state.inductions.values()), None)
    lexicon = state.lexicon if learnt is None else learnt.grammar.lexicon
    counts = Counter(state.counts) if learnt is None else Counter(learnt.corpus.counts)
    files: dict[str, Content] = {}
    shipped = _shipped(lexicon)
    data = shipped or state.file_name("lexicon", "mg")
    if not shipped:
        files[data] = dumps(lexicon).encode()
    of_corpus: dict[str, Any] = {}
    sentences = list(counts.elements())
    if sentences != list(Counter(lexicon.corpus).elements()):
        files[_SENTENCES] = _lines(sentences)
        of_corpus["sentences"] = _SENTENCES
    parts = [_part(state, name, data, of_corpus) for name in names]
    return PlannedSweep("mg", tuple(parts), files)


def _part(state: MGState, name: str, data: str, of_corpus: dict[str, Any]) -> Part:
    """Return the runs of a learner: as they were made, or as Run would make them."""
    induction = state.inductions.get(name)
    remarks: tuple[str, ...] = ()
    if induction is None:
        asked = values_of(state.settings)
        start = "jitter" if name == "gibbs" else asked["start"]
        settings = sweep_settings("mg", name, {**asked, "start": start, "alpha": state.alpha})
        seed, chains = asked["seed"], settings.pop("restarts")
    else:
        run = induction.run
        settings = {"iterations": run.total, "init": induction.start_at, "alpha": _alpha(induction)}
        seed, chains, remarks = run.seed, run.chains, unfinished(run)
    settings = {**of_corpus, **settings}
    if name == "gibbs":
        return Part(name, data, seed, 1, {**settings, "restarts": chains}, remarks)
    return Part(name, data, seed, chains, settings, remarks)


def _alpha(induction: Induction) -> float | None:
    """Return the pseudo-count that a run had for all items; None for the lexicon's own."""
    own = np.array_equal(induction.alpha, induction.grammar.lexicon.alphas())
    return None if own else float(induction.alpha[0])


def _shipped(lexicon: Lexicon) -> str:
    text = dumps(lexicon)
    return shipped_name("mg", lexicon.name, lambda sample: dumps(sample) == text)


def _lines(sentences: Iterable[Words]) -> bytes:
    """Return sentences, one a line."""
    return "".join(f"{sentence_text(words)}\n" for words in sentences).encode()
