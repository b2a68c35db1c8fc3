"""The Data tab: the corpus, opening a file, and downloads of labels, scores, traces, names and taggers."""

from __future__ import annotations

import tempfile
import weakref
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from otlab.errors import InputError, counted
from otlab.files import decode_any
from otlab.html import element, escape, table, td, tr
from otlab.inference.fit import versions
from otlab.tagging.corpus import Normalize
from otlab.tagging.dictionary import TagDictionary
from otlab.tagging.io.detection import conllu, readings
from otlab.tagging.io.numbering import AS_WRITTEN
from otlab.tagging.io.read import open_text
from otlab.tagging.scores import SCORES
from otlab.ui import data_tab
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.file_zone import FileZone
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, faults
from otlab.ui.fields import texts_of, values_of
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tokens import sentence_html, token_html
from otlab.viz.base.numbers import percent_text
from otlab.viz.tagging.page import Learnt, result_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

    from otlab.reading import ReadAs
    from otlab.tagging.corpus import Corpus
    from otlab.tagging.model import Model
    from otlab.ui.components.downloads import File
    from otlab.ui.source import Source
    from otlab.ui.tagging.results import Result

__all__ = ["FILES", "DataTab", "corpus_html", "download", "file_bytes"]

FILES = {
    "page": ("Result as a page", "{}_result.html"),
    "labels": ("Labelled text", "{}_labels.tsv"),
    "states": ("States: words and tags", "{}_states.csv"),
    "traces": ("Scores by iteration", "{}_traces.csv"),
    "confusion": ("States against gold tags", "{}_confusion.csv"),
    "model": ("Trained tagger (.npz)", "{}_tagger.npz"),
}


def download(state: TaggingState, key: str) -> File:
    """Return name and content of one of :data:`FILES`, for the selected run.

    Raises
    ------
    InputError
        If there is none yet.
    """
    result = state.result
    if result is None or not result.views or (key == "model" and result.model is None):
        raise InputError("There is nothing to download before a run has ended")
    name = FILES[key][1].format(state.file_stem)
    if key == "page":
        return name, lambda: result_html(state)
    return name, lambda: file_bytes(result, key)  # writing a corpus of millions of words takes seconds


def result_html(state: TaggingState) -> bytes:
    """Return the runs of every learner as one page of HTML, with the link that opens the text here."""
    link = state.link("tagging_lab")
    return result_page(learnt_results(state), link=link, title=state.called).encode()


def learnt_results(state: TaggingState) -> list[Learnt]:
    """Return the runs of every learner, as pages show them."""
    versions_text = ", ".join(f"{package} {version}" for package, version in versions().items())
    return [
        Learnt(r.label, r.hue, r.corpus, r.views, r.seeds, {**r.settings, "versions": versions_text}, r.names)
        for r in state.results.values()
        if r.views
    ]


def file_bytes(result: Result, key: str) -> bytes:
    """Return the content of one of :data:`FILES`."""
    makers = {"labels": _labels, "states": _states, "traces": _traces, "confusion": _confusion}
    if key in makers:
        return makers[key](result).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tagger.npz"
        cast("Model", result.model).named(result.names).save(path)
        return path.read_bytes()


def _labels(result: Result) -> str:
    """Return one token per line: word, state, its name, gold tag; blank lines between sentences."""
    labels = np.split(result.view.labels, result.corpus.offsets[1:-1])
    blocks = [
        "\n".join(
            "\t".join([word, str(k), result.name(int(k)), *([tag] if tag else [])])
            for (word, tag), k in zip(sentence, states, strict=True)
        )
        for sentence, states in zip(result.corpus, labels, strict=True)
    ]
    return "\n\n".join(blocks) + "\n"


def _states(result: Result) -> str:
    cards = [result.portrait.card(int(k), words=15, lift=15) for k in result.portrait.order]
    matching, tagset = result.portrait.matching, result.corpus.tagset
    rows = {
        "state": [c.state for c in cards],
        "name": [result.names.get(c.state, "") for c in cards],
        "tokens": [c.tokens for c in cards],
        "matched tag": [tagset[matching[c.state]] if c.state in matching else "" for c in cards],
        "words": [" ".join(word for word, _ in c.words) for c in cards],
        "by lift": [" ".join(c.lift) for c in cards],
    }
    return pd.DataFrame(rows).to_csv(index=False)


def _traces(result: Result) -> str:
    frames = []
    for run, view in enumerate(result.views, start=1):
        frame = pd.DataFrame(view.scores, columns=list(SCORES))
        frame.insert(0, "objective", view.objective)
        frame.insert(0, "iteration", np.arange(len(frame)))
        frame.insert(0, "seed", result.seeds[run - 1])
        frame.insert(0, "run", run)
        frames.append(frame)
    head = "".join(f"# {name}: {value}\n" for name, value in result.settings.items())
    return head + pd.concat(frames).to_csv(index=False, float_format="%.8g")


