"""Files of corpora, in the true shape of each format, are not read as plain text or utterances."""

from __future__ import annotations

import pytest

from otlab.discovery.corpus import Corpus
from otlab.errors import InputError
from otlab.foreign_formats import named_lines, other_trees, timed_format
from otlab.tagging.io.read import parse

TEXTGRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n1\n"IntervalTier"\n"words"\n'
    '0\n1\n2\n0\n0.5\n"dog"\n0.5\n1\n"cat"\n'
)
XWAVES = (
    "signal s0101a\ntype 0\ncolor 121\ncomment created using xlabel Wed Jun  6 10:33:13 2001\n"
    "font -misc-*-bold-*-*-*-15-*-*-*-*-*-*-*\nseparator ;\nnfields 1\n#\n"
)
BUCKEYE_WORDS = (
    XWAVES + "    0.063625  122 <SIL>\n    0.385825  122 {B_TRANS}; B; B; null\n"
    "    1.000000  122 okay; ow k ey; k ay; UH\n    1.578400  122 and; ae n d; ae n; CC\n"
)
BUCKEYE_PHONES = XWAVES + "    0.063625  121 {B_TRANS}\n    0.385825  121 SIL\n    0.450000  121 k\n"
TIMIT_WORDS = "7470 11362 she\n11362 16000 had\n15420 17503 your\n17503 23360 dark\n23360 28360 suit\n"
TIMIT_PHONES = "0 7470 h#\n7470 9840 sh\n9840 11362 iy\n11362 12908 hv\n12908 14760 ae\n"
CTM = "103-1240-0000 1 0.430 0.140 chapter\n103-1240-0000 1 0.570 0.310 one 0.98\n"
SEGMENTS = "sw02001-A_000098-001156 sw02001-A 0.98 11.56\nsw02001-A_001980-002131 sw02001-A 19.8 21.31\n"
KALDI_TEXT = "103-1240-0000 CHAPTER ONE MISSUS\n103-1240-0001 THAT HAD ITS SOURCE\n"
SINICA = (
    "#1:1.[0] NP(Head:Nep:這)#\n"
    "#2:1.[0] S(agent:NP(Head:Nb:嘉珍)|Head:VC2:打破|aspect:Di:了)#。(PERIODCATEGORY)\n"
)
VISL = (
    '<ext n=1 cad="Social" sec="soc" sem="92a">\n<s>\n#1 CP1-1 Um revivalismo.\nA1\nUTT:np\n'
    "=>N:art('um' <*> <arti> M S)\tUm\n=H:n('revivalismo' M S)\trevivalismo\n=.\n\n</s>\n</ext>\n"
)
FOREIGN = {
    "textgrid": (TEXTGRID, "holds times (a Praat TextGrid)"),
    "buckeye words": (BUCKEYE_WORDS, "holds times (end, colour and label, as xwaves"),
    "buckeye phones": (BUCKEYE_PHONES, "holds times (end, colour and label, as xwaves"),
    "timit words": (TIMIT_WORDS, "holds times (start, end and label, as of TIMIT)"),
    "timit phones": (TIMIT_PHONES, "holds times (start, end and label, as of TIMIT)"),
    "ctm": (CTM, "holds times (recording, channel, start, length and label, as in CTM)"),
    "segments": (SEGMENTS, "holds times (utterance, recording, start and end, as in Kaldi's segments)"),
    "kaldi text": (KALDI_TEXT, "has the name of an utterance at the beginning of each line (103-1240-0000)"),
    "sinica": (SINICA, "holds trees of the Sinica Treebank"),
    "visl": (VISL, "holds trees of VISL, as in Floresta's .ad files"),
}


@pytest.mark.parametrize("read", [parse, Corpus.from_bytes], ids=["tagging", "discovery"])
@pytest.mark.parametrize("kind", FOREIGN)
def test_the_lines_of_a_corpus_file_are_not_taken_for_sentences(kind, read):
    text, message = FOREIGN[kind]
    with pytest.raises(InputError) as caught:
        read(text if read is parse else text.encode("utf-16"), "f.txt")
    assert str(caught.value).startswith(f"f.txt: {message}")
    (fault,) = caught.value.faults
    assert fault.hint


def test_a_format_that_is_asked_for_is_read_all_the_same():
    corpus = parse(TIMIT_WORDS, "a.wrd", columns=[3])
    assert corpus.vocabulary[:2] == ("she", "had")


@pytest.mark.parametrize(
    "text",
    [
        "the dog barks\na cat sleeps\n",
        "1 1 the\n1 2 dog\n2 1 a\n2 2 cat\n",  # numbers of sentences and words
        "0 1 the\n0 2 dog\n0 3 barks\n",
        "2019 was good\n2020 was not\n",
        "1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n",
        "ni3 hao3\nwo3 hen3 hao3\n",
        "COVID-19 is here\nit is\n",
        "#\nthe dog 1\n",
        "",
    ],
)
def test_other_texts_are_none_of_these(text):
    lines = text.splitlines()
    assert (timed_format(lines), named_lines(lines), other_trees(lines)) == ("", "", "")


def test_words_with_tags_are_no_phones():
    with pytest.raises(InputError, match="holds words with tags, and no phones; delete the tags, or open"):
        Corpus.from_bytes(b"the/DT dog/NN barks/VBZ ./.\na/DT cat/NN sleeps/VBZ ./.\n", "f.txt")
    assert Corpus.from_bytes(b"D/AO/G HH/AH/L/OW\n", "f.txt").phones.size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 1 S --> Word\n1 1 S --> Word S\nWord --> Ph\n1 1 Ph --> a\n",
            "is a grammar of py-cfg, and no text",
        ),
        (
            "(S (NP (DT the) (NN dog))\n  (VP (VBZ barks)) (. .))\n",
            "holds trees in brackets, and no utterances",
        ),
        (
            "#1 CP1-1 Um.\n(UTT+np\n    (>N+art Um)\n    (. .))\n",
            "holds trees in brackets, and no utterances",
        ),
    ],
)
def test_grammars_and_trees_are_no_phonemic_text(text, message):
    with pytest.raises(InputError) as caught:
        Corpus.from_bytes(text.encode(), "f.txt")
    assert str(caught.value).startswith(f"f.txt: {message}; ")


@pytest.mark.filterwarnings("ignore:.*read as phones")
@pytest.mark.parametrize("text", ["(ð)ə dɔɡ\nə kæt\n", "(ð)ə (d)ɔɡ\n", "juː (viː) kʊk\n"])
def test_optional_phones_in_brackets_are_still_read(text):
    assert Corpus.from_bytes(text.encode(), "f.txt").phones.size
