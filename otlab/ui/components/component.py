"""Base classes of our own components in the browser, and the addresses of their modules.

Panel sends the source of a component with each of its instances, and the browser prepares each anew. Here
`otlab serve` gives a module an address: the browser asks for it once, and keeps it. A notebook has no such
address: there the source goes with the instance, marked as a module that is ready as it is.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from panel.custom import JSComponent

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.document import Document

__all__ = ["ROUTE", "Component", "MessageComponent", "modules"]

ROUTE = "components-of-otlab"  # of the modules, below the server's address


class Modules:
    """The modules of all components, one per class, for a server to send.

    Attributes
    ----------
    served
        Whether this process sends them, so that pages name their addresses.
    """

    def __init__(self) -> None:
        self.served = False
        self._names: dict[str, str] = {}  # source -> name
        self._sources: dict[str, str] = {}  # name -> source

    def name(self, source: str) -> str:
        """Return the unique name of a module."""
        if source not in self._names:
            name = f"{hashlib.sha256(source.encode()).hexdigest()[:20]}.js"
            self._names[source], self._sources[name] = name, source
        return self._names[source]

    def source(self, name: str) -> str | None:
        """Return the source of the module of that name; None if no page has asked for it."""
        return self._sources.get(name)


modules = Modules()
"""Those of this process."""


class Component(JSComponent):
    """A component of plain JavaScript, whose source ``otlab.ui.components.esm`` has put together."""

    __abstract = True

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        return str(cls._esm)

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        properties = super()._get_properties(doc)
        name = modules.name(properties["esm"])
        if modules.served and doc is not None and doc.session_context is not None:
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
