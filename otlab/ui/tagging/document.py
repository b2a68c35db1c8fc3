"""The document of the tagging lab: a corpus, the file it was read from, and how it was read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import param

from otlab.samples import load_sample
from otlab.tagging.corpus import Corpus
from otlab.tagging.experiments.simulate import simulate_hmm
from otlab.ui.fields import defaults_of, put_texts, texts_of
from otlab.ui.shared_corpora import shared
from otlab.ui.source import Source
from otlab.ui.state import DocumentFile, State
from otlab.ui.tagging.matching import Named
from otlab.ui.tagging.model_choice import ModelChoice
from otlab.ui.tagging.presets import EXAMPLES
from otlab.ui.tagging.results import same_words
from otlab.ui.tagging.settings import NormalizeSettings, lab_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otlab.ui.tagging.settings import TaggingSettings

__all__ = ["SIMULATED_SEED", "CorpusDocument", "open_corpus", "shared_corpus"]

SIMULATED_SEED = 2007
MOST_LINKED_WORDS = 100_000


def open_corpus(name: str) -> Corpus:
    """Return a corpus of the chooser by its value."""
    return simulate_hmm(20_000, SIMULATED_SEED) if name == "simulated" else load_sample(name)


def shared_corpus(corpus: Corpus) -> Corpus:
    """Return the corpus that a page already shows, if it is the same one and was read in the same way."""
    return shared(corpus, f"{corpus.name}\n{corpus.reading}")


class CorpusDocument(State):
    """A corpus with the file it was read from, and what is to be compared on it.

    Parameters
    ----------
    corpus
        What to start with.

    Attributes
    ----------
    reading, read_with
        The options of reading a file; those that the open corpus was read with, as texts.
    choice
        The comparison of numbers of states.
    """

    dictionary: str = param.String("", doc="The text of the tag dictionary that is open; empty for none.")

    noun = "corpus"

    corpus: Corpus = param.ClassSelector(class_=Corpus, doc="The corpus as it is now.")
    source: Source | None = param.ClassSelector(class_=Source, doc="The file that is open, if any.")
    sample: str = param.String("own", doc="Which of the corpora offered it is; own for any other.")

    settings: TaggingSettings

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(lab_settings(), corpus=shared_corpus(corpus))
        self.choice = ModelChoice()
        self._source = ""  # the key of the file that is open
        self._sources: dict[str, Source] = {}  # files by key, for Undo
        self.reading = NormalizeSettings()
        self.read_with = texts_of(self.reading)

    # Hooks for the lab's state.

    def load(self, corpus: Corpus) -> None:
        """Replace the corpus; results are deleted."""

    def score_against(self, corpus: Corpus) -> None:
        """Show a corpus of the same words: results stay, and are scored against its tags."""

    def named(self) -> dict[str, Named]:
        """Return the named states by row, for transfer to the next run."""
        return {}

    def expect_names(self, named: dict[str, Named]) -> None:
        """Set names for the states of the next run."""

    # The corpus.

    def examples(self) -> Mapping[str, str]:
        """Return the corpora and settings to begin with."""
        return {name: example.title for name, example in EXAMPLES.items()}

    def load_example(self, name: str) -> None:
        """Load a corpus with settings that suit it."""
        example = EXAMPLES[name]
        self.open_sample(example.corpus)
        kept = {"corpus": example.corpus, **example.settings}
        self.settings.param.update(**{**defaults_of(self.settings), **kept})
        self.learners = sorted(example.learners)

    def open_sample(self, sample: str) -> None:
        """Load one of the shipped corpora."""
        self.sample = sample
        self._open_source(None)
        self.load(open_corpus(sample))
        self.settings.param.update(corpus=sample)

    def open_own(self, corpus: Corpus, source: Source | None = None) -> None:
        """Load any corpus, and keep the file it was read from."""
        self.sample = "own"
        self._open_source(source)
        self.read_with = texts_of(self.reading)
        if same_words(corpus, self.corpus):
            self.score_against(shared_corpus(corpus))
        else:
            self.load(corpus)
        self.settings.param.update(corpus="own")

    def open_dictionary(self, name: str, text: str) -> None:
        """Allow words only the tags that a dictionary gives them, in the next run; Undo closes it."""
        self.history.record(f"{name} opened")
        self.dictionary = text
        self.settings.dictionary = "file"

    def contents(self) -> Mapping[str, Any]:
        """Return the corpus; under "view" its file, names of states, comparison, tag dictionary."""
        view = self._source, self.named(), texts_of(self.choice.settings), self.dictionary
        return {"corpus": self.corpus, "view": view}

    def open_contents(self, contents: Mapping[str, Any]) -> None:
        """Show a corpus, or keep the one that is open; names of states are kept for the next run."""
        source, named, choice, dictionary = contents["view"]
        self.dictionary = dictionary
        if contents["corpus"] is not None:
            self.open_own(contents["corpus"], self._sources.get(source))
        self.expect_names(named)
        put_texts(self.choice.settings, choice)

    def too_large(self, contents: Mapping[str, Any]) -> bool:
        """Return whether the corpus is the user's own and has more than 100,000 words."""
        return not self._as_shipped(contents) and contents["corpus"].tokens > MOST_LINKED_WORDS

    def _as_shipped(self, contents: Mapping[str, Any]) -> bool:
        return bool(self.example and self.opened and contents["corpus"] is self.opened["corpus"])

    def written(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Return names of states, what is to be compared, and sentences of words and tags.

        An unchanged example is represented by its name alone.
        """
        corpus = contents["corpus"]
        _, named, choice, dictionary = contents["view"]
        beside: dict[str, Any] = {
            "names": {row: each.to_dict() for row, each in named.items()},
            "compare": choice,
        }
        if dictionary:
            beside["dictionary"] = dictionary
        if self._as_shipped(contents):
            return beside
        return {**beside, **corpus.to_dict()}

    def read_back(self, written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return the corpus of sentences, if there is one, names, and what is to be compared."""
        named = {str(row): Named.from_dict(each) for row, each in written.get("names", {}).items()}
        choice = {str(key): str(text) for key, text in written.get("compare", {}).items()}
        view = "", named, choice, str(written.get("dictionary", ""))
        corpus = Corpus.from_dict(written, name) if "sentences" in written else None
        return {"corpus": corpus, "view": view}

    def _open_source(self, source: Source | None, key: str = "") -> None:
        """Keep the file that the corpus was read from; `key` identifies one that was kept before."""
        if source is not None and source is not self.source:
            key = key or f"{hashlib.sha256(source.content()).hexdigest()[:32]} {source.name}"
            self._sources[key] = source
        elif source is not None:
            key = self._source
        self.source, self._source = source, key

    def files(self) -> list[DocumentFile]:
        """Return the files that are open, or can be undone or redone."""
        past, future = self.history.versions()
        keys = dict.fromkeys([self._source, *(version.document.source for version in [*past, *future])])
        kept = [(key, self._sources[key]) for key in keys if key in self._sources]
        return [DocumentFile(key, source.name, source.size, source.content) for key, source in kept]

    def put_files(self, files: Mapping[str, bytes]) -> None:
        """Take the files of a document."""
        self._sources = {key: Source(key.partition(" ")[2], data) for key, data in files.items()}
        self.source, self._source = None, ""
