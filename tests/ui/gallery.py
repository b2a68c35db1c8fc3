"""Cards in every state on one tab, for the tests of contrast and reading order."""

from __future__ import annotations

import panel as pn

from otlab.errors import Fault, InputError
from otlab.ui import Card
from otlab.ui.components.buttons import button, icon_button, segmented
from otlab.ui.components.layout import across, down
from otlab.ui.components.placeholders import banner, empty, faults, no_result_yet
from tests.ui.toy import DrawsTab, ToyLab


class GalleryTab(DrawsTab):
    """The toy's histogram among cards that are empty, waiting, faulty."""

    title = "Gallery"

    def build(self):
        plot = super().build()
        tools = pn.Row(icon_button("Redo all", "redo", disabled=True), button("Step view", icon="eye"))
        return down(tools, across(empty_card(), waiting_card()), across(plot, faults_card()))


def empty_card():
    words = "Type one, paste from a spreadsheet, drop a file, or start from an example."
    actions = ("Start from Ilokano", lambda: None), ("Empty tableau", lambda: None)
    again = button("Draw again", icon="dice", plain=True)
    return Card("Violations", empty("No tableau yet", words, *actions), action=again)


def waiting_card():
    return Card("Nothing yet", no_result_yet(), action=segmented("View", ["By state", "By tag"]))


def faults_card():
    wrong = InputError(
        [
            Fault("“1,5” is not a whole number", "write 1 or 2", "spanish.csv", 3, 5),
            Fault("6 values for 5 constraints", "remove the last value", "spanish.csv", 7),
        ]
    )
    listed = faults(wrong, "spanish.csv", ("Mend in the grid", lambda: None))
    return Card("Faults", listed, banner("Not converged.", "Smallest ESS is 46."))


class GalleryLab(ToyLab):
    tabs = (GalleryTab, DrawsTab)
