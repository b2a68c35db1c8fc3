"""The formats that a tableau can be written in: tables that are read again, and tableaux for papers."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from otlab.errors import Fault, InputError, did_you_mean
from otlab.ot.analysis.rank import rank
from otlab.ot.analysis.report import about_table
from otlab.ot.io.praat import write_praat
from otlab.ot.io.praat_tableau import to_praat
from otlab.ot.io.write import to_csv, to_maxent_ot, to_otsoft, to_xlsx
from otlab.viz.base.png import svg_png
from otlab.viz.ot.printed import Strata
from otlab.viz.ot.tableau_latex import tableau_latex
from otlab.viz.ot.tableau_svg import tableau_svg
from otlab.viz.ot.tableau_word import tableau_word_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.ot.analysis.rank import Ranking
    from otlab.ot.tableau import Tableau

__all__ = ["FORMATS", "Format", "format_of", "write_tableau"]


class Format(NamedTuple):
    """A format: what it is called, the ending of its files, what makes one, and what it has no place for."""

    label: str
    ending: str
    write: Callable[[Tableau, Ranking | None], bytes]
    lacks: tuple[str, ...] = ()


def _xlsx(tableau: Tableau, _: Ranking | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.xlsx"
        to_xlsx(tableau, path)
        return path.read_bytes()


def _praat(kinds: str) -> Callable[[Tableau, Ranking | None], bytes]:
    """Return a writer of the grammar, the pairs, or both."""

    def write(tableau: Tableau, _: Ranking | None) -> bytes:
        grammar, pairs = to_praat(tableau)
        chosen = [one for one, kind in ((grammar, "g"), (pairs, "p")) if kind in kinds and one]
        return write_praat(*chosen, name=tableau.name or "otlab").encode()

    return write


def _drawn(draw: Callable[[Tableau, Strata, str], str]) -> Callable[[Tableau, Ranking | None], bytes]:
    """Return a writer of tableaux in the order of a ranking, that of RCD if None."""

    def write(tableau: Tableau, ranking: Ranking | None) -> bytes:
        ranking = ranking or rank(tableau)
        by = (
            f"the strata by {ranking.algorithm.upper()}"
            if ranking.consistent
            else "the file, for no ranking fits"
        )
        return draw(tableau, Strata.of_ranking(ranking), about_table(tableau, by)).encode()

    return write


def _png(tableau: Tableau, ranking: Ranking | None) -> bytes:
    try:
        return svg_png(_drawn(tableau_svg)(tableau, ranking).decode())
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
"""By the name that ``otlab convert --to`` takes."""


def format_of(path: Path) -> str:
    """Return the name of the format that a file's ending stands for.

    Raises
    ------
    InputError
        If it stands for none.
    """
    for name, form in FORMATS.items():
        if path.suffix.lower() == form.ending.lower():
            return name
    endings = [form.ending for form in FORMATS.values() if form.ending.startswith(".")]
    hint = f"{did_you_mean(path.suffix or path.name, endings)}, or name the format with --to"
    raise InputError(Fault("its ending stands for no format of tableaux", hint, file=str(path)))


def write_tableau(tableau: Tableau, form: str, ranking: Ranking | None = None) -> bytes:
    """Return a tableau in one of :data:`FORMATS`.

    Parameters
    ----------
    tableau
        What to write.
    form
        Name of the format.
    ranking
        Orders the constraints of tableaux that are printed; by recursive constraint demotion if None.
    """
    return FORMATS[form].write(tableau, ranking)
