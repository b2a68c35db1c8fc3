"""Lexicon files: four formats in, two out, all faults at once."""

import math
import pickle

import pytest
from hypothesis import given

from benchmarks.published_lexicons import lost
from otlab.errors import DataWarning, InputError
from otlab.mg.io.read import StartNeeded, loads, read
from otlab.mg.io.rows import Row, check_row
from otlab.mg.io.write import dumps, to_csv, write
from otlab.mg.lexicon import Lexicon
from otlab.mg.linting import lint
from otlab.mg.parsing.parse import parse
from otlab.mg.sentences import respell, split_sentence
from otlab.samples import load_sample, samples
from tests.mg.strategies import lexicons

SAMPLES = [s.name for s in samples("mg")]


@pytest.mark.parametrize("name", SAMPLES)
def test_writing_then_reading_is_identity(name, tmp_path):
    lexicon = load_sample(name)
    write(lexicon, tmp_path / f"{name}.mg")
    assert read(tmp_path / f"{name}.mg") == lexicon


def test_spreadsheets_take_no_cell_for_a_formula():
    lexicon = loads("@start t\n-s :: =v +k t\nsaw :: =d d= v\nyou :: d -k\n")
    cells = [row.split(",") for row in to_csv(lexicon).splitlines()[3:]]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in cells for cell in row)
    assert loads(to_csv(lexicon), kind=".csv").texts == lexicon.texts


@pytest.mark.slow
@given(lexicons())
def test_random_lexicons_survive_mg_and_csv(lexicon):
    assert loads(dumps(lexicon)) == lexicon
    again = loads(to_csv(lexicon), kind=".csv")
    assert [(i.words, i.features) for i in again.items] == [(i.words, i.features) for i in lexicon.items]
    assert (again.alphas() == lexicon.alphas()).all()


def test_all_that_an_mg_file_can_say():
    text = """# title: A test
# source: nowhere
@start c t
@convention stabler2011
@alpha 0.5
@alpha d 2
of course :: v= c | 3   # two words
_ :: v
 :: t
x : d -k
@sentence inf | a b
@sentence 0 |
"""
    lexicon = loads(text)
    assert (lexicon.title, lexicon.source, lexicon.start) == ("A test", "nowhere", ("c", "t"))
    assert lexicon.texts == ("of course :: v= c", "ε :: v", "ε :: t", "x :: d -k")
    assert lexicon.items[0].features[0].kind == "right"
    assert lexicon.alphas().tolist() == [3.0, 0.5, 0.5, 2.0]
    assert [s.derivations for s in lexicon.sentences] == [math.inf, 0]
    assert lexicon.corpus == (("a", "b"),)


def test_prolog():
    text = "% mg\n[]::[='V',+wh,'C'].\n[praise]::[=d,vt,-v].\nstartCategory('C').\n"
    lexicon = loads(text, kind=".pl")
    assert lexicon.texts == ("ε :: =V +wh C", "praise :: =d vt -v")
    assert (lexicon.start, lexicon.convention) == (("C",), "nondirectional")


SEVERAL_A_LINE = """%  a file of my own, laid out as a Prolog programmer would
:- op(500, xfy, ::).   % declarations are no entries
[]::[='T','C'].           []::[='T', +wh, 'C'].   % two a line
[ 'Anna' ]::['D'].  [who]::['D',-wh].  ['St. Ives']::['D'].
[likes]::[='D',
          ='D','T'].      /* over two lines [no]::[entry]. */
showLexicon :- ([W]::F), write(W), nl, fail.
showLexicon.
startCategory('C').
"""


