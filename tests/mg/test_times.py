"""Tables of reading times as corpora and experiments publish them; each small table has the real columns."""

import math

import numpy as np
import pytest

from otlab.errors import DataWarning, InputError, collected_warnings
from otlab.mg.io.read import loads
from otlab.mg.io.times import ReadSentence, read_times, times_as, times_text
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.entropy import word_by_word
from otlab.mg.processing.reading_times import predict_reading

GRAMMAR = "@start s\nthe :: =n d\ndog :: n\ncat :: n\nsaw :: =d d= s\nbarked :: d= s\n"


def read(text, columns=""):
    with collected_warnings() as notes:
        sentences = read_times(text, "t", columns)
    return sentences, [note.removeprefix("t: ") for note in notes]


def table(head, *rows, mark="\t"):
    return "\n".join([head.replace(" ", mark), *(row.replace(" ", mark) for row in rows)]) + "\n"


NATURAL_STORIES = table(
    "WorkerId WorkTimeInSeconds correct item zone RT word nItem meanItemRT sdItemRT",
    "A1 900 6 1 1 400 The 2 1 1",
    "A1 900 6 1 2 300 dog 2 1 1",
    "A1 900 6 1 3 500 barked. 2 1 1",
    "A1 900 6 1 4 350 The 2 1 1",
    "A1 900 6 1 5 320 cat, 2 1 1",
    "A1 900 6 1 6 450 barked. 2 1 1",
    "A2 900 6 1 3 520 barked. 2 1 1",
    "A2 900 6 1 1 420 The 2 1 1",
    "A2 900 6 1 5 340 cat, 2 1 1",
    "A2 900 6 2 1 290 Cats 2 1 1",
)


def test_natural_stories_has_no_sentences_and_many_subjects():
    sentences, notes = read(NATURAL_STORIES)
    assert sentences == [
        ReadSentence("1:1", ("The", "dog", "barked."), (410.0, 300.0, 510.0)),
        ReadSentence("1:2", ("The", "cat,", "barked."), (350.0, 330.0, 450.0)),
        ReadSentence("2", ("Cats",), (290.0,)),
    ]
    assert notes == ["the times of 2 subjects are averaged for each of 7 words"]
    assert times_as(NATURAL_STORIES).note == "other columns of times: meanItemRT"


def test_words_in_the_order_of_the_alphabet_are_put_in_that_of_the_text():
    """As in ``processed_wordinfo.tsv``."""
    text = table("word zone item meanItemRT", "barked. 3 9 500.5", "dog 2 9 300", "the 1 9 310")
    assert read(text)[0] == [ReadSentence("9", ("the", "dog", "barked."), (310.0, 300.0, 500.5))]


def test_ucl_words_that_were_skipped_have_no_time():
    text = table(
        "subj_nr subj_age sent_nr sent_pos correct answertime word_pos word RTfirstfix RTfirstpass RTgopast",
        "1 20 7 1 c -99 1 the 210 215 210",
        "1 20 7 1 c -99 2 dog 0 0 0",
        "2 31 7 5 c -99 1 the 200 225 220",
        "2 31 7 5 c -99 2 dog 190 190 390",
    )
    sentences, notes = read(text)
    assert sentences == [ReadSentence("7", ("the", "dog"), (220.0, 190.0))]
    assert notes[0] == "0 ms is no time, and missing: 1 of 4"
    assert read(text, "ms=RTgopast")[0][0].times == (215.0, 390.0)
    assert read(text, "ms=9")[0][0].times == (205.0, 190.0)


def test_provo_has_texts_missing_values_and_lines_without_a_word():
    head = (
        "RECORDING_SESSION_LABEL,Participant_ID,Word_Unique_ID,Text_ID,Word_Number,Sentence_Number,"
        "Word_In_Sentence_Number,Word,Word_Cleaned,IA_ID,IA_LABEL,TRIAL_INDEX,IA_FIRST_FIXATION_DURATION,"
        "IA_FIRST_RUN_DWELL_TIME,IA_DWELL_TIME"
    )
    rows = [
        "S1,Sub01,Q1,1,2,1,2,dog,dog,1,dog,5,200,NA,0",
        "S1,Sub01,Q2,1,3,1,3,barked.,barked,2,barked.,5,210,310,310",
        "S1,Sub01,NA,1,NA,NA,NA,NA,NA,3,x,5,210,310,310",
        "S1,Sub01,Q8,2,2,1,2,cat,cat,1,cat,6,150,150,0",
        "S1,Sub01,Q9,1,4,2,1,The,the,3,The,5,150,150,0",
        "S2,Sub02,Q1,1,2,1,2,dog,dog,1,dog,2,180,180,0",
    ]
    sentences, notes = read("\n".join([head, *rows]))
    assert sentences == [
        ReadSentence("1:1", ("dog", "barked."), (180.0, 310.0)),
        ReadSentence("2:1", ("cat",), (150.0,)),
        ReadSentence("1:2", ("The",), (150.0,)),
    ]
    assert notes[0] == "lines without a word or a sentence are left out, 1 of them: 4"


