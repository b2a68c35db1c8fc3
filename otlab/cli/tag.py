"""``otlab tag``: learn hidden states for words and score them, or label text with a saved tagger."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from otlab.cli.corpora import add_reading, open_corpus, read_line
from otlab.cli.documents import is_document
from otlab.errors import Fault, InputError, all_results, counted
from otlab.files import file_bytes

if TYPE_CHECKING:
    import argparse

    import param
    from rich.console import Console

    from otlab.tagging.corpus import Corpus
    from otlab.tagging.fitted import Fitted
    from otlab.tagging.model import Model

__all__ = ["label", "load"]

HELP = "learn an HMM tagger, without tags or from some, or label text with a saved one"
DEFAULT_LEARNER = "vb"
# Defaults of the options of learning that no learner has; not given, they are None.
_LEARNING: dict[str, Any] = {
    "learner": DEFAULT_LEARNER, "iterations": 100, "seeds": 1, "lowercase": False, "digits": False,
    "min_count": 1, "out": None, "match": None, "baselines": False,
}  # fmt: skip
# Defaults of the options that only --compare-states has.
_COMPARING: dict[str, Any] = {"compare_states": None, "folds": 5}
# Defaults of the options that also apply to labelling text with a saved tagger.
_LABELLING = {
    "file": None, "format": None, "tag_column": "xpos", "decode": "marginal", "model": None,
    "probabilities": False, "columns": None, "ends": None,
}  # fmt: skip
_LEAST_SHOWN = 0.005  # smaller probabilities are not printed, except by --json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the corpus, the learners' settings, and the options of a saved model."""
    parser.add_argument("file", metavar="FILE", help="a corpus, a sample's name, or - for standard input")
    add_reading(parser)
    _add_learning(parser)
    parser.add_argument("--out", metavar="MODEL", help="save the tagger of the best run")
    help_text = "number and name the states saved by --out as the most similar ones of this tagger"
    parser.add_argument("--match", metavar="MODEL", help=help_text)
    parser.add_argument("--model", metavar="MODEL", help="label FILE with this tagger instead of learning")
    help_text = "with --model: also the probability of each state at each word"
    parser.add_argument("--probabilities", action="store_true", default=None, help=help_text)


def _add_learning(parser: argparse.ArgumentParser) -> None:
    from otlab.cli.options import add_learner_options
    from otlab.tagging.learners import LEARNERS

    metavars = {"anneal": "T:N", "dictionary": "FILE", "known_tags": "N", "new_states": "A:B"}
    add_learner_options(parser, LEARNERS, default=DEFAULT_LEARNER, metavars=metavars)
    parser.set_defaults(learner=None)
    parser.add_argument("--iterations", type=int, metavar="N", help="updates per run (default: 100)")
    add = parser.add_argument
    add("--seeds", type=int, metavar="K", help="runs from different starts (default: 1)")
    add("--baselines", action="store_true", default=None, help="score three baselines as well")
    add("--compare-states", metavar="N,...", help="compare numbers of states (by em and vb, or --learner)")
    add("--folds", type=int, metavar="N", help="parts held out in turn by --compare-states (default: 5)")


