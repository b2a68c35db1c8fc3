"""How a tagged text is written is recognised, nothing of it is lost, and ``_`` is no tag.

The texts are written for these tests, in the shape of the files that corpora are distributed as.
"""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.reading import NOT_USED
from otlab.tagging import Corpus, TagDictionary, baselines, fit_em, read
from otlab.tagging.io.detection import readings
from otlab.tagging.io.formats import FORMATS
from otlab.tagging.io.read import open_text, parse
from otlab.tagging.scores import Scorer

# The Brown corpus begins with blank lines, and its lines with a tab.
BROWN = """

\tThe/at town/nn-hl council/nn-hl met/vbd on/in Friday/nr ./.


\tIt/pps voted/vbd 1\\/2/cd --/-- no/at ``/`` more/ap ''/'' ,/, said/vbd Mr./np Ode/np ./.
"""
# Tagged files of the Penn Treebank: noun phrases in brackets, rules between paragraphs.
WSJ = """

[ The/DT old/JJ board/NN ]
of/IN
[ directors/NNS ]
met/VBD ./.


======================================

[ Sales/NNS ]
rose/VBD
[ 1\\/2/CD %/NN ]
,/, ``/`` says/VBZ
[ a/DT friend/NN ]
./. ''/''

======================================
"""
# The Treebank's own files have single blank lines within sentences, and closing quotes behind them.
WSJ_BLANK = """

[ The/DT symptoms/NNS ]

[ that/WDT ]
show/VBP up/IN

[ it/PRP ]
said/VBD ./.

''/''

[ They/PRP ]
last/VBP :/: .../:
"""
TREES = """( (S (NP-SBJ (DT The) (NN dog) )
    (VP (VBD was)
      (VP (VBN seen)
        (NP (-NONE- *-1) )))
    (. .) ))
( (NP (NN Nobody)) )
(S (NP (PRP It)) (VP (VBZ barks)))(FRAG (-LRB- -LRB-))
"""
HINDI = (
    '<Corpora Language="Hindi">\n<Sentence id=1>\nghar_NN hai_VAUX ._SYM\n</Sentence>\n'
    "<Sentence id=2>\nhai_VM\n"
)
NED = (
    "De Art O,man N O,Jan N B-PER,Smit N I-PER,ging V O,naar Prep O,een Art O,huis N O,in Prep O,"
    "Gent N B-LOC,. Punc O,Hij Pron O,sliep V O,niet Adv O,goed Adj O,daar Adv O,met Prep O,honden N O,"
    "en Conj O,katten N O,van Prep O,Piet N B-PER,buiten Prep O,dorp N O,"
)
CONLL2002_NED = NED.replace(",", "\n")
NO_BREAK = "prix NOM\n1\u00a0000 NUM\neuros NOM\n\nle DET\nprix NOM\n"
CONLL2000 = (
    "Confidence NN B-NP\nin IN B-PP\nthe DT B-NP\npound NN I-NP\n. . O\n\nHe PRP B-NP\nslept VBD B-VP\n"
)
CONLL2002 = "-DOCSTART- O\n\nLa DA O\ncasa NC O\nAna NP B-PER\n. Fp O\n\nAna NP B-PER\nríe VMI O\n"
CONLL2003 = """-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
German JJ B-NP B-MISC
lamb NN I-NP O
. . O O

-DOCSTART- -X- -X- O

Peter NNP B-NP B-PER
Blackburn NNP I-NP I-PER
"""
CONLL2012 = """#begin document (bc/x); part 000
bc/x 0 0 In IN (TOP(S
bc/x 0 1 summer NN *
bc/x 0 2 we PRP (NP*)
bc/x 0 3 swim VBP *))

bc/x 0 0 Good JJ (TOP
bc/x 0 1 . . *)
#end document
"""
CONLL2009 = "\n".join(
    f"{i}\t{w}\t{w.lower()}\t{w.lower()}\t{t}\t{t}\t_\t_\t0\t0\t_\t_\t_\t_"
    for i, (w, t) in enumerate([("Mary", "NNP"), ("sees", "VBZ"), ("her", "PRP"), (".", ".")], 1)
)
TREETAGGER = (
    "<s>\nLe\tDET:ART\tle\nchat\tNOM\tchat\nparce que\tKON\tparce que\n.\tSENT\t.\n</s>\n"
    "<s>\nIl\tPRO:PER\til\n.\tSENT\t.\n</s>\n"
)
TREETAGGER_BARE = "".join(line + "\n" for line in TREETAGGER.split("\n") if line and line[0] != "<")
MAC_MORPHO = "O_ART\ngato_N\ndorme_V\n._.\nA_ART\nave_N\ncanta_V\n!_.\n"
CONLLU_PLUS = """# global.columns = ID FORM UPOS PARSEME:MWE
# text = Do n't
1-2\tDon't\t_\t*
1\tDo\tAUX\t*
2\tn't\tPART\t1:VID

1\tGo\tVERB\t*
"""
ONE_WORD = "Der\nHund\nbellt\n.\n\nEr\nfrisst\n.\n"

