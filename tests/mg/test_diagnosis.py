"""Twenty starred sentences and the first line of the diagnosis of each."""

import pytest

from otlab.mg.io.read import loads
from otlab.mg.learners.corpus import parse_corpus
from otlab.mg.parsing.grammar import Grammar
from otlab.mg.parsing.parse import parse
from otlab.samples import load_sample

EXCEPT, SMC, PIECES = (
    "Everything fits except that ",
    "Shortest move constraint: ",
    "Largest complete constituents: ",
)
TABLE = [
    ("noun_compounds", "stone the lion",
     "", "'the' is not in the lexicon; known words: house, lion, plan, stone"),
    ("figure1_wh", "what did you se", "", "'se' is not in the lexicon; did you mean see?"),
    ("figure1_object_first", "did you see what",
     EXCEPT, "'what' still has to check -wh, and there is no +wh above it"),
    ("figure1_wh", "did you see what",
     EXCEPT, "'what' must move to the left edge of 'did you see' (+wh), but is pronounced elsewhere"),
    ("figure1_wh", "you see what", EXCEPT, "'what' still has to check -wh, and there is no +wh above it"),
    ("french_clitics_negation", "jean voit la",
     EXCEPT, "'la' still has to check -cl, and there is no +cl above it"),
    ("english_np_movement", "was praised mary",
     EXCEPT, "'was praised mary' has +k, but nothing in it carries -k"),
    ("english_np_movement", "mary praised",
     EXCEPT, "'mary' still has to check -k, and there is no +k above it"),
    ("english_pp_attachment", "saw the man", EXCEPT, "'saw the man' still selects d to its left (d=)"),
    ("english_pp_attachment", "the man", EXCEPT, "it is of category d, not t"),
    ("an_bn", "a", EXCEPT, "'a' still selects b to its right (=b)"),
    ("dyck", "( ( )", EXCEPT, "'( ( )' still selects r to its right (=r)"),
    ("smc_two_wh", "this john bought", EXCEPT, "'john bought' has +wh, but nothing in it carries -wh"),
    ("smc_two_wh", "who what bought", SMC, "'who' and 'what' would both be waiting to check -wh"),
    ("figure1_wh", "what did what see", PIECES, "[d what] did [d what] see"),
    ("stabler_king", "which king prefers which wine",
     EXCEPT, "'which wine' still has to check -wh, and nothing is left to attract it"),
    ("english_np_movement", "john was praised mary", PIECES, "[t john was praised] [d mary]"),
    ("figure1_wh", "what did you see you", PIECES, "[c what did you see] [d you]"),
    ("an_bn", "a b a b", PIECES, "[s a b] [s a b]"),
    ("stabler_king", "which queen prefers king the", PIECES, "[D which queen] prefers [N king] the"),
    ("gender_induction", "soleil le", PIECES, "[n1 soleil] le"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sentence", "reason", "rest"), TABLE)
def test_first_line(name, sentence, reason, rest):
    diagnosis = parse(load_sample(name), sentence).diagnosis()
    assert diagnosis is not None
    assert diagnosis.lines[0] == reason + rest


def test_what_edges_waited_for():
    lines = parse(load_sample("english_pp_attachment"), "john the man saw").diagnosis().lines
    assert "'saw' selects d to its right (=d), and none is there" in lines


RELATIVES = """
@start c
ε :: =t c
ε :: =v +nom t
saw :: =d =nom v
bill :: nom -nom
mary :: nom -nom
man :: n
the :: =n d
that :: =t rel
"""


def test_a_blocked_merge_that_is_not_to_blame_is_not_named():
    """Two waiting subjects meet in the chart, but there is no relative phrase without it either."""
    lexicon = loads("@convention nondirectional" + RELATIVES)
    assert parse(Grammar(lexicon, smc=False), "bill saw the man that mary saw").derivations == 0
    diagnosis = parse(lexicon, "bill saw the man that mary saw").diagnosis()
    assert diagnosis.reason == "pieces"
    assert "Shortest move" not in str(diagnosis)


def test_the_constraint_is_named_when_it_alone_forbids():
    lexicon = load_sample("smc_two_wh")
    assert parse(Grammar(lexicon, smc=False), "who what bought").derivations == 2
    diagnosis = parse(lexicon, "who what bought").diagnosis()
    assert diagnosis.reason == "smc"
    assert diagnosis.lines == (f"{SMC}'who' and 'what' would both be waiting to check -wh",)


def test_capitals_are_offered_in_small_letters():
    diagnosis = parse(load_sample("figure1_wh"), "What did You see?").diagnosis()
    assert diagnosis.lines == (
        "'What' is not in the lexicon; did you mean what?",
        "'You' is not in the lexicon; did you mean you?",
    )
    assert diagnosis.respelled == ("what", "did", "you", "see")


def test_suggestions_are_enough():
    lexicon = load_sample("figure1_object_first")
    diagnosis = parse(lexicon, "did you see fish").diagnosis()
    assert diagnosis.suggestions[0] == "fish :: d"
    from otlab.mg.lexicon import item

    mended = lexicon.with_items([*lexicon.items, item(diagnosis.suggestions[0])])
    assert parse(mended, "did you see fish").derivations == 1


def test_there_is_none_for_a_sentence_of_the_language(figure1):
    assert parse(figure1, "what did you see").diagnosis() is None


def test_the_empty_sentence_and_printed_sentences_are_diagnosed(figure1):
    assert str(parse(figure1, "ε").diagnosis()) == "No sentence without a word can be made"
    printed = parse(figure1, "“What, did you See”").diagnosis()
    assert printed.respelled == ("what", "did", "you", "see")
    assert printed.lines[0] == "'“What,' is not in the lexicon; did you mean what?"
    corpus = parse_corpus(Grammar(figure1), ["What did you see", "what did fish"])
    assert corpus.reasons == (
        "'What' is no word of the lexicon; write: what did you see", "'fish' is no word of the lexicon"
    )  # fmt: skip
