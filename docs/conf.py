"""How the documentation becomes a site: ``make site`` writes it to docs/_build/html, without warnings."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

import otlab
from otlab.ot import read
from otlab.web.page import lab_page

project = "otlab"
author = "the otlab developers"
release = version = otlab.__version__
language = "en"

extensions = [
    "myst_nb",  # these pages are Markdown, the tutorials notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",  # numpy style docstrings
]
root_doc = "index"
exclude_patterns = ["_build", "screenshots", "examples"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

# The notebooks carry what they print; a test runs them. A number drawn anew here would be a second truth.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4

suppress_warnings = ["ref.python"]  # a parameter's name is no link: several classes have one of that name
autodoc_typehints = "none"  # the parameters' descriptions say them in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "otlab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
html_math_renderer = "mathml"


def _inline(writer, node):
    """Write an inline formula as MathML, which browsers draw without a script from elsewhere."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display(writer, node):
    """Write a displayed formula as MathML."""
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def _write_lab(app, error):
    """Write the OT lab as one page beside the site's pages."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "otlab.html").write_text(lab_page(read("ilokano")), encoding="utf-8")


def setup(app):
    """Draw formulas as MathML, and add the page of *Try it*."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_display, None))
    app.connect("build-finished", _write_lab)
