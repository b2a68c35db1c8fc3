"""Pictures of pages that belong to no lab."""

from __future__ import annotations

from tests.ui.screenshots import State


def keyboard(page):
    page.get_by_role("button", name="Keyboard and help").click()
    page.get_by_role("dialog", name="Keyboard and help").wait_for()


STATES = [
    State("home", "/"),
    State("home_dark", "/", dark=True),
    State("home_1000", "/", size=(1000, 800)),
    State("home_keyboard", "/", keyboard),
]
