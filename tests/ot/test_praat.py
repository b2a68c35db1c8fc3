"""Praat's files: which tokens count, what is refused and where, and that nothing is lost on the way back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.errors import DataWarning, InputError
from otlab.ot import (
    PairDistribution,
    PraatGrammar,
    Tableau,
    read,
    read_apriori,
    to_praat,
    with_pairs,
    write_praat,
)
from otlab.ot.io.foreign import praat_class
from otlab.ot.io.praat import STRATEGIES, PraatConstraint, PraatFile, PraatTableau, parse_praat
from otlab.ot.io.praat_names import shown, shown_names, typed
from otlab.ot.io.praat_tableau import praat_reading
from otlab.ot.io.read import read_bytes, read_with_warnings
from otlab.ot.overt import parses_unknown
from tests.ot.strategies import tableaux

GRAMMAR = """File type = "ooTextFile"
Object class = "OTGrammar 2"

<HarmonicGrammar>
0.5 ! leak of "nothing" 3 <x>
2 constraints
constraint [1]: "N\\s{O}C\\s{ODA}" 100 99.5 1 ! NOCODA
constraint [2]: "P\\s{ARSE}
(rtr)" -9.5e1 90 0.25 ! PARSE (rtr)

1 fixed rankings
  2 1

2 tableaus
input [1]: "p\\ict" 2
   candidate [1]: "say ""pa\"\"" 0 1
   candidate [2]: "p\\ict" 1 0
input [2]: "pa" 1
   candidate [1]: "pa" 0 -2
"""
HEAD = '"ooTextFile"\n"OTGrammar 2"\n<OptimalityTheory> 0.0\n'
SHORT = HEAD + '2\n"A" 100 100 1\n"B" 90 90 1\n0\n1\n"x" 2 "y" 0 1 "z" 1 0\n'
PAIRS = """File type = "ooTextFile"
Object class = "PairDistribution"

pairs: size = 2
pairs [1]:
    string1 = "p\\ict"
    string2 = "p\\ict"
    weight = 12.5
pairs [2]:
    string1 = "pa"
    string2 = "pa"
    weight = 0
