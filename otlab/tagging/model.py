"""A trained tagger that can be kept: weights, vocabulary, names of states.

A model file is a NumPy ``.npz``. It labels new text with its states. What was done to
the words it learnt from (small letters, digits, rare words as one) it does to new ones
too; words it has never seen tell the states nothing apart and are decided by their
neighbours.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from otlab.errors import Fault, InputError
from otlab.tagging.hmm.decode import marginal, viterbi
from otlab.tagging.hmm.estep import Impossible
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.io.numbering import AS_WRITTEN, UNKNOWN, Normalize

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = ["Model"]

_FORMAT = "otlab tagger 1"
_ARRAYS = ("transitions", "emission", "log_scale")


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A tagger.

    Attributes
    ----------
    weights
        Probabilities, or VB's exp(E[log]) weights.
    vocabulary
        The words, in the order of ``weights.emission``.
    state_names
        One a state; ``state 7`` unless somebody named it.
    learner, seed, settings
        How it came about.
    normalize
        What was done to the words it learnt from.
    """

    weights: Weights
    vocabulary: tuple[str, ...]
    state_names: tuple[str, ...]
    learner: str = ""
    seed: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    normalize: Normalize = AS_WRITTEN

    def __repr__(self) -> str:
        states, words = len(self.state_names), len(self.vocabulary)
        return f"<Model by {self.learner or 'hand'}: {states} states, {words:,} words, seed {self.seed}>"

    @staticmethod
    def of(weights: Weights, vocabulary: tuple[str, ...], **how: Any) -> Model:
        """Return a model whose states have no names yet."""
        return Model(weights, vocabulary, tuple(f"state {k}" for k in range(weights.states)), **how)

    def label(
        self, corpus: Corpus, decode: Literal["marginal", "viterbi"] = "marginal", threads: int = 1
    ) -> np.ndarray:
        """Return the state of each token of any corpus, int16.

        Raises
        ------
        InputError
            If a sentence is impossible under the model, or `decode` unknown.
        """
        if decode not in ("marginal", "viterbi"):
            raise InputError(f"there is no decoding {decode!r}; choose marginal or viterbi")
        try:
            weights = self._weights_for(corpus)
            return (marginal if decode == "marginal" else viterbi)(corpus, weights, threads)
        except Impossible as error:
            raise InputError(f"{error} under this model; train one by VB, which rules nothing out") from error

    def unknown(self, corpus: Corpus) -> int:
        """Return how many tokens of a corpus the model has never seen, nor counts as rare."""
        return int(np.count_nonzero(self._rows(corpus)[corpus.words] < 0))

    def _rows(self, corpus: Corpus) -> np.ndarray:
        """Return the row of each word type of a corpus, treated as the model's own; -1 if unknown."""
        index = {word: i for i, word in enumerate(self.vocabulary)}
        rare = index.get(UNKNOWN, -1) if self.normalize.least > 1 else -1
        return np.array([index.get(self.normalize(word), rare) for word in corpus.vocabulary])

    def _weights_for(self, corpus: Corpus) -> Weights:
        """Return weights with a row for each word type of the corpus."""
        row = self._rows(corpus)
        known = row >= 0
        emission = np.where(known[:, None], self.weights.emission[row], self.weights.emission.dtype.type(1))
        scale = np.where(known, self.weights.log_scale[row], 0.0)
        return Weights(self.weights.transitions, np.ascontiguousarray(emission), scale)

    def named(self, names: dict[int, str]) -> Model:
        """Return the model with some states named."""
        return replace(self, state_names=tuple(names.get(k, n) for k, n in enumerate(self.state_names)))

    def save(self, path: str | Path) -> None:
        """Write to a file, whatever its ending."""
        about = {
            "format": _FORMAT, "vocabulary": self.vocabulary, "state_names": self.state_names,
            "learner": self.learner, "seed": self.seed, "settings": self.settings,
            "normalize": asdict(self.normalize),
        }  # fmt: skip
        text = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
        with Path(path).open("wb") as out:
            np.savez_compressed(out, about=text, **{name: getattr(self.weights, name) for name in _ARRAYS})

    @staticmethod
    def load(path: str | Path) -> Model:
        """Read back.

        Raises
        ------
        InputError
            If it is not a model's file, or damaged.
        """
        path = Path(path)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                about = json.loads(bytes(file["about"]))
                weights = Weights(*(file[name] for name in _ARRAYS))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            hint = "give a file written by 'otlab tag --out'"
            raise InputError(Fault("this is no tagger, or a damaged one", hint, file=path.name)) from error
        fits = weights.emission.shape == (len(about.get("vocabulary", ())), len(about.get("state_names", ())))
        if about.get("format") != _FORMAT or not fits:
            raise InputError(
                Fault("the tagger is of another version or damaged", "train it again", file=path.name)
            )
        about.pop("format")
        return Model(
            weights,
            tuple(about.pop("vocabulary")),
            tuple(about.pop("state_names")),
            normalize=Normalize(**about.pop("normalize", {})),
            **about,
        )
