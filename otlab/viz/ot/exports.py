"""The formats in which a tableau can be written: tables that otlab can read, and tableaux for papers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.report import about_table
from otlab.ot.io.praat import write_praat
from otlab.ot.io.praat_tableau import to_praat
from otlab.ot.io.write import to_csv, to_maxent_ot, to_otsoft, to_xlsx
from otlab.ot.tableau import Tableau
from otlab.viz.base.png import svg_png
from otlab.viz.ot.printed import Strata, tableau_latex, tableau_svg, tableau_word_html

__all__ = ["FORMATS", "PRINTED", "Format", "Order", "format_of", "write_tableau"]


class Order(NamedTuple):
    """The order of the constraints in printed tableaux, and its source in words."""

    strata: Strata
    source: str


Writer = Callable[[Tableau, Order], bytes]


class Format(NamedTuple):
    """A format: label, ending, writer, and the fields of a tableau that it does not have."""

    label: str
    ending: str
    write: Writer
    lacks: tuple[str, ...] = ()


def _xlsx(tableau: Tableau, _: Order) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.xlsx"
        to_xlsx(tableau, path)
        return path.read_bytes()


def _praat(kinds: str) -> Writer:
    """Return a writer of Praat's grammar ("g"), its pair distribution ("p"), or both."""

    def write(tableau: Tableau, _: Order) -> bytes:
        grammar, pairs = to_praat(tableau)
        chosen = [one for one, kind in ((grammar, "g"), (pairs, "p")) if kind in kinds and one]
        return write_praat(*chosen, name=tableau.name or "otlab").encode()

    return write


def _drawn(draw: Callable[[Tableau, Strata, str], str]) -> Writer:
    """Return a writer of printed tableaux."""

    def write(tableau: Tableau, order: Order) -> bytes:
        return draw(tableau, order.strata, about_table(tableau, order.source)).encode()

    return write


def _png(tableau: Tableau, order: Order) -> bytes:
    try:
        return svg_png(_drawn(tableau_svg)(tableau, order).decode())
    except ImportError as error:
        hint = 'install it with: pip install "otlab[png]", or take SVG'
        raise InputError(Fault("PNG needs a package that is not installed", hint)) from error


_ABOUT = ("title", "source", "notes", "noise", "bound", "total")

FORMATS = {
    "csv": Format("CSV", ".csv", lambda t, _: to_csv(t).encode()),
    "maxent.ot": Format("maxent.ot (CSV)", "_maxent.csv", lambda t, _: to_maxent_ot(t).encode(), _ABOUT),
    "otsoft": Format("OTSoft text", ".txt", lambda t, _: to_otsoft(t).encode(), _ABOUT),
    "xlsx": Format("Spreadsheet", ".xlsx", _xlsx),
    "praat": Format("Praat grammar", ".OTGrammar", _praat("g"), (*_ABOUT, "frequencies")),
    "praat-pairs": Format("Praat pairs", ".PairDistribution", _praat("p"), (*_ABOUT, "violations")),
    "praat-collection": Format("Praat collection", ".Collection", _praat("gp"), _ABOUT),
    "ot-tableau": Format(
        "LaTeX, ot-tableau",
        ".tex",
        _drawn(lambda t, strata, about: tableau_latex(t, strata, "ot-tableau", about)),
        ("frequencies",),
    ),
    "tabular": Format(
        "LaTeX, tabular",
        "_tabular.tex",
        _drawn(lambda t, strata, about: tableau_latex(t, strata, "tabular", about)),
        ("frequencies",),
    ),
    "html": Format("Word (HTML)", ".html", _drawn(tableau_word_html), ("frequencies",)),
    "svg": Format("SVG", ".svg", _drawn(tableau_svg), ("frequencies",)),
    "png": Format("PNG", ".png", _png, ("frequencies",)),
}
"""The formats, by their names in ``otlab convert --to``."""
PRINTED = ("ot-tableau", "tabular", "html", "svg", "png")
"""The formats for papers, in which constraints are in the order of a ranking."""
_FILE_ORDER = Order(Strata((), ()), "")


def format_of(path: Path) -> str:
    """Return the name of the format of a file, by the file's ending.

    Raises
    ------
    InputError
        If no format has this ending.
    """
    for name, form in FORMATS.items():
        if path.suffix.lower() == form.ending.lower():
            return name
    endings = [form.ending for form in FORMATS.values() if form.ending.startswith(".")]
    hint = f"{did_you_mean(path.suffix or path.name, endings)}, or name the format with --to"
    raise InputError(Fault("its ending belongs to no format of tableaux", hint, file=str(path)))


def write_tableau(tableau: Tableau, form: str, strata: Strata | None = None, source: str = "") -> bytes:
    """Return a tableau in one of :data:`FORMATS`.

    Parameters
    ----------
    tableau
        The tableau.
    form
        Name of the format.
    strata
        Order of the constraints in printed tableaux; if None, by recursive constraint demotion.
    source
        Source of that order, in words.
    """
    if form not in PRINTED:
        order = _FILE_ORDER
    else:
        order = _by_demotion(tableau) if strata is None else Order(strata, source)
    return FORMATS[form].write(tableau, order)


def _by_demotion(tableau: Tableau) -> Order:
    ranking = rank(tableau)
    source = "the strata by RCD" if ranking.consistent else "the file, for no ranking fits"
    return Order(Strata.of_ranking(ranking), source)
