"""A result of the grammar lab as one page of HTML: derivations step by step, and the lexicon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from otlab.errors import counted
from otlab.html import Markup, element, joined, table, td, th, tr
from otlab.mg.views.show import draw, steps
from otlab.viz.base.numbers import percent_text, probability_text
from otlab.viz.base.page import Section, live_part, page, provenance_sections
from otlab.viz.mg.tree import tree_svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from otlab.mg.lexicon import Lexicon
    from otlab.mg.parsing.parse import Parse, Reading

__all__ = ["readings_section", "result_page"]

MOST_READINGS = 3
MOST_CHARACTERS = 1_000_000  # of all drawings together; further sentences are left out
MOST_ITEMS = 1_000
MOST_STEPS = 60


def result_page(
    lexicon: Lexicon,
    theta: np.ndarray,
    parses: Iterable[Parse],
    *,
    intervals: tuple[np.ndarray, np.ndarray] | None = None,
    made: Mapping[str, Mapping[str, str]] | None = None,
    link: str = "",
    title: str = "",
    point: str = "",
    mark: str = "",
) -> str:
    """Return a lexicon with its probabilities and derivations as one self-contained page of HTML.

    Parameters
    ----------
    lexicon
        The lexicon.
    theta : ndarray of shape (items,)
        The probability of each item within its category.
    parses
        Sentences parsed with these probabilities. Those without a derivation are left out, and those
        whose drawings would be too large.
    intervals
        Lower and upper ends of the intervals of the probabilities.
    made
        Seed, settings and versions that reproduce each learner's run.
    link
        Path and query with which the grammar lab opens the same lexicon; no link if empty.
    title
        Heading of the page; the title or name of the data if empty.
    point
        What the probabilities are, such as "posterior mean of VB".
    mark
        Why they may not be used yet; empty if they may.

    Examples
    --------
    >>> import otlab
    >>> from otlab.mg import parse
    >>> from otlab.mg.parsing.grammar import Grammar
    >>> wh = otlab.load_sample("figure1_wh")
    >>> parsed = parse(wh, "what did you see")
    >>> result_page(wh, parsed.theta, [parsed]).startswith("<!DOCTYPE html>")
    True
    """
    sentences = _sentences(parses)
    sections = []
    if sentences:
        words = "step by step: the slider, its arrow keys, or Play"
        live = (("player", {"sentences": sentences}),)
        words += f"; with the {point}" if point else ""
        sections.append(Section("Derivations", live_part("player"), words, wide=True, live=live, mark=mark))
    sections.append(_lexicon_section(lexicon, theta, intervals, point, mark))
    sections += provenance_sections("grammar lab", made, link)
    return page(
        title or lexicon.title or lexicon.name or "A lexicon",
        sections,
        subtitle=f"A minimalist lexicon of {counted(len(lexicon), 'item')}",
    )


def readings_section(parse: Parse) -> Section:
    """Return a card with the best readings of a sentence, step by step unless there are too many steps."""
    title, sentences = " ".join(parse.words), _sentences([parse])
    if sentences:
        return Section(title, live_part("player"), wide=True, live=(("player", {"sentences": sentences}),))
    best = parse.best(MOST_READINGS)
    drawn = [
        element(
            "figure", Markup(tree_svg(draw(reading.derivation, "movement"))) + element("figcaption", caption)
        )
        for k, reading in enumerate(best)
        for caption in [
            f"Reading {k + 1}, {percent_text(reading.posterior, 0)}" if len(best) > 1 else "The reading"
        ]
    ]
    return Section(title, element("div", joined(drawn), class_="trees scroll"), wide=True)


def _sentences(parses: Iterable[Parse]) -> list[dict[str, Any]]:
    """Return each sentence with its readings and their steps, up to the limit of drawings."""
    found: list[dict[str, Any]] = []
    room = MOST_CHARACTERS
    for parse in parses:
        best = parse.best(MOST_READINGS)
        readings = [_reading(reading, k, len(best)) for k, reading in enumerate(best)]
        size = sum(len(step["svg"]) for reading in readings for step in reading["steps"])
        if not readings or size > room:
            continue
        room -= size
        found.append({"name": " ".join(parse.words) or "ε", "readings": readings})
    return found


def _reading(reading: Reading, number: int, of: int) -> dict[str, Any]:
    made = steps(reading.derivation)[:-1]
    last = len(made) - 1
    shown = [k for k in range(len(made)) if len(made) <= MOST_STEPS or k == last]
    drawn = [
        {
            "svg": tree_svg(draw(reading.derivation, "movement", made[k].node if k < last else None)),
            "caption": f"Step {k + 1} of {len(made)}. {made[k].rule}: {made[k].what}.",
        }
        for k in shown
    ]
    if not drawn:
        drawn = [{"svg": tree_svg(draw(reading.derivation, "movement")), "caption": "One lexical item."}]
    name = f"Reading {number + 1}, {percent_text(reading.posterior, 0)}" if of > 1 else "The reading"
    return {"name": name, "steps": drawn}


def _lexicon_section(
    lexicon: Lexicon,
    theta: np.ndarray,
    intervals: tuple[np.ndarray, np.ndarray] | None,
    point: str,
    mark: str,
) -> Section:
    """Return the items of each category, the most probable first."""
    category = np.asarray(lexicon.category_index)
    order = np.lexsort((-theta, category))[:MOST_ITEMS]
    rows = []
    for i in order:
        cells: Sequence[Any] = [th(lexicon.texts[i], scope="row"), td(probability_text(float(theta[i])))]
        if intervals is not None:
            low, high = (float(end[i]) for end in intervals)
            cells = [*cells, td(f"{low:.2f}–{high:.2f}")]
        rows.append(tr(cells))
    shown = f", {point}" if point else ""
    heads = [
        "Item",
        f"Probability in its category{shown}",
        *(["95 % interval"] if intervals is not None else []),
    ]
    inside = element("div", table(heads, rows, label="Lexicon", kind="plain"), class_="scroll")
    left = len(theta) - len(order)
    remark = f"{counted(left, 'further item')} {'is' if left == 1 else 'are'} left out" if left else ""
    return Section("Lexicon", inside, remark, wide=True, mark=mark)
