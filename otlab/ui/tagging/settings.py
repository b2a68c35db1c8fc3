"""The tagging lab's fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.tagging import Annealing, Corpus, Prior, TagDictionary
from otlab.tagging.starts import Start, named_start
from otlab.ui.fields import Choice, Fold, Integer, Real, Seed, Settings
from otlab.ui.glossary import define

if TYPE_CHECKING:
    import numpy as np

    from otlab.viz.tokens import Hue

__all__ = [
    "CONTINUED",
    "CORPORA",
    "ESTIMATORS",
    "FAMILIES",
    "allowed_of",
    "annealing_of",
    "lab_settings",
    "prior_of",
    "start_of",
]

# Estimator -> (lane, what its row says). Three lanes, one colour each.
ESTIMATORS: dict[str, tuple[str, str]] = {
    "em": ("em", "EM"),
    "map-em": ("em", "MAP-EM"),
    "vb": ("vb", "VB"),
    "gibbs": ("gibbs", "Gibbs, collapsed"),
    "gibbs-explicit": ("gibbs", "Gibbs, explicit"),
    "gibbs-blocked": ("gibbs", "Gibbs, by sentence"),
    "gibbs-collapsed-blocked": ("gibbs", "Gibbs, collapsed by sentence"),
}
FAMILIES: dict[str, tuple[str, Hue]] = {"em": ("EM", "em"), "vb": ("VB", "vb"), "gibbs": ("Gibbs", "gibbs")}
CORPORA = {
    "ewt_sample": "EWT sample, 2,000 sentences",
    "simulated": "Simulated, 20,000 words",
    "own": "Your own file",
}
CONTINUED = "continued"
_STARTS = {
    "dirichlet": "Dirichlet",
    "jitter": "Jitter",
    "random": "Random",
    CONTINUED: "States shown",
}
_DECODE = {"marginal": "Marginal", "viterbi": "Viterbi"}

define("estimator", "Estimator", "How states are found; choosing one here ticks its row above.")
define("states", "States", "Hidden states for words; the boundary of sentences is one more.")
define("emission prior", "Emission prior", "The paper's α for words: each word's pseudo-count in each state.")
define("transition prior", "Transition prior", "The paper's α for transitions; it hardly matters.")
define(
    "start",
    "Start",
    "Random rows, nearly equal rows, a random state for each word, or the states another estimator found.",
)
define("tag dictionary", "Tag dictionary", "The tags a word may have; state k then stands for the tag k.")
define("decode", "Decode", "Each word's most probable state, or each sentence's most probable sequence.")
define("annealing", "Annealing", "Parameters to the power 1/T while the temperature T falls to 1.")


def lab_settings() -> Settings:
    """Return the fields of the run panel, at their defaults."""
    estimators = {name: label for name, (_, label) in ESTIMATORS.items()}
    return Settings(
        [
            Choice("estimator", "Estimator", "em", estimators, term="estimator", wide=True),
            Choice("corpus", "Corpus", "ewt_sample", CORPORA, wide=True),
            Integer("states", "States", 50, low=1, high=500, term="states"),
            Integer("iterations", "Iterations", 100, low=1, high=1_000_000, term="iteration"),
            Real("emission_prior", "Emission prior", 0.1, above=0.0, high=1000.0, term="emission prior"),
            Real(
                "transition_prior", "Transition prior", 0.1, above=0.0, high=1000.0, term="transition prior"
            ),
            Choice("start", "Start", "dirichlet", _STARTS, term="start"),
            Choice("decode", "Decode", "marginal", _DECODE, term="decode"),
            Integer("runs", "Runs", 3, low=1, high=20, term="run"),
            Seed(),
            Fold("Tag dictionary", [_DICTIONARY, _SEEN], summary=_dictionary_summary),
            Fold("Annealing", [_TEMPERATURE, _COOLING, _SHAPE], summary=_annealing_summary),
            Fold("Numbers", [_PRECISION, _JITTER], summary=lambda s: s.label("precision")),
        ]
    )


_TEMPERATURE = Real("temperature", "From T", 1.0, low=1.0, high=100.0, term="annealing")
_COOLING = Integer("cooling", "Over iterations", 50, low=1, high=100_000)
_SHAPE = Choice(
    "shape", "Falls", "exponential", {"exponential": "By equal ratios", "linear": "By equal steps"}, wide=True
)
_DICTIONARY = Choice(
    "dictionary",
    "Allowed tags",
    "none",
    {"none": "All tags for all words", "gold": "The gold tags a word has"},
    term="tag dictionary",
    wide=True,
)
_SEEN = Integer("seen", "For words seen at least", 1, low=1, high=1_000_000, wide=True)
_PRECISION = Choice("precision", "Precision", "f32", {"f32": "Fast, 32 bits", "f64": "Exact, 64 bits"})
_JITTER = Real("jitter", "Jitter", 0.1, above=0.0, high=100.0)


def _dictionary_summary(settings: Settings) -> str:
    if settings["dictionary"] == "none":
        return "none"
    return "gold" if settings["seen"] == 1 else f"gold, words seen {settings['seen']:,} times"


def _annealing_summary(settings: Settings) -> str:
    return "none" if settings["temperature"] == 1 else f"from T = {settings.label('temperature')}"


def prior_of(values: dict[str, Any]) -> Prior:
    """Return the priors set."""
    return Prior(values["emission_prior"], values["transition_prior"])


def start_of(values: dict[str, Any]) -> Start:
    """Return the start set; Dirichlet rows where it is to go on from states there are."""
    name = "dirichlet" if values["start"] == CONTINUED else values["start"]
    return named_start(name, values["jitter"])


def annealing_of(values: dict[str, Any]) -> Annealing:
    """Return the annealing schedule set."""
    if values["temperature"] == 1:
        return Annealing()
    return Annealing(values["temperature"], values["cooling"], values["shape"])


def allowed_of(values: dict[str, Any], corpus: Corpus) -> np.ndarray | None:
    """Return which states each word may have by the tag dictionary set; None if all may."""
    if values["dictionary"] == "none":
        return None
    return TagDictionary.of(corpus, values["seen"]).mask(corpus, values["states"])
