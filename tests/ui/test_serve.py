"""``otlab serve``: its password is asked for once, its scripts and style sheets go out compressed."""

from __future__ import annotations

import asyncio
import gzip
import re
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from bokeh.document import Document
from bokeh.server.server import Server
from panel.io import server as panel_server
from tornado.httpclient import AsyncHTTPClient

from otlab.cli.main import main
from otlab.ui.components import component
from otlab.ui.components.file_zone import PasteBox
from otlab.ui.documents.archive import write_archive
from otlab.ui.documents.store import Saved, Summary
from otlab.ui.server import serving as serving_module
from otlab.ui.server import static_files, uploads
from tests.ui.axe import assert_accessible
from tests.ui.browser import serving


@pytest.fixture(scope="module")
def url():
    command = ("otlab", "serve", "ot", "--no-browser", "--password", "wug", "--port", "{port}")
    with serving(*command) as url:
        yield url


@pytest.fixture
def visitor():
    """A visitor who keeps cookies; returns address and text of a page."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def go(address, **form):
        with opener.open(address, urlencode(form).encode() if form else None, timeout=60) as answer:
            return answer.url, answer.read().decode()

    return go


@pytest.mark.slow
def test_who_knows_the_password_is_let_in_once(url, visitor):
    where, text = visitor(f"{url}/ot_lab")
    assert "/login" in where
    assert "Password of the class" in text
    assert not re.search(r"(src|href)=|url\(|@import", text), "the page asks for something else"
    where, text = visitor(f"{url}/login", username="class", password="wug")
    assert "/login" not in where
    where, text = visitor(f"{url}/ot_lab")
    assert where == f"{url}/ot_lab"
    assert "Opening the lab" in text
    assert text.count('id="opening"') == 1
    assert text.index("Opening the lab") < text.index("<title>", text.index("<body>")), "sent before the page"


@pytest.mark.slow
def test_an_address_without_a_page_leads_to_the_home_page(url, visitor):
    with pytest.raises(urllib.error.HTTPError) as refused:
        visitor(f"{url}/nowhere")
    text = refused.value.read().decode()
    assert refused.value.code == 404
    assert '<html lang="en">' in text
    assert 'href="/"' in text


@pytest.mark.browser
def test_after_a_wrong_password_the_page_that_was_asked_for_is_opened(url, visit):
    page = visit().page
    page.goto(f"{url}/ot_lab?example=spanish_diminutive&seed=7")
    for word in ("wag", "wug"):
        page.get_by_label("Password of the class").fill(word)
        page.keyboard.press("Enter")
        if word == "wag":
            page.get_by_role("alert").wait_for()
            assert_accessible(page)
    page.wait_for_url("**/ot_lab?example=spanish_diminutive&seed=7")


@pytest.mark.slow
def test_who_does_not_know_it_is_told_so(url, visitor):
    where, text = visitor(f"{url}/login", username="class", password="wag")
    assert "/login" in where
    assert "That is not the password" in text
    assert "/login" in visitor(f"{url}/ot_lab")[0]


def ask(address, **headers):
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers, answer.read()


def refusal(address, **headers):
    """Return the status of an answer without a page."""
    with pytest.raises(urllib.error.HTTPError) as answer:
        ask(address, **headers)
    answer.value.close()
    return answer.value.code


@pytest.mark.slow
def test_every_script_and_style_sheet_of_a_page_is_compressed_and_whole(url, visitor):
    _, page = visitor(f"{url}/login", username="class", password="wug")
    named = sorted(set(re.findall(r"static/[^\"' ]+\.(?:js|css)", page)))
    assert any("/js/" in name for name in named)
    assert any("extensions" in name for name in named)
    for name in named:
        headers, plain = ask(f"{url}/{name}")
        assert headers["Content-Encoding"] is None
        headers, small = ask(f"{url}/{name}", **{"Accept-Encoding": "gzip"})
        assert headers["Content-Encoding"] == "gzip"
        assert headers["Vary"] == "Accept-Encoding"
        assert int(headers["Content-Length"]) == len(small) < len(plain)
        assert gzip.decompress(small) == plain


@pytest.mark.slow
def test_what_a_browser_has_is_not_sent_again(url):
    script = f"{url}/static/js/bokeh.min.js"
    headers, _ = ask(script, **{"Accept-Encoding": "gzip"})
    assert refusal(script, **{"Accept-Encoding": "gzip", "If-None-Match": headers["Etag"]}) == 304
    headers, part = ask(script, **{"Accept-Encoding": "gzip", "Range": "bytes=0-9"})
    assert headers["Content-Encoding"] is None
    assert len(part) == 10


@pytest.mark.slow
def test_a_file_that_is_not_there_is_not_found(url):
    for name in ("js/none.js", "extensions/panel/none.js", "extensions/panel/../../../../../etc/passwd.js"):
        assert refusal(f"{url}/static/{name}", **{"Accept-Encoding": "gzip"}) in (403, 404)
    assert refusal(f"{url}/components-of-otlab/none.js") == 404


def test_a_component_names_the_address_of_its_module_where_there_is_a_server(monkeypatch):
    page, context = Document(), SimpleNamespace(server_context=None)
    page._session_context = lambda: context
    alone = PasteBox(lambda _text: None).get_root(Document())
    assert "export function render" in alone.esm
    monkeypatch.setattr(component.modules, "served", True)
    served = PasteBox(lambda _text: None).get_root(page)
    assert served.bundle == "url"
    assert served.esm == f"./{component.ROUTE}/{alone.bundle}"
    assert component.modules.source(alone.bundle) == alone.esm


def test_a_module_is_whole_from_any_server_with_and_without_compression(monkeypatch):
    """Pages name its address once this process serves the labs, so a server made later has it, too."""
    monkeypatch.setattr(panel_server, "StaticHandler", panel_server.StaticHandler)
    monkeypatch.setattr(component.modules, "served", False)
    made = PasteBox(lambda _text: None).get_root(Document())
    static_files.routes()

    async def answers():
        server = Server({"/another": lambda _page: None}, port=0, address="127.0.0.1")
        server.start()
        address = f"http://127.0.0.1:{server.port}/{component.ROUTE}/{made.bundle}"
        client = AsyncHTTPClient()
        try:
            options = {"decompress_response": False}
            packed = {"headers": {"Accept-Encoding": "gzip"}, **options}
            return await client.fetch(address, **options), await client.fetch(address, **packed)
        finally:
            client.close()
            server.stop()

    plain, packed = asyncio.run(answers())
    assert plain.body.decode() == gzip.decompress(packed.body).decode() == made.esm
    assert [answer.headers.get("Content-Encoding") for answer in (plain, packed)] == [None, "gzip"]
    assert {answer.headers["Vary"] for answer in (plain, packed)} == {"Accept-Encoding"}


@pytest.mark.parametrize(("address", "opens"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "localhost")])
def test_the_browser_opens_the_page_that_was_asked_for(monkeypatch, address, opens):
    """On a thread, as a program may start the server: it handles no signals then."""
    opened, ready, begun, served = [], [], [], []
    monkeypatch.setattr(serving_module.webbrowser, "open", opened.append)
    monkeypatch.setattr(serving_module.IOLoop, "current", lambda: SimpleNamespace(add_callback=begun.append))
    monkeypatch.setattr(serving_module.pn, "serve", lambda pages, **how: served.append((pages, how)))
    monkeypatch.setattr(serving_module.warm.kernels, "start", lambda: ready.append("kernels"))
    for name in ("load_labs", "set_hosts", "list_documents"):
        monkeypatch.setattr(serving_module, name, lambda _given: None)
    monkeypatch.setattr(serving_module.sys, "setswitchinterval", lambda _seconds: None)
    for module, name in (
        (serving_module.memory, "limit_arenas"),
        (serving_module.loading_screen, "send_first"),
    ):
        monkeypatch.setattr(module, name, lambda: None)
    asked = {"browser": True, "start": "ot_lab?file=k", "ready": lambda: ready.append("ready")}
    server = Thread(target=serving_module.serve, args=(["ot"], address, 5151), kwargs=asked)
    server.start()
    server.join(60)
    ((pages, how),) = served
    assert set(pages) == {"/", "classroom", "ot_lab"}
    assert (how["address"], how["port"], opened) == (address, 5151, [])
    (begin,) = begun
    begin()
    assert opened == [f"http://{opens}:5151/ot_lab?file=k"]
    assert ready == ["ready", "kernels"]


def test_a_file_is_opened_in_its_lab_at_the_start(tmp_path, monkeypatch, capsys):
    table, document = tmp_path / "mine.csv", tmp_path / "mine.otlab"
    table.write_text("input,candidate,frequency,Max\nap,ap,3,0\nap,a,1,1\n", encoding="utf-8")
    document.write_bytes(write_archive(Saved(Summary("", "mg_lab"), {})))
    started = []

    def served(names, address, port, *, start, ready, **_):
        started.append((names, start))
        ready()

    monkeypatch.setattr(serving_module, "serve", served)
    assert main(["serve", str(table), "--port", "0", "--no-browser"]) == 0
    assert main(["serve", str(document), "mg", "--port", "0", "--no-browser"]) == 0
    assert main(["serve", "ot", "--port", "0", "--no-browser"]) == 0
    assert [names for names, _ in started] == [[], ["mg"], ["ot"]]
    keys = [start.partition("?file=") for _, start in started]
    assert [route for route, *_ in keys] == ["ot_lab", "mg_lab", ""]
    assert uploads.fetch(keys[0][2]) == ("mine.csv", table.read_bytes())
    assert f"/{started[0][1]}\n" in capsys.readouterr().out


def test_a_file_that_no_lab_opens_is_refused(tmp_path, capsys):
    picture = tmp_path / "photo.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    for words, message in (
        ([str(picture)], "is a picture"),
        ([str(tmp_path / "none.csv")], "none.csv"),
        (["a.csv", "b.csv"], "one file can be opened"),
        (["phonology"], "no lab 'phonology'"),
    ):
        assert main(["serve", *words, "--no-browser"]) == 2
        assert message in capsys.readouterr().err
