"""Readers: what is read, what is guessed, and every fault with its line."""

from __future__ import annotations

import gzip
import io
import unicodedata

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.samples import sample_path
from otlab.tagging import Corpus, Normalize, read
from otlab.tagging.io import textfile
from otlab.tagging.io.read import guess_format, open_text, parse

CONLLU = """# text = Don't go.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t4\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
3.1\tghost\t_\tX\tX\t_\t_\t_\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\t_
"""
SENTENCES = [[("Do", "VB"), ("n't", "RB"), ("go", "VB")], [("No", "UH")]]


def test_conllu():
    assert list(parse(CONLLU, "x.conllu")) == SENTENCES
    universal = parse(CONLLU, "x.conllu", tag_column="upos")
    assert [tag for _, tag in next(iter(universal))] == ["AUX", "PART", "VERB"]


def test_gzip_and_byte_order_mark(tmp_path):
    path = tmp_path / "x.conllu.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + CONLLU.encode()))
    assert list(read(path)) == SENTENCES


def test_the_sample_is_what_the_conllu_package_reads():
    conllu = pytest.importorskip("conllu")
    path = sample_path("ewt")
    with path.open(encoding="utf-8") as file:
        theirs = [
            [(t["form"], t["xpos"]) for t in s if isinstance(t["id"], int)] for s in conllu.parse_incr(file)
        ]
    assert list(read(path)) == theirs


@pytest.mark.parametrize(
    ("text", "format", "first"),
    [
        ("The/DT 1\\/2/CD dogs/NNS\nNo/UH\n", "slash", [("The", "DT"), ("1\\/2", "CD"), ("dogs", "NNS")]),
        ("The_DT a_b_NN\n\nNo_UH\n", "underscore", [("The", "DT"), ("a_b", "NN")]),
        ("The\tDT\ndog\tNN\n\n\nNo\tUH\n", "tsv", [("The", "DT"), ("dog", "NN")]),
        ("The dog barks .\nNo\n", "raw", [("The", ""), ("dog", ""), ("barks", ""), (".", "")]),
    ],
)
def test_other_formats_are_guessed_and_read(text, format, first):
    assert guess_format(text.split("\n")) == format
    corpus = parse(text)
    assert next(iter(corpus)) == first
    assert corpus.sentences == 2
    assert (corpus.tags is None) == (format == "raw")


def test_a_separator_must_split_nearly_all_and_give_few_tags():
    assert guess_format(["and/or the dog barks at it"]) == "raw"
    assert guess_format([" ".join(f"w/{i}" for i in range(400))]) == "raw"
    assert guess_format(["", "", " x\ty", ""]) == "tsv"
    assert guess_format(["a b"], "x.conllu.gz") == "conllu"