def _confusion(result: Result) -> str:
    table = pd.DataFrame(result.view.table, columns=list(result.corpus.tagset))
    table.insert(0, "state", [result.name(k) for k in range(result.states)])
    return table.to_csv(index=False)


LEAST_SHARE = 0.001
_HEAD = 1 << 18  # bytes of a file that tell how it can be read
_NOTHING_ASKED: tuple[Callable[[], Source | None], ReadAs | None] = (lambda: None), None
_GONE = "Open the file again to read it in another way"


class DataTab(data_tab.DataTab[TaggingState]):
    """The Data tab."""

    depends = ("corpus",)
    label = "Drop a corpus here, or choose one"
    hint = "CoNLL-U, columns, word/TAG, Brown, Penn Treebank, CHAT with %mor, or plain text"
    most = 1_000_000_000
    rows = 2
    typed = "the/DT dog/NN barks/VBZ\nA sentence a line, with tags or without"

    def build(self) -> Any:
        """Return the cards in their places."""
        self._readings: MutableMapping[Source, tuple[ReadAs, ...]] = weakref.WeakKeyDictionary()
        self._asked, self._offering = _NOTHING_ASKED, False
        self._about = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.options = self.state.reading
        self.options.param.watch(self._options_changed, list(values_of(self.options)))
        self.dictionary_zone = FileZone(
            read_dictionary,
            self._show_dictionary,
            self._refuse_dictionary,
            label="Drop a tag dictionary here, or choose one",
            hint="A word and its tags on each line: dog NN VB. Other words may have any tag",
        )
        own = self.load_card("Load a text", SettingsForm(self.options), remark="stays on this computer")
        labels = [(key, label) for key, (label, _) in FILES.items()]
        home, _ = self.download_card(
            partial(download, self.state), labels, remark="from the selected run", column=195, height=218
        )
        self.at_close(self.dictionary_zone.cancel)
        corpus = Card("The corpus", self._about, self.dictionary_zone)
        return across(corpus, down(own, home))

    def draw(self) -> None:
        """Describe the corpus, and how its file was read."""
        corpus = self.state.corpus
        self._about.show(corpus_html(corpus))
        if corpus.reading is None:
            self.read_as.hide()
            self._offer_other_tags(())
            return
        found = "1 sentence" if corpus.sentences == 1 else f"{corpus.sentences:,} sentences"
        ways, locked = self._ways(self.state.source), "" if self.state.source else _GONE
        self.read_as.show(ways, corpus.reading, found, locked=locked)
        self._offer_other_tags(ways)

    def _offer_other_tags(self, ways: Iterable[ReadAs]) -> None:
        """Offer the other column of CoNLL-U's tags, where the one that was read has none."""
        corpus = self.state.corpus
        known = corpus.reading is None or corpus.reading.format != "conllu" or corpus.tags is not None
        others = [way for way in ways if way.format == "conllu" and not way.same_way(corpus.reading or way)]
        there = [
            way for way in others if any(line[(way.place("tag") or 1) - 1] != "_" for line in way.preview)
        ]
        if known or not there:
            if self._offering:
                self.messages.clear()
            self._offering = False
            return
        other = there[0]
        named = other.options["tag_column"].upper()
        lacking = "UPOS" if named == "XPOS" else "XPOS"
        words = banner(f"There is no {lacking} here:", "the text is read without tags.", "warn")
        use = button(f"Use {named}", lambda: self.read_so(other), align="start")
        self.messages[:] = [words, use]
        self._offering = True

    def _ways(self, source: Source | None) -> tuple[ReadAs, ...]:
        """Return the ways to read a file; none if it is no longer there."""
        if source is None:
            return ()
        if source not in self._readings:
            with source.open() as stream:
                self._readings[source] = readings(stream.read(_HEAD), source.name)
        return self._readings[source]

    def read_so(self, reading: ReadAs) -> None:
        """Read the open file in another way."""
        source, column = self.state.source, reading.options.get("tag_column", self.options.column)
        if source is None or (reading.roles and reading.place("word") is None):
            self.draw()  # the browser shows the roles as they were
            return
        self._asked = weakref.ref(source), reading
        if column != self.options.column:
            self.options.column = column  # which reads the file again
        else:
            self._read_again()

    def read(self, source: Source, progress: Callable[[float], None]) -> tuple[Corpus, str]:
        """Return the corpus of a file, read as the options say, and a remark on that or ""."""
        options = self.options
        normalize = Normalize(options.lowercase, options.digits, options.least)
        how = self._how(source)
        return read_corpus(source, progress, how, tag_column=options.column, normalize=normalize)

    def _how(self, source: Source) -> ReadAs | None:
        """Return how the open file is to be read: as chosen, or as before; None for another file."""
        (asked, chosen), self._asked = self._asked, _NOTHING_ASKED
        how = chosen if asked() is source else None
        if how is None and source is self.state.source:
            how = self.state.corpus.reading
        return conllu(self.options.column) if how is not None and how.format == "conllu" else how

    def _show_dictionary(self, source: Source, text: str) -> None:
        """Use a tag dictionary that was read, from the next run on."""
        found = TagDictionary.parse(text)
        tags = {tag for each in found.allowed.values() for tag in each}
        self.state.open_dictionary(source.name, text)
        self.lab.toast(
            f"{source.name}: {counted(len(found.allowed), 'word')} with {counted(len(tags), 'tag')}, "
            "used from the next run on",
            self.lab.undo,
        )

    def _refuse_dictionary(self, error: InputError, source: Source) -> None:
        choose = "Choose another file", self.dictionary_zone.choose
        self.messages[:] = [faults(error, source.name, choose)]

    def _read_again(self) -> None:
        """Read the open file again, with the options as they are now."""
        source = self.state.source
        if source is not None:
            self.zone.open(source)

    def _options_changed(self, *_: Any) -> None:
        if texts_of(self.options) != self.state.read_with:  # not by Undo, which brings the corpus too
            self._read_again()

    def show_read(self, source: Source, result: tuple[Corpus, str]) -> None:
        """Show a corpus that was read; a remark on its format stays in sight."""
        corpus, remark = result
        again = source is self.state.source
        self.messages.clear()
        self._offering = False
        read = "read again" if again else "read"
        message = read_message(corpus, read)
        self.lab.open_own(
            corpus.name or "Your text", lambda: self.state.open_own(corpus, source), message=message
        )
        if remark and not self._offering:
            self.messages[:] = [banner(f"{corpus.name}:", remark, "warn")]


