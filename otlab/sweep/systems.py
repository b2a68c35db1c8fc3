"""The systems of a sweep: how each reads data, runs a learner and scores a result."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import param

from otlab.discovery.io.text import FORMATS as TEXT_FORMATS
from otlab.errors import Fault, InputError, collected_warnings
from otlab.tagging.io.formats import FORMATS as CORPUS_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from otlab.inference import Tick
    from otlab.inference.registry import LearnerEntry

    Watch = Callable[[Tick[Any]], object]

__all__ = ["SYSTEMS", "System"]


class NoSettings(param.Parameterized):
    """No settings."""


class System:
    """One system of the sweep.

    Attributes
    ----------
    package
        The sub-package of otlab that has its kernels.
    reading
        Class of the settings with which data are read.
    running
        Class of the settings of a run that are not the learner's.
    headline
        The scores that a summary shows, if a run has them.
    """

    package = ""
    headline: tuple[str, ...] = ()
    reading: type[param.Parameterized] = NoSettings
    running: type[param.Parameterized] = NoSettings

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        """The registry of its learners."""
        raise NotImplementedError

    @property
    def presets(self) -> Mapping[str, Any]:
        """The settings that may name a file, each with the preset names that it may have instead."""
        return {}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        """Return the data in a file, given the settings of reading."""
        raise NotImplementedError

    def fit(self, data: Any, learner: str, values: Mapping[str, Any], **options: Any) -> Any:
        """Return the result of a run; `options` are seed, threads and watch."""
        entry = self.learners[learner]
        return entry.fit(data, own_settings(entry.settings, values), **options)

    def scores(self, fitted: Any) -> dict[str, float | None]:
        """Return the scores by which runs are compared."""
        raise NotImplementedError


def own_settings(settings: type[param.Parameterized], values: Mapping[str, Any]) -> Any:
    """Return an instance of a settings class, with those of the values that it has parameters for."""
    return settings(**{name: value for name, value in values.items() if name in settings.param})


class TableauReading(param.Parameterized):
    """How a tableau is read."""

    accents = param.Boolean(False, doc=r"Read \a' in names as á.")
    format = param.Selector(
        default="", objects=["", "table", "pairs", "paper", "ucla"], doc="What the table is."
    )
    keep_sign = param.Boolean(False, doc="Violations that are all 0 or below are rewards.")


class OT(System):
    """Stochastic OT: tableaux."""

    package = "ot"
    headline = ("log_likelihood", "largest_rhat")
    reading = TableauReading

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        from otlab.ot.learners import LEARNERS

        return LEARNERS

    @property
    def presets(self) -> Mapping[str, Any]:
        from otlab.ot.learners.schedules import PRESETS

        return {"prior": (), "apriori": (), "schedule": tuple(PRESETS)}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        from otlab.ot import read

        return read(path, **{name: values[name] for name in ("accents", "format", "keep_sign")})

    def scores(self, fitted: Any) -> dict[str, float | None]:
        predicted, trust = fitted.predicted, fitted.trust
        return {
            "log_likelihood": predicted.log_likelihood,
            "typical_log_likelihood": predicted.typical_log_likelihood,
            "largest_rhat": trust.largest_rhat,
            "smallest_ess": trust.smallest_ess,
            "multimodal": float(fitted.multimodal),
            "converged": float(fitted.converged),
        }


class CorpusReading(param.Parameterized):
    """How a corpus is read."""

    format = param.Selector(
        default=None,
        objects=[None, *CORPUS_FORMATS],
        doc="Format of the corpus; guessed if None.",
    )
    columns = param.String(
        "", doc="Columns of the word and its tag, from 1, such as '1,2'; guessed if empty."
    )
    ends = param.Selector(
        default=None, objects=[None, "lines", "blank", "marks"], doc="Where sentences end; guessed if None."
    )
    tag_column = param.Selector(
        default="xpos", objects=["xpos", "upos"], doc="Which tags of a CoNLL-U file are read."
    )
    lowercase = param.Boolean(False, doc="Lowercase all words.")
    digits = param.Boolean(False, doc="Replace every digit by 0.")
    min_count = param.Integer(1, bounds=(1, None), doc="Words seen fewer times become UNK.")


class TaggerRunning(param.Parameterized):
    """How long a tagger runs."""

    iterations = param.Integer(100, bounds=(0, None), doc="Number of updates, or of sweeps.")


class Tagging(System):
    """Hidden Markov taggers: corpora."""

    package = "tagging"
    headline = ("accuracy", "log_likelihood", "free_energy", "log_joint", "one_to_one", "v_measure")
    reading = CorpusReading
    running = TaggerRunning

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        from otlab.tagging.learners import LEARNERS

        return LEARNERS

    @property
    def presets(self) -> Mapping[str, Any]:
        return {"dictionary": ()}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        from otlab.tagging.corpus import Normalize
        from otlab.tagging.io.read import columns_of, read

        normalize = Normalize(values["lowercase"], values["digits"], values["min_count"])
        how = {name: values[name] for name in ("ends", "tag_column")}
        columns = columns_of(values["columns"])
        return read(path, values["format"], columns=columns, normalize=normalize, **how)

    def fit(self, data: Any, learner: str, values: Mapping[str, Any], **options: Any) -> Any:
        from dataclasses import replace

        from otlab.inference import fit

        entry = self.learners[learner]
        made = entry.make(data, own_settings(entry.settings, values))
        if hasattr(made, "threads"):
            made = replace(made, threads=options["threads"])
        return fit(made, steps=values["iterations"], **options)

    def scores(self, fitted: Any) -> dict[str, float | None]:
        from dataclasses import asdict

        view = fitted.view
        objective = _OBJECTIVES.get(fitted.learner.name, "log_joint")
        return {
            objective: float(view.objective[-1]),
            "states_used": float(view.states_used),
            **asdict(view.final),
            **({} if fitted.learner.known_states() is None else {"accuracy": self._accuracy(fitted)}),
        }

    def _accuracy(self, fitted: Any) -> float | None:
        """Return the share of words right whose tag was not known; None if all were."""
        share = fitted.accuracy()["marginal"].all
        return share if share == share else None  # NaN


_OBJECTIVES = {
    "em": "log_likelihood", "map-em": "log_posterior", "vb": "free_energy", "supervised": "log_likelihood",
    "entropic": "log_posterior", "features": "log_posterior", "em-trigram": "log_likelihood",
    "vb-trigram": "free_energy", "vb-state-priors": "free_energy", "vb-hdp": "free_energy",
}  # fmt: skip


class LexiconReading(param.Parameterized):
    """How a lexicon and its sentences are read."""

    sentences = param.String(
        None, allow_None=True, doc="A file with one sentence per line; the lexicon's own if None."
    )
    start = param.String("", doc="Start category; the lexicon's own if empty.")
    convention = param.Selector(
        default=None,
        objects=[None, "seed", "stabler2011", "nondirectional"],
        doc="How selectors are written; as the file says if None.",
    )


class MG(System):
    """Minimalist grammars: lexicons with sentences."""

    package = "mg"
    headline = ("objective", "well_formed_mass", "largest_rhat")
    reading = LexiconReading

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        from otlab.mg.learners import LEARNERS

        return LEARNERS

    @property
    def presets(self) -> Mapping[str, Any]:
        return {"sentences": ()}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        from otlab.files import file_text
        from otlab.mg.io.read import read
        from otlab.mg.learners.corpus import parse_corpus
        from otlab.mg.parsing.grammar import Grammar
        from otlab.mg.sentences import read_corpus_text

        lexicon = read(path, start=values["start"], convention=values["convention"])
        grammar = Grammar(lexicon)
        sentences = Counter(lexicon.corpus)
        if values["sentences"] is not None:
            corpus = Path(values["sentences"])
            sentences = read_corpus_text(file_text(corpus), grammar.vocabulary, corpus.name)
        if not sentences:
            hint = "give some with the setting 'sentences', a file of one sentence a line"
            raise InputError(Fault("no sentences to learn from", hint, file=path.name))
        return parse_corpus(grammar, sentences)

    def scores(self, fitted: Any) -> dict[str, float | None]:
        trust = fitted.posterior.trust if fitted.posterior is not None else None
        return {
            "objective": float(max(fitted.objectives)),
            "well_formed_mass": fitted.well_formed_mass,
            "unparsed": float(len(fitted.corpus.unparsed)),
            "largest_rhat": trust.largest_rhat if trust else None,
            "smallest_ess": trust.smallest_ess if trust else None,
        }


class PhonesReading(param.Parameterized):
    """How a text of phones is read."""

    format = param.Selector(
        default="",
        objects=["", *TEXT_FORMATS],
        doc="Format of the text; recognised if empty.",
    )
    separator = param.String("", doc="Text between the phones of a word.")
    word_separator = param.String(None, allow_None=True, doc="Text between words; recognised if None.")
    tiers = param.String("", doc="Lines of a transcript, as phones=%pho.")


class DiscoveryRunning(param.Parameterized):
    """Grammar, restarts and decoding of a text."""

    grammar = param.String("word", doc="A preset, or a grammar file.")
    restarts = param.Integer(1, bounds=(1, None), doc="Number of runs, of which the rule chooses one.")
    rule = param.String("bigram", doc="How the best run is chosen.")
    threshold = param.Number(
        0.5,
        bounds=(0, 1),
        inclusive_bounds=(False, False),
        doc="Posterior probability above which there is a boundary.",
    )
    decode = param.Selector(
        default="threshold",
        objects=["threshold", "minimum-risk"],
        doc="How boundaries are decided from their probabilities.",
    )


class Discovery(System):
    """Lexicon discovery: unsegmented phones."""

    package = "discovery"
    headline = ("objective", "token_f", "lexicon_f")
    reading = PhonesReading
    running = DiscoveryRunning

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        from otlab.discovery.learners import LEARNERS

        return LEARNERS

    @property
    def presets(self) -> Mapping[str, Any]:
        from otlab.discovery.presets import PRESETS

        return {"grammar": tuple(PRESETS)}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        from otlab.discovery import read
        from otlab.discovery.io.readings import tiers_named
        from otlab.discovery.io.text import choose
        from otlab.files import decode_any, file_bytes

        asked = {"form": values["format"], "separator": values["separator"]}
        asked |= {
            "word_separator": values["word_separator"],
            "tier": tiers_named(values["tiers"]).get("phones", ""),
        }
        with collected_warnings():  # which reading the file gives again
            text = decode_any(file_bytes(path), path.name)
        return read(path, form=choose(text, path.name, **asked))

    def fit(self, data: Any, learner: str, values: Mapping[str, Any], **options: Any) -> Any:
        from otlab.discovery import discover

        watch = options.pop("watch")
        own = {name: value for name, value in values.items() if name in self.learners[learner].settings.param}
        return discover(
            data, values["grammar"], learner, restarts=values["restarts"], rule=values["rule"],
            threshold=values["threshold"], decoding=values["decode"],
            watch=partial(_watch_restart, watch), **options, **own,
        )  # fmt: skip

    def scores(self, fitted: Any) -> dict[str, float | None]:
        chosen = fitted.candidates[fitted.chosen]
        return {
            "objective": chosen.bound,
            "bigram": chosen.bigram,
            "unigram": chosen.unigram,
            "words": float(len(fitted.lexicon)),
            **(chosen.scores.as_dict() if chosen.scores is not None else {}),
        }


def _watch_restart(watch: Watch, _restart: int, tick: Tick[Any]) -> object:
    return watch(tick)


class SoundReading(param.Parameterized):
    """Where the gold times of sound are."""

    gold = param.String(None, allow_None=True, doc="A folder of gold times; the sound's own if not given.")
    tiers = param.String("", doc="Tiers of TextGrids, as words=NAME,phones=NAME.")


class Sound(System):
    """Phone-like units and words from sound: folders."""

    package = "discovery"
    headline = ("objective", "nmi", "boundary_f", "token_f")
    reading = SoundReading

    @property
    def learners(self) -> Mapping[str, LearnerEntry]:
        from otlab.discovery.joint.learners import LEARNERS

        return LEARNERS

    @property
    def presets(self) -> Mapping[str, Any]:
        return {"gold": ()}

    def read(self, path: Path, values: Mapping[str, Any]) -> Any:
        from otlab.discovery import read_speech
        from otlab.discovery.io.readings import tiers_named

        return read_speech(path, values["gold"], tiers=tiers_named(values["tiers"]))

    def scores(self, fitted: Any) -> dict[str, float | None]:
        scores = fitted.to_dict()["scores"] or {}
        return {"objective": fitted.view.bound, "units_used": float(fitted.units_used), **scores}


SYSTEMS: dict[str, System] = {
    "ot": OT(),
    "tagging": Tagging(),
    "mg": MG(),
    "discovery": Discovery(),
    "sound": Sound(),
}
"""The systems, by their names in a specification."""


@cache
def parameters(system: str, learner: str) -> dict[str, Any]:
    """Return every setting of a learner in a sweep: name to parameter of its class."""
    own = SYSTEMS[system]
    classes = (own.reading, own.running, own.learners[learner].settings)
    return {name: c.param[name] for c in classes for name in c.param if name != "name"}
