"""Small outputs of a lab in a notebook: scripts and the lab's page are compressed, each text is there once.

Panel writes the scripts of all components into a notebook twice (7 MB), and the script of a kind of component
with each of its components (17 of the 19 MB of a lab's cell). A saved notebook keeps all that. The browser
unpacks what is written here in some milliseconds, without a network. The package of the labs imports this
module first, which then loads the scripts, before HoloViews asks the network for them.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections import Counter
from typing import Any

import panel as pn
from panel.config import config, panel_extension
from panel.io.notebook import LOAD_MIME, load_notebook
from panel.viewable import Viewer

from otlab.inference.notebook import in_cell

__all__ = ["compacted", "load_scripts", "mimebundle", "packed_script"]

_SCRIPT = "application/javascript"
_LARGE = 100_000  # characters of a script that is worth compressing
_REPEATED = 200  # characters of a text that is worth a reference
_MARK = "\x01"  # begins a reference: the number of a text follows
_DOCUMENT = "var docs_json = "
_BEGIN = '<script type="application/javascript">(function(root) {'
_UNPACK = """(packed => new Response(new Blob([Uint8Array.from(atob(packed), c => c.charCodeAt(0))])
  .stream().pipeThrough(new DecompressionStream("gzip"))).text())"""
_RUN = """.then(text => {
  const script = document.createElement("script")
  script.textContent = text
  document.head.append(script)
  script.remove()
})"""
_PARSE = """.then(text => {
  const [texts, value] = JSON.parse(text)
  const whole = part => {
    if (typeof part === "string") return part[0] === "\\u0001" ? texts[Number(part.slice(1))] : part
    if (part !== null && typeof part === "object") for (const key in part) part[key] = whole(part[key])
    return part
  }
  return whole(value)
})"""


def load_scripts() -> None:
    """Load Panel's scripts into a notebook, from this computer; do nothing outside one.

    Where ``pn.extension`` was called before, what it loaded is used.
    """
    if not in_cell() or panel_extension._loaded:
        return
    from IPython import display

    publish = display.publish_display_data

    def publish_packed(data: dict[str, Any], *args: Any, **options: Any) -> Any:
        script = data.get(_SCRIPT, "")
        if len(script) > _LARGE and LOAD_MIME in data and config.comms not in ("vscode", "ipywidgets"):
            data = {_SCRIPT: packed_script(script)}
        return publish(data, *args, **options)

    holoviews = sys.modules.get("holoviews")
    loaded = getattr(getattr(holoviews, "extension", None), "_loaded", False)
    display.publish_display_data = publish_packed
    try:
        pn.extension("tabulator", inline=True)
        if loaded:  # HoloViews alone has asked the network for them
            load_notebook(inline=True)
    finally:
        display.publish_display_data = publish


def packed_script(script: str) -> str:
    """Return a short script that unpacks a long one and runs it."""
    return f'{_UNPACK}("{_packed(script)}"){_RUN}'


def compacted(html: str) -> str:
    """Return the HTML of a lab's cell with its document compressed, and other HTML as it is."""
    at = html.find(_DOCUMENT)
    if at < 0 or _BEGIN not in html[:at]:
        return html
    at += len(_DOCUMENT)
    document, length = json.JSONDecoder().raw_decode(html[at:])
    head = html[:at].replace(_BEGIN, _BEGIN.replace("(function", "(async function"))
    return f'{head}await {_UNPACK}("{_packed(_once(document))}"){_PARSE}{html[at + length :]}'


def mimebundle(lab: Viewer, include: Any = None, exclude: Any = None) -> Any:
    """Return what a notebook's cell shows of a lab, compressed."""
    bundle = Viewer._repr_mimebundle_(lab, include, exclude)
    if isinstance(bundle, tuple) and "text/html" in bundle[0]:
        bundle[0]["text/html"] = compacted(bundle[0]["text/html"])
    return bundle


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _once(document: Any) -> str:
    """Return as JSON the texts that are there several times, and the document with references to them."""
    seen: Counter[str] = Counter()
    pending = [document]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            if len(part) > _REPEATED or part.startswith(_MARK):
                seen[part] += 1
        elif isinstance(part, (dict, list)):
            pending += part.values() if isinstance(part, dict) else part
    texts = [text for text, times in seen.items() if times > 1 or text.startswith(_MARK)]
    numbers = {text: f"{_MARK}{number}" for number, text in enumerate(texts)}

    def referring(part: Any) -> Any:
        if isinstance(part, str):
            return numbers.get(part, part)
        if isinstance(part, list):
            return [referring(each) for each in part]
        return {key: referring(each) for key, each in part.items()} if isinstance(part, dict) else part

    return json.dumps([texts, referring(document)], ensure_ascii=False, separators=(",", ":"))


load_scripts()
