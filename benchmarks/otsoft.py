"""Compare otlab with results that OTSoft 2.7 has printed, where a folder of them is at hand.

    python -m benchmarks otsoft PATH

PATH has the tables in ``examples/NAME.txt`` (their a priori rankings in ``NAME_apriori.txt``), and what
OTSoft printed for each in ``conformance/golden/NAME/*.txt``, named by the algorithm: a copy of the repository
``peterkhayes/ot-soft-web`` has. Compared are strata, ranking arguments, unnecessary constraints, output
patterns, T-orders, and the log likelihood under the weights of MaxEnt. These files are no part of otlab.
"""

from __future__ import annotations

import argparse
import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from otlab.errors import DataWarning
from otlab.ot.analysis.rank import Ranking, rank
from otlab.ot.analysis.typology import typology
from otlab.ot.io.apriori import read_apriori
from otlab.ot.io.read import read
from otlab.ot.learners.maxent import MaxEnt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from otlab.ot.analysis.rank import Algorithm
    from otlab.ot.conditions import ERC
    from otlab.ot.tableau import Tableau

__all__ = ["Printed", "compare", "main"]

REASONS = {
    "bcd_specific": "OTSoft prefers specific faithfulness here, an option that BCD has not in otlab",
    "lfcd_apriori": "OTSoft leaves a priori rankings out of the arguments of LFCD, not of RCD",
    "rcd_apriori": "OTSoft takes all constraints for unnecessary, though /a/ needs *NoOns",
}
"""Why a kind of file may differ, as found by reading both outputs."""
_TWO_BLANKS = re.compile(r"\s{2,}")
_T_ORDER = re.compile(r"/(.+?)/\s+\[(.+?)\]\s+/(.+?)/\s+\[(.+?)\]\s*")


@dataclass(frozen=True)
class Printed:
    """What OTSoft printed into one text file."""

    text: str

    @property
    def refused(self) -> str:
        """Why OTSoft found no ranking; empty if it found one."""
        alike = "exactly the same violations" in self.text
        return "a winner and a loser have the same violations" if alike else ""

    @cached_property
    def strata(self) -> tuple[frozenset[str], ...]:
        """The strata of the first result, by abbreviation."""
        strata: list[list[str]] = []
        for line in self._section("Result"):
            if line.strip().startswith("Stratum #"):
                strata.append([])
            elif strata and line.strip():
                strata[-1].append(_TWO_BLANKS.split(line.strip())[-1])
        return tuple(map(frozenset, strata))

    @property
    def arguments(self) -> frozenset[str]:
        """The ranking arguments, without blanks."""
        return frozenset(_bare(line) for line in self._section("Ranking Arguments") if " >> " in line)

    @property
    def unnecessary(self) -> frozenset[str] | None:
        """The constraints that are not necessary; None where OTSoft printed no status."""
        lines = [_TWO_BLANKS.split(line.strip()) for line in self._section("Status of Proposed")]
        rows = [row for row in lines if len(row) > 1 and row[1].lower().startswith(("nec", "not nec"))]
        return frozenset(name for name, status, *_ in rows if status.startswith("Not")) if rows else None

    @property
    def patterns(self) -> int:
        """The number of output patterns of a factorial typology."""
        found = re.search(r"There (?:were|was) (\d+) different output", self.text)
        return int(found[1]) if found else 0

    @property
    def t_orders(self) -> frozenset[tuple[str, ...]]:
        """Input, output, input, output of each implication."""
        rows = (_T_ORDER.fullmatch(line.strip()) for line in self._section("T-orders"))
        return frozenset(row.groups() for row in rows if row)

    @property
    def weights(self) -> dict[str, float]:
        """The weights of MaxEnt, by full name."""
        rows = (line.split("\t") for line in self._section("Constraints and weights"))
        return {row[1].strip(): float(row[0]) for row in rows if len(row) == 2}

    @property
    def log_likelihood(self) -> float:
        """The logarithm of the probability of the data under these weights."""
        found = re.search(r"Probability of data = (-?[\d.]+)", self.text)
        return float(found[1]) if found else np.nan

    @property
    def most_informative(self) -> bool:
        """Whether the ranking arguments are the most informative basis."""
        return "Most Informative Basis" in self.text

    def _section(self, title: str) -> Sequence[str]:
        """Return the lines between a heading with this title and the next one."""
        found = re.search(rf"^\d\. +{title}.*?\n(.*?)(?=^\d\. |\Z)", self.text, re.MULTILINE | re.DOTALL)
        return found[1].splitlines() if found else ()


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def _argument(erc: ERC, names: Sequence[str]) -> str:
    """Return an ERC as OTSoft prints it, without blanks: ``A>>{B,C}``."""
    higher, lower = ([names[c] for c in sorted(side)] for side in (erc.winners, erc.losers))
    losers = f"{{{', '.join(lower)}}}" if len(lower) > 1 else "".join(lower)
    return _bare(f"{' or '.join(higher)} >> {losers}")


