"""What the tests of the tagging lab share."""

from __future__ import annotations

from otlab.ui.tagging.lab import TaggingLab

TABS = [tab.title for tab in TaggingLab.tabs]


def view_of(lab):
    (showing,) = lab.showings
    return showing


def finished(lab):
    lab.runner.run()
    assert lab.runner.wait(60)
    assert lab.runner.phase == "done", lab.runner.runner.failures
    return lab