# name, text, format, tokens in each sentence, tags of the first sentence
# As a table of a spreadsheet is saved; the first column is filled where a sentence begins.
SPREADSHEET = """Sentence #,Word,POS,Tag
1,of,IN,O
,\"\"\"\",``,O
,hope,NN,O
,.,.,O
2,Go,VB,O
,!,.,O
"""

FILES = [
    ("ca01", BROWN, "brown", [7, 13], "at nn-hl nn-hl vbd in nr ."),
    ("wsj_0001.pos", WSJ, "wsj", [7, 11], "DT JJ NN IN NNS VBD ."),
    ("short.pos", "[ the/DT cat/NN ]\nsat/VBD ./.\n===\n[ a/DT dog/NN ]\n", "wsj", [4, 2], "DT NN VBD ."),
    ("wsj_0003.pos", WSJ_BLANK, "wsj", [9, 4], "DT NNS WDT VBP IN PRP VBD . ''"),
    ("wsj_0001.mrg", TREES, "trees", [5, 1, 2, 1], "DT NN VBD VBN ."),
    ("hindi.pos", HINDI, "underscore", [3, 1], "NN VAUX SYM"),
    ("ned.testa", CONLL2002_NED, "columns", [11, 13], "Art N N N V Prep Art N Prep N Punc"),
    ("fr.txt", NO_BREAK, "columns", [3, 2], "NOM NUM NOM"),
    (
        "u.conllu",
        "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
        "1\tLe\tle\tDET\t_\t_\t0\t_\t_\t_\n",
        "conllu",
        [1],
        "",
    ),
    ("test.txt", CONLL2000, "columns", [5, 2], "NN IN DT NN ."),
    ("esp.testa", CONLL2002, "columns", [4, 2], "DA NC NP Fp"),
    ("eng.train", CONLL2003, "columns", [5, 2], "NNP VBZ JJ NN ."),
    ("x.gold_conll", CONLL2012, "columns", [4, 2], "IN NN PRP VBP"),
    ("2009.txt", CONLL2009, "columns", [4], "NNP VBZ PRP ."),
    ("fr.txt", TREETAGGER, "treetagger", [4, 2], "DET:ART NOM KON SENT"),
    ("bare.txt", TREETAGGER_BARE, "treetagger", [4, 2], "DET:ART NOM KON SENT"),
    ("macmorpho.txt", MAC_MORPHO, "underscore", [4, 4], "ART N V ."),
    ("x.cupt", CONLLU_PLUS, "conllu-plus", [2, 1], "AUX PART"),
    ("words.txt", ONE_WORD, "raw", [4, 3], ""),
    ("two.txt", "Confidence NN\nin IN\nhope NN\n\nHe PRP\nsees VBZ\n", "columns", [3, 2], "NN IN NN"),
    ("bare.tsv", "The\tDT\ndog\tNN\n.\t.\nIt\tPRP\nbarks\tVBZ\n.\t.\n", "tsv", [3, 3], "DT NN ."),
    ("head.tsv", "word\tPOS\nThe\tdet\ndog\tn\n\nIt\tpron\n", "columns", [2, 1], "det n"),
    ("head.txt", "Lemma UPOS Token\nthe DET The\ndog NOUN dog\n", "columns", [2], "DET NOUN"),
    ("table.csv", SPREADSHEET, "columns", [4, 2], "IN `` NN ."),
    ("table.txt", SPREADSHEET.replace(",", ";"), "columns", [4, 2], "IN `` NN ."),
    ("bare.csv", "The,DT\ndog,NN\nbarks,VBZ\n,\nIt,PRP\n", "columns", [3, 1], "DT NN VBZ"),
    ("before.txt", "NN Confidence\nIN in\nNN hope\n\nPRP He\nVBZ sees\n", "columns", [3, 2], "NN IN NN"),
]


