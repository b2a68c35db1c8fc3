"""Specifications: what they ask for, the hash of each run, and every fault at once."""

from __future__ import annotations

import argparse
from importlib import import_module

import pytest

from otlab.errors import InputError
from otlab.inference.random import run_seed
from otlab.samples import sample_path
from otlab.sweep import parse_plan, read_plan
from otlab.sweep.systems import SYSTEMS

TAGGERS = """
seed = 5
seeds = 2
system = "tagging"
learner = ["em", "vb"]
data = "words.txt"

[settings]
states = [2, 3]
emission_prior = [0.1, 0.01]
iterations = 2
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.txt").write_text("the dog barks\nthe cat sleeps\na dog sleeps\n", encoding="utf-8")
    return tmp_path


def faults(text, folder):
    with pytest.raises(InputError) as caught:
        parse_plan(text, "sweep.toml", folder)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.slow
def test_lists_are_crossed_and_a_learner_takes_the_settings_it_has(folder):
    plan = parse_plan(TAGGERS, folder=folder)
    runs = [
        (run.learner, run.values["states"], run.values.get("emission_prior"), run.seed) for run in plan.runs
    ]
    seeds = [run_seed(5, 0), run_seed(5, 1)]
    em = [("em", states, None, seed) for states in (2, 3) for seed in seeds]
    vb = [("vb", s, p, seed) for s in (2, 3) for p in (0.1, 0.01) for seed in seeds]
    assert runs == em + vb
    assert plan.seed == 5
    assert len(plan.data) == 1


def test_tables_take_from_the_top_what_they_do_not_say(folder):
    text = """
    seed = 1
    [settings]
    iterations = 3
    [[sweep]]
    system = "tagging"
    learner = "em"
    data = "words.txt"
    [[sweep]]
    system = "mg"
    learner = "vb"
    data = "attachment_wh"
    seeds = [7, 8]
    [sweep.settings]
    iterations = 4
    """
    runs = parse_plan(text, folder=folder).runs
    assert [(r.system, r.seed, r.values["iterations"]) for r in runs] == [
        ("tagging", 1, 3), ("mg", 7, 4), ("mg", 8, 4),
    ]  # fmt: skip


def test_the_hash_does_not_depend_on_order_or_on_how_a_number_is_written(folder):
    one = parse_plan(TAGGERS, folder=folder)
    other = TAGGERS.replace("[0.1, 0.01]", "[1e-1, 0.010]").replace('["em", "vb"]', '["vb", "em"]')
    head, _, settings = other.partition("[settings]\n")
    other = head + "[settings]\n" + "\n".join(reversed(settings.strip().splitlines()))
    assert {run.hash for run in one.runs} == {run.hash for run in parse_plan(other, folder=folder).runs}
    assert len({run.hash for run in one.runs}) == len(one.runs)


def test_the_hash_depends_on_the_content_not_on_the_place(folder, tmp_path_factory):
    (before,) = {run.content for run in parse_plan(TAGGERS, folder=folder).runs}
    hashes = {run.hash for run in parse_plan(TAGGERS, folder=folder).runs}
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "words.txt").write_bytes((folder / "words.txt").read_bytes())
    assert {run.hash for run in parse_plan(TAGGERS, folder=elsewhere).runs} == hashes
    (elsewhere / "words.txt").write_text("the dog\n", encoding="utf-8")
    changed = parse_plan(TAGGERS, folder=elsewhere).runs
    assert before not in {run.content for run in changed}
    assert not hashes & {run.hash for run in changed}


def test_a_file_among_the_settings_counts_by_its_content(folder):
    text = 'seed = 1\nsystem = "ot"\nlearner = "maxent"\ndata = "ilokano"\n[settings]\nprior = "prior.txt"\n'
    lines = [f"{name}\t0\t1\n" for name in ("*C-ONS", "AL", "I_BR")]
    (folder / "prior.txt").write_text("".join(lines), encoding="utf-8")
    (first,) = parse_plan(text, folder=folder).runs
    assert first.values["prior"] == str(folder / "prior.txt")
    (folder / "prior.txt").write_text("".join(lines).replace("1\n", "2\n"), encoding="utf-8")
    (second,) = parse_plan(text, folder=folder).runs
    assert first.hash != second.hash


@pytest.mark.slow
def test_a_sound_folder_is_data_too():
    text = 'seed = 1\nsystem = "sound"\nlearner = "units"\ndata = "spoken_toy"\n[settings]\niterations = 1\n'
    (run,) = parse_plan(text).runs
    assert run.content.startswith(f"{sample_path('spoken_toy').name}:")


def test_every_fault_is_told_at_once(folder):
    text = """seed = 1
