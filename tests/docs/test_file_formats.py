"""The files shown in docs/file_formats.md are read as the page says."""

import re

import pytest

from otlab.discovery import Corpus, parse_grammar
from otlab.discovery.channel.pairs import read_pairs
from otlab.mg import loads
from otlab.ot import read, read_text
from otlab.ot.io.praat import parse_praat
from otlab.ot.io.praat_tableau import praat_reading
from otlab.ot.learners.priors import read_prior
from otlab.ot.learners.schedules import read_schedule
from tests.docs.conftest import DOCS

PAGE = (DOCS / "file_formats.md").read_text(encoding="utf-8")


def shown(title):
    """Return the first file shown in a section."""
    section = PAGE[PAGE.index(f"\n## {title}\n") :]
    return re.search(r"```text\n(.*?)```", section, re.DOTALL)[1]


@pytest.fixture
def written(tmp_path):
    def write(title):
        path = tmp_path / "shown.txt"
        path.write_text(shown(title), encoding="utf-8")
        return path

    return write


def test_tableau():
    tableau, sample = read_text(shown("Tableaux")), read("ilokano")
    assert (tableau.title, tableau.noise, tableau.total) == (sample.title, sample.noise, sample.total)
    assert tableau.to_pandas().equals(sample.to_pandas())


def test_praat():
    grammar = parse_praat(shown("Praat").encode(), "shown").grammar
    assert grammar.names == ("NOCODA", "PARSE")
    assert praat_reading(grammar).tableau.inputs == ("pɪt", "pa")


def test_schedule(written):
    schedule = read_schedule(written("Schedules"))
    assert (schedule.trials, len(schedule.stages)) == (30_000, 3)
    assert schedule.stages == read_schedule(DOCS / "examples" / "schedule.txt").stages


def test_priors(written):
    prior = read_prior(written("Priors"), read("spanish"))
    assert (prior.mean.tolist(), prior.sd.tolist()) == ([0, 0, 3, 3], [2, 2, 1, 1])


def test_lexicon():
    lexicon = loads(shown("Lexicons"))
    assert (lexicon.title, lexicon.start, len(lexicon)) == ("Questions", ("c",), 4)
    assert lexicon.items[1].alpha == 0.5
    assert [s.words for s in lexicon.sentences] == [("what", "did", "you", "see")]


def test_remarks_told_are_those_there_are():
    from otlab.mg import linting

    codes = r"\b[EW]\d{3}\b"
    assert set(re.findall(codes, PAGE)) == set(re.findall(codes, linting.__doc__))


def test_phonemic_text():
    corpus = Corpus.from_text(shown("Phonemic text"))
    assert (len(corpus), corpus.vowels) == (2, ("a", "e", "i", "o", "u"))


def test_grammar_file():
    grammar = parse_grammar(shown("Grammar files"))
    assert (grammar.start, list(grammar.adapted)) == ("Utterance", ["Word"])


def test_pairs(written):
    assert read_pairs(written("Pairs of strings")).pair(0) == (("b", "ɛ", "d"), ("b", "ɛ", "t"))