@pytest.mark.parametrize(("name", "text", "format", "lengths", "tags"), FILES, ids=[f[0] for f in FILES])
def test_files_as_they_are_distributed(name, text, format, lengths, tags):
    opened = open_text(io.BytesIO(text.encode()), name)
    corpus = opened.corpus()
    assert opened.format == corpus.reading.format == format
    assert corpus.lengths.tolist() == lengths
    assert [tag for _, tag in next(iter(corpus))] == (tags.split() or [""] * lengths[0])
    assert opened.readings[0] == opened.how
    assert readings(text.encode(), name) == opened.readings
    assert readings(gzip.compress(text.encode()), f"{name}.gz")[0].format == format


@pytest.mark.parametrize(("name", "text", "format", "lengths", "tags"), FILES, ids=[f[0] for f in FILES])
def test_the_format_can_be_named_too(name, text, format, lengths, tags):
    ends = {"words.txt": "blank"}.get(name)
    assert parse(text, "other", format, ends=ends).lengths.tolist() == lengths


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        (BROWN, sum("/" in token for token in BROWN.split())),
        (WSJ, sum("/" in token for token in WSJ.split())),
        (CONLL2000, sum(bool(line) for line in CONLL2000.split("\n"))),
        (CONLL2003, sum(bool(line) and "DOCSTART" not in line for line in CONLL2003.split("\n"))),
        (CONLL2012, sum(line.startswith("bc") for line in CONLL2012.split("\n"))),
        (TREETAGGER, TREETAGGER.count("\t") // 2),
        (MAC_MORPHO, MAC_MORPHO.count("\n")),
        (CONLLU_PLUS, CONLLU_PLUS.count("\t") // 3 - 1),
        (ONE_WORD, len(ONE_WORD.split())),
    ],
)
def test_as_many_tokens_as_a_plain_count(text, counted):
    assert parse(text, "x").tokens == counted


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (CONLL2003, "left out: 2 -DOCSTART- lines"),
        (CONLL2012, "left out: 2 #begin and #end lines"),
        (TREETAGGER, "left out: 4 lines of markup"),
        (CONLLU_PLUS, "left out: 1 ranges of multiword tokens"),
        (WSJ, "left out: 10 brackets"),
        (MAC_MORPHO, "sentences end after full stops"),
        (
            "It rains.\nIt snowed all day!\nNo\n",
            "Punctuation is part of the words beside it (rains.): write blanks between them",
        ),
    ],
)
def test_what_is_left_out_is_counted(text, note):
    assert note in parse(text, "x").reading.note


def test_the_columns_can_be_chosen():
    corpus = parse(CONLL2000, "x", "columns", columns=(1, 3))
    assert corpus.tagset == ("B-NP", "B-PP", "I-NP", "O", "B-VP")
    assert corpus.reading.columns == ("word", NOT_USED, "tag")
    words_alone = parse(CONLL2000, "x", columns=(1,))
    assert words_alone.tags is None
    assert words_alone.reading.columns == ("word", NOT_USED, NOT_USED)
    chosen = corpus.reading.with_role(1, "tag")
    assert parse(CONLL2000, "x", chosen).tagset[0] == "NN"
    for wrong in ((4,), (0, 1), (1, 1), (1, 2, 3)):
        with pytest.raises(InputError, match="from 1 to 3"):
            parse(CONLL2000, "x", "columns", columns=wrong)
    with pytest.raises(InputError, match="use --format columns"):
        parse("a/B", "x", "slash", columns=(1, 2))


def test_a_line_with_other_columns_is_a_fault():
    with pytest.raises(InputError) as caught:
        parse("a X B\nb Y\n\nc Z B C\n", "x", "columns")
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (2, "2 columns instead of 3"),
        (4, "4 columns instead of 3"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "the dog barks\na cat sleeps\nmary sings well\n",  # three words each, as a table
        "mary sleeps\njohn sleeps\n\nann sings\n",
        "Mary Smith\nJohn Brown\n\nAnn Green\n",
        "the dog\n\na cat\n\nno dog\n",
        "and/or the dog barks\n",
        "well, yes\nno, never\nwell, no\n",
        "Ann,Mary\nBen,John\n",
        "中国 人民\n\n日本 文化\n",
    ],
)
def test_plain_text_stays_plain(text):
    corpus = parse(text, "x.txt")
    assert corpus.reading.format == "raw"
    assert corpus.tokens == len(text.split())


