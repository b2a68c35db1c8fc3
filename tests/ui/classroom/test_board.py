"""The teacher's board: who is there, what they do and answer; the class's numbers; reveal and start over."""

from __future__ import annotations

import base64
import gc
import json
import weakref

import pytest

from otlab.errors import InputError
from otlab.ui.classroom import teacher as teacher_module
from otlab.ui.classroom.board import Board, board_of
from otlab.ui.classroom.classwork import RANKING
from otlab.ui.classroom.exercise import Exercise
from otlab.ui.classroom.guess import HELD, guess_names
from otlab.ui.classroom.teacher import BoardView, board_page
from otlab.ui.documents.writer import writer
from tests.ui.classroom.helpers import made, pupil, runs, type_in
from tests.ui.documents.helpers import CASES, paged
from tests.ui.page import one, page_at, send, shown_text


@pytest.fixture
def ot_class():
    """The ids of an exercise on a table that is learnt in a moment by Gibbs and two runs of the GLA."""
    teacher = paged(CASES["ot"])
    teacher.settings.param.update(sweeps=200, chains=2, runs=2)
    teacher.runner.enable(["gibbs", "gla"])
    return made(teacher, hidden=["Learn: Posterior"])


def opened(board):
    page = page_at(board_page, board=board)
    page.view = one(page, "BoardList").view
    return page


def rows(page):
    page.view.draw()
    return [(row["name"], row["state"], row["answer"]) for row in one(page, "BoardList").shown["pages"]]


@pytest.mark.slow
def test_a_class_of_two(ot_class):
    exercise, board = ot_class
    teacher = opened(board)
    assert rows(teacher) == []
    assert "Nothing to compare yet" in shown_text(teacher)
    first, second = pupil("ot", exercise), pupil("ot", exercise)
    type_in(first, name="Ada")
    assert rows(teacher) == [("Ada", "reading", ""), ("page 2", "reading", "")]
    runs(first)
    runs(second)
    type_in(second, answer="AL ")
    assert rows(teacher) == [("Ada", "done", ""), ("page 2", "answered", "AL")]
    shown = one(teacher, "BoardList").shown
    assert shown["pages"][0]["doing"] == "Gibbs, GLA"
    assert shown["answers"] == [["AL", ["page 2"]]]
    report = teacher.view.board.reports()[0]
    assert (report.label, len(report.values["AL"]), len(report.beside["AL"])) == ("GLA, each run", 2, 200)
    assert "4 from 2 pages" in shown_text(teacher)
    assert "<svg" in shown_text(teacher)
    assert "AL: 4 numbers" in shown_text(teacher)
    send(teacher, {"kind": "reveal"}, "BoardList")
    assert first.asked.shown["revealed"]
    assert first.state.hides == []
    second.close()
    rows(teacher)
    assert [row["here"] for row in one(teacher, "BoardList").shown["pages"]] == [True, False]
    send(teacher, {"kind": "start_over"}, "BoardList")
    assert rows(teacher) == [("Ada", "reading", "")]
    assert (first.runner.phase, first.asked.shown["answer"]) == ("idle", "")
    assert first.state.hides == ["Learn: Posterior"], "it is hidden again"


@pytest.mark.slow
def test_runs_on_other_data_are_not_mixed_in():
    exercise, board = made(paged(CASES["ot"]), locked=[])
    teacher, student = opened(board), pupil("ot", exercise)
    student.settings.param.update(sweeps=200, chains=2)
    student.runner.enable(["gibbs"])
    CASES["ot"].edits[0](student)
    assert rows(teacher) == [("page 1", "editing", "")]
    runs(student)
    assert rows(teacher) == [("page 1", "done", "")]
    assert teacher.view.board.reports() == []
    student.undo()
    runs(student)
    (report,) = teacher.view.board.reports()
    assert report.label == "median of each page's posterior"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "title"),
    [
        ("tagging", "Scores against the gold tags"),
        ("mg", "Readings of"),
        ("lexicon", "Words against the gold words"),
    ],
)
def test_every_lab_has_a_number_to_compare_and_one_to_guess(case, title):
    lab = paged(CASES[case])
    if case == "mg":
        lab.choose("attachment_wh")
        lab.state.sentence = ("you", "see", "the", "park", "with", "the", "telescope")
    lab.settings.param.update(**CASES[case].short)
    lab.runner.enable([CASES[case].learner])
    (guessing,) = lab.classwork.guessings(lab.state)
    assert lab.classwork.outcome(lab.state) is None
    runs(lab)
    report, outcome = lab.classwork.report(lab.state), lab.classwork.outcome(lab.state)
    assert report.title.startswith(title)
    assert all(0 <= number <= 1 for numbers in report.values.values() for number in numbers)
    assert [len(group) for group in outcome] == [len(options) for _, options in guessing.groups]
    assert all(0 < number <= 1 for group in outcome for number in group)


@pytest.mark.slow
def test_a_board_ends_with_its_last_page(ot_class, store):
    exercise, _ = ot_class
    board = board_of(exercise, store)
    assert board_of(exercise, store) is board
    ended = weakref.ref(board)
    del board
    gc.collect()
    assert ended() is None


