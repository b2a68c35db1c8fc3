from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.discovery.corpus import Corpus, read
from otlab.discovery.parsing.spans import number_spans
from otlab.discovery.scores import score
from otlab.discovery.toy import ToyLanguage, generate
from otlab.errors import DataWarning, InputError

texts = st.lists(
    st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4), min_size=1, max_size=6
)


@given(texts)
def test_words_come_back(utterances):
    corpus = Corpus.from_text("\n".join(" ".join(words) for words in utterances))
    ends = corpus.gold if corpus.gold is not None else np.zeros(corpus.phones.size, dtype=bool)
    assert [corpus.words(u, ends) for u in range(len(corpus))] == utterances


def test_header_comments_are_only_known_keys_at_the_top():
    corpus = Corpus.from_text("# title: A test\n# vowels: a e\n# yu want\n")
    assert (corpus.title, corpus.vowels, corpus.utterance(0)[0]) == ("A test", ("a", "e"), "#")
    assert corpus.lines == (3,)


def test_separator_keeps_long_phones_together():
    assert Corpus.from_text("# separator: .\nt͡s.a ʃ.o").words(0, np.ones(4, dtype=bool)) == [
        "t͡s",
        "a",
        "ʃ",
        "o",
    ]


def test_empty_lines_are_named_and_left_out():
    with pytest.warns(DataWarning, match=r"text:2: empty line, left out \(and 1 more: 4\)"):
        assert len(Corpus.from_text("ab\n\nab\n \n")) == 2


def test_a_file_of_an_older_program_is_read_with_a_warning(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("niño mañana\n".encode("latin-1"))
    with pytest.warns(DataWarning, match="not UTF-8, read as Windows-1252"):
        corpus = read(path)
    assert corpus.words(0, corpus.gold) == ["niño", "mañana"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ab\0c", "NUL byte"),
        (b"ab\n\x81\n", "t.txt: is neither UTF-8 nor Windows-1252"),
        (b"", "no utterance"),
        (b"a\x07b", "t.txt:1:2: control character U\\+0007"),
    ],
)
def test_bad_files(tmp_path, data, message):
    path = tmp_path / "t.txt"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.filterwarnings("ignore::otlab.errors.DataWarning")
def test_very_long_utterances_are_left_out():
    assert len(Corpus.from_text("a" * 300 + "\nab")) == 1


def test_shipped_toy_is_what_the_generator_draws():
    shipped, drawn = read("toy_phones"), generate()
    assert shipped.symbols == drawn.symbols
    assert (shipped.phones == drawn.phones).all()
    assert (shipped.gold == drawn.gold).all()
    assert (
        len({w for u in range(len(shipped)) for w in shipped.words(u, shipped.gold)}) == ToyLanguage().words
    )


@pytest.mark.slow
@given(texts)
def test_spans_are_equal_exactly_where_strings_are(utterances):
    corpus = Corpus.from_text("\n".join("".join(words) for words in utterances))
    spans = number_spans(corpus)
    seen = {}
    for u in range(len(corpus)):
        a, b = corpus.offsets[u], corpus.offsets[u + 1]
        for i in range(a, b):
            for j in range(i + 1, b + 1):
                seen.setdefault(corpus.spell(range(i, j)), []).append(spans.ids[spans.row[i] + j - i - 1])
    assert all(len(set(numbers)) == 1 for numbers in seen.values())
    assert len({numbers[0] for numbers in seen.values()}) == len(seen) == len(spans)
    for string, numbers in seen.items():
        k = numbers[0]
        assert spans.count[k] == len(numbers)
        assert corpus.spell(range(spans.first[k], spans.first[k] + spans.length[k])) == string
        assert (spans.repeated().ids == k).any() == (len(numbers) > 1)


def test_scores_by_hand():
    corpus = Corpus.from_text("ab c d\nab c")
    ends = np.array([0, 1, 0, 1, 0, 0, 1], dtype=bool)  # ab cd | abc
    found = score(corpus, ends)
    assert (found.token.right, found.token.found, found.token.gold) == (1, 3, 5)
    assert (found.boundary.right, found.boundary.found, found.boundary.gold) == (1, 1, 3)
    assert (
        found.boundary_with_edges.right,
        found.boundary_with_edges.found,
        found.boundary_with_edges.gold,
    ) == (5, 5, 7)
    assert (found.lexicon.right, found.lexicon.found, found.lexicon.gold) == (1, 3, 3)
    assert found.as_dict()["token_f"] == 2 / 8
    assert score(Corpus.from_text("abc"), np.zeros(3, dtype=bool)) is None