@pytest.mark.parametrize(
    ("text", "format", "places"),
    [
        ("1\ta\tb\n1\tc\t_\tX\tY\t_\t_\t_\t_\t_\nx\tc\t_\tX\tY\t_\t_\t_\t_\t_\n", "conllu", [(1, 1), (3, 1)]),
        ("1\t\t_\tX\tY\t_\t_\t_\t_\t_\n2\tw\t_\tX\t\t_\t_\t_\t_\t_\n", "conllu", [(1, 3), (2, 9)]),
        ("the/DT dog cat/NN\n/NN\n", "slash", [(1, 8), (2, 1)]),
        ("a\tDT\nb\n\nc\tNN\tx\n\tNN\nd\t\n", "tsv", [(2, 1), (4, 1), (5, 1), (6, 3)]),
        ("1\tw\t_\tX\t\t_\t_\t_\t_\t_\n1.2.3\tw\t_\tX\tY\t_\t_\t_\t_\t_\n", "conllu", [(1, 9), (2, 1)]),
        ("a_X b\n\n_Y\n", "underscore", [(1, 5), (3, 1)]),
    ],
)
def test_every_fault_with_its_place(text, format, places):
    with pytest.raises(InputError) as caught:
        parse(text, "bad.txt", format)
    assert [(fault.line, fault.column) for fault in caught.value.faults] == places
    assert all(fault.file == "bad.txt" and fault.hint for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "bad.conllu: the file is empty"),
        (b" \n", "empty"),
        (b"a\0b", "bad.conllu: the file holds NUL"),
        (b"%PDF-1.4\n", "bad.conllu: is a PDF document, not plain text"),
        ("ab".encode("utf-16")[:2] + b"\0\xd8\0\0", "bad.conllu: is UTF-16 that is cut off or damaged"),
        (b"1\tok\n2\tna\xc3\xafj\xe9\n", "bad.conllu:2:7: byte 0xe9 is not UTF-8"),
        (b"ok/X na\xefve\x81/Y\n", "bad.conllu:1:8: byte 0xef is not UTF-8"),
        (b'<?xml version="1.0"?>\n<s>\n<t pos="DT" word="the"/>\n</s>\n', "is XML"),
        (b"@UTF8\n@Begin\n*CHI:\txxx .\n@End\n", "no utterance with words"),
        (gzip.compress(bytes(range(1, 256)), mtime=0)[:80], "bad.conllu: the gzip file is cut off"),
        (b"# only a comment\n", "no words"),
    ],
)
def test_files_that_are_no_corpus(tmp_path, data, message):
    path = tmp_path / "bad.conllu"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        read(path)


