r"""Class files of the ZeroSpeech challenges, and their scores of spoken term discovery.

::

    Class 1                 one class of fragments, which are taken to be the same word
    u000 0.0950 0.2729      file, start and end in seconds
    u007 0.1100 0.2830
                            a blank line ends the class

Scores after Ludusan et al. (2014). A gold phone belongs to a fragment if they share at least
30 ms, or half of the phone; the phones of a fragment are its *transcription*. Pauses do not count
as phones, and a fragment without phones does not count at all.

- NED: edit distance of two transcriptions divided by the length of the longer one, averaged over all
  pairs of fragments in the same class; 0 is best.
- Coverage: share of the gold phones that belong to some fragment.
- Grouping: of the pairs in the same class, the share with the same transcription (precision); of the
  pairs with the same transcription, the share in the same class (recall). Both are averaged over
  transcriptions, weighted by their numbers of fragments.
- Token, type, boundary: fragments that are exactly a gold word, transcriptions that are a gold
  word's, and edges of fragments that are edges of gold words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from otlab.discovery.scores import Ratio
from otlab.discovery.sound.tiers import PAUSES, Interval
from otlab.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "Fragment",
    "TermScores",
    "classes_of",
    "exact_words",
    "parse_classes",
    "term_scores",
    "write_classes",
]

SHARED_SECONDS, SHARED_PART = 0.030, 0.5
_ROUNDING = 1e-9


class Fragment(NamedTuple):
    """A part of a file, in seconds."""

    file: str
    start: float
    end: float


@dataclass(frozen=True)
class TermScores:
    """Scores of classes of fragments; see the module.

    Attributes
    ----------
    ned, coverage
        Normalised edit distance (0 is best; None without pairs) and share of phones covered.
    grouping_p, grouping_r
        Precision and recall of pairs in the same class.
    token, type, boundary
        Scores against gold words; None if there are none.
    """

    ned: float | None
    coverage: float
    grouping_p: float
    grouping_r: float
    token: Ratio | None = None
    type: Ratio | None = None
    boundary: Ratio | None = None


def classes_of(intervals: Iterable[tuple[str, Interval]]) -> dict[str, list[Fragment]]:
    """Return the fragments with each label, in the order in which labels first appear."""
    classes: dict[str, list[Fragment]] = {}
    for file, i in intervals:
        classes.setdefault(i.label, []).append(Fragment(file, i.start, i.end))
    return classes


def write_classes(classes: Mapping[str, Sequence[Fragment]]) -> str:
    """Return the text of a class file.

    >>> print(write_classes({"7": [Fragment("u000", 0.095, 0.2729)]}))
    Class 7
    u000 0.0950 0.2729
    <BLANKLINE>
    """
    parts = []
    for label, fragments in classes.items():
        lines = [f"{f.file} {f.start:.4f} {f.end:.4f}" for f in fragments]
        parts.append("\n".join([f"Class {label}", *lines, ""]))
    return "\n".join(parts)


def parse_classes(text: str, file: str = "") -> dict[str, list[Fragment]]:
    """Return the classes of a class file.

    Raises
    ------
    InputError
        With every line that is neither a class nor a fragment, or ends before it starts.
    """
    classes: dict[str, list[Fragment]] = {}
    faults: list[Fault] = []
    label: str | None = None
    for line, words in enumerate((line.split() for line in text.splitlines()), 1):
        if not words:
            label = None
        elif words[0] == "Class" and len(words) >= 2:
            label = words[1]
            classes.setdefault(label, [])
        elif label is None:
            faults.append(Fault("a fragment outside a class", "write 'Class N' above it", file, line))
        else:
            try:
                name, start, end = words[0], float(words[1]), float(words[2])
                if not 0 <= start < end:
                    raise ValueError
                classes[label].append(Fragment(name, start, end))
            except (IndexError, ValueError):
                faults.append(Fault("not a fragment", "write file, start and end in seconds", file, line))
    if faults:
        raise InputError(faults)
    return classes


class _Phones:
    """The gold phones of each file, and which of them belong to a fragment."""

    def __init__(self, phones: Mapping[str, Sequence[Interval]]) -> None:
        self.tiers = {file: [p for p in tier if p.label not in PAUSES] for file, tier in phones.items()}

    def span(self, fragment: Fragment) -> tuple[int, int]:
        """Return the first phone of a fragment and the one after its last; equal if it has none."""
        inside = [k for k, phone in enumerate(self.tiers.get(fragment.file, ())) if _belongs(phone, fragment)]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def labels(self, file: str, span: tuple[int, int]) -> tuple[str, ...]:
        """Return the transcription of a span."""
        return tuple(phone.label for phone in self.tiers[file][slice(*span)])


def _belongs(phone: Interval, fragment: Fragment) -> bool:
    shared = min(phone.end, fragment.end) - max(phone.start, fragment.start) + _ROUNDING
    return shared >= min(SHARED_SECONDS, SHARED_PART * (phone.end - phone.start)) and shared > 2 * _ROUNDING


def term_scores(
    classes: Mapping[str, Sequence[Fragment]],
    phones: Mapping[str, Sequence[Interval]],
    words: Mapping[str, Sequence[Interval]] | None = None,
) -> TermScores:
    """Score classes of fragments.

    Parameters
    ----------
    classes
        Fragments by class.
    phones, words
        Gold intervals of each file, in order of time.
    """
    gold = _Phones(phones)
    spans = {f: gold.span(f) for fragments in classes.values() for f in fragments}
    phones_of = {f: gold.labels(f.file, span) for f, span in spans.items() if span[1] > span[0]}
    counts = [
        Counter(phones_of[f] for f in set(fragments) if f in phones_of) for fragments in classes.values()
    ]
    covered = {(f.file, k) for f in phones_of for k in range(*spans[f])}
    total = sum(len(tier) for tier in gold.tiers.values())
    precision, recall = _grouping(counts, Counter(phones_of.values()))
    tokens = {(f.file, *spans[f]) for f in phones_of}
    return TermScores(
        _edit_distance(counts), len(covered) / total if total else 0.0, precision, recall,
        *(_against_words(gold, tokens, words) if words is not None else ()),
    )  # fmt: skip


def _edit_distance(counts: Sequence[Counter[tuple[str, ...]]]) -> float | None:
    """Return the normalised edit distance, averaged over all pairs in the same class."""
    pairs, total = 0, 0.0
    for count in counts:
        size = sum(count.values())
        pairs += size * (size - 1) // 2
        for (one, n), (other, m) in combinations(count.items(), 2):
            total += n * m * edits(one, other) / max(len(one), len(other))
    return total / pairs if pairs else None


def edits(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the edit distance: the fewest substitutions, insertions and deletions between two sequences.

    >>> edits("kitten", "sitting")
    3
    """
    row = list(range(len(other) + 1))
    for i, x in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def _grouping(
    counts: Sequence[Counter[tuple[str, ...]]], everywhere: Counter[tuple[str, ...]]
) -> tuple[float, float]:
    """Return precision and recall of pairs, as weighted means over transcriptions."""
    right: Counter[tuple[str, ...]] = Counter()
    grouped: Counter[tuple[str, ...]] = Counter()
    uses: Counter[tuple[str, ...]] = Counter()
    for count in counts:
        size = sum(count.values())
        for phones, n in count.items():
            right[phones] += n * (n - 1) // 2
            grouped[phones] += n * (n - 1) // 2 + n * (size - n)
            uses[phones] += n if size > 1 else 0
    possible = {phones: n * (n - 1) // 2 for phones, n in everywhere.items() if n > 1}
    return (
        _weighted(uses, {phones: right[phones] / grouped[phones] for phones in uses if grouped[phones]}),
        _weighted(everywhere, {phones: right[phones] / pairs for phones, pairs in possible.items()}),
    )


def _weighted(uses: Mapping[tuple[str, ...], int], values: Mapping[tuple[str, ...], float]) -> float:
    total = sum(uses[phones] for phones in values)
    return sum(uses[phones] * value for phones, value in values.items()) / total if total else 0.0


def exact_words(
    found: Mapping[str, Sequence[Interval]],
    phones: Mapping[str, Sequence[Interval]],
    words: Mapping[str, Sequence[Interval]],
) -> dict[str, list[bool]]:
    """Return whether the phones of each interval of each file are exactly those of a gold word."""
    gold = _Phones(phones)
    tokens = _word_spans(gold, words)
    return {
        file: [(file, *gold.span(Fragment(file, i.start, i.end))) in tokens for i in tier]
        for file, tier in found.items()
    }


def _word_spans(gold: _Phones, words: Mapping[str, Sequence[Interval]]) -> set[tuple[str, int, int]]:
    """Return the file, first phone and phone after the last of each gold word that has phones."""
    spans = {
        (file, *gold.span(Fragment(file, word.start, word.end)))
        for file, tier in words.items()
        for word in tier
        if word.label not in PAUSES and file in gold.tiers
    }
    return {(file, a, b) for file, a, b in spans if b > a}


def _against_words(
    gold: _Phones, found: set[tuple[str, int, int]], words: Mapping[str, Sequence[Interval]]
) -> tuple[Ratio, Ratio, Ratio]:
    """Return token, type and boundary scores against gold words."""
    tokens = _word_spans(gold, words)

    def types(spans: set[tuple[str, int, int]]) -> set[tuple[str, ...]]:
        return {gold.labels(file, (a, b)) for file, a, b in spans}

    def edges(spans: set[tuple[str, int, int]]) -> set[tuple[str, int]]:
        return {(file, k) for file, a, b in spans for k in (a, b)}

    pairs = ((found, tokens), (types(found), types(tokens)), (edges(found), edges(tokens)))
    token, kind, boundary = (Ratio(len(one), len(other), len(one & other)) for one, other in pairs)
    return token, kind, boundary
