"""Memory use of a top-down parse: against a twin with a queue, values counted by hand, metrics, views."""

import heapq
import itertools

import pytest

from otlab.errors import InputError
from otlab.mg.io.read import loads
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.memory import memory_use
from otlab.mg.processing.metrics import ALL_METRICS, Metric, easier, ranks, read_metrics, value_shown
from otlab.mg.views.exports import to_brackets, to_forest, to_qtree
from otlab.samples import load_sample, samples
from tests.mg import naive


def derivation_of(lexicon, sentence):
    return parse(lexicon, sentence).best(1)[0].derivation


def leaves(node):
    if node.item is not None:
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def yield_of(node, tokens):
    """Return the places of the leaves in the sentence, from the operations alone."""

    def build(n):
        if n.item is not None:
            return ([], [next(tokens)], []), []
        (spec, head, comp), movers = build(n.children[0])
        if n.mover is not None:
            at = next(i for i, m in enumerate(n.children[0].movers) if m is n.mover)
            moved = movers[at]
            if len(n.mover.features) == 1:
                return (moved + spec, head, comp), movers[:at] + movers[at + 1 :]
            return (spec, head, comp), movers
        other, more = build(n.children[1])
        if n.rule == "adjoin":
            adjunct, (before, host, after) = spec + head + comp, other
            if n.checked.kind == "adjoin-right":
                return (adjunct + before, host, after), movers + more
            return (before, host, after + adjunct), movers + more
        if n.checked.moves_head:
            (spec, head, comp), other = naive.adjoin(n.checked.kind, head, *other)
        else:
            other = [*itertools.chain(*other)]
        if n.rule == "merge-m":
            return (spec, head, comp), [*movers, *more, other]
        if n.rule == "merge-r":
            return (spec, head, comp + other), movers + more
        return (other + spec, head, comp), movers + more

    return [*itertools.chain(*build(node)[0])]


def twin(root):
    """Return index and outdex of each node: a queue from which the leftmost node is taken."""
    found = leaves(root)
    place = {id(found[n]): at for at, n in enumerate(yield_of(root, itertools.count()))}

    def leftmost(node):
        return min(place[id(leaf)] for leaf in leaves(node))

    step, marks = 1, {}
    queue = [(leftmost(root), 0, 1, root)]
    serial = itertools.count(1)
    while queue:
        _, _, index, node = heapq.heappop(queue)
        step += 1
        marks[id(node)] = (index, step)
        for child in node.children:
            heapq.heappush(queue, (leftmost(child), next(serial), step, child))
    return marks


@pytest.mark.parametrize("name", [s.name for s in samples("mg")])
def test_every_node_as_with_a_queue(name):
    lexicon = load_sample(name)
    for words in lexicon.corpus[:6]:
        for reading in parse(lexicon, words).best(2):
            use = memory_use(reading.derivation)
            expected = twin(reading.derivation.root)
            assert {id(v.node): (v.index, v.outdex) for v in use.visits} == expected


def test_index_and_outdex_counted_by_hand(figure1):
    d = derivation_of(figure1, "what did you see")
    brackets = "[¹CP₂ [²C′₃ ³ε₇ [³IP₄ ⁴did₈ [⁴VP₅ [⁵V′₉ ⁹you₁₀ ⁹see₁₁] ⁵what₆]]]]"
    assert to_brackets(d, "memory") == brackets
    use = memory_use(d)
    assert use.word_tenures() == [1, 4, 1, 2]  # what did you see
    assert [(m.licensor, m.size, m.final) for m in use.moves] == [("wh", 4, True)]
    values = {m.name: m(use) for m in ALL_METRICS}
    assert [values[n] for n in ("MaxT", "SumT", "AvgT", "BoxT")] == [4, 12, 4, 3]
    # Tenures: CP 1, C' 1, IP 1, VP 1, what 1, ε 4, did 4, V' 4, you 1, see 2.
    assert values["SumT'"] == 20
    assert values["SumT'[I]"] == 12
    assert values["SumT'[IU]"] == 8
    assert values["BoxT[P]"] == 2
    assert values["MaxTR"] == (4, 4, 4)
    assert [values[n] for n in ("MaxS", "SumS", "AvgS", "Movers", "MaxSR")] == [4, 4, 4, 1, (4,)]


def test_movements_in_between_count_only_with_an_apostrophe():
    lexicon = loads("@start c\nseems :: =i +k c\nto :: =v +k i\nsleep :: =d v\nann :: d -k -k\n")
    use = memory_use(derivation_of(lexicon, "ann seems to sleep"))
    assert [(m.final, m.mover.node.item.phon) for m in use.moves] == [(False, "ann"), (True, "ann")]
    # Path c, c', i, i', v, ann: indices 1 2 3 4 5 6 less one each: i is predicted at 3, ann at 6.
    assert Metric("MaxSR")(use) == (5,)
    assert Metric("MaxSR", trivial=True)(use) == (5, 3)
    assert Metric("Movers", trivial=True)(use) == 2