"""


def parsed(text):
    return parse_praat(text.encode(), "t.OTGrammar")


def fault(text):
    with pytest.raises(InputError) as caught:
        read_bytes(text.encode(), "t.OTGrammar")
    (found,) = caught.value.faults
    return str(found)


# ---- tokens


def test_only_free_standing_strings_numbers_and_flags_count():
    grammar = parsed(GRAMMAR).grammar
    assert (grammar.strategy, grammar.leak, grammar.fixed_rankings) == ("HarmonicGrammar", 0.5, ((2, 1),))
    assert grammar.constraints == (
        PraatConstraint("N\\s{O}C\\s{ODA}", 100, 99.5, 1),
        PraatConstraint("P\\s{ARSE}\n(rtr)", -95, 90, 0.25),
    )
    first, second = grammar.tableaux
    assert first == PraatTableau("p\\ict", (('say "pa"', (0, 1)), ("p\\ict", (1, 0))))
    assert second.candidates == (("pa", (0, -2)),)


@pytest.mark.parametrize(
    ("was", "written", "ranking"),
    [
        ('"A" 100', '"A" 100,', 100),
        ('"A" 100', '"A" 50%', 0.5),
        ('"A" 100', '"A" +1.5e2', 150),
        ('"A" 100', 'name= "A" [1]: (3) 100', 100),
        ('"A" 100', '! a "comment" 5\n"A" 100', 100),
        ('"A" 100', 'foo!bar "A" 100', 100),
    ],
    ids=["comma", "per cent", "exponent", "words", "comment", "inner exclamation mark"],
)
def test_words_and_numbers_as_in_praat(was, written, ranking):
    assert parsed(SHORT.replace(was, written)).grammar.constraints[0].ranking == ranking


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SHORT.replace('"A" 100', '"A"100'), 'token 6: the quote of "A"100 is not closed; close it'),
        (SHORT.replace('"A" 100', '"A" "x" 100'), 'token 7: found "x" in place of a number, the ranking of'),
        (
            SHORT.replace('"A" 100', "5 100"),
            "token 6: found 5 in place of a string, the name of",
        ),
        (SHORT.replace("Optimality", "Opti"), "token 3: <OptiTheory> is no decision strategy; choose from"),
        (SHORT.replace("Grammar 2", "Grammar 3"), "token 2: is an OTGrammar of version 3"),
        (
            SHORT.replace('"y" 0 1', '"y" 0 1.5'),
            "token 20: 1.5 is no whole number",
        ),
        (SHORT.replace('"z" 1 0', '"z" 1'), "token 23: the file ends before a number of"),
        (SHORT.replace('1\n"x" 2', '1\n"x" 0'), "token 17: 0 is no whole number of 1 or more"),
        (
            SHORT.replace('0\n1\n"x"', '1 1 3\n1\n"x"'),
            "token 16: there is no constraint 3, which",
        ),
        (SHORT.replace('"A" 100', '"A" -'), "token 7: '-' is no number"),
    ],
)
def test_faults_name_the_token(text, message):
    assert fault(text).startswith(f"t.OTGrammar: {message}")


def test_versions_0_and_1_have_fewer_tokens():
    new = parsed(SHORT).grammar
    old = SHORT.replace(" 100 1\n", " 100\n").replace(" 90 1\n", " 90\n").replace("> 0.0", ">")
    assert parsed(old.replace("Grammar 2", "Grammar 1")).grammar == new
    assert parsed(old.replace("Grammar 2", "Grammar").replace("<OptimalityTheory>", "")).grammar == new


def test_utf_16_and_windows_1252():
    data = SHORT.replace('"y"', '"mañana"')
    wide = parse_praat(data.encode("utf-16"), "t").grammar
    with pytest.warns(DataWarning, match="t: not UTF-8, read as Windows-1252"):
        assert parse_praat(data.encode("cp1252"), "t").grammar == wide
    assert wide.tableaux[0].candidates[0][0] == "mañana"


# ---- names


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("P\\s{ARSE}\n(rtr)", "PARSE (rtr)"),
        ("\\ict\\ef", "ɪtɛ"),
        ("\\->", "→"),
        ("\\a'\\o^\\u\"\\c,\\s<", "áôüçš"),
        ("\\g^\\b^", "ɠɓ"),
        ("t\\^h \\%  5", "tʰ % 5"),
        ("#ta_", "#ta_"),
        ("%{it}^{2}", "it2"),
        ("n\\|v", "n̩"),
        ("\\??", "\\??"),
        ("", "∅"),
    ],
)
def test_names_are_shown_without_markup(raw, name):
    assert shown(raw) == name


def test_names_that_would_become_one_stay_as_they_are():
    assert shown_names(("\\ic", "ɪ", "a")) == ("\\ic", "ɪ", "a")


@given(st.text(min_size=1).map(lambda text: " ".join(text.split())).filter(bool))
def test_a_typed_name_is_shown_as_itself(name):
    assert shown(typed(name)) == name


# ---- back and forth

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def grammars(draw):
    k = draw(st.integers(1, 3))
    constraints = draw(
        st.lists(st.builds(PraatConstraint, texts, numbers, numbers, numbers), min_size=k, max_size=k)
    )
    candidate = st.tuples(texts, st.tuples(*[st.integers(-3, 10**6)] * k))
    blocks = st.builds(PraatTableau, texts, st.lists(candidate, min_size=1, max_size=3).map(tuple))
    return PraatGrammar(
        tuple(constraints),
        tuple(draw(st.lists(blocks, min_size=1, max_size=3))),
        draw(st.sampled_from(STRATEGIES)),
        draw(numbers),
        tuple(draw(st.lists(st.tuples(st.integers(1, k), st.integers(1, k)), max_size=2))),
    )


distributions = st.lists(st.tuples(texts, texts, st.floats(0, 1e12)), max_size=4).map(
    lambda pairs: PairDistribution(tuple(pairs))
)


@pytest.mark.slow
@given(grammars(), distributions)
def test_what_is_written_is_read_back(grammar, pairs):
    assert parsed(write_praat(grammar)) == PraatFile(grammar, None)
    assert parsed(write_praat(pairs)) == PraatFile(None, pairs)
    assert parsed(write_praat(grammar, pairs)) == PraatFile(grammar, pairs)


@pytest.mark.slow
@given(tableaux(plain=False))
def test_a_tableau_comes_back_from_praat(tableau):
    grammar, pairs = parsed(write_praat(*to_praat(tableau)))
    again = praat_reading(grammar, pairs).tableau
    for field in ("inputs", "candidates", "constraints"):
        assert getattr(again, field) == tuple(" ".join(name.split()) for name in getattr(tableau, field))
    for field in ("offsets", "violations", "frequencies"):
        assert (getattr(again, field) == getattr(tableau, field)).all()


# ---- tableaux


def test_a_grammar_and_its_distribution_are_a_tableau(tmp_path):
    (tmp_path / "w.OTGrammar").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "w.PairDistribution").write_text(PAIRS, encoding="utf-16")
    tableau, (warning,) = read_with_warnings(tmp_path / "w.OTGrammar")
    assert tableau.constraints == ("NOCODA", "PARSE (rtr)")
    assert tableau.full_names == ("N\\s{O}C\\s{ODA}", "P\\s{ARSE} (rtr)")
    assert tableau.inputs == ("pɪt", "pa")
    assert tableau.candidates == ('say "pa"', "pɪt", "pa")
    assert tableau.frequencies.tolist() == [0, 12.5, 0]
    assert "fixed rankings are no part of a tableau: PARSE (rtr) >> NOCODA" in str(warning)
    assert read_apriori(tmp_path / "w.OTGrammar", tableau) == (("PARSE (rtr)", "NOCODA"),)
    with pytest.warns(DataWarning, match="fixed rankings"):
        assert read(tmp_path / "w.OTGrammar") == tableau


def test_a_collection_holds_both():
    grammar, pairs = parsed(GRAMMAR).grammar, parse_praat(PAIRS.encode(), "p").pairs
    tableau, _ = read_bytes(write_praat(grammar, pairs).encode(), "w.Collection")
    assert tableau.frequencies.tolist() == [0, 12.5, 0]


def test_a_pair_that_is_not_in_the_grammar_is_named():
    stray = PairDistribution((("pa", "ba", 3.0), ("pa", "da", 0.0)))
    with pytest.raises(InputError, match=r"the grammar has no candidate 'ba' of 'pa'"):
        praat_reading(parsed(GRAMMAR).grammar, stray)


def test_frequencies_of_a_distribution_are_added_to_a_tableau():
    tableau = praat_reading(parsed(GRAMMAR).grammar).tableau
    filled = with_pairs(tableau, parse_praat(PAIRS.encode(), "p").pairs)
    assert filled.frequencies.tolist() == [0, 12.5, 0]
    with pytest.raises(InputError, match="no candidate 'x' of 'pa'"):
        with_pairs(tableau, PairDistribution((("pa", "x", 1.0),)))


OVERT_GRAMMAR = r"""File type = "ooTextFile"
Object class = "OTGrammar 2"
<OptimalityTheory>
0 ! leak
4 constraints
"I\s{AMBIC}" 100 100 1
"T\s{ROCHAIC}" 100 100 1
"A\s{LL}F\s{EET}L\s{EFT}" 100 100 1
"A\s{LL}F\s{EET}R\s{IGHT}" 100 100 1
0 fixed rankings
1 tableau
"|σ σ σ|" 4
"[σ σˈ σ] \-> /(σ σˈ) σ/" 0 1 0 1
"[σ σˈ σ] \-> /σ (σˈ σ)/" 1 0 1 0
"[σˈ σ σ] \-> /(σˈ σ) σ/" 1 0 0 1
"[σ σ σˈ] \-> /σ (σ σˈ)/" 0 1 1 0
"""
"""The forms of Praat's manual, "OT learning 7. Learning from overt forms"."""

