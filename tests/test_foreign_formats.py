"""Files of another kind: each command says what it was given, and what to give."""

import pytest

from otlab.cli import main
from otlab.foreign_formats import foreign_format

FOREIGN = {
    "a.TextGrid": (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 1\ntiers? <exists>\n',
        "is a Praat TextGrid",
    ),
    "a.phn": ("0 7470 h#\n7470 9840 sh\n9840 11362 iy\n", "holds times (start, end and label, as of TIMIT)"),
    "a.words": ("signal a\n#\n 0.1 122 the\n 0.4 122 dog\n", "holds times (end, colour and label"),
    "a.ctm": ("rec 1 0.1 0.3 the\nrec 1 0.4 0.3 dog\n", "holds times (recording, channel, start"),
    "a.eaf": ('<?xml version="1.0"?>\n<ANNOTATION_DOCUMENT>\n</ANNOTATION_DOCUMENT>\n', "is XML or HTML"),
    "a.cha": ("@UTF8\n@Begin\n*CHI:\tmore .\n@End\n", "is a transcript of CHAT"),
    "a.conllu": (
        "# sent_id = 1\n1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tdog\tdog\tN\tN\t_\t0\troot\t_\t_\n",
        "is a treebank in CoNLL-U",
    ),
    "a.ad": ("=H:n('word' M S)\tdog\n=P:v('x')\truns\n", "holds trees of VISL"),
}


def said(capsys, *argv):
    assert main([*map(str, argv)]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("name", FOREIGN)
def test_reading_and_parse_and_learn_say_what_the_file_is(tmp_path, capsys, name):
    text, what = FOREIGN[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    for command, no in (("reading", "and no reading times"), ("parse", "and no lexicon")):
        words = said(capsys, command, *["an_bn"] * (command == "reading"), path)
        assert words.startswith(f"{name}: {what}")
        assert no in words
        assert len(words.splitlines()) == 1
    words = said(capsys, "learn", path)
    assert words.startswith(f"{name}: {'is a Praat TextGrid file' if 'TextGrid' in name else what}")
    assert "not a tableau; load a table as CSV" in words


def test_reading_says_what_to_give(tmp_path, capsys):
    path = tmp_path / "a.TextGrid"
    path.write_text(FOREIGN[path.name][0], encoding="utf-8")
    assert said(capsys, "reading", "an_bn", path) == (
        "a.TextGrid: is a Praat TextGrid, and no reading times; write three columns: sentence, word, ms\n"
    )


def test_a_treebank_is_no_phonemic_text(tmp_path, capsys):
    path = tmp_path / "a.conllu"
    path.write_text(FOREIGN[path.name][0], encoding="utf-8")
    assert "is a treebank in CoNLL-U, and no utterances" in said(capsys, "discover", path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 mary 310\n1 sleeps 420\n2 john 305\n",
        "1 mary 310 4 N\n1 sleeps 420 6 V\n",
        "sentence word ms place tag\n" + "1 mary 310 4 N\n" * 30,
        "mary\t1\t310\t1\tx\njohn\t2\t300\t2\ty\n",
        "Input\tOutput\tFrequency\tA\tB\n" + "tat\tta\t8\t1\t0\n" * 30,
        "the :: =n d\ndog :: n\n",
        "# 1\n",
    ],
)
def test_tables_and_lexicons_are_of_no_other_kind(text):
    assert foreign_format(text) == ""


def test_columns_that_are_named_are_read(tmp_path, capsys):
    path = tmp_path / "a.txt"
    path.write_text("1 310 a\n2 420 b\n3 305 a\n4 300 b\n", encoding="utf-8")
    assert "holds times (start, end and label" in said(capsys, "reading", "an_bn", path)
    assert main(["reading", "an_bn", str(path), "--columns", "place=1,ms=2,word=3"]) == 0
    assert "column 1 is the place, 2 the ms, 3 the word" in capsys.readouterr().err