def test_prolog_entries_may_share_a_line_or_take_several():
    with pytest.warns(DataWarning, match="is Prolog code") as caught:
        lexicon = loads(SEVERAL_A_LINE, kind=".pl", file="mine.pl")
    assert [str(w.message).split(": ")[0] for w in caught] == ["mine.pl:7:1", "mine.pl:8:1"]
    assert lexicon.texts == (
        "ε :: =T C", "ε :: =T +wh C", "Anna :: D", "who :: D -wh", "St. Ives :: D", "likes :: =D =D T",
    )  # fmt: skip
    assert lexicon.start == ("C",)
    assert parse(lexicon, "Anna likes St. Ives").derivations == 1
    assert [(r.code, r.line) for r in lexicon.remarks] == [("W306", 7), ("W306", 8)]
    assert "'showLexicon' is Prolog code, not a lexical entry; it was left out" in str(lint(lexicon)[-1])


ADJUNCTION = """[mary]::[n,-f].
[sleeps]::[=n,+f,v].   [on]::[=date,p].
[v]<<[p].  ['Adv'] >> [ v ].
['D',-k]<<['D',-k].
startCategory(v).
"""


def test_clauses_of_adjunction_with_more_than_a_category_are_refused_each_at_its_place():
    with pytest.raises(InputError) as caught:
        loads(ADJUNCTION, kind=".pl", file="a.pl")
    found = [(f.line, f.column, f.what) for f in caught.value.faults]
    assert found == [
        (4, 1, "adjunction of this form is not supported: ['D',-k]<<['D',-k]"),
    ]


HEAD_MOVEMENT = """[]::[='T','C'].
[]::[=>'T',+wh,'C'].   []::[=>v,+nom,'T'].
[]::[=> 'V', ='D',v].
['-s']::['N'==>,'Num'].  [x]::[v==>,'T'].  [y]::[='V'].
[the]::[='N','D',-ac].
startCategory('C').
"""


def test_head_movement_is_read_quoted_or_not():
    with pytest.raises(InputError) as caught:
        loads(HEAD_MOVEMENT, kind=".pl")
    assert [(f.line, f.what) for f in caught.value.faults] == [(4, "there is no category")]
    lexicon = loads(HEAD_MOVEMENT.replace("[y]::[='V'].", ""), kind=".pl")
    written = [i.text("nondirectional") for i in lexicon.items]
    assert written[1:6] == [
        "ε :: =>T +wh C", "ε :: =>v +nom T", "ε :: =>V =D v", "-s :: ==>N Num", "x :: ==>v T"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "line", "what"),
    [
        (".pl", "[a]::[d].\n[b]::[=d,c]:lf(x).\n", 2, "semantics after the features is not supported"),
        (".mg", "a :: d\nb :: =d c :: lf(x)\n", 2, "semantics after a second '::' is not supported: 'lf(x)'"),
        (".mg", "let g = [\n ([],[Sel \"V\"; Cut \"C\"]);\n", 2, "this is not an entry"),
        (".py", "g = [(['a'],[('cat','c')])]\nadjuncts = {'V': ['P']}\n", 2,
         "adjunction in a table is not supported: 'adjuncts'"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_named_at_its_place(kind, text, line, what):
    with pytest.raises(InputError) as caught:
        loads(text, kind=kind, start="c")
    assert any(f.line == line and what in f.what for f in caught.value.faults)


def test_only_the_first_list_of_a_python_file_is_read_and_the_others_are_named():
    text = "g = [(['a'],[('cat','c')])]\nh = [(['b'],[('cat','c')])]\nstart = 'c'\n"
    with pytest.warns(DataWarning, match="only the first list of entries is read; 'h' was left out"):
        lexicon = loads(text, kind=".py")
    assert [r.line for r in lexicon.remarks] == [2]


PERCENT = """
%   A comment as in Prolog
%  example : Ann knows what Ben likes
@start c
ε :: =v c
  % Ann :: x
Ann :: d
sleeps :: =d v   % a comment, too
// Ben :: d
Ben :: d | 2 // and a last one
// :: n
% :: d
"""


def test_percent_signs_and_two_slashes_begin_comments():
    lexicon = loads(PERCENT)
    assert [i.phon for i in lexicon.items] == ["ε", "Ann", "sleeps", "Ben", "//", "%"]
    assert lexicon.items[3].alpha == 2
    assert loads(dumps(lexicon)).items == lexicon.items
    with pytest.raises(InputError, match="an item begins with '//'"):
        loads("phon,features\n//x,d\n", kind=".csv", start="d")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (".mg", "@start t, c;t // comment\nx :: t\ny :: c\n"),
        (".mg", "@start: t c\n@start t\nx :: t\ny :: c\n"),
        (".pl", "[x]::[t]. [y]::[c].\nstartCategory(t). startCategory(c).\nstartCategory(t).\n"),
        (".csv", "# start: t, c, t\nphon,features\nx,t\ny,c\n"),
    ],
)
def test_each_start_category_counts_once(kind, text):
    lexicon = loads(text, kind=kind)
    assert lexicon.start == ("t", "c")
    assert parse(lexicon, "x").log_probability == pytest.approx(-math.log(2))
    assert loads(text, kind=kind, start="c,c").start == ("c",)