OVERT_PAIRS = """File type = "ooTextFile"
Object class = "PairDistribution"
2 pairs
"|σ σ σ|" "[σ σˈ σ]" 3
"|σ σ σ|" "[σˈ σ σ]" 1
"""


def check_overt(tableau):
    assert tableau.candidates[:2] == ("[σ σˈ σ] → /(σ σˈ) σ/", "[σ σˈ σ] → /σ (σˈ σ)/")
    assert tableau.overt == ("[σ σˈ σ]", "[σ σˈ σ]", "[σˈ σ σ]", "[σ σ σˈ]")
    assert tableau.frequencies.tolist() == [3, 0, 1, 0]
    assert parses_unknown(tableau) == ("|σ σ σ|",)


def test_pairs_of_overt_forms_are_observations_whose_parse_is_not_known(tmp_path):
    (tmp_path / "s.OTGrammar").write_text(OVERT_GRAMMAR, encoding="utf-8")
    alone = read(tmp_path / "s.OTGrammar")
    assert not alone.overt
    (tmp_path / "s.PairDistribution").write_text(OVERT_PAIRS, encoding="utf-8")
    check_overt(read(tmp_path / "s.OTGrammar"))
    pairs = parse_praat(OVERT_PAIRS.encode(), "p").pairs
    check_overt(with_pairs(alone, pairs))


