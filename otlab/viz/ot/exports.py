"""The formats in which a tableau can be written: tables that otlab can read, and tableaux for papers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ot.analysis.rank import Ranking, rank, tied_inputs
from otlab.ot.analysis.report import about_table
from otlab.ot.formatting import slashed
from otlab.ot.io.praat import write_praat
from otlab.ot.io.praat_tableau import to_praat
from otlab.ot.io.write import to_csv, to_maxent_ot, to_otsoft, to_xlsx
from otlab.ot.orders import order_of
from otlab.ot.tableau import Tableau
from otlab.viz.base.png import svg_png
from otlab.viz.ot.printed import Strata, tableau_latex, tableau_svg, tableau_word_html

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "FORMATS",
    "PRINTED",
    "Format",
    "Order",
    "format_of",
    "order_of_values",
    "ranked_source",
    "write_tableau",
]


class Order(NamedTuple):
    """The order of the constraints in printed tableaux, and its source in words.

    With `predicted`, the probability of each candidate, shape (rows,), tableaux have observed and predicted
    shares.
    """

    strata: Strata
    source: str
    predicted: np.ndarray | None = None


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


def _drawn(draw: Callable[..., str], **options: str) -> Writer:
    """Return a writer of printed tableaux."""

    def write(tableau: Tableau, order: Order) -> bytes:
        about = about_table(tableau, order.source)
        return draw(tableau, order.strata, about=about, predicted=order.predicted, **options).encode()

    return write


def _png(tableau: Tableau, order: Order) -> bytes:
    try:
        return svg_png(_drawn(tableau_svg)(tableau, order).decode())
    except ImportError as error:
        hint = 'install it with: pip install "otlab[png]", or take SVG'
        raise InputError(Fault("PNG needs a package that is not installed", hint)) from error


_ABOUT = ("title", "source", "notes", "noise", "bound", "total", "overt")

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
        _drawn(tableau_latex, style="ot-tableau"),
        ("frequencies",),
    ),
    "tabular": Format(
        "LaTeX, tabular",
        "_tabular.tex",
        _drawn(tableau_latex, style="tabular"),
        ("frequencies",),
    ),
    "html": Format("Word (HTML)", ".html", _drawn(tableau_word_html), ("frequencies",)),
    "svg": Format("SVG", ".svg", _drawn(tableau_svg), ("frequencies",)),
    "png": Format("PNG", ".png", _png, ("frequencies",)),
}
"""The formats, by their names in ``otlab convert --to``."""
PRINTED = ("ot-tableau", "tabular", "html", "svg", "png")
"""The formats for papers, in which constraints are in the order of a ranking."""
_MOST_TIED = 3
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


def write_tableau(
    tableau: Tableau,
    form: str,
    strata: Strata | None = None,
    source: str = "",
    predicted: np.ndarray | None = None,
) -> bytes:
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
    predicted
        Probability of each candidate, shape (rows,), to be printed beside the observed shares.
    """
    if form not in PRINTED:
        order = _FILE_ORDER
    else:
        order = _by_demotion(tableau) if strata is None else Order(strata, source)
    return FORMATS[form].write(tableau, order._replace(predicted=predicted))


def ranked_source(ranking: Ranking) -> str:
    """Return the source of a ranking's strata in words, with the inputs whose winner is one of several."""
    fits = ranking.consistent
    source = f"the strata by {ranking.algorithm.upper()}" if fits else "the file, for no ranking fits"
    tied = tied_inputs(ranking.tableau)
    named = ", ".join(map(slashed, tied[:_MOST_TIED])) + (", ..." if tied[_MOST_TIED:] else "")
    return (
        f"{source}\nequally frequent candidates of {named}: the first is taken as the winner"
        if tied
        else source
    )


def order_of_values(values: np.ndarray) -> Strata:
    """Return the order of ranking values or weights, the highest first; equal ones form a stratum."""
    order = order_of(values)
    sizes = [len(list(equal)) for _, equal in groupby(order, key=lambda c: float(values[c]))]
    return Strata(tuple(order), tuple(sizes))


def _by_demotion(tableau: Tableau) -> Order:
    ranking = rank(tableau)
    return Order(Strata.of_ranking(ranking), ranked_source(ranking))