def test_utf16_is_read_block_by_block(tmp_path, monkeypatch):
    monkeypatch.setattr(textfile, "BLOCK", 7)  # bytes: cuts characters
    text = "naïve/ADJ ŋǃ/X 𝄞/SYM\nok/X\n" * 20
    for encoding in ("utf-16-le", "utf-16-be"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes("\ufeff".encode(encoding) + text.encode(encoding))
        corpus = read(path)
        assert (corpus.tokens, corpus.sentences) == (80, 40)
        assert sorted(corpus.vocabulary) == ["naïve", "ok", "ŋǃ", "𝄞"]


@pytest.mark.parametrize("block", [7, 1 << 18])
def test_a_text_in_latin1_is_read_and_that_is_told(tmp_path, monkeypatch, block):
    monkeypatch.setattr(textfile, "BLOCK", block)
    path = tmp_path / "old.txt"
    path.write_bytes("ok/X\nação/N não/ADV\nétait/V\n".encode("latin-1"))
    corpus = read(path)
    assert sorted(corpus.vocabulary) == ["ação", "não", "ok", "était"]
    assert corpus.reading.note == "not UTF-8, read as Windows-1252 (Latin-1)"
    with path.open("rb") as stream:
        text = open_text(stream, "old.txt")
        text.corpus()
    assert text.encoding_remark.startswith("Not UTF-8, read as Windows-1252")


def test_bytes_that_are_not_utf8_are_faults_beside_others(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes("ok/X naïve/Y\n".encode() + b"na\xefve/X\nno\ncaf\xe9/X\n")
    with pytest.raises(InputError) as caught:
        read(path, "slash")
    assert [(fault.line, fault.column) for fault in caught.value.faults] == [(2, 3), (3, 1), (4, 4)]


@pytest.mark.parametrize("line", [b"", b"a/N b/V\n", b"a" * 1000])
def test_a_gzip_file_that_unpacks_to_very_much_is_refused(tmp_path, line):
    """Some kilobytes that stand for 40 MB: they are refused after a few."""
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(40):
            file.write((line or b"\n") * (1_000_000 // len(line or b"\n")))
    with pytest.raises(InputError, match=r"bomb\.txt\.gz: unpacks to more than 30 times its size"):
        read(path)


def test_a_damaged_gzip_file_is_named(tmp_path):
    path = tmp_path / "bad.gz"
    data = bytearray(gzip.compress(b"a/X b/Y\n" * 5000))
    data[40] ^= 255
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"bad\.gz: the gzip file is cut off or damaged"):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read(tmp_path / "none.txt")


def test_a_wrong_format_does_not_print_a_million_faults():
    with pytest.raises(InputError) as caught:
        parse("word\n" * 1500, "x", "tsv")
    assert len(caught.value.faults) == 1001
    assert str(caught.value.faults[-1]) == "x: 500 more faults; correct these first"


def test_ten_columns_hint_at_conllu():
    with pytest.raises(InputError, match="conllu"):
        parse(CONLLU.partition("\n")[2], "x", "tsv")


@pytest.mark.parametrize("wrong", [{"format": "xml"}, {"tag_column": "lemma"}])
def test_unknown_formats_and_columns(wrong):
    with pytest.raises(InputError):
        parse("a b", **wrong)


def test_options_and_progress():
    text = "The/DT Dog/NN\n" * 40_000
    seen = []
    corpus = parse(text, normalize=Normalize(lowercase=True), sentences=22_000, progress=seen.append)
    assert corpus.sentences == 22_000
    assert corpus.vocabulary == ("the", "dog")
    assert corpus.normalize == Normalize(lowercase=True)
    assert seen == sorted(seen)
    seen.clear()
    parse(text, progress=seen.append)
    assert len(seen) > 1
    assert seen[-1] == 1


def test_only_so_many_sentences_are_looked_at():
    assert parse("a\tX\n\nb\tY\n\nc\n", "x", "tsv", sentences=2).sentences == 2
    assert parse("a/X a/X\nb/Y\nc\n", "x", "slash", sentences=2).tagset == ("X", "Y")


def test_lines_are_the_same_wherever_blocks_end(monkeypatch):
    text = "".join(f"w{i}/T é/X\r\n" for i in range(300)) + "last/T"
    whole = list(parse(text))
    monkeypatch.setattr(textfile, "BLOCK", 7)
    assert list(parse(text)) == whole
    assert len(whole) == 301
    assert whole[1] == [("w1", "T"), ("é", "X")]
    with pytest.raises(InputError, match=r"^x:302:1: "):
        parse(text + "\nbad", "x", "slash")


def test_reading_can_be_cancelled():
    class Cancelled(Exception):
        pass

    def cancel(share):
        raise Cancelled

    with pytest.raises(Cancelled):
        parse("a/B\n" * 30_000, progress=cancel)


def test_written_and_read_again_is_the_same():
    rng = np.random.default_rng(2)
    sentences = [
        [(f"w{rng.integers(9)}", f"T{rng.integers(3)}") for _ in range(rng.integers(1, 7))] for _ in range(20)
    ]
    for separator in "/_":
        text = "\n".join(" ".join(f"{w}{separator}{t}" for w, t in s) for s in sentences)
        assert list(parse(text)) == list(Corpus.from_sentences(sentences)) == sentences


def test_a_text_that_lacks_a_tag_is_said_to_be_read_as_plain_text():
    def opened(text, format=None):
        return open_text(io.BytesIO(text.encode()), "t.txt", format)

    text = "the/DT dog/NN barks/VBZ\nthe/DT cat sleeps/VBZ\na/DT dog/NN sleeps/VBZ\n"
    found = opened(text)
    assert found.format == "raw"
    assert found.remark.startswith(
        "Read as plain text: 8 of 9 tokens have a tag after '/', but 'cat' in line 2"
    )
    assert opened(text, "raw").remark == ""
    assert opened("and/or the dog barks at it").remark == ""
    assert opened("the/DT dog/NN").remark == ""
    assert "have a tag after '_', but 'cat'" in opened(text.replace("/", "_")).remark
    assert found.corpus().tags is None


SWITCHBOARD = (
    "A.1: Uh/UH ,/, do/VBP you/PRP have/VB a/DT pet/NN Randy/NNP ?/.\n"
    "B.2: Uh/UH ,/, yeah/UH ,/, we/PRP have/VBP a/DT poodle/NN ./.\n\nA.3: Miniature/JJ ?/.\n"
)


def test_labels_of_speakers_before_turns_are_left_out():
    corpus = parse(SWITCHBOARD, "tagged")
    assert corpus.reading.format == "slash"
    assert corpus.reading.note == "left out: 3 labels of speakers"
    assert (corpus.sentences, corpus.tokens) == (3, 20)
    assert next(iter(corpus))[:2] == [("Uh", "UH"), (",", ",")]


FLORESTA = (
    "#1 CP1-1 Um revivalismo refrescante.\n(UTT+np\n    (>N+art Um)\n    (H+n revivalismo)\n    (. .))\n\n"
    "#2 CP1-2 O 7 e Meio é um ex-libris.\n(STA+fcl\n    (SUBJ+np\n        (>N+art O)\n"
    "        (H+prop 7_e_Meio))\n    (P+v-fin é)\n    (SC+np\n        (H+n ex-libris))\n    (. .))\n"
)


def test_lines_about_the_trees_of_floresta_are_left_out():
    corpus = parse(FLORESTA, "floresta.ptb")
    assert corpus.reading.format == "trees"
    assert corpus.reading.note == "left out: 2 lines that begin with #"
    assert next(iter(corpus)) == [("Um", ">N+art"), ("revivalismo", "H+n"), (".", ".")]
    assert (corpus.sentences, corpus.tokens) == (2, 8)


def test_a_hash_within_a_tree_is_a_word():
    corpus = parse("(S (NP (# #)\n# (CD 5))\n)\n(S (NN a))\n")
    assert corpus.vocabulary == ("#", "5", "a")


BASE = "Thé/DT dog/NN barks/VBZ\nIt/PRP sleeps/VBZ ./.\n"


@pytest.mark.parametrize(
    "data",
    [
        BASE.encode("cp1252"),
        unicodedata.normalize("NFD", BASE).encode(),
        f"\ufeff{BASE}".encode(),
        BASE.replace("\n", "\n\ufeff", 1).encode(),  # files that were joined
        f"{BASE}\x1a".encode(),  # as DOS ended files
        BASE.replace("\n", "\r").encode(),
        BASE.replace(" dog", "\u00a0dog").encode(),  # as pasted from a page
        BASE.encode("utf-16"),
    ],
)
def test_what_programs_put_into_files_changes_no_word(tmp_path, data):
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    assert list(read(path)) == list(parse(BASE, "text.txt"))


def test_a_word_is_one_in_whichever_way_its_accents_are_typed():
    corpus = parse("the\u0301/N thé/N the\u0301/N\n", "a.txt")
    assert (corpus.types, corpus.vocabulary) == (1, ("thé",))


def test_a_blank_that_does_not_break_stays_inside_a_word_and_faults_keep_their_place():
    assert [word for word, _ in next(iter(parse("1\u00a0000/NUM dogs/N\n", "a.txt", "slash")))] == [
        "1\u00a0000",
        "dogs",
    ]
    with pytest.raises(InputError) as refused:
        parse("the/DT\u00a0big/JJ dog barks/V\n", "a.txt", "slash")
    assert [(fault.line, fault.column) for fault in refused.value.faults] == [(1, 15)]


def test_a_sentence_begins_at_number_1_also_without_a_blank_line():
    rows = [
        "1\tThe\t_\t_\tDT",
        "2\tdog\t_\t_\tNN",
        "# sent_id = 2",
        "1\tIt\t_\t_\tPRP",
        " \t ",
        "1\tIt\t_\t_\tPRP",
    ]
    text = "\n".join(f"{row}\t_\t_\t_\t_\t_" if row[0].isdigit() else row for row in rows)
    assert [len(sentence) for sentence in parse(text, "a.conllu")] == [2, 1, 1]


def test_a_tree_that_is_not_closed_is_named_by_where_it_begins():
    text = "( (S (NP (PRP It))) )\n( (S (NP (DT The) (NN dog))\n( (S (NP (PRP It))) )\n"
    with pytest.raises(InputError) as refused:
        parse(text, "a.mrg")
    (fault,) = refused.value.faults
    assert (fault.line, fault.column) == (2, 1)
    assert fault.what == "this tree is not closed: 2 brackets too few from here to the end"
    assert parse(text, "a.mrg", sentences=1).sentences == 1