def test_pairs_of_whole_candidates_are_observations_of_known_parses():
    pairs = PairDistribution((("|σ σ σ|", r"[σ σˈ σ] \-> /σ (σˈ σ)/", 2.0),))
    tableau = praat_reading(parsed(OVERT_GRAMMAR).grammar, pairs).tableau
    assert (tableau.frequencies.tolist(), tableau.overt) == ([0, 2, 0, 0], ())
    assert with_pairs(praat_reading(parsed(OVERT_GRAMMAR).grammar).tableau, pairs) == tableau


def test_an_overt_form_that_no_candidate_has_is_named():
    stray = PairDistribution((("|σ σ σ|", "[σ σ]", 1.0),))
    with pytest.raises(InputError, match=r"the grammar has no candidate '\[σ σ\]' of '\|σ σ σ\|'"):
        praat_reading(parsed(OVERT_GRAMMAR).grammar, stray)


def test_markup_of_constraints_and_values_given_are_written():
    tableau = praat_reading(parsed(GRAMMAR).grammar).tableau
    grammar, pairs = to_praat(tableau, [3, 4], apriori=[("NOCODA", "PARSE (rtr)")], plasticities=[1, 0.5])
    assert grammar.constraints == (
        PraatConstraint("N\\s{O}C\\s{ODA}", 3, 3, 1),
        PraatConstraint("P\\s{ARSE} (rtr)", 4, 4, 0.5),
    )
    assert grammar.fixed_rankings == ((1, 2),)
    assert pairs.pairs == ()


def test_an_input_in_two_tableaus_is_merged_with_a_warning():
    text = SHORT.replace('0\n1\n"x" 2', '0\n3\n"x" 1 "w" 1 1 "v" 1 "v" 0 0 "x" 2')
    tableau, (warning,) = read_bytes(text.encode(), "t")
    assert tableau.candidates == ("w", "y", "z", "v")
    assert "occurs in two places" in str(warning)


# ---- Praat itself

peer = pytest.mark.peer


