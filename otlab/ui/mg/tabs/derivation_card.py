"""The derivation: a sentence parsed as it is typed, its readings, seven views, and its steps."""

from __future__ import annotations

import base64
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui
import param

from otlab.errors import InputError
from otlab.html import Markup, escape, table, td, tr
from otlab.mg.parsing.generation import generate
from otlab.mg.sentences import composed
from otlab.mg.views.readings import reading_labels
from otlab.mg.views.show import TREE_VIEWS, draw, sequence, steps
from otlab.ui.components import stylesheet
from otlab.ui.components.badge import Badge
from otlab.ui.components.buttons import Segmented, icon_button, segmented
from otlab.ui.components.cards import Card, Html
from otlab.ui.components.component import MessageComponent
from otlab.ui.glossary import term
from otlab.ui.mg.tabs.tree_files import FORMATS, tree_file, view_for
from otlab.ui.mg.tabs.wording import cited, parted, unbroken, with_minus
from otlab.viz.base.numbers import percent_text
from otlab.viz.mg.tree import SPACINGS, tree_svg

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from otlab.mg.derivation import Derivation
    from otlab.mg.parsing.diagnosis import Diagnosis
    from otlab.mg.parsing.parse import Parse, Reading
    from otlab.mg.views.show import Step
    from otlab.ui.mg.document import Words
    from otlab.ui.mg.state import MGState

__all__ = ["READINGS", "DerivationCard", "cleaned"]

READINGS = 6
MOST_PAGES = 200
MOST_ATTEMPTS = 2000
_PUNCTUATION = '.,;:!?…"“”„«»()[]'
_MOST_DOTS = 120
_IMPOSSIBLE = (
    "<h3>Every derivation has probability 0</h3><p>EM and MAP give probability 0 to items that the corpus "
    "does not need. Tick VB, or add the sentence to the corpus, and press Run.</p>"
)
# In a narrow card the sentence needs the room: the entropy stands below the badge.
_BELOW = (
    "@container ot-card (width <= 540px) "
    "{ .remark { display: block; font-size: 11px; line-height: 14px; text-align: center; } }"
)
VIEWS = {
    "derivation": "Derivation",
    "bare": "Bare",
    "x-bar": "X-bar",
    "movement": "Movement",
    "memory": "Memory",
    "steps": "Steps",
    "sequence": "Sequence",
}


class DerivationView(MessageComponent):
    """Readings, tree and steps of a derivation in the browser; sends choices."""

    state = param.Dict(
        doc="readings, page, pages, where, hue, picture, steps, at, caption, equation.", allow_refs=False
    )

    script = "derivation"
    sheets = (stylesheet("menu"),)

    def hand_over(self, message: dict[str, str]) -> None:
        """Let the browser copy a text or save a file."""
        self._send_msg(message)


