"""The tagging lab's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import param

from otlab.errors import Fault, InputError
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.hmm.known import KnownTags
from otlab.tagging.hmm.mstep import Prior
from otlab.tagging.hmm.starts import Start, named_start
from otlab.tagging.learners import LEARNERS
from otlab.tagging.learners.annealing import Annealing
from otlab.tagging.learners.features import FeatureSettings
from otlab.tagging.learners.ihmm import InfiniteSettings
from otlab.tagging.learners.pitman_yor import PitmanYorSettings
from otlab.tagging.learners.state_priors import StatePriorSettings
from otlab.tagging.learners.supervised import SupervisedSettings
from otlab.tagging.learners.vb import VBSettings
from otlab.ui.fields import Field, Fold, Seed, label_of, labelled, like, text_of
from otlab.ui.glossary import define
from otlab.viz.base.tokens import HUES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from otlab.inference.registry import LearnerEntry
    from otlab.tagging.corpus import Corpus
    from otlab.viz.base.tokens import Hue

__all__ = [
    "CONTINUED",
    "CORPORA",
    "GRID",
    "LearnerGroup",
    "ModelChoiceSettings",
    "NormalizeSettings",
    "PriorTrialSettings",
    "TableChoice",
    "TableGrid",
    "TaggingSettings",
    "allowed_of",
    "annealing_of",
    "estimators_of",
    "known_of",
    "lab_settings",
    "learner_groups",
    "prior_of",
    "short_label",
    "start_of",
]


@dataclass(frozen=True)
class LearnerGroup:
    """One row of the run panel: learners of one colour, of which the reader chooses one.

    Attributes
    ----------
    name, label
        Key of the row, and its label.
    hue
        Its colour in every plot.
    learners
        Their entries in the registry, the usual one first.
    """

    name: str
    label: str
    hue: Hue
    learners: tuple[LearnerEntry, ...]


def learner_groups() -> dict[str, LearnerGroup]:
    """Return the rows of the run panel by name, drawn from the registry of learners."""
    grouped: dict[str, list[LearnerEntry]] = {}
    for entry in LEARNERS.values():
        grouped.setdefault(entry.name if _hue_of(entry) == "other" else entry.hue, []).append(entry)
    return {
        name: LearnerGroup(name, short_label(entries[0]), _hue_of(entries[0]), tuple(entries))
        for name, entries in grouped.items()
    }


def short_label(entry: LearnerEntry) -> str:
    """Return the label of a learner without its variant: "Gibbs" of "Gibbs, collapsed"."""
    return entry.label.partition(",")[0]


def _hue_of(entry: LearnerEntry) -> Hue:
    return next((hue for hue in HUES if hue == entry.hue), "other")


# Labels of variants in the lab, where they differ from the learner's label.
_VARIANTS = {
    "map-em": "MAP-EM, with the priors",
    "entropic": "With the entropic prior",
    "features": "With features of words",
    "em-trigram": "Trigrams: the two states before",
    "vb": "The state before",
    "vb-trigram": "Trigrams: the two states before",
    "vb-state-priors": "With a prior for each state",
    "vb-hdp": "Infinite HMM, at most so many states",
    "gibbs-trigram": "Token by token, trigrams",
    "gibbs": "Token by token, collapsed",
    "gibbs-explicit": "Token by token, explicit",
    "gibbs-blocked": "By sentence, explicit",
    "gibbs-collapsed-blocked": "By sentence, collapsed",
    "pitman-yor": "Token by token, Pitman-Yor words",
    "ihmm": "Infinite HMM, token by token",
    "ihmm-beam": "Infinite HMM, by sentence",
}
CORPORA = {
    "ewt_sample": "EWT sample, 2,000 sentences",
    "tdt_sample": "Finnish TDT sample, 1,364 sentences",
    "simulated": "Simulated, 20,000 words",
    "own": "Your own file",
}
CONTINUED = "continued"
GRID = "grid"
GROUPS = {
    "em vb": "The paper's EM and VB",
    "em": "The paper's EM",
    "vb": "The paper's VB",
    "gibbs": "The paper's Gibbs",
    "all": "All twelve of the paper",
    GRID: "A grid of my own",
}
_GRID_LEARNERS = {"em vb gibbs": "EM, VB and Gibbs", "em vb": "EM and VB"} | {
    name: entry.label for name, entry in LEARNERS.items()
}

define(
    "em variant",
    "EM variant",
    "MAP-EM adds the two priors, less 1, to EM's counts. It needs priors of 1 or more. The entropic prior "
    "makes states and transitions as certain as the counts allow. With features, words with the same last "
    "letters, a capital, a digit or a hyphen share weights, which climb by L-BFGS. With trigrams, a state "
    "depends on the two before it, at about as many times the price as there are states.",
)
define(
    "vb variant",
    "VB variant",
    "What a state depends on: the one before it, or the two before it (trigrams), at about as many times the "
    "price as there are states. In the infinite HMM the number of states set is the most that there may be. "
    "Or a prior of its own for each state.",
)
define(
    "priors of states",
    "Priors of the first states",
    "Of VB with a prior for each state: PRIOR, N:PRIOR or N%:PRIOR, separated by commas. 80%:0.001 makes "
    "four fifths of the states closed classes, of few words; the others have the emission prior.",
)
define(
    "gibbs variant",
    "Gibbs variant",
    "What one draw changes, a token's state or a whole sentence's, and whether the parameters are drawn "
    "too (explicit) or summed out (collapsed). The infinite HMM draws how many states there are, too; "
    "it begins with those set.",
)
define(
    "concentrations",
    "Concentrations",
    "Of the infinite HMM. Gamma is the readiness for new states, alpha how alike rows of transitions are: "
    "shape and rate of a gamma prior (1:0.1), or a number that is kept. Sticky: states may prefer to follow "
    "themselves, as much as is learnt.",
)
define(
    "discount",
    "Discount",
    "Of Pitman-Yor words: at 0 a state's words have the Dirichlet prior of the other variants; the nearer to "
    "1, the more different words a state has, and the rarer they are, as in Zipf's law. It is learnt where "
    "the priors are.",
)
define("states", "States", "Hidden states for words; the boundary of sentences is one more.")
define("emission prior", "Emission prior", "The paper's α for words: each word's pseudo-count in each state.")
define("transition prior", "Transition prior", "The paper's α for transitions; it hardly matters.")
define(
    "learnt priors",
    "Learn the priors",
    "VB and MAP-EM fit both priors to the text and Gibbs draws them, from the values above on. EM has none.",
)
define(
    "feature weights",
    "Prior of the weights",
    "Standard deviation of the normal prior of each feature's weight, whose mean is 0; features only.",
)
define(
    "start",
    "Start",
    "Parameters drawn at random (Dirichlet rows); uniform ones with 10 % noise (jitter, as in the paper); "
    "a random state for each token; or the states of the run that is shown.",
)
define("tag dictionary", "Tag dictionary", "The tags a word may have; state k then stands for the tag k.")
define(
    "accuracy",
    "Accuracy",
    "Share of the tokens whose tags were not known that got their tag; states stand for tags then.",
)
define(
    "known tags",
    "Known tags",
    "Sentences whose tags are learnt from; the others are scored. State k is the tag k then.",
)
define(
    "decode",
    "Decode",
    "The most probable state of each word (marginal), or the most probable sequence (Viterbi).",
)
define(
    "fold",
    "Fold",
    "Number of parts of the text; each part is predicted by a tagger learnt from the others. "
    "0 leaves perplexity out.",
)
define("annealing", "Annealing", "Parameters to the power 1/T while the temperature T falls to 1.")


_VARIANT_FIELDS = (
    *("weight_sd", "state_priors", "new_states", "row_concentration"),
    *("sticky", "discount", "decode", "learn_priors"),
)


def _variants_summary(settings: Any) -> str:
    chosen = [
        (LEARNERS[settings.em_kind].label, "em_kind", "em"),
        (LEARNERS[settings.vb_kind].label, "vb_kind", "vb"),
        (label_of(settings, "gibbs_kind").lower(), "gibbs_kind", "gibbs"),
        ("Viterbi", "decode", "marginal"),
        ("priors learnt", "learn_priors", False),
    ]
    return "; ".join(text for text, name, usual in chosen if getattr(settings, name) != usual) or "usual"


def _tags_summary(settings: TaggingSettings) -> str:
    seen = "" if settings.seen == 1 else f", words seen {settings.seen:,} times"
    dictionary = {"none": "", "gold": f"gold{seen}", "file": "from a file"}[settings.dictionary]
    known = "" if settings.known_tags == "none" else str(settings.known_tags).replace("%", " %")
    return ", ".join(filter(None, (dictionary, known))) or "none"


_NUMBERS = ("temperature", "cooling", "shape", "precision", "jitter")


def _numbers_summary(settings: TaggingSettings) -> str:
    annealing = "" if settings.temperature == 1 else f"from T = {text_of(settings, 'temperature')}, "
    return annealing + label_of(settings, "precision").lower()


class TaggingSettings(param.Parameterized):
    """The settings of the run panel, except the variants of each learner row.

    Runs are in single precision here, in double precision on the command line.
    """

    corpus = param.Selector(default="ewt_sample", objects=labelled(CORPORA))
    states = like(VBSettings, "states", bounds=(1, 500))
    iterations = param.Integer(100, bounds=(1, 1_000_000))
    runs = param.Integer(3, bounds=(1, 20))
    seed = Seed()
    emission_prior = like(VBSettings, "emission_prior", bounds=(0, 1000))
    transition_prior = like(VBSettings, "transition_prior", bounds=(0, 1000))
    start = param.Selector(
        default="dirichlet",
        objects={
            "Random (Dirichlet rows)": "dirichlet",
            "Nearly uniform (jitter)": "jitter",
            "A random state for each token": "random",
            "From the states shown": CONTINUED,
        },
    )
    learn_priors = like(VBSettings, "learn_priors", label="Learn the priors")
    weight_sd = like(FeatureSettings, "weight_sd", bounds=(0, 1000), label="Prior of the weights: sd")
    state_priors = like(StatePriorSettings, "state_priors", label="VB: priors of the first states")
    new_states = like(InfiniteSettings, "new_states", label="Infinite HMM: prior of gamma")
    row_concentration = like(InfiniteSettings, "row_concentration", label="Prior of alpha")
    sticky = like(InfiniteSettings, "sticky", label="Sticky states")
    discount = like(PitmanYorSettings, "discount", label="Pitman-Yor words: discount")
    decode = param.Selector(
        default="marginal",
        objects={
            "Most probable state of each word": "marginal",
            "Most probable sequence (Viterbi)": "viterbi",
        },
    )
    dictionary = param.Selector(
        default="none",
        objects={
            "All tags for all words": "none",
            "The gold tags a word has": "gold",
            "Those of the dictionary opened under Data": "file",
        },
        label="Allowed tags",
    )
    seen = param.Integer(1, bounds=(1, 1_000_000), label="For words seen at least")
    known_tags = param.Selector(
        default="none",
        objects={
            "None (supervised: the first 90 %)": "none",
            **{f"The first {share} % of sentences": f"{share}%" for share in (1, 2, 5, 10, 25, 50, 75, 90)},
            "All": "all",
        },
        label="Tags learnt from",
    )
    temperature = param.Number(1.0, bounds=(1, 100), label="From T")
    cooling = param.Integer(50, bounds=(1, 100_000), label="Over iterations")
    shape = param.Selector(
        default="exponential", objects={"Geometric": "exponential", "Linear": "linear"}, label="Cooling"
    )
    precision = param.Selector(default="f32", objects={"Single": "f32", "Double": "f64"})
    jitter = like(VBSettings, "jitter", bounds=(0, 100), label="Noise of the start", doc="")

    fields: ClassVar[Mapping[str, Field]] = {
        "corpus": Field(wide=True),
        "iterations": Field("iteration"),
        "runs": Field("run"),
        "learn_priors": Field("learnt priors", wide=True),
        "weight_sd": Field("feature weights"),
        "state_priors": Field("priors of states", wide=True),
        "new_states": Field("concentrations", wide=True),
        "row_concentration": Field(wide=True),
        "sticky": Field(wide=True),
        "start": Field("start", wide=True),
        "decode": Field("decode", wide=True),
        "dictionary": Field("tag dictionary", wide=True),
        "seen": Field(wide=True),
        "known_tags": Field("known tags", wide=True),
        "temperature": Field("annealing"),
        "shape": Field(wide=True),
    }
    folds: ClassVar[tuple[Fold, ...]] = (
        Fold("Known tags", ("dictionary", "seen", "known_tags"), _tags_summary),
        Fold("Annealing, precision", _NUMBERS, _numbers_summary),
    )


class NormalizeSettings(param.Parameterized):
    """Settings of reading a file."""

    column = param.Selector(
        default="xpos",
        objects={"Language-specific (XPOS)": "xpos", "Universal (UPOS)": "upos"},
        label="CoNLL-U tags",
    )
    least = param.Integer(1, bounds=(1, 1000), label="Words rarer than this → UNK")
    lowercase = param.Boolean(default=False)
    digits = param.Boolean(default=False, label="Replace digits by 0")


class PriorTrialSettings(param.Parameterized):
    """The trial prior of the Priors tab."""

    alpha = like(
        VBSettings,
        "emission_prior",
        bounds=(0, 1000),
        softbounds=(1e-4, 1.0),
        label="Try an emission prior",
        doc="",
    )

    fields: ClassVar[Mapping[str, Field]] = {"alpha": Field(wide=True, slide=("sparse", "uniform"))}


# Those whose number of states is given, and which learn from words.
_COMPARABLE = {
    entry.label: name
    for name, entry in LEARNERS.items()
    if "new_states" not in entry.settings.param and name != "supervised"
}


class ModelChoiceSettings(param.Parameterized):
    """The models compared in order to choose a number of states."""

    states = param.List(default=[10, 20, 30, 40, 50, 60], item_type=int, label="Numbers of states")
    learners = param.Selector(default="em vb", objects={"EM and VB": "em vb"} | _COMPARABLE, label="Learners")
    held_out = param.Integer(5, bounds=(0, 20), label="Folds held out")
    runs = param.Integer(1, bounds=(1, 20), label="Runs, best kept")

    fields: ClassVar[Mapping[str, Field]] = {
        "states": Field(wide=True),
        "learners": Field(wide=True),
        "held_out": Field("fold"),
        "runs": Field("run"),
    }


class TableChoice(param.Parameterized):
    """The rows of Table 1 to run."""

    group = param.Selector(default="em vb", objects=labelled(GROUPS), label="Estimators to run")

    fields: ClassVar[Mapping[str, Field]] = {"group": Field(wide=True)}


class TableGrid(param.Parameterized):
    """The user's own grid of rows."""

    learners = param.Selector(default="em vb", objects=labelled(_GRID_LEARNERS), label="Estimators")
    states = param.List(default=[50, 25], item_type=int, label="Numbers of states")
    emission = param.List(default=[0.1, 0.01], item_type=float, label="Emission priors")
    transition = param.List(default=[0.1], item_type=float, label="Transition priors")

    fields: ClassVar[Mapping[str, Field]] = dict.fromkeys(
        ("learners", "states", "emission", "transition"), Field(wide=True)
    )


