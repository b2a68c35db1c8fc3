"""Files of the selected derivation, saved by the Data tab and saved or copied by the menu of its card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otlab.errors import InputError
from otlab.mg.views import exports
from otlab.mg.views.show import TREE_VIEWS, draw
from otlab.viz.mg.tree import svg_file, to_png, tree_svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.derivation import Derivation
    from otlab.mg.views.show import TreeView

__all__ = ["FORMATS", "tree_file", "view_for"]

# Name of each format, its file's ending, and the view taken when the one shown is no tree.
FORMATS: dict[str, tuple[str, str, TreeView]] = {
    "svg": ("SVG", ".svg", "movement"),
    "png": ("PNG", ".png", "movement"),
    "forest": ("LaTeX (forest)", "_forest.tex", "movement"),
    "qtree": ("LaTeX (qtree)", "_qtree.tex", "x-bar"),
    "brackets": ("brackets", ".txt", "x-bar"),
    "json": ("JSON", ".json", "derivation"),
}


def view_for(key: str, shown: str) -> TreeView:
    """Return the view that a file shows: the one on the page, if that is a tree."""
    return next((view for view in TREE_VIEWS if view == shown), FORMATS[key][2])


def tree_file(
    derivation: Derivation | None, key: str, shown: str, file_name: Callable[[str, str], str]
) -> tuple[str, bytes]:
    """Return name and content of the file of a derivation.

    Parameters
    ----------
    derivation
        What to save; None for a sentence without one, which the file then says.
    key
        One of :data:`FORMATS`.
    shown
        The view on the page.
    file_name
        Returns the file's name, from what it holds and its ending.
    """
    what, ending = f"derivation{FORMATS[key][1]}".split(".")
    name = file_name(what, ending)
    if derivation is None:
        return name, b"this sentence has no derivation\n"
    view = view_for(key, shown)
    try:
        return name, _content(derivation, key, view)
    except InputError as error:  # too deep for a tree
        return name, f"{error}\n".encode()


def _content(derivation: Derivation, key: str, view: TreeView) -> bytes:
    if key in ("svg", "png"):
        svg = tree_svg(draw(derivation, view))
        return svg_file(svg).encode() if key == "svg" else to_png(svg)
    if key == "json":
        return exports.to_json(derivation).encode()
    makers = {"forest": exports.to_forest, "qtree": exports.to_qtree, "brackets": exports.to_brackets}
    return makers[key](derivation, view).encode()
