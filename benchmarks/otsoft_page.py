"""Compare the one-file page in Chromium with results that OTSoft 2.7 has printed.

    python -m benchmarks otsoft_page PATH

PATH is as for ``python -m benchmarks otsoft``. The page reads OTSoft's table itself, with its a priori
rankings. Compared is what page and OTSoft both compute: strata and ranking arguments of RCD, the number of
output patterns of a factorial typology of seven constraints or fewer without a priori rankings, and whether
the maximum of MaxEnt's likelihood without a prior is as high as OTSoft's. Behind each stands whether the
library agrees with OTSoft. These files are no part of otlab.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.otsoft import Printed, _bare, compare
from otlab.errors import DataWarning
from otlab.ot import read
from otlab.ot.io.apriori import read_apriori
from otlab.web.page import lab_page
from tests.ui.browser import Visit, launched

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["compared", "main"]

HERE = ("rcd", "ft", "maxent")
# What the page finds in the text of a table: strata, arguments, languages, and the likelihood of MaxEnt.
_FOUND = """async ({ bytes, pairs }) => {
  const { tableau, faults } = tableauOf(textOfBytes(Uint8Array.from(bytes)), "table")
  if (faults.length) return { faults }
  const names = tableau.constraints, { strata, skeleton } = rankingOf(tableau, aprioriPairs(pairs, tableau))
  const side = (set, joint) => bitsOf(set).map(i => names[i]).join(joint)
  const losers = set => bitsOf(set).length > 1 ? `{${side(set, ", ")}}` : side(set, "")
  const module = await WebAssembly.compile(Uint8Array.from(atob(DATA.wasm), c => c.charCodeAt(0)))
  let likelihood = null
  const job = { learner: "maxent", tableau, seed: 0, settings: { sd: NaN, free: false }, chains: [0] }
  const hear = ({ chains }) => { likelihood = chains?.[0].logLikelihood ?? likelihood }
  if (countsOf(tableau)) await runJob({ module, signatures: DATA.signatures, job }, hear)
  const patterns = names.length <= MOST_RANKED ? typologyOf(tableau).length : null
  return {
    faults, likelihood, patterns, strata: strata.map(stratum => stratum.map(i => names[i])),
    arguments: skeleton?.map(erc => `${side(erc.winners, " or ")} >> ${losers(erc.losers)}`) ?? null,
  }
}"""


def differences(printed: Printed, algorithm: str, found: dict[str, Any]) -> Iterator[str]:
    """Yield in words what the page finds otherwise than OTSoft."""
    if found["faults"]:
        yield f"the page does not read the table: {'; '.join(found['faults'])}"
    elif algorithm == "maxent":
        if found["likelihood"] is None or found["likelihood"] < printed.log_likelihood - 0.01:
            yield f"log likelihood {found['likelihood']}, OTSoft {printed.log_likelihood}"
    elif algorithm == "ft":
        if found["patterns"] != printed.patterns:
            yield f"{found['patterns']} output patterns, OTSoft {printed.patterns}"
    elif printed.refused:
        yield f"OTSoft gives no ranking ({printed.refused})"
    else:
        if tuple(map(frozenset, found["strata"])) != printed.strata:
            yield f"strata {found['strata']}, OTSoft {[sorted(stratum) for stratum in printed.strata]}"
        ours = frozenset(map(_bare, found["arguments"] or ()))
        if printed.arguments and not printed.most_informative and ours != printed.arguments:
            yield f"ranking arguments {sorted(ours)}, OTSoft {sorted(printed.arguments)}"


def compared(folder: Path) -> dict[str, list[str]]:
    """Return what differs by the file of OTSoft's that the page can be compared with."""
    results = {}
    with TemporaryDirectory() as place, launched() as browser:
        path = Path(place) / "otlab.html"
        path.write_text(lab_page(read("ilokano")), encoding="utf-8")
        visit = Visit(browser)
        visit.page.goto(path.as_uri())
        visit.page.locator("html[data-ready]").wait_for()
        for golden in sorted((folder / "conformance" / "golden").glob("*/*.txt")):
            algorithm, _, variant = golden.stem.partition("_")
            table = folder / "examples" / f"{golden.parent.name}.txt"
            if algorithm not in HERE or (algorithm == "ft" and variant == "apriori"):
                continue
            given = {"bytes": list(table.read_bytes()), "pairs": ""}
            if variant == "apriori":
                given["pairs"] = _pairs(table)
            printed = Printed(golden.read_bytes().decode("cp1252", "replace").replace("\r\n", "\n"))
            found = visit.page.evaluate(_FOUND, given)
            if algorithm == "ft" and found["patterns"] is None:
                continue  # more constraints than the page ranks in all ways
            results[f"{golden.parent.name}/{golden.stem}"] = list(differences(printed, algorithm, found))
        visit.close()
    return results


def _pairs(table: Path) -> str:
    """Return the a priori rankings of a table as they are typed into the page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        pairs = read_apriori(table.with_name(f"{table.stem}_apriori.txt"), read(table))
    return "; ".join(f"{higher} >> {lower}" for higher, lower in pairs)


def main(argv: list[str]) -> int:
    """Print whether page and OTSoft agree; fail if the page differs where the library agrees."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks otsoft_page", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path, metavar="PATH", help="with conformance/golden and examples")
    folder = parser.parse_args(argv).folder
    results, library = compared(folder), compare(folder)
    if not results:
        parser.error("there is no file conformance/golden/NAME/*.txt in this folder")
    for name, words in results.items():
        print(f"{name}: {'; '.join(words) or 'agrees'} (library: {'differs' if library[name] else 'agrees'})")
    print(f"{sum(not words for words in results.values())} of {len(results)} agree")
    return int(any(words and not library[name] for name, words in results.items()))
