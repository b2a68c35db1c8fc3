"""The first line of each hand-written component says how long it and its library peer take to build."""

import re
from importlib import import_module
from pkgutil import walk_packages

from panel.custom import JSComponent

from benchmarks.components import CASES
from otlab import ui
from otlab.ui.settings_form import SettingsForm
from tests.test_imports import ROOT

MEASURED = re.compile(r"// Takes [\d.]+ ms to build, where .+ would take [\d.]+\.$")
WITHOUT_PEER = re.compile(r"// Has no peer: .+\.$")
PARTS = {"RankingLine": ROOT / "viz" / "base" / "js" / "ranking_line.js"}


def components():
    """Return every component of the interface that has JavaScript of its own."""
    for module in walk_packages(ui.__path__, "otlab.ui."):
        import_module(module.name)
    found, waiting = [], [JSComponent]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("otlab.") and "_esm" in vars(kind):
                found.append(kind)
    return found


def first_lines():
    """Return the first line of each module of JavaScript that defines a component."""
    files = [*(ROOT / "ui").rglob("*.js"), PARTS["RankingLine"]]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in files}
    return {name: text.splitlines()[0] for name, text in texts.items() if "export function render" in text}


def test_each_component_states_its_measurement():
    lines = first_lines()
    assert len(lines) == len(components())
    measured = {name for name, line in lines.items() if MEASURED.match(line)}
    assert {name for name, line in lines.items() if WITHOUT_PEER.match(line)} == set(lines) - measured
    assert set(lines) - measured == {"editor_theme", "grid_keys", "list_keys", "read_as"}


def test_each_component_with_a_peer_is_measured():
    measured = {kind.__name__ for kind, *_ in CASES} | {SettingsForm.__name__}
    assert {kind.__name__ for kind in components()} - {
        "EditorTheme",
        "GridKeys",
        "ListKeys",
        "ReadAsPanel",
    } == measured