LISTED = "@start c\n{0} Ann :: d\n{1} Ann sleeps :: x\n{2} :: =d c\n"


@pytest.mark.parametrize("marks", [("•",) * 3, ("-",) * 3, ("1.", "2.", "3."), ("–",) * 3])
def test_bullets_and_numbers_of_lists_are_no_words(marks):
    with pytest.warns(DataWarning, match="taken for the mark of a list"):
        lexicon = loads(LISTED.format(*marks))
    assert [i.words for i in lexicon.items] == [("Ann",), ("Ann", "sleeps"), ()]


@pytest.mark.parametrize("marks", [("•", "-", "•"), ("1.", "3.", "4."), ("", "-", "-")])
def test_a_mark_that_not_all_items_have_is_a_word(marks):
    assert [i.words for i in loads(LISTED.format(*marks)).items][1] == (marks[1], "Ann", "sleeps")


def test_signs_of_word_processors_are_those_of_features():
    text = "@start c\na \N{PROPORTION} ⇒t c\nb :: \uf0e8t c −x\nd :: ＝t ＋x c\ne :: t\n"
    assert [i.text("seed") for i in loads(text).items][:3] == ["a :: =>t c", "b :: ==>t c -x", "d :: =t +x c"]


def test_pseudo_counts_may_have_a_decimal_comma():
    lexicon = loads("# start: c\nphon;features;alpha\na;c;0,5\n", kind=".csv")
    assert lexicon.items[0].alpha == 0.5


OCAML = """open Mgtdbp (* for the type (of grammars) *)
let (g0:g) = [
  ([], [Sel "V"; Pos "wh"; Cat "C"]);   (* ([], [Sel "V"; Cat "C"]); *)
  (["which"], [Sel ("N"); Cat "D"; Neg "wh"]);
  (["of"; "course"], [Cat "N"])
];;
let g1 = [(["b"],[Cat "C"])];;
let (startCat:string) = "C"
"""


def test_lists_of_ocaml_are_read():
    with pytest.warns(DataWarning, match="only the first list of entries is read"):
        lexicon = loads(OCAML)
    assert (lexicon.start, lexicon.convention) == (("C",), "nondirectional")
    assert [i.text("nondirectional") for i in lexicon.items] == [
        "ε :: =V +wh C", "which :: =N D -wh", "of course :: N"
    ]  # fmt: skip
    assert [i.line for i in lexicon.items] == [3, 4, 5]


def test_faults_of_prolog_entries_are_placed():
    text = "[a]::['D'].  [b]::[='D' 'E'].\n[c]::[d]\n[e]::[f].\n[g]::[=d,=,v].\n  [h]::[d,e].\n"
    with pytest.raises(InputError) as caught:
        loads(text, kind=".pl", start="D")
    faults = caught.value.faults
    assert [f.line for f in faults] == [1, 2, 4, 5]
    assert "full stop" in faults[1].hint
    assert (faults[3].column, faults[3].what) == (11, "'e' is a second category beside 'd'")


