"""Helpers for the tests of the lexicon lab."""

from __future__ import annotations

from otlab.discovery.toy import ToyLanguage

SMALL = ToyLanguage(words=12, utterances=80)


def data_tab(showing):
    """The Data tab, which has been opened."""
    showing.open("Data")
    showing.open("Segment")
    return showing.tab("Data")


def finished(lab):
    lab.runner.run()
    assert lab.runner.wait(120)
    assert not lab.runner.runner.failures
    return lab