def lab_settings() -> TaggingSettings:
    """Return the settings at their defaults, with a choice for each row that has several learners."""
    parameters, fields = {}, {}
    for group in learner_groups().values():
        if len(group.learners) > 1:
            name = f"{group.name}_kind"
            offered = {entry.name: _VARIANTS.get(entry.name, entry.label) for entry in group.learners}
            parameters[name] = param.Selector(
                default=group.learners[0].name, objects=labelled(offered), label=f"{group.label} row"
            )
            fields[name] = Field(f"{group.name} variant", wide=True)
    variants = Fold("Variants", (*parameters, *_VARIANT_FIELDS), _variants_summary)
    made: type[TaggingSettings] = type(
        "TaggingSettings",
        (TaggingSettings,),
        {
            **parameters,
            "fields": {**TaggingSettings.fields, **fields},
            "folds": (variants, *TaggingSettings.folds),
        },
    )
    return made()


def estimators_of(values: dict[str, Any]) -> dict[str, str]:
    """Return the learner that each row of the run panel runs."""
    groups = learner_groups()
    return {name: values.get(f"{name}_kind", group.learners[0].name) for name, group in groups.items()}


def prior_of(values: dict[str, Any]) -> Prior:
    """Return the priors set."""
    return Prior(values["emission_prior"], values["transition_prior"])


