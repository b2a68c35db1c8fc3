"""What the cells of a notebook are sent, in a browser that has what VS Code has in its cells."""

from __future__ import annotations

import pytest
from panel.io.resources import DIST_DIR

from otlab.ui.server import notebook

pytestmark = pytest.mark.browser

REQUIRE_JS = "window.define = () => { window.registered = true }; window.define.amd = {}"


def panels_script():
    (path,) = DIST_DIR.glob("bundled/datatabulator/tabulator-tables@*/dist/js/tabulator.min.js")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("script", "found"), [(notebook.tabulator_script, "function"), (panels_script, "undefined")]
)
def test_tabulator_is_a_variable_although_the_cell_has_require_js(browser, script, found):
    """Panel's own script only registers a module; when it no longer does, the change can go."""
    page = browser.new_page()
    page.evaluate(REQUIRE_JS)
    page.add_script_tag(content=script())
    assert page.evaluate("typeof window.Tabulator") == found
    assert page.evaluate("window.registered === true") is (found == "undefined")
    page.close()
