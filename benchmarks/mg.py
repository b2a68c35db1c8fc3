"""Minimalist grammars: parsing, VB and the lab's edits against their goals; counts against NLTK.

NLTK's chart parser enumerates the parses of its best grammar for noun compounds
(N -> N N | 'stone'); ours counts them on the packed forest, with a silent head in each
compound. Both are asked for the number of all parses of ten nouns, 4,862, the parse
included on both sides.

Iterations of VB and sweeps of Gibbs are the median of iterations 1 to 100 of a run, with the
slowest beside it, in processor time.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from contextlib import suppress
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Row, at_least, at_most, cpu_seconds, iteration_seconds, seconds
from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.learners.gibbs import Gibbs
from otlab.mg.learners.vb import VB
from otlab.mg.parsing.generation import generate
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.memory import memory_use
from otlab.mg.processing.metrics import SHOWN_METRICS
from otlab.mg.warm import STEPS
from otlab.samples import load_sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from otlab.mg.lexicon import Lexicon

SENTENCES = 1000
TIMES = 100  # ours in a pair with NLTK: one call is too short to be timed
LONG = "what did you see1 with the noun3 in a noun4 with the noun5 on the big2 big6 noun7 with it"
HALF = "a b b a a b a b"
FUNCTION_WORDS = """
@start c
ε :: =i +wh c
ε :: =i c
ε :: =v c
what :: d -wh
who :: d -wh
you :: d
I :: d
it :: d
did :: =v i
can :: =v i
do :: =v i
the :: =n d
a :: =n d
your :: =n d
with :: =d v= v
with :: =d n= n
in :: =d v= v
in :: =d n= n
on :: =d v= v
"""


def child_directed(entries: int) -> Lexicon:
    """Return questions, auxiliaries, prepositions that attach twice, homographs, and open classes."""
    lines = FUNCTION_WORDS.strip().splitlines()
    for k in range((entries - len(lines) + 1) // 3):
        third = f"noun{k} :: d= v" if k % 4 == 0 else f"run{k} :: d= v" if k % 2 else f"big{k} :: =n n"
        lines += [f"noun{k} :: n", f"see{k} :: =d d= v", third]
    return loads("\n".join(lines))


def corpus_of(lexicon: Lexicon, mean: float = 5.0) -> list[tuple[str, ...]]:
    """Return 1,000 random sentences with a mean of about 5 words."""
    made = generate(lexicon, 6 * SENTENCES, seed=1, most_words=9, most_attempts=10**6).sentences
    made = [s for s in made if len(s) >= 3]
    made.sort(key=len)
    # Drop from the short end until the mean is reached; ties keep the order drawn.
    while statistics.fmean(map(len, made)) < mean:
        del made[: len(made) // 20]
    picked = np.random.default_rng(2).choice(len(made), SENTENCES, replace=False)
    return [made[i] for i in picked]


def best_of(work: Callable[[], object], repeats: int = 7) -> float:
    return statistics.median(seconds(work) for _ in range(repeats))


def _within(value: float, unit: str, limit: float, of: str) -> Row:
    return at_most(value, unit, f"goal: {of}", limit, value / limit, 1.0)


def parsing_and_vb() -> dict[str, Row]:
    lexicon = child_directed(300)
    sentences = corpus_of(lexicon)
    grammar = Grammar(lexicon)
    corpus = parse_corpus(grammar, sentences)
    assert not corpus.unparsed
    parse_seconds = best_of(lambda: parse_corpus(Grammar(lexicon), sentences))
    learners = {
        "VB iteration": (VB(corpus, lexicon.alphas(), "jitter"), 0.5),
        "Gibbs sweep": (Gibbs(corpus, lexicon.alphas(), "jitter"), 2.0),
    }
    iterations = {}
    for name, (learner, goal) in learners.items():
        measured = iteration_seconds(learner)
        row = _within(1000 * measured.median, "ms", goal, f"{goal} ms; median of iterations 1-100")
        iterations[f"mg: one {name} over them"] = measured.beside(row, 1000)
    return {
        "mg: parse 1,000 sentences": _within(
            parse_seconds, "s", 0.2, "0.2 s, compiling the lexicon included"
        ),
        **iterations,
    }


def reading() -> dict[str, Row]:
    """Memory metrics and entropy of 20 sentences, parsed anew with a lexicon that has been edited."""
    lexicon = load_sample("korean_relative_clauses")
    sentences = [*islice(cycle(s.words for s in lexicon.sentences), 20)]

    def again() -> None:
        grammar = Grammar(lexicon)
        for parsed in [parse(grammar, words) for words in sentences]:
            word_by_word(parsed)
            for found in parsed.best(1):
                use = memory_use(found.derivation)
                assert all(metric(use) is not None for metric in SHOWN_METRICS)

    row = _within(1000 * best_of(again), "ms", 300.0, "300 ms")
    return {"mg: metrics and entropy of 20 sentences": row, **reading_in_the_lab()}


def reading_in_the_lab() -> dict[str, Row]:
    """Edit of a noun to the redrawn tab, of 20 random sentences without it: metrics, words with times."""
    from otlab.ui.mg.lab import MGLab
    from tests.ui.page import send

    lab = MGLab()
    showing = lab.main()
    lab.choose("korean_relative_clauses")
    view = showing.tab("Induce")
    edited = next(k for k, row in enumerate(view.lexicon.rows) if row["phon"] == "silswu")
    made = generate(lab.state.lexicon, 800, seed=3).derivations
    sentences = sorted({d.words for d in made if "silswu" not in d.words}, key=len)[-20:]
    lab.state.replace_corpus(dict.fromkeys(sentences, 1))
    lab.state.edits += 1
    times = [f"{k},{word},300" for k, words in enumerate(sentences) for word in words]
    lab.state.reading_times.open_times("times.csv", "\n".join(["sentence,word,ms", *times]))
    spellings = cycle(("silsu", "silswu"))
    rows: dict[str, Row] = {}
    for title in ("Memory", "Reading times"):
        showing.open(title)
        changes = [
            {"kind": "edit", "index": edited, "field": "phon", "text": next(spellings)} for _ in range(9)
        ]
        taken = [1000 * seconds(lambda change=change: send(view.lexicon, change)) for change in changes]
        row = _within(statistics.median(taken), "ms", 300.0, "300 ms; median of 9 edits")
        row["holds"] = row["holds"] and not lab.state.reading_times.error
        rows[f"mg: edit to the redrawn tab {title}, {len(sentences)} sentences"] = row
    return rows


def long_sentence() -> dict[str, Row]:
    lexicon = child_directed(500)
    words = tuple(LONG.split())
    grammar = Grammar(lexicon)
    assert len(words) == 20
    assert grammar.forest(words).derivations > 1

    def again() -> None:
        grammar.cache.clear()
        grammar.forest(words)

    return {"mg: 20 words, 500 entries": _within(1000 * best_of(again), "ms", 5.0, "5 ms")}


def exact_counts() -> dict[str, Row]:
    compounds, copies = load_sample("noun_compounds"), load_sample("copy_ww")
    half = tuple(HALF.split())
    nouns = best_of(lambda: parse(compounds, ("stone",) * 40).derivations)
    copy = best_of(lambda: parse(copies, half + half).derivations)
    right = parse(compounds, ("stone",) * 40).derivations == math.comb(78, 39) // 40
    right = right and parse(copies, half + half).derivations == 1
    row = _within(nouns, "s", 1.0, "exact, 1 s")
    return {
        "mg: Catalan count of 40 nouns": Row(**{**row, "holds": row["holds"] and right}),
        "mg: copy language, 16 words": _within(copy, "s", 1.0, "1 s"),
    }


def against_nltk() -> dict[str, Row]:
    import nltk

    words = ("stone",) * 10
    parser = nltk.ChartParser(nltk.CFG.fromstring("N -> N N | 'stone'"))
    grammar = Grammar(load_sample("noun_compounds"))

    def ours() -> int:
        grammar.cache.clear()
        return int(grammar.forest(words).derivations)

    def theirs() -> int:
        return sum(1 for _ in parser.parse(words))

    def ours_often() -> None:
        for _ in range(TIMES):
            ours()

    assert ours() == theirs() == 4862
    gc.collect()
    gc.disable()  # on both sides, as timeit does: NLTK leaves a large heap to search
    try:
        pairs = [(cpu_seconds(ours_often) / TIMES, cpu_seconds(theirs)) for _ in range(9)]
    finally:
        gc.enable()
    mine, other = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    row = at_least(mine, "ms", "NLTK chart parser, processor time", other, ratio, 100)
    return {"mg: all parses of 10 nouns": row}


def edits() -> dict[str, Row]:
    """A grid edit, parsed and learnt again, everything redrawn, for 1,000 sentences; and typing."""
    from otlab.ui.fields import values_of
    from otlab.ui.mg.lab import MGLab
    from tests.ui.page import send

    lexicon = child_directed(300)
    lab = MGLab(lexicon, corpus_of(lexicon))
    showing = lab.main()
    lab.state.learn_again(values_of(lab.settings))
    view = showing.tab("Induce")
    index = len(lexicon) - 1
    texts = iter([f"{'=n ' * (1 + k % 2)}n" for k in range(100)])

    def edit() -> None:
        message = {"kind": "edit", "index": index, "field": "features", "text": next(texts)}
        send(view.lexicon, message, "LexiconGrid")

    redrawn = best_of(edit)
    assert "vb" in lab.state.results
    sentence = "what did you see1 with the noun3 in a noun4 with the noun5"
    keys = []
    for n in range(1, len(sentence) + 1):
        keys.append(seconds(lambda n=n: setattr(view.derivation.sentence, "value_input", sentence[:n])))
    del showing
    return {
        "mg: edit to redrawn posterior": _within(1000 * redrawn, "ms", 300.0, "300 ms, 50 iterations"),
        "mg: slowest key of a 12-word sentence": _within(1000 * max(keys), "ms", 300.0, "300 ms"),
    }


HOSTILE = {
    "200 licensees": ["@start c", "a :: =d =d =d =d =d c", *(f"w{i} :: d -l{i}" for i in range(200))],
    "3,600 silent loops": [
        "@start c0", *(f" :: =c{i} c{j}" for i in range(60) for j in range(60)), "a :: c0", "a :: =c0 c0",
    ],
    "8 movers at once": [
        "@start c", "a :: c", *(f"a :: =c c -l{i}" for i in range(8)), *(f" :: =c +l{i} c" for i in range(8)),
    ],
}  # fmt: skip


def hostile() -> dict[str, Row]:
    rows = {}
    for name, lines in HOSTILE.items():
        begin = time.perf_counter()
        with suppress(InputError):  # a clear message is as good as an answer
            parse(loads("\n".join(lines)), ("a",) * 12).best(1)
        rows[f"mg: hostile, {name}"] = _within(
            time.perf_counter() - begin, "s", 5.0, "an answer or a message in 5 s"
        )
    large = "\n".join(["@start c", *(f"w{i} :: =c c" for i in range(5000)), "a :: c"])
    rows["mg: a lexicon of 5,000 lines"] = _within(
        best_of(lambda: Grammar(loads(large)).graph), "s", 2.0, "2 s"
    )
    return rows


def run() -> dict[str, Row]:
    for compile_kernels in STEPS.values():
        compile_kernels()
    parts = (parsing_and_vb, reading, long_sentence, exact_counts, against_nltk, edits, hostile)
    return {name: row for part in parts for name, row in part().items()}