def start_of(values: dict[str, Any]) -> Start:
    """Return the start that is set; Dirichlet rows if a run is to continue from existing states."""
    name = "dirichlet" if values["start"] == CONTINUED else values["start"]
    return named_start(name, values["jitter"])


def annealing_of(values: dict[str, Any]) -> Annealing:
    """Return the annealing schedule set."""
    if values["temperature"] == 1:
        return Annealing()
    return Annealing(values["temperature"], values["cooling"], values["shape"])


def known_of(values: Mapping[str, Any]) -> KnownTags | None:
    """Return the tags learnt from; None if each learner has its usual ones."""
    amount = values.get("known_tags", "none")  # runs of earlier versions have none
    if amount == "none":
        return KnownTags(SupervisedSettings().known_tags) if values.get("estimator") == "supervised" else None
    return KnownTags(amount)


def allowed_of(values: dict[str, Any], corpus: Corpus, listed: str = "") -> np.ndarray | None:
    """Return the states that the tag dictionary allows for each word; None if all are allowed.

    `listed` is the text of the dictionary that is open.

    Raises
    ------
    InputError
        If none is open, or it does not fit the corpus.
    """
    if values["dictionary"] == "none":
        return None
    if values["dictionary"] == "file":
        if not listed:
            raise InputError(
                Fault("no tag dictionary is open", "open one on the Data tab, or allow all tags")
            )
        return TagDictionary.parse(listed).mask(corpus, values["states"])
    return TagDictionary.of(corpus, values["seen"]).mask(corpus, values["states"])