def test_harder_sentences_are_ranked_after_easier_ones():
    lexicon = load_sample("dutch_cross_serial")
    uses = [memory_use(derivation_of(lexicon, words)) for words in lexicon.corpus[:3]]
    for metric in (Metric("MaxT"), Metric("SumT"), Metric("MaxTR"), Metric("SumS"), Metric("Movers")):
        assert ranks(uses, [metric]) == [1, 2, 3]
    assert easier(uses[0], uses[1], [Metric("MaxT")]) == -1
    assert easier(uses[1], uses[1], [Metric("MaxT"), Metric("MaxSR")]) == 0
    assert ranks([uses[1], uses[0], uses[1]], [Metric("Movers")]) == [2, 1, 2]


def test_the_second_metric_decides_a_tie(figure1):
    uses = [memory_use(derivation_of(figure1, s)) for s in ("what did you see", "what did see you")]
    first, second = read_metrics("Movers > SumT'")
    assert first(uses[0]) == first(uses[1])
    assert easier(*uses, [first]) == 0
    expected = -1 if second(uses[0]) < second(uses[1]) else 1
    assert second(uses[0]) != second(uses[1])
    assert easier(*uses, [first, second]) == expected


def test_names_of_metrics():
    assert [m.name for m in read_metrics("MaxT\u2019[U,I] > Movers")] == ["MaxT'[IU]", "Movers"]
    assert len({m.name for m in ALL_METRICS}) == len(ALL_METRICS) == 90
    for metric in ALL_METRICS:
        assert read_metrics(metric.name) == (metric,)
    with pytest.raises(InputError) as error:
        read_metrics("MaxX > SumS[I] > SumT")
    assert [fault.what for fault in error.value.faults] == [
        "'MaxX' is not a metric",
        "'SumS[I]' has a filter",
    ]
    assert [value_shown(v) for v in (3, 8.25, 4.0, (5, 2), ())] == ["3", "8.25", "4", "5 2", "0"]


def test_latex_has_raised_and_lowered_numbers(figure1):
    d = derivation_of(figure1, "what did you see")
    for text in (to_forest(d, "memory"), to_qtree(d, "memory")):
        assert r"\textsuperscript{3}$\varepsilon$\textsubscript{7}" in text
        assert r"\textsuperscript{9}you\textsubscript{10}" in text


def use_of(lexicon, sentence):
    return memory_use(derivation_of(lexicon, sentence))


def test_verdicts_of_the_literature_on_relative_clauses():
    lexicon = load_sample("english_relative_clauses")
    right = use_of(lexicon, "the reporter met the senator who met the reporter who attacked the senator")
    centre = use_of(lexicon, "the reporter who the senator who the reporter met attacked admitted the error")
    # Kobele, Gerth & Hale (2013): embedding in the centre is harder than to the right.
    assert (Metric("MaxT")(right), Metric("MaxT")(centre)) == (8, 39)
    assert easier(right, centre, [Metric("SumT")]) == -1
    # Graf, Monette & Zhang (2017): a subject gap is easier than an object gap by MaxT, then SumS.
    pairs = [
        (
            "the reporter who attacked the senator admitted the error",
            "the reporter who the senator attacked admitted the error",
        ),
        (
            "the senator met the reporter who attacked the senator",
            "the senator met the reporter who the senator attacked",
        ),
    ]
    for subject, object_ in pairs:
        uses = use_of(lexicon, subject), use_of(lexicon, object_)
        for ranked in ("MaxT > SumS", "MaxTR", "SumT", "BoxT", "MaxS"):
            assert easier(*uses, read_metrics(ranked)) == -1, ranked


def test_a_subject_moves_less_far_than_an_object_in_korean_relative_clauses():
    lexicon = load_sample("korean_relative_clauses")
    subject = use_of(lexicon, "uywon -ul kongkyekha -n kica -ka silswu -ul siinha -ta")
    object_ = use_of(lexicon, "uywon -ka kongkyekha -n kica -ka silswu -ul siinha -ta")
    assert easier(subject, object_, read_metrics("MaxT > SumS")) == -1
    assert easier(subject, object_, read_metrics("SumT")) == 1, "not by every metric"


@pytest.mark.parametrize(("embedded", "metrics"), [(2, "MaxT[U]"), (3, "MaxT[U]"), (2, "MaxTR")])
def test_crossed_verbs_are_easier_than_nested_ones(embedded, metrics):
    """The verdict of Kobele, Gerth & Hale (2013), whose tenures are those of pronounced items."""
    lexicon = load_sample("crossed_and_nested")
    nouns = ["jan", "marie", "piet", "jan"][: embedded + 1]
    dutch = ["dat", *nouns, "zag", *["helpen"] * (embedded - 1), "zwemmen"]
    german = ["dass", *nouns, "schwimmen", *["helfen"] * (embedded - 1), "sah"]
    uses = use_of(lexicon, " ".join(dutch)), use_of(lexicon, " ".join(german))
    assert easier(*uses, read_metrics(metrics)) == -1


@pytest.mark.parametrize(
    "name", ["english_relative_clauses", "korean_relative_clauses", "crossed_and_nested"]
)
def test_samples_about_reading_have_the_derivations_they_say(name):
    lexicon = load_sample(name)
    found = {e.words: parse(lexicon, e.words).derivations for e in lexicon.sentences}
    assert found == {e.words: e.derivations for e in lexicon.sentences}
