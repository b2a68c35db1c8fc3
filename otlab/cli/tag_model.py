"""``otlab tag --model``: label text with a tagger saved before."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from otlab.tagging import Corpus, Model

__all__ = ["label", "load"]


def load(path: str) -> Model:
    """Return a saved tagger."""
    from otlab.tagging import Model

    if not Path(path).is_file():
        raise InputError(Fault(f"there is no file {path!r}", "give a file written by 'otlab tag --out'"))
    return Model.load(path)


def label(
    model: Model,
    corpus: Corpus,
    decode: Literal["marginal", "viterbi"],
    threads: int,
    ignored: list[str],
) -> dict[str, Any]:
    """Return the text with its states.

    Parameters
    ----------
    ignored
        Options that were given and do nothing here.
    """
    from otlab.tagging.scores import Scorer, score

    labels = model.label(corpus, decode, threads)
    by_sentence = np.split(labels, corpus.offsets[1:-1])
    scorer = Scorer(corpus, len(model.state_names))
    return {
        "seed": model.seed,
        "learner": model.learner,
        "trained": {**model.settings, "normalize": asdict(model.normalize)},
        "unknown_tokens": model.unknown(corpus),
        "labels": [states.tolist() for states in by_sentence],
        "state_names": list(model.state_names),
        "tagged": [
            [f"{word}/{model.state_names[k]}" for (word, _), k in zip(sentence, states, strict=True)]
            for sentence, states in zip(corpus, by_sentence, strict=True)
        ],
        "tokens_per_state": np.bincount(labels, minlength=len(model.state_names)),
        "scores": asdict(score(scorer.table(labels))) if corpus.tags is not None else None,
        "warnings": [f"{option} does nothing with --model" for option in ignored],
    }
