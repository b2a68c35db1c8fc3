"""The ranking-value line in a real browser: mouse, keys, what a screen reader reads out."""

from __future__ import annotations

import re
import socket
import time

import numpy as np
import panel as pn
import pytest

from otlab.ot import Tableau, predict
from tests.ui.browser import PATIENCE

pytestmark = pytest.mark.browser

ROWS = [
    ("x", "bu.bwa.ja", 33, [1, 0, 1]),
    ("x", "bwaj.bwa.ja", 33, [2, 0, 0]),
    ("x", "bub.wa.ja", 33, [0, 1, 0]),
]
NAMES = ["*C-ONS", "AL", "I_BR"]
LONG = ["M" * 200, f"Ident-IO(place) {'before a vowel ' * 12}", "I_BR"]
MEDIANS = np.array([-0.08, 0.53, -0.45])


def wide():
    rng = np.random.default_rng(30)
    names = [f"*Complex-<b>{k}" for k in range(30)]
    return Tableau.from_rows([("x", f"y{c}", 1, rng.integers(0, 3, 30)) for c in range(4)], names)


def app(views):
    def show(tableau, values):
        from otlab.ui.components.rankings import RankingValues

        view = RankingValues(tableau, values, noise=1.0, bound=6.0)
        views.append(view)
        return pn.Column(view, width=1000, height=200)

    return {
        "/small": lambda: show(Tableau.from_rows(ROWS, NAMES), MEDIANS),
        "/wide": lambda: show(wide(), np.linspace(-1, 1, 30)),
        "/long": lambda: show(Tableau.from_rows(ROWS, LONG), MEDIANS),
    }


@pytest.fixture(scope="module")
def server():
    """Served views, newest last, and the address."""
    views = []
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = pn.serve(app(views), port=port, address="127.0.0.1", show=False, threaded=True, verbose=False)
    yield views, f"http://127.0.0.1:{port}"
    running.stop()


@pytest.fixture
def page(visit):
    return visit(size=(1040, 300)).page


def slider(page, name):
    found = page.get_by_role("slider", name=f"Ranking value of {name}", exact=True)
    found.wait_for()
    return found


def until(page, holds):
    """Let the page live on until something is so in Python."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, "it never was"
        page.wait_for_timeout(25)


def bars(page):
    return [float(x) for x in re.findall(r"([\d.]+)\u2009%", page.locator(".ot-bars").inner_text())]


def test_keys_move_a_bell_and_the_bars_follow(server, page):
    from playwright.sync_api import expect

    views, address = server
    page.goto(f"{address}/small")
    al = slider(page, "AL")
    expect(al).to_have_attribute("aria-valuetext", "AL 0.53")
    before = bars(page)
    al.focus()
    for key, text in [
        ("ArrowRight", "0.58"),
        ("Shift+ArrowRight", "1.08"),
        ("ArrowDown", "1.03"),
        ("Home", "0.53"),
    ]:
        page.keyboard.press(key)
        assert al.get_attribute("aria-valuetext") == f"AL {text}"
    page.keyboard.press("Shift+ArrowLeft")
    exact = predict(Tableau.from_rows(ROWS, NAMES), [-0.08, 0.03, -0.45], 1.0).probability
    page.locator(".ot-bars", has_text=f"{100 * exact[0]:.1f}\u2009%").wait_for()
    np.testing.assert_allclose(bars(page), 100 * exact, atol=0.051)
    assert max(abs(b - e) for b, e in zip(bars(page), before, strict=True)) > 5
    np.testing.assert_allclose(views[-1].values, [-0.08, 0.03, -0.45])


@pytest.mark.parametrize("part", [".knob", ".name"])
def test_dragging_a_handle_or_its_name(server, page, part):
    views, address = server
    page.goto(f"{address}/small")
    al = slider(page, "AL")
    box = al.locator(part).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 21):
        page.mouse.move(x - 6 * step, y)
    dragged = float(al.get_attribute("aria-valuenow"))
    assert dragged < 0.0
    assert slider(page, "I BR").get_attribute("aria-valuenow") == "-0.45"  # the others stay
    page.mouse.up()
    slider(page, "I BR").and_(page.locator("[aria-valuenow]:not([aria-valuenow='-0.45'])")).wait_for()
    until(page, lambda: abs(views[-1].values.mean()) < 1e-9)
    values = views[-1].values
    assert values[1] - values[2] == pytest.approx(dragged + 0.45, abs=0.006)
    page.locator(f"[aria-valuenow='{values[2]:.2f}']").wait_for()
    shown = [float(slider(page, name).get_attribute("aria-valuenow")) for name in ("*C-ONS", "AL", "I BR")]
    np.testing.assert_allclose(shown, values, atol=0.0051)


def test_python_moves_the_bells_back(server, page):
    views, address = server
    page.goto(f"{address}/small")
    al = slider(page, "AL")
    al.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowLeft")
    page.locator("[aria-valuetext='AL 0.03']").wait_for()
    until(page, lambda: abs(views[-1].values[1] - 0.03) < 1e-9)
    views[-1].show(MEDIANS)
    page.locator("[aria-valuetext='AL 0.53']").wait_for()


def test_thirty_constraints_stay_inside(server, page):
    _, address = server
    page.goto(f"{address}/wide")
    slider(page, "*Complex-<b>0")
    handles = page.get_by_role("slider")
    assert handles.count() == 30
    picture = page.get_by_role("group", name="Ranking values").bounding_box()
    names = [n.bounding_box() for n in page.locator("text.name").all() if n.is_visible()]
    assert len(names) >= 8
    assert all(
        picture["x"] - 1 <= n["x"] and n["x"] + n["width"] <= picture["x"] + picture["width"] + 1
        for n in names
    )
    assert all(n["y"] >= picture["y"] - 4 for n in names)


def test_names_that_are_too_long_are_cut_at_the_picture(server, page):
    _, address = server
    page.goto(f"{address}/long")
    assert slider(page, LONG[0]).locator("title").text_content() == LONG[0]
    picture = page.get_by_role("group", name="Ranking values").bounding_box()
    names = [name.bounding_box() for name in page.locator("text.name").all() if name.is_visible()]
    assert len(names) == 3
    assert all(
        picture["x"] - 1 <= n["x"] and n["x"] + n["width"] <= picture["x"] + picture["width"] + 1
        for n in names
    )