@peer
@pytest.mark.parametrize(
    "command",
    [
        ("Create NoCoda grammar",),
        ("Create tongue-root grammar...", "Five", "Wolof"),
        ("Create place assimilation grammar",),
        ("Create place assimilation distribution",),
        ("Create metrics grammar...", "Equal", "FtNonfinal", "no", "no", "no", "Nonfinal", "yes", "no", "no"),
    ],
    ids=lambda command: command[0],
)
def test_what_praat_writes_is_read_and_what_we_write_praat_writes_again(command, tmp_path):
    import parselmouth
    from parselmouth.praat import call

    call(*command).save(str(tmp_path / "theirs"))
    theirs = parse_praat((tmp_path / "theirs").read_bytes(), "theirs")
    (one,) = filter(None, theirs)
    (tmp_path / "ours").write_text(write_praat(one), encoding="utf-8")
    parselmouth.read(str(tmp_path / "ours")).save(str(tmp_path / "again"))
    assert (tmp_path / "again").read_bytes() == (tmp_path / "theirs").read_bytes()


@peer
@pytest.mark.parametrize("sample", ["ilokano", "spanish", "finnish", "tagalog", "cv_syllable"])
def test_praat_finds_the_winners_of_a_sample(sample, tmp_path):
    """Praat's winners under noiseless ranking values are those of our evaluation."""
    import numpy as np
    import parselmouth
    from parselmouth.praat import call

    from otlab.ot.orders import evaluate

    tableau: Tableau = read(sample)
    values = np.random.default_rng(5).normal(100, 20, tableau.n_constraints)
    (tmp_path / "g").write_text(write_praat(to_praat(tableau, values).grammar), encoding="utf-8")
    grammar = parselmouth.read(str(tmp_path / "g"))
    call(grammar, "Evaluate...", 0.0)
    for k in range(len(tableau.inputs)):
        rows = tableau.rows(k)
        winners = evaluate(tableau.violations[rows], np.argsort(-values)).winners
        assert call(grammar, "Get winner...", k + 1) - 1 in winners


@peer
def test_symbols_are_praats():
    from parselmouth.praat import run

    from otlab.ot.io.praat_names import SYMBOLS

    for pair, symbol in SYMBOLS.items():
        text = "\\" + pair.replace('"', '""')
        _, theirs = run(f'writeInfo: backslashTrigraphsToUnicode$ ("{text}")', capture_output=True)
        assert theirs == symbol, pair


NUMBERED = """File type = "ooTextFile"
Object class = "OTGrammar"
3 constraints
constraint [1]: "FtBin" 101 100 ! FootBin
constraint [2]: "Troch" 100 100
constraint [3]: "Iambi" 100 100
0 fixed rankings
2 tableaus
input [1]: "|L-L|" 3
   candidate [1]: "[L1-L]" 0 0 1
   candidate [2]: "[L1-L]" 1 0 0
   candidate [3]: "[L-L1]" 0 1 0
input [2]: "pa" 2
   candidate [1]: "pA" 1 0 0
   candidate [2]: "pA" 0 1 0
"""
DATA = """"ooTextFile"
PairDistribution
2 pairs
"|L-L|"\t"[L1-L]"\t3\t1\t|L-L|
"not used"\t"pA"\t2\t1,3\tpa
"""
"""The forms in which Jarosz's learners read a grammar and what is heard."""


def test_candidates_of_one_name_are_parses_of_it():
    told = praat_reading(parsed(NUMBERED).grammar)
    assert "taken for parses of it: 2 inputs, first '|L-L|'" in str(told.warnings[0])
    tableau = told.tableau
    assert tableau.candidates[:3] == ("[L1-L] (parse 1)", "[L1-L] (parse 2)", "[L-L1]")
    assert tableau.overt == ("[L1-L]", "[L1-L]", "[L-L1]", "pA", "pA")
    assert tableau.violations[:2].tolist() == [[0, 0, 1], [1, 0, 0]]


