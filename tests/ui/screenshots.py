"""Take the fixed set of pictures into ``docs/screenshots``: ``make screenshots``, or some of them by name.

Each ``states_<lab>.py`` beside this file lists that lab's states. A picture is also
checked as in the layout tests; complaints are printed and make the command fail.

    python -m tests.ui.screenshots               # all
    python -m tests.ui.screenshots ot_ home      # those whose names begin so
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tests.ui import layout
from tests.ui.browser import ROOT, Visit, launched, serving

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = ROOT / "docs" / "screenshots"


def nothing(page: Any) -> None:
    """Leave the page as it opens."""


@dataclass(frozen=True)
class State:
    """One picture.

    Attributes
    ----------
    name
        Its file's name.
    path
        Address on the server, with the settings in its query.
    steps
        Bring the page there, waiting for what can be seen.
    size, dark
        Of the window; mode.
    """

    name: str
    path: str
    steps: Callable[[Any], None] = nothing
    size: tuple[int, int] = (1440, 900)
    dark: bool = False


def states() -> list[State]:
    """Return the states of every lab."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("states_*.py"))
    return [state for module in modules for state in import_module(f"tests.ui.{module}").STATES]


def save(png: bytes, path: Path) -> None:
    """Write a picture with 256 colours of its own: a third of the size, to the eye the same.

    Half of them are its commonest, kept exactly; the others cover what is rare.
    """
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    rare = picture.quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    pixels = np.asarray(picture).reshape(-1, 3)
    colours, place, often = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    palette = np.concatenate([colours[np.argsort(-often)[:128]], np.reshape(rare, (-1, 3))[:128]])
    apart = np.abs(colours[:, None].astype(int) - palette[None].astype(int)).max(axis=2)
    nearest = apart.argmin(axis=1).astype(np.uint8)[place].reshape(picture.height, picture.width)
    fewer = Image.fromarray(nearest)
    fewer.putpalette(palette.astype(np.uint8).tobytes())
    fewer.save(path, optimize=True)


def take(browser: Any, url: str, state: State, folder: Path = FOLDER) -> list[str]:
    """Take one picture; return the layout's complaints."""
    visit = Visit(browser, state.size, reduced_motion="reduce")
    visit.context.add_cookies([{"name": "otlab_dark", "value": str(int(state.dark)), "url": url}])
    page = visit.open(url + state.path)
    state.steps(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(600)  # the last frame: fonts, colours and the menus of cards have settled
    page.get_by_text("Saving…").wait_for(state="hidden")
    save(page.screenshot(), folder / f"{state.name}.png")
    complaints = layout.faults(page)
    visit.close()
    return complaints


def main(names: list[str]) -> int:
    """Take the pictures whose names begin with one of `names`, or all."""
    chosen = [s for s in states() if not names or s.name.startswith(tuple(names))]
    FOLDER.mkdir(parents=True, exist_ok=True)
    bad = 0
    with serving("otlab", "serve", "--no-browser", "--port", "{port}") as url, launched() as browser:
        for state in chosen:
            complaints = take(browser, url, state)
            bad += len(complaints)
            sys.stdout.write("\n    ".join([state.name, *complaints]) + "\n")
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
