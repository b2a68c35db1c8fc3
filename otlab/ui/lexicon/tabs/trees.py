"""The Trees tab: sampled trees of one utterance, which show the learner's uncertainty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from otlab.discovery.io.trees import to_brackets, to_forest, to_qtree
from otlab.discovery.parsing.trees import sample_tree
from otlab.html import Markup, element, isolated
from otlab.ui.components.buttons import button, icon_button
from otlab.ui.components.cards import Card, Html, swatch
from otlab.ui.components.placeholders import no_result_yet
from otlab.ui.lexicon.state import LexiconState
from otlab.ui.lexicon.tabs.segment import RESULTS, STALE
from otlab.ui.tab import Tab
from otlab.viz.base.numbers import count_text
from otlab.viz.discovery.tree import TREE_CSS, tree_svg

if TYPE_CHECKING:
    from otlab.discovery.corpus import Corpus
    from otlab.discovery.learners.view import DiscoveryView
    from otlab.discovery.parsing.trees import Node

__all__ = ["TreesTab"]

FILES = (("forest", "Save LaTeX (forest)"), ("qtree", "Save LaTeX (qtree)"), ("brackets", "Save brackets"))
"""Key and label of each file of the trees in sight, beside the pictures that the menu of every card saves."""
DRAWN = 12
"""Number of trees drawn per utterance."""

_CSS = (
    TREE_CSS
    + """
.spoken { font: 400 17px/1.4 var(--ot-forms); color: var(--ot-ink); margin: 0; padding-top: 6px; }
.spoken .remark { font-family: var(--ot-ui); margin-left: 10px; }
.trees { display: flex; flex-wrap: wrap; gap: 26px 40px; align-items: flex-start; padding-top: 10px; }
figure { margin: 0; padding: 10px 14px 12px; border: 1px solid var(--ot-line); border-radius: 10px;
  box-sizing: border-box; max-width: 100%; overflow-x: auto; }
figcaption { font-size: 12px; color: var(--ot-ink3); text-align: center; }
"""
)


class TreesTab(Tab[LexiconState]):
    """Sampled trees of the utterance looked at: the different ones, with how often each was drawn."""

    title = "Trees"
    depends = (*RESULTS, "utterance")

    def build(self) -> Any:
        """Return the card."""
        self._round = 0
        self._picture = Html("", _CSS, sizing_mode="stretch_both", styles={"overflow": "auto"})
        pager = pn.Row(
            icon_button("Earlier utterance", "left", lambda: self._move(-1), align="center"),
            icon_button("Later utterance", "right", lambda: self._move(1), align="center"),
            button("Draw again", self._again, align="center"),
            margin=0,
            styles={"gap": "6px"},
        )
        legend = [swatch("vb", "stored"), swatch("gla", "generated")]
        self._nothing = no_result_yet("the trees", "They are drawn at random from what was learnt.")
        self._drawn: list[tuple[Node, int]] = []
        self.card = Card(
            "Trees",
            self._picture,
            self._nothing,
            legend=legend,
            action=pager,
            files=FILES,
            make=self._file,
            state=self.state,
        )
        return self.card

    def draw(self) -> None:
        """Draw trees from the learner looked at."""
        state = self.state
        self.card.remark = f"utterance {count_text(state.utterance + 1)} of {count_text(len(state.corpus))}"
        self.card.stale = STALE if state.of_another_grammar and state.view is not None else ""
        self._drawn = []
        self._picture.visible, self._nothing.visible = state.view is not None, state.view is None
        if state.view is None:
            self._picture.show("")
        elif state.utterance not in state.parser.items:
            self._picture.show('<p class="small">The grammar cannot generate this utterance.</p>')
        else:
            figures = "".join(self._figures(state.view))
            self._picture.show(f'{self._spoken()}<div class="trees">{figures}</div>')

    def _spoken(self) -> Markup:
        """Return the utterance as segmented, and its gold segmentation."""
        corpus, u = self.state.corpus, self.state.utterance
        cut = isolated(" ".join(corpus.words(u, self.state.cut)))
        gold = "" if corpus.gold is None else "gold " + isolated(" ".join(corpus.words(u, corpus.gold)))
        return element("p", cut + element("span", gold, class_="remark"), class_="spoken")

    def _figures(self, view: DiscoveryView) -> list[str]:
        state = self.state
        rng = np.random.default_rng([state.utterance, self._round])
        drawn = [sample_tree(state.parser, view.weights, state.utterance, rng) for _ in range(DRAWN)]
        self._drawn = Counter(drawn).most_common()
        spelled, uses = _Spelled(state.corpus), _uses(view)
        return [
            f"<figure>{tree_svg(tree, spelled, uses)}<figcaption>drawn {n:d} of {DRAWN} times</figcaption>"
            "</figure>"
            for tree, n in self._drawn
        ]

    def _file(self, key: str) -> tuple[str, bytes]:
        """Return name and content of a file of the trees in sight."""
        state, ending = self.state, "txt" if key == "brackets" else "tex"
        name = state.file_name(f"trees of utterance {state.utterance + 1} {key}", ending)
        if key == "brackets":
            return name, to_brackets(self._drawn).encode()
        head = "".join(f"% {name}: {value}\n" for name, value in state.provenance("trees").items())
        uses = {} if state.view is None else _uses(state.view)
        write = to_forest if key == "forest" else to_qtree
        return name, (head + write(self._drawn, _Spelled(state.corpus), uses)).encode()

    def _again(self) -> None:
        self._round += 1
        self.draw()

    def _move(self, by: int) -> None:
        self.state.utterance = (self.state.utterance + by) % len(self.state.corpus)


def _uses(view: DiscoveryView) -> dict[tuple[str, str], float]:
    """Return the expected uses of each (symbol, string) in the learner's lexicon."""
    return {(name, e.string): e.expected_count for name, found in view.entries.items() for e in found}


class _Spelled(dict[tuple[int, int], str]):
    """Spelling of each span, computed lazily."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__()
        self._corpus = corpus

    def __missing__(self, span: tuple[int, int]) -> str:
        return self._corpus.spell(range(*span))
