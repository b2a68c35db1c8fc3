"""``otlab parse``: count the derivations of sentences, show the best, or say why there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from otlab.cli.lexicons import add_reading, lint_rows, open_lexicon
from otlab.errors import InputError, collected_warnings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from rich.console import Console

    from otlab.mg.derivation import Derivation
    from otlab.mg.parsing.parse import Parse
    from otlab.mg.processing.metrics import Metric
    from otlab.mg.views.show import TreeView

HELP = "parse sentences with a minimalist grammar"
FORMATS = ("brackets", "forest", "qtree", "svg", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lexicon, the sentences and the format of trees."""
    parser.add_argument("lexicon", metavar="LEXICON", help="a lexicon file, or the name of a sample")
    parser.add_argument(
        "sentences", metavar="SENTENCE", nargs="*", help="default: the lexicon's own sentences"
    )
    parser.add_argument(
        "--kbest", type=int, default=3, metavar="K", help="how many derivations to show (default 3)"
    )
    add_reading(parser)
    parser.add_argument(
        "--words",
        action="store_true",
        help="surprisal, entropy, entropy reduction, tenure of each word, and what else it might have been",
    )
    parser.add_argument(
        "--memory",
        action="store_true",
        help="metrics of memory use of a top-down parse; trees show index and outdex",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help='a metric of memory use, such as MaxT, "SumT\'[IU]" or "MaxT > SumS"; may be repeated',
    )
    parser.add_argument("--format", choices=FORMATS, default="brackets", help="how to print them")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Parse the sentences and return the result for ``--json``, and the printed trees."""
    from otlab.mg.linting import lint
    from otlab.mg.parsing.grammar import Grammar
    from otlab.mg.parsing.parse import parse
    from otlab.mg.parsing.prefix import well_formed_mass
    from otlab.mg.sentences import split_sentence

    if args.kbest < 0:
        raise InputError(f"--kbest {args.kbest}: there must be 0 or more")
    metrics = _metrics(args.metric) if args.memory or args.metric else {}
    with collected_warnings():  # they are remarks of the lexicon, which are printed below
        lexicon = open_lexicon(args.lexicon, args.start, args.convention, args.spell_out)
    grammar = Grammar(lexicon)
    given = [split_sentence(s, grammar.vocabulary) for s in args.sentences]
    parses = [parse(grammar, s) for s in given or [s.words for s in lexicon.sentences]]
    view: TreeView | None = "memory" if args.memory else None
    rows = [_row(parsed, args.kbest, _writer(args.format, view)) for parsed in parses]
    if args.words:
        for row, parsed in zip(rows, parses, strict=True):
            row["alternatives"] = _alternatives(parsed)
    if args.words or metrics:
        _add_memory(rows, parses, metrics)
    return {
        "settings": {
            "lexicon": args.lexicon,
            "start": list(lexicon.start),
            "kbest": args.kbest,
            "format": args.format,
            "words": args.words,
            "metrics": list(metrics),
            "spell_out": args.spell_out,
        },
        "sentences": rows,
        "lint": lint_rows(lint(lexicon)),
        "well_formed_mass": well_formed_mass(grammar, lexicon.prior_mean()),
    }


def _row(parsed: Parse, k: int, write: Callable[[Derivation], str]) -> dict[str, Any]:
    import numpy as np

    from otlab.mg.processing.entropy import word_by_word
    from otlab.mg.sentences import sentence_text
    from otlab.mg.views.exports import to_brackets

    words = word_by_word(parsed)
    best = parsed.best(k)
    diagnosis = parsed.diagnosis()
    row: dict[str, Any] = {
        "sentence": sentence_text(parsed.words),
        "words": list(parsed.words),
        "derivations": "inf" if parsed.derivations == math.inf else parsed.derivations,
        "log_probability": parsed.log_probability,
        "surprisal": words.surprisal,
        "entropy": words.entropy,
        "entropy_reduction": words.reduction,
        "best": [
            {
                "items": list(r.derivation.texts),
                "posterior": r.posterior,
                "brackets": to_brackets(r.derivation),
                "tree": write(r.derivation),
                **_spelled(r.derivation),
            }
            for r in best
        ],
        "diagnosis": None if diagnosis is None else str(diagnosis),
    }
    if not np.isfinite(row["surprisal"]).all():
        row["surprisal_note"] = "infinite from the first word that cannot continue any sentence"
    if parsed.derivations == math.inf:
        row["derivations_note"] = f"silent loop through: {', '.join(map(str, parsed.loop))}"
    return row


def _alternatives(parsed: Parse) -> list[dict[str, Any]]:
    """Return the items that words of a sentence may be, with the prefixes that they fit."""
    from otlab.mg.processing.alternatives import alternatives

    return [
        {
            "position": a.position + 1 if a.position >= 0 else None,
            "item": str(a.item),
            "maximal_prefix": a.maximal,
            "minimal_prefix": a.minimal,
            "ruled_out_by": a.ruled_out_by or None,
            "expected": a.expected,
        }
        for a in alternatives(parsed)
    ]


def _spelled(derivation: Derivation) -> dict[str, str]:
    """Return the words that are pronounced as the sentence, if there is a table of spell-out."""
    return {"spelled_from": " ".join(derivation.words)} if derivation.spell_out else {}


def _metrics(names: list[str] | None) -> dict[str, tuple[Metric, ...]]:
    """Return the metrics asked for by their names, or those usually shown."""
    from otlab.mg.processing.metrics import SHOWN_METRICS, read_metrics

    asked = [read_metrics(name) for name in names] if names else [(metric,) for metric in SHOWN_METRICS]
    return {" > ".join(metric.name for metric in ranked): ranked for ranked in asked}


def _add_memory(
    rows: list[dict[str, Any]], parses: list[Parse], metrics: dict[str, tuple[Metric, ...]]
) -> None:
    """Add to each sentence with a derivation the memory use of its best one."""
    from otlab.mg.processing.memory import memory_use
    from otlab.mg.processing.metrics import ranks

    best = [(row, found[0]) for row, p in zip(rows, parses, strict=True) if (found := p.best(1))]
    uses = [memory_use(reading.derivation) for _, reading in best]
    placed = {name: ranks(uses, ranked) for name, ranked in metrics.items()}
    for number, ((row, _), use) in enumerate(zip(best, uses, strict=True)):
        row["tenures"] = use.word_tenures()
        row["memory"] = {
            "metrics": {name: [metric(use) for metric in ranked] for name, ranked in metrics.items()},
            "ranks": {name: order[number] for name, order in placed.items()},
            "nodes": [
                {"expression": v.node.text(), "kind": v.kind, "index": v.index, "outdex": v.outdex}
                for v in use.visits
            ],
        }


def _writer(form: str, view: TreeView | None = None) -> Callable[[Derivation], str]:
    from otlab.mg.views import exports
    from otlab.mg.views.show import draw
    from otlab.viz.mg.tree import svg_file, tree_svg

    given: dict[str, Any] = {} if view is None else {"view": view}
    writers: dict[str, Callable[[Derivation], str]] = {
        "brackets": lambda derivation: exports.to_brackets(derivation, **given),
        "forest": lambda derivation: exports.to_forest(derivation, **given),
        "qtree": lambda derivation: exports.to_qtree(derivation, **given),
        "json": exports.to_json,
        "svg": lambda derivation: svg_file(tree_svg(draw(derivation, **given))),
    }
    return writers[form]


def show(result: dict[str, Any], console: Console) -> None:
    """Print each sentence with its derivations, or the reason why it has none."""
    for row in result["sentences"]:
        count = row["derivations"]
        mark = "*" if count == 0 else " "
        noun = "derivation" if count == 1 else "derivations"
        shown = "∞" if count == "inf" else f"{count:,}"
        console.print(f"{mark} {row['sentence']}   {shown} {noun}", soft_wrap=True)
        for line in (row["diagnosis"] or row.get("derivations_note") or "").splitlines():
            console.print(f"    {line}", soft_wrap=True)
        if result["settings"]["words"]:
            _show_words(row, console)
        for best in row["best"]:
            # A tree of several lines begins on a new line, so that it can be copied.
            between = "  " if result["settings"]["format"] == "brackets" else "\n"
            source = best.get("spelled_from", row["sentence"])
            named = f"  {source}" if source != row["sentence"] else ""
            text = f"    {best['posterior']:7.2%}{named}{between}{best['tree']}"
            console.print(text, soft_wrap=True)
    if result["settings"]["metrics"]:
        _show_memory(result, console)
    for remark in result["lint"]:
        place = ":".join(str(n) for n in (remark["line"], remark["column"]) if n is not None)
        console.print(f"{remark['code']} {place} {remark['message']}", soft_wrap=True)
    console.print(f"well-formed mass {result['well_formed_mass']:.4f}")


def _show_words(row: dict[str, Any], console: Console) -> None:
    """Print what each word of a sentence tells, and its end."""
    from rich.table import Table

    from otlab.viz.base.numbers import value_text

    table = Table("    word", "surprisal", "entropy", "reduction", "tenure", box=None)
    tenures = [*row.get("tenures", []), ""]
    columns = (row["surprisal"], row["entropy"][1:], row["entropy_reduction"])
    for number, word in enumerate([*row["words"], "(end)"]):
        cells = (value_text(column[number]) for column in columns)
        tenure = str(tenures[number]) if number < len(tenures) else ""
        table.add_row(f"    {word}", *cells, tenure)
    console.print(table)
    console.print(f"    entropy before the first word {value_text(row['entropy'][0])} nats")
    _show_alternatives(row, console)


def _show_alternatives(row: dict[str, Any], console: Console) -> None:
    """Print what else each word might have been, how probable when it is read, and what rules it out."""
    from rich.table import Table

    if not row["alternatives"]:
        return
    table = Table("    word", "may be", "expected", "fits up to", "ruled out by", box=None)
    words = [*row["words"], "(end)"]
    for a in row["alternatives"]:
        at, last = a["position"] or 0, a["maximal_prefix"]
        word = words[at - 1] if at else "ε"
        fits = f"{last} {words[last - 1]}" if last else "-"
        cells = (f"    {word}", a["item"], f"{a['expected'][at]:.2f}", fits, a["ruled_out_by"] or "")
        table.add_row(*cells)
    console.print(table)


def _show_memory(result: dict[str, Any], console: Console) -> None:
    """Print a table of sentences and metrics; the easiest sentence of each metric is marked."""
    from rich.table import Table

    from otlab.mg.processing.metrics import value_shown

    names = result["settings"]["metrics"]
    table = Table("memory", *names, box=None)
    rows = [row for row in result["sentences"] if "memory" in row]
    several = len(rows) > 1
    for row in rows:
        memory = row["memory"]
        cells = (
            " > ".join(map(value_shown, memory["metrics"][name]))
            + (" ✓" if several and memory["ranks"][name] == 1 else "")
            for name in names
        )
        table.add_row(row["sentence"], *cells)
    console.print(table)
    if several:
        console.print("✓ the easiest sentence by this metric")
