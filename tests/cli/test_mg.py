"""``otlab parse`` and ``otlab induce`` keep their contract."""

import io
import json
import math
import re

import pytest

from otlab.cli import main
from otlab.mg.parsing.parse import parse
from otlab.mg.processing.alternatives import alternatives
from otlab.mg.processing.entropy import word_by_word
from otlab.samples import load_sample


def run(capsys, *argv):
    code = main([*argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_parse(capsys):
    code, result = run(capsys, "parse", "figure1_wh", "what did you see", "did you see what", "--kbest", "1")
    assert code == 0
    good, bad = result["sentences"]
    assert (good["sentence"], good["derivations"], good["diagnosis"]) == ("what did you see", 1, None)
    assert good["log_probability"] == pytest.approx(-1.3862943611)
    assert len(good["surprisal"]) == 5
    assert sum(good["surprisal"]) == pytest.approx(0.6931471806)
    assert good["best"][0]["items"][0] == "ε :: =i +wh c"
    assert good["best"][0]["posterior"] == 1
    assert good["best"][0]["brackets"].startswith("[CP [DP_1 [D what]]")
    assert (bad["derivations"], bad["log_probability"], bad["best"]) == (0, None, [])
    assert bad["diagnosis"].startswith("Everything fits except that ")
    assert result["well_formed_mass"] == pytest.approx(0.5)
    assert result["lint"] == []
    assert {"otlab", "seed", "settings", "seconds"} <= set(result)


def test_parse_a_loop_and_its_lint(capsys):
    _, result = run(capsys, "parse", "silent_loop", "a")
    (sentence,) = result["sentences"]
    assert sentence["derivations"] == "inf"
    assert [len(b["items"]) for b in sentence["best"]] == [1, 2, 3]
    (remark,) = result["lint"]
    assert set(remark) == {"code", "line", "column", "message"}
    assert remark["code"] == "W303"


def test_options_may_stand_before_sentences(capsys):
    assert main(["parse", "figure1_wh", "--json", "what did you see"]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"][0]["derivations"] == 1


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("brackets", "[CP"),
        ("forest", "% In the preamble: \\usepackage[linguistics]{forest}"),
        ("qtree", "% In the preamble: \\usepackage{qtree}"),
        ("svg", "<svg"),
        ("json", '{"words"'),
    ],
)
def test_formats(capsys, form, beginning):
    assert main(["parse", "figure1_wh", "what did you see", "--format", form]) == 0
    out = capsys.readouterr().out
    assert ("100.00%  " if form == "brackets" else "100.00%\n") + beginning in out


def test_memory_metrics_of_two_sentences(capsys):
    harder, easier = "dat jan marie piet zag helpen zwemmen", "dat jan piet zag zwemmen"
    asked = ("--memory", "--metric", "MaxT > SumS", "--metric", "SumT'[UI]")
    _, result = run(capsys, "parse", "dutch_cross", harder, easier, "dat", *asked)
    assert result["settings"]["metrics"] == ["MaxT > SumS", "SumT'[IU]"]
    first, second, refused = result["sentences"]
    assert "memory" not in refused
    assert first["memory"]["ranks"] == {"MaxT > SumS": 2, "SumT'[IU]": 2}
    assert second["memory"]["ranks"] == {"MaxT > SumS": 1, "SumT'[IU]": 1}
    assert second["memory"]["metrics"] == {"MaxT > SumS": [14, 16], "SumT'[IU]": [18]}
    assert second["tenures"] == [1, 1, 2, 7, 7]
    assert second["memory"]["nodes"][0] == {
        "expression": "[dat jan piet zag zwemmen:c]", "kind": "I", "index": 1, "outdex": 2,
    }  # fmt: skip
    assert second["best"][0]["tree"].startswith("[¹CP₂ ²dat₃ ")
    assert main(["parse", "dutch_cross", harder, easier, "--metric", "MaxT"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[-2:] for line in out.splitlines() if "14 ✓" in line] == [["14", "✓"]]
    assert main(["parse", "dutch_cross", "--metric", "MaxX"]) == 2


def test_words_with_entropy_reduction(capsys):
    _, result = run(capsys, "parse", "silent_loop", "a", "a a", "--words")
    good, bad = result["sentences"]
    found = word_by_word("a", load_sample("silent_loop"))
    assert good["entropy"] == pytest.approx(found.entropy.tolist())
    assert good["entropy_reduction"] == pytest.approx(found.reduction.tolist())
    assert good["tenures"] == [1]
    assert bad["entropy"][2:] == [None, None]
    assert "tenures" not in bad
    assert main(["parse", "silent_loop", "a", "--words"]) == 0
    out = capsys.readouterr().out
    assert ["a", "0.69", f"{found.entropy[1]:.2f}", f"{found.reduction[0]:.2f}", "1"] in [
        line.split() for line in out.splitlines()
    ]


def test_words_have_the_prefixes_that_rule_out_what_they_might_have_been(capsys):
    sentence = "the reporter met the senator"
    _, result = run(capsys, "parse", "english_relative", sentence, "--words")
    rows = result["sentences"][0]["alternatives"]
    found = alternatives(sentence, load_sample("english_relative_clauses"))
    assert [(r["item"], r["maximal_prefix"], r["minimal_prefix"]) for r in rows] == [
        (str(a.item), a.maximal, a.minimal) for a in found
    ]
    relative = next(r for r in rows if r["item"] == "the :: =r d -nom")
    assert (relative["position"], relative["ruled_out_by"]) == (1, "met")
    assert relative["expected"][0] is None
    assert main(["parse", "english_relative", sentence, "--words"]) == 0
    out = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["the", "the", "::", "=r", "d", "-nom", "0.11", "2", "reporter", "met"] in out


def test_sentences_as_they_are_pronounced(capsys, tmp_path):
    lexicon, table = tmp_path / "a.mg", tmp_path / "table.txt"
    own = "@sentence 1 | mary -s fish\n"
    lexicon.write_text(f"@start t\nmary :: d\nfish :: V\n-s :: =V d= t\n-ed :: =V d= t\nε :: =V d= t\n{own}")
    table.write_text("-s fish -> fishes\n-ed fish -> fish\n")
    options = ("--spell-out", str(table), "--words")
    asked = ("parse", str(lexicon), "mary fish", "mary fishes", "fishes mary", *options)
    code, result = run(capsys, *asked)
    assert code == 0
    rows = result["sentences"]
    assert [(r["sentence"], r["derivations"]) for r in rows] == [
        ("mary fish", 2), ("mary fishes", 1), ("fishes mary", 0)
    ]  # fmt: skip
    assert sorted(b["spelled_from"] for b in rows[0]["best"]) == ["mary -ed fish", "mary fish"]
    assert rows[1]["best"][0]["spelled_from"] == "mary -s fish"
    assert rows[0]["surprisal"][1] == pytest.approx(math.log(3 / 2))  # -ed and ε of three
    assert rows[1]["surprisal"][1] == pytest.approx(math.log(3))
    assert [len(r.get("tenures", ())) for r in rows] == [2, 2, 0]
    assert main(asked) == 0
    assert "  50.00%  mary -ed fish  [TP " in capsys.readouterr().out
    assert [r["sentence"] for r in run(capsys, "parse", str(lexicon), *options)[1]["sentences"]] == [
        "mary fishes"
    ]
    assert main(["parse", str(lexicon), "mary fish", "--spell-out", "nowhere.txt"]) == 2


def test_learning_from_pronounced_sentences(capsys, tmp_path):
    lexicon, table, corpus = (tmp_path / name for name in ("a.mg", "table.txt", "corpus.txt"))
    lexicon.write_text("@start t\nmary :: d\nfish :: V\n-s :: =V d= t\n-ed :: =V d= t\n")
    table.write_text("-s fish -> fishes\n-ed fish -> fished\n")
    corpus.write_text("mary fished | 3\nmary fishes\n")
    code, result = run(capsys, "induce", str(lexicon), str(corpus), "--spell-out", str(table))
    assert code == 0
    assert result["settings"]["spell_out"] == str(table)
    assert result["expected_counts"]["-ed :: =V d= t"] == pytest.approx(3)
    assert result["expected_counts"]["-s :: =V d= t"] == pytest.approx(1)


def test_reading_times_of_pronounced_words(capsys, tmp_path):
    lexicon, times = tmp_path / "a.mg", tmp_path / "times.tsv"
    lexicon.write_text("@start t\nmary :: d\nfish :: V\n-s :: =V d= t\n-ed :: =V d= t\n")
    (tmp_path / "table.txt").write_text("-s fish -> fishes\n-ed fish -> fished\n")
    times.write_text("s\tmary\t300\ns\tfished\t400\n")
    asked = ("reading", str(lexicon), str(times), "--spell-out", str(tmp_path / "table.txt"))
    code, result = run(capsys, *asked)
    assert code == 0
    assert [w["surprisal"] for w in result["words"]] == pytest.approx([0, math.log(2)])


def test_own_sentences_for_people(capsys):
    assert main(["parse", "silent_loop"]) == 0
    out = capsys.readouterr().out
    assert "a   ∞ derivations" in out
    assert "silent loop through: ε :: =c c" in out
    assert "* a a   0 derivations" in out


def test_induce(capsys, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("what did you see\n" * 3 + "\nwhat did see you\nfish\n")
    _, result = run(capsys, "induce", "figure1_wh", str(corpus), "--alpha", "1", "--iterations", "3")
    rows = result["iterations"]
    assert [r["iteration"] for r in rows] == [0, 1, 2, 3]
    assert rows[1]["elbo"] == pytest.approx(-6.4457198194, abs=1e-9)
    assert all(r["elbo"] == pytest.approx(r["sum_log_z"] - r["kl"]) for r in rows)
    assert result["omega"]["d"] == {"what :: d -wh": pytest.approx(5), "you :: d": pytest.approx(5)}
    assert result["expected_counts"]["ε :: =i +wh c"] == pytest.approx(4)
    assert set(result["log_z"]) == {"what did you see", "what did see you"}
    assert result["unparsed"] == ["fish"]
    assert result["well_formed_mass"] == pytest.approx(0.5)
    assert not any("symmetric" in w for w in result["warnings"])


@pytest.fixture
def sleepers(tmp_path):
    (tmp_path / "x.mg").write_text("@start v\nmary :: n -f\njohn :: n -f\nsleeps :: =n +f v\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("# counts\nmary sleeps | 20\n\njohn sleeps | 10\nfish | 0\n", False),
        ("20 mary sleeps\n10 john sleeps\n", True),
    ],
)
def test_a_corpus_file_may_hold_counts(capsys, sleepers, text, warned):
    corpus = sleepers / "c.txt"
    corpus.write_text(text)
    assert main(["induce", str(sleepers / "x.mg"), str(corpus), "--json"]) == 0
    out = capsys.readouterr()
    result = json.loads(out.out)
    assert result["expected_counts"]["mary :: n -f"] == pytest.approx(20)
    assert result["expected_counts"]["john :: n -f"] == pytest.approx(10)
    said = "c.txt: the number that each line begins with is read as the count of its sentence"
    assert out.err.count(said) == warned


def test_a_number_that_is_a_word_is_no_count(capsys, sleepers):
    lexicon = sleepers / "x.mg"
    lexicon.write_text(f"{lexicon.read_text()}\n20 :: n -f\n")
    (sleepers / "c.txt").write_text("20 sleeps\njohn sleeps\n")
    assert main(["induce", str(lexicon), str(sleepers / "c.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["expected_counts"]["20 :: n -f"] == pytest.approx(1)


def test_numbers_before_some_sentences_are_asked_about(capsys, sleepers):
    (sleepers / "c.txt").write_text("20 mary sleeps\njohn sleeps\n3 john sleeps\njohn | x\n")
    assert main(["induce", str(sleepers / "x.mg"), str(sleepers / "c.txt")]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "c.txt:1: '20' is no word of the lexicon; if it is a count, write: mary sleeps | 20",
        "c.txt:3: '3' is no word of the lexicon; if it is a count, write: john sleeps | 3",
        "c.txt:4: 'x' is not a count; write a number from 0 to 1,000,000 after the bar",
    ]


def test_sentences_left_out_are_named_with_their_line_and_unknown_words(capsys, sleepers):
    (sleepers / "c.txt").write_text("mary sleeps\n# none\nmary sleep\nsleeps mary\n")
    assert main(["induce", str(sleepers / "x.mg"), str(sleepers / "c.txt")]) == 0
    out = capsys.readouterr().out
    assert "no derivation: mary sleep (line 3: 'sleep' is no word of the lexicon)\n" in out
    assert "no derivation: sleeps mary (line 4)\n" in out
    (sleepers / "c.txt").write_text("mary sleep\n")
    assert main(["induce", str(sleepers / "x.mg"), str(sleepers / "c.txt")]) == 2
    assert "no derivation: mary sleep (line 1: 'sleep' is no word of the lexicon)" in capsys.readouterr().err


@pytest.mark.slow
def test_gibbs_reports_the_posterior_of_its_draws(capsys, tmp_path):
    lexicon = tmp_path / "closed.mg"
    lexicon.write_text("@start p\nx y :: p\nx :: =p p\ny :: p\n@sentence 2 | x y\n")
    argv = ["induce", str(lexicon), "--learner", "gibbs", "--seed", "5"]
    _, result = run(capsys, *argv)
    assert len(result["iterations"]) == 2001
    assert "omega" not in result
    assert result["theta"]["p"]["x y :: p"] == pytest.approx(0.44, abs=0.01)
    assert result["low"]["p"]["x y :: p"] == pytest.approx(0.030, abs=0.02)
    assert result["high"]["p"]["x y :: p"] == pytest.approx(0.894, abs=0.02)
    assert result["rhat"]["p"]["y :: p"] < 1.01
    assert result["ess"]["p"]["y :: p"] > 400
    assert len(result["restarts"]) == 4
    assert main(argv) == 0
    assert "R-hat" in capsys.readouterr().out


def test_vb_can_be_checked_by_gibbs(capsys):
    argv = ["induce", "gender", "--iterations", "200", "--init", "jitter", "--seed", "3", "--check"]
    _, result = run(capsys, *argv)
    check = result["check"]
    assert (check["sweeps"], check["chains"]) == (2000, 4)
    for category, items in result["theta"].items():
        for item, value in items.items():
            assert check["low"][category][item] <= value <= check["high"][category][item]
    assert main([*argv[:-1], "--check", "--learner", "em"]) == 2
    assert "--check compares Gibbs with VB" in capsys.readouterr().err


def test_induce_warns_of_a_symmetric_start(capsys):
    _, result = run(capsys, "induce", "gender_induction", "--iterations", "5")
    assert "symmetric start" in result["warnings"][0]
    _, result = run(capsys, "induce", "gender_induction", "--init", "jitter", "--seed", "1")
    assert result["warnings"] == []
    assert result["seed"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["vb", "em", "gibbs"])
def test_every_learner_is_reproducible(capsys, learner):
    argv = ("induce", "gender", "--learner", learner, "--init", "jitter", "--restarts", "3", "--seed", "4")
    results = [run(capsys, *argv, "--threads", n)[1] for n in ("1", "2")]
    for r in results:
        del r["seconds"]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("learner", "objective"),
    [
        ("vb", "ELBO"),
        ("em", "log likelihood"),
        ("map", "log likelihood with the prior"),
        ("gibbs", "ln P(derivations)"),
    ],
)
def test_the_objective_has_the_name_that_it_has_for_the_learner(capsys, learner, objective):
    assert main(["induce", "figure1_wh", "--learner", learner, "--iterations", "3", "--seed", "1"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if " at the start, " in line]
    assert re.fullmatch(r"(\D+) -?\d[\d.]* at the start.*", line)[1] == objective


@pytest.mark.parametrize("learner", ["vb", "gibbs"])
def test_each_restart_is_a_run_of_its_own_seed(capsys, learner):
    argv = ("induce", "gender", "--learner", learner, "--init", "jitter", "--iterations", "20")
    _, several = run(capsys, *argv, "--restarts", "3", "--seed", "4")
    assert several["restart_seeds"][0] == 4
    for seed, objective in zip(several["restart_seeds"], several["restarts"], strict=True):
        _, alone = run(capsys, *argv, "--restarts", "1", "--seed", str(seed))
        assert alone["restarts"] == [objective]


def test_items_are_written_in_the_files_own_convention(capsys, tmp_path):
    lexicon = tmp_path / "x.mg"
    lexicon.write_text(
        "@convention nondirectional\n@start v\nsee ::  =d  =d v | 2\nyou :: d\n@sentence 1 | you see you\n"
    )
    _, result = run(capsys, "induce", str(lexicon), "--iterations", "1")
    assert result["omega"] == {"v": {"see :: =d =d v": 3.0}, "d": {"you :: d": 3.0}}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["parse", "nowhere"], "no file or sample is called 'nowhere'"),
        (["parse", "english"], "'english' begins several samples: english_adjuncts, english_auxiliaries, "),
        (["parse", "figure1_wh", "--kbest", "-1"], "--kbest -1"),
        (["induce", "figure1_wh", "--alpha", "0"], "--alpha 0"),
        (["induce", "figure1_wh", "nowhere.txt"], "there is no file 'nowhere.txt'"),
        (["induce", "figure1_wh", "--learner", "vd"], "invalid choice"),
    ],
)
def test_wrong_input_is_exit_code_2(capsys, argv, message):
    assert main(argv) == 2
    assert message in capsys.readouterr().err


def test_faults_of_a_file_one_a_line(capsys, tmp_path):
    path = tmp_path / "bad.mg"
    path.write_text("a :: =x=\nb :: c d\n")
    assert main(["parse", str(path), "a"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["bad.mg", "bad.mg:1:6", "bad.mg:2:8"]
    assert all("; " in line for line in lines)


def test_the_start_category_may_be_given(capsys, tmp_path):
    path = tmp_path / "g.py"
    path.write_text("g = [(['mary'],[('cat','d')]), (['slept'],[('sel','d'),('cat','v')])]")
    assert main(["parse", str(path), "slept mary"]) == 2
    assert "g.py: no start category is given; give one with --start: v, d" in capsys.readouterr().err
    _, result = run(capsys, "parse", str(path), "slept mary", "--start", "v")
    assert result["sentences"][0]["derivations"] == 1
    assert result["settings"]["start"] == ["v"]
    assert main(["parse", str(path), "slept mary", "--start", "V"]) == 2
    assert "no item has category V" in capsys.readouterr().err


def test_the_convention_may_be_given(capsys, tmp_path):
    path = tmp_path / "g.mg"
    path.write_text("@start v\nmary :: d\nslept :: d= v\n")
    _, left = run(capsys, "parse", str(path), "mary slept", "slept mary")
    assert [row["derivations"] for row in left["sentences"]] == [1, 0]
    _, right = run(capsys, "parse", str(path), "mary slept", "slept mary", "--convention", "stabler2011")
    assert [row["derivations"] for row in right["sentences"]] == [0, 1]


def test_the_empty_sentence(capsys, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("ε\na b\n\nε\n")
    _, result = run(capsys, "parse", "an_bn", "ε", "a b")
    assert [(s["sentence"], s["derivations"]) for s in result["sentences"]] == [("ε", 1), ("a b", 1)]
    _, result = run(capsys, "induce", "an_bn", str(corpus), "--iterations", "2")
    assert set(result["log_z"]) == {"ε", "a b"}
    assert result["expected_counts"]["ε :: s"] == pytest.approx(3)


def test_an_empty_corpus_is_exit_code_2(capsys, tmp_path):
    (tmp_path / "empty.txt").write_text("\n\n")
    assert main(["induce", "figure1_wh", str(tmp_path / "empty.txt")]) == 2
    assert "the corpus is empty" in capsys.readouterr().err


def test_reading_times_of_two_lexicons(tmp_path, capsys):
    times = tmp_path / "times.csv"
    times.write_text(
        "sentence,word,ms\n1,what,400\n1,did,310\n1,you,NA\n1,see,420\n2,nobody,395\n", encoding="utf-8"
    )
    code, result = run(capsys, "reading", "figure1_wh", str(times), "--against", "figure1_object_first")
    assert code == 0
    told = word_by_word(parse(load_sample("figure1_wh"), "what did you see"))
    first, *_, last = result["words"]
    assert (first["word"], first["ms"], first["surprisal"]) == ("what", 400, pytest.approx(told.surprisal[0]))
    assert (last["word"], last["surprisal"], last["tenure"]) == ("nobody", None, None)
    assert result["correlations"]["surprisal"]["words"] == 3
    assert set(result["differences"]) == {"surprisal", "entropy_reduction", "tenure"}
    assert len(result["words_against"]) == 5
    assert main(["reading", "figure1_wh", str(times)]) == 0
    assert "fewer than four words" in capsys.readouterr().out
    assert main(["reading", "figure1_wh", str(tmp_path / "none.csv")]) == 2
    assert "give a table: sentence, word, ms" in capsys.readouterr().err


def test_reading_times_shipped_with_a_sample(capsys):
    name = "english_relative_clauses"
    code, result = run(capsys, "reading", name, name, "--against", name)
    assert code == 0
    assert [w["word"] for w in result["words"][:3]] == ["the", "reporter", "admitted"]
    assert set(result["gains"]) == {"surprisal", "entropy_reduction", "tenure"}
    assert all(g == 0 for g in result["gains"]["surprisal"] if g is not None)
    assert main(["reading", name, "dyck"]) == 2
    assert "there is no file 'dyck'" in capsys.readouterr().err


def test_faults_of_lexicon_and_table_are_told_together(capsys, tmp_path):
    (tmp_path / "a.mg").write_text("@start t\nmary d\n")
    (tmp_path / "table.txt").write_text("see -s sees\n")
    asked = ["parse", str(tmp_path / "a.mg"), "mary", "--spell-out", str(tmp_path / "table.txt")]
    assert main(asked) == 2
    told = capsys.readouterr().err
    assert "'mary d' has no '::'" in told
    assert "'see -s sees' is no line of spell-out" in told
    (tmp_path / "times.tsv").write_text("s\tmary\t300\n")
    lexicon, times, table = "figure1_wh", str(tmp_path / "times.tsv"), str(tmp_path / "table.txt")
    assert main(["reading", lexicon, times, "--against", lexicon, "--spell-out", table]) == 2
    assert capsys.readouterr().err.count("no line of spell-out") == 1


def test_two_lexicons_are_compared_in_words(sleepers, capsys):
    (sleepers / "y.mg").write_text(
        (sleepers / "x.mg").read_text().replace("mary :: n -f", "mary :: n -f | 9")
    )
    rows = "".join(
        f"{n},{who},{ms}\n{n},sleeps,290\n" for n, (who, ms) in enumerate([("mary", 300), ("john", 420)] * 2)
    )
    (sleepers / "times.csv").write_text(f"sentence,word,ms\n{rows}5,[/],300\n")
    files = [str(sleepers / name) for name in ("x.mg", "times.csv", "y.mg")]
    argv = ["reading", *files[:2], "--against", files[2]]
    _, result = run(capsys, *argv)
    assert main(argv) == 0
    printed = "".join(capsys.readouterr().out.split())
    first, second = result["differences"]["surprisal"]["first"], result["differences"]["surprisal"]["second"]
    assert first["r"] < second["r"]
    assert f"surprisal:r{first['r']:.2f}({first['low']:.2f}to{first['high']:.2f}),8words" in printed
    assert f"surprisal:r{first['r']:.2f}against{second['r']:.2f}" in printed
    assert f"nearerwith{files[2]}:" in printed
    assert "[/]" in printed


def test_the_easiest_sentence_is_marked(capsys):
    argv = ["parse", "english_relative_clauses", "the reporter admitted the error", "--memory"]
    assert main(argv) == 0
    assert "✓" not in capsys.readouterr().out
    assert main([*argv, "the reporter who the senator attacked admitted the error"]) == 0
    printed = capsys.readouterr().out
    assert "✓ the easiest sentence by this metric" in printed
    assert printed.count("✓") > 1


def test_a_lexicon_may_come_through_standard_input(capsys, monkeypatch, sleepers):
    text = (sleepers / "x.mg").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    _, result = run(capsys, "parse", "-", "mary sleeps")
    assert result["sentences"][0]["derivations"] == 1


def test_a_lexicon_without_sentences_needs_a_corpus(capsys, sleepers):
    assert main(["induce", str(sleepers / "x.mg")]) == 2
    assert "has no @sentence lines; give a corpus file, one sentence a line" in capsys.readouterr().err
    (sleepers / "bad.mg").write_text("@start v\nmary n\n")
    assert main(["induce", str(sleepers / "bad.mg")]) == 2
    assert "'mary n' has no '::'" in capsys.readouterr().err


def test_chains_and_the_check_are_printed_beside_the_estimates(capsys):
    argv = ["induce", "gender", "--init", "jitter", "--seed", "3"]
    assert main([*argv, "--learner", "gibbs", "--iterations", "60", "--restarts", "2"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "expected count R-hat ESS d" in printed
    assert "chain of seed 3: " in printed
    assert main([*argv, "--iterations", "20", "--restarts", "2", "--check"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "restart of seed 3: " in printed
    assert "Gibbs: 4 chains of 2,000 sweeps, largest R-hat " in printed