@pytest.mark.parametrize(
    ("kind", "text", "categories", "hint"),
    [
        (".py", "g = [(['no'],[('cat','n')]), (['the'],[('sel','n'),('cat','d')]),"
                " (['ran'],[('sel','d'),('cat','v')]), ([],[('sel','v'),('cat','c')])]",
         ("c", "n", "d", "v"), "start = 'c'"),
        (".py", "g = [(['p'],[('cat','s')]), (['and'],[('sel','s'),('sel','s'),('cat','s')])]",
         ("s",), "start = 's'"),
        (".pl", "[a]::[d]. [ran]::[=d,c].", ("c", "d"), "startCategory(c)."),
        (".csv", "phon,features\na,d\nran,=d c\n", ("c", "d"), "# start: c"),
        (".mg", "a :: d\nran :: =d c\n", ("c", "d"), "@start c"),
    ],
)  # fmt: skip
def test_a_missing_start_category_is_asked_for(kind, text, categories, hint):
    with pytest.raises(StartNeeded, match="no start category is given") as caught:
        loads(text, kind=kind, file=f"x{kind}")
    assert caught.value.categories == categories
    assert hint in caught.value.faults[0].hint
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.categories == categories
    assert loads(text, kind=kind, start=categories[0]).start == categories[:1]


def test_other_faults_come_before_the_question():
    with pytest.raises(InputError) as caught:
        loads("a :: d e\n")
    assert not isinstance(caught.value, StartNeeded)
    assert len(caught.value.faults) == 2


def test_a_given_start_category_replaces_the_files_own():
    assert loads("@start c\na :: d\nran :: =d c\n", start="d c").start == ("d", "c")


def test_final_punctuation_and_the_empty_sentence():
    known = {"what", "did", "Mary", "see", "dr."}
    assert split_sentence("what did Mary see ?", known) == ("what", "did", "Mary", "see")
    assert split_sentence("what did Mary see?!", known) == ("what", "did", "Mary", "see")
    assert split_sentence("See?", known) == ("See",)
    assert split_sentence("see dr.", known) == ("see", "dr.")
    assert split_sentence("see fish?", known) == ("see", "fish?")
    assert split_sentence("see?") == ("see?",)
    assert split_sentence(" ε ") == ()
    assert split_sentence("ε ε") == ("ε", "ε")
    assert respell(("What", "did", "mary", "see"), known) == ("what", "did", "Mary", "see")
    assert respell(("what", "did", "fish", "See"), known) is None
    assert respell(("“What", "did,", "—", "Mary", "see”!?"), known) == ("what", "did", "Mary", "see")
    assert respell(("—",), known) is None
    lexicon = loads("@start c\nε :: c\n@sentence 1 | ε\n")
    assert lexicon.sentences[0].words == ()
    assert parse(lexicon, "ε").derivations == 1


def test_mgtdb():
    text = (
        "g = [([],[('sel','V'),('cat','C')]), (['the'],[('sel','N'),('sel','D'),('cat','D'),('neg','k')])]\n"
    )
    lexicon = loads(text, kind=".py", start="C")
    assert lexicon.texts == ("ε :: =V C", "the :: =N =D D -k")
    assert [f.kind for f in lexicon.items[1].features] == ["right", "left", "category", "licensee"]


def test_python_files_are_read_not_run():
    with pytest.raises(InputError, match="not an entry"):
        loads("g = [(print('x'), [])]", kind=".py", start="C")


@pytest.mark.parametrize("head", ["item,features", "Word,Features", "phon,features", ",features,alpha"])
def test_the_header_of_a_table_is_no_item(head):
    lexicon = loads(f"# start: c\n{head}\nmary,d\nslept,d= v\n,=v c\n", kind=".csv")
    assert lexicon.texts == ("mary :: d", "slept :: d= v", "ε :: =v c")


def test_a_table_with_semicolons_is_read():
    text = "# start: c\nphon;features;alpha\nmary;d;0.5\nslept;d= v\n;=v c\n"
    assert loads(text, kind=".csv").texts == ("mary :: d", "slept :: d= v", "ε :: =v c")


