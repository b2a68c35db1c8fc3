"""Make the page of a route, and serve all pages."""

from __future__ import annotations

import logging
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn
from tornado.ioloop import IOLoop
from tornado.web import RequestHandler

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ui.classroom.board import link_of_code
from otlab.ui.classroom.exercise import BOARD, JOIN
from otlab.ui.classroom.maker import set_hosts
from otlab.ui.components.icons import icon
from otlab.ui.components.placeholders import empty
from otlab.ui.documents.store import list_documents, open_store
from otlab.ui.server import (
    bokeh_patches,
    first_start,
    loading_screen,
    memory,
    shell,
    static_files,
    warm,
)
from otlab.ui.server.home import home_page
from otlab.ui.server.registry import lab, labs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import panel_material_ui as pmui

__all__ = ["LOOPBACK", "free_port", "lab_page", "origins", "routes", "serve"]

_log = logging.getLogger(__name__)
FIRST_PORT = 5006
LAST_PORT = 65535
LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Addresses that this computer alone reaches."""
MOST_MESSAGE = 20 << 20
"""Bytes of the largest message of a page: a pasted text. Files come in pieces of less than a megabyte."""
_SWITCH_SECONDS = (
    0.001  # after which a run's thread lets the page's thread use the interpreter; Python's default is .005
)
_ASSETS = Path(__file__).resolve().parent.parent / "assets"
_LOGIN, _NOT_FOUND, _JOIN = (_ASSETS / f"{name}.html" for name in ("login", "not_found", "join"))
_WRONG_CODE = "No open exercise has this code. Compare it with the board; it counts while the board is open."


def lab_page(route: str) -> pmui.Page:
    """Return a new page of the lab at `route`, for one visitor, or a page with the error."""
    if route not in {entry.route for entry in labs()}:
        missing = f"There is no {route} in this copy of otlab. The others are above."
        return _without_lab("Not here", "This lab is not installed", missing)
    bokeh_patches.apply()
    warm.kernels.start()
    memory.open_pages.add()
    entry = lab(route)

    def failed(error: Exception) -> pmui.Page:
        _log.error("the page of the %s lab could not be built", entry.title, exc_info=error)
        sentence = (
            f"An error in otlab: {type(error).__name__}: {error}. The terminal shows where it happened. "
            f"Choose {entry.title} above to open it without the settings of this link."
        )
        return _without_lab(entry.title, f"The {entry.title} lab could not be opened", sentence)

    if not warm.kernels.page_is_ready(entry.system):
        return first_start.page(entry)
    try:
        made = entry.make()
        made.runner.runner.wait_for = partial(warm.kernels.wait_for, entry.system)
        page: shell.Page = made.page()
    except Exception as error:
        return failed(error)
    page.instead = failed
    return page


def _without_lab(name: str, title: str, sentence: str) -> pmui.Page:
    """Return a page with the bar and a message in place of a lab."""
    message = empty(title, sentence, shape=icon("warn", 28))
    return shell.page(shell.AppBar(), shell.only(message), name)


def routes(names: Iterable[str] = ()) -> dict[str, Callable[[], Any]]:
    """Return address -> page maker: home, the labs that are named (or all), and the teacher's page.

    Parameters
    ----------
    names
        Routes ("ot_lab") or their beginnings ("ot").

    Raises
    ------
    InputError
        If a name begins no lab's route; all such names are listed.
    """
    there = {entry.route: entry for entry in labs()}
    wanted = {name: [route for route in there if route.startswith(name)] for name in names}
    short = [route.removesuffix("_lab") for route in there]
    missing = [
        Fault(f"there is no lab {n!r}", did_you_mean(n, short)) for n, found in wanted.items() if not found
    ]
    if missing:
        raise InputError(missing)
    chosen = [found[0] for found in wanted.values()] or list(there)
    return {"/": home_page, **{route: _maker(route) for route in chosen}, BOARD: board_page}


def private_home_page() -> pmui.Page:
    """Return the home page with the documents of this computer."""
    return home_page(open_store())


def board_page() -> pmui.Page:
    """Return the teacher's page of the exercise in the address."""
    from otlab.ui.classroom import teacher  # here, since its plotting modules take a second to import

    return teacher.board_page()


def _maker(route: str) -> Callable[[], pmui.Page]:
    """Return the page maker of a lab as a plain function, the only kind that Panel's server accepts."""

    def make() -> pmui.Page:
        return lab_page(route)

    return make


