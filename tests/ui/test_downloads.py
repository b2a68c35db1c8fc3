"""Download buttons: content at once or made when asked for; a refusal is a message without a file."""

from __future__ import annotations

import pytest

from otlab.errors import InputError
from otlab.ui.components.downloads import Downloads
from otlab.ui.state import State
from tests.ui.page import download, send, sent


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"1,2\n", lambda: b"1,2\n"])
def test_a_file_is_made_when_its_button_is_pressed(content):
    row = Downloads(lambda key: (f"{key}.csv", content), [["scores", "Scores"]], state=State())
    assert download(row, "scores") == ("scores.csv", b"1,2\n")


def test_a_refusal_is_said_and_nothing_is_sent():
    refusals = []

    def make(key):
        raise InputError("There is nothing to download before a run has ended")

    row = Downloads(make, [["scores", "Scores"]], refusals.append, state=State())
    messages = sent(row)
    send(row, {"key": "scores"})
    assert refusals == ["There is nothing to download before a run has ended"]
    assert messages == []
