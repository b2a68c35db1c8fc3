"""``otlab tag``: the contract of its JSON, its options and its faults."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

from otlab.cli import main
from otlab.inference import Run
from otlab.inference.random import run_seed
from otlab.tagging import LEARNERS, Model, read

UNSUPERVISED = [name for name in LEARNERS if name != "supervised"]
TEXT = "the/DT dog/NN barks/VBZ\nthe/DT cat/NN sleeps/VBZ\na/DT dog/NN sleeps/VBZ\n" * 20


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def small(states, iterations):
    return "--states", str(states), "--iterations", str(iterations)


def result(capsys, *argv):
    assert main(["tag", *argv, "--json"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.strip().splitlines()) == 1
    return json.loads(captured.out)


@pytest.mark.parametrize("learner", UNSUPERVISED)
def test_every_learner_gives_n_plus_1_rows(corpus, capsys, learner):
    out = result(
        capsys,
        corpus,
        "--learner",
        learner,
        "--states",
        "3",
        "--iterations",
        "5",
        "--seeds",
        "2",
        "--seed",
        "4",
    )
    assert (out["tokens"], out["types"], out["sentences"]) == (180, 6, 60)
    assert [run["seed"] for run in out["runs"]] == [4, run_seed(4, 1)]
    for run in out["runs"]:
        assert len(run["objective"]) == 6
        assert len(run["tokens_per_state"]) == 3 or learner.startswith(
            "ihmm"
        )  # it draws the number of states
        assert sum(run["tokens_per_state"]) == 180
    scores = [run["scores"] for run in out["runs"]]
    for name, mean in out["mean"].items():
        values = [row[name] for row in scores]
        assert mean == pytest.approx(np.mean(values))
        assert out["sd"][name] == pytest.approx(np.std(values, ddof=1))
    assert out["settings"]["init"] == "dirichlet"
    assert out["settings"]["format"] == "slash"
    assert out["seed"] == 4


def test_any_runs_seed_repeats_it(corpus, capsys):
    several = result(capsys, corpus, "--states", "3", "--iterations", "4", "--seeds", "3", "--seed", "4")
    for run in several["runs"]:
        alone = result(capsys, corpus, "--states", "3", "--iterations", "4", "--seed", str(run["seed"]))
        assert alone["runs"][0]["objective"] == run["objective"]
    assert alone["sd"]["vi"] is None


def test_runs_are_the_chains_of_a_lab_with_that_seed(corpus, capsys):
    from otlab.inference import run
    from otlab.tagging import read
    from otlab.tagging.learners.fit import make_learner

    several = result(capsys, corpus, *small(3, 4), "--seeds", "3", "--seed", "4")
    together = run(make_learner("vb", read(corpus), states=3), sweeps=4, seed=4, chains=3)
    views = together.finish().views
    assert [row["seed"] for row in several["runs"]] == together.seeds
    for row, view in zip(several["runs"], views, strict=True):
        assert row["objective"] == view.objective.tolist()


def test_one_state_has_no_v_measure(corpus, capsys):
    out = result(capsys, corpus, "--states", "1", "--iterations", "2", "--seed", "1")
    assert out["runs"][0]["scores"]["v_measure"] == 0


def test_threads_change_nothing(corpus, capsys):
    one, two = (
        result(
            capsys,
            corpus,
            "--states",
            "4",
            "--iterations",
            "4",
            "--seeds",
            "2",
            "--seed",
            "1",
            "--threads",
            n,
        )
        for n in ("1", "2")
    )
    for run in (*one["runs"], *two["runs"]):
        run.pop("seconds")
    assert one["runs"] == two["runs"]


def test_raw_text_has_no_scores(tmp_path, capsys):
    path = tmp_path / "raw.txt"
    path.write_text("the dog barks\nthe cat sleeps\n", encoding="utf-8")
    out = result(capsys, str(path), "--states", "2", "--iterations", "2", "--seed", "1")
    assert out["settings"]["format"] == "raw"
    assert set(out["runs"][0]["scores"].values()) == {None}


def test_the_guess_is_printed(corpus, capsys):
    main(["tag", corpus, "--states", "2", "--iterations", "1"])
    captured = capsys.readouterr()
    assert "read as word/TAG: " in captured.err
    assert "root seed" in captured.out


def test_a_saved_tagger_labels_new_text(corpus, tmp_path, capsys, monkeypatch):
    model = str(tmp_path / "tagger")
    result(
        capsys, corpus, "--states", "3", "--iterations", "30", "--seeds", "2", "--seed", "1", "--out", model
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat barks\na bird sleeps\n")))
    out = result(capsys, "-", "--model", model)
    assert [len(row) for row in out["labels"]] == [3, 3]
    assert out["unknown_tokens"] == 1
    assert out["scores"] is None
    assert main(["tag", corpus, "--model", model]) == 0
    assert capsys.readouterr().out.startswith("the/state-")


def test_words_are_treated_as_asked_and_so_are_those_of_new_text(tmp_path, capsys, monkeypatch):
    path, model = tmp_path / "text.txt", str(tmp_path / "tagger")
    path.write_text("The/DT 10/CD dogs/NNS bark/VBP\nthe/DT 22/CD cats/NNS bark/VBP\n", encoding="utf-8")
    ways = ["--lowercase", "--digits", "--min-count", "2"]
    learning = [str(path), "--states", "2", "--iterations", "3", "--seed", "1", "--out", model]
    plain, counted = result(capsys, *learning), result(capsys, *learning, *ways)
    assert (plain["types"], counted["types"]) == (7, 4)  # the, 00, UNK, bark
    for out, lowercase, least in ((plain, False, 1), (counted, True, 2)):
        assert out["settings"]["lowercase"] is lowercase
        assert out["settings"]["digits"] is lowercase
        assert out["settings"]["min_count"] == least
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"THE 99 zebras bark\n")))
    out = result(capsys, "-", "--model", model)
    assert out["unknown_tokens"] == 0
    assert out["trained"]["normalize"] == {"lowercase": True, "digits": True, "least": 2}
    assert [token.rpartition("/")[0] for token in out["tagged"][0]] == ["THE", "99", "zebras", "bark"]


def test_with_a_model_settings_are_those_of_labelling_and_the_rest_is_said_to_do_nothing(
    corpus, tmp_path, capsys
):
    model = str(tmp_path / "tagger")
    result(capsys, corpus, *small(3, 5), "--seed", "1", "--out", model)
    out = result(capsys, corpus, "--model", model, "--states", "9", "--lowercase", "--decode", "viterbi")
    reading = {"format", "tag_column", "columns", "ends"}
    assert set(out["settings"]) == {"file", "decode", "model", "probabilities"} | reading
    assert out["settings"]["decode"] == "viterbi"
    assert out["warnings"] == ["--states does nothing with --model", "--lowercase does nothing with --model"]
    assert (out["trained"]["states"], out["trained"]["learner"], out["seed"]) == (3, "vb", 1)
    assert main(["tag", corpus, "--model", model, "--iterations", "7"]) == 0
    assert "--iterations does nothing" in capsys.readouterr().err


def test_a_saved_tagger_gives_the_probability_of_each_state_at_each_word(corpus, tmp_path, capsys):
    model = str(tmp_path / "tagger")
    result(capsys, corpus, *small(3, 5), "--seed", "1", "--out", model)
    assert "probabilities" not in result(capsys, corpus, "--model", model)
    out = result(capsys, corpus, "--model", model, "--probabilities")
    expected = Model.load(model).predict_proba(read(corpus))
    assert np.concatenate(out["probabilities"]) == pytest.approx(expected)
    assert [len(rows) for rows in out["probabilities"]] == [len(row) for row in out["labels"]]
    for labels, rows in zip(out["labels"], out["probabilities"], strict=True):
        assert labels == np.argmax(rows, axis=1).tolist()
    assert main(["tag", corpus, "--model", model, "--probabilities"]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    word, best, *_ = first.split("\t")
    state, share = max(enumerate(expected[0]), key=lambda each: each[1])
    assert (word, best) == ("the", f"state {state} {share:.2f}")
    assert main(["tag", corpus, *small(2, 1), "--probabilities"]) == 0
    assert "--probabilities does nothing without --model" in capsys.readouterr().err


@pytest.mark.parametrize("learner", ["gibbs", "gibbs-blocked"])
def test_gibbs_is_scored_as_a_sample_and_by_max_marginal(corpus, tmp_path, capsys, learner):
    model = str(tmp_path / "tagger")
    options = ["--learner", learner, *small(3, 8), "--seed", "2", "--out", model]
    out = result(capsys, corpus, *options)
    (run,) = out["runs"]
    assert set(run["scores_max_marginal"]) == set(run["scores"])
    assert out["mean_max_marginal"] == run["scores_max_marginal"]
    labelled = result(capsys, corpus, "--model", model)
    assert labelled["scores"]["one_to_one"] == run["scores_max_marginal"]["one_to_one"]
    assert "scores_max_marginal" not in result(capsys, corpus, *small(3, 2), "--seed", "2")["runs"][0]
    assert main(["tag", corpus, *options]) == 0
    printed = capsys.readouterr().out
    assert "The last sample" in printed
    assert "Most probable states" in printed


def test_annealing_and_a_dictionary(corpus, tmp_path, capsys):
    words = tmp_path / "words.txt"
    words.write_text("the DT\na DT\nbarks VBZ\nsleeps VBZ\ndog NN\ncat NN\n", encoding="utf-8")
    options = [corpus, "--learner", "vb", *small(3, 6), "--seed", "1"]
    out = result(capsys, *options, "--anneal", "3:4")
    assert [value is None for value in out["runs"][0]["objective"]] == [True] * 4 + [False] * 3
    out = result(capsys, *options, "--dictionary", str(words))
    assert out["runs"][0]["scores"]["one_to_one"] == 1


def test_the_table_fits_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    main(["tag", "ewt", *small(12, 1), "--seeds", "2", "--seed", "4000000000", "--learner", "gibbs"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("H(T|Y)" in line for line in lines) == 2
    assert not any("…" in line for line in lines)


def test_a_sample_by_its_beginning(capsys):
    out = result(capsys, "ewt", "--states", "4", "--iterations", "1", "--seed", "1", "--precision", "f32")
    assert out["sentences"] == 2000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--states", "0"], "--states 0"),
        (["--seeds", "0"], "--seeds 0"),
        (["--iterations", "-1"], "--iterations -1"),
        (["--emission-prior", "0"], "--emission-prior"),
        (["--transition-prior", "nan"], "--transition-prior"),
        (["--jitter", "-1", "--init", "jitter"], "--jitter"),
        (["--learner", "magic"], "--learner"),
        (["--threads", "0"], "--threads"),
        (["--seed", "-3"], "--seed"),
        (["--min-count", "0"], "--min-count 0"),
        (["--anneal", "4"], "--anneal 4"),
        (["--anneal", "0.5:3"], "annealing from 0.5"),
        (["--dictionary", "nowhere.txt"], "nowhere.txt"),
        (["--model", "nowhere.npz"], "nowhere.npz"),
        (["--out", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_wrong_options_are_one_line_and_exit_2(corpus, capsys, options, message):
    assert main(["tag", corpus, "--iterations", "1", "--states", "2", "--format", "slash", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.strip().splitlines()) == 1


def test_all_faults_of_a_file(tmp_path, capsys):
    path = tmp_path / "bad.tsv"
    path.write_text("a\tX\nb\nc\n", encoding="utf-8")
    assert main(["tag", str(path)]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert lines == [
        "bad.tsv:2:1: 'b' has no tag; write the word, a tab, its tag",
        "bad.tsv:3:1: 'c' has no tag; write the word, a tab, its tag",
    ]


def test_ctrl_c_keeps_what_is_there(corpus, capsys, monkeypatch):
    ticks = iter(range(3))

    def stop(run):
        if next(ticks, None) is None:
            raise KeyboardInterrupt
        return run.advance(2)

    monkeypatch.setattr(Run, "__next__", stop)
    assert main(["tag", corpus, "--states", "2", "--iterations", "1000000", "--seed", "1", "--json"]) == 3
    captured = capsys.readouterr()
    (row,) = json.loads(captured.out)["runs"]
    assert len(row["objective"]) == 7


def test_a_missing_tag_is_warned_of(tmp_path, capsys):
    path = tmp_path / "short.txt"
    path.write_text("the/DT dog/NN barks/VBZ\nthe/DT cat sleeps/VBZ\n", encoding="utf-8")
    out = result(capsys, str(path), *small(2, 1), "--seed", "1")
    assert out["settings"]["format"] == "raw"
    assert "Read as plain text: 5 of 6 tokens have a tag" in out["warnings"][0]
    assert out["warnings"][0].endswith("--format slash or underscore names each fault.")


def test_new_text_has_a_perplexity_unless_it_is_impossible(corpus, tmp_path, capsys):
    from otlab.tagging import Model, read

    model, new = str(tmp_path / "tagger"), tmp_path / "new.txt"
    result(capsys, corpus, *small(3, 20), "--seed", "1", "--out", model)
    new.write_text("the dog sleeps\na bird barks\n", encoding="utf-8")
    out = result(capsys, str(new), "--model", model)
    assert out["log_likelihood"] == pytest.approx(Model.load(model).score(read(new)))
    assert out["perplexity"] == pytest.approx(np.exp(-out["log_likelihood"] / 8))
    assert main(["tag", str(new), "--model", model]) == 0
    assert f"perplexity {out['perplexity']:.4g}, 1 unseen word" in capsys.readouterr().err


def test_numbers_of_states_are_compared_as_in_the_library(corpus, capsys):
    from otlab.tagging import compare, read

    options = ["--compare-states", "3,2", "--iterations", "5", "--folds", "2", "--seed", "4"]
    out = result(capsys, corpus, *options, "--emission-prior", "0.02", "--learner", "vb")
    there = compare(read(corpus), [2, 3], "vb", iterations=5, folds=2, seed=4, emission_prior=0.02)
    assert [row["states"] for row in out["compared"]] == [2, 3]
    assert [row["perplexity"] for row in out["compared"]] == [row.perplexity for row in there.rows]
    assert out["chosen"] == there.chosen()
    assert (out["settings"]["states"], out["settings"]["emission_prior"], out["seed"]) == ([2, 3], 0.02, 4)
    assert out["compared"][0]["aic"] is None
    both = result(capsys, corpus, *options, "--states", "7")
    assert list(both["chosen"]) == ["em", "vb"]
    assert both["warnings"] == ["--states does nothing with --compare-states"]
    assert main(["tag", corpus, *options]) == 0
    assert "em: states chosen by perplexity" in capsys.readouterr().out


@pytest.mark.parametrize("numbers", ["", "2,x", "2;3", "0", "2,,3"])
def test_impossible_numbers_of_states_are_named(corpus, capsys, numbers):
    assert main(["tag", corpus, "--compare-states", numbers]) == 2
    assert "states" in capsys.readouterr().err


def test_baselines_are_scored_beside_the_runs_if_asked(corpus, tmp_path, capsys):
    from dataclasses import asdict

    from otlab.tagging import baselines, read

    out = result(capsys, corpus, *small(3, 2), "--seed", "4", "--baselines")
    assert out["baselines"] == {n: asdict(s) for n, s in baselines(read(corpus), 3, 4).items()}
    assert "baselines" not in result(capsys, corpus, *small(3, 2), "--seed", "4")
    assert main(["tag", corpus, *small(3, 2), "--baselines"]) == 0
    assert "word's tag" in capsys.readouterr().out
    raw = tmp_path / "raw.txt"
    raw.write_text("the dog barks\n", encoding="utf-8")
    assert main(["tag", str(raw), *small(2, 1), "--baselines"]) == 2
    assert "no tags" in capsys.readouterr().err


CONLL2003 = "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nsends VBZ B-VP O\n. . O O\n\nAnn NNP B-NP B-PER\n"


def test_a_text_in_columns_says_how_it_was_read(tmp_path, capsys):
    path = tmp_path / "eng.txt"
    path.write_text(CONLL2003, encoding="utf-8")
    out = result(capsys, str(path), *small(2, 2), "--seed", "1")
    assert out["reading"]["format"] == out["settings"]["format"] == "columns"
    assert out["reading"]["columns"] == ["word", "tag", "not used", "not used"]
    assert (out["reading"]["sentences"], out["tokens"]) == (2, 4)
    chosen = result(capsys, str(path), *small(2, 2), "--seed", "1", "--format", "columns", "--columns", "1,4")
    assert chosen["reading"]["columns"] == ["word", "not used", "not used", "tag"]
    assert main(["tag", str(path), *small(2, 1)]) == 0
    assert capsys.readouterr().err.startswith(
        "eng.txt: read as columns by blanks: 2 sentences, column 1 is the word, 2 the tag; "
        "left out: 1 -DOCSTART- lines\n"
    )
    for options in (["--columns", "1,9"], ["--columns", "one"], ["--ends", "lines", "--format", "tsv"]):
        assert main(["tag", str(path), *options]) == 2


def test_a_treebank_without_xpos_is_not_scored_against_blanks(tmp_path, capsys):
    path = tmp_path / "fr.conllu"
    words = [("le", "DET"), ("chat", "NOUN"), ("dort", "VERB")]
    lines = [f"{n}\t{w}\t_\t{t}\t_\t_\t_\t_\t_\t_\n" for n, (w, t) in enumerate(words, 1)]
    path.write_text(("".join(lines) + "\n") * 9, encoding="utf-8")
    out = result(capsys, str(path), *small(3, 4), "--seed", "1")
    assert set(out["runs"][0]["scores"].values()) == {None}
    assert "--tag-column upos has tags" in out["warnings"][-1]
    assert result(capsys, str(path), *small(3, 4), "--tag-column", "upos")["runs"][0]["scores"]["vi"] >= 0
    assert main(["tag", str(path), *small(3, 4), "--seeds", "2", "--learner", "gibbs"]) == 0
    printed = capsys.readouterr()
    assert "nan" not in printed.out
    assert "The text has no tags to score the states against." in printed.out


def test_a_dictionary_serves_a_text_without_tags(tmp_path, capsys):
    text, words, model = tmp_path / "plain.txt", tmp_path / "words.txt", tmp_path / "model"
    text.write_text("the cat sleeps\na dog sleeps\nthe bird sings\n", encoding="utf-8")
    words.write_text("the DT\na DT\ncat NN\ndog NN\nsleeps VBZ\nbird NN\nsings VBZ\n", encoding="utf-8")
    options = [str(text), *small(3, 5), "--dictionary", str(words), "--seed", "1"]
    result(capsys, *options, "--out", str(model))
    labelled = result(capsys, str(text), "--model", str(model))
    assert labelled["tagged"][0] == ["the/DT", "cat/NN", "sleeps/VBZ"]
    assert main(["tag", *options, "--states", "2"]) == 2
    assert "use 3 states or more" in capsys.readouterr().err


def test_the_objective_of_a_run_that_was_not_annealed_to_its_end_is_a_dash(tmp_path, capsys):
    path = tmp_path / "a.txt"
    path.write_text("the/DT dog/NN barks/VBZ\nit/PRP sleeps/VBZ\n")
    options = ("--learner", "vb", "--states", "2", "--iterations", "3", "--anneal", "5:100", "--seed", "1")
    assert main(["tag", str(path), *options]) == 0
    out = capsys.readouterr().out
    assert "nan" not in out
    assert out.splitlines()[1].split()[1] == "-"


def test_a_transcript_is_scored_against_its_tags(tmp_path, capsys):
    path = tmp_path / "eve.cha"
    utterances = "*MOT:\tthe <big> [//] dog .\n%mor:\tdet|the n|dog .\n" * 4
    path.write_text(f"@UTF8\n@Begin\n{utterances}*CHI:\tno tags .\n@End\n", encoding="utf-8")
    out = result(capsys, str(path), *small(3, 3), "--seed", "1")
    assert out["reading"]["label"] == "CHAT transcript, tags of %mor"
    assert "Left out: 1 utterance without %mor (line 11)." in out["warnings"]
    assert 0.25 < out["runs"][0]["scores"]["many_to_one"] <= 1
