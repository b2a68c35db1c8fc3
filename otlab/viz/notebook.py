"""Show derivations and parses as trees in a notebook.

IPython calls these functions when a cell ends with such an object. They are not methods in ``otlab.mg``
because a system does not import pictures. ``import otlab`` in a notebook registers them by name, so
that nothing is loaded before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.html import escape

if TYPE_CHECKING:
    from otlab.mg.derivation import Derivation
    from otlab.mg.parsing.parse import Parse

__all__ = ["derivation_html", "parse_html", "register"]

READINGS_SHOWN = 3


def derivation_html(derivation: Derivation) -> str:
    """Return the derived tree of a derivation with its movements, as SVG."""
    from otlab.mg.views.show import draw
    from otlab.viz.base.tokens import LIGHT
    from otlab.viz.mg.tree import tree_svg

    colours = ";".join(f"--ot-{name}:{value}" for name, value in LIGHT.items())
    return f'<div style="{colours};background:{LIGHT["surface"]}">{tree_svg(draw(derivation))}</div>'


def parse_html(parse: Parse) -> str:
    """Return the number of derivations of a sentence, and the trees of the three most probable, as HTML."""
    heading = f"<p>{escape(repr(parse).strip('<>'))}</p>"
    trees = (
        f"<figure><figcaption>{reading.posterior:.1%}</figcaption>{derivation_html(reading.derivation)}</figure>"
        for reading in parse.best(READINGS_SHOWN)
    )
    return heading + "".join(trees)


def register(shell: Any) -> None:
    """Register the display of derivations and parses with an IPython shell."""
    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("otlab.mg.derivation", "Derivation", derivation_html)
    formatter.for_type_by_name("otlab.mg.parsing.parse", "Parse", parse_html)
