"""Corpora with a count behind each sentence, as spreadsheets and tables save them."""

import pytest

from otlab.errors import DataWarning, collected_warnings
from otlab.mg.sentences import read_corpus_text

WORDS = {"mary", "john", "sleeps", "2"}
COUNTS = {("mary", "sleeps"): 20, ("john", "sleeps"): 3}


@pytest.mark.parametrize(
    "text",
    [
        "mary sleeps\t20\njohn sleeps\t3\n",
        "mary sleeps,20\njohn sleeps,3\n",
        'sentence;count\n"mary sleeps";20\n"john sleeps";3\n',
        '"sentence","n"\n"mary sleeps",20\n"john sleeps",3\n',
        "mary sleeps 20\njohn sleeps 1\njohn sleeps 2\n".replace("john sleeps 2", "john sleeps  02"),
    ],
)
def test_a_number_that_ends_every_line_is_its_count(text):
    with pytest.warns(DataWarning, match="the number that each line ends with is read as the count"):
        assert dict(read_corpus_text(text, WORDS)) == COUNTS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mary sleeps 20\njohn sleeps\n", ("mary", "sleeps", "20")),
        ("mary sleeps 2\n", ("mary", "sleeps", "2")),
        ("mary sleeps 3 | 5\n", ("mary", "sleeps", "3")),
        ("count\nmary sleeps\n", ("count",)),
    ],
)
def test_a_number_that_only_some_lines_have_or_that_is_a_word_is_a_word(text, words):
    with collected_warnings() as notes:
        assert words in read_corpus_text(text, WORDS)
    assert not notes
