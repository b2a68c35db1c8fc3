"""``otlab serve --password``: a browser is asked for it once, by a page that needs no other host."""

from __future__ import annotations

import re
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlencode

import pytest

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


def test_who_does_not_know_it_is_told_so(url, visitor):
    where, text = visitor(f"{url}/login", username="class", password="wag")
    assert "/login" in where
    assert "That is not the password" in text
    assert "/login" in visitor(f"{url}/ot_lab")[0]