def test_names_of_columns_are_no_token():
    text = "xpos\tupos\tform\nDT\tDET\tThe\nNN\tNOUN\tdog\n"
    xpos = parse(text, "x.tsv")
    assert list(xpos) == [[("The", "DT"), ("dog", "NN")]]
    assert xpos.reading.sentence().endswith("column xpos is the tag, form the word")
    assert xpos.reading.preview[0] == ("DT", "DET", "The")
    assert list(parse(text, "x.tsv", tag_column="upos")) == [[("The", "DET"), ("dog", "NOUN")]]
    assert [word for word, _ in next(iter(parse(text, "x.tsv", columns=(3,))))] == ["The", "dog"]
    assert list(parse(text, "x.tsv", xpos.reading.with_role(1, "tag"))) == [[("The", "DET"), ("dog", "NOUN")]]


def test_lines_may_end_as_on_a_macintosh():
    text = "The/DT dog/NN\nIt/PRP barks/VBZ\n"
    for end in ("\r", "\r\n"):
        assert list(parse(text.replace("\n", end), "x")) == list(parse(text, "x"))


def test_where_sentences_end_can_be_chosen():
    assert parse(MAC_MORPHO, "x", ends="lines").sentences == 8
    assert parse(ONE_WORD, "x", "raw").sentences == 7  # as a format of its own: a sentence a line
    assert parse(ONE_WORD, "x", "raw", ends="marks").lengths.tolist() == [4, 3]
    quoted = "``/`` Go/VB !/. ''/'' He/PRP went/VBD ./."
    assert parse(quoted, "x", "slash", ends="marks").lengths.tolist() == [4, 3]
    assert parse(TREETAGGER_BARE, "x", sentences=1).tokens == 4
    with pytest.raises(InputError, match="cannot end"):
        parse(CONLL2000, "x", "columns", ends="lines")


@pytest.mark.parametrize("lines", [20, 3000])
def test_the_remark_on_plain_text_stays_however_long_the_text_is(lines):
    sentence = "the/DT dog/NN barks/VBZ and"
    many = "\n".join(f"{sentence} w{i}/NN bare{i} odd{i}" for i in range(lines))
    opened = open_text(io.BytesIO(many.encode()), "t.txt")
    assert opened.format == "raw"
    place = " of the first 1,000 lines" if lines > 1000 else ""
    shown = min(lines, 1000)
    share = f"{4 * shown:,} of {7 * shown:,} tokens{place} have a tag after '/', but 'and' in line 1 has none"
    assert share in opened.remark
    assert share in opened.corpus().reading.note


# A missing tag.

HEAD = "{n}\t{w}\t_\t{u}\t{x}\t_\t_\t_\t_\t_\n"


def conllu(*tokens):
    return "".join(HEAD.format(n=n, w=w, u=u, x=x) for n, (w, u, x) in enumerate(tokens, 1)) + "\n"


NO_XPOS = conllu(("le", "DET", "_"), ("chat", "NOUN", "_"), ("dort", "VERB", "_")) * 4
SOME_XPOS = conllu(("le", "DET", "D"), ("chat", "NOUN", "_"), ("dort", "VERB", "V")) * 4


def test_a_column_of_blanks_is_no_gold():
    opened = open_text(io.BytesIO(NO_XPOS.encode()), "fr.conllu")
    corpus = opened.corpus()
    assert corpus.tags is None
    assert corpus.tokens == 12
    assert opened.remark == "No tags: XPOS is _ throughout. The text is read without tags."
    assert opened.other_tags == "upos"
    assert parse(NO_XPOS, "fr.conllu", tag_column="upos").tagset == ("DET", "NOUN", "VERB")
    nothing = open_text(
        io.BytesIO(NO_XPOS.replace("DET", "_").replace("NOUN", "_").replace("VERB", "_").encode())
    )
    assert nothing.corpus().tags is None
    assert nothing.other_tags == ""


def test_a_token_without_a_tag_is_in_no_score():
    opened = open_text(io.BytesIO(SOME_XPOS.encode()), "fr.conllu")
    corpus = opened.corpus()
    assert (corpus.tagged, corpus.tokens, corpus.tagset) == (8, 12, ("D", "V"))
    assert opened.remark == "4 of 12 tokens have no tag (_ in XPOS): they are left out of the scores."
    assert next(iter(corpus)) == [("le", "D"), ("chat", ""), ("dort", "V")]
    assert corpus.tag_counts.tolist() == [4, 4]
    labels = corpus.words.astype("int16")  # a state for each word
    table = Scorer(corpus, 3).table(labels).sum(0)
    assert table.tolist() == [[4, 0], [0, 0], [0, 4]]
    found = baselines(corpus, 3, seed=1)
    assert found["one_tag"].many_to_one == 0.5
    assert found["most_frequent_tag"].one_to_one == 1.0
    assert TagDictionary.of(corpus).allowed == {"le": ("D",), "dort": ("V",)}
    view = fit_em(corpus, states=2, iterations=3, seed=1).view
    assert view.table.sum() == 8
    assert view.tokens_per_state.sum() == 12
    assert corpus.first(2).tagged == 4
    assert Corpus.from_dict(corpus.to_dict(), "again").tags.tolist() == corpus.tags.tolist()
    assert Corpus.from_dict(corpus.to_dict()).reading == corpus.reading


