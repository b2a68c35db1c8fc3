"""Base classes of our own components in the browser, and the addresses of their modules.

Panel sends the source of a component with each of its instances, and the browser prepares each anew. Here
`otlab serve` gives a module an address: the browser asks for it once, and keeps it. A notebook has no such
address: there the source goes with the instance, marked as a module that is ready as it is.
"""

from __future__ import annotations

import hashlib
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from panel.custom import JSComponent

from otlab.ui.components import esm, styles

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.document import Document

__all__ = ["ROUTE", "Component", "FillingComponent", "MessageComponent", "modules"]

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
    """A component of plain JavaScript.

    Attributes
    ----------
    script
        Name of its script and, if it has one, its style sheet: beside the module of its class, or here.
    parts, icons
        Further scripts, whose style sheets are taken too, and icons: see :func:`otlab.ui.components.esm`.
    sheets
        Further style sheets.
    """

    __abstract = True

    script: ClassVar[str]
    parts: ClassVar[tuple[str, ...]] = ()
    icons: ClassVar[tuple[str, ...] | None] = None
    sheets: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "script" in vars(cls):
            folder = Path(getfile(cls)).resolve().parent
            cls._esm = esm(cls.script, folder, parts=cls.parts, icons=cls.icons)
            cls._stylesheets = [*styles(cls.script, folder, *cls.parts), *cls.sheets]

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
    """A component without margins whose messages, the user's actions, are passed to a function.

    Parameters
    ----------
    on_message
        Called with each message.
    """

    __abstract = True

    def __init__(self, on_message: Callable[[Any], None], **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})
        self._on_message = on_message

    def _handle_msg(self, data: Any) -> None:
        self._on_message(data)


class FillingComponent(MessageComponent):
    """Such a component that fills its card."""

    __abstract = True

    def __init__(self, on_message: Callable[[Any], None], **params: Any) -> None:
        super().__init__(on_message, **{"sizing_mode": "stretch_both", **params})
