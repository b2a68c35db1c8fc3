"""``otlab induce``: learn the probabilities of lexical items from sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from otlab.cli.documents import is_document
from otlab.cli.lexicons import add_reading, open_lexicon, open_sentences
from otlab.cli.options import add_learner_options, learner_settings
from otlab.cli.progress import progress_bar
from otlab.errors import Fault, InputError, counted
from otlab.mg.sentences import CorpusLine, sentence_text

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

    from otlab.mg.learners.corpus import ParsedCorpus
    from otlab.mg.learners.induction import Induction
    from otlab.mg.lexicon import Lexicon

HELP = "induce the probabilities of a minimalist grammar's lexical items"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lexicon, the corpus, and the settings of all learners."""
    parser.add_argument("lexicon", metavar="LEXICON", help="a lexicon file, or the name of a sample")
    parser.add_argument(
        "corpus", metavar="CORPUS", nargs="?", help="one sentence a line (default: the lexicon's own)"
    )
    add_reading(parser)
    from otlab.mg.learners import LEARNERS

    add_learner_options(parser, LEARNERS)
    parser.add_argument(
        "--check", action="store_true", help="after VB, sample the posterior with Gibbs and show both"
    )


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn the probabilities and return the result for ``--json``."""
    from otlab.mg.learners import LEARNERS
    from otlab.mg.learners.corpus import parse_corpus
    from otlab.mg.learners.fit import induce
    from otlab.mg.parsing.grammar import Grammar

    options = learner_settings(args, LEARNERS).param.values()
    if args.check and args.learner != "vb":
        raise InputError(f"--check compares Gibbs with VB, not with {args.learner}; leave it out")
    lexicon = _open_lexicon(args)
    grammar = Grammar(lexicon)
    lines = open_sentences(args.corpus, grammar.vocabulary) if args.corpus else []
    counts: Counter[tuple[str, ...]] = Counter()
    for line in lines or _own_sentences(args.lexicon, lexicon):
        counts[line.words] += line.times
    if not counts:
        raise InputError(
            Fault(f"{args.lexicon} has no @sentence lines", "give a corpus file, one sentence a line")
        )
    del options["name"]
    parsed = parse_corpus(grammar, counts)
    left_out = _left_out(parsed, lines)
    if not parsed.sentences:
        what = "no sentence of the corpus has a derivation, so nothing can be learnt"
        raise InputError([Fault(what), *(Fault(f"no derivation: {words}") for words in left_out)])
    with progress_bar(console, args.learner) as watch:
        induction = induce(
            grammar,
            parsed,
            learner=args.learner,
            seed=args.seed,
            threads=args.threads,
            watch=watch,
            **options,
        )
    result = induction.to_dict()
    for name in ("learner", "versions", "seconds"):  # in the settings already, or added for every command
        del result[name]
    if args.check and not induction.stopped:
        result["check"] = _check(induction, args.threads)
    return {
        **result,
        "settings": {
            "lexicon": args.lexicon,
            "corpus": args.corpus,
            "start": list(lexicon.start),
            "spell_out": args.spell_out,
            **result["settings"],
        },
        "unparsed_reasons": left_out,
        "stopped": induction.stopped,
    }


def _open_lexicon(args: argparse.Namespace) -> Lexicon:
    """Return the lexicon; if it has faults, those of the corpus are named with them."""
    try:
        return open_lexicon(args.lexicon, args.start, args.convention, args.spell_out)
    except InputError as error:
        faults = list(error.faults)
        try:
            if args.corpus not in (None, "-"):
                open_sentences(args.corpus)
        except InputError as further:
            faults += further.faults
        raise InputError(faults) from None


def _own_sentences(name: str, lexicon: Lexicon) -> list[CorpusLine]:
    """Return the sentences that are in the file of the lexicon; of a document, the lab's corpus."""
    if not is_document(name):
        return [CorpusLine(0, words, 1) for words in lexicon.corpus]
    from otlab.ui.opened_document import open_document

    return [CorpusLine(0, words, n) for words, n in open_document(name).sentences.items() if n > 0]