def test_a_pair_without_a_tag_and_a_selection_without_any():
    corpus = Corpus.from_sentences([[("a", None), ("b", None)], [("a", "X"), ("b", None)]])
    assert corpus.tags.tolist() == [-1, -1, 0, -1]
    assert corpus.first(1).tags is None
    with pytest.raises(InputError, match="write \\(word, None\\)"):
        Corpus.from_sentences([["a"], [("a", "X")]])


def test_conllu_under_any_name():
    for name in ("x.txt", "x.conll", ""):
        corpus = parse("# sent_id = 1\n" + SOME_XPOS, name)
        assert corpus.reading.format == "conllu"
        assert corpus.tokens == 12


# Write, then read.

WORDS = st.text("abcßéж", min_size=1, max_size=4)
TAGS = st.sampled_from(["N", "V", "DET", "ADP", "X+Y"])
TEXTS = st.lists(st.lists(st.tuples(WORDS, TAGS), min_size=1, max_size=6), min_size=1, max_size=8)


def _table(columns, between="\n"):
    def write(sentences):
        return between.join("".join(columns(n, w, t) for n, (w, t) in enumerate(s, 1)) for s in sentences)

    return write


WRITERS = {
    "conllu": _table(lambda n, w, t: f"{n}\t{w}\t_\t_\t{t}\t_\t_\t_\t_\t_\n"),
    "tsv": _table(lambda n, w, t: f"{w}\t{t}\n"),
    "columns": _table(lambda n, w, t: f"{w} {t} O\n"),
    "treetagger": _table(lambda n, w, t: f"{w}\t{t}\t{w}\n", "</s>\n"),
    "conllu-plus": lambda s: (
        "# global.columns = ID FORM XPOS\n" + _table(lambda n, w, t: f"{n}\t{w}\t{t}\n")(s)
    ),
    "slash": lambda sentences: "\n".join(" ".join(f"{w}/{t}" for w, t in s) for s in sentences),
    "underscore": lambda sentences: "\n".join(" ".join(f"{w}_{t}" for w, t in s) for s in sentences),
    "brown": lambda sentences: "\n\n".join("\t" + " ".join(f"{w}/{t}" for w, t in s) for s in sentences),
    "wsj": lambda sentences: "\n=====\n".join(
        "[ " + "\n".join(f"{w}/{t}" for w, t in s) + " ]" for s in sentences
    ),
    "trees": lambda sentences: "\n".join(
        f"( (S {' '.join(f'({t} {w})' for w, t in s)}) )" for s in sentences
    ),
    "raw": lambda sentences: "\n".join(" ".join(w for w, _ in s) for s in sentences),
    "cha": lambda sentences: "".join(
        f"*CHI:\t{' '.join(w for w, _ in s)}\n%mor:\t{' '.join(f'{t}|{w}' for w, t in s)}\n"
        for s in sentences
    ),
}


@pytest.mark.parametrize("format", FORMATS)
@given(sentences=TEXTS)
def test_written_and_read_again_is_the_same(format, sentences):
    options = {"columns": (1, 2)} if format == "columns" else {}
    if format in ("slash", "underscore", "brown"):
        options["ends"] = "lines"
    found = parse(WRITERS[format](sentences), "x", format, **options)
    tags = format != "raw"
    assert list(found) == [[(w, t if tags else "") for w, t in s] for s in sentences]


@given(sentences=TEXTS)
def test_whatever_a_text_is_taken_for_no_token_is_lost(sentences):
    """A guess gives every token, or a fault for each line that it cannot read."""
    total = sum(map(len, sentences))
    for format in ("conllu", "tsv", "treetagger", "conllu-plus", "slash", "underscore", "brown", "cha"):
        assert parse(WRITERS[format](sentences), "x").tokens == total


def test_a_file_is_read_by_name(tmp_path):
    path = tmp_path / "ca01"
    path.write_text(BROWN, encoding="utf-8")
    assert read(path).reading.label == "Brown corpus"
