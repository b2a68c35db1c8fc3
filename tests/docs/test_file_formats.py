"""The files shown in docs/file_formats.md are read as the page says."""

import math
import re

import pytest

from otlab import tagging
from otlab.cli.lexicons import open_sentences
from otlab.discovery import Corpus, parse_grammar
from otlab.discovery.channel.pairs import read_pairs
from otlab.discovery.sound.tiers import parse_table, parse_textgrid
from otlab.errors import DataWarning
from otlab.mg import loads, read_times
from otlab.ot import read, read_apriori, read_text
from otlab.ot.io.praat import parse_praat
from otlab.ot.io.praat_tableau import praat_reading
from otlab.ot.learners.priors import read_prior
from otlab.ot.learners.schedules import read_schedule
from tests.docs.conftest import DOCS

PAGE = (DOCS / "file_formats.md").read_text(encoding="utf-8")


def shown(title, number=0):
    """Return a file shown in a section, by default the first one."""
    section = PAGE[PAGE.index(f"\n## {title}\n") :].split("\n## ")[1]
    return re.findall(r"```text\n(.*?)```", section, re.DOTALL)[number]


@pytest.fixture
def written(tmp_path):
    def write(title, number=0, name="shown.txt"):
        path = tmp_path / name
        path.write_text(shown(title, number), encoding="utf-8")
        return path

    return write


def test_tableau():
    tableau, sample = read_text(shown("Tableaux")), read("ilokano")
    assert (tableau.title, tableau.noise, tableau.total) == (sample.title, sample.noise, sample.total)
    assert tableau.to_pandas().equals(sample.to_pandas())


def test_comparative_tableau_and_tableau_of_a_paper():
    with pytest.warns(DataWarning, match="comparative tableau"):
        pairs = read_text(shown("Tableaux", 1))
    assert pairs.inputs == ("bad: pat ~ bad", "bad: pat ~ pad")
    paper = read_text(shown("Tableaux", 2))
    assert (paper.inputs, paper.candidates) == (("bad",), ("pat", "bad"))
    assert paper.frequencies.tolist() == [1, 0]


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


def test_reading_times():
    (sentence,) = read_times(shown("Reading times"))
    assert (sentence.words, sentence.times[0]) == (("Mary", "sleeps."), 400.5)
    assert math.isnan(sentence.times[1])


def test_remarks_told_are_those_there_are():
    from otlab.mg import linting

    codes = r"\b[EW]\d{3}\b"
    assert set(re.findall(codes, PAGE)) == set(re.findall(codes, linting.__doc__))


def test_phonemic_text():
    corpus = Corpus.from_text(shown("Phonemic text"))
    assert (len(corpus), corpus.vowels) == (2, ("a", "e", "i", "o", "u"))
    same = Corpus.from_bytes(shown("Phonemic text", 1).encode())
    assert (same.form.name, same.words(0, same.gold)) == ("wordseg", corpus.words(1, corpus.gold))


def test_grammar_file():
    grammar = parse_grammar(shown("Grammar files"))
    assert (grammar.start, list(grammar.adapted)) == ("Utterance", ["Word"])


def test_pairs(written):
    assert read_pairs(written("Pairs of strings")).pair(0) == (("b", "ɛ", "d"), ("b", "ɛ", "t"))


def test_pair_distribution(written):
    grammar = written("Praat", 0, "shown.OTGrammar")
    written("Praat", 1, "shown.PairDistribution")
    assert read(grammar).frequencies.tolist() == [17, 3, 20]


def test_apriori(written):
    assert read_apriori(written("A priori rankings"), read("spanish")) == (("A", "M"), ("A", "B"), ("D", "M"))


def test_lexicon_as_a_table():
    table = loads(shown("Lexicons", 1), kind=".csv")
    assert (table.start, table.texts) == (("c",), loads(shown("Lexicons")).texts)
    assert table.items[1].alpha == 0.5


def test_sentences(written):
    sentences = open_sentences(str(written("Sentences")), {"what", "did", "you", "see"})
    found = [(line.words, line.times) for line in sentences]
    assert found == [
        (("what", "did", "you", "see"), 3),
        (("what", "did", "you", "see"), 1),
        (("did", "you", "see", "what"), 1),
    ]


@pytest.mark.parametrize(("number", "name"), [(0, "a.txt"), (1, "a.tsv"), (2, "a.conllu")])
def test_tagged_text(written, number, name):
    corpus = tagging.read(written("Tagged text", number, name))
    assert (corpus.tokens, corpus.sentences) == (5, 2)
    assert corpus.tagset == ("VBZ", "DT", "NN", "PRP")  # the most frequent first


def test_gold_times():
    phones = [(0.0, 0.095, "w"), (0.095, 0.2, "e")]
    assert parse_table(shown("Sound and gold times")) == [("u000", phone) for phone in phones]
    assert parse_textgrid(shown("Sound and gold times", 1)) == {"phones": phones}


def test_every_ending_that_the_labs_save_is_told():
    from otlab.ui.mg.tabs.data import LEXICON_FILES
    from otlab.ui.mg.tabs.tree_files import FORMATS as TREES
    from otlab.ui.ot.tabs.downloads import FILES
    from otlab.ui.tagging.tabs.data import FILES as TAGGING

    names = [*(name for _, name in FILES.values()), *(name for _, name in TAGGING.values())]
    endings = {name.format("").removeprefix("tableau") for name in names}
    endings |= {ending for _, ending, _ in TREES.values()}
    endings |= {f"{stem}.{end}" for _, (stem, end) in LEXICON_FILES.values() if stem != "result"}
    assert {ending for ending in endings if ending not in PAGE} == set()