def test_geco_has_parts_and_trials_dots_and_decimal_commas():
    text = table(
        "PP_NR GROUP LANGUAGE PART TRIAL WORD_ID_WITHIN_TRIAL WORD_ID WORD WORD_GAZE_DURATION",
        "pp21 mono English 1 5 1 1-5-1 The 200,5",
        "pp21 mono English 1 5 2 1-5-2 dog .",
        'pp21 mono English 1 5 3 1-5-3 barked." 300',
        "pp21 mono English 1 5 4 1-5-4 Cats 310",
        "pp21 mono English 2 5 1 2-5-1 The 250",
        mark=";",
    )
    sentences, _ = read(text)
    assert [s.label for s in sentences] == ["1:5:1", "1:5:2", "2:5"]
    assert sentences[0].words == ("The", "dog", 'barked."')
    assert str(sentences[0].times) == "(200.5, nan, 300.0)"


def test_dundee_and_zuco():
    dundee = (
        "Participant,Itemno,WNUM,SentenceID,ID,WORD,First_pass_dur,Tot_fix_dur\nsa,1,1,1-1,1,The,210,230\n"
    )
    assert read(dundee)[0] == [ReadSentence("1-1", ("The",), (210.0,))]
    head = "sentence_id,word_id,word,nFix,FFD,GPT,TRT,fixProp"
    zuco = f"{head}\n0,0,The,5,110,220,330,50\n0,1,end.<EOS>,5,1,2,40,5\n"
    assert read(zuco)[0] == [ReadSentence("0", ("The", "end."), (330.0, 40.0))]


def test_the_same_item_in_two_conditions_is_two_sentences():
    rows = [
        "1 1 a the 300",
        "1 1 a dog 310",
        "2 1 b the 330",
        "2 1 b cat 350",
        "3 1 a the 320",
        "3 1 a dog NA",
    ]
    with_conditions = table("subject item condition word rt", *rows, mark=" ")
    assert [(s.label, s.times) for s in read(with_conditions)[0]] == [
        ("1:a", (310.0, 310.0)),
        ("1:b", (330.0, 350.0)),
    ]
    without = table("subject item word rt", *(r[:4] + r[6:] for r in rows))
    sentences, notes = read(without)
    assert [(s.label, s.words[1]) for s in sentences] == [("1", "dog"), ("1 (2)", "cat")]
    assert "labels that stand for sentences of different words, which are kept apart: 1" in notes


def test_tables_that_r_writes_have_names_of_rows():
    text = '"sentence" "word" "RT"\n"1" "s1" "the" 300\n"2" "s1" "dog" 310.25\n'
    assert read(text)[0] == [ReadSentence("s1", ("the", "dog"), (300.0, 310.25))]


@pytest.mark.parametrize(
    ("cells", "times"),
    [
        (("400,5", "310,25", "-"), (400.5, 310.25, math.nan)),
        (("1,250", "980", "NA"), (1250.0, 980.0, math.nan)),
        (("412,333", "1,5", "#N/A"), (412.333, 1.5, math.nan)),
        (("1.250,5", "980", "."), (1250.5, 980.0, math.nan)),
        (("1,250.5", "2,100", "null"), (1250.5, 2100.0, math.nan)),
    ],
)
def test_numbers_as_they_are_written(cells, times):
    rows = "\n".join(f"1;w{n};{cell}" for n, cell in enumerate(cells))
    (sentence,), notes = read(rows)
    np.testing.assert_equal(sentence.times, times)
    assert any("is read as" in note for note in notes) == (times[0] == 1250.0 or "2,100" in cells)


def test_without_a_column_for_sentences_blank_lines_and_full_stops_end_them():
    words = read("the 300\ndog 310\nbarked. 500\nMr. 300\nCat 320\n\nwho 300\nsaw? 2e2\n")[0]
    assert [s.words for s in words] == [("the", "dog", "barked."), ("Mr.", "Cat"), ("who", "saw?")]
    assert [s.label for s in words] == ["1:1", "1:2", "2"]
    assert read("1 1 the 300\n1 2 dog 310\n")[0] == [ReadSentence("1", ("the", "dog"), (300.0, 310.0))]