def test_pairs_that_name_their_input_last_are_read(tmp_path):
    pairs = parse_praat(DATA.encode(), "d").pairs
    assert pairs.pairs == (("|L-L|", "[L1-L]", 3.0), ("pa", "pA", 2.0))
    assert parse_praat(DATA.replace("\n", "\r\n").encode(), "d").pairs == pairs
    assert praat_class(DATA.encode()) == "PairDistribution"
    (tmp_path / "s.OTGrammar").write_text(NUMBERED, encoding="utf-8")
    (tmp_path / "s.PairDistribution").write_text(DATA, encoding="utf-8")
    with pytest.warns(DataWarning, match="taken for parses"):
        tableau = read(tmp_path / "s.OTGrammar")
    assert tableau.frequencies.tolist() == [3, 0, 0, 2, 0]
    assert parses_unknown(tableau) == ("|L-L|", "pa")
    alone = praat_reading(parsed(NUMBERED).grammar).tableau
    assert with_pairs(alone, pairs) == replace(tableau, name=alone.name)


@pytest.mark.parametrize(("grammar", "pairs"), [(NUMBERED, DATA), (OVERT_GRAMMAR, OVERT_PAIRS)])
def test_overt_forms_are_written_so_that_they_are_read_again(grammar, pairs):
    tableau = praat_reading(parsed(grammar).grammar, parse_praat(pairs.encode(), "d").pairs).tableau
    made = to_praat(tableau)
    again = praat_reading(made.grammar, made.pairs).tableau
    assert (again.candidates, again.overt) == (tableau.candidates, tableau.overt)
    assert again.frequencies.tolist() == tableau.frequencies.tolist()


def test_what_has_no_grammar_is_refused(tmp_path):
    grammar, pairs = parsed(GRAMMAR).grammar, parse_praat(PAIRS.encode(), "d").pairs
    (tmp_path / "p.PairDistribution").write_text(PAIRS, encoding="utf-8")
    with pytest.raises(InputError, match="holds no OTGrammar, and so no rankings; give the OTGrammar"):
        read_apriori(tmp_path / "p.PairDistribution", praat_reading(grammar, pairs).tableau)
    (tmp_path / "g.OTGrammar").write_text(GRAMMAR, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_apriori(tmp_path / "g.OTGrammar", praat_reading(parsed(SHORT).grammar, None).tableau)
    assert [fault.what.partition("'")[0] for fault in caught.value.faults] == ["no constraint is called "] * 2
    body = PAIRS.partition("\n\n")[2]
    two = f'"ooTextFile"\n"Collection"\n{{}}\n"PairDistribution" "a"\n{body}'
    alone = fault(two.format(1))
    assert "is a Praat collection without an OTGrammar; save an OTGrammar, alone or with its" in alone
    assert "the collection holds 2 PairDistributions; save one of them" in fault(
        f'{two.format(2)}"PairDistribution" "b"\n{body}'
    )
    with pytest.raises(InputError, match="-1 is no weight; write 0 or more"):
        parse_praat(PAIRS.replace("12.5", "-1").encode(), "d")


def test_distributions_in_a_collection_are_passed_over():
    collection = (
        '"ooTextFile"\n"Collection" 3\n"OTGrammar" "g"\n1 constraints\n"A" 100 100\n0 fixed rankings\n'
    )
    collection += '1 tableaus\n"i" 2\n"o" 1\n"p" 0\n'
    table = '"Distributions" "target"\n1 ""\n2\n"/i/ \\-> o" 1\n"/i/ \\-> p" 0.5\n'
    pairs = '"PairDistribution" "p"\n2\n"i" "o" 3\n"i" "p" 1\n'
    for objects in (table + pairs, pairs + table):
        reading = read_bytes((collection + objects).encode(), "w.Collection")
        assert reading.tableau.frequencies.tolist() == [3, 1]
        assert [str(w) for w in reading.warnings] == [
            "w.Collection: the Distributions 'target' of the collection was left out"
        ]