@pytest.mark.slow
def test_a_board_comes_back_with_the_server(ot_class, store, tmp_path, monkeypatch):
    exercise, board = ot_class
    student = pupil("ot", exercise)
    type_in(student, name="Ada", answer="AL")
    student.close()
    writer.flush()
    restarted = tmp_path / "restarted.sqlite"
    restarted.symlink_to(store.path)  # another store in the same file, whose boards are read anew
    monkeypatch.setenv("OTLAB_DOCUMENTS", str(restarted))
    teacher = opened(board)
    assert rows(teacher) == [("Ada", "answered", "AL")]
    assert not one(teacher, "BoardList").shown["pages"][0]["here"]
    again = pupil("ot", exercise, document=student.document)
    assert again.asked.shown["answer"] == "AL"
    assert one(teacher, "BoardList").shown["pages"][0]["here"] is False
    assert rows(teacher)
    assert one(teacher, "BoardList").shown["pages"][0]["here"] is True


def test_a_student_is_there_until_the_last_page_of_the_copy_is_closed(ot_class):
    exercise, board = ot_class
    student, teacher = pupil("ot", exercise), opened(board)
    writer.flush(student.document)
    again = pupil("ot", exercise, document=student.document)  # loaded again: the earlier page ends later

    def here():
        rows(teacher)
        return [row["here"] for row in one(teacher, "BoardList").shown["pages"]]

    student.close()
    assert here() == [True]
    again.close()
    again.close()
    assert here() == [False]


def test_starting_over_asks_for_the_guess_again():
    exercise, board = made(paged(CASES["ot"]), predict=True)
    student, teacher = pupil("ot", exercise), opened(board)
    ((_, candidates),) = student.guess.shown["groups"]
    send(student.guess, {"kind": "guess", "guess": [[1 / len(candidates)] * len(candidates)]})
    assert one(teacher, "BoardList").view.board.guesses()
    assert student.runner.held == ""
    send(teacher, {"kind": "anything else"}, "BoardList")
    assert student.guess.guess is not None
    send(teacher, {"kind": "start_over"}, "BoardList")
    assert (student.guess.guess, student.guess.shown["guess"]) == (None, None)
    assert student.runner.held == HELD
    assert one(teacher, "BoardList").view.board.guesses() == []


@pytest.mark.parametrize("kind", ["", RANKING])
def test_a_page_without_a_server_asks_for_the_same_guess(kind):
    teacher = paged(CASES["ot"])
    exercise, _ = made(teacher, predict=True, guess=kind)
    guessing = teacher.classwork.guessing(teacher.state, kind)
    send(teacher.bar, {"kind": "exercise_file", "student": exercise, "form": "page"})
    page = base64.b64decode(teacher.sent[-1]["data"]).decode()
    assert json.dumps(guessing.question)[1:-1] in page
    names = json.dumps(guess_names(guessing), ensure_ascii=False, separators=(",", ":"))
    assert f'"names":{names}' in page


def test_a_page_without_an_exercise_says_what_to_do():
    assert "There is no exercise at this address" in shown_text(page_at(board_page))


def test_the_board_of_thirty_pages_is_drawn_once_for_all_teachers(monkeypatch):
    board, drawn = Board("x"), []
    monkeypatch.setattr(teacher_module, "hosts", lambda: drawn.append(1) or [])  # asked for in each drawing
    exercise = Exercise("ot_lab", "", "", {})
    views = [BoardView("x", exercise, board) for _ in range(3)]
    assert len(drawn) == 1
    for n in range(30):
        board.enter(f"p{n}")
    for _ in range(5):
        for view in views:
            view.draw()
    assert len(drawn) == 2
    board.update("p3", state="running")
    board.update("p3", state="running")
    views[0].draw()
    assert len(drawn) == 3


def test_an_exercise_is_saved_as_a_page_and_its_answers_are_read_from_files(ot_class):
    exercise, board = ot_class
    lab = paged(CASES["ot"])
    send(lab.bar, {"kind": "exercise_file", "student": exercise, "form": "page"})
    name, page = lab.sent[-1]["name"], base64.b64decode(lab.sent[-1]["data"]).decode()
    assert name.endswith(".html")
    assert f'"id":"{exercise}"' in page
    send(lab.bar, {"kind": "exercise_file", "student": exercise, "form": "scorm-1.2"})
    assert lab.sent[-1]["name"].endswith("_scorm_1.2.zip")
    with pytest.raises(InputError, match="an exercise is not saved as pdf; choose from page, scorm"):
        send(lab.bar, {"kind": "exercise_file", "student": exercise, "form": "pdf"})
    teacher = opened(board)
    answer = {"otlab_answer": 1, "exercise": exercise, "name": "Ada", "answer": "AL"}
    message = {"kind": "handed_in", "files": [["a/ada.json", json.dumps(answer)], ["b.json", "{"]]}
    send(one(teacher, "BoardList"), message)
    assert rows(teacher) == [("Ada", "answered", "AL")]
