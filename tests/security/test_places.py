"""Text becomes markup in places found by reading the sources: each escapes it, or cannot hold any."""

from __future__ import annotations

from functools import cache

import pytest

from otlab.html import escape
from tests.security.elsewhere import BY_PROOF, ELSEWHERE
from tests.security.exceptions import EXCEPTIONS, NUMBERS, PASSING, SCRIPTS, TRUSTED
from tests.security.places import BRIDGES, ROOT, places, sources, texts
from tests.security.probes import Notes, read
from tests.security.scripts import all_sinks, sinks
from tests.security.sources import Sources


@cache
def found():
    """Return all places of otlab."""
    return places(sources(), TRUSTED, PASSING)


def _excepted(place):
    """Return the entry of the table for a place; None if there is none."""
    for key in EXCEPTIONS:
        path, function, value = key
        whole = place.value == value or (
            value == "Tabulator" and place.value.startswith("pn.widgets.Tabulator(")
        )
        if place.path == path and function in ("*", place.function) and (value == "*" or whole):
            return key
    return None


def test_every_value_in_markup_is_escaped_or_harmless():
    wrong = [str(place) for place in found() if not place.harmless and not _excepted(place)]
    assert not wrong, "escape these (otlab.html), or say in exceptions.py why not:\n" + "\n".join(wrong)
    assert len(found()) > 800


def test_every_value_that_a_script_puts_into_the_page_is_its_own_or_from_a_listed_place():
    known = [*SCRIPTS, *((path, None) for path in BRIDGES), (NUMBERS, None)]
    wrong = [
        str(sink)
        for sink in all_sinks()
        if not sink.harmless and (sink.path, sink.value) not in known and (sink.path, None) not in known
    ]
    assert not wrong, "make these with h(), or say in exceptions.py why not:\n" + "\n".join(wrong)


def test_the_tables_name_only_what_is_there_and_is_needed():
    needed = {_excepted(place) for place in found() if not place.harmless}
    assert set(EXCEPTIONS) == needed - {None}
    there = {(scope.path, scope.name) for scopes in sources().functions.values() for scope in scopes}
    assert set(TRUSTED) <= there
    assert set(PASSING) <= set(sources().functions)
    in_scripts = {(sink.path, sink.value) for sink in all_sinks() if not sink.harmless}
    assert set(SCRIPTS) <= in_scripts
    assert {*BRIDGES, NUMBERS} <= {path for path, _ in in_scripts}
    for path, key in BRIDGES.values():
        assert any(place.path == path for place in found()), key


def test_the_table_of_what_is_reached_elsewhere_names_only_what_is_there():
    with_places = {(place.path, place.function) for place in found()}
    assert set(ELSEWHERE) | BY_PROOF <= with_places
    assert not set(ELSEWHERE) & BY_PROOF
    for test in {*ELSEWHERE.values()}:
        assert (ROOT / test).exists(), test


def test_a_probe_tells_a_hostile_name_that_was_escaped_from_one_that_was_not(tmp_path):
    note, name = Notes(tmp_path / "notes"), "<img/src=x/onerror=window.hit=1>"
    assert note(1, 2.5) == 2.5
    note(2, "<b>a</b>")
    note(3, f"<b>{escape(name)}</b>")
    note(4, f"<b>{name}</b>")
    assert read(tmp_path / "notes") == ({1, 2, 3, 4}, {3, 4}, {4})


UNSAFE = [
    'def f(name: str):\n    return f"<b>{name}</b>"\n',
    'def f(name: str):\n    return "<b>" + name\n',
    'def f(name: str):\n    return "<b>%s</b>" % name\n',
    'def f(name: str):\n    return "<b>{}</b>".format(name)\n',
    'WORDS = "<b>{}</b>"\ndef f(name: str):\n    return WORDS.format(name)\n',
    "def f(name: str):\n    return f'<i title=\"{name}\"></i>'\n",
    'def f(name: str):\n    return f"<b>{g(name)}</b>"\ndef g(text):\n    return text\nNAME = f(input())\n',
    'def f(self):\n    self.pane = Html("")\ndef g(self, name: str):\n    self.pane.show(name)\n',
    "def f(name: str):\n    return Markup(name)\n",
    "class A:\n    name: str\ndef f(a: A):\n    return f'<b>{a.name}</b>'\nA(input())\n",
    "def f(names: list[str]):\n    return f'<b>{\", \".join(n for n in names)}</b>'\n",
    "def f(name: str):\n    parts = []\n    parts.append(name)\n    return f'<b>{\"\".join(parts)}</b>'\n",
    "class A:\n    def _repr_html_(self):\n        return self.name\n",
]
HARMLESS = [
    'def f(name: str):\n    return f"<b>{escape(name)}</b>"\n',
    'def f(n: int):\n    return f"<b>{n}</b>"\n',
    'def f(n):\n    return f"<b>{n:.2f}</b>"\n',
    'def f(name: Markup):\n    return f"<b>{name}</b>"\n',
    'def f():\n    return f"<b>{_g(escape(input()))}</b>"\ndef _g(text):\n    return f"<i>{text}</i>"\n',
    "def f(name: str):\n    return element('b', name) + name\n",
]


@pytest.mark.parametrize("text", UNSAFE)
def test_a_new_place_that_does_not_escape_is_seen(text):
    made = places(Sources({"otlab/new.py": text}))
    assert made
    assert not all(place.harmless for place in made)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_escaped_or_no_text_is_harmless(text):
    made = places(Sources({"otlab/html.py": texts()["otlab/html.py"], "otlab/new.py": text}))
    assert all(place.harmless for place in made)


@pytest.mark.parametrize(
    "line",
    [
        "node.innerHTML = model.name",
        "node.innerHTML += `<b>${name}</b>`",
        "node.insertAdjacentHTML('beforeend', name)",
        "h('b', { class: 'x', html: name })",
        "h('a', { href: address }, 'Open')",
        "link.href = address",
        "frame.srcdoc = text",
        "document.write(name)",
        "eval(text)",
        "range.createContextualFragment(text)",
        'new DOMParser().parseFromString(text, "text/html")',
    ],
)
def test_a_script_that_makes_html_of_a_value_is_seen(line):
    (sink,) = sinks("new.js", f"function draw() {{\n  {line}\n}}\n")
    assert sink.function == "draw"
    assert not sink.harmless


@pytest.mark.parametrize(
    "line", ["a.innerHTML = '<svg></svg>'", "a.innerHTML = ICONS[name]", "b = a.outerHTML"]
)
def test_a_script_that_makes_html_of_its_own_text_is_harmless(line):
    assert all(sink.harmless for sink in sinks("new.js", line))
