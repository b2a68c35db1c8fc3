"""Base classes of our own components in the browser, and the addresses of their modules.

Panel sends the source of a component with each of its instances, and the browser prepares each anew. Here
`otlab serve` gives a module an address: the browser asks for it once, and keeps it. A notebook has no such
address: there the source goes with the instance, marked as a module that is ready as it is.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from panel.custom import JSComponent

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.document import Document

__all__ = ["ROUTE", "Component", "MessageComponent", "serve_modules", "source_of"]

ROUTE = "components-of-otlab"  # of the modules, below the server's address
_modules: dict[str, str] = {}  # name -> source
_served = False


@cache
def _name(source: str) -> str:
    """Return the unique name of a module."""
    name = f"{hashlib.sha256(source.encode()).hexdigest()[:20]}.js"
    _modules[name] = source
    return name


def source_of(name: str) -> str | None:
    """Return the source of the module of that name; None if no page has asked for it."""
    return _modules.get(name)


def serve_modules() -> None:
    """Let pages made from now on name the addresses of their modules: this process serves them."""
    global _served
    _served = True


class Component(JSComponent):
    """A component of plain JavaScript, whose source ``otlab.ui.components.esm`` has put together."""

    __abstract = True

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        return str(cls._esm)

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        properties = super()._get_properties(doc)
        name = _name(properties["esm"])
        if _served and doc is not None and doc.session_context is not None:
            return {**properties, "esm": f"./{ROUTE}/{name}", "bundle": "url"}
        return {**properties, "bundle": name}


class MessageComponent(Component):
    """A component whose messages, the user's actions, are passed to a function.

    Parameters
    ----------
    on_message
        Called with each message.
    """

    __abstract = True

    def __init__(self, on_message: Callable[[Any], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _handle_msg(self, data: Any) -> None:
        self._on_message(data)