def execute(args: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Learn a tagger or label text, and return the result for ``--json``."""
    import numpy as np

    usual = {**_usual_settings(), **_LEARNING, **_COMPARING}
    given = {name for name in usual if getattr(args, name) is not None}
    for name, default in {**_LEARNING, **_COMPARING}.items():
        if name not in given:
            setattr(args, name, default)
    _check(args)
    model, (corpus, how, remark), *_ = all_results(
        lambda: load(args.model) if args.model else None,
        lambda: open_corpus(args),
        lambda: load(args.match) if args.match and not args.model else None,
        lambda: file_bytes(args.dictionary) if args.dictionary else None,
    )
    form, sizes = how.format, {"tokens": corpus.tokens, "types": corpus.types, "sentences": corpus.sentences}
    if (args.format is None or how.roles) and not is_document(args.file):  # something was guessed
        print(read_line(corpus, how, remark), file=sys.stderr)
    if model is not None:
        ignored = [_option(name) for name in usual if name in given - {"decode"}]
        settings = {**_LABELLING, **{n: v for n in _LABELLING if (v := getattr(args, n)) is not None}}
        result = label(model, corpus, settings["decode"], args.threads or 1, ignored)
        if settings["probabilities"]:
            shares = np.split(model.predict_proba(corpus), corpus.offsets[1:-1])
            result["probabilities"] = [of_sentence.tolist() for of_sentence in shares]
    elif args.compare_states is not None:
        settings, result = _compare(args, corpus, given, console)
    else:
        settings, result = _learn(args, corpus, form, console)
        result["warnings"] += ["--folds does nothing without --compare-states"] if "folds" in given else []
    if args.probabilities and model is None:
        result["warnings"].append("--probabilities does nothing without --model")
    result["warnings"] += [remark] if remark else []
    reading = {"format": form, "columns": list(how.columns), "sentences": corpus.sentences}
    reading |= {"label": how.label, "options": dict(how.options), "note": how.note}
    return {"settings": {**settings, "format": form}, "reading": reading, **result, **sizes}


def _usual_settings() -> dict[str, Any]:
    """Return the default of every option that some learner has."""
    from otlab.tagging.learners import LEARNERS

    return {name: value for entry in LEARNERS.values() for name, value in _values(entry.settings()).items()}


def _values(settings: param.Parameterized) -> dict[str, Any]:
    return {name: value for name, value in settings.param.values().items() if name != "name"}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check(args: argparse.Namespace) -> None:
    for option, least in (("seeds", 1), ("iterations", 0), ("min_count", 1)):
        if getattr(args, option) < least:
            raise InputError(f"{_option(option)} {getattr(args, option)}: there must be {least} or more")


def _learn(
    args: argparse.Namespace, corpus: Corpus, form: str, console: Console
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all settings, with defaults, and the results of learning."""
    from otlab.cli.options import learner_settings
    from otlab.cli.progress import progress_bar
    from otlab.inference import fit
    from otlab.inference.executors import worker_threads
    from otlab.tagging.learners import LEARNERS
    from otlab.tagging.scores import baselines

    if args.baselines and corpus.tags is None:
        raise InputError("--baselines: the text has no tags to score against; give a tagged one")
    chosen: Any = learner_settings(args, LEARNERS)
    settings = {
        name: getattr(args, name)
        for name in (*_LEARNING, *_LABELLING)
        if name not in ("decode", "probabilities")
    }
    settings = {**_usual_settings(), **settings, **_values(chosen)}
    threads = worker_threads(args.threads)
    learner = LEARNERS[args.learner].make(corpus, chosen)
    learner = replace(learner, threads=max(1, threads // args.seeds))
    with progress_bar(console, args.learner) as watch:
        fitted: Any = fit(
            learner, steps=args.iterations, chains=args.seeds, seed=args.seed, threads=threads, watch=watch
        )
    result = _result(fitted, threads)
    if args.baselines:
        found = baselines(corpus, chosen.states, fitted.seed)
        result["baselines"] = {name: asdict(scores) for name, scores in found.items()}
    if args.out:
        _save(args.out, fitted, {**settings, "format": form})
    return settings, {"seed": fitted.seed, **result, "stopped": fitted.stopped}


def _result(fitted: Fitted, threads: int) -> dict[str, Any]:
    """Return runs, means and warnings; for a sampler also the scores of the most probable states."""
    from otlab.tagging.fitted import mean_and_sd
    from otlab.tagging.learners.sampling import GibbsSampler

    result = {key: fitted.to_dict()[key] for key in ("runs", "mean", "sd", "warnings")}
    learner: Any = fitted.learner
    if learner.known_states() is not None:
        for chain, row in enumerate(result["runs"]):
            row["accuracy"] = {how: a.to_dict() for how, a in fitted.accuracy(chain, threads).items()}
    if isinstance(learner, GibbsSampler):
        for chain, row in enumerate(result["runs"]):
            row["scores_max_marginal"] = asdict(fitted.max_marginal_scores(chain, threads))
        result |= mean_and_sd([row["scores_max_marginal"] for row in result["runs"]], "_max_marginal")
    return result


def _compare(
    args: argparse.Namespace, corpus: Corpus, given: set[str], console: Console
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all settings, with defaults, and the comparison of numbers of states."""
    from otlab.cli.options import learner_settings
    from otlab.cli.progress import share_bar
    from otlab.tagging.experiments.comparison import compare
    from otlab.tagging.learners import LEARNERS

    ignored = [_option(name) for name in ("states", "out", "match", "baselines") if name in given]
    learners = [args.learner] if "learner" in given else ["em", "vb"]
    own: dict[str, Any] = {}
    for name in learners:
        args.learner = name
        own |= _values(learner_settings(args, LEARNERS))
    del own["states"]
    with share_bar(console, "comparing") as watch:
        compared = compare(
            corpus,
            _numbers(args.compare_states),
            learners,
            iterations=args.iterations,
            chains=args.seeds,
            folds=args.folds,
            seed=args.seed,
            threads=args.threads,
            watch=watch,
            **own,
        )
    result = compared.to_dict()
    settings = {
        name: getattr(args, name) for name in ("file", "tag_column", "lowercase", "digits", "min_count")
    }
    settings |= {**result.pop("settings"), **own}
    settings["seeds"] = settings.pop("chains")
    result["warnings"] = [f"{option} does nothing with --compare-states" for option in ignored]
    return settings, {**result, "stopped": compared.stopped}


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise InputError(f"--compare-states {text}: write whole numbers and commas: 10,20,30") from None


def _sampled(rows: list[dict[str, Any]]) -> bool:
    return "scores_max_marginal" in rows[0]


def _scored(result: dict[str, Any]) -> bool:
    """Return whether the text had tags to score the states against."""
    return all(math.isfinite(value) for value in result["runs"][0]["scores"].values())


def _save(path: str, fitted: Fitted, settings: dict[str, Any]) -> None:
    """Save the tagger of the run with the best objective; with a dictionary its states are called by tags."""
    from otlab.tagging.dictionary import TagDictionary

    model = fitted.model_of(fitted.best())
    if settings["dictionary"] and settings["known_tags"] == "none":
        learner: Any = fitted.learner
        corpus = learner.corpus
        model = model.named(dict(enumerate(TagDictionary.read(settings["dictionary"]).tags(corpus))))
    if settings["match"]:
        model = model.like(load(settings["match"]))
    settings = {name: value for name, value in settings.items() if name not in ("model", "match")}
    try:
        replace(model, settings=settings).save(path)
    except OSError as error:
        raise InputError(Fault(f"cannot write: {error.strerror}", "give another --out", file=path)) from error


def show(result: dict[str, Any], console: Console) -> None:
    """Print scores run by run, or the labelled text."""
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if "tagged" in result:
        if "probabilities" in result:
            _show_probabilities(result)
        else:
            for sentence in result["tagged"]:
                print(" ".join(token.replace(" ", "-") for token in sentence))
        unseen = counted(result["unknown_tokens"], "unseen word")
        print(f"perplexity {result['perplexity']:.4g}, {unseen}", file=sys.stderr)
        return
    if "compared" in result:
        _show_comparison(result, console)
        return
    sampled = _sampled(result["runs"])
    _show_runs(result, console, "scores", "The last sample" if sampled else None)
    if sampled and _scored(result):
        _show_runs(result, console, "scores_max_marginal", "Most probable states under its parameters")
    for row in result["runs"]:
        if "priors" in row:
            console.print(_priors_line(row))
        if "states" in row:
            console.print(_states_line(row))
    if "accuracy" in result["runs"][0]:
        _show_accuracy(result["runs"], console)
    elif not _scored(result):
        console.print("The text has no tags to score the states against.")
    if "baselines" in result:
        console.print("Baselines: all tokens in one state; random states; each word's most frequent tag")
    console.print(f"root seed {result['seed']}")


def _show_probabilities(result: dict[str, Any]) -> None:
    """Print each word with its states, the most probable first; sentences end with a blank line."""
    names = result["state_names"]
    for words, labels, shares in zip(
        result["tagged"], result["labels"], result["probabilities"], strict=True
    ):
        for word, label, of_word in zip(words, labels, shares, strict=True):
            ranked = sorted(zip(names, of_word, strict=True), key=itemgetter(1), reverse=True)
            shown = [f"{name} {share:.2f}" for name, share in ranked if share >= _LEAST_SHOWN]
            print("\t".join([word.removesuffix(f"/{names[label]}"), *shown]))
        print()


def _show_runs(result: dict[str, Any], console: Console, key: str, title: str | None) -> None:
    from rich.table import Table

    from otlab.tagging.scores import BASELINES

    names = {
        "one_to_one": "1-to-1", "many_to_one": "m-to-1", "vi": "VI", "h_t_given_y": "H(T|Y)",
        "h_y_given_t": "H(Y|T)", "v_measure": "V",
    }  # fmt: skip
    if not _scored(result):
        names = {}
    table = Table(box=None, title=title, title_justify="left", pad_edge=False)
    for heading in ("seed", "objective", *names.values(), "states"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in result["runs"]:
        used = sum(count > 0 for count in row["tokens_per_state"])
        cells = [f"{row[key][name]:.3f}" for name in names]
        objective = f"{row['objective'][-1]:,.1f}".replace("nan", "-")  # unknown while it is annealed
        table.add_row(str(row["seed"]), objective, *cells, str(used))
    if len(result["runs"]) > 1 and names:
        for what in ("mean", "sd"):
            of = result[what + key.removeprefix("scores")]
            table.add_row(what, "", *(f"{of[name]:.3f}" for name in names), "")
    for name, scores in result.get("baselines", {}).items():
        table.add_row(BASELINES[name], "", *(f"{scores[score]:.3f}" for score in names), "")
    console.print(table)


def _priors_line(row: dict[str, Any]) -> str:
    """Return the priors that a run has learnt: VB's last ones, a sampler's mean over its second half."""
    rows = (
        row["priors"][-1:] if "scores_max_marginal" not in row else row["priors"][len(row["priors"]) // 2 :]
    )
    emission, transition = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return f"seed {row['seed']}: priors learnt, emission {emission:.3g}, transition {transition:.3g}"


def _states_line(row: dict[str, Any]) -> str:
    """Return how many states an infinite HMM drew, and its mean concentrations, over its second half."""
    median, (low, high), draws = (row["states"][name] for name in ("median", "interval", "draws"))
    means = {name: sum(part := v[-len(draws) :]) / len(part) for name, v in row["concentrations"].items()}
    shown = ", ".join(f"{name} {mean:.3g}" for name, mean in means.items() if mean)
    drawn = f"(95 %: {low:g} to {high:g})" if len(draws) > 1 else "of one expected word or more"
    return f"seed {row['seed']}: {median:g} states {drawn}, {shown}"


def _show_accuracy(rows: list[dict[str, Any]], console: Console) -> None:
    """Print the accuracy of each run on the tags that it did not know, by decoding."""
    from rich.table import Table

    first = rows[0]["accuracy"]["marginal"]
    if not first["tokens"]:
        console.print("All tags were known: none is left to score.")
        return
    title = f"Accuracy on {counted(first['tokens'], 'word')} whose tags were not known"
    table = Table(box=None, title=title, title_justify="left", pad_edge=False)
    unknown = f"{first['unknown_tokens']:,} without a known tag"
    for heading in ("seed", "decoding", "all", "words with a known tag", unknown):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        for decode, shares in row["accuracy"].items():
            values = [shares[name] for name in ("all", "known_words", "unknown_words")]
            cells = [f"{value:.3f}" if math.isfinite(value) else "" for value in values]
            table.add_row(str(row["seed"]), decode, *cells)
    console.print(table)


def _show_comparison(result: dict[str, Any], console: Console) -> None:
    """Print a row per learner and number of states, and what each criterion chooses."""
    from rich.table import Table

    headings = {
        "log_likelihood": "log likelihood", "aic": "AIC", "bic": "BIC", "free_energy": "free energy",
        "perplexity": "perplexity", "v_measure": "V",
    }  # fmt: skip
    rows = result["compared"]
    shown = [name for name in headings if any(math.isfinite(row[name]) for row in rows)]
    table = Table(box=None, pad_edge=False)
    table.add_column("learner", no_wrap=True)
    for heading in ("states", "used", *(headings[name] for name in shown)):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        digits = {"perplexity": 2, "v_measure": 3}
        cells = [f"{row[n]:,.{digits.get(n, 1)}f}" if math.isfinite(row[n]) else "" for n in shown]
        table.add_row(row["learner"], str(row["states"]), str(row["states_used"]), *cells)
    console.print(table)
    for learner, chosen in result["chosen"].items():
        choices = ", ".join(f"{headings[name]} {states}" for name, states in chosen.items())
        console.print(f"{learner}: states chosen by {choices}")
    console.print(f"root seed {result['seed']}")


def load(path: str) -> Model:
    """Return a saved tagger."""
    from otlab.tagging.model import Model

    if not Path(path).is_file():
        raise InputError(Fault(f"there is no file {path!r}", "give a file written by 'otlab tag --out'"))
    return Model.load(path)


def label(
    model: Model,
    corpus: Corpus,
    decode: Literal["marginal", "viterbi"],
    threads: int,
    ignored: list[str],
) -> dict[str, Any]:
    """Return the text labelled with a saved tagger's states.

    Parameters
    ----------
    ignored
        Options that were given but have no effect on labelling.
    """
    import numpy as np

    from otlab.tagging.scores import Scorer, score

    labels = model.label(corpus, decode, threads)
    by_sentence = np.split(labels, corpus.offsets[1:-1])
    scorer = Scorer(corpus, len(model.state_names))
    return {
        "seed": model.seed,
        "learner": model.learner,
        "trained": {**model.settings, "normalize": asdict(model.normalize)},
        "unknown_tokens": model.unknown(corpus),
        "log_likelihood": model.score(corpus, threads),
        "perplexity": model.perplexity(corpus, threads),
        "labels": [states.tolist() for states in by_sentence],
        "state_names": list(model.state_names),
        "tagged": [
            [f"{word}/{model.state_names[k]}" for (word, _), k in zip(sentence, states, strict=True)]
            for sentence, states in zip(corpus, by_sentence, strict=True)
        ],
        "tokens_per_state": np.bincount(labels, minlength=len(model.state_names)),
        "scores": asdict(score(scorer.table(labels))) if corpus.tags is not None else None,
        "warnings": [f"{option} does nothing with --model" for option in ignored],
    }
