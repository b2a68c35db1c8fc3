"""Settings of the taggers; each is an option of the command line and a field of the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import param

from otlab.errors import InputError
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.hmm.known import KnownTags
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.starts import STARTS, named_start
from otlab.tagging.learners.annealing import NO_ANNEALING, Annealing

if TYPE_CHECKING:
    from otlab.tagging.corpus import Corpus

__all__ = [
    "EmissionPriorSettings",
    "LearntPriorSettings",
    "PriorSettings",
    "TaggerSettings",
    "parse_annealing",
]


class TaggerSettings(param.Parameterized):
    """The settings that every tagger has."""

    states = param.Integer(50, bounds=(1, 10_000), doc="Number of hidden states.")
    init = param.Selector(
        default="dirichlet", objects=list(STARTS), doc="How the first parameters are drawn."
    )
    jitter = param.Number(
        0.1, bounds=(0, None), inclusive_bounds=(False, True), doc="How uneven --init jitter is."
    )
    anneal = param.String(None, allow_None=True, doc="The temperature falls from T to 1 over N iterations.")
    dictionary = param.String(
        None, allow_None=True, doc="A file of lines 'word TAG TAG': the tags a word may have."
    )
    known_tags = param.String(
        "none",
        doc="Sentences whose tags are learnt from: none, all, the first so many (100), or a share (25%).",
    )
    precision = param.Selector(default="f64", objects=["f64", "f32"], doc="Single or double precision.")

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, apart from its corpus.

        Raises
        ------
        InputError
            If the schedule of annealing or the dictionary cannot be read.
        """
        allowed = TagDictionary.read(self.dictionary).mask(corpus, self.states) if self.dictionary else None
        return {
            "states": self.states,
            "start": named_start(self.init, self.jitter),
            "precision": self.precision,
            "annealing": parse_annealing(self.anneal),
            "allowed": allowed,
            "known": KnownTags(self.known_tags),
        }


class EmissionPriorSettings(TaggerSettings):
    """The settings of a tagger with a Dirichlet prior of emissions."""

    emission_prior = param.Number(
        0.1, bounds=(0, None), inclusive_bounds=(False, True), doc="Pseudo-count of each word in each state."
    )


class PriorSettings(EmissionPriorSettings):
    """The settings of a tagger with Dirichlet priors."""

    transition_prior = param.Number(
        0.1, bounds=(0, None), inclusive_bounds=(False, True), doc="Pseudo-count of each transition."
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the priors included."""
        return {**super().arguments(corpus), "prior": Prior(self.emission_prior, self.transition_prior)}


class LearntPriorSettings(PriorSettings):
    """The settings of a tagger that can learn its priors."""

    learn_priors = param.Boolean(
        default=False, doc="Learn both priors from the text; those given are the first values."
    )

    def arguments(self, corpus: Corpus) -> dict[str, Any]:
        """Return the arguments of the learner, the priors included."""
        return {**super().arguments(corpus), "learn_priors": self.learn_priors}


def parse_annealing(text: str | None) -> Annealing:
    """Return the schedule written as ``T:N``; None for None.

    >>> parse_annealing("4:50")
    Annealing(start=4.0, iterations=50, shape='exponential')
    """
    if text is None:
        return NO_ANNEALING
    start, _, over = text.partition(":")
    try:
        return Annealing(float(start), int(over))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"--anneal {text}: write a temperature, a colon, iterations: 4:50") from error
