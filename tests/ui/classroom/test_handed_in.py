"""Answers that are handed in as files: what the board takes, replaces and leaves out."""

import json

import pytest

from otlab.ui.classroom.answers import answers_csv
from otlab.ui.classroom.board import Board
from otlab.ui.classroom.exercise import Exercise
from otlab.ui.classroom.handed_in import take_answers

EXERCISE = Exercise("ot_lab", "Reduplication", "Which one?", {}, predict=True)
ANSWER = {
    "otlab_answer": 1,
    "exercise": "e1",
    "title": "Reduplication",
    "question": "Which one?",
    "name": "Ada",
    "answer": "AL",
    "why": "because",
    "guess": [[0.5, 0.5]],
    "truth": [[0.75, 0.25]],
    "guessing": ["b", "c"],
    "ran": "Gibbs",
    "report": {"label": "GLA, each run", "hue": "gla", "values": {"AL": [1.0, 2.0], "DEP": [0.0, -1.0]}},
}


def board_with(*answers, exercise=EXERCISE):
    board = Board("e1")
    told = take_answers(
        board, exercise, [(f"{k}.json", text) for k, text in enumerate(map(written, answers))]
    )
    return board, told


def written(answer):
    return answer if isinstance(answer, str) else json.dumps(answer)


def test_an_answer_stands_on_the_board_with_guess_and_numbers():
    board, told = board_with(ANSWER)
    assert told == "1 answer added"
    (entry,) = board.entries.values()
    assert (entry.name, entry.answer, entry.why, entry.doing) == ("Ada", "AL", "because", "Gibbs")
    assert (entry.state, entry.here) == ("answered", False)
    assert entry.guess_text == "Of 100 words, your guess puts 25 on another candidate than the result does."
    assert board.answers() == [("AL", ["Ada"])]
    assert board.reports()[0].values == {"AL": [1.0, 2.0], "DEP": [0.0, -1.0]}
    assert board.guesses()[0].values == {"b": [0.5], "c": [0.5]}
    assert b"Ada,Answered,Gibbs,AL,because" in answers_csv(board)


def test_a_ranking_that_was_guessed_is_compared_as_a_ranking():
    ranked = {**ANSWER, "guess": [[1.0], [-1.0]], "truth": [[-0.5], [0.5]]}
    board, _ = board_with(
        ranked, exercise=Exercise("ot_lab", "Reduplication", "Which one?", {}, guess="ranking")
    )
    (entry,) = board.entries.values()
    assert entry.guess_text == "Your guess ranks 1 of 1 pair of constraints the other way round."


def test_a_later_file_of_the_same_name_replaces_the_earlier_one():
    board, told = board_with(ANSWER, {**ANSWER, "name": "ADA", "answer": "DEP"}, {**ANSWER, "name": ""})
    assert told == "3 answers added"
    assert [(entry.name, entry.answer) for entry in board.entries.values()] == [("ADA", "DEP"), ("", "AL")]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("{", "is no answer"),
        ("[" * 100_000, "is no answer"),
        ("[1]", "is no answer"),
        ({"name": "Ada"}, "is no answer"),
        ({**ANSWER, "otlab_answer": 2}, "later version"),
        ({**ANSWER, "exercise": "e2"}, "another exercise"),
        ({**ANSWER, "exercise": "", "question": "Another?"}, "another exercise"),
        ({**ANSWER, "why": "x" * 300_000}, "too large"),
    ],
)
def test_other_files_are_left_out_and_told(answer, why):
    board, told = board_with(answer, ANSWER)
    assert told.startswith("1 answer added; left out: 0.json")
    assert why in told
    assert len(board.entries) == 1


def test_a_page_made_on_the_command_line_is_known_by_title_and_question():
    assert board_with({**ANSWER, "exercise": ""})[1] == "1 answer added"


@pytest.mark.parametrize(
    "changed",
    [
        {"guess": [[0.5, "x"]]},
        {"guess": [[0.5, float("nan")]]},
        {"guess": [[0.5] * 5]},
        {"guess": {"a": 1}},
        {"guess": [[0.1] * 300]},
        {"guess": [[1e300, 0.0]]},
        {"guess": []},
    ],
)
def test_a_guess_that_is_none_is_left_away(changed):
    board, told = board_with({**ANSWER, **changed})
    (entry,) = board.entries.values()
    assert told == "1 answer added"
    assert (entry.guess, entry.truth, entry.guess_text) == (None, None, "")
    answers_csv(board)


@pytest.mark.parametrize("truth", [[[1.0]], [[0.5, 0.5], [1.0]], [[0.2, 0.3, 0.5]]])
def test_a_guess_stands_alone_where_the_result_is_of_another_shape(truth):
    board, _ = board_with({**ANSWER, "truth": truth})
    (entry,) = board.entries.values()
    assert (entry.guess, entry.truth, entry.guess_text) == ([[0.5, 0.5]], None, "")
    assert board.guesses()[0].values == {"b": [0.5], "c": [0.5]}
    assert board.guesses()[0].beside == {}


@pytest.mark.parametrize(
    "report",
    [
        {"label": "mine", "hue": "gla", "values": {"AL": [1.0]}},
        {"label": "GLA, each run", "hue": ["gla"], "values": {"AL": [1.0]}},
        {"label": "GLA, each run", "hue": "gla", "values": {"AL": "1"}},
        {"label": "GLA, each run", "hue": "gla", "values": {}},
        {"label": "GLA, each run", "hue": "gla", "values": {"AL": [True]}},
        "x",
    ],
)
def test_numbers_that_are_none_are_left_away(report):
    board, _ = board_with({**ANSWER, "report": report})
    assert board.reports() == []
    assert len(board.entries) == 1


def test_texts_are_cut_and_other_values_are_none():
    board, _ = board_with({**ANSWER, "name": "n" * 100, "answer": 5, "why": "w" * 3000})
    (entry,) = board.entries.values()
    assert (len(entry.name), entry.answer, len(entry.why)) == (40, "", 2000)