system = "tagging"
learner = ["em", "vbb"]
data = ["words.txt", "missing.txt"]
[settings]
states = [2, 0, true]
stats = 3
precision = "f16"
"""
    messages = faults(text, folder)
    assert messages[0].startswith("sweep.toml:4: no file or sample is called 'missing.txt'; choose from ")
    assert messages[0].endswith("; paths begin at the specification's folder")
    assert messages[1:] == [
        "sweep.toml:3: tagging has no learner 'vbb'; did you mean vb?",
        "sweep.toml:6: states = 0; write a whole number, 1 or more and 10000 or less",
        "sweep.toml:6: states = True; write a whole number, 1 or more and 10000 or less",
        "sweep.toml:7: em has no setting 'stats'; did you mean states?",
        "sweep.toml:8: precision = 'f16'; choose from f64, f32",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 1\nseeds = [1,,2]", "sweep.toml:2:12: this is not TOML"),
        ('learner = "em"', "no system is named; write system = one of ot, tagging, mg, discovery, sound"),
        ('system = "tagger"', "sweep.toml:1: there is no system 'tagger'; did you mean tagging?"),
        ('seeds = 2\nsystem = "ot"', "sweep.toml:1: no seed is given; write seed = "),
        ("seeds = 1.5", "sweep.toml:1: seeds = 1.5; write whole numbers, 0 or more"),
        ('sytsem = "ot"', "sweep.toml:1: there is no key 'sytsem'; did you mean system?"),
        ('system = "ot"\nsettings = 3\nlearner = "gla"', "sweep.toml:2: 'settings' is not a table"),
        ('seed = 1\nsystem = "ot"\n[[sweep]]\nlearner = "gbbs"', "sweep.toml:4: ot has no learner 'gbbs'"),
        ("sweep = 3", "'sweep' is not a list of tables; write [[sweep]] above each"),
        (
            'seed=1\nsystem="discovery"\ndata="toy_phones"\nlearner="tp"\nsettings.grammar = "wrod"',
            "grammar = 'wrod': there is no such file; did you mean word? Or name a file",
        ),
        ('data = ""', "sweep.toml:1: no data are named"),
        ('data = "."', "sweep.toml:1: . is a folder; name a file in it"),
        (f'data = "{"x" * 300}"', f"sweep.toml:1: no file or sample is called '{'x' * 300}'"),
        ("seed = [1, 2]", "sweep.toml:1: seed is a list; write one number, or seeds = [...]"),
        ("seed = 1\nseeds = 0", "sweep.toml:2: seeds = 0; write 1 or more, or the seeds themselves"),
        ("seed = 1\nseeds = 10_001", "sweep.toml:2: seeds = 10001; write at most 10,000"),
        (
            'seed = 1\nseeds = 10_000\nsystem = "ot"\nlearner = "gla"\ndata = "ilokano"\n[settings]\n'
            f"sweeps = {list(range(1, 102))}",
            "sweep.toml: 1,010,000 runs; write at most 1,000,000, in several files",
        ),
        (
            'seed = 1\nsystem = "ot"\nlearner = "gla"\ndata = "ilokano"\n[settings]\nsweeps = [[1]]',
            "sweep.toml:6: sweeps = [1]; write a whole number, 1 or more",
        ),
        (f"seed = {'9' * 5000}", "this is not TOML: brackets are nested too deeply, or a number has"),
        ("seed = " + "[" * 5000, "this is not TOML: brackets are nested too deeply, or a number has"),
    ],
)
def test_faults_have_their_place(text, message, folder):
    assert any(message in fault for fault in faults(text, folder))


def test_faults_of_the_data_are_told_together(folder):
    (folder / "a.csv").write_text("Input,Output,Frequency,A\nx,y,ten,1\n", encoding="utf-8")
    (folder / "b.csv").write_text("Input,Output,Frequency,A\nx,y,1,half\n", encoding="utf-8")
    (folder / "sweep.toml").write_text(
        'seed = 1\nsystem = "ot"\nlearner = "gla"\ndata = ["a.csv", "b.csv"]\n', encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        read_plan(folder / "sweep.toml")
    assert [fault.place for fault in caught.value.faults] == ["a.csv:2:5", "b.csv:2:7"]


@pytest.mark.parametrize(
    ("system", "command"),
    [("ot", "learn"), ("tagging", "tag"), ("mg", "parse"), ("discovery", "discover"), ("sound", "discover")],
)
def test_data_can_be_read_in_every_way_that_the_commands_have(system, command):
    """What is a choice there is one here, with the same names."""
    own = SYSTEMS[system].reading.param
    options = {
        action.dest: action for action in command_parser(command)._actions if action.dest in READING[system]
    }
    assert set(options) == READING[system]
    for name, action in options.items():
        if action.choices is not None:
            assert [value for value in own[name].objects if value] == list(action.choices), name


READING = {
    "ot": {"accents", "format", "keep_sign"},
    "tagging": {"format", "columns", "ends", "tag_column", "lowercase", "digits", "min_count"},
    "mg": {"start", "convention"},
    "discovery": {"format", "separator", "word_separator", "tiers"},
    "sound": {"gold", "tiers"},
}


def command_parser(command):
    parser = argparse.ArgumentParser()
    import_module(f"otlab.cli.{command}").add_arguments(parser)
    return parser


def test_a_text_of_a_sweep_is_read_as_its_settings_say(folder):
    (folder / "columns.txt").write_text("1 the D\n2 dog N\n\n1 a D\n2 cat N\n" * 3, encoding="utf-8")
    text = TAGGERS.replace("words.txt", "columns.txt") + 'format = "columns"\ncolumns = "2,3"\n'
    (corpus,) = parse_plan(text, folder=folder).data.values()
    assert sorted(corpus.vocabulary) == ["a", "cat", "dog", "the"]
    assert corpus.tagset == ("D", "N")
    assert "--columns two; write one or two numbers: 1,2" in faults(text.replace("2,3", "two"), folder)[0]


def test_a_transcript_of_a_sweep_is_read_as_its_settings_say(folder):
    (folder / "talk.txt").write_text("dh ah # d ao g\ndh ah # k ae t\n" * 3, encoding="utf-8")
    text = """
    seed = 1
    system = "discovery"
    learner = "batch"
    data = "talk.txt"
    [settings]
    format = "blanks"
    word_separator = "#"
    """
    (corpus,) = parse_plan(text, folder=folder).data.values()
    assert set(corpus.symbols) == {"dh", "ah", "d", "ao", "g", "k", "ae", "t"}
    assert corpus.gold.sum() == 12


def test_a_grammar_learns_from_the_sentences_that_are_named(folder):
    (folder / "x.mg").write_text("@start v\nmary :: n -f\njohn :: n -f\nsleeps :: =n +f v\n")
    (folder / "c.txt").write_text("mary sleeps | 20\njohn sleeps\n")
    text = 'seed = 1\nsystem = "mg"\nlearner = "vb"\ndata = "x.mg"\n'
    assert any(
        "no sentences to learn from; give some with the setting" in one for one in faults(text, folder)
    )
    (corpus,) = parse_plan(f'{text}[settings]\nsentences = "c.txt"\n', folder=folder).data.values()
    assert corpus.counts == {("mary", "sleeps"): 20, ("john", "sleeps"): 1}
