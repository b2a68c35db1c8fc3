"""The Data tab: the corpus, a file of one's own, and everything to take home."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from otlab.tagging import Normalize
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.downloads import Downloads
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import faults
from otlab.ui.fields import values_of
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.settings import NormalizeSettings
from otlab.ui.tagging.state import TaggingState
from otlab.ui.tagging.tabs.downloads import FILES, download
from otlab.ui.tagging.upload import FORMAT_NAMES, Upload
from otlab.viz.base.html import escape, table, td, tr
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from collections.abc import Set

    from otlab.errors import InputError
    from otlab.tagging import Corpus
    from otlab.ui.tagging.upload import Source

__all__ = ["DataTab", "corpus_html"]


class DataTab(Tab[TaggingState]):
    """The Data tab."""

    title = "Data"
    depends = ("corpus",)

    def build(self) -> Any:
        """Return the cards in their places."""
        self._about = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self.options = NormalizeSettings()
        self.options.param.watch(lambda *_: self._read_again(), list(values_of(self.options)))
        self.upload = Upload(self._opened, self._refused, self._reading)
        self._faults = down(sizing_mode="stretch_width", gap=0)
        corpus = Card("The corpus", self._about)
        form = SettingsForm(self.options)
        own = Card("Load a text", self.upload, self._faults, form, remark="stays on this computer")
        labels = [[key, label] for key, (label, _) in FILES.items()]
        files = Downloads(partial(download, self.state), labels, self.lab.toast)
        home = Card("Download", files, remark="from the selected run", height=270)
        return across(corpus, down(own, home))

    def redraw(self, changed: Set[str]) -> None:
        """Describe the corpus."""
        self._about.show(corpus_html(self.state.corpus))

    def _reading(self) -> dict[str, Any]:
        options = self.options
        normalize = Normalize(options.lowercase, options.digits, options.least)
        return {"tag_column": options.column, "normalize": normalize}

    def _read_again(self) -> None:
        """Read the file that is open once more, as the options now say."""
        source = self.state.source
        if source is not None:
            self.upload.read(source)

    def _opened(self, corpus: Corpus, source: Source, form: str) -> None:
        again = source is self.state.source
        self._faults[:] = []
        read = "read again" if again else "read"
        said = f"{corpus.name} {read} as {FORMAT_NAMES.get(form, form)}: {corpus.tokens:,} words"
        said += f", {corpus.types:,} different"
        self.lab.open_own(corpus.name or "Your text", lambda: self.state.open_own(corpus, source), said=said)

    def _refused(self, error: InputError, name: str) -> None:
        self._faults[:] = [faults(error, name)]


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