@pytest.mark.parametrize("kind", [".csv", ".tsv"])
def test_tables(kind):
    cut = "," if kind == ".csv" else "\t"
    text = f"# start: c\nphon{cut}features\n{cut}=d c\njohn{cut}d\n"
    assert loads(text, kind=kind).texts == ("ε :: =d c", "john :: d")


def test_every_fault_is_reported_with_its_place():
    text = "@start c\na :: =x= c\nb\n@alpha -1\n@strat c\nc :: c | x\nd :: d e\n@sentence | a\n"
    with pytest.raises(InputError) as caught:
        loads(text, file="x.mg")
    places = [(f.line, f.column) for f in caught.value.faults]
    assert places == [(2, 6), (3, 1), (4, 8), (5, 1), (6, 10), (7, 8), (8, 1)]
    assert all(f.hint and f.file == "x.mg" for f in caught.value.faults)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a :: c\n", "no start category"), ("@start c\n", "no lexical item"), ("", "no lexical item")],
)
def test_what_a_lexicon_must_have(text, message):
    with pytest.raises(InputError, match=message):
        loads(text)


@pytest.mark.parametrize(("data", "message"), [(b"a :: c\n\xff", "UTF-8"), (b"a\0 :: c", "NUL")])
def test_files_that_are_not_text(data, message, tmp_path):
    (tmp_path / "x.mg").write_bytes(data)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "x.mg")


def test_an_unclosed_quote():
    with pytest.raises(InputError, match="close the quote"):
        loads('phon,features\n"a,c\n', kind=".csv", start="c")


def test_another_ending_cannot_be_written(tmp_path, figure1):
    with pytest.raises(InputError, match=r"choose \.mg or \.csv"):
        write(figure1, tmp_path / "x.doc")


def test_five_thousand_lines_are_read_with_progress():
    lines = "\n".join(["@start c", *(f"w{i} :: =c c" for i in range(5000)), "a :: c"])
    seen = []
    lexicon = loads(lines, progress=lambda done, total: seen.append((done, total)))
    assert len(lexicon) == 5001
    assert len(seen) > 5
    assert seen[-1] == (5002, 5002)


def test_accents_written_in_two_ways_are_the_same_word():
    lexicon = loads("@start c\nete\u0301 :: c\n\u00e9t\u00e9 :: c\n")
    assert len(lexicon) == 2
    for word in ("\u00e9t\u00e9", "e\u0301te\u0301"):
        assert parse(lexicon, word).derivations == 1


def test_pasted_text_may_begin_with_a_byte_order_mark_and_holds_no_nul():
    assert len(loads("\ufeff@start c\na :: c")) == 1
    with pytest.raises(InputError, match="2: a NUL byte: this is no text"):
        loads("@start c\na :: c\0")


@pytest.mark.parametrize(
    ("phon", "what"),
    [
        ("#a", "a word begins with '#'"),
        ("a #b", "a word begins with '#'"),
        ("@start", "an item begins with '@'"),
        ("%a", "an item begins with '%'"),
        ("a::b", "there is '::' in a word"),
    ],
)
def test_a_word_that_a_file_would_not_read_back_is_refused(phon, what):
    remark = check_row(Row(phon, "d"), "seed")
    assert (remark.code, remark.what) == ("E107", what)
    with pytest.raises(InputError, match=what):
        loads(f"['{phon}']::[d].\n['b']::[d].\n", kind=".pl", start="d")


@pytest.mark.parametrize("phon", ["a#", "a@b", "a : b", "|", "-s", "a:b"])
def test_a_word_with_other_signs_is_read_back(phon):
    lexicon = Lexicon((check_row(Row(phon, "d"), "seed"),), ("d",))
    assert loads(dumps(lexicon)).items == lexicon.items


@pytest.mark.parametrize(
    "text", [ADJUNCTION, HEAD_MOVEMENT, SEVERAL_A_LINE, "[a]::[c]. [a]::[c].\nstartCategory(c)."]
)
def test_no_clause_of_a_prolog_file_is_lost(text, tmp_path):
    path = tmp_path / "x.pl"
    path.write_text(text)
    assert lost(path)[1] == 0
