"""The tagging lab's fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.tagging import LEARNERS, Annealing, Corpus, Prior, TagDictionary
from otlab.tagging.hmm.starts import Start, named_start
from otlab.ui.fields import Choice, Fold, Integer, Real, Seed, Settings
from otlab.ui.glossary import define
from otlab.viz.base.tokens import HUES

if TYPE_CHECKING:
    import numpy as np

    from otlab.inference.registry import LearnerEntry
    from otlab.viz.base.tokens import Hue

__all__ = [
    "CONTINUED",
    "CORPORA",
    "LearnerRow",
    "allowed_of",
    "annealing_of",
    "estimators_of",
    "lab_settings",
    "learner_rows",
    "prior_of",
    "short_label",
    "start_of",
]


@dataclass(frozen=True)
class LearnerRow:
    """One row of the run panel: learners of one colour, of which the reader chooses one.

    Attributes
    ----------
    name, label
        Key of the row, and the word users know it by.
    hue
        Its colour in every plot.
    learners
        Their entries in the registry, the usual one first.
    """

    name: str
    label: str
    hue: Hue
    learners: tuple[LearnerEntry, ...]


def learner_rows() -> dict[str, LearnerRow]:
    """Return the rows of the run panel by name, drawn from the registry of learners."""
    grouped: dict[str, list[LearnerEntry]] = {}
    for entry in LEARNERS.values():
        grouped.setdefault(entry.name if _hue_of(entry) == "other" else entry.hue, []).append(entry)
    return {
        name: LearnerRow(name, short_label(entries[0]), _hue_of(entries[0]), tuple(entries))
        for name, entries in grouped.items()
    }


def short_label(entry: LearnerEntry) -> str:
    """Return a learner's label without its variant: "Gibbs" of "Gibbs, collapsed"."""
    return entry.label.partition(",")[0]


def _hue_of(entry: LearnerEntry) -> Hue:
    return next((hue for hue in HUES if hue == entry.hue), "other")


# What the lab calls a variant where that is not its label.
_VARIANTS = {
    "map-em": "MAP-EM, with the priors",
    "gibbs": "Token by token, collapsed",
    "gibbs-explicit": "Token by token, explicit",
    "gibbs-blocked": "By sentence, explicit",
    "gibbs-collapsed-blocked": "By sentence, collapsed",
}
CORPORA = {
    "ewt_sample": "EWT sample, 2,000 sentences",
    "simulated": "Simulated, 20,000 words",
    "own": "Your own file",
}
CONTINUED = "continued"
_STARTS = {
    "dirichlet": "Random (Dirichlet rows)",
    "jitter": "Nearly uniform (jitter)",
    "random": "A random state for each token",
    CONTINUED: "From the states shown",
}
_DECODINGS = {"marginal": "Most probable state of each word", "viterbi": "Most probable sequence (Viterbi)"}

define(
    "em variant",
    "EM variant",
    "MAP-EM adds the two priors, less 1, to EM's counts. It needs priors of 1 or more.",
)
define(
    "gibbs variant",
    "Gibbs variant",
    "What one draw changes, a token's state or a whole sentence's, and whether the parameters are drawn "
    "too (explicit) or summed out (collapsed).",
)
define("states", "States", "Hidden states for words; the boundary of sentences is one more.")
define("emission prior", "Emission prior", "The paper's α for words: each word's pseudo-count in each state.")
define("transition prior", "Transition prior", "The paper's α for transitions; it hardly matters.")
define(
    "start",
    "Start",
    "Parameters drawn at random (Dirichlet rows); uniform ones with 10 % noise (jitter, as in the paper); "
    "a random state for each token; or the states of the run that is shown.",
)
define("tag dictionary", "Tag dictionary", "The tags a word may have; state k then stands for the tag k.")
define(
    "decode",
    "Decode",
    "The most probable state of each word (marginal), or the most probable sequence (Viterbi).",
)
define("annealing", "Annealing", "Parameters to the power 1/T while the temperature T falls to 1.")


def lab_settings() -> Settings:
    """Return the fields of the run panel, at their defaults."""
    return Settings(
        [
            Choice("corpus", "Corpus", "ewt_sample", CORPORA, wide=True),
            Integer("states", "States", 50, low=1, high=500, term="states"),
            Integer("iterations", "Iterations", 100, low=1, high=1_000_000, term="iteration"),
            Integer("runs", "Runs", 3, low=1, high=20, term="run"),
            Seed(),
            Real("emission_prior", "Emission prior", 0.1, above=0.0, high=1000.0, term="emission prior"),
            Real(
                "transition_prior", "Transition prior", 0.1, above=0.0, high=1000.0, term="transition prior"
            ),
            Choice("start", "Start", "dirichlet", _STARTS, term="start", wide=True),
            Fold("Variants", [*_variant_choices(), _DECODE], summary=_variants_summary),
            Fold("Tag dictionary", [_DICTIONARY, _SEEN], summary=_dictionary_summary),
            Fold("Annealing", [_TEMPERATURE, _COOLING, _SHAPE], summary=_annealing_summary),
            Fold("Precision", [_PRECISION, _JITTER], summary=lambda s: s.label("precision").lower()),
        ]
    )


def _variant_choices() -> list[Choice]:
    """Return a field for each row that has several learners."""
    return [
        Choice(
            f"{row.name}_kind",
            f"{row.label} row",
            row.learners[0].name,
            {entry.name: _VARIANTS.get(entry.name, entry.label) for entry in row.learners},
            term=f"{row.name} variant",
            wide=True,
        )
        for row in learner_rows().values()
        if len(row.learners) > 1
    ]


_DECODE = Choice("decode", "Decode", "marginal", _DECODINGS, term="decode", wide=True)
_TEMPERATURE = Real("temperature", "From T", 1.0, low=1.0, high=100.0, term="annealing")
_COOLING = Integer("cooling", "Over iterations", 50, low=1, high=100_000)
_SHAPE = Choice(
    "shape", "Cooling", "exponential", {"exponential": "Geometric", "linear": "Linear"}, wide=True
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
_PRECISION = Choice("precision", "Precision", "f32", {"f32": "Single", "f64": "Double"})
_JITTER = Real("jitter", "Noise of the start", 0.1, above=0.0, high=100.0)


def _variants_summary(settings: Settings) -> str:
    chosen = [
        (LEARNERS[settings["em_kind"]].label, "em_kind", "em"),
        (settings.label("gibbs_kind").lower(), "gibbs_kind", "gibbs"),
        ("Viterbi", "decode", "marginal"),
    ]
    return "; ".join(text for text, name, usual in chosen if settings[name] != usual) or "usual"


def estimators_of(values: dict[str, Any]) -> dict[str, str]:
    """Return the learner that each row of the run panel runs."""
    return {row.name: values.get(f"{row.name}_kind", row.learners[0].name) for row in learner_rows().values()}


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
