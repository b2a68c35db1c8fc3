"""Scripts and style sheets of the pages, sent compressed.

A page needs 4.9 MB of them, 1.3 MB compressed: on the network of a class room that is what its thirty
first visitors wait for. Each file is compressed once, when it is first asked for, on a thread of its own.
"""

from __future__ import annotations

import asyncio
import gzip
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bokeh.embed.bundle import extension_dirs
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.server.views.static_handler import StaticHandler
from panel.io import server as panel_server
from tornado.web import StaticFileHandler

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["compress"]

_COMPRESSIBLE = frozenset({".css", ".js", ".json", ".map", ".mjs", ".svg"})
_YEAR = 365 * 24 * 3600  # seconds


@lru_cache(maxsize=128)
def _compressed(path: str, modified: datetime | None) -> bytes:
    """Return the gzipped content of a file; `modified` makes a changed file another entry."""
    del modified
    return gzip.compress(Path(path).read_bytes(), compresslevel=6, mtime=0)


class _Compressed(StaticFileHandler):
    """A static file, gzipped for a browser that takes it so."""

    async def get(self, path: str, include_body: bool = True) -> None:
        """Send the file at `path`, or word that the browser's copy is still good."""
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
        """Return the seconds a browser may keep a file unasked: a year where its address names a version."""
        named = "@" in path
        return _YEAR if named else super().get_cache_time(path, modified, mime_type)


class _Extensions(_Compressed, MultiRootStaticHandler):
    """Files of Panel and of what builds on it."""


class _Bokeh(_Compressed, StaticHandler):
    """Files of Bokeh itself."""


def compress() -> list[tuple[str, type[StaticFileHandler], dict[str, Any]]]:
    """Let servers made from now on compress Bokeh's files; return the routes of those of its extensions.

    Panel places its route for Bokeh's files before all that a caller may add, so its handler is replaced.
    """
    panel_server.StaticHandler = _Bokeh
    return [(r"/static/extensions/(.*)", _Extensions, {"root": extension_dirs})]