def _left_out(parsed: ParsedCorpus, lines: list[CorpusLine]) -> list[str]:
    """Return each sentence without a derivation with its first line and the words that are not known."""
    first = {line.words: line.line for line in reversed(lines)}
    found = []
    for words, unknown in zip(parsed.unparsed, parsed.reasons, strict=True):
        place = f"line {first[words]}" if words in first else ""
        about = ": ".join(part for part in (place, unknown) if part)
        found.append(sentence_text(words) + (f" ({about})" if about else ""))
    return found


def _check(induction: Induction, threads: int | None) -> dict[str, Any]:
    """Return the posterior that Gibbs samples from the same data, its draws relabelled to match VB's."""
    from otlab.mg.learners.cross_check import cross_check

    sampled, table = cross_check(induction, threads=threads)
    trust = sampled.posterior.trust if sampled.posterior else None
    return {
        "learner": "gibbs",
        "sweeps": sampled.settings["iterations"],
        "chains": sampled.settings["restarts"],
        "theta": induction.by_category(table.gibbs.to_numpy()),
        "low": induction.by_category(table.gibbs_low.to_numpy()),
        "high": induction.by_category(table.gibbs_high.to_numpy()),
        "largest_rhat": trust.largest_rhat if trust else None,
        "smallest_ess": trust.smallest_ess if trust else None,
        "warnings": list(sampled.posterior.warnings) if sampled.posterior else [],
    }


_OBJECTIVES = {
    "vb": "ELBO",
    "em": "log likelihood",
    "map": "log likelihood with the prior",
    "gibbs": "ln P(derivations)",
}


def show(result: dict[str, Any], console: Console) -> None:
    """Print the probabilities by category, and the objective."""
    from rich.table import Table

    check = result.get("check")
    trust = "rhat" in result
    estimated = result["settings"]["learner"] in ("em", "map")
    columns = ["item", "probability, " + ("estimate" if estimated else "mean"), "95 %", "expected count"]
    columns += ["R-hat", "ESS"] if trust else []
    columns += ["Gibbs", "95 %"] if check else []
    table = Table(*columns, box=None)
    for category, items in result["theta"].items():
        table.add_row(category, style="bold")
        for item, probability in sorted(items.items(), key=lambda pair: -pair[1]):
            cells = [
                f"  {item}",
                f"{probability:.4f}",
                _interval(result, category, item),
                f"{result['expected_counts'][item]:.2f}",
            ]
            if trust:
                cells += [f"{result['rhat'][category][item]:.3f}", f"{result['ess'][category][item]:.0f}"]
            if check:
                cells += [f"{check['theta'][category][item]:.4f}", _interval(check, category, item)]
            table.add_row(*cells)
    console.print(table)
    first, last = result["iterations"][0], result["iterations"][-1]
    objective = _OBJECTIVES[result["settings"]["learner"]]
    unit = "sweeps" if trust else "iterations"
    console.print(
        f"{objective} {first['elbo']:.4f} at the start, {last['elbo']:.4f} after {last['iteration']} {unit}"
    )
    if len(result["restarts"]) > 1:
        ends = zip(result["restart_seeds"], result["restarts"], strict=True)
        kind = "chain" if trust else "restart"
        console.print(", ".join(f"{kind} of seed {seed}: {value:.4f}" for seed, value in ends))
    if check:
        console.print(
            f"Gibbs: {counted(check['chains'], 'chain')} of {counted(check['sweeps'], 'sweep')}, "
            f"largest R-hat {check['largest_rhat']:.3f}, smallest ESS {check['smallest_ess']:.0f}"
        )
    console.print(f"well-formed mass {result['well_formed_mass']:.4f}; seed {result['seed']}")
    for sentence in result["unparsed_reasons"]:
        console.print(f"no derivation: {sentence}")
    for warning in [*result["warnings"], *(check["warnings"] if check else [])]:
        console.print(f"warning: {warning}")


def _interval(result: dict[str, Any], category: str, item: str) -> str:
    """Return both ends of an interval; empty for the only item of a category."""
    low, high = result["low"][category][item], result["high"][category][item]
    return f"{low:.2f}-{high:.2f}" if low < high else ""