def test_what_cannot_be_told_is_asked_for():
    with pytest.raises(InputError, match="times was found; its columns are a, word; call one ms"):
        read_times("a,word\n1,the\n")
    with pytest.raises(InputError, match="there is no column 'RTgopas'; did you mean RTgopast"):
        read_times("sentence,word,RTgopast\n1,the,3\n", columns="ms=RTgopas")
    with pytest.raises(InputError, match="columns: 'time=3'; write one of sentence"):
        read_times("sentence,word,RT\n1,the,3\n", columns="time=3")
    how = times_as("sentence,word,RT\n1,the,3\n").with_role(1, "not used")
    with pytest.raises(InputError, match="no column of words was found"):
        read_times("sentence,word,RT\n1,the,3\n", columns=how)
    with pytest.raises(InputError, match="put a cell with a comma in quotation marks"):
        read_times("sentence,word,ms\n1,the,400,5\n1,dog,300\n")


def test_a_quotation_mark_in_a_word_hides_nothing():
    assert read('sentence\tword\tms\n1\t"Who\t300\n1\tcame?"\t310\n')[0][0].words == ('"Who', 'came?"')


def test_times_are_written_as_a_table_that_is_read_back():
    sentences = [ReadSentence("#1", ("a,b", '"c'), (150.5, math.nan)), ReadSentence("2", ("ɛ̃",), (300.0,))]
    again = read_times(times_text(sentences, "# source: me\n"))
    np.testing.assert_equal(again, sentences)


def test_predictions_are_of_the_words_without_punctuation():
    grammar = loads(GRAMMAR)
    printed = read_times("1 The 300\n1 dog, 310\n1 — NA\n1 “barked”! 500\n")[0]
    found = predict_reading(grammar, [printed])
    told = word_by_word(parse(grammar, "the dog barked"))
    assert [p.word for p in found] == ["The", "dog,", "—", "“barked”!"]
    np.testing.assert_equal([p.surprisal for p in found], [*told.surprisal[:2], math.nan, told.surprisal[2]])
    assert math.isnan(found[2].tenure)
    assert found[3].tenure == 4


def test_a_remark_on_numbers_that_are_no_ms():
    with pytest.warns(DataWarning, match="all times are below 20"):
        read_times("1,the,0.4\n1,dog,0.35\n")


def test_every_sentence_has_a_label_of_its_own():
    rows = ["1 the. 300", "1 dog. 310", "1:1 cat. 320", "1:1 saw. 330", "1:1:1 cat. 340"]
    sentences, _ = read(table("item word RT", *rows))
    assert [s.label for s in sentences] == ["1:1", "1:2", "1:1:1", "1:1:2", "1:1:1 (2)"]
    assert read_times(times_text(sentences)) == sentences


def test_damaged_tables_are_refused_in_words():
    with pytest.raises(InputError, match="no reading times"):
        read_times(",")
    with pytest.raises(InputError, match=":2: 2 columns"):
        read_times("word\tRT\tsubject\nthe\t300\n", "t")


def test_lines_without_a_text_are_left_out():
    sentences, notes = read(table("item word RT", "1 the 300", "NA dog 310", "1 cat. 320"))
    assert sentences == [ReadSentence("1", ("the", "cat."), (300.0, 320.0))]
    assert notes == ["lines without a word or a sentence are left out, 1 of them: 3"]


TABLE = "sentence,word,ms\n1,mary,310\n1,sleeps,420\n2,john,305\n2,sleeps,NA\n"


@pytest.mark.parametrize("cell", ["310 ms", "Inf", "-310", "310*"])
def test_a_cell_that_is_no_time_is_named_not_its_column(cell):
    with pytest.raises(InputError) as refused:
        read_times(TABLE.replace("310", cell), "a.csv")
    (fault,) = refused.value.faults
    assert (fault.line, fault.what) == (2, f"{cell!r} is not a time")


def test_all_times_with_a_unit_are_named():
    text = TABLE.replace("310", "310 ms").replace("420", "420 ms").replace("305", "305 ms")
    with pytest.raises(InputError) as refused:
        read_times(text, "a.csv")
    assert [fault.line for fault in refused.value.faults] == [2, 3, 4]


def test_a_time_of_a_few_ms_among_others_is_named():
    text = TABLE.replace(",", ";").replace("310", "1.310")
    with pytest.warns(DataWarning, match="1 time below 20 ms, such as 1.31: no word is read so fast"):
        read_times(text, "a.csv")


def test_what_is_not_seen_makes_no_other_word():
    assert read_times(TABLE.replace("310", "310\u200b").replace("mary", "\u200emary"), "a.csv") == read_times(
        TABLE, "a.csv"
    )
