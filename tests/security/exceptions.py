"""What the proof cannot show, each with the reason why it is harmless; kept short, and checked to exist."""

OWN = "a file of the package, or text of it"
TRUSTED = {
    ("otlab/ui/components/__init__.py", "stylesheet"): OWN,
    ("otlab/viz/base/css/__init__.py", "sheet"): OWN,
    ("otlab/web/js/__init__.py", "room"): OWN,
    ("otlab/viz/base/tokens.py", "variable"): "looks its token up among the colours: any other is a KeyError",
    ("otlab/ui/classroom/teacher.py", "qr_svg"): "black and white squares: segno writes no text",
}
"""Functions that return what is harmless."""

PASSING = {
    "with_minus": "puts a true minus before names of features",
    "unbroken": "puts a word joiner after the hyphen of a suffix",
}
"""Functions that return their first argument, in which they exchange a hyphen."""

EXCEPTIONS = {
    ("otlab/ui/ot/forms/counts.py", "_cells", "field"): "the number of a column, in a style sheet",
    (
        "otlab/ui/ot/tabs/data.py",
        "ConstraintCard.__init__",
        "{**tips, ABOVE: 'constraints that it is always ranked above'}",
    ): "what the columns are for, text of the package",
    (
        "otlab/ui/ot/tabs/token_table.py",
        "TokenTable.__init__",
        "Tabulator",
    ): "its columns have names of their own",
    ("otlab/ui/server/static_files.py", "*", "*"): "scripts and styles of packages",
    ("otlab/viz/base/page.py", "page", "'\\n'.join(code)"): "scripts of otlab, and JSON without <",
    ("otlab/web/page.py", "lab_page", "'\\n'.join(code)"): "scripts of otlab",
    ("otlab/web/page.py", "lab_page", "written.replace('<', '\\\\u003c')"): "JSON without <",
    ("otlab/viz/mg/tree.py", "_struck", "match[0]"): "a part of the drawing that is drawn again",
    (
        "otlab/viz/ot/ranking.py",
        "_comparison_html",
        "words.replace(' >> ', ' ≫ ')",
    ): "forms and constraints are Markup",
    (
        "otlab/viz/ot/ranking.py",
        "needs_html",
        "erc_text(erc, names).replace('>>', '≫')",
    ): "constraints are Markup",
}
"""Places in Python."""

BOKEH = "a plot that Bokeh draws as SVG, whose texts its serializer escapes; it is saved, not shown"
LAB = "begins with the lab's own address"
SCRIPTS = {
    ("otlab/viz/base/js/common.js", "value"): "each use of h with html is in the list by itself",
    ("otlab/viz/base/js/card_picture.js", 'text, "image/svg+xml").documentElement, box, place)'): BOKEH,
    ("otlab/viz/base/js/card_picture.js", "address"): "a blob of this page, as an image",
    ("otlab/ui/mg/tabs/long_text.js", "`${folder}/ace.js`"): "the folder that Panel serves the editor from",
    ("otlab/ui/components/app_bar.js", "places.value } })"): LAB,
    (
        "otlab/ui/components/app_bar.js",
        "`./${model.route}?document=${chooser.value.slice(OPEN.length)}`",
    ): LAB,
    (
        "otlab/ui/components/drop_zone.js",
        "sent.open })",
    ): "./ and the name of a lab, and what uploads.py kept",
    ("otlab/ui/components/exercise_dialog.js", "open"): "the page's own address, and the exercise's key",
    ("otlab/ui/components/recent_documents.js", "address"): "./ and the name of a lab, and an id",
    (
        "otlab/ui/lexicon/components/segmentation.js",
        "model.shown.gold",
    ): "true or false; it chooses among entries",
}
"""Places in scripts, other than those of ``BRIDGES``, whose values are in the list of Python."""
NUMBERS = "otlab/ui/lexicon/components/sound_view.js"
"""A script whose drawings are made of numbers alone."""
