"""The Data tab: the corpus, a file of one's own, and everything to take home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.tagging import Normalize
from otlab.ui.cards import Card, Html
from otlab.ui.fields import Choice, Integer, Settings, Switch
from otlab.ui.layout import across, down
from otlab.ui.placeholders import faults
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tagging.assets import PAGE_CSS
from otlab.ui.tagging.downloads import TakeHome
from otlab.ui.tagging.upload import FORMAT_NAMES, Upload
from otlab.viz.base.html import escape, table, td, tr
from otlab.viz.base.numbers import percent_text

if TYPE_CHECKING:
    from otlab.errors import InputError
    from otlab.tagging import Corpus
    from otlab.ui.tagging.actions import LabActions
    from otlab.ui.tagging.upload import Source
    from otlab.viz.base.tokens import Tokens

__all__ = ["DataTab", "corpus_html"]


class DataTab:
    """One showing of the Data tab."""

    def __init__(self, lab: LabActions, tokens: Tokens) -> None:
        self._lab = lab
        self._about = Html("", PAGE_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        columns = {"xpos": "Language-specific (XPOS)", "upos": "Universal (UPOS)"}
        self.options = Settings(
            [
                Choice("column", "CoNLL-U tags", "xpos", columns, wide=True),
                Switch("lowercase", "Lowercase", False),
                Switch("digits", "Replace digits by 0", False),
                Integer("least", "Words seen fewer times than this → UNK", 1, low=1, high=1000, wide=True),
            ]
        )
        self.options.on_change(lambda _name, _value: self._read_again())
        self.upload = Upload(self._opened, self._refused, self._reading)
        self._faults = down(sizing_mode="stretch_width", gap=0)
        self._home = TakeHome(lab.state, lab.toast)

    def layout(self) -> Any:
        """Return the cards in their places."""
        corpus = Card("The corpus", self._about)
        own = Card(
            "Load a text",
            self.upload,
            self._faults,
            SettingsForm(self.options),
            remark="stays on this computer",
        )
        home = Card("Download", self._home, remark="from the selected run", height=270)
        return across(corpus, down(own, home))

    def results_changed(self) -> None:
        """Nothing here changes while a run goes."""

    def selected(self) -> None:
        """Describe the corpus."""
        self._about.show(corpus_html(self._lab.corpus))

    def recolor(self, tokens: Tokens) -> None:
        """Nothing: everything here follows by its style sheet."""

    def _reading(self) -> dict[str, Any]:
        values = self.options.values
        normalize = Normalize(values["lowercase"], values["digits"], values["least"])
        return {"tag_column": values["column"], "normalize": normalize}

    def _read_again(self) -> None:
        """Read the file that is open once more, as the options now say."""
        source = self._lab.source
        if source is not None:
            self.upload.read(source)

    def _opened(self, corpus: Corpus, source: Source, form: str) -> None:
        again = source is self._lab.source
        self._faults[:] = []
        read = "read again" if again else "read"
        said = f"{corpus.name} {read} as {FORMAT_NAMES.get(form, form)}: {corpus.tokens:,} words"
        self._lab.open_corpus(corpus, source, said=f"{said}, {corpus.types:,} different")
        self.selected()

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
