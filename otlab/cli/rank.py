"""``otlab rank``: find a ranking under which every winner wins, or say why there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from otlab.cli.progress import share_bar
from otlab.cli.tableaux import add_tableau, open_reading, reading_dict
from otlab.errors import Fault, InputError, all_results, counted
from otlab.files import file_bytes
from otlab.ot.formatting import slashed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

    from otlab.ot.analysis.rank import Ranking

_MOST_TIED = 3  # inputs named in a line
HELP = "rank constraints so that every winner wins, or say why no ranking does"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a tableau, an algorithm, and a priori rankings."""
    from otlab.ot.analysis.rank import Algorithm
    from otlab.ot.analysis.typology import MAX_LANGUAGES

    add_tableau(parser)
    parser.add_argument(
        "--algorithm",
        choices=get_args(Algorithm),
        default="rcd",
        help="how constraints are demoted (default: rcd)",
    )
    parser.add_argument("--apriori", type=Path, metavar="FILE", help="rankings that every ranking respects")
    parser.add_argument(
        "--faithfulness",
        action="append",
        metavar="NAME",
        help="a faithfulness constraint, for bcd and lfcd; may be repeated (default: guessed from the names)",
    )
    parser.add_argument("--hasse", type=Path, metavar="FILE", help="draw the Hasse diagram, as SVG")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write how it was ranked, step by step")
    parser.add_argument("--typology", action="store_true", help="list the languages of all rankings")
    parser.add_argument(
        "--max-languages",
        type=int,
        default=MAX_LANGUAGES,
        metavar="N",
        help=f"languages to list at most (default: {MAX_LANGUAGES})",
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Return the analysis as ``--json`` prints it."""
    from otlab.ot.analysis.rank import rank
    from otlab.ot.analysis.typology import typology
    from otlab.ot.io.apriori import read_apriori

    apriori_file = (lambda: file_bytes(args.apriori)) if args.apriori else (lambda: None)
    reading, _ = all_results(lambda: open_reading(args), apriori_file)
    tableau = reading.tableau
    apriori = read_apriori(args.apriori, tableau) if args.apriori else ()
    ranking = rank(tableau, args.algorithm, apriori=apriori, faithfulness=args.faithfulness)
    settings = {
        "file": args.file,
        "algorithm": args.algorithm,
        "apriori": [list(pair) for pair in apriori],
        "typology": args.typology,
        "max_languages": args.max_languages,
    }
    if args.hasse:
        if args.hasse.suffix.lower() != ".svg":
            raise InputError(
                Fault("the diagram is drawn as SVG", "let the name end in .svg", str(args.hasse))
            )
        _draw(ranking, args.hasse)
    if args.report:
        from otlab.ot.analysis.report import ranking_report

        _write(args.report, ranking_report(ranking))
    result = {"settings": settings, "reading": reading_dict(reading), **ranking.to_dict()}
    if not args.typology:
        return result
    with share_bar(console, "languages") as watch:
        found = typology(tableau, apriori=apriori, max_languages=args.max_languages, watch=watch)
    return {**result, **found.to_dict(), "stopped": found.stopped}


def _draw(ranking: Ranking, path: Path) -> None:
    """Write the Hasse diagram, if any; a note below it lists the conditions that lines cannot show."""
    from otlab.ot.analysis.rank import erc_text
    from otlab.viz.ot.hasse import hasse_svg

    if not ranking.consistent:
        print(f"{path}: not written, for there is no ranking to draw", file=sys.stderr)
        return
    names = ranking.tableau.constraints
    either = [erc_text(erc, names) for erc in ranking.bases.skeletal if len(erc.winners) > 1]
    _write(path, hasse_svg(names, ranking.crucial_rankings, either))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Fault(f"cannot be written: {error.strerror}", "choose another", str(path))) from None


def show(result: dict[str, Any], console: Console) -> None:
    """Print the strata, the rankings that the winners need, and the candidates that can never win."""
    for line in _lines(result):
        console.print(line, soft_wrap=True)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    if result["consistent"]:
        yield "stratum  constraints"
        for n, stratum in enumerate(result["strata"], 1):
            yield f"{n:>7}  {', '.join(stratum)}"
        yield ""
        yield from _needs(result)
    else:
        yield result["culprit"]["words"]
    if result["tied"]:
        first, more = result["tied"][:_MOST_TIED], len(result["tied"]) - _MOST_TIED
        named = f"{', '.join(map(slashed, first))}{f' and {more:,} more' if more > 0 else ''}"
        yield f"equally frequent candidates of {named}: the first one is taken as the winner"
    if result["faithfulness"]:
        yield f"ranked as low as possible, as faithfulness constraints: {', '.join(result['faithfulness'])}"
    for row in result["bounded"]:
        *others, last = row["by"]
        by = f"{', '.join(others)} and {last}" if others else last
        verb = (
            "bounds it"
            if not others
            else "bound it together"
            if row["kind"] == "collective"
            else "each bound it"
        )
        yield f"{row['candidate']} of {slashed(row['input'])} can never win: {by} {verb}"
    if "typology" in result:
        yield from _languages(result)


def _languages(result: dict[str, Any]) -> Iterator[str]:
    """Yield the languages with a ranking of each, and the T-orders."""
    languages = result["typology"]
    number = languages["languages"]
    found = counted(number, "language") if languages["complete"] else f"{number:,} or more languages"
    yield ""
    yield f"{found} of {counted(languages['rankings_total'], 'ranking')}:"
    for n, pattern in enumerate(languages["patterns"], 1):
        yield f"{n:>4}  {', '.join(pattern['winners'].values())}"
        yield f"      {' >> '.join(pattern['ranking'])}"
    if result["t_orders"]:
        yield "in every language:"
    for a, b, c, d in result["t_orders"]:
        yield f"  if {slashed(a)} is {b}, then {slashed(c)} is {d}"


def _needs(result: dict[str, Any]) -> Iterator[str]:
    """Yield the skeletal basis, and the constraints that the winners do not need."""
    if not result["winners"]:
        yield "no candidate has a frequency, so there are no winners and any ranking will do"
        return
    yield "what the winners need:"
    for erc in result["skeletal_basis"]:
        yield f"  {' or '.join(erc['prefer_winner'])} >> {' and '.join(erc['prefer_loser'])}"
    if not result["skeletal_basis"]:
        yield "  no ranking at all"
    if result["unnecessary"]:
        together = "together too" if result["removable_together"] else "but not all at once"
        many = f", {together}" if len(result["unnecessary"]) > 1 else ""
        yield f"can be left out{many}: {', '.join(result['unnecessary'])}"
