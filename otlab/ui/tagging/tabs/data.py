"""The Data tab: the corpus, a file of one's own, and everything to take home."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.tagging import Normalize
from otlab.tagging.io.read import open_text
from otlab.ui import data_tab
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down
from otlab.ui.fields import values_of
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.settings import NormalizeSettings
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tabs.downloads import FILES, download
from otlab.viz.base.html import escape, table, td, tr
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from otlab.tagging import Corpus
    from otlab.ui.components.file_zone import Source

__all__ = ["DataTab", "corpus_html"]

FORMAT_NAMES = {
    "conllu": "CoNLL-U",
    "slash": "word/TAG",
    "underscore": "word_TAG",
    "tsv": "two columns",
    "raw": "plain text",
}


class DataTab(data_tab.DataTab[TaggingState]):
    """The Data tab."""

    depends = ("corpus",)
    label = "Drop a corpus here, or choose one"
    hint = "CoNLL-U (also .gz), word/TAG, word_TAG, two columns, or plain text"
    most = 0

    def build(self) -> Any:
        """Return the cards in their places."""
        self._about = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.options = NormalizeSettings()
        self.options.param.watch(lambda *_: self._read_again(), list(values_of(self.options)))
        own = self.load_card("Load a text", SettingsForm(self.options), remark="stays on this computer")
        labels = [(key, label) for key, (label, _) in FILES.items()]
        home, _ = self.download_card(
            partial(download, self.state), labels, remark="from the selected run", height=270
        )
        return across(Card("The corpus", self._about), down(own, home))

    def redraw(self, changed: Set[str]) -> None:
        """Describe the corpus."""
        self._about.show(corpus_html(self.state.corpus))

    def read(self, source: Source, progress: Callable[[float], None]) -> tuple[Corpus, str]:
        """Return the corpus of a file, read as the options say, and the format it was read as."""
        options = self.options
        normalize = Normalize(options.lowercase, options.digits, options.least)
        with source.open() as stream:
            text = open_text(stream, source.name)
            corpus = text.corpus(progress=progress, tag_column=options.column, normalize=normalize)
        return corpus, text.format

    def _read_again(self) -> None:
        """Read the file that is open once more, as the options now say."""
        source = self.state.source
        if source is not None:
            self.zone.open(source)

    def show_read(self, source: Source, result: tuple[Corpus, str]) -> None:
        """Show a corpus that was read."""
        corpus, form = result
        again = source is self.state.source
        self.said.clear()
        read = "read again" if again else "read"
        said = f"{corpus.name} {read} as {FORMAT_NAMES.get(form, form)}: {corpus.tokens:,} words"
        said += f", {corpus.types:,} different"
        self.lab.open_own(corpus.name or "Your text", lambda: self.state.open_own(corpus, source), said=said)


def corpus_html(corpus: Corpus) -> str:
    """Return sizes, tags by frequency and the first sentences of a corpus."""
    sizes = (("words", corpus.tokens), ("word types", corpus.types), ("sentences", corpus.sentences))
    about = table([], (tr([td(name), td(f"{count:,}")]) for name, count in sizes), kind="scores")
    tags = ""
    if corpus.tags is not None:
        rows = zip(corpus.tagset, corpus.tag_counts.tolist(), strict=True)
        cells = ", ".join(f"{escape(tag)} {percent_text(count / corpus.tokens)}" for tag, count in rows)
        tags = (
            f'<h3 class="title" style="margin:12px 0 4px">{len(corpus.tagset)} gold tags</h3><p>{cells}</p>'
        )
    first = "".join(
        '<div class="sentence">'
        + "".join(
            f'<span class="token"><span class="w">{escape(word)}</span><span>{escape(tag)}</span></span>'
            for word, tag in sentence
        )
        + "</div>"
        for sentence in list(corpus.first(6))
    )
    name = f'<p class="small">{escape(corpus.name)}</p>'
    heading = '<h3 class="title" style="margin-top:12px">First sentences</h3>'
    return f"{name}{about}{tags}{heading}{first}"
