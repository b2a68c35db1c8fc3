"""The Learn lexicon tab: candidate items, a sparse prior, and which of the items survive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.errors import counted
from otlab.mg.features import format_features
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.layout import across, down, show_in
from otlab.ui.components.placeholders import empty
from otlab.ui.glossary import define
from otlab.ui.mg.pool import entries_of, unknown_words
from otlab.ui.mg.state import MGState
from otlab.ui.mg.tabs import left_column
from otlab.ui.settings_form import SettingsForm
from otlab.ui.tab import Tab
from otlab.ui.task import Task
from otlab.viz.mg.pool import POOL_CSS, TABLE_TO_COME, Candidate, pool_html, restarts_html

if TYPE_CHECKING:
    from otlab.mg.learners.snapshot import Snapshot
    from otlab.mg.lexicon import Lexicon

__all__ = ["PoolTab"]

define(
    "pool",
    "Candidate items",
    "Every word with every feature sequence of a spoken item, and the silent items.",
)


_NO_STARTS = '<p class="small">Each start ends at an ELBO of its own; the best one is used.</p>'


class PoolTab(Tab[MGState]):
    """The tab that learns a lexicon."""

    title = "Learn lexicon"
    depends = ("settled", "pool_changes", "option_changes")

    def build(self) -> Any:
        """Return the cards in their places."""
        pool = self.state.pool
        self.task = Task("Learn and prune", pool.rows, pool.take, self._ended, lambda: pool.known)
        self.at_close(self.task.close)
        self._words = Html("", POOL_CSS, sizing_mode="stretch_width")
        self._starts = Html("", POOL_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._summary = Html("", sizing_mode="stretch_width")
        self._table = Html("", POOL_CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        self._nothing = empty(
            "No lexicon learnt yet",
            "Every word meets every feature string; a sparse prior keeps what the sentences need.",
            shape=TABLE_TO_COME,
        )
        self._place = down(self._nothing)
        self._take = button("Use survivors as the lexicon", self.adopt, disabled=True, align="start")
        left = left_column(
            Card(
                "Candidate items",
                self._words,
                SettingsForm(pool.settings),
                self.task,
                sizing_mode="stretch_width",
            ),
            Card("Restarts", self._starts, remark="ELBO of each, best in bold"),
        )
        self._survivors = Card("Which entries survive", self._place, action=self._take)
        return across(left, self._survivors)

    def draw(self) -> None:
        """Show the pool of the present lexicon, and the survivors of the last one."""
        lexicon, pool = self.state.lexicon, self.state.pool
        spoken = [i for i in lexicon.items if i.words]
        words = len({i.words for i in spoken}) + len(unknown_words(lexicon, self.state.counts))
        frames, silent = len({i.features for i in spoken}), len(lexicon) - len(spoken)
        spelled, strings = counted(words, "word"), counted(frames, "feature string")
        self._words.show(
            f'<p class="small">{spelled} × {strings} + {counted(silent, "silent item")} = '
            f"<b>{counted(words * frames + silent, 'candidate')}</b></p>"
        )
        self._survivors.stale = "from the old lexicon" if pool.stale else ""
        self._starts.show(
            restarts_html([v.objective for v in pool.starts], pool.seeds) if pool.starts else _NO_STARTS
        )
        if pool.lexicon is not None and pool.best is not None:
            self._draw_survivors(pool.lexicon, pool.best)
        self._take.disabled = self.task.runner.alive or not pool.survivors
        show_in(self._place, *([self._nothing] if pool.best is None else [self._summary, self._table]))

    def adopt(self) -> None:
        """Replace the lexicon by the survivors."""
        items = self.state.pool.survivors
        if items:
            self.state.replace_items(items)
            self.state.edits += 1
            self.lab.toast(f"The lexicon is now the {counted(len(items), 'survivor')}", self.lab.undo)

    def _ended(self) -> None:
        self.state.pool.end()
        self.lab.changed()  # which saves it

    def _draw_survivors(self, lexicon: Lexicon, best: Snapshot) -> None:
        pool, convention = self.state.pool, lexicon.convention
        rows = zip(lexicon.items, best.counts, best.theta, strict=True)
        candidates = [
            Candidate(
                i.phon,
                format_features(i.features, convention),
                float(n),
                float(p),
                (i.words, i.features) in pool.known,
            )
            for i, n, p in rows
        ]
        self._table.show(pool_html(candidates, pool.settings.threshold))
        kept = pool.survivors
        both = len(entries_of(kept) & pool.known)
        self._summary.show(
            f'<p class="small" role="status"><b>{len(kept):,} of {len(lexicon):,}</b> candidates survive: '
            f"{both:,} of the lexicon's {len(pool.known):,} entries, {len(kept) - both:,} new.</p>"
        )
