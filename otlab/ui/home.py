"""The home page: a card for each lab that is there, and a place to drop one's own data."""

from __future__ import annotations

import base64
from html import escape
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from otlab.ui import shell, stash, warm
from otlab.ui.cards import html
from otlab.ui.components import esm
from otlab.ui.recognise import recognise
from otlab.ui.registry import LabEntry, labs
from otlab.ui.theme import BASE

__all__ = ["home_page"]

_CSS = """
.home { max-width: 1304px; margin: 0 auto; padding: 36px 0 18px; }
.home h1 { font-size: 30px; font-weight: 680; letter-spacing: -.01em; line-height: 1.2; }
.home > p { margin-top: 8px; font-size: 15px; color: var(--ot-ink2); }
.labs { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 18px; margin-top: 24px; list-style: none; }
.lab { display: flex; flex-direction: column; height: 352px; background: var(--ot-surface); border: 1px solid var(--ot-line); border-radius: 12px;
  overflow: hidden; text-decoration: none; color: var(--ot-ink); transition: border-color 120ms ease-out; }
.lab:hover { border-color: var(--ot-accent); box-shadow: inset 0 0 0 1px var(--ot-accent); }
.lab .picture { background: var(--ot-inset); border-bottom: 1px solid var(--ot-line); padding: 4px 12px; }
.lab .words { display: flex; flex-direction: column; flex: 1; padding: 16px 18px; }
.lab h2 { font-size: 17px; font-weight: 650; }
.lab p { margin-top: 8px; color: var(--ot-ink2); font-size: 13.5px; line-height: 1.5; }
.lab .open { display: flex; align-items: center; gap: 12px; margin-top: auto; color: var(--ot-ink3); }
.lab .open b { border: 1px solid var(--ot-ctl); border-radius: 8px; padding: 7px 14px; color: var(--ot-ink); font-weight: 600; line-height: 1.3;
  transition: background-color 120ms ease-out; }
.lab:hover .open b, .lab:focus-visible .open b { background: var(--ot-accent); border-color: var(--ot-accent); color: var(--ot-on); }
svg .con { font-size: 15px; } svg .word { font: 11.5px var(--ot-ui); } svg .node { font: 550 13px var(--ot-ui); }
svg .phone { font: 16px var(--ot-forms); }
"""


class DropZone(pn.custom.JSComponent):
    """Takes a file or a pasted table, and opens the lab it belongs to."""

    message = param.String(doc="What went wrong with the last file.")
    formats = param.String()

    _esm = esm("drop_zone")
    _stylesheets: ClassVar[list[str]] = [BASE]

    def _handle_msg(self, data: dict[str, str]) -> None:
        content = base64.b64decode(data["data"])
        route = recognise(data["name"], content[:8192])
        if route not in {entry.route for entry in labs()}:
            self.message = f"{data['name']} is in no format that a lab here reads. Nothing was loaded."
            return
        self.message = ""
        self._send_msg({"open": f"./{route}?file={stash.keep(data['name'], content)}"})


def _card(entry: LabEntry) -> str:
    return (
        f'<li><a class="lab" href="./{entry.route}" aria-label="Open {escape(entry.title)}">'
        f'<div class="picture">{entry.miniature}</div><div class="words"><h2>{escape(entry.title)}</h2>'
        f'<p>{escape(entry.blurb)}</p><span class="open"><b>Open</b>starts with {escape(entry.starts_with)}</span></div></a></li>'
    )


def _words() -> str:
    cards = "".join(_card(entry) for entry in labs())
    return (
        '<div class="home"><h1>Watch a grammar being learnt</h1><p>Bring a tableau, a lexicon, a corpus or a recording, '
        f'or start with a published example. Everything runs on this computer.</p><ul class="labs">{cards}</ul></div>'
    )


def home_page() -> pmui.Page:
    """Return the page at ``/``."""
    warm.start()
    dark = shell.prefers_dark()

    def follow(on: bool) -> None:
        with pn.io.hold():
            bar.dark = page.dark_theme = on

    bar = shell.AppBar(
        lambda _: None, follow, labs=shell.lab_links(""), dark=dark, sizing_mode="stretch_width", margin=0
    )
    formats = "OTSoft, Praat, CSV, Excel, .mg, CoNLL-U, TextGrid, WAV, FLAC"
    zone = DropZone(
        formats=formats,
        sizing_mode="stretch_width",
        margin=0,
        styles={"max-width": "1304px", "margin": "0 auto"},
    )
    content: Any = pn.Column(
        html(_words(), _CSS, sizing_mode="stretch_width"), zone,
        sizing_mode="stretch_width", margin=0, styles={"padding": "0 28px 28px"},
    )  # fmt: skip
    page = shell.page(bar, shell.only(content), "Home", dark)
    return page
