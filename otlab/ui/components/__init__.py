"""Our own components in the browser: plain elements, so that roles, names and focus are real.

Each is a file of JavaScript beside this one with one ``render({model, el})``; all
share ``common.js`` (an element maker, number formats, the icons). A component
sends ``model.send_msg(...)`` rather than setting a property: messages skip the
50 ms in which properties are gathered.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from otlab.ui.icons import ICONS, LOGO

__all__ = ["esm"]

_HERE = Path(__file__).resolve().parent


@cache
def esm(name: str, folder: Path = _HERE) -> str:
    """Return the module ``name.js`` with the shared helpers in front of it.

    Parameters
    ----------
    name
        File name without its ending.
    folder
        Where it lies; a lab keeps its own components beside its Python.
    """
    common = (_HERE / "common.js").read_text(encoding="utf-8")
    body = (folder / f"{name}.js").read_text(encoding="utf-8")
    return f"const ICONS = {json.dumps(ICONS)};\nconst LOGO = {json.dumps(LOGO)};\n{common}\n{body}"
