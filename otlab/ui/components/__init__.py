"""Our own components in the browser: plain elements, so that roles, names and focus are real.

Each is a file of JavaScript with one ``render({model, el})`` and a style sheet of
the same name; all share the icons, and ``common.js`` of :mod:`otlab.viz.base.js` (an element maker).
A component sends ``model.send_msg(...)`` rather than setting a property: messages
skip the 50 ms in which properties are gathered.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from otlab.ui.components.icons import ICONS, LOGO
from otlab.ui.components.layout import with_widths
from otlab.viz.base.js import script

__all__ = ["esm", "module", "styles", "stylesheet"]

_HERE = Path(__file__).resolve().parent


@cache
def esm(
    name: str, folder: Path = _HERE, *, parts: tuple[str, ...] = (), icons: tuple[str, ...] | None = None
) -> str:
    """Return the module ``name.js`` with the shared helpers in front of it.

    Parameters
    ----------
    name
        File name without its ending.
    folder
        Where it lies, if not here; a lab keeps its own components beside its Python.
    parts
        Names of further files of these folders, put before it, or of the scripts that pages share.
    icons
        The icons it draws; None: any. A component of which a page has many names them, as
        each carries its own copy.
    """
    return module("\n".join(_part(folder, part) for part in (*parts, name)), icons)


def _part(folder: Path, name: str) -> str:
    """Return a script of a folder, or one that pages share."""
    own = _found(folder, f"{name}.js")
    return script(name) if own is None else own.read_text(encoding="utf-8")


def _found(folder: Path, name: str) -> Path | None:
    """Return a file of a folder, or else of this one; None if both lack it."""
    return next((path for path in (folder / name, _HERE / name) if path.exists()), None)


def module(body: str, icons: tuple[str, ...] | None = None) -> str:
    """Return JavaScript with the shared helpers and the icons in front of it."""
    drawn = ICONS if icons is None else {icon: ICONS[icon] for icon in icons}
    logo = LOGO if icons is None else ""
    return f"const ICONS = {json.dumps(drawn)};\nconst LOGO = {json.dumps(logo)};\n{script('common')}\n{body}"


def stylesheet(name: str) -> str:
    """Return the style sheet ``otlab/ui/assets/name.css``."""
    return with_widths((_HERE.parent / "assets" / f"{name}.css").read_text(encoding="utf-8"))


def styles(name: str, folder: Path = _HERE, *parts: str) -> list[str]:
    """Return a component's style sheets: the house's, and those that it and its parts have."""
    own = filter(None, (_found(folder, f"{part}.css") for part in (name, *parts)))
    return [stylesheet("base"), *(with_widths(path.read_text(encoding="utf-8")) for path in own)]