class DerivationCard:
    """One showing of a sentence's derivations.

    Parameters
    ----------
    state
        What is shown.
    typed
        Called when the sentence or the reading has changed.
    edited
        Called after an item that the diagnosis proposed was added to the lexicon.
    view
        The view to begin with.
    """

    def __init__(
        self,
        state: MGState,
        typed: Callable[[], None],
        edited: Callable[[], None],
        view: str = "movement",
    ) -> None:
        self._state, self._typed, self._edited = state, typed, edited
        self.large = False
        self._at: int | None = None  # step; None: the last
        self.readings: list[Reading] = []
        self._labels: list[str] = []  # what distinguishes each of them
        self._total: float = 0
        self.differing: set[str] = set()  # items that some readings use more often than others
        self.view: Segmented = segmented("View", VIEWS, view)
        self.view.param.watch(lambda _: self.refresh(), "value")
        self.sentence = pmui.TextInput(
            label="Sentence",
            value=" ".join(state.sentence),
            size="small",
            sizing_mode="stretch_width",
            margin=0,
            sx={"& input": {"unicodeBidi": "plaintext", "fontSize": "13.5px", "paddingInline": "10px"}},
        )
        self.sentence.param.watch(self._key, "value_input")
        self._badge = Html("", _BELOW, align="center")
        self._picture = DerivationView(
            self._on_message, state=_nothing(), sizing_mode="stretch_both", margin=0
        )
        top = pn.Row(
            self.sentence,
            self._badge,
            sizing_mode="stretch_width",
            margin=0,
            styles={"gap": "10px", "align-items": "center"},
        )
        self.enlarge = icon_button("Enlarge the derivation", "screen", self.turn_large)
        tools = pn.Row(self.view, self.enlarge, margin=0, styles={"gap": "6px", "align-items": "center"})
        in_one_column = {"--ot-card-height": "620px"}  # as high as a tree needs in a narrow window
        self.card = Card("Derivation", top, self._picture, action=tools, menu=False, styles=in_one_column)

    @property
    def derivation(self) -> Derivation | None:
        """The derivation shown."""
        return self.readings[self._chosen].derivation if self.readings else None

    @property
    def _chosen(self) -> int:
        """Which of the readings listed now is shown."""
        return min(self._state.reading - self._first, len(self.readings) - 1)

    @property
    def _first(self) -> int:
        """The number of readings before those listed now."""
        return self._state.reading // READINGS * READINGS

    def turn_large(self) -> None:
        """Let the card fill the window, or return it to its place."""
        self.large = not self.large
        name = "Back to the lab" if self.large else "Enlarge the derivation"
        self.enlarge.param.update(label=name, description=name)
        self.card.fill_window(self.large)

    def choose(self, words: tuple[str, ...]) -> None:
        """Show another sentence."""
        self._state.sentence, self._state.reading, self._at = words, 0, None
        self.show_sentence()
        self.refresh()

    def show_sentence(self) -> None:
        """Write the selected sentence into the field."""
        text = " ".join(self._state.sentence)
        if self.sentence.value != text or self.sentence.value_input != text:
            self.sentence.param.update(value=text, value_input=text)

    def refresh(self) -> None:
        """Parse the sentence with the present probabilities and draw it."""
        if _words(self.sentence.value_input) != self._state.sentence:  # it is pronounced in another way now
            self.show_sentence()
        try:
            self._show(self._state.parsed(self._state.sentence))
        except InputError as error:
            self.readings, self.differing = [], set()
            self._badge.show(Badge("too large", "bad").html())
            self._picture.state = {**_nothing(), "picture": f"<h3>{escape(str(error))}</h3>"}

    def _show(self, parsed: Parse) -> None:
        unasked = not self._state.sentence and not parsed.derivations
        self._badge.show("" if unasked else _badge(parsed).html() + _entropy(parsed))
        self._total = parsed.derivations
        self.readings = self._listed(parsed)
        self.differing = _unequal([Counter(r.derivation.texts) for r in self.readings])
        diagnosis = parsed.diagnosis()
        if diagnosis is not None:
            self._picture.state = {**_nothing(), "picture": self._why_not(diagnosis)}
        else:
            self._picture.state = self._drawn()

    def _listed(self, parsed: Parse) -> list[Reading]:
        """Return the readings of the page that the chosen one is on."""
        readings = parsed.best(self._first + READINGS)
        if self._first >= len(readings):  # there are fewer readings than before
            self._state.reading = 0
            readings = readings[:READINGS]
        labels = _labels_of([r.derivation for r in readings])
        self._labels = [with_minus(label, self._state.lexicon) for label in labels[self._first :]]
        return readings[self._first :]

    def _why_not(self, diagnosis: Diagnosis) -> str:
        """Return why the sentence has no derivation, or what to do while there is none yet."""
        state = self._state
        if not state.lexicon.items:
            return (
                "<h3>No grammar yet</h3><p>Type an item and its features into the lexicon at the left, "
                "or press Edit as text and paste a lexicon.</p>"
            )
        if not state.sentence:
            words = "<h3>Type a sentence to see its derivations</h3>"
            return words + _offers("Sentences of this grammar: press one to parse it", self._sentences())
        meant = cleaned(state.sentence, state.grammar.vocabulary)
        offer = _offers("Without capitals and punctuation: press to parse it", [meant]) if meant else ""
        return offer + with_minus(_diagnosis_html(diagnosis, state.sentence), state.lexicon)

    def _sentences(self) -> list[Words]:
        """Return a few sentences of the grammar, drawn at random."""
        state = self._state
        if state.fault:
            return []
        made = generate(
            state.lexicon, 12, theta=state.theta, seed=1, most_attempts=MOST_ATTEMPTS, most_words=8
        )
        return sorted({words for words in made.sentences if words}, key=lambda words: (-len(words), words))[
            :4
        ]

    def _drawn(self) -> dict[str, Any]:
        derivation = self.derivation
        if derivation is None:  # it has some, none of which is possible any longer
            return {**_nothing(), "picture": _IMPOSSIBLE}
        made = steps(derivation)[:-1]
        at = len(made) - 1 if self._at is None else min(self._at, len(made) - 1)
        return {
            "readings": [self._card(i, r) for i, r in enumerate(self.readings)],
            **self._pages(),
            "hue": self._state.hue,
            "picture": self._draw(derivation, made, at),
            "steps": ["move" if s.rule == "Move" else "merge" for s in made[:_MOST_DOTS]],
            "at": at,
            "caption": unbroken(with_minus(_caption(made, at), self._state.lexicon)),
            "equation": unbroken(with_minus(parted(made[at].equation), self._state.lexicon)) if made else "",
        }

    def _pages(self) -> dict[str, Any]:
        """Return which of the readings are listed, where there are more than fit."""
        if self._total <= READINGS:
            return {"pages": 0, "page": 0, "where": ""}
        endless = self._total == math.inf
        pages = self._first // READINGS + 2 if endless else -(-int(self._total) // READINGS)
        last = self._first + len(self.readings)
        total = "∞" if endless else f"{self._total:,}"
        where = f"{self._first + 1}–{last} of {total}"
        return {"pages": min(pages, MOST_PAGES), "page": self._first // READINGS, "where": where}

    def _card(self, index: int, reading: Reading) -> dict[str, Any]:
        return {
            "name": f"{'Reading ' if self._total <= 2 else ''}{self._first + index + 1}",
            "detail": self._labels[index],
            "percent": percent_text(reading.posterior, 0),
            "share": round(reading.posterior, 4),
            "chosen": index == self._chosen,
        }

    def _draw(self, derivation: Derivation, made: list[Step], at: int) -> str:
        view = self.view.value
        highlight = [i for i, text in enumerate(derivation.texts) if text in self.differing]
        if view in TREE_VIEWS:
            node = made[at].node if made and at < len(made) - 1 else None
            drawing = draw(derivation, view, node)
            # A partial derivation has fewer words; their places in the sequence shift.
            marked = highlight if node is None else []
            # The browser shows the one that suits the available space.
            return "".join(tree_svg(drawing, highlight=marked, spacing=s) for s in SPACINGS)
        if view == "steps":
            return unbroken(with_minus(_steps_html(steps(derivation), at), self._state.lexicon))
        theta = dict(zip(self._state.lexicon.texts, self._state.theta, strict=True))
        return _sequence_html(sequence(derivation, theta), self.differing)

    def _on_message(self, data: dict[str, Any]) -> None:
        kind = data["kind"]
        if kind == "step":
            self._at = int(data["at"])
            self.refresh()
        elif kind == "add":
            self._state.add_item(str(data["item"]))
            self._edited()
        elif kind == "say":
            self.choose(_words(data["text"]))
            self._typed()
        elif kind == "export":
            self._export(str(data["format"]))
        else:
            first = self._first + READINGS * int(data.get("by", 0))
            self._state.reading, self._at = max(0, first) + int(data.get("at", 0)), None
            self.refresh()
            self._typed()

    def _export(self, key: str) -> None:
        """Send the tree on the page to the browser, to be copied or saved."""
        name, data = tree_file(self.derivation, key, self.view.value, self._state.file_name)
        view = VIEWS[view_for(key, self.view.value)]
        if key in ("svg", "png"):
            encoded = base64.b64encode(data).decode()
            self._picture.hand_over({"name": name, "data": encoded, "message": f"{view} saved"})
        else:
            message = f"{view} copied as {FORMATS[key][0]}"
            self._picture.hand_over({"copy": data.decode(), "message": message})

    def _key(self, event: Any) -> None:
        words = _words(event.new)
        if words != self._state.sentence:
            self._state.sentence, self._state.reading, self._at = words, 0, None
            self.refresh()
            self._typed()


def _words(typed: object) -> Words:
    return tuple(composed(str(typed)).split())


def cleaned(words: Words, known: Collection[str]) -> Words:
    """Return a sentence with words written as in the lexicon; empty if that does not help.

    Parameters
    ----------
    words
        As typed: ``What did you see?``
    known
        The words of the lexicon.
    """
    known_forms = []
    for word in words:
        bare = word.strip(_PUNCTUATION)
        forms = (word, bare, bare.lower(), bare.capitalize(), word.lower())
        known_forms.append(next((form for form in forms if form in known), bare))
    sentence = tuple(word for word in known_forms if word)
    return sentence if sentence != words and sentence and all(w in known for w in sentence) else ()


def _labels_of(derivations: list[Derivation]) -> tuple[str, ...]:
    """Return what distinguishes each reading: its words, if they are pronounced alike but differ."""
    if len({d.words for d in derivations}) > 1:
        return tuple(f"*{' '.join(d.words)}*" for d in derivations)
    return reading_labels(derivations) if derivations else ()


def _offers(title: str, sentences: list[Words]) -> str:
    """Return sentences as buttons that put them into the field."""
    texts = [escape(" ".join(words)) for words in sentences]
    buttons = "".join(f'<button type="button" class="form offer" data-say="{t}">{t}</button>' for t in texts)
    return f'<h3>{escape(title)}</h3><div class="strip">{buttons}</div>' if buttons else ""


def _unequal(bags: list[Counter[str]]) -> set[str]:
    """Return the elements that some bags hold more often than others."""
    return {text for bag in bags for text in bag if any(other[text] != bag[text] for other in bags)}


def _nothing() -> dict[str, Any]:
    return {
        "readings": [],
        "pages": 0,
        "page": 0,
        "where": "",
        "hue": "vb",
        "picture": "",
        "steps": [],
        "at": 0,
        "caption": "",
        "equation": "",
    }


def _badge(parsed: Parse) -> Badge:
    n = parsed.derivations
    if n == 0:
        return Badge("not in the language", "bad")
    if n == math.inf:
        return Badge("∞ derivations", "warn")
    shown = f"{n:,}" if n < 10**7 else f"{float(n):.2e}"
    return Badge(f"{shown} derivation{'s' if n > 1 else ''}", "good")


def _entropy(parsed: Parse) -> str:
    """Return the entropy of the readings, where there are several that are possible."""
    if parsed.derivations < 2 or parsed.log_probability == -math.inf:
        return ""
    return f' <span class="remark">{term("reading entropy", "entropy")} {parsed.reading_entropy():.2f}</span>'


def _caption(made: list[Step], at: int) -> str:
    if not made:
        return ""
    step = made[at]
    return f"Step {at + 1} of {len(made)}. {step.rule}: {step.what}."


def _steps_html(made: list[Step], at: int) -> Markup:
    rows = []
    for i, step in enumerate(made):
        equation = parted(step.equation) if step.inputs else ""
        cells = [td(step.number), td(step.rule, "rule"), td(step.what), td(equation, "form")]
        rows.append(tr(cells, "here" if i == at else ""))
    heads = ["", "Rule", "What happens", "Expressions and what they make"]
    return table(heads, rows, kind="steps")


def _sequence_html(items: list[tuple[str, float | None]], marked: set[str]) -> Markup:
    rows = []
    for i, (text, p) in enumerate(items, 1):
        cells = [td(i), td(text, "form"), td("" if p is None else f"{p:.3f}", "num")]
        rows.append(tr(cells, "mark" if text in marked else ""))
    return table([], rows)


def _diagnosis_html(diagnosis: Diagnosis, words: tuple[str, ...]) -> str:
    """Return the reason, the longest finished constituents, and items that would complete the parse."""
    first, *rest = diagnosis.lines
    strip = "".join(
        f'<span class="piece {"whole" if p.category else ""}">'
        f"{f'<small>{escape(p.category)}</small>' if p.category else ''}"
        f"{escape(' '.join(words[p.begin : p.end]))}</span>"
        for p in diagnosis.pieces
    )
    further = "".join(f"<li>{cited(line)}</li>" for line in rest)
    enough = "".join(
        f'<button type="button" class="form" data-add="{item}" title="Add to the lexicon">+ {item}</button>'
        for item in map(escape, diagnosis.suggestions)
    )
    add = (
        f'<h3>Adding one of these items would make it grammatical</h3><div class="strip">{enough}</div>'
        if enough
        else ""
    )
    reason = cited(first[:1].upper() + first[1:])
    return f'<h3>{reason}</h3><div class="strip">{strip}</div><ul>{further}</ul>{add}'
