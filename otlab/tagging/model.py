r"""A trained tagger that can be saved: weights, vocabulary, names of states.

A model file is a NumPy ``.npz``. It labels new text with its states and says how probable
the text is. What was done to the words it learnt from (small letters, digits, rare words as
one) it does to new ones too; words it has never seen tell the states nothing apart and are
decided by their neighbours.

**Unseen words.** All of them count as one word, which every state emits with the same
probability :math:`u = (n_1 + 1/2) / (n + 1)`, where :math:`n_1` of the *n* tokens learnt from
were of words seen once [1]_; the halves keep u between 0 and 1. The known words share
the rest, :math:`(1 - u) \phi_{x|k}`, so that taggers learnt from the same text give
probabilities to the same events whatever their number of states. Where rare words were
counted as one, ``UNK``, unseen words are that word, and u is 0.

.. [1] I. J. Good (1953), The population frequencies of species and the estimation of
   population parameters, *Biometrika* 40.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from otlab.errors import Fault, InputError, check_data, counted
from otlab.tagging.corpus import Corpus
from otlab.tagging.hmm.decode import expected_under, marginal, posteriors, viterbi
from otlab.tagging.hmm.estep import Impossible
from otlab.tagging.hmm.parameters import Weights
from otlab.tagging.io.numbering import AS_WRITTEN, UNKNOWN, Normalize
from otlab.tagging.matching import match_states

__all__ = ["Model", "unseen_mass"]

_FORMAT = "otlab tagger 1"
_ARRAYS = ("transitions", "emission", "log_scale")
_IMPOSSIBLE = "under this model; train one by VB, which rules nothing out"
_MEANS = "mean_"  # before the names of the arrays of probabilities that are not the weights


def unseen_mass(corpus: Corpus) -> float:
    """Return the probability of an unseen word after this text; 0 if its rare words are one word.

    >>> from otlab.tagging import Corpus
    >>> unseen_mass(Corpus.from_sentences([["the", "dog"], ["the", "cat"]]))
    0.5
    """
    if corpus.normalize.least > 1 and UNKNOWN in corpus.vocabulary:
        return 0.0
    return float((np.count_nonzero(corpus.word_counts == 1) + 0.5) / (corpus.tokens + 1))


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
    probabilities
        What new text is scored by, if not the weights themselves: for VB, whose weights do
        not sum to 1, the means of the posterior.
    unseen
        Probability of an unseen word, in every state.

    Examples
    --------
    >>> from otlab.tagging import simulate_hmm
    >>> corpus = simulate_hmm(400, 1, tags=3, types=20)
    >>> from otlab.tagging import fit_em
    >>> model = fit_em(corpus, states=3, iterations=5, seed=1).model
    >>> round(model.perplexity(corpus), 1)
    12.6
    """

    weights: Weights
    vocabulary: tuple[str, ...]
    state_names: tuple[str, ...]
    learner: str = ""
    seed: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    normalize: Normalize = AS_WRITTEN
    probabilities: Weights | None = None
    unseen: float = 0.0

    def __repr__(self) -> str:
        states, words = counted(len(self.state_names), "state"), counted(len(self.vocabulary), "word")
        return f"<Model by {self.learner or 'hand'}: {states}, {words}, seed {self.seed}>"

    @staticmethod
    def of(weights: Weights, vocabulary: tuple[str, ...], **how: Any) -> Model:
        """Return a model with unnamed states."""
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
            weights = self._weights_for(corpus, self.weights)
            return (marginal if decode == "marginal" else viterbi)(corpus, weights, threads)
        except Impossible as error:
            raise InputError(f"{error} {_IMPOSSIBLE}") from error

    def predict_proba(self, corpus: Corpus) -> np.ndarray:
        """Return the probability of each state at each token given its sentence.

        The most probable ones are those of ``label(corpus)``.

        Returns
        -------
        ndarray of float64, shape (tokens, states)
            Rows sum to 1.

        Raises
        ------
        InputError
            If a sentence is impossible under the model.
        """
        weights = self._weights_for(corpus, self.weights)
        sentences = np.split(corpus.words, corpus.offsets[1:-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.concatenate([posteriors(words, weights) for words in sentences])
        if not np.isfinite(shares).all():
            raise InputError(f"a sentence has probability 0 {_IMPOSSIBLE}")
        return shares

    def score(self, corpus: Corpus, threads: int = 1) -> float:
        """Return the log probability of a text, in nats, the ends of its sentences included.

        Unseen words are one word, see the module; tags are not used. It is -inf if a
        sentence is impossible.
        """
        means = self.probabilities or self.weights
        exact = Weights(means.transitions, means.emission.astype(np.float64), means.log_scale)
        unknown = self.unknown(corpus)
        if unknown and self.unseen == 0:
            return -np.inf
        try:
            expected = expected_under(corpus, self._weights_for(corpus, exact), threads)
        except Impossible:
            return -np.inf
        known_words = (corpus.tokens - unknown) * np.log1p(-self.unseen)
        unseen_words = unknown * np.log(self.unseen) if unknown else 0.0
        return float(expected.log_probability + known_words + unseen_words)

    def perplexity(self, corpus: Corpus, threads: int = 1) -> float:
        """Return the perplexity of a text: exp(-score / events), inf if it is impossible.

        The events are its tokens and the ends of its sentences: if each of 4 words and the end
        have probability 1/5 everywhere, the perplexity is 5.
        """
        return float(np.exp(-self.score(corpus, threads) / (corpus.tokens + corpus.sentences)))

    def unknown(self, corpus: Corpus) -> int:
        """Return how many tokens of a corpus the model has never seen, nor counts as rare."""
        return int(np.count_nonzero(self._rows(corpus)[corpus.words] < 0))

    def _rows(self, corpus: Corpus) -> np.ndarray:
        """Return the row of each word type of a corpus, treated as the model's own; -1 if unknown."""
        check_data("a tagger", corpus, Corpus, "make one with otlab.tagging.read or Corpus.from_sentences")
        index = {word: i for i, word in enumerate(self.vocabulary)}
        rare = index.get(UNKNOWN, -1) if self.normalize.least > 1 else -1
        return np.array([index.get(self.normalize(word), rare) for word in corpus.vocabulary])

    def _weights_for(self, corpus: Corpus, weights: Weights) -> Weights:
        """Return weights with a row for each word type of the corpus, ones for unseen words."""
        row = self._rows(corpus)
        known = row >= 0
        emission = np.where(known[:, None], weights.emission[row], weights.emission.dtype.type(1))
        scale = np.where(known, weights.log_scale[row], 0.0)
        return Weights(weights.transitions, np.ascontiguousarray(emission), scale)

    def like(self, reference: Model) -> Model:
        """Return the model with its states numbered and named as the most similar ones of another tagger.

        States are matched by :func:`~otlab.tagging.matching.match_states`. With more states than the other
        has, those left over follow. With fewer, they have the order of the other's, without its gaps. Names
        of states that the other has not named stay.

        Raises
        ------
        InputError
            If the two have no word in common.
        """
        match = match_states(self, reference)
        order = np.argsort(match, kind="stable")
        ends = np.append(order, len(match))
        names = []
        for place, k in enumerate(order):
            number, own = int(match[k]), self.state_names[k]
            known = reference.state_names[number] if number < len(reference.state_names) else ""
            named = own if own != f"state {k}" else f"state {place}"
            names.append(named if known in ("", f"state {number}") else known)

        def reordered(weights: Weights) -> Weights:
            emission = np.ascontiguousarray(weights.emission[:, order])
            return Weights(
                weights.transitions[np.ix_(*[ends] * (weights.order + 1))], emission, weights.log_scale
            )

        means = None if self.probabilities is None else reordered(self.probabilities)
        return replace(self, weights=reordered(self.weights), probabilities=means, state_names=tuple(names))

    def named(self, names: dict[int, str]) -> Model:
        """Return the model with some states named."""
        return replace(self, state_names=tuple(names.get(k, n) for k, n in enumerate(self.state_names)))

    def save(self, path: str | Path) -> None:
        """Write to a file, whatever its ending."""
        about = {
            "format": _FORMAT, "vocabulary": self.vocabulary, "state_names": self.state_names,
            "learner": self.learner, "seed": self.seed, "settings": self.settings,
            "normalize": asdict(self.normalize), "unseen": self.unseen,
        }  # fmt: skip
        text = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
        arrays = {name: getattr(self.weights, name) for name in _ARRAYS}
        if self.probabilities is not None:
            arrays |= {_MEANS + name: getattr(self.probabilities, name) for name in _ARRAYS}
        with Path(path).open("wb") as out:
            np.savez_compressed(out, about=text, **arrays)

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
                has_means = _MEANS + _ARRAYS[0] in file
                means = Weights(*(file[_MEANS + name] for name in _ARRAYS)) if has_means else None
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
            probabilities=means,
            **about,
        )
