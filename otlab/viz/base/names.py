r"""Format names as linguists print them: forms in a serif font with full IPA, constraints in small capitals.

The part of a constraint's name after its first inner underscore is a subscript: ``I_BR`` is displayed as
I with the subscript BR. All functions escape their input, so a name may have any character.
"""

from __future__ import annotations

import re

from otlab.html import Markup, element, escape
from otlab.ot.formatting import slashed
from otlab.viz.base.css import sheet

__all__ = [
    "NAMES_CSS",
    "constraint_html",
    "constraint_svg",
    "constraint_text",
    "form_html",
    "input_html",
    "name_parts",
]

NAMES_CSS = sheet("names")

_SUBSCRIPT = re.compile(r"^([^_]*[^_\s])_\{?([^\s{}]+?)\}?$", re.DOTALL)


def name_parts(name: str) -> tuple[str, str]:
    """Split a name into its stem and its subscript."""
    match = _SUBSCRIPT.match(name)
    return (match[1], match[2]) if match else (name, "")


def constraint_text(name: str) -> str:
    """Return the name as plain text, with a space in place of the underscore.

    >>> constraint_text("I_BR")
    'I BR'
    """
    return " ".join(part for part in name_parts(name) if part)


def constraint_html(name: str) -> Markup:
    """Return a constraint's name as HTML.

    >>> print(constraint_html("I_BR"))
    <span class="ot-c">I<sub>BR</sub></span>
    >>> print(constraint_html("*<b>"))
    <span class="ot-c">*&lt;b&gt;</span>
    """
    stem, below = name_parts(name)
    return element("span", escape(stem) + (element("sub", below) if below else ""), class_="ot-c")


def constraint_svg(name: str) -> Markup:
    """Return a constraint's name as the content of an SVG ``<text>``.

    The subscript is lowered by ``dy``, because not all browsers support ``baseline-shift``.

    >>> print(constraint_svg("I_BR"))
    I<tspan dy="0.28em" font-size="78%">BR</tspan>
    """
    stem, below = (escape(part) for part in name_parts(name))
    return stem + element("tspan", below, dy="0.28em", font_size="78%") if below else stem


def form_html(form: str) -> Markup:
    """Return a candidate as HTML.

    >>> print(form_html("bu.bwa.ja"))
    <span class="ot-form">bu.bwa.ja</span>
    """
    return element("span", form, class_="ot-form")


def input_html(form: str) -> Markup:
    """Return an input between slashes, which are added if they are missing.

    >>> input_html("HRED-bwaja") == input_html("/HRED-bwaja/")
    True
    """
    return element("span", slashed(form), class_="ot-form")