def read_dictionary(source: Source, _progress: Callable[[float], None]) -> str:
    """Return the text of a tag dictionary.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    text = decode_any(source.content(), source.name)
    TagDictionary.parse(text, source.name)
    return text


def read_corpus(
    source: Source, progress: Callable[[float], None], how: ReadAs | None = None, **options: Any
) -> tuple[Corpus, str]:
    """Return the corpus of a file, and a remark on how it was read or "".

    `how` is guessed if None; `options` are `tag_column` and `normalize` of
    :func:`otlab.tagging.io.read.read`.
    """
    normalize = options.pop("normalize", AS_WRITTEN)
    with source.open() as stream:
        text = open_text(stream, source.name, how, **options)
        corpus = text.corpus(progress=progress, normalize=normalize)
        return corpus, " ".join(filter(None, (text.remark, text.encoding_remark)))


def read_message(corpus: Corpus, read: str = "read") -> str:
    """Return what a toast says of a corpus that was read from a file."""
    words = "1 word" if corpus.tokens == 1 else f"{corpus.tokens:,} words, {corpus.types:,} different"
    label = corpus.reading.label if corpus.reading else "a corpus"
    return f"{corpus.name} {read} as {label}: {words}"


def _share(share: float) -> str:
    """Return a share of the tokens in per cent, with one decimal."""
    return percent_text(share) if share >= LEAST_SHARE else f"below {percent_text(LEAST_SHARE)}"


def corpus_html(corpus: Corpus) -> str:
    """Return sizes, tags by frequency and the first sentences of a corpus."""
    sizes = (("words", corpus.tokens), ("word types", corpus.types), ("sentences", corpus.sentences))
    about = table([], (tr([td(name), td(f"{count:,}")]) for name, count in sizes), kind="scores")
    tags = ""
    if corpus.tags is not None:
        rows = zip(corpus.tagset, corpus.tag_counts.tolist(), strict=True)
        cells = "".join(
            f"<span><b>{escape(tag)}</b> {_share(count / corpus.tagged)}</span>" for tag, count in rows
        )
        heading = (
            f'<h3 class="title" style="margin:12px 0 4px">{counted(len(corpus.tagset), "gold tag")}</h3>'
        )
        tags = f'{heading}<p class="tags">{cells}</p>'
    first = "".join(
        sentence_html(
            [word for word, _ in sentence],
            [token_html(word, [element("span", tag)]) for word, tag in sentence],
        )
        for sentence in corpus.first(6)
    )
    name = f'<p class="small">{escape(corpus.name)}</p>'
    heading = '<h3 class="title" style="margin-top:12px">First sentences</h3>'
    return f"{name}{about}{tags}{heading}{first}"