def free_port(address: str, asked: int | None) -> int:
    """Return the port asked for, or the first free one from 5006 on.

    Raises
    ------
    InputError
        If the port asked for is taken, or there is no such port.
    """
    if asked is not None and not 0 <= asked <= LAST_PORT:
        raise InputError(Fault(f"there is no port {asked}", f"choose one from 1 to {LAST_PORT}"))
    if asked is not None:
        if asked and not _is_free(address, asked):
            raise InputError(Fault(f"port {asked} is in use", "choose another with --port, or leave it out"))
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        if _is_free(address, port):
            return port
    raise InputError(
        Fault(f"no port from {FIRST_PORT} to {FIRST_PORT + 99} is free", "choose one with --port")
    )


def serve(
    names: Iterable[str],
    address: str,
    port: int,
    *,
    browser: bool,
    password: str = "",
    start: str = "",
    ready: Callable[[], None] = lambda: None,
    first: tuple[str, Callable[[], Any]] | None = None,
) -> None:
    """Serve home and labs until interrupted; import labs and compile kernels in the background.

    Documents are listed only if no other computer can reach the server and there is no password.

    Parameters
    ----------
    names
        Routes of the labs, or their beginnings; all labs if empty.
    address, port
        Where the server listens.
    browser
        Whether to open a browser.
    password
        What each browser is asked for once; empty for no password.
    start
        The path, with its query, that the browser opens; the home page if empty.
    ready
        Called once as soon as the server answers.
    first
        Title and maker of a page that replaces the home page.
    """
    pages = routes(names)
    private = address in LOOPBACK and not password
    list_documents(private)
    if private:
        pages["/"] = private_home_page
    if first is not None:
        pages["/"] = first[1]
    set_hosts([] if address in LOOPBACK else _reachable(port))
    sys.setswitchinterval(_SWITCH_SECONDS)
    memory.limit_arenas()
    bokeh_patches.apply()
    loading_screen.send_first()

    def begin() -> None:
        ready()
        if browser and start:
            webbrowser.open(f"http://{LOOPBACK[0] if address == '0.0.0.0' else address}:{port}/{start}")
        warm.kernels.start()
        threading.Thread(target=load_labs, args=(pages,), name="load labs", daemon=True).start()

    if threading.current_thread() is threading.main_thread():  # what waits to be saved is saved at the end
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    IOLoop.current().add_callback(begin)
    titles = {
        "/": "otlab" if first is None else f"{first[0]} – otlab",
        BOARD: "Class – otlab",
        **{entry.route: f"{entry.title} – otlab" for entry in labs() if entry.route in pages},
    }
    pn.serve(
        pages,
        title=titles,
        address=address,
        port=port,
        show=browser and not start,
        websocket_origin=origins(address, port),
        verbose=False,
        extra_patterns=[*static_files.routes(), (f"/{JOIN}", Join)],
        websocket_max_message_size=MOST_MESSAGE,
        websocket_compression_level=1,  # a page of 750 kB becomes 150 kB in 5 ms
        default_handler_class=NotFound,
        **_login(password),
    )


class Join(RequestHandler):
    """Leads from the short code of an exercise to the students' link, and asks for the code first."""

    def get(self) -> None:
        """Send the form, or the browser on to the exercise."""
        code = self.get_query_argument("code", "")
        link = link_of_code(code) if code else ""
        if link:
            self.redirect(f"./{link}")
            return
        wrong = f'<p role="alert">{_WRONG_CODE}</p>' if code else ""
        self.finish(_JOIN.read_text(encoding="utf-8").replace("{message}", wrong))


class NotFound(RequestHandler):
    """Answers an address at which there is no page."""

    def prepare(self) -> None:
        """Send a page that leads to the home page, with status 404."""
        self.set_status(404)
        self.finish(_NOT_FOUND.read_text(encoding="utf-8"))


def _login(password: str) -> dict[str, Any]:
    """Return the server's arguments for a password; empty if there is none."""
    if not password:
        return {}
    return {
        "basic_auth": {"class": password},
        "basic_login_template": str(_LOGIN),
        "cookie_secret": secrets.token_hex(32),
    }


def load_labs(pages: Iterable[str]) -> None:
    """Import the labs, one after another, before their pages are opened."""
    for entry in labs():
        if entry.route in pages:
            entry.load()


def _is_free(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
        return True


def _reachable(port: int) -> list[str]:
    """Return the addresses that other computers may open, those of the local network first."""
    addresses = []
    with suppress(OSError):
        addresses = [
            str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        ]
    outside = [name for name in dict.fromkeys(addresses) if not name.startswith("127.")]
    return [f"http://{name}:{port}" for name in [*outside, socket.gethostname()]]


def origins(address: str, port: int) -> list[str]:
    """Return the addresses by which a browser may call this server; pages of other sites are refused."""
    names = {"localhost", "127.0.0.1", address}
    if address not in LOOPBACK:
        host = socket.gethostname()
        names |= {host, socket.getfqdn()}
        with suppress(OSError):  # without a name server the machine can still be reached by its address
            names |= {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    return [f"{name}:{port}" for name in sorted(names)]
