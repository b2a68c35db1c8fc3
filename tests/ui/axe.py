"""Accessibility faults of a page found by axe-core: missing names and roles, too little contrast."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import axe_playwright_python

GRAVE = ("serious", "critical")

_RUN = """async ([impacts, rules]) => {
  const options = { resultTypes: ["violations"] }
  if (rules.length) options.runOnly = { type: "rule", values: rules }
  const { violations } = await axe.run(document, options)
  const describe = (found, node) => [`${found.id} (${found.impact}): ${found.help}`, node.html.slice(0, 240),
    node.failureSummary.replace(/\\s+/g, " ")].join("\\n    ")
  return violations.filter(found => impacts.includes(found.impact))
    .flatMap(found => found.nodes.map(node => describe(found, node)))
}"""


@cache
def _script():
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page, impacts=GRAVE, rules=(), script=None):
    """Return the faults of the page, some lines for each; `rules` restricts axe to some of its rules."""
    if script is not None or not page.evaluate("'axe' in window"):
        page.evaluate(f"{script or _script()}; window.axe = axe")
    return page.evaluate(_RUN, [list(impacts), list(rules)])


def assert_accessible(page, **options):
    """Fail with all that axe-core finds; colours get a moment to finish their transition."""
    for _ in range(8):
        found = violations(page, **options)
        if not found:
            return
        page.wait_for_timeout(250)
    raise AssertionError("\n".join(found))
