"""A lab without a browser: what its page shows, and what a user does to it.

A *part* is anything of a page: a lab, its run panel, a tab, a card, a component.
"""

from __future__ import annotations

import base64
import time
from urllib.parse import urlencode

import panel as pn
import pytest
from panel.custom import JSComponent
from panel.io.location import Location

_EVERYWHERE = ("CardMenu", "Segmented")  # small components that many cards have beside their own


def layout(part):
    """Return what a part puts on the page."""
    return pn.panel(getattr(part, "card", part))


def parts(part, kind):
    """Return everything within a part that is of a class, given by itself or by its name."""
    if isinstance(kind, str):
        return layout(part).select(lambda found: type(found).__name__ == kind)
    return layout(part).select(kind)


def one(part, kind):
    """Return the one object of a class within a part."""
    (found,) = parts(part, kind)
    return found


def component(part, kind=None):
    """Return the one component in JavaScript of a part; `kind` names its class where there are several."""
    if kind is not None:
        return one(part, kind)
    (found,) = [found for found in parts(part, JSComponent) if type(found).__name__ not in _EVERYWHERE]
    return found


def send(part, message, kind=None):
    """Do what the browser does when a component sends a message."""
    component(part, kind)._handle_msg(message)


def sent(part, kind=None):
    """Return the list of messages that a component sends to the browser from now on."""
    messages = []
    component(part, kind)._send_msg = messages.append
    return messages


def shown_text(part):
    """Return the HTML of a part that is in sight."""
    return "".join(str(pane.object) for pane in _in_sight(layout(part)))


def _in_sight(part):
    """Yield the panes of HTML of a layout, without those in boxes that are hidden."""
    if not part.visible:
        return
    if isinstance(part, pn.pane.HTML):
        yield part
    for place in ("objects", "header", "sidebar", "main"):
        for inner in getattr(part, place, None) or []:
            yield from _in_sight(inner)


def figures(part):
    """Return the plots of a part, top to bottom."""
    return [pane.object for pane in parts(part, pn.pane.Bokeh)]


def layers(part, label):
    """Return the Bokeh renderer of the layer with this label in each plot that has one."""
    return [drawn for figure in figures(part) for drawn in figure.renderers if drawn.name == label]


def layer(part, label):
    """Return the Bokeh renderer of the one layer with this label."""
    (found,) = layers(part, label)
    return found


def column(renderer, name):
    """Return the data of one property of a renderer's glyph, such as ``y``."""
    field = getattr(renderer.glyph, name)
    return renderer.data_source.data[field if isinstance(field, str) else field.field]


def control(part, label):
    """Return the one widget with this label or name."""
    (found,) = parts(part, lambda one: getattr(one, "label", None) == label and hasattr(one, "param"))
    return found


def press(part, label):
    """Press the one button with this label."""
    control(part, label).param.trigger("clicks")


def download(part, key):
    """Press the button, or the item of a card's menu, that downloads a file; return name and content."""
    for kind in ("Downloads", "CardMenu"):
        offering = [one for one in parts(part, kind) if key in (file[0] for file in one.files)]
        if offering:
            break
    (downloads,) = offering
    messages = sent(downloads, kind)
    send(downloads, {"key": key}, kind)
    return messages[-1]["name"], base64.b64decode(messages[-1]["data"])


def page(lab, **query):
    """Open a lab's page at an address with this query; return the page."""
    return page_at(lab.page, **query)


def page_at(make, **query):
    """Return the page that a function makes at an address with this query."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(pn.state), "location", Location(search=f"?{urlencode(query)}"))
        return make()


def messages(tab):
    """Return what a Data tab says of the last file, as HTML."""
    return "".join(pane.object for pane in tab.messages.select(pn.pane.HTML))


def waited(task, seconds):
    """Let a task go on, as its page does, for at most so long; return whether it has ended."""
    until = time.monotonic() + seconds
    while task.runner.alive and time.monotonic() < until:
        time.sleep(0.02)
        task.tick()
    task.tick()
    task.tick()
    return not task.runner.alive
