"""Write a result as a single HTML page, which needs no Python, server or network.

::

    page("Spanish diminutives", [Section("Posterior", svg)], subtitle="30 words")

The colours are those of the labs, light or dark as the reader's system prefers, with a button to change
between them. The page's Content-Security-Policy forbids all requests.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otlab.html import Markup, element, escape, joined, table, td, th, tr
from otlab.viz.base.css import sheet
from otlab.viz.base.js import script
from otlab.viz.base.tokens import CODE, DARK, FORMS, LIGHT, UI, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "MOST_BYTES",
    "Section",
    "colours",
    "component_script",
    "live_part",
    "open_again",
    "page",
    "provenance_sections",
    "swatches",
]

MOST_BYTES = 1_500_000

_LONG = 400  # characters; a longer text that occurs several times in the data is written once

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'


@dataclass(frozen=True)
class Section:
    """A card of the page.

    Attributes
    ----------
    title
        Heading.
    body
        Content, as HTML.
    remark
        Secondary text beside the title.
    legend
        Legend at the right of the heading, as HTML.
    wide
        Whether the card has the full width of the page.
    live
        Name and data of each interactive part, in the order of the :func:`live_part` in the body.
    mark
        Why what it shows may not be used yet, such as "Gibbs: not converged"; empty if it may.
    """

    title: str
    body: Markup
    remark: str = ""
    legend: Markup = Markup("")  # noqa: RUF009 - immutable
    wide: bool = False
    live: tuple[tuple[str, Any], ...] = ()
    mark: str = ""

    def html(self) -> Markup:
        """Return the card as HTML."""
        head = element("h2", self.title)
        head += element("span", self.remark, class_="remark") if self.remark else Markup("")
        head += element("span", self.mark, class_="unsettled") if self.mark else Markup("")
        head += element("span", self.legend, class_="legend") if self.legend else Markup("")
        inside = element("header", head) + element("div", self.body, class_="body")
        return element("section", inside, class_="wide" if self.wide else "", aria_label=self.title)


def page(
    title: str,
    sections: Iterable[Section],
    *,
    subtitle: str = "",
    styles: Sequence[str] = (),
) -> str:
    """Return a complete HTML page.

    Parameters
    ----------
    title, subtitle
        Headings of the page.
    sections
        Cards, in reading order.
    styles
        Style sheets for the cards.
    """
    sections = list(sections)
    live: dict[str, list[Any]] = {}
    for name, data in (part for section in sections for part in section.live):
        live.setdefault(name, []).append(data)
    texts = Counter(_long_texts(live))
    shared = [text for text, times in texts.items() if times > 1]
    values = _sharing(live, {text: place for place, text in enumerate(shared)})
    # Inside HTML, SVG needs no namespace; without it the page contains no web address.
    cards = joined(section.html() for section in sections).replace(_NAMESPACE, "")
    data = json.dumps({**values, "texts": shared}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    data = data.replace(json.dumps(_NAMESPACE)[1:-1], "")
    code = [
        f"const DATA = {data.replace('<', chr(92) + 'u003c')}\nconst ICONS = {{}}",
        script("common"),
        script("page"),
        *(text for name in live for text in _SCRIPTS[name]()),
    ]
    css = [colours(), sheet("page"), *(style.replace(":host", ".host") for style in styles)]
    heading = element("h1", title) + (element("p", subtitle) if subtitle else Markup(""))
    switch = element("button", "Dark", type="button", id="mode", aria_pressed="false")
    body = (
        element("header", element("div", heading) + switch, class_="top")
        + element("main", Markup(cards))
        + element("script", Markup("\n".join(code)))
    )
    head = (
        Markup('<meta charset="utf-8">')
        + Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">')
        + Markup('<meta name="viewport" content="width=device-width, initial-scale=1">')
        + element("title", title)
        + element("style", Markup("\n".join(css)))
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def live_part(name: str) -> Markup:
    """Return the placeholder of an interactive part, whose data are in :attr:`Section.live`.

    Parameters
    ----------
    name
        ``"line"`` for the ranking line, ``"player"`` for derivations step by step, ``"segments"`` for
        utterances that are cut at a threshold.
    """
    return element("div", "", data_part=name)


_SCRIPTS: dict[str, Callable[[], list[str]]] = {
    "line": lambda: [
        script("probability"),
        component_script("rankingLine", script("ranking_line")),
        script("ot_page"),
    ],
    "player": lambda: [script("player")],
    "segments": lambda: [script("segments")],
}


def _long_texts(value: Any) -> Iterator[str]:
    """Yield the long texts in values for JSON."""
    if isinstance(value, str) and len(value) > _LONG:
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _long_texts(each)
    elif isinstance(value, list | tuple) and not (value and isinstance(value[0], int | float)):
        for each in value:
            yield from _long_texts(each)


def _sharing(value: Any, places: Mapping[str, int]) -> Any:
    """Return values for JSON in which shared texts are replaced by their indices."""
    if isinstance(value, str):
        return {"text": places[value]} if value in places else value
    if isinstance(value, dict):
        return {name: _sharing(each, places) for name, each in value.items()}
    if isinstance(value, list | tuple) and not (value and isinstance(value[0], int | float)):
        return [_sharing(each, places) for each in value]
    return value


def component_script(name: str, code: str) -> str:
    """Return a component of the labs as a JavaScript function with this name, for ``component``."""
    return f"const {name} = (() => {{\n{code.replace('export function', 'function')}\nreturn render\n}})()"


def colours() -> str:
    """Return the tokens as CSS variables: light, or dark if the system or the button asks for it."""
    fonts = f"--ot-ui:{UI};--ot-forms:{FORMS};--ot-code:{CODE};"
    dark = _variables(DARK) + "color-scheme:dark;"
    return (
        f":root{{{fonts}{_variables(LIGHT)}color-scheme:light;}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not(.light){{{dark}}}}}\n"
        f"@media screen{{:root.dark{{{dark}}}}}"
    )


def _variables(tokens: Tokens) -> str:
    return "".join(f"--ot-{name}:{colour};" for name, colour in tokens.items())


def swatches(entries: Iterable[tuple[str, str]]) -> Markup:
    """Return a legend: a coloured square with a label for each (token, label) pair."""
    squares = (
        element("span", element("i", class_="sw", style=f"background:var(--ot-{token})") + escape(words))
        for token, words in entries
    )
    return joined(squares)


def provenance_sections(lab: str, made: Mapping[str, Mapping[str, str]] | None, link: str) -> list[Section]:
    """Return the last cards of a result's page: the settings of each run, and a link to the lab.

    Parameters
    ----------
    lab
        Name of the lab, such as "OT lab".
    made
        Names and values that reproduce each learner's run: seed, settings, versions; no card if empty.
    link
        Path and query of the lab's page; no card if empty.
    """
    sections = [Section("How it was made", _made_by(made), wide=True)] if made else []
    return [*sections, Section("Open in otlab", open_again(lab, link), wide=True)] if link else sections


def _made_by(runs: Mapping[str, Mapping[str, str]]) -> Markup:
    """Return a table of the settings that reproduce each learner's run."""
    names = list(dict.fromkeys(name for values in runs.values() for name in values))
    rows = [
        tr([th(name, scope="row"), *(td(values.get(name, "–")) for values in runs.values())])
        for name in names
    ]
    return element("div", table(["", *runs], rows, label="How it was made", kind="about"), class_="scroll")


def open_again(lab: str, link: str) -> Markup:
    """Return instructions for opening the result in otlab: its link, and a button that copies the link.

    Parameters
    ----------
    lab
        Name of the lab, such as "OT lab".
    link
        Path and query of the lab's page.
    """
    words = (
        "Start otlab (otlab serve), and put this behind the address of its home page. "
        f"It opens the {lab} with these data, settings and seed; then press Run."
    )
    copy = element("button", "Copy", type="button", id="copy")
    return element("p", words) + element("div", element("code", link, tabindex="0") + copy, class_="link")
