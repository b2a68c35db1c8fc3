"""The loading screen of a page: background, the bar with the logo, one sentence.

The server sends it as plain HTML before the scripts that draw the page; `otlab serve` sends it even before
it makes the page, see :func:`send_first`. Its script also tells the visitor later when the connection to
the server is lost, and when the server answers again.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bokeh.server.urls import per_app_patterns
from panel.io.server import DocHandler
from tornado.web import authenticated

from otlab.html import escape
from otlab.ui.components import stylesheet
from otlab.ui.components.icons import LOGO
from otlab.ui.server.registry import labs
from otlab.viz.base.tokens import DARK, LIGHT, UI

if TYPE_CHECKING:
    from bokeh.server.session import ServerSession

    from otlab.viz.base.tokens import Tokens

__all__ = ["DARK_COOKIE", "OPENING_HOME", "OPENING_LAB", "colors", "send_first", "template"]

_log = logging.getLogger(__name__)
DARK_COOKIE = "otlab_dark"
"""The cookie in which a browser keeps its last choice of dark mode."""
OPENING_LAB, OPENING_HOME = "Opening the lab…", "Opening otlab…"
"""The sentence that a page shows until it is drawn."""
_FAILED = "This page could not be made. The terminal in which otlab runs shows why."
_GONE = "The server does not answer. Is otlab still running in the terminal? Then load this page again."
_LOST = "The connection to otlab is lost. The page will say when it is back."
_BACK = "otlab answers again. Load this page to go on: what you edited is saved."
_MISSING = "Parts of this page could not be loaded. Load it again."

# Blocks of Panel's page template: style, markup and script of the loading screen. Bokeh's scripts are moved
# from the head to below the screen, because a browser paints nothing before the head's scripts have arrived.
_PAGE = """{{% extends "base.html" %}}
{{% block loader_css %}}{css}{{% endblock %}}
{{% block js_resources %}}{{% endblock %}}
{{% block loader %}}
{{% if not opening_sent %}}{sheet}{{% endif %}}
{{{{ bokeh_js if bokeh_js }}}}
{{% endblock %}}
{{% block loader_script %}}<script>{script}</script>{{% endblock %}}
"""

_SHEET = """<div id="opening">
  <div class="opening-bar">{logo}<b>otlab</b></div>
  <p id="opening-words" role="status">{words}</p>
</div>"""

# The whole page follows later; the browser reads it as part of this body.
_FIRST = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><style>{css}</style></head>
<body>
{sheet}
"""

_SCRIPT = """
{
  const opening = document.getElementById("opening"), words = document.getElementById("opening-words")
  const begun = Date.now()
  function look() {
    const pages = window.Bokeh?.documents ?? []
    if (pages.length && pages.every(page => page.is_idle)) { opening.remove(); watch(); return }
    if (_wsError) { words.textContent = GONE; return }
    if (!window.Bokeh && Date.now() - begun > 60000) { words.textContent = MISSING; return }
    setTimeout(look, 50)
  }
  // A network failure of some seconds only delays messages. The socket closes when the server ends, when the
  // computer wakes up, or when the failure lasts.
  function watch() {
    if (!_wsError) { setTimeout(watch, 1000); return }
    const lost = document.createElement("div"), text = document.createElement("span")
    lost.id = "lost"
    lost.setAttribute("role", "alert")
    text.textContent = LOST
    lost.append(text)
    document.body.append(lost)
    document.dispatchEvent(new Event("otlab-lost"))
    knock()
    async function knock() {
      try {
        await fetch("./static/js/bokeh.min.js", { method: "HEAD", cache: "no-store" })
        const again = document.createElement("button")
        again.textContent = "Load again"
        again.onclick = () => location.reload()
        text.textContent = BACK
        lost.append(again)
      } catch { setTimeout(knock, 3000) }
    }
  }
  look()
}
"""


def template(words: str = OPENING_LAB) -> str:
    """Return the Jinja template of a page that shows `words` until it is drawn."""
    script = _SCRIPT
    for name, sentence in {"GONE": _GONE, "MISSING": _MISSING, "LOST": _LOST, "BACK": _BACK}.items():
        script = script.replace(name, json.dumps(sentence))
    return _PAGE.format(css=_css(), sheet=_sheet(words), script=script)


def _css() -> str:
    return stylesheet("opening").replace("UI-FONT", UI)


def _sheet(words: str) -> str:
    return _SHEET.format(logo=LOGO, words=escape(words))


def colors(tokens: Tokens) -> str:
    """Return the style rules that give page and loading screen the colours of light or dark mode.

    The page's own colour holds until the theme has loaded.
    """
    used = ("bg", "surface", "line", "ink", "ink2", "accent", "on")
    sheet = "".join(f"--ot-{name}:{tokens[name]};" for name in used)
    return f":root{{--mui-palette-background-default:{tokens['bg']}}}#opening{{{sheet}}}"


class _OpeningFirst(DocHandler):
    """Send the loading screen, then make the page and send it."""

    _sent = False

    @authenticated
    async def get(self, *args: Any, **options: Any) -> None:
        """Send the loading screen, import the lab's module on another thread, then send the page."""
        entry = {entry.route: entry for entry in labs()}.get(self.request.path.strip("/"))
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")  # the page holds a token of its own
        words, name = (OPENING_HOME, "Home") if entry is None else (OPENING_LAB, entry.title)
        css = _css() + colors(DARK if self.get_cookie(DARK_COOKIE) == "1" else LIGHT)
        self.write(_FIRST.format(title=escape(f"{name} – otlab"), css=css, sheet=_sheet(words)))
        await self.flush()
        self._sent = True
        if entry is not None:
            with suppress(Exception):  # the page, made below, shows the error
                await asyncio.to_thread(entry.load)
        try:
            await super().get(*args, **options)
        except Exception:  # too late for an error status: it has been sent
            _log.exception("the page %s could not be made", self.request.path)
            sentence = json.dumps(_FAILED)
            self.write(f'<script>document.getElementById("opening-words").textContent = {sentence}</script>')

    async def get_session(self) -> ServerSession:
        """Return the page's session, whose template omits the loading screen that was sent."""
        session = await super().get_session()
        session.document.template_variables["opening_sent"] = self._sent
        return session


def send_first() -> None:
    """Make servers created from now on send the loading screen of a page before they make the page."""
    per_app_patterns[:] = [
        (place, _OpeningFirst if handler is DocHandler else handler) for place, handler in per_app_patterns
    ]
