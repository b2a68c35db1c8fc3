"""Every place in the scripts of otlab where a value becomes HTML, an address or code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tests.security.places import ROOT

_TO_END = r"\s*(?P<value>[^;\n]+)"
SINKS = [
    re.compile(rf"\.(?:inner|outer)HTML\s*\+?=(?!=){_TO_END}"),
    re.compile(
        rf"\.(?:insertAdjacentHTML|createContextualFragment|setHTML|setHTMLUnsafe|parseFromString)\({_TO_END}"
    ),
    re.compile(rf"\bdocument\.write(?:ln)?\({_TO_END}"),
    re.compile(rf"(?<![\w.])(?:eval|Function)\({_TO_END}"),
    re.compile(rf"\bsrcdoc\s*[=:]{_TO_END}"),
    re.compile(r"[{,]\s*html:\s*(?P<value>`[^`]*`|[^,}]+)"),
    re.compile(r"[{,]\s*(?:href|src|action):\s*(?P<value>`[^`]*`|\"[^\"]*\"|[^,}]+)"),
    re.compile(rf"\.(?:href|src|action)\s*=(?!=){_TO_END}"),
    re.compile(rf"setAttribute\(\s*[\w.]*,?\s*\"(?:href|src|action|srcdoc)\",{_TO_END}"),
    re.compile(r"(?:location\.(?:assign|replace)|window\.open)\((?P<value>[^)\n]+)"),
]
_INSIDE = re.compile(r"\$\{([^}]*)\}")
_OWN = re.compile(
    r"\s*(\"[^\"]*\"|'[^']*'|URL\.createObjectURL\(\w+\)|[A-Z][A-Z_]+(\[[^\]]*(\[[^\]]*\])?[^\]]*\])?)\s*[})]*\s*$"
)
_FUNCTION = re.compile(
    r"^(?P<indent> *)(?:export |async )*(?:function\s+(?P<a>\w+)|(?:const|let)\s+(?P<b>\w+)\s*=[^=]*=>|"
    r"(?:async )?(?P<c>\w+)\([^()]*\)\s*\{)"
)


@dataclass(frozen=True)
class Sink:
    """A value that becomes HTML, an address or code in a page."""

    path: str
    function: str
    value: str
    line: str
    harmless: bool

    def __str__(self):
        return f"{self.path} {self.function}: {self.value}"


def own(value):
    """Return whether a value is the script's own: a text, or a constant by its capital letters."""
    value = value.strip()
    if value.startswith("`") and value.count("`") == 2:
        return all(own(part) for part in _INSIDE.findall(value))
    return bool(_OWN.match(value))


def sinks(path, text):
    """Return the sinks of a script."""
    found, functions = [], []
    for line in text.splitlines():
        if named := _FUNCTION.match(line):
            indent = len(named["indent"])
            name = named["a"] or named["b"] or named["c"]
            if name not in ("if", "for", "while", "switch", "catch"):
                functions = [each for each in functions if each[0] < indent] + [(indent, name)]
        if not line.lstrip().startswith("//"):
            for pattern in SINKS:
                for match in pattern.finditer(line):
                    value = match["value"].strip()
                    where = ".".join(name for _, name in functions)
                    found.append(Sink(path, where, value, line, own(value)))
    return found


@cache
def all_sinks():
    """Return the sinks of all scripts of otlab."""
    files = sorted([*(ROOT / "otlab").rglob("*.js"), *(ROOT / "otlab").rglob("*.html")])
    return [s for p in files for s in sinks(p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8"))]
