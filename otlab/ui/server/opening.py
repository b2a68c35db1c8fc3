"""Loading screen of a page: background, the bar with the logo, one sentence.

The server sends it as plain HTML, in front of the scripts that draw the page. The same script says so
when the connection is lost later on, and when the server answers again.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from otlab.ui.components import stylesheet
from otlab.ui.components.icons import LOGO
from otlab.viz.base.style import UI

if TYPE_CHECKING:
    from otlab.viz.base.tokens import Tokens

__all__ = ["colors", "template"]

_GONE = "The server does not answer. Is otlab still running in the terminal? Then load this page again."
_LOST = "The connection to otlab is lost. The page will say when it is back."
_BACK = "otlab answers again. Load this page to go on: what you edited is saved."
_MISSING = "Parts of this page could not be loaded. Load it again."

# Blocks of Panel's page: style, markup and script of what it shows while it loads. Bokeh's scripts are
# moved from the head to below it: nothing is painted before the scripts of the head have arrived.
_PAGE = """{{% extends "base.html" %}}
{{% block loader_css %}}{css}{{% endblock %}}
{{% block js_resources %}}{{% endblock %}}
{{% block loader %}}
<div id="opening">
  <div class="opening-bar">{logo}<b>otlab</b></div>
  <p id="opening-words" role="status">{words}</p>
</div>
{{{{ bokeh_js if bokeh_js }}}}
{{% endblock %}}
{{% block loader_script %}}<script>{script}</script>{{% endblock %}}
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
  // A cut of some seconds is not noticed: what was said meanwhile arrives later. The socket closes when the
  // server ends, when a computer wakes up, or when a cut lasts.
  function watch() {
    if (!_wsError) { setTimeout(watch, 1000); return }
    const lost = document.createElement("div"), said = document.createElement("span")
    lost.id = "lost"
    lost.setAttribute("role", "alert")
    said.textContent = LOST
    lost.append(said)
    document.body.append(lost)
    knock()
    async function knock() {
      try {
        await fetch("./static/js/bokeh.min.js", { method: "HEAD", cache: "no-store" })
        const again = document.createElement("button")
        again.textContent = "Load again"
        again.onclick = () => location.reload()
        said.textContent = BACK
        lost.append(again)
      } catch { setTimeout(knock, 3000) }
    }
  }
  look()
}
"""


def template(words: str = "Opening the lab…") -> str:
    """Return the Jinja template of a page that shows `words` until it is drawn."""
    script = _SCRIPT
    for name, said in {"GONE": _GONE, "MISSING": _MISSING, "LOST": _LOST, "BACK": _BACK}.items():
        script = script.replace(name, json.dumps(said))
    css = stylesheet("opening").replace("UI-FONT", UI)
    return _PAGE.format(css=css, logo=LOGO, words=escape(words), script=script)


def colors(tokens: Tokens) -> str:
    """Return the style rules that give page and opening sheet the colours of a mode.

    The first is replaced by the theme as soon as that is there.
    """
    used = ("bg", "surface", "line", "ink", "ink2", "accent", "on")
    sheet = "".join(f"--ot-{name}:{tokens[name]};" for name in used)
    return f":root{{--mui-palette-background-default:{tokens['bg']}}}#opening{{{sheet}}}"
