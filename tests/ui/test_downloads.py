"""Download buttons: content at once or made when asked for; a refusal is said, nothing is sent."""

from __future__ import annotations

import base64

import pytest

from otlab.errors import InputError
from otlab.ui.components.downloads import Downloads


@pytest.fixture
def sent(monkeypatch):
    messages = []
    monkeypatch.setattr(Downloads, "_send_msg", lambda _, message: messages.append(message))
    return messages


@pytest.mark.parametrize("content", [b"1,2\n", lambda: b"1,2\n"])
def test_a_file_is_made_when_its_button_is_pressed(sent, content):
    row = Downloads(lambda key: (f"{key}.csv", content), [["scores", "Scores"]])
    row._handle_msg({"key": "scores"})
    assert sent[0]["name"] == "scores.csv"
    assert base64.b64decode(sent[0]["data"]) == b"1,2\n"


def test_a_refusal_is_said_and_nothing_is_sent(sent):
    said = []

    def make(key):
        raise InputError("There is nothing to download before a run has ended")

    Downloads(make, [["scores", "Scores"]], said.append)._handle_msg({"key": "scores"})
    assert said == ["There is nothing to download before a run has ended"]
    assert sent == []
