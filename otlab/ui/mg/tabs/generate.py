"""The Generate tab: random sentences of the grammar."""

from __future__ import annotations

from typing import Any

import panel as pn

from otlab.mg.parsing.generation import generate
from otlab.ui.components.buttons import button
from otlab.ui.components.cards import Card, Html
from otlab.ui.glossary import term
from otlab.ui.mg.tabs.induce import BesideDerivation
from otlab.viz.base.numbers import percent_text

__all__ = ["GenerateTab"]

_DRAWN = 12  # sentences
_LONGEST = 14  # words


class GenerateTab(BesideDerivation):
    """Random sentences of the grammar, and how many attempts they took."""

    title = "Generate"

    def card(self) -> Any:
        """Return the list of sentences."""
        self._seed = 0
        self._drawn_for: object = None
        self.rate = Html("", sizing_mode="stretch_width")
        self._list = pn.Column(
            sizing_mode="stretch_both", margin=0, styles={"overflow": "auto", "gap": "2px"}
        )
        again = button("Draw again", self._again, icon="dice", plain=True)
        return Card("Random sentences", self.rate, self._list, action=again)

    def draw(self) -> None:
        """Draw sentences, unless the same are shown already or probabilities are still being learnt."""
        lexicon = self.state.lexicon
        key = (lexicon.texts, str(lexicon.spell_out), self.state.theta.tobytes(), self._seed)
        learning = self._drawn_for is not None and self.lab.runner.phase in ("running", "waiting")
        if key != self._drawn_for and not learning:
            self._drawn_for = key
            self._generate()

    def _again(self) -> None:
        self._seed += 1
        self.draw()

    def _generate(self) -> None:
        if not self.state.lexicon.items:
            self.rate.show('<p class="small">The lexicon has no item yet.</p>')
            self._list[:] = []
            return
        made = generate(
            self.state.lexicon,
            _DRAWN,
            theta=self.state.theta,
            seed=self._seed,
            most_attempts=5000,
            most_words=_LONGEST,
        )
        mass = percent_text(self.state.well_formed_mass(), 0)
        accepted = percent_text(made.acceptance_rate, 0)
        rate = (
            f"{accepted} of sampled sequences were well-formed and have up to {_LONGEST} words; "
            f"{term('well-formed', 'well-formed')} with any number of words are {mass}."
        )
        self.rate.show(f'<p class="small">{rate}</p>')
        self._list[:] = [*map(self._button, made.sentences)]

    def _button(self, words: tuple[str, ...]) -> Any:
        look = {"justifyContent": "flex-start", "textAlign": "left", "fontWeight": 400, "height": "auto"}
        look["unicodeBidi"] = "plaintext"
        return button(
            " ".join(words) or "ε", lambda: self.induce.choose(words), plain=True, sx=look, align="start"
        )
