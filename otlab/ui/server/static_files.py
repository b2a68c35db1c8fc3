"""Scripts and style sheets of the pages, sent compressed.

A page needs 4.9 MB of them, 1.3 MB compressed. When thirty students open their first page on the network of
a classroom, this is what they wait for. Each file is compressed once, at its first request, on a thread.
"""

from __future__ import annotations

import asyncio
import gzip
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bokeh.embed.bundle import extension_dirs
from bokeh.server.urls import toplevel_patterns
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.server.views.static_handler import StaticHandler
from panel.io import server as panel_server
from tornado.web import HTTPError, RequestHandler, StaticFileHandler

from otlab.ui.components.component import ROUTE, modules

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["routes"]

_COMPRESSIBLE = frozenset({".css", ".js", ".json", ".map", ".mjs", ".svg"})
_YEAR = 365 * 24 * 3600  # seconds


@lru_cache(maxsize=128)
def _compressed(path: str, modified: datetime | None) -> bytes:
    """Return the gzipped content of a file; `modified` is part of the cache key, so that changes count."""
    del modified
    return gzip.compress(Path(path).read_bytes(), compresslevel=6, mtime=0)


@lru_cache(maxsize=128)
def _compressed_text(text: str) -> bytes:
    """Return a text as gzipped UTF-8."""
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


class _Compressed(StaticFileHandler):
    """A static file, gzipped for a browser that accepts it."""

    async def get(self, path: str, include_body: bool = True) -> None:
        """Send the file at `path`, or status 304 if the browser's copy is current."""
        self.set_header("Vary", "Accept-Encoding")
        accepted = "gzip" in self.request.headers.get("Accept-Encoding", "")
        if not accepted or "Range" in self.request.headers or Path(path).suffix not in _COMPRESSIBLE:
            await super().get(path, include_body)
            return
        self.path = self.parse_url_path(path)
        found = self.validate_absolute_path(self.root, self.get_absolute_path(self.root, self.path))
        if found is None:
            return
        self.absolute_path = found
        self.modified = self.get_modified_time()
        self.set_headers()
        if self.should_return_304():
            self.set_status(304)
            return
        content = await asyncio.to_thread(_compressed, found, self.modified)
        self.set_header("Content-Encoding", "gzip")
        self.set_header("Content-Length", len(content))
        if include_body:
            self.write(content)

    def get_cache_time(self, path: str, modified: datetime | None, mime_type: str) -> int:
        """Return the seconds for which a browser may reuse a file: a year if its address has a version."""
        named = "@" in path
        return _YEAR if named else super().get_cache_time(path, modified, mime_type)


class _Extensions(_Compressed, MultiRootStaticHandler):
    """Files of Panel and of its extensions."""


class _Bokeh(_Compressed, StaticHandler):
    """Files of Bokeh itself."""


class _Modules(RequestHandler):
    """The JavaScript module of a component. Its name is a digest, so that a browser may keep it."""

    def get(self, name: str) -> None:
        """Send the module called `name`."""
        source = modules.source(name)
        if source is None:
            raise HTTPError(404)
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.set_header("Cache-Control", f"max-age={_YEAR}, immutable")
        self.set_header("Vary", "Accept-Encoding")
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.write(_compressed_text(source))
        else:
            self.write(source)


_MODULES = (rf"/{ROUTE}/(.*)", _Modules)


def routes() -> list[tuple[str, type[RequestHandler], dict[str, Any]]]:
    """Make new servers compress Bokeh's files and send otlab's; return the route for those of its extensions.

    Panel places its route for Bokeh's files before all that a caller may add, so its handler is replaced.
    Pages name the addresses of otlab's modules from now on: every server of this process has to have them.
    """
    panel_server.StaticHandler = _Bokeh
    if _MODULES not in toplevel_patterns:
        toplevel_patterns.append(_MODULES)
    modules.served = True
    return [(r"/static/extensions/(.*)", _Extensions, {"root": extension_dirs})]
