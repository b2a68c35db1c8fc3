from __future__ import annotations

import io
import json

import pytest

from otlab.cli import main
from otlab.inference.random import run_seed


def result(capsys, *argv):
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_discover(capsys, tmp_path):
    out = tmp_path / "cut.txt"
    printed = result(
        capsys,
        "discover",
        "toy",
        "--iterations",
        "5",
        "--seed",
        "1",
        "--restarts",
        "2",
        "--segment-out",
        str(out),
    )
    assert len(printed["objective"]) == 6
    assert set(printed["scores"]) == {
        "token_p", "token_r", "token_f", "boundary_p", "boundary_r", "boundary_f", "boundary_f_with_edges",
        "lexicon_p", "lexicon_r", "lexicon_f",
    }  # fmt: skip
    assert printed["lexicon"][0].keys() == {"string", "expected_count"}
    assert printed["choice"]["rule"] == "bigram"
    assert [c["seed"] for c in printed["choice"]["candidates"]] == [run_seed(1, 0), run_seed(1, 1)]
    assert len(out.read_text().splitlines()) == 400
    assert printed["seed"] == 1


def test_discover_without_gold(capsys, tmp_path):
    text = tmp_path / "t.txt"
    text.write_text("thedogbarks\nthecatsleeps\nthedogsleeps\n")
    printed = result(capsys, "discover", str(text), "--iterations", "2")
    assert printed["scores"] is None
    assert "no gold" in printed["scores_note"]
    assert main(["discover", str(text), "--iterations", "1", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "token f" not in shown
    assert "expected count" in shown


class Piped:
    """Standard input with these bytes."""

    def __init__(self, data):
        self.buffer = io.BytesIO(data)


def test_texts_and_pairs_come_through_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", Piped("dɔ ɡ\ndɔ\n".encode()))
    assert result(capsys, "discover", "-", "--iterations", "2")["settings"]["file"] == "-"
    monkeypatch.setattr("sys.stdin", Piped("d ɔ ɡ\td ɔ k\n".encode()))
    assert len(result(capsys, "channel", "-", "--iterations", "2")["objective"]) == 3


@pytest.mark.parametrize(
    ("command", "data", "message"),
    [
        ("discover", b"a\tb\n\x81\n", "-: is neither UTF-8 nor Windows-1252 text; "),
        ("channel", b"a\tb\n\xff\n", "-:2: byte 0xff is not UTF-8; "),
        ("discover", b"a\tb\n\0\n", "-:2: a NUL byte: this is no text; "),
        ("channel", b"a\tb\n\0\n", "-:2: a NUL byte: this is no text; "),
        ("discover", b"", "-: no "),
        ("channel", b"", "-: no "),
    ],
)
def test_what_is_no_text_is_refused(capsys, monkeypatch, command, data, message):
    monkeypatch.setattr("sys.stdin", Piped(data))
    assert main([command, "-"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(message)


def test_every_fault_of_the_pairs(capsys, tmp_path):
    pairs = tmp_path / "p.tsv"
    pairs.write_text("# top\tbottom\na b\n\na\tb\tc\nd\te\n")
    assert main(["channel", str(pairs)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("; ")[0] for line in lines] == [
        "p.tsv:2:1: 0 tabs instead of 1",
        "p.tsv:4:1: 2 tabs instead of 1",
    ]


def test_grammar_files(capsys, tmp_path):
    grammar = tmp_path / "G.gr"
    grammar.write_text("S -> W+\n@W 100 10 0.1\nW -> Phon+\n")
    printed = result(
        capsys, "discover", "toy", "--grammar", str(grammar), "--iterations", "2", "--learner", "mcmc"
    )
    assert len(printed["objective"]) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grammar", "wrod"], "did you mean word"),
        (["--iterations", "0"], "--iterations 0"),
        (["--start", "2"], "outside (0, 1)"),
        (["--threshold", "1"], "--threshold 1"),
        (["--restarts", "0"], "--restarts 0; write 1 or more"),
        (["--rule", "held-out", "--learner", "mcmc"], "needs the batch learner"),
        (["--rule", "bigrams"], "did you mean bigram"),
        (["--learner", "utterances", "--decode", "minimum-risk"], "minimum-risk decoding needs the batch"),
        (["--start", "peak,2"], "no start is called 'peak'; write peaks, or a number in (0, 1)\nstart prob"),
        (["--segment-out", "nowhere/cut.txt"], "no folder nowhere to write to"),
    ],
)
def test_wrong_options(capsys, options, message):
    assert main(["discover", "toy", *options]) == 2
    assert message in capsys.readouterr().err


def test_grammar_faults_go_to_stderr_one_a_line(capsys, tmp_path):
    grammar = tmp_path / "G.gr"
    grammar.write_text("S -> W+\n@W 100 10 1.1\nW -> 'a' | 'b'\n")
    assert main(["discover", "toy", "--grammar", str(grammar)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["G.gr:2:11", "G.gr:3:10"]


def test_channel(capsys, tmp_path):
    pairs = tmp_path / "p.tsv"
    pairs.write_text("d o g\td o k\nd o g\td o g\na\tb b b b b b\n")
    printed = result(capsys, "channel", str(pairs), "--iterations", "3", "--seed", "1")
    assert len(printed["objective"]) == 4
    assert set(printed["operations"]) == {"none", "substitute", "insert", "delete"}
    assert sum(printed["operations"].values()) == pytest.approx(1.0)
    assert printed["substitutions"]["g"]["k"] > 0.5
    assert "g" not in printed["substitutions"]["g"]
    assert printed["settings"]["operation"] == [20.0, 1.0, 1.0, 1.0]
    assert printed["unreachable"] == [{"line": 3, "top": "a", "bottom": "b b b b b b"}]
    assert main(["channel", str(pairs), "--iterations", "3", "--seed", "1"]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert f"none {printed['operations']['none']:.4f}" in shown
    assert f"g k {printed['substitutions']['g']['k']:.3f}" in shown
    assert len([line for line in shown if len(line.split()) == 3]) == 15 + 1  # the most probable, and a head
    assert "unreachable: line 3, a to b b b b b b" in shown
    assert main(["channel", str(pairs), "--iterations", "-1"]) == 2
    assert "--iterations -1; write 0 or more" in capsys.readouterr().err


def test_people_read_tables(capsys):
    assert main(["discover", "toy", "--iterations", "2", "--seed", "1"]) == 0
    assert "token f" in capsys.readouterr().out


EWORD = """j uː ;eword v iː ;eword m ɔː ;eword k ʊ k ɪ z ;eword
d uː ;eword j uː ;esyll ;eword s iː ;eword ð ə ;eword d ɔ ɡ ;eword
j uː ;eword w ɔ n t ;eword ð ə ;eword k ʊ ;esyll k ɪ z ;eword
"""


@pytest.mark.parametrize(
    ("text", "options", "reading", "words"),
    [
        (EWORD, [], ("wordseg", " ", ";eword"), ["juː", "viː", "mɔː", "kʊkɪz"]),
        ("k aɪ t # b o l\nk aɪ t\n", [], ("blanks", " ", "#"), ["kaɪt", "bol"]),
        ("k aɪ t | b o l\nk aɪ t\n", ["--separator", " "], ("blanks", " ", "|"), ["kaɪt", "bol"]),
        ("k aɪ t / b o l\n", ["--word-separator", "/"], ("blanks", " ", "/"), ["kaɪt", "bol"]),
        ("k.aɪ.t b.o.l\n", [], ("plain", ".", " "), ["kaɪt", "bol"]),
        ("kaɪt#bol\n", ["--word-separator", "#"], ("plain", "", "#"), ["kaɪt", "bol"]),
        (EWORD, ["--separator", " "], ("wordseg", " ", ";eword"), ["juː", "viː", "mɔː", "kʊkɪz"]),
        ("k æ t b o l\nk æ t\n", ["--format", "plain"], ("plain", "", " "), list("kætbol")),
    ],
)  # fmt: skip
def test_the_reading_of_a_text_is_told(capsys, tmp_path, text, options, reading, words):
    path, out = tmp_path / "t.txt", tmp_path / "cut.txt"
    path.write_text(text, encoding="utf-8")
    assert (
        main(
            ["discover", str(path), "--learner", "utterances", "--json", "--segment-out", str(out), *options]
        )
        == 0
    )
    printed, told = capsys.readouterr()
    found = json.loads(printed)
    assert found["reading"] == dict(
        zip(("format", "separator", "word_separator", "tiers"), (*reading, None), strict=True)
    )
    assert found["scores"] is not None
    assert ("read as" in told) == ("--format" not in options)
    assert out.read_text(encoding="utf-8").splitlines()[0] == "".join(words)


def test_blanks_between_phones_alone_are_no_gold(capsys, tmp_path):
    (tmp_path / "t.txt").write_text("k æ t b o l\nk æ t\n", encoding="utf-8")
    for options in ([], ["--separator", " "], ["--format", "blanks"]):
        assert (
            result(capsys, "discover", str(tmp_path / "t.txt"), "--iterations", "1", *options)["scores"]
            is None
        )


def test_the_tier_of_a_transcript_is_chosen(capsys, tmp_path):
    text = "@Begin\n*CHI:\tmore cookie .\n%pho:\tmɔ kʊki\n%mod:\tmɔɹ kʊki\n@End\n"
    (tmp_path / "t.cha").write_text(text, encoding="utf-8")
    run = ("discover", str(tmp_path / "t.cha"), "--learner", "utterances")
    assert result(capsys, *run)["reading"]["tiers"] == {"phones": "%pho"}
    chosen = result(capsys, *run, "--tiers", "phones=%mod")
    assert [word["string"] for word in chosen["lexicon"]] == ["mɔɹkʊki"]
    assert main([*run, "--tiers", "phones=%gra"]) == 2
    assert "t.cha: there are no %gra lines; choose from %pho, %mod, *" in capsys.readouterr().err
