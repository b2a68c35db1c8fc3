"""What a page shows until the browser has drawn it: its ground, the bar with the logo, one sentence.

The server sends it as plain HTML, in front of the scripts that draw the page.
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
    if (pages.length && pages.every(page => page.is_idle)) { opening.remove(); return }
    if (_wsError) { words.textContent = GONE; return }
    if (!window.Bokeh && Date.now() - begun > 60000) { words.textContent = MISSING; return }
    setTimeout(look, 50)
  }
  look()
}
"""


def template(words: str = "Opening the lab…") -> str:
    """Return the Jinja template of a page that says `words` until it is drawn."""
    script = _SCRIPT.replace("GONE", json.dumps(_GONE)).replace("MISSING", json.dumps(_MISSING))
    css = stylesheet("opening").replace("UI-FONT", UI)
    return _PAGE.format(css=css, logo=LOGO, words=escape(words), script=script)


def colors(tokens: Tokens) -> str:
    """Return the style rules that give page and opening sheet the colours of a mode.

    The first is replaced by the theme as soon as that is there.
    """
    used = ("bg", "surface", "line", "ink", "ink2", "accent", "on")
    sheet = "".join(f"--ot-{name}:{tokens[name]};" for name in used)
    return f":root{{--mui-palette-background-default:{tokens['bg']}}}#opening{{{sheet}}}"
