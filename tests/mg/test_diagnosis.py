"""Twenty starred sentences and the first line of what is said about each."""

import pytest

from otlab.mg.parsing import parse
from otlab.samples import load_sample

TABLE = [
    ("noun_compounds", "stone the lion", "'the' is not in the lexicon; choose from house, lion, plan, stone"),
    ("figure1_wh", "what did you se", "'se' is not in the lexicon; did you mean see?"),
    ("figure1_object_first", "did you see what", "complete except: 'what' still carries -wh; there is no +wh above it"),
    ("figure1_wh", "did you see what", "complete except: 'what' must move to the left edge of 'did you see' (+wh); it stands elsewhere"),
    ("figure1_wh", "you see what", "complete except: 'what' still carries -wh; there is no +wh above it"),
    ("french_clitics_negation", "jean voit la", "complete except: 'la' still carries -cl; there is no +cl above it"),
    ("english_np_movement", "was praised mary", "complete except: 'was praised mary' has +k, but nothing in it carries -k"),
    ("english_np_movement", "mary praised", "complete except: 'mary' still carries -k; there is no +k above it"),
    ("english_pp_attachment", "saw the man", "complete except: 'saw the man' still needs d to its left (d=)"),
    ("english_pp_attachment", "the man", "complete except: it is of category d, not t"),
    ("an_bn", "a", "complete except: 'a' still needs b to its right (=b)"),
    ("dyck", "( ( )", "complete except: '( ( )' still needs r to its right (=r)"),
    ("smc_two_wh", "this john bought", "complete except: 'john bought' has +wh, but nothing in it carries -wh"),
    ("smc_two_wh", "who what bought", "shortest move constraint: 'who' and 'what' would both wait with -wh"),
    ("figure1_wh", "what did what see", "shortest move constraint: 'what' and 'what' would both wait with -wh"),
    ("stabler_king", "which king prefers which wine", "shortest move constraint: 'which king' and 'which wine' would both wait with -wh"),
    ("english_np_movement", "john was praised mary", "shortest move constraint: 'john' and 'mary' would both wait with -k"),
    ("figure1_wh", "what did you see you", "longest finished pieces: [c what did you see] [d you]"),
    ("an_bn", "a b a b", "longest finished pieces: [s a b] [s a b]"),
    ("stabler_king", "which queen prefers king the", "longest finished pieces: [D which queen] prefers [N king] the"),
    ("gender_induction", "soleil le", "longest finished pieces: [n1 soleil] le"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sentence", "first_line"), TABLE)
def test_first_line(name, sentence, first_line):
    diagnosis = parse(load_sample(name), sentence).diagnosis()
    assert diagnosis is not None
    assert diagnosis.lines[0] == first_line


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
