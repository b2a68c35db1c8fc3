"""The Parse tab: surprisal, entropy reduction and tenure of each word, and what else it might have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import InputError
from otlab.html import Markup, element, escape, table, td, th, tr
from otlab.mg.processing.alternatives import alternatives
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.memory import memory_use
from otlab.ui.components.cards import Card, Html
from otlab.ui.glossary import define, term
from otlab.ui.mg.tabs import TABLE_STYLE
from otlab.ui.mg.tabs.induce import BesideDerivation
from otlab.viz.base.numbers import value_text

if TYPE_CHECKING:
    from otlab.mg.parsing.parse import Parse
    from otlab.mg.processing.alternatives import Alternative
    from otlab.mg.processing.entropy import WordByWord

__all__ = ["ParseTab"]

define(
    "surprisal",
    "Surprisal",
    "How unexpected a word is after those before it: minus the natural logarithm of its probability there.",
)
define(
    "entropy reduction",
    "Entropy reduction",
    "By how much a word lowers the entropy of the derivations: what the words mean, and how they go on. "
    "0 where the entropy rises.",
)
define(
    "tenure",
    "Tenure",
    "For how many steps a top-down parser keeps a word in memory, from its prediction until it is read.",
)

define(
    "maximal prefix",
    "Maximal prefix",
    "The longest beginning of a sentence that still fits a word's being this lexical item. One word more, "
    "the minimal prefix, rules it out.",
)

_STYLE = (
    TABLE_STYLE
    + """
th, th.num, th .term { white-space: normal; vertical-align: bottom; }
td, th { padding-inline: 3px; }
.as { white-space: nowrap; padding-left: 12px; }
h4 { margin: 14px 0 2px; font-size: 12.5px; font-weight: 600; }
.track { background: var(--ot-shade); height: 8px; border-radius: 3px; min-width: 32px; }
.track i { display: block; height: 8px; border-radius: 3px; background: var(--ot-other);
  box-shadow: inset 0 0 0 .8px var(--ot-other-edge); }
"""
)
_LONGEST = 40  # words; with those of the samples it takes up to 2 s, and the page waits
_TOO_LONG = (
    f"This sentence has {{}} words. Word by word is shown for up to {_LONGEST}: the page waits while all "
    "beginnings of the sentence are parsed. For longer ones use otlab.mg.word_by_word in Python."
)


class ParseTab(BesideDerivation):
    """What each word of the sentence tells; surprisals are normalised by the well-formed mass."""

    title = "Parse"

    def card(self) -> Any:
        """Return the table of words."""
        self.table = Html("", _STYLE, sizing_mode="stretch_both", styles={"overflow": "auto"})
        return Card("Word by word", self.table, remark="in nats")

    def draw(self) -> None:
        """Compute the surprisals of the selected sentence."""
        words = self.state.sentence
        if len(words) > _LONGEST:
            self.table.show(element("p", _TOO_LONG.format(len(words)), class_="small"))
            return
        try:
            parsed = self.state.parsed(words)
            if not words and not parsed.derivations:
                self.table.show('<p class="small">Type a sentence at the right, or press one.</p>')
                return
            found, others = word_by_word(parsed), alternatives(parsed)
        except InputError as error:
            self.table.show(f'<p class="bad">{escape(str(error))}</p>')
            return
        words_table = _word_table(found, _tenures(parsed)) + self._remark(found.surprisal)
        self.table.show(words_table + _alternatives_table(others))

    def _remark(self, steps: np.ndarray) -> Markup:
        """Return how the sum follows from the sentence's probability, which the corpus shows."""
        total = float(steps.sum())
        if not np.isfinite(total):
            return Markup("")
        mass = float(np.log(self.state.well_formed_mass()))
        text = f"{value_text(total - mass, 2)}, less −log P(well-formed) {value_text(-mass, 2)}."
        return element("p", f"Among well-formed sequences: −log P of the sentence {text}", class_="small")


def _tenures(parsed: Parse) -> list[int]:
    """Return the tenure of each word in the best derivation; empty if there is none, or it is too deep."""
    best = parsed.best(1)
    try:
        return memory_use(best[0].derivation).word_tenures() if best else []
    except InputError:
        return []


def _word_table(found: WordByWord, tenures: list[int]) -> Markup:
    """Return a row for each word and the end, and one for the sums."""
    surprisals, reductions = found.surprisal, found.reduction
    most = [max(1e-9, float(v[np.isfinite(v)].max(initial=0.0))) for v in (surprisals, reductions)]
    rows = []
    for number, word in enumerate([*found.words, "(end)"]):
        cells = [td(word, "form")]
        for values, largest in zip((surprisals, reductions), most, strict=True):
            cells += _bar(float(values[number]), largest)
        rows.append(tr([*cells, td(tenures[number] if number < len(tenures) else "", "num")]))
    if np.isfinite(surprisals).all():
        sums = [td(), td(value_text(surprisals.sum()), "num"), td(), td(value_text(reductions.sum()), "num")]
        rows.append(tr([td("Sum"), *sums, td(sum(tenures), "num")]))
    names = ("surprisal", "entropy reduction", "tenure")
    first, second, third = (th(term(name, name.capitalize()), "num") for name in names)
    return table(["Word", "", first, "", second, third], rows)


def _alternatives_table(found: list[Alternative]) -> Markup:
    """Return what else each word might have been, how probable when it is read, and what rules it out."""
    if not found:
        return Markup("")
    rows = []
    for a in found:
        words = [*a.words, "(end)"]
        fits = f"{a.maximal} {words[a.maximal - 1]}" if a.maximal else "–"
        word = a.words[a.position] if a.position >= 0 else "ε"
        expected = td(f"{a.expected[a.position + 1]:.2f}", "num")
        item = str(a.item).removeprefix(f"{word} :: ")
        rows.append(tr([td(word, "form"), td(item, "form"), expected, td(fits, "as"), td(a.ruled_out_by)]))
    heads = [
        "Word",
        "May be",
        th("Expected", "num"),
        th(term("maximal prefix", "Fits up to"), "as"),
        "Ruled out by",
    ]
    return element("h4", "What each word may be") + table(heads, rows)


def _bar(value: float, most: float) -> list[Markup]:
    """Return a bar and its number."""
    known = np.isfinite(value)
    bar = element("i", style=f"width:{100 * value / most:.1f}%")
    return [td(element("div", bar, class_="track") if known else ""), td(value_text(value), "num")]
