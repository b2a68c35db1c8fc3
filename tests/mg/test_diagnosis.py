"""Twenty starred sentences and the first line of what is said about each."""

import pytest

from otlab.mg.parsing import parse
from otlab.samples import load_sample

EXCEPT, SMC, PIECES = "complete except: ", "shortest move constraint: ", "longest finished pieces: "
TABLE = [
    ("noun_compounds", "stone the lion",
     "", "'the' is not in the lexicon; choose from house, lion, plan, stone"),
    ("figure1_wh", "what did you se", "", "'se' is not in the lexicon; did you mean see?"),
    ("figure1_object_first", "did you see what",
     EXCEPT, "'what' still carries -wh; there is no +wh above it"),
    ("figure1_wh", "did you see what",
     EXCEPT, "'what' must move to the left edge of 'did you see' (+wh); it stands elsewhere"),
    ("figure1_wh", "you see what", EXCEPT, "'what' still carries -wh; there is no +wh above it"),
    ("french_clitics_negation", "jean voit la", EXCEPT, "'la' still carries -cl; there is no +cl above it"),
    ("english_np_movement", "was praised mary",
     EXCEPT, "'was praised mary' has +k, but nothing in it carries -k"),
    ("english_np_movement", "mary praised", EXCEPT, "'mary' still carries -k; there is no +k above it"),
    ("english_pp_attachment", "saw the man", EXCEPT, "'saw the man' still needs d to its left (d=)"),
    ("english_pp_attachment", "the man", EXCEPT, "it is of category d, not t"),
    ("an_bn", "a", EXCEPT, "'a' still needs b to its right (=b)"),
    ("dyck", "( ( )", EXCEPT, "'( ( )' still needs r to its right (=r)"),
    ("smc_two_wh", "this john bought", EXCEPT, "'john bought' has +wh, but nothing in it carries -wh"),
    ("smc_two_wh", "who what bought", SMC, "'who' and 'what' would both wait with -wh"),
    ("figure1_wh", "what did what see", SMC, "'what' and 'what' would both wait with -wh"),
    ("stabler_king", "which king prefers which wine",
     SMC, "'which king' and 'which wine' would both wait with -wh"),
    ("english_np_movement", "john was praised mary", SMC, "'john' and 'mary' would both wait with -k"),
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
    assert "'saw' needs =d to the right of word 4" in lines


def test_suggestions_are_enough():
    lexicon = load_sample("figure1_object_first")
    diagnosis = parse(lexicon, "did you see fish").diagnosis()
    assert diagnosis.suggestions[0] == "fish :: d"
    from otlab.mg.lexicon import item

    mended = lexicon.with_items([*lexicon.items, item(diagnosis.suggestions[0])])
    assert parse(mended, "did you see fish").derivations == 1


def test_there_is_none_for_a_sentence_of_the_language(figure1):
    assert parse(figure1, "what did you see").diagnosis() is None
