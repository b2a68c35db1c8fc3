"""Transcripts of CHAT: the words of main lines with their parts of speech on ``%mor``."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlab.errors import InputError
from otlab.tagging.io.chat import Transcript, pairs, words_of_main
from otlab.tagging.io.read import open_text, parse, read
from otlab.tagging.io.reading import Reading

HEAD = "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tCHI Target_Child,\n\tMOT Mother\n"
TRANSCRIPT = (
    f"\ufeff{HEAD}"
    "*CHI:\tmore cookie . \x150_1200\x15\n%mor:\tqn|more n|cookie .\n%gra:\t1|2|QUANT 2|0|INCROOT 3|2|PUNCT\n"
    "*MOT:\tyou <don't want> [//] won't have ,\n\tanother one ?\n"
    "%mor:\tpro:per|you mod|will~neg|not v|have cm|cm\n\tqn|another pro:indef|one ?\n"
    "%com:\tMOT laughs\n"
    "*CHI:\txxx .\n*CHI:\tcan run .\n%mor:\tmod|can^n|can v|run^v|run&ZERO .\n@End\n"
)

# Main lines and tags as the manuals of CHAT and MOR write them.
UTTERANCES = {
    "clitics": ("it's da@f .", "pro|it~v|be&3S child|da .", ["pro~v", "child", "."]),
    "a clitic before": ("l'homme .", "det:art|le$n|homme .", ["det:art$n", "."]),
    "prefixes and suffixes": ("untied it", "un#v|tie-PAST pro|it", ["v", "pro"]),
    "a compound": ("black+bird !", "n|+adj|black+n|bird !", ["n", "!"]),
    "a prefix of a compound": ("ex+black+bird .", "ex#n|+adj|black+n|bird .", ["n", "."]),
    "a translation": ("perro .", "n|perro=dog .", ["n", "."]),
    "features": ("that works .", "pron|that-Int,Rel-S1 verb|work-Fin-Ind .", ["pron", "verb", "."]),
    "a retracing of a group": ("<I want> [/] I want .", "pro|I v|want .", ["pro", "v", "."]),
    "a retracing in a retracing": ("<the <the> [/] dog> [//] a cat .", "det|a n|cat .", ["det", "n", "."]),
    "a retracing behind an error": ("dog [* p:w] [/] dog .", "n|dog .", ["n", "."]),
    "a replaced word retraced": ("tika@u [: kitty] [* p] [//] it .", "pro|it .", ["pro", "."]),
    "a replacement": ("gonna [: going to] go .", "part|go inf|to v|go .", ["part", "inf", "v", "."]),
    "of a real word": ("male [:: female] [* s:r] .", "adj|female .", ["adj", "."]),
    "excluded": ("this is [e] <a b> [e] it .", "pro|this pro|it .", ["pro", "pro", "."]),
    "no words": ("&-uh &+fr &~gaga &=laughs 0is www (.) (1.5) (1:02.) go .", "v|go .", ["v", "."]),
    "of fragments as older manuals write them": ("&uh # I 0 go .", "pro|I v|go .", ["pro", "v", "."]),
    "tags of what was not understood": ("xxx go .", "unk|xxx v|go .", ["v", "."]),
    "tags of omissions": ("I 0am here .", "pro|I 0v|be adv|here .", ["pro", "adv", "."]),
    "marks with tags": ("no ‡ yes , it „ .", "co|no beg|beg co|yes cm|cm pro|it end|end .", None),
    "marks without tags": ("well , yes .", "co|well co|yes .", ["co", "co", "."]),
    "marks of any kind": ("no ‡ it .", "intj|no punct|‡ pron|it .", ["intj", "punct", "pron", "."]),
    "quotes with tags": ("say “yes” .", "v|say bq|bq co|yes eq|eq .", ["v", "bq", "co", "eq", "."]),
    "quotes without": ("say “yes” .", "v|say co|yes .", ["v", "co", "."]),
    "linkers and ends": ('+" go +/.', "v|go +/.", ["v", "+/."]),
    "an overlap and its linker": ("+< <go on> [>] +...", "v|go adv|on +...", ["v", "adv", "+..."]),
    "an end without a blank": ("go on.", "v|go adv|on .", ["v", "adv", "."]),
    "ends that differ": ("go on ?", "v|go adv|on .", ["v", "adv", "."]),
    "no end on %mor": ("go on .", "v|go adv|on", ["v", "adv"]),
    "postcodes": ("go [+ imp] . [+ bch]", "v|go .", ["v", "."]),
    "an analysis too many": ("can .", "mod|can^n|can .", ["_", "."]),
    "analyses that agree": ("read .", "v|read^v|read&PAST .", ["v", "."]),
    "an unknown word": ("gup .", "?|gup .", ["_", "."]),
}


@pytest.mark.parametrize("case", UTTERANCES)
def test_words_and_tags_are_paired_as_the_manual_says(case):
    words, mor, tags = UTTERANCES[case]
    found = pairs(words, mor)
    assert [tag for _, tag in found] == (tags or [item.split("|")[0] for item in mor.split()])


def test_words_are_written_without_the_signs_of_transcription():
    words = "gettin(g) u:n doš(a)o i: zoo↑ ice+cream Santa_Claus spa^ghetti wug@n:fp (be)cause ⌈yes⌉ ‹A›"
    bare = "getting un došao i zoo ice+cream Santa_Claus spaghetti wug because yes A"
    assert words_of_main(words) == bare.split()


@pytest.mark.parametrize(
    ("words", "mor", "why"),
    [
        ("a big dog .", "det|a n|dog .", "3 words and 2 tags"),
        ("dog .", "det|a n|dog .", "1 word and 2 tags"),
        ("well , yes .", "co|well co|yes cm|cm .", "marks in other places"),
        ("well yes .", "co|well cm|cm co|yes .", "marks in other places"),
        ("xxx .", "n|dog .", "0 words and 1 tag"),
    ],
)
def test_what_does_not_pair_is_said(words, mor, why):
    assert pairs(words, mor) == why


def test_a_transcript_is_read_with_its_tags():
    corpus = parse(TRANSCRIPT, "eve.cha")
    assert corpus.reading.label == "CHAT transcript, tags of %mor"
    assert list(corpus) == [
        [("more", "qn"), ("cookie", "n"), (".", ".")],
        [
            ("you", "pro:per"), ("won't", "mod~neg"), ("have", "v"), (",", "cm"), ("another", "qn"),
            ("one", "pro:indef"), ("?", "?"),
        ],
        [("can", ""), ("run", "v"), (".", ".")],
    ]  # fmt: skip
    assert corpus.tagged == corpus.tokens - 1
    why = "1 of 13 tokens has no tag (several analyses, or ?, on %mor): they are left out of the scores"
    assert corpus.reading.note == why


@pytest.mark.parametrize("name", ["eve.cha", "eve.txt", ""])
def test_it_is_recognised_by_its_headers(name):
    assert parse(TRANSCRIPT, name).reading.format == "cha"
    assert parse(TRANSCRIPT.replace("\n", "\r\n"), name).sentences == 3


def test_a_file_without_headers_is_recognised_by_its_name():
    bare = "*CHI:\tgo .\n%mor:\tv|go .\n"
    assert list(parse(bare, "a.cha")) == [[("go", "v"), (".", ".")]]
    assert list(parse(bare, "a.txt", "cha")) == [[("go", "v"), (".", ".")]]


def test_its_words_are_also_read_alone(tmp_path):
    path = tmp_path / "eve.cha"
    path.write_text(TRANSCRIPT, encoding="utf-8")
    with path.open("rb") as stream:
        text = open_text(stream, path.name)
    ways = {way.label: way for way in text.readings}
    assert list(ways)[:2] == ["CHAT transcript, tags of %mor", "CHAT transcript, words without tags"]
    words = read(path, ways["CHAT transcript, words without tags"])
    assert words.tags is None
    assert [word for word, _ in list(words)[1]] == ["you", "won't", "have", ",", "another", "one", "?"]
    untagged = parse(TRANSCRIPT.replace("%mor", "%xmor"), "a.cha")
    assert untagged.tags is None
    assert untagged.sentences == 3


def test_what_is_left_out_is_named_with_its_line():
    text = (
        f"{HEAD}*CHI:\ta big dog .\n%mor:\tdet|a n|dog .\n*CHI:\tgo .\n%mor:\tv|go .\n"
        "*CHI:\tno tags .\n*CHI:\txxx .\n%mor:\t.\n*MOT:\tnone .\n@End\n"
    )
    opened = open_text(io.BytesIO(text.encode()), "a.cha")
    corpus = opened.corpus()
    assert list(corpus) == [[("go", "v"), (".", ".")]]
    assert opened.remark == (
        "Left out: line 6, whose words and tags on %mor do not pair (3 words and 2 tags); "
        "2 utterances without %mor (lines 10, 13)."
    )
    assert corpus.reading.note == opened.remark.removesuffix(".")


def test_a_transcript_of_which_nothing_pairs_is_refused():
    with pytest.raises(InputError) as refused:
        parse(f"{HEAD}*CHI:\ta big dog .\n%mor:\tdet|a n|dog .\n*CHI:\tgo .\n%mor:\tadv|up v|go .\n", "a.cha")
    assert [(fault.line, fault.what) for fault in refused.value.faults] == [
        (6, "the words and their tags on %mor do not pair (3 words and 2 tags)"),
        (8, "the words and their tags on %mor do not pair (1 word and 2 tags)"),
    ]
    with pytest.raises(InputError, match="no utterance with words"):
        parse(f"{HEAD}*CHI:\txxx .\n@End\n", "a.cha")


def test_only_as_many_utterances_are_read_as_asked_for():
    some = parse(TRANSCRIPT, "a.cha", sentences=2)
    assert some.sentences == 2
    assert "Left out" not in some.reading.note  # the lines of the third were not read
    assert parse(TRANSCRIPT.removesuffix("@End\n"), "a.cha").sentences == 3


@given(cuts=st.lists(st.integers(0, TRANSCRIPT.count("\n")), max_size=6))
def test_nothing_depends_on_where_blocks_are_cut(cuts):
    lines = TRANSCRIPT.removeprefix("\ufeff").split("\n")
    into, transcript = Reading("a.cha"), Transcript(tagged=True)
    places = sorted({0, *cuts, len(lines)})
    for start, end in pairwise(places):
        transcript(into, lines[start:end], start + 1)
    into.unfinished()
    text = into.text
    words, tags = list(text.words), list(text.tags)
    found = [(words[w], tags[t]) for w, t in zip(text.word_of, text.tag_of, strict=True)]
    whole = [(word, tag or "_") for sentence in parse(TRANSCRIPT, "a.cha") for word, tag in sentence]
    assert found == whole
    assert text.sentences == 3
