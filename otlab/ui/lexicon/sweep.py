"""The runs of the Runs tab as a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.discovery.learners import MODELS
from otlab.discovery.presets import PRESETS
from otlab.errors import InputError
from otlab.sweep.write import Part
from otlab.ui.fields import values_of
from otlab.ui.lexicon.texts import corpus_text
from otlab.ui.sweep.names import sweep_settings
from otlab.ui.sweep.planned import PlannedSweep, shipped_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.discovery.corpus import Corpus
    from otlab.ui.lexicon.state import LexiconState
    from otlab.ui.sweep.planned import Content

__all__ = ["kept_sweep"]

_OLD = "Left out: {}, saved by an earlier version of otlab without its settings."
_RULE = "Left out: the choice among restarts (rule: {}); each of them is a run."
_SOUND = "Left out: the learners of sound, which the Runs tab does not show."


@dataclass(frozen=True)
class _Asked:
    """Runs of a learner: what they learn from, and how."""

    learner: str
    corpus: Corpus
    grammar: str
    settings: Mapping[str, Any]
    remarks: tuple[str, ...] = ()


def kept_sweep(state: LexiconState) -> PlannedSweep:
    """Return the restarts that are listed, oldest run first; without any, those of the learners ticked.

    Each restart is a run with a seed of its own.

    Raises
    ------
    InputError
        If nothing has been run, and no learner of the text is ticked or nothing can be learnt.
    """
    asked = [
        _Asked(run.learner, run.corpus, run.grammar, run.settings, (run.title, *run.remarks))
        for run in state.runs.kept
        if run.settings is not None
    ]
    remarks = [_OLD.format(run.title) for run in state.runs.kept if run.settings is None]
    if not state.runs.kept:
        asked = _ticked(state)
        remarks = [_SOUND] if set(state.learners) - MODELS.keys() else []
    if not asked:
        raise InputError("There are no runs to write down: tick a learner of the text")
    if any(each.settings["restarts"] > 1 for each in asked):
        remarks.append(_RULE.format(state.runs.rule))
    names = _Names(state)
    parts = [_part(each, names) for each in asked]
    return PlannedSweep("discovery", tuple(parts), names.files, tuple(remarks))


def _ticked(state: LexiconState) -> list[_Asked]:
    """Return the runs that Run would make."""
    if state.fault is not None:
        raise InputError(state.fault.faults)
    settings = {**values_of(state.settings), "threshold": state.threshold}
    learners = [name for name in MODELS if name in state.learners]
    corpus = state.text_to_learn(settings) if learners else state.corpus
    return [_Asked(name, corpus, state.grammar_text, settings) for name in learners]


def _part(asked: _Asked, names: _Names) -> Part:
    """Return the runs as a part of the sweep."""
    values = dict(asked.settings)
    if values["start"] != "peaks":
        values["start"] = repr(float(values["boundary"]))
    restarts = values.pop("restarts")
    settings = {
        "grammar": names.grammar(asked.grammar),
        **sweep_settings("discovery", asked.learner, values),
        "threshold": values["threshold"],
    }
    remarks = (*asked.remarks, *_edits(asked))
    return Part(asked.learner, names.text(asked.corpus), values["seed"], restarts, settings, remarks)


def _edits(asked: _Asked) -> list[str]:
    """Return what to know of a text with edits."""
    share = asked.settings["edited"]
    if not share:
        return []
    gone = np.bincount(asked.corpus.phones, minlength=len(asked.corpus.symbols)) == 0
    lost = " One of its symbols is lost in them, so that numbers differ from those on the page."
    return [
        f"The text has the edits made in the lab, of {share:g} % of its phones.{lost if gone.any() else ''}"
    ]


class _Names:
    """The names of texts and grammars in the specification, and the files of those that are not shipped."""

    def __init__(self, state: LexiconState) -> None:
        self.files: dict[str, Content] = {}
        self._state = state
        self._texts: list[tuple[Corpus, str]] = []
        self._grammars = {rules.strip(): name for name, rules in PRESETS.items()}

    def text(self, corpus: Corpus) -> str:
        """Return the name of a text."""
        known = next((name for one, name in self._texts if _same(one, corpus)), "")
        if known:
            return known
        name = shipped_name("discovery", PurePath(corpus.name).stem, partial(_same, corpus))
        if not name:
            name = self._unused("text")
            self.files[name] = partial(_written, corpus)
        self._texts.append((corpus, name))
        return name

    def grammar(self, text: str) -> str:
        """Return the name of a grammar."""
        if text.strip() not in self._grammars:
            name = self._grammars[text.strip()] = self._unused("grammar")
            self.files[name] = text.encode()
        return self._grammars[text.strip()]

    def _unused(self, what: str) -> str:
        """Return the name of a file that no other one has: ``toy_text.txt``, ``toy_text_2.txt``."""
        names = (self._state.file_name(f"{what} {n}" if n > 1 else what, "txt") for n in range(1, 100))
        return next(name for name in names if name not in self.files)


def _written(corpus: Corpus) -> bytes:
    return corpus_text(corpus).encode()


def _same(one: Corpus, other: Any) -> bool:
    """Return whether two texts have the same utterances, phones and gold."""
    same = getattr(other, "symbols", None) == one.symbols
    return same and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("phones", "offsets", "gold")
    )