def differences(printed: Printed, algorithm: str, tableau: Tableau, apriori: Path | None) -> Iterator[str]:
    """Yield in words what otlab computes otherwise."""
    above = read_apriori(apriori, tableau) if apriori else ()
    if algorithm == "maxent":
        weights = np.array([printed.weights.get(name, np.nan) for name in tableau.full_names])
        ours = MaxEnt(tableau).log_likelihood(weights)
        if not np.isclose(ours, printed.log_likelihood, atol=0.01):  # weights have three decimals
            yield f"log likelihood {ours:.4f}, OTSoft {printed.log_likelihood:.4f}"
    elif algorithm == "ft":
        found = typology(tableau, apriori=above)
        orders = {(*(_form(tableau, a)), *(_form(tableau, b))) for a, b in found.t_orders}
        if len(found) != printed.patterns:
            yield f"{len(found)} output patterns, OTSoft {printed.patterns}"
        yield from _unlike("T-orders", orders, printed.t_orders)
    elif printed.refused:
        yield f"OTSoft gives no ranking ({printed.refused}); otlab counts such candidates as one"
    else:
        yield from _ranked(printed, rank(tableau, cast("Algorithm", algorithm), apriori=above))


def _form(tableau: Tableau, row: int) -> tuple[str, str]:
    return tableau.inputs[tableau.input_of_row[row]], tableau.candidates[row]


def _ranked(printed: Printed, ranking: Ranking) -> Iterator[str]:
    ours = tuple(map(frozenset, ranking.strata))
    if ours != printed.strata:
        listed = (
            " >> ".join(", ".join(sorted(part)) for part in strata) for strata in (ours, printed.strata)
        )
        yield "strata {}; OTSoft {}".format(*listed)
    if printed.arguments:
        basis = ranking.bases.most_informative if printed.most_informative else ranking.bases.skeletal
        found = {_argument(erc, ranking.tableau.constraints) for erc in basis}
        yield from _unlike("ranking arguments", found, printed.arguments)
    if printed.unnecessary is not None:
        yield from _unlike("unnecessary constraints", set(ranking.unnecessary), printed.unnecessary)


def _unlike(what: str, ours: Iterable[object], theirs: Iterable[object]) -> Iterator[str]:
    mine, other = set(map(str, ours)), set(map(str, theirs))
    if mine != other:
        yield f"{what}: only otlab {sorted(mine - other)}, only OTSoft {sorted(other - mine)}"


def compare(folder: Path) -> dict[str, list[str]]:
    """Return what differs by the file of OTSoft's, an empty list where all agrees."""
    results = {}
    for path in sorted((folder / "conformance" / "golden").glob("*/*.txt")):
        table = folder / "examples" / f"{path.parent.name}.txt"
        algorithm, _, variant = path.stem.partition("_")
        apriori = table.with_name(f"{table.stem}_apriori.txt") if variant == "apriori" else None
        printed = Printed(path.read_bytes().decode("cp1252", errors="replace").replace("\r\n", "\n"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            results[f"{path.parent.name}/{path.stem}"] = list(
                differences(printed, algorithm, read(table), apriori)
            )
    return results


def main(argv: list[str]) -> int:
    """Print how many files agree, and why each of the rest differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks otsoft", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path, metavar="PATH", help="with conformance/golden and examples")
    results = compare(parser.parse_args(argv).folder)
    if not results:
        parser.error("there is no file conformance/golden/NAME/*.txt in this folder")
    for name, words in results.items():
        why = REASONS.get(Path(name).name, "") if words else ""
        print(f"{name}: {'; '.join(words) or 'agrees'}{f' ({why})' if why else ''}", flush=True)
    print(f"{sum(not words for words in results.values())} of {len(results)} agree")
    return 0
